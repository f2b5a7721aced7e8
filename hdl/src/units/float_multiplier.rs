//! Floating multiplier: FML, around the mantissa product of the integer multiplier.
//!
//! Purpose: sign, exponent, rounding and packing. The 24 x 24 bit product comes from the
//! [`Multiplier`](super::Multiplier), which takes three cycles; this unit adds one.
//!
//! Timing: `done` comes one cycle after `ready` rose, with the result.
//!
//! Corner cases: an operand with exponent 0 gives 0. Rounding adds 1 below the mantissa; a carry out of
//! the mantissa is lost. Exponent 256..383 gives exponent FFH, 384..511 gives 0.
//!
//! Source: FPMultiplier.v of 2018; table in the project's notes on RISC5.

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// Packing of a product.
#[derive(LogicBlock, Default)]
pub struct FloatMultiplier {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The product of the mantissas is there, for the operands shown.
    pub ready: Signal<In, Bit>,
    /// First operand.
    pub x: Signal<In, Bits<32>>,
    /// Second operand.
    pub y: Signal<In, Bits<32>>,
    /// Product of the mantissas with their hidden bits.
    pub product: Signal<In, Bits<48>>,
    /// First mantissa with hidden bit, for the multiplier.
    pub x_mantissa: Signal<Out, Bits<32>>,
    /// Second mantissa with hidden bit, for the multiplier.
    pub y_mantissa: Signal<Out, Bits<32>>,
    /// The result is there.
    pub done: Signal<Out, Bit>,
    /// Product.
    pub result: Signal<Out, Bits<32>>,
    finished: Reg<Bit>,
    outcome: Reg<Bits<32>>,
    carry: Signal<Local, Bits<10>>,
    kept: Signal<Local, Bits<26>>,
    rounded: Signal<Local, Bits<26>>,
    e: Signal<Local, Bits<10>>,
    exponents: Signal<Local, Bits<10>>,
    sign: Signal<Local, Bits<32>>,
    x_exponent: Signal<Local, Bits<8>>,
    y_exponent: Signal<Local, Bits<8>>,
}

impl Logic for FloatMultiplier {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, finished, outcome);
        self.x_exponent.next = self.x.val().get_bits::<8>(23);
        self.y_exponent.next = self.y.val().get_bits::<8>(23);
        self.x_mantissa.next = bit_cast::<32, 23>(self.x.val().get_bits::<23>(0)) | 0x80_0000;
        self.y_mantissa.next = bit_cast::<32, 23>(self.y.val().get_bits::<23>(0)) | 0x80_0000;
        self.sign.next = 0.into();
        if self.x.val().get_bit(31) ^ self.y.val().get_bit(31) {
            self.sign.next = 0x8000_0000_u32.to_bits();
        }
        self.carry.next = bit_cast::<10, 1>(self.product.val().get_bits::<1>(47));
        self.kept.next = self.product.val().get_bits::<26>(22);
        if self.product.val().get_bit(47) {
            self.kept.next = bit_cast::<26, 25>(self.product.val().get_bits::<25>(23));
        }
        self.rounded.next = self.kept.val() + 1;
        self.exponents.next =
            bit_cast::<10, 8>(self.x_exponent.val()) + bit_cast::<10, 8>(self.y_exponent.val());
        self.e.next = self.exponents.val() + (self.carry.val() - 127);
        self.outcome.d.next = self.sign.val()
            | (bit_cast::<32, 8>(self.e.val().get_bits::<8>(0)) << 23)
            | bit_cast::<32, 23>(self.rounded.val().get_bits::<23>(1));
        if (self.x_exponent.val() == 0)
            | (self.y_exponent.val() == 0)
            | (self.e.val().get_bit(8) & self.e.val().get_bit(7))
        {
            self.outcome.d.next = 0.into();
        } else if self.e.val().get_bit(8) {
            self.outcome.d.next = self.sign.val()
                | (bits::<32>(0xFF) << 23)
                | bit_cast::<32, 23>(self.rounded.val().get_bits::<23>(1));
        }
        self.finished.d.next = self.ready.val();
        self.done.next = self.finished.q.val() & self.ready.val();
        self.result.next = self.outcome.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_emulator() {
        let mut uut = FloatMultiplier::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(8);
        for _ in 0..2_000 {
            let (x, y) = (words.word(), words.word());
            uut.x.next = x.to_bits();
            uut.y.next = y.to_bits();
            crate::testing::settle(&mut uut);
            let product = uut.x_mantissa.val().to_u64() * uut.y_mantissa.val().to_u64();
            uut.product.next = product.to_bits();
            uut.ready.next = true;
            crate::testing::settle(&mut uut);
            assert!(!uut.done.val());
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
            assert!(uut.done.val());
            let want = kube_emu::arithmetic::float_multiply(x, y);
            assert_eq!(uut.result.val().to_u32(), want, "{x:08X} * {y:08X}");
            uut.ready.next = false;
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
        }
    }
}
