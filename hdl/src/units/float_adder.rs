//! Floating adder: FAD, FSB, FLT, FLOOR.
//!
//! Purpose: sum of two single-precision numbers as the reference's unit computes it: hidden bit even at
//! exponent 0, no infinities, rounding by adding half a unit to the magnitude.
//!
//! | cycle | work | register at its end |
//! |---|---|---|
//! | 1 | larger exponent, operands as 26-bit two's complement | operands, distances |
//! | 2 | align, add | sum |
//! | 3 | magnitude, round | rounded |
//! | 4 | count leading zeros in eights, shift by them | half normalised, count |
//! | 5 | count and shift the rest, pack, pick zero and integer cases | result |
//! | 6 | result | |
//!
//! Timing: operands stay while `run` is high; `done` comes with the result in the sixth cycle. `run` low
//! or `clear` starts over.
//!
//! Corner cases: `u` (FLT) takes the first operand as an integer of 24 bits and sign; `v` (FLOOR) gives
//! the integer part. Both expect 4B000000H as second operand and work with any. A negative operand
//! without mantissa draws in ones when shifted. Overflow wraps, underflow gives 0.
//!
//! Source: FPAdder.v of 4.10.2016; table in the project's notes on RISC5.

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// Six-cycle adder.
#[derive(LogicBlock, Default)]
pub struct FloatAdder {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// An addition is wanted.
    pub run: Signal<In, Bit>,
    /// The result is taken; start over.
    pub clear: Signal<In, Bit>,
    /// FLT.
    pub u: Signal<In, Bit>,
    /// FLOOR.
    pub v: Signal<In, Bit>,
    /// First operand.
    pub x: Signal<In, Bits<32>>,
    /// Second operand, its sign turned already for FSB.
    pub y: Signal<In, Bits<32>>,
    /// The result is there.
    pub done: Signal<Out, Bit>,
    /// Sum.
    pub result: Signal<Out, Bits<32>>,
    step: Reg<Bits<3>>,
    x_field: Reg<Bits<26>>,
    y_field: Reg<Bits<26>>,
    x_distance: Reg<Bits<8>>,
    y_distance: Reg<Bits<8>>,
    exponent: Reg<Bits<8>>,
    sum: Reg<Bits<27>>,
    rounded: Reg<Bits<25>>,
    coarse: Reg<Bits<25>>,
    coarse_none: Reg<Bits<2>>,
    nothing: Reg<Bit>,
    outcome: Reg<Bits<32>>,
    vanished: Reg<Bit>,
    counting: Signal<Local, Bit>,
    x_exponent: Signal<Local, Bits<8>>,
    y_exponent: Signal<Local, Bits<8>>,
    x_over_y: Signal<Local, Bits<9>>,
    y_over_x: Signal<Local, Bits<9>>,
    x_magnitude: Signal<Local, Bits<26>>,
    y_magnitude: Signal<Local, Bits<26>>,
    x_sign: Signal<Local, Bits<26>>,
    y_sign: Signal<Local, Bits<26>>,
    x0: Signal<Local, Bits<26>>,
    x1: Signal<Local, Bits<26>>,
    x2: Signal<Local, Bits<26>>,
    x3: Signal<Local, Bits<26>>,
    x4: Signal<Local, Bits<26>>,
    y0: Signal<Local, Bits<26>>,
    y1: Signal<Local, Bits<26>>,
    y2: Signal<Local, Bits<26>>,
    y3: Signal<Local, Bits<26>>,
    y4: Signal<Local, Bits<26>>,
    x_fill: Signal<Local, Bits<26>>,
    y_fill: Signal<Local, Bits<26>>,
    x_far: Signal<Local, Bit>,
    y_far: Signal<Local, Bit>,
    x_aligned: Signal<Local, Bits<27>>,
    y_aligned: Signal<Local, Bits<27>>,
    magnitude: Signal<Local, Bits<27>>,
    raised: Signal<Local, Bits<27>>,
    n0: Signal<Local, Bits<25>>,
    n1: Signal<Local, Bits<25>>,
    n2: Signal<Local, Bits<25>>,
    n3: Signal<Local, Bits<25>>,
    n4: Signal<Local, Bits<25>>,
    none0: Signal<Local, Bit>,
    none1: Signal<Local, Bit>,
    none2: Signal<Local, Bit>,
    none3: Signal<Local, Bit>,
    none4: Signal<Local, Bit>,
    shift: Signal<Local, Bits<9>>,
    next_exponent: Signal<Local, Bits<9>>,
    new_exponent: Signal<Local, Bits<9>>,
    x_zero: Signal<Local, Bit>,
    y_zero: Signal<Local, Bit>,
}

