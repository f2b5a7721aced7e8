//! Multiplier: 32 x 32 bits to 64, in three cycles.
//!
//! Purpose: MUL, and the mantissas of FML. Four DSP products of half words, summed in the next cycle.
//!
//! Timing: operands stay while `run` is high; `done` comes with the product in the third cycle of
//! `run`. `run` low starts over. The unit must be started over between two multiplications, which the
//! core does with `clear`.
//!
//! Corner cases: `u` takes the first operand unsigned only; the second is signed always, as
//! in the reference's unit (so 2 * 80000000H "unsigned" has a high word of FFFFFFFFH).
//!
//! Source: Multiplier.v of the reference; the project's notes, divergence D3.

use rust_hdl::prelude::*;

use crate::leaf::{DspProduct, Reg, RegEn};

/// Three-cycle multiplier.
#[derive(LogicBlock, Default)]
pub struct Multiplier {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A multiplication is wanted.
    pub run: Signal<In, Bit>,
    /// The result is taken; start over.
    pub clear: Signal<In, Bit>,
    /// The first operand is unsigned.
    pub u: Signal<In, Bit>,
    /// First operand.
    pub a: Signal<In, Bits<32>>,
    /// Second operand.
    pub b: Signal<In, Bits<32>>,
    /// The product is there.
    pub done: Signal<Out, Bit>,
    /// Product.
    pub product: Signal<Out, Bits<64>>,
    /// Low by low, high by low, low by high, high by high half.
    low: DspProduct,
    mid_a: DspProduct,
    mid_b: DspProduct,
    high: DspProduct,
    sum: RegEn<Bits<64>>,
    step: Reg<Bits<2>>,
    a_low: Signal<Local, Bits<18>>,
    a_high: Signal<Local, Bits<18>>,
    b_low: Signal<Local, Bits<18>>,
    b_high: Signal<Local, Bits<18>>,
    middle: Signal<Local, Bits<37>>,
    mid_a_wide: Signal<Local, Bits<37>>,
    mid_b_wide: Signal<Local, Bits<37>>,
    middle_wide: Signal<Local, Bits<64>>,
    outer: Signal<Local, Bits<64>>,
    counting: Signal<Local, Bit>,
}

impl Logic for Multiplier {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, low, mid_a, mid_b, high, sum, step);
        self.a_low.next = bit_cast::<18, 16>(self.a.val().get_bits::<16>(0));
        self.a_high.next = bit_cast::<18, 16>(self.a.val().get_bits::<16>(16));
        if self.a.val().get_bit(31) & (!self.u.val()) {
            self.a_high.next = bit_cast::<18, 16>(self.a.val().get_bits::<16>(16)) | 0x3_0000;
        }
        self.b_low.next = bit_cast::<18, 16>(self.b.val().get_bits::<16>(0));
        self.b_high.next = bit_cast::<18, 16>(self.b.val().get_bits::<16>(16));
        if self.b.val().get_bit(31) {
            self.b_high.next = bit_cast::<18, 16>(self.b.val().get_bits::<16>(16)) | 0x3_0000;
        }
        self.low.a.next = self.a_low.val();
        self.low.b.next = self.b_low.val();
        self.mid_a.a.next = self.a_high.val();
        self.mid_a.b.next = self.b_low.val();
        self.mid_b.a.next = self.a_low.val();
        self.mid_b.b.next = self.b_high.val();
        self.high.a.next = self.a_high.val();
        self.high.b.next = self.b_high.val();
        // The middle products are signed; the low one is not, and the high one fills its half.
        self.mid_a_wide.next = bit_cast::<37, 36>(self.mid_a.p.val());
        if self.mid_a.p.val().get_bit(35) {
            self.mid_a_wide.next =
                bit_cast::<37, 36>(self.mid_a.p.val()) | 0x10_0000_0000_u64.to_bits();
        }
        self.mid_b_wide.next = bit_cast::<37, 36>(self.mid_b.p.val());
        if self.mid_b.p.val().get_bit(35) {
            self.mid_b_wide.next =
                bit_cast::<37, 36>(self.mid_b.p.val()) | 0x10_0000_0000_u64.to_bits();
        }
        self.middle.next = self.mid_a_wide.val() + self.mid_b_wide.val();
        self.middle_wide.next = bit_cast::<64, 37>(self.middle.val()) << 16;
        if self.middle.val().get_bit(36) {
            self.middle_wide.next =
                (bit_cast::<64, 37>(self.middle.val()) << 16) | 0xFFE0_0000_0000_0000_u64.to_bits();
        }
        self.outer.next = (bit_cast::<64, 32>(self.high.p.val().get_bits::<32>(0)) << 32)
            | bit_cast::<64, 32>(self.low.p.val().get_bits::<32>(0));
        self.sum.d.next = self.outer.val() + self.middle_wide.val();
        self.sum.en.next = self.step.q.val() == 1;
        self.counting.next = self.run.val() & (!self.clear.val());
        self.step.d.next = 0.into();
        if self.counting.val() & (self.step.q.val() == 2) {
            self.step.d.next = 2.into();
        } else if self.counting.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        self.done.next = self.step.q.val() == 2;
        self.product.next = self.sum.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs one multiplication; the product and the cycles until it was there.
    fn multiply(uut: &mut Multiplier, [a, b]: [u32; 2], unsigned: bool) -> (u64, u32) {
        uut.a.next = a.to_bits();
        uut.b.next = b.to_bits();
        uut.u.next = unsigned;
        uut.run.next = true;
        uut.clear.next = false;
        crate::testing::settle(uut);
        let mut cycles = 1;
        while !uut.done.val() {
            crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
            cycles += 1;
            assert!(cycles < 10);
        }
        let product = uut.product.val().to_u64();
        uut.clear.next = true;
        crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
        (product, cycles)
    }

    #[test]
    fn agrees_with_the_emulator() {
        let mut uut = Multiplier::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(5);
        for _ in 0..1_000 {
            let (a, b, unsigned) = (words.word(), words.word(), words.below(2) == 1);
            let (product, cycles) = multiply(&mut uut, [a, b], unsigned);
            let (low, h) = kube_emu::arithmetic::multiply(a, b, unsigned);
            let want = u64::from(h) << 32 | u64::from(low);
            assert_eq!(product, want, "{a:08X} * {b:08X} unsigned {unsigned}");
            assert_eq!(cycles, 3);
        }
    }
}
