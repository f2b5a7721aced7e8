//! Which groups of four bits of a word are zero.
//!
//! Purpose: flag Z in two halves, one before a register and one behind it: a word is zero if all eight
//! groups are.
//!
//! Timing: combinational, one look-up table deep.
//!
//! Source: the project's notes.

use rust_hdl::prelude::*;

/// The groups of a word.
#[derive(LogicBlock, Default)]
pub struct Zeros {
    /// The word.
    pub value: Signal<In, Bits<32>>,
    /// Bit n: bits 4n + 3 to 4n are 0.
    pub groups: Signal<Out, Bits<8>>,
    zero0: Signal<Local, Bit>,
    zero1: Signal<Local, Bit>,
    zero2: Signal<Local, Bit>,
    zero3: Signal<Local, Bit>,
    zero4: Signal<Local, Bit>,
    zero5: Signal<Local, Bit>,
    zero6: Signal<Local, Bit>,
    zero7: Signal<Local, Bit>,
    low: Signal<Local, Bits<4>>,
    high: Signal<Local, Bits<4>>,
}

impl Logic for Zeros {
    #[hdl_gen]
    fn update(&mut self) {
        self.zero0.next = self.value.val().get_bits::<4>(0) == 0;
        self.zero1.next = self.value.val().get_bits::<4>(4) == 0;
        self.zero2.next = self.value.val().get_bits::<4>(8) == 0;
        self.zero3.next = self.value.val().get_bits::<4>(12) == 0;
        self.zero4.next = self.value.val().get_bits::<4>(16) == 0;
        self.zero5.next = self.value.val().get_bits::<4>(20) == 0;
        self.zero6.next = self.value.val().get_bits::<4>(24) == 0;
        self.zero7.next = self.value.val().get_bits::<4>(28) == 0;
        self.low.next = (bit_cast::<4, 1>(self.zero3.val().into()) << 3)
            | (bit_cast::<4, 1>(self.zero2.val().into()) << 2)
            | (bit_cast::<4, 1>(self.zero1.val().into()) << 1)
            | bit_cast::<4, 1>(self.zero0.val().into());
        self.high.next = (bit_cast::<4, 1>(self.zero7.val().into()) << 3)
            | (bit_cast::<4, 1>(self.zero6.val().into()) << 2)
            | (bit_cast::<4, 1>(self.zero5.val().into()) << 1)
            | bit_cast::<4, 1>(self.zero4.val().into());
        self.groups.next =
            (bit_cast::<8, 4>(self.high.val()) << 4) | bit_cast::<8, 4>(self.low.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_zero_exactly_if_its_bits_are() {
        let mut uut = Zeros::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(21);
        for round in 0..300 {
            let value = words.word() & words.word() & words.word() & words.word();
            let value = if round == 0 { 0 } else { value };
            uut.value.next = value.to_bits();
            crate::testing::settle(&mut uut);
            let want = (0..8).filter(|n| value >> (4 * n) & 15 == 0).fold(0, |all, n| all | 1 << n);
            assert_eq!(uut.groups.val().to_u32(), want, "{value:08x}");
        }
    }
}
