//! A stored byte gets into its lane.
//!
//! Purpose: the core gives a byte in lane 0 and says which lane is meant; here it moves there, and the other
//! lanes are 0. Words pass.
//!
//! Timing: combinational, two look-up tables deep.
//!
//! Source: the RISC5 architecture (STB).

use rust_hdl::prelude::*;

/// Lane of a store.
#[derive(LogicBlock, Default)]
pub struct LanePlace {
    /// A word, or a byte in lane 0.
    pub value: Signal<In, Bits<32>>,
    /// All lanes, or one.
    pub lanes: Signal<In, Bits<4>>,
    /// The word, or the byte in its lane.
    pub placed: Signal<Out, Bits<32>>,
    low_byte: Signal<Local, Bits<32>>,
}

impl Logic for LanePlace {
    #[hdl_gen]
    fn update(&mut self) {
        self.low_byte.next = bit_cast::<32, 8>(self.value.val().get_bits::<8>(0));
        self.placed.next = self.value.val();
        if self.lanes.val() == 1 {
            self.placed.next = self.low_byte.val();
        } else if self.lanes.val() == 2 {
            self.placed.next = self.low_byte.val() << 8;
        } else if self.lanes.val() == 4 {
            self.placed.next = self.low_byte.val() << 16;
        } else if self.lanes.val() == 8 {
            self.placed.next = self.low_byte.val() << 24;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_move_and_words_pass() {
        let mut uut = LanePlace::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(23);
        for _ in 0..100 {
            let value = words.word();
            for (lanes, want) in [(15_u32, value)]
                .into_iter()
                .chain((0..4).map(|n| (1 << n, (value & 0xFF) << (8 * n))))
            {
                uut.value.next = value.to_bits();
                uut.lanes.next = lanes.to_bits();
                crate::testing::settle(&mut uut);
                assert_eq!(uut.placed.val().to_u32(), want, "{value:08x}, lanes {lanes}");
            }
        }
    }
}
