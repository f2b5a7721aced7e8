//! Divider: 32 by 32 bits, two quotient bits a cycle.
//!
//! Purpose: DIV. Restoring division of the dividend's magnitude; for a negative dividend the outcome
//! is moved to the floored one at the end.
//!
//! The second step does not wait for the first: with the first it subtracts the divisor's triple from the
//! doubled rest, without it the divisor alone, and the first one's outcome picks. All sums are modulo the
//! word, so this gives the same bits for every divisor.
//!
//! Timing: operands stay while `run` is high; `done` comes with the result in the nineteenth cycle
//! (one to load, sixteen of two steps, one to correct the sign). `run` low or `clear` starts over.
//!
//! Corner cases: a step "fits" if bit 31 of the difference is 0, as in the reference's unit; a divisor
//! that is not positive therefore leaves the same rubbish as there.
//!
//! Source: Divider.v of the reference; table in the project's notes on RISC5.

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// Restoring divider.
#[derive(LogicBlock, Default)]
pub struct Divider {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A division is wanted.
    pub run: Signal<In, Bit>,
    /// The result is taken; start over.
    pub clear: Signal<In, Bit>,
    /// Dividend and result are unsigned.
    pub u: Signal<In, Bit>,
    /// Dividend.
    pub dividend: Signal<In, Bits<32>>,
    /// Divisor.
    pub divisor: Signal<In, Bits<32>>,
    /// The result is there.
    pub done: Signal<Out, Bit>,
    /// Quotient.
    pub quotient: Signal<Out, Bits<32>>,
    /// Remainder.
    pub remainder: Signal<Out, Bits<32>>,
    step: Reg<Bits<5>>,
    q: Reg<Bits<32>>,
    r: Reg<Bits<32>>,
    triple: Reg<Bits<32>>,
    counting: Signal<Local, Bit>,
    negative: Signal<Local, Bit>,
    first: Signal<Local, Bits<32>>,
    first_difference: Signal<Local, Bits<32>>,
    doubled: Signal<Local, Bits<32>>,
    doubled_difference: Signal<Local, Bits<32>>,
    less_triple: Signal<Local, Bits<32>>,
    less_one: Signal<Local, Bits<32>>,
    second: Signal<Local, Bits<32>>,
    second_difference: Signal<Local, Bits<32>>,
    second_rest: Signal<Local, Bits<32>>,
    misfits: Signal<Local, Bits<2>>,
    digits: Signal<Local, Bits<2>>,
}

impl Logic for Divider {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, step, q, r, triple);
        self.negative.next = self.dividend.val().get_bit(31) & (!self.u.val());
        self.first.next =
            (self.r.q.val() << 1) | bit_cast::<32, 1>(self.q.q.val().get_bits::<1>(31));
        self.first_difference.next = self.first.val() - self.divisor.val();
        self.triple.d.next = (self.divisor.val() << 1) + self.divisor.val();
        self.doubled.next =
            (self.first.val() << 1) | bit_cast::<32, 1>(self.q.q.val().get_bits::<1>(30));
        self.doubled_difference.next = (self.first_difference.val() << 1)
            | bit_cast::<32, 1>(self.q.q.val().get_bits::<1>(30));
        self.less_triple.next = self.doubled.val() - self.triple.q.val();
        self.less_one.next = self.doubled.val() - self.divisor.val();
        self.second.next = self.doubled_difference.val();
        self.second_difference.next = self.less_triple.val();
        if self.first_difference.val().get_bit(31) {
            self.second.next = self.doubled.val();
            self.second_difference.next = self.less_one.val();
        }
        self.second_rest.next = self.second_difference.val();
        if self.second_difference.val().get_bit(31) {
            self.second_rest.next = self.second.val();
        }
        self.misfits.next = bit_cast::<2, 1>(self.second_difference.val().get_bits::<1>(31))
            | (bit_cast::<2, 1>(self.first_difference.val().get_bits::<1>(31)) << 1);
        self.digits.next = !self.misfits.val();
        self.counting.next = self.run.val() & (!self.clear.val());
        self.step.d.next = 0.into();
        if self.counting.val() & (self.step.q.val() == 18) {
            self.step.d.next = 18.into();
        } else if self.counting.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        self.q.d.next = (self.q.q.val() << 2) | bit_cast::<32, 2>(self.digits.val());
        self.r.d.next = self.second_rest.val();
        if self.step.q.val() == 0 {
            self.r.d.next = 0.into();
            self.q.d.next = self.dividend.val();
            if self.negative.val() {
                self.q.d.next = bits::<32>(0) - self.dividend.val();
            }
        } else if self.step.q.val() == 17 {
            self.q.d.next = self.q.q.val();
            self.r.d.next = self.r.q.val();
            if self.negative.val() & (self.r.q.val() == 0) {
                self.q.d.next = bits::<32>(0) - self.q.q.val();
            } else if self.negative.val() {
                self.q.d.next = !self.q.q.val();
                self.r.d.next = self.divisor.val() - self.r.q.val();
            }
        } else if self.step.q.val() == 18 {
            self.q.d.next = self.q.q.val();
            self.r.d.next = self.r.q.val();
        }
        self.done.next = self.step.q.val() == 18;
        self.quotient.next = self.q.q.val();
        self.remainder.next = self.r.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_emulator() {
        let mut uut = Divider::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(6);
        for _ in 0..400 {
            let (b, n, unsigned) = (words.word(), words.word(), words.below(2) == 1);
            uut.dividend.next = b.to_bits();
            uut.divisor.next = n.to_bits();
            uut.u.next = unsigned;
            uut.run.next = true;
            uut.clear.next = false;
            crate::testing::settle(&mut uut);
            let mut cycles = 1;
            while !uut.done.val() {
                crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
                cycles += 1;
                assert!(cycles < 40);
            }
            let got = (uut.quotient.val().to_u32(), uut.remainder.val().to_u32());
            let want = kube_emu::arithmetic::divide(b, n, unsigned);
            assert_eq!(got, want, "{b:08X} DIV {n:08X} unsigned {unsigned}");
            assert_eq!(cycles, 19);
            uut.clear.next = true;
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
        }
    }
}
