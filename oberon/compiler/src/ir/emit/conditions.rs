//! Conditions: a comparison sets the flags, unless they are set already.

use risc5_isa::opcode::{Cond, Op as Code};

use super::{Emission, SCRATCH};
use crate::ir::{Cmp, Operand, Relation, V};

impl Emission<'_> {
    fn subtract(&mut self, a: u8, b: Operand) {
        let b = match b {
            Operand::V(v) => Operand::V(V(u32::from(self.reg(v)))),
            imm => imm,
        };
        if self.compared == Some((a, b, self.out.here())) {
            return;
        }
        match b {
            Operand::V(v) => self.out.register(Code::Sub, SCRATCH, a, v.0 as u8),
            Operand::Imm(n) => {
                self.out.try_immediate(Code::Sub, SCRATCH, a, n);
            }
        }
        self.compared = Some((a, b, self.out.here()));
    }

    /// Sets the flags; the result is the condition under which the comparison holds.
    pub(super) fn compare(&mut self, cmp: Cmp) -> Cond {
        let a = self.reg(cmp.a);
        let known = |this: &Self, b| match b {
            Operand::V(v) => this.reg(v),
            Operand::Imm(_) => 0,
        };
        match cmp.relation {
            Relation::Eq | Relation::Ne | Relation::Lt | Relation::Ge
                if cmp.b == Operand::Imm(0)
                    && self.compared != Some((a, cmp.b, self.out.here())) =>
            {
                self.out.test(a);
                match cmp.relation {
                    Relation::Eq => Cond::Eq,
                    Relation::Ne => Cond::Ne,
                    Relation::Lt => Cond::Mi,
                    _ => Cond::Pl,
                }
            }
            Relation::Eq
            | Relation::Ne
            | Relation::Lt
            | Relation::Le
            | Relation::Gt
            | Relation::Ge
            | Relation::Above
            | Relation::Below => {
                self.subtract(a, cmp.b);
                match cmp.relation {
                    Relation::Eq => Cond::Eq,
                    Relation::Ne => Cond::Ne,
                    Relation::Lt => Cond::Lt,
                    Relation::Le => Cond::Le,
                    Relation::Gt => Cond::Gt,
                    Relation::Ge => Cond::Ge,
                    Relation::Above => Cond::Cc,
                    _ => Cond::Cs,
                }
            }
            // Only sign and zero of the difference count: V is not that of the subtraction.
            Relation::RealEq | Relation::RealNe | Relation::RealLt | Relation::RealGe => {
                let b = known(self, cmp.b);
                self.out.register(Code::Fsb, SCRATCH, a, b);
                match cmp.relation {
                    Relation::RealEq => Cond::Eq,
                    Relation::RealNe => Cond::Ne,
                    Relation::RealLt => Cond::Mi,
                    _ => Cond::Pl,
                }
            }
            // The bit goes to the sign.
            Relation::Bit | Relation::NoBit => {
                match cmp.b {
                    Operand::Imm(n) => match (n.wrapping_add(1) & 31) as u16 {
                        0 => self.out.test(a),
                        turn => self.out.immediate(Code::Ror, SCRATCH, a, turn),
                    },
                    Operand::V(v) => {
                        let b = self.reg(v);
                        self.out.immediate(Code::Add, SCRATCH, b, 1);
                        self.out.register(Code::Ror, SCRATCH, a, SCRATCH);
                    }
                }
                if cmp.relation == Relation::Bit { Cond::Mi } else { Cond::Pl }
            }
            Relation::Odd | Relation::Even => {
                self.out.immediate(Code::And, SCRATCH, a, 1);
                if cmp.relation == Relation::Odd { Cond::Ne } else { Cond::Eq }
            }
        }
    }
}
