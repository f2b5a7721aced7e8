//! Shifter: LSL, ASR, ROR by 0 to 31, in two cycles.
//!
//! Purpose: one rotator to the right serves all three; LSL rotates by 32 - n and replaces what came in
//! below by zeros, ASR rotates by n and puts the sign where bits came in above.
//!
//! Timing: operands are taken at a rising edge with `en`; `result` follows that edge and stays until the
//! next one with `en`. Before the register the word is rotated by 0 to 15 and the mask is made, behind it
//! remain the rotation by 16 and the mask: one five-input function a bit. In one piece, the shifter
//! was the longest part of the loop from operand to operand and cost the core a sixth of its clock, while
//! waiting for a shift costs it 0.2 to 1.6 % of its cycles.
//!
//! Corner cases: a distance of 0 leaves the operand as it is, for LSL too.
//!
//! Source: The RISC5 architecture, operations 1 to 3.

use rust_hdl::prelude::*;

use crate::leaf::RegEn;

/// Rotator and mask.
#[derive(LogicBlock, Default)]
pub struct Shifter {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The operands are taken.
    pub en: Signal<In, Bit>,
    /// Operand.
    pub b: Signal<In, Bits<32>>,
    /// Distance.
    pub distance: Signal<In, Bits<5>>,
    /// LSL.
    pub left: Signal<In, Bit>,
    /// ASR; neither this nor `left`: ROR.
    pub arithmetic: Signal<In, Bit>,
    /// Result.
    pub result: Signal<Out, Bits<32>>,
    rotated: RegEn<Bits<32>>,
    half: RegEn<Bit>,
    replaced: RegEn<Bits<32>>,
    fill: RegEn<Bit>,
    right: Signal<Local, Bits<5>>,
    by0: Signal<Local, Bits<32>>,
    by1: Signal<Local, Bits<32>>,
    by2: Signal<Local, Bits<32>>,
    by4: Signal<Local, Bits<32>>,
    by8: Signal<Local, Bits<32>>,
    by16: Signal<Local, Bits<32>>,
    ones: Signal<Local, Bits<32>>,
    low_mask: Signal<Local, Bits<32>>,
    high_mask: Signal<Local, Bits<32>>,
}

impl Logic for Shifter {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rotated, half, replaced, fill);
        // 32 - n = (31 - n) + 1, and 31 - n only inverts: no carry in front of the rotator.
        self.right.next = self.distance.val();
        self.by0.next = self.b.val();
        if self.left.val() {
            self.right.next = !self.distance.val();
            self.by0.next = (self.b.val() >> 1) | (self.b.val() << 31);
        }
        self.by1.next = self.by0.val();
        if self.right.val().get_bit(0) {
            self.by1.next = (self.by0.val() >> 1) | (self.by0.val() << 31);
        }
        self.by2.next = self.by1.val();
        if self.right.val().get_bit(1) {
            self.by2.next = (self.by1.val() >> 2) | (self.by1.val() << 30);
        }
        self.by4.next = self.by2.val();
        if self.right.val().get_bit(2) {
            self.by4.next = (self.by2.val() >> 4) | (self.by2.val() << 28);
        }
        self.by8.next = self.by4.val();
        if self.right.val().get_bit(3) {
            self.by8.next = (self.by4.val() >> 8) | (self.by4.val() << 24);
        }
        self.ones.next = 0xFFFF_FFFF_u32.to_bits();
        self.low_mask.next = self.ones.val() << self.distance.val();
        self.high_mask.next = self.ones.val() >> self.distance.val();
        self.rotated.en.next = self.en.val();
        self.rotated.d.next = self.by8.val();
        self.half.en.next = self.en.val();
        self.half.d.next = self.right.val().get_bit(4);
        self.replaced.en.next = self.en.val();
        self.replaced.d.next = 0.into();
        if self.left.val() {
            self.replaced.d.next = !self.low_mask.val();
        } else if self.arithmetic.val() {
            self.replaced.d.next = !self.high_mask.val();
        }
        self.fill.en.next = self.en.val();
        self.fill.d.next = self.arithmetic.val() & self.b.val().get_bit(31);

        self.by16.next = self.rotated.q.val();
        if self.half.q.val() {
            self.by16.next = (self.rotated.q.val() >> 16) | (self.rotated.q.val() << 16);
        }
        self.result.next = self.by16.val() & (!self.replaced.q.val());
        if self.fill.q.val() {
            self.result.next = self.by16.val() | self.replaced.q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_words_own_shifts() {
        let mut uut = Shifter::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(2);
        for _ in 0..40 {
            let b = words.word();
            for distance in 0..32_u32 {
                let wanted =
                    [b << distance, (b as i32 >> distance) as u32, b.rotate_right(distance)];
                for (kind, want) in wanted.into_iter().enumerate() {
                    uut.b.next = b.to_bits();
                    uut.distance.next = distance.to_bits();
                    uut.left.next = kind == 0;
                    uut.arithmetic.next = kind == 1;
                    uut.en.next = true;
                    crate::testing::settle(&mut uut);
                    crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
                    // Without `en` the result stays, whatever the operands.
                    uut.en.next = false;
                    uut.b.next = 0x5555_5555_u32.to_bits();
                    crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
                    assert_eq!(uut.result.val().to_u32(), want, "{kind} {b:08X} {distance}");
                }
            }
        }
    }
}
