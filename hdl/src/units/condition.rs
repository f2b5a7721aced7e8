//! Branch condition.
//!
//! Purpose: says whether a branch with condition `code` is taken under the flags.
//!
//! Timing: combinational.
//!
//! Corner cases: code 7 is "always", 15 "never". Bit 3 inverts.
//!
//! Source: The RISC5 architecture, format F3; RISC5.v of 31.8.2018.

use rust_hdl::prelude::*;

/// Sixteen conditions over four flags.
#[derive(LogicBlock, Default)]
pub struct Condition {
    /// Condition, bits 27..24 of the instruction.
    pub code: Signal<In, Bits<4>>,
    /// Negative.
    pub n: Signal<In, Bit>,
    /// Zero.
    pub z: Signal<In, Bit>,
    /// Carry, or borrow of a subtraction.
    pub c: Signal<In, Bit>,
    /// Overflow.
    pub v: Signal<In, Bit>,
    /// The condition holds.
    pub holds: Signal<Out, Bit>,
    select: Signal<Local, Bits<3>>,
    less: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
}

impl Logic for Condition {
    #[hdl_gen]
    fn update(&mut self) {
        self.select.next = self.code.val().get_bits::<3>(0);
        self.less.next = self.n.val() ^ self.v.val();
        if self.select.val() == 0 {
            self.plain.next = self.n.val();
        } else if self.select.val() == 1 {
            self.plain.next = self.z.val();
        } else if self.select.val() == 2 {
            self.plain.next = self.c.val();
        } else if self.select.val() == 3 {
            self.plain.next = self.v.val();
        } else if self.select.val() == 4 {
            self.plain.next = self.c.val() | self.z.val();
        } else if self.select.val() == 5 {
            self.plain.next = self.less.val();
        } else if self.select.val() == 6 {
            self.plain.next = self.less.val() | self.z.val();
        } else {
            self.plain.next = true;
        }
        self.holds.next = self.plain.val() ^ self.code.val().get_bit(3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the published table, for every condition and all flags.
    #[test]
    fn all_256_cases() {
        let mut uut = Condition::default();
        uut.connect_all();
        for case in 0..256_u32 {
            let [n, z, c, v] = [7, 6, 5, 4].map(|bit| case >> bit & 1 != 0);
            let code = case & 15;
            uut.code.next = code.to_bits();
            (uut.n.next, uut.z.next, uut.c.next, uut.v.next) = (n, z, c, v);
            crate::testing::settle(&mut uut);
            let plain = [n, z, c, v, c | z, n != v, (n != v) | z, true][code as usize & 7];
            assert_eq!(uut.holds.val(), plain != (code >= 8), "code {code} flags {case:08b}");
        }
    }
}
