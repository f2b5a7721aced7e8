//! Floating divider: FDV, two quotient bits a cycle.
//!
//! Purpose: quotient of two single-precision numbers as the reference's unit computes it.
//!
//! The second step of a cycle does not wait for the first, as in [`super::Divider`].
//!
//! Timing: operands stay while `run` is high; `done` comes with the result in the sixteenth cycle (one
//! to load, thirteen of two steps, one to pack). `run` low or `clear` starts over.
//!
//! Corner cases: dividend with exponent 0 gives 0, divisor with exponent 0 gives exponent FFH and no
//! mantissa. Rounding adds 1 below the mantissa; a carry out is lost.
//!
//! Source: FPDivider.v of 2018; table in the project's notes on RISC5.

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// Restoring divider of mantissas.
#[derive(LogicBlock, Default)]
pub struct FloatDivider {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A division is wanted.
    pub run: Signal<In, Bit>,
    /// The result is taken; start over.
    pub clear: Signal<In, Bit>,
    /// Dividend.
    pub x: Signal<In, Bits<32>>,
    /// Divisor.
    pub y: Signal<In, Bits<32>>,
    /// The result is there.
    pub done: Signal<Out, Bit>,
    /// Quotient.
    pub result: Signal<Out, Bits<32>>,
    step: Reg<Bits<4>>,
    /// Rest, doubled before each step; less than twice the divisor.
    r: Reg<Bits<26>>,
    q: Reg<Bits<26>>,
    triple: Reg<Bits<26>>,
    outcome: Reg<Bits<32>>,
    counting: Signal<Local, Bit>,
    divisor: Signal<Local, Bits<26>>,
    first_difference: Signal<Local, Bits<26>>,
    doubled: Signal<Local, Bits<26>>,
    less_triple: Signal<Local, Bits<26>>,
    less_one: Signal<Local, Bits<26>>,
    second: Signal<Local, Bits<26>>,
    second_difference: Signal<Local, Bits<26>>,
    second_rest: Signal<Local, Bits<26>>,
    misfits: Signal<Local, Bits<2>>,
    digits: Signal<Local, Bits<2>>,
    carry: Signal<Local, Bits<10>>,
    kept: Signal<Local, Bits<24>>,
    rounded: Signal<Local, Bits<25>>,
    exponents: Signal<Local, Bits<10>>,
    e: Signal<Local, Bits<10>>,
    sign: Signal<Local, Bits<32>>,
    x_exponent: Signal<Local, Bits<8>>,
    y_exponent: Signal<Local, Bits<8>>,
}

impl Logic for FloatDivider {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, step, r, q, triple, outcome);
        self.counting.next = self.run.val() & (!self.clear.val());
        self.step.d.next = 0.into();
        if self.counting.val() & (self.step.q.val() == 15) {
            self.step.d.next = 15.into();
        } else if self.counting.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        self.done.next = self.step.q.val() == 15;
        self.result.next = self.outcome.q.val();

        self.divisor.next = bit_cast::<26, 23>(self.y.val().get_bits::<23>(0)) | 0x80_0000;
        self.first_difference.next = self.r.q.val() - self.divisor.val();
        self.triple.d.next = (self.divisor.val() << 1) + self.divisor.val();
        self.doubled.next = self.r.q.val() << 1;
        self.less_triple.next = self.doubled.val() - self.triple.q.val();
        self.less_one.next = self.doubled.val() - self.divisor.val();
        self.second.next = self.first_difference.val() << 1;
        self.second_difference.next = self.less_triple.val();
        if self.first_difference.val().get_bit(25) {
            self.second.next = self.doubled.val();
            self.second_difference.next = self.less_one.val();
        }
        self.second_rest.next = self.second_difference.val();
        if self.second_difference.val().get_bit(25) {
            self.second_rest.next = self.second.val();
        }
        self.misfits.next = bit_cast::<2, 1>(self.second_difference.val().get_bits::<1>(25))
            | (bit_cast::<2, 1>(self.first_difference.val().get_bits::<1>(25)) << 1);
        self.digits.next = !self.misfits.val();
        self.r.d.next = self.second_rest.val() << 1;
        self.q.d.next = (self.q.q.val() << 2) | bit_cast::<26, 2>(self.digits.val());
        if self.step.q.val() == 0 {
            self.r.d.next = bit_cast::<26, 23>(self.x.val().get_bits::<23>(0)) | 0x80_0000;
            self.q.d.next = 0.into();
        } else if (self.step.q.val() == 14) | (self.step.q.val() == 15) {
            self.r.d.next = self.r.q.val();
            self.q.d.next = self.q.q.val();
        }

        self.x_exponent.next = self.x.val().get_bits::<8>(23);
        self.y_exponent.next = self.y.val().get_bits::<8>(23);
        self.sign.next = 0.into();
        if self.x.val().get_bit(31) ^ self.y.val().get_bit(31) {
            self.sign.next = 0x8000_0000_u32.to_bits();
        }
        self.carry.next = bit_cast::<10, 1>(self.q.q.val().get_bits::<1>(25));
        self.kept.next = self.q.q.val().get_bits::<24>(0);
        if self.q.q.val().get_bit(25) {
            self.kept.next = self.q.q.val().get_bits::<24>(1);
        }
        self.rounded.next = bit_cast::<25, 24>(self.kept.val()) + 1;
        self.exponents.next = bit_cast::<10, 8>(self.x_exponent.val()) + self.carry.val() + 126;
        self.e.next = self.exponents.val() - bit_cast::<10, 8>(self.y_exponent.val());
        self.outcome.d.next = self.sign.val()
            | (bit_cast::<32, 8>(self.e.val().get_bits::<8>(0)) << 23)
            | bit_cast::<32, 23>(self.rounded.val().get_bits::<23>(1));
        if self.x_exponent.val() == 0 {
            self.outcome.d.next = 0.into();
        } else if self.y_exponent.val() == 0 {
            self.outcome.d.next = self.sign.val() | (bits::<32>(0xFF) << 23);
        } else if self.e.val().get_bit(8) & self.e.val().get_bit(7) {
            self.outcome.d.next = 0.into();
        } else if self.e.val().get_bit(8) {
            self.outcome.d.next = self.sign.val()
                | (bits::<32>(0xFF) << 23)
                | bit_cast::<32, 23>(self.kept.val().get_bits::<23>(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_emulator() {
        let mut uut = FloatDivider::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(9);
        for _ in 0..1_000 {
            let (x, y) = (words.word(), words.word());
            uut.x.next = x.to_bits();
            uut.y.next = y.to_bits();
            (uut.run.next, uut.clear.next) = (true, false);
            crate::testing::settle(&mut uut);
            let mut cycles = 1;
            while !uut.done.val() {
                crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
                cycles += 1;
                assert!(cycles < 40);
            }
            let want = kube_emu::arithmetic::float_divide(x, y);
            assert_eq!(uut.result.val().to_u32(), want, "{x:08X} / {y:08X}");
            assert_eq!(cycles, 16);
            uut.clear.next = true;
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
        }
    }
}
