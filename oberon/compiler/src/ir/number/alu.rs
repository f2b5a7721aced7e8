//! Arithmetic on numbered values.

use super::constants::{compute, is_real};
use super::{Key, Number, Numbering};
use crate::ir::passes::Pass;
use crate::ir::{Alu, Inst, Op, Operand, fits};

impl Numbering<'_> {
    /// Brings an arithmetic operation into a better form.
    pub(super) fn alu(&mut self, op: &mut Op, out: &mut Vec<Inst>, span: crate::Span) {
        let Op::Alu(mut alu, d, mut a, mut b) = *op else { return };
        let (x, y) = (
            self.value_of(a),
            match b {
                Operand::V(v) => self.value_of(v),
                Operand::Imm(n) => Some(n),
            },
        );
        if self.passes.has(Pass::Fold) {
            if let (Some(x), Some(y)) = (x, y)
                && let Some(n) = compute(alu, x, y)
            {
                let number = self.constant(n);
                *op = Op::Const(d, n);
                return self.reuse(d, number, op);
            }
            let commutes = matches!(alu, Alu::Add | Alu::Mul | Alu::And | Alu::Ior | Alu::Xor);
            if commutes
                && let (Some(n), None, Operand::V(other)) = (x, y, b)
                && fits(n)
            {
                (a, b) = (other, Operand::Imm(n));
            } else if let (Some(n), Operand::V(_)) = (y, b)
                && fits(n)
                && !is_real(alu)
                && alu != Alu::MulUnsigned
            {
                b = Operand::Imm(n);
            }
            if let Operand::Imm(n) = b {
                let same = match alu {
                    Alu::Add
                    | Alu::Sub
                    | Alu::Ior
                    | Alu::Xor
                    | Alu::Ann
                    | Alu::Lsl
                    | Alu::Asr
                    | Alu::Ror => n == 0,
                    Alu::And => {
                        let number = self.number_of(a);
                        let below = self.bound(number);
                        n == -1
                            || n > 0
                                && (n as u32 & n.wrapping_add(1) as u32) == 0
                                && below.is_some_and(|bound| bound <= n as u32 + 1)
                    }
                    Alu::Mul | Alu::Div => n == 1,
                    _ => false,
                };
                if same {
                    let number = self.number_of(a);
                    self.set(d, number);
                    *op = Op::Copy(d, a);
                    return;
                }
                if n == 0 && matches!(alu, Alu::Mul | Alu::And) {
                    let number = self.constant(0);
                    *op = Op::Const(d, 0);
                    return self.reuse(d, number, op);
                }
            }
        }
        let known = match b {
            Operand::V(v) => self.value_of(v),
            Operand::Imm(n) => Some(n),
        };
        if self.passes.has(Pass::Strength)
            && let Some(n) = known
            && n > 0
            && n & (n - 1) == 0
        {
            let shift = Operand::Imm(n.trailing_zeros() as i32);
            match alu {
                Alu::Mul => (alu, b) = (Alu::Lsl, shift),
                Alu::Div => (alu, b) = (Alu::Asr, shift),
                Alu::Mod if fits(n - 1) => (alu, b) = (Alu::And, Operand::Imm(n - 1)),
                Alu::Mod => {
                    let mask = self.f.new_value();
                    let number = self.constant(n - 1);
                    let mut op = Op::Const(mask, n - 1);
                    self.reuse(mask, number, &mut op);
                    out.push(Inst { op, span });
                    (alu, b) = (Alu::And, Operand::V(mask));
                }
                _ => {}
            }
        }
        let (mut m, mut n) = (self.number_of(a), self.operand_number(b));
        let bound = self.result_bound(alu, m, n);
        if matches!(alu, Alu::Add | Alu::Mul | Alu::And | Alu::Ior | Alu::Xor) && m > n {
            std::mem::swap(&mut m, &mut n);
        }
        *op = Op::Alu(alu, d, a, b);
        self.keyed(Key::Alu(alu, m, n), d, op);
        if let Some(bound) = bound {
            let number = self.number_of(d);
            self.bind(number, bound);
        }
    }

    /// An unsigned bound of a result.
    fn result_bound(&self, alu: Alu, a: Number, b: Number) -> Option<u32> {
        let n = self.known(b);
        let below = self.bound(a);
        match (alu, n) {
            (Alu::And, Some(n @ 0..)) => Some(below.unwrap_or(u32::MAX).min(n as u32 + 1)),
            (Alu::Mod, Some(n @ 1..)) => Some(n as u32),
            (Alu::Add, Some(n @ 0..0x1_0000)) => {
                below.filter(|b| *b < 0x1_0000).map(|b| b + n as u32)
            }
            (Alu::Lsl, Some(n @ 0..8)) => {
                below.filter(|b| (1..0x1_0000).contains(b)).map(|b| ((b - 1) << n) + 1)
            }
            (Alu::Asr, Some(n @ 0..31)) => {
                below.filter(|b| (1..0x8000_0000).contains(b)).map(|b| ((b - 1) >> n) + 1)
            }
            _ => None,
        }
    }
}