impl Logic for FloatAdder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, step, x_field, y_field, x_distance, y_distance);
        clock!(
            self,
            clock,
            exponent,
            sum,
            rounded,
            coarse,
            coarse_none,
            nothing,
            outcome,
            vanished
        );
        self.counting.next = self.run.val() & (!self.clear.val());
        self.step.d.next = 0.into();
        if self.counting.val() & (self.step.q.val() == 5) {
            self.step.d.next = 5.into();
        } else if self.counting.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        self.done.next = self.step.q.val() == 5;
        // The sign of the exponent is late: it clears the outcome behind the register.
        self.result.next = self.outcome.q.val();
        if self.vanished.q.val() {
            self.result.next = 0.into();
        }

        // Cycle 1.
        self.x_exponent.next = self.x.val().get_bits::<8>(23);
        if self.u.val() {
            self.x_exponent.next = 150.into();
        }
        self.y_exponent.next = self.y.val().get_bits::<8>(23);
        self.x_over_y.next =
            bit_cast::<9, 8>(self.x_exponent.val()) - bit_cast::<9, 8>(self.y_exponent.val());
        self.y_over_x.next =
            bit_cast::<9, 8>(self.y_exponent.val()) - bit_cast::<9, 8>(self.x_exponent.val());
        self.x_distance.d.next = 0.into();
        self.y_distance.d.next = 0.into();
        self.exponent.d.next = self.x_exponent.val();
        if self.x_over_y.val().get_bit(8) {
            self.exponent.d.next = self.y_exponent.val();
            self.x_distance.d.next = self.y_over_x.val().get_bits::<8>(0);
        } else {
            self.y_distance.d.next = self.x_over_y.val().get_bits::<8>(0);
        }
        self.x_magnitude.next =
            (bit_cast::<26, 23>(self.x.val().get_bits::<23>(0)) << 1) | 0x100_0000;
        self.y_magnitude.next = bit_cast::<26, 23>(self.y.val().get_bits::<23>(0)) << 1;
        if (!self.u.val()) & (!self.v.val()) {
            self.y_magnitude.next =
                (bit_cast::<26, 23>(self.y.val().get_bits::<23>(0)) << 1) | 0x100_0000;
        }
        self.x_sign.next = bit_cast::<26, 1>(self.x.val().get_bits::<1>(31)) << 25;
        self.y_sign.next = bit_cast::<26, 1>(self.y.val().get_bits::<1>(31)) << 25;
        self.x_field.d.next = self.x_magnitude.val();
        if self.u.val() {
            self.x_field.d.next =
                (bit_cast::<26, 24>(self.x.val().get_bits::<24>(0)) << 1) | self.x_sign.val();
        } else if self.x.val().get_bit(31) {
            self.x_field.d.next = (bits::<26>(0) - self.x_magnitude.val()) | self.x_sign.val();
        }
        self.y_field.d.next = self.y_magnitude.val();
        if self.y.val().get_bit(31) {
            self.y_field.d.next = (bits::<26>(0) - self.y_magnitude.val()) | self.y_sign.val();
        }

        // Cycle 2. Shifts by 32 and more leave the sign.
        self.x_fill.next = 0.into();
        if self.x_field.q.val().get_bit(25) {
            self.x_fill.next = 0x3FF_FFFF.into();
        }
        self.y_fill.next = 0.into();
        if self.y_field.q.val().get_bit(25) {
            self.y_fill.next = 0x3FF_FFFF.into();
        }
        self.x_far.next = self.x_distance.q.val().get_bit(7)
            | self.x_distance.q.val().get_bit(6)
            | self.x_distance.q.val().get_bit(5);
        self.y_far.next = self.y_distance.q.val().get_bit(7)
            | self.y_distance.q.val().get_bit(6)
            | self.y_distance.q.val().get_bit(5);
        self.x0.next = self.x_field.q.val();
        if self.x_distance.q.val().get_bit(0) {
            self.x0.next = (self.x_field.q.val() >> 1) | (self.x_fill.val() << 25);
        }
        self.x1.next = self.x0.val();
        if self.x_distance.q.val().get_bit(1) {
            self.x1.next = (self.x0.val() >> 2) | (self.x_fill.val() << 24);
        }
        self.x2.next = self.x1.val();
        if self.x_distance.q.val().get_bit(2) {
            self.x2.next = (self.x1.val() >> 4) | (self.x_fill.val() << 22);
        }
        self.x3.next = self.x2.val();
        if self.x_distance.q.val().get_bit(3) {
            self.x3.next = (self.x2.val() >> 8) | (self.x_fill.val() << 18);
        }
        self.x4.next = self.x3.val();
        if self.x_far.val() {
            self.x4.next = self.x_fill.val();
        } else if self.x_distance.q.val().get_bit(4) {
            self.x4.next = (self.x3.val() >> 16) | (self.x_fill.val() << 10);
        }
        self.y0.next = self.y_field.q.val();
        if self.y_distance.q.val().get_bit(0) {
            self.y0.next = (self.y_field.q.val() >> 1) | (self.y_fill.val() << 25);
        }
        self.y1.next = self.y0.val();
        if self.y_distance.q.val().get_bit(1) {
            self.y1.next = (self.y0.val() >> 2) | (self.y_fill.val() << 24);
        }
        self.y2.next = self.y1.val();
        if self.y_distance.q.val().get_bit(2) {
            self.y2.next = (self.y1.val() >> 4) | (self.y_fill.val() << 22);
        }
        self.y3.next = self.y2.val();
        if self.y_distance.q.val().get_bit(3) {
            self.y3.next = (self.y2.val() >> 8) | (self.y_fill.val() << 18);
        }
        self.y4.next = self.y3.val();
        if self.y_far.val() {
            self.y4.next = self.y_fill.val();
        } else if self.y_distance.q.val().get_bit(4) {
            self.y4.next = (self.y3.val() >> 16) | (self.y_fill.val() << 10);
        }
        self.x_aligned.next = bit_cast::<27, 26>(self.x4.val())
            | (bit_cast::<27, 1>(self.x4.val().get_bits::<1>(25)) << 26);
        self.y_aligned.next = bit_cast::<27, 26>(self.y4.val())
            | (bit_cast::<27, 1>(self.y4.val().get_bits::<1>(25)) << 26);
        self.sum.d.next = self.x_aligned.val() + self.y_aligned.val();

        // Cycle 3.
        self.magnitude.next = self.sum.q.val();
        if self.sum.q.val().get_bit(26) {
            self.magnitude.next = bits::<27>(0) - self.sum.q.val();
        }
        self.raised.next = self.magnitude.val() + 1;
        self.rounded.d.next = self.raised.val().get_bits::<25>(1);

        // Cycle 4.
        self.none4.next = self.rounded.q.val().get_bits::<16>(9) == 0;
        self.n4.next = self.rounded.q.val();
        if self.none4.val() {
            self.n4.next = self.rounded.q.val() << 16;
        }
        self.none3.next = self.n4.val().get_bits::<8>(17) == 0;
        self.n3.next = self.n4.val();
        if self.none3.val() {
            self.n3.next = self.n4.val() << 8;
        }
        self.coarse.d.next = self.n3.val();
        self.coarse_none.d.next = (bit_cast::<2, 1>(self.none4.val().into()) << 1)
            | bit_cast::<2, 1>(self.none3.val().into());
        self.nothing.d.next = self.rounded.q.val() == 0;

        // Cycle 5.
        self.none2.next = self.coarse.q.val().get_bits::<4>(21) == 0;
        self.n2.next = self.coarse.q.val();
        if self.none2.val() {
            self.n2.next = self.coarse.q.val() << 4;
        }
        self.none1.next = self.n2.val().get_bits::<2>(23) == 0;
        self.n1.next = self.n2.val();
        if self.none1.val() {
            self.n1.next = self.n2.val() << 2;
        }
        self.none0.next = !self.n1.val().get_bit(24);
        self.n0.next = self.n1.val();
        if self.none0.val() {
            self.n0.next = self.n1.val() << 1;
        }
        self.shift.next = (bit_cast::<9, 2>(self.coarse_none.q.val()) << 3)
            | (bit_cast::<9, 1>(self.none2.val().into()) << 2)
            | (bit_cast::<9, 1>(self.none1.val().into()) << 1)
            | bit_cast::<9, 1>(self.none0.val().into());
        self.next_exponent.next = bit_cast::<9, 8>(self.exponent.q.val()) + 1;
        self.new_exponent.next = self.next_exponent.val() - self.shift.val();
        self.x_zero.next = self.x.val().get_bits::<31>(0) == 0;
        self.y_zero.next = self.y.val().get_bits::<31>(0) == 0;
        self.outcome.d.next = (bit_cast::<32, 1>(self.sum.q.val().get_bits::<1>(26)) << 31)
            | (bit_cast::<32, 8>(self.new_exponent.val().get_bits::<8>(0)) << 23)
            | bit_cast::<32, 23>(self.n0.val().get_bits::<23>(1));
        self.vanished.d.next = self.nothing.q.val() | self.new_exponent.val().get_bit(8);
        if self.v.val() {
            self.vanished.d.next = false;
            self.outcome.d.next = bit_cast::<32, 26>(self.sum.q.val().get_bits::<26>(1));
            if self.sum.q.val().get_bit(26) {
                self.outcome.d.next = bit_cast::<32, 26>(self.sum.q.val().get_bits::<26>(1))
                    | 0xFC00_0000_u32.to_bits();
            }
        } else if self.x_zero.val() & (self.u.val() | self.y_zero.val()) {
            self.vanished.d.next = true;
        } else if self.x_zero.val() {
            self.vanished.d.next = false;
            self.outcome.d.next = self.y.val();
        } else if self.y_zero.val() {
            self.vanished.d.next = false;
            self.outcome.d.next = self.x.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_emulator() {
        let mut uut = FloatAdder::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(7);
        for case in 0..3_000 {
            let x = words.word();
            let mut y = words.word();
            if case % 3 == 0 {
                y = 0x4B00_0000;
            } else if case % 3 == 1 {
                // Near exponents, where cancellation happens.
                y = y & 0x807F_FFFF | (x.wrapping_add(words.below(8) << 23) & 0x7F80_0000);
            }
            let (u, v) = (words.below(3) == 0, words.below(3) == 0);
            uut.x.next = x.to_bits();
            uut.y.next = y.to_bits();
            (uut.u.next, uut.v.next, uut.run.next, uut.clear.next) = (u, v, true, false);
            crate::testing::settle(&mut uut);
            let mut cycles = 1;
            while !uut.done.val() {
                crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
                cycles += 1;
                assert!(cycles < 20);
            }
            let want = kube_emu::arithmetic::float_add(x, y, u, v);
            assert_eq!(uut.result.val().to_u32(), want, "{x:08X} + {y:08X} u {u} v {v}");
            assert_eq!(cycles, 6);
            uut.clear.next = true;
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
        }
    }
}
