//! Values of expressions.

use risc5_isa::trap;

use super::Lower;
use crate::ir::{Alu, Cmp, Op, Operand, Relation, Term, V};
use crate::tree::{Binary, Expr, ExprKind, PlaceKind, Unary};
use crate::types::TypeId;

/// 2^23 as REAL: the second operand of FLT and FLOOR.
const CONVERSION: i32 = 0x4B00_0000;
/// Procedure values carry this mark in the number of the object.
const PROCEDURE_MARK: u16 = 0x100;

impl Lower<'_> {
    /// Computes a scalar, in a register.
    pub(super) fn register(&mut self, e: &Expr) -> V {
        let value = self.value(e);
        self.in_register(value)
    }

    /// Computes a scalar.
    pub(super) fn value(&mut self, e: &Expr) -> Operand {
        let v = match &e.kind {
            ExprKind::Const(n) => return Operand::Imm(*n),
            ExprKind::Load(place) => self.load_place(place),
            ExprKind::Address(place) => self.address_of(place),
            ExprKind::Procedure(index) => {
                let index = *index;
                self.put(|t| Op::Procedure(t, index))
            }
            ExprKind::ImportedProcedure { module, entry } => {
                let (module, number) = (*module, PROCEDURE_MARK | u16::from(*entry));
                self.put(|t| Op::Global(t, module, number))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => return self.binary(*op, left, right, e),
            ExprKind::Call(call) => self.call(call, true).unwrap_or_else(|| self.constant(0)),
            ExprKind::OpenLength(slot) => self.word(*slot),
            ExprKind::Single(element) => {
                let element = self.value(element);
                let one = self.constant(1);
                self.alu(Alu::Lsl, Operand::V(one), element)
            }
            ExprKind::Range(low, high) => {
                let low = self.ones_above(low, -1);
                let high = self.ones_above(high, -2);
                self.alu(Alu::Ann, low, high)
            }
            ExprKind::Not(inner) if matches!(inner.kind, ExprKind::Load(_) | ExprKind::Call(_)) => {
                let v = self.register(inner);
                self.alu_n(Alu::Xor, v, 1)
            }
            _ => self.boolean(e),
        };
        Operand::V(v)
    }

    fn ones_above(&mut self, element: &Expr, ones: i32) -> Operand {
        if let Some(n) = element.constant() {
            return Operand::Imm(ones.wrapping_shl(n as u32));
        }
        let element = self.value(element);
        let ones = self.constant(ones);
        Operand::V(self.alu(Alu::Lsl, Operand::V(ones), element))
    }

    fn unary(&mut self, op: Unary, operand: &Expr) -> V {
        let v = self.register(operand);
        match op {
            Unary::Negate | Unary::NegateReal => {
                let zero = self.constant(0);
                let op = if op == Unary::Negate { Alu::Sub } else { Alu::Fsb };
                self.alu(op, Operand::V(zero), Operand::V(v))
            }
            Unary::Complement => self.alu_n(Alu::Xor, v, -1),
            Unary::Abs => {
                let d = self.put(|t| Op::Copy(t, v));
                let (negative, end) = (self.block(), self.block());
                let cmp = Cmp { relation: Relation::Lt, a: v, b: Operand::Imm(0) };
                self.finish(Term::Branch(cmp, negative, end));
                self.start(negative);
                let zero = self.constant(0);
                self.emit(Op::Alu(Alu::Sub, d, zero, Operand::V(v)));
                self.flow(end);
                d
            }
            Unary::AbsReal => {
                let shifted = self.alu_n(Alu::Lsl, v, 1);
                self.alu_n(Alu::Ror, shifted, 1)
            }
            Unary::Floor => self.alu(Alu::Floor, Operand::V(v), Operand::Imm(CONVERSION)),
            Unary::Float => self.alu(Alu::Float, Operand::V(v), Operand::Imm(CONVERSION)),
        }
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr, e: &Expr) -> Operand {
        if let (Some(a), Some(b)) = (left.constant(), right.constant()) {
            let shift = b as u32 & 31;
            match op {
                Binary::ShiftLeft => return Operand::Imm(a.wrapping_shl(shift)),
                Binary::ShiftRight => return Operand::Imm(a.wrapping_shr(shift)),
                Binary::Rotate => return Operand::Imm(a.rotate_right(shift)),
                _ => {}
            }
        }
        let mut a = self.value(left);
        let mut b = self.value(right);
        if op == Binary::Sub
            && let Operand::Imm(n) = b
            && n == 0
        {
            return a;
        }
        let alu = match op {
            Binary::Add => Alu::Add,
            Binary::Sub | Binary::AddCarry | Binary::SubCarry => Alu::Sub,
            Binary::Mul => Alu::Mul,
            Binary::Div => Alu::Div,
            Binary::Mod => Alu::Mod,
            Binary::AddReal => Alu::Fad,
            Binary::SubReal => Alu::Fsb,
            Binary::MulReal => Alu::Fml,
            Binary::DivReal => Alu::Fdv,
            Binary::Union => Alu::Ior,
            Binary::Difference => Alu::Ann,
            Binary::Intersection => Alu::And,
            Binary::SymmetricDifference => Alu::Xor,
            Binary::ShiftLeft => Alu::Lsl,
            Binary::ShiftRight => Alu::Asr,
            Binary::Rotate => Alu::Ror,
            Binary::MulUnsigned => Alu::MulUnsigned,
        };
        if matches!(op, Binary::Div | Binary::Mod)
            && self.checks
            && let Operand::V(divisor) = b
        {
            let cmp = Cmp { relation: Relation::Le, a: divisor, b: Operand::Imm(0) };
            self.trap(cmp, trap::DIVISOR, e.span);
        }
        let commutes = matches!(alu, Alu::Add | Alu::Mul | Alu::Ior | Alu::And | Alu::Xor);
        if commutes && matches!(a, Operand::Imm(_)) {
            std::mem::swap(&mut a, &mut b);
        }
        Operand::V(self.alu(alu, a, b))
    }

    /// Whether a value is surely 0 to 255.
    pub(super) fn is_narrow(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Const(n) => (0..=0xFF).contains(n),
            ExprKind::Load(place) => {
                self.is_byte(place.ty) && !matches!(place.kind, PlaceKind::Guard(..))
            }
            ExprKind::Call(_) => false,
            ExprKind::Binary(Binary::Mod, _, right) => {
                right.constant().is_some_and(|n| (1..=256).contains(&n))
            }
            ExprKind::Compare(..)
            | ExprKind::CompareReal(..)
            | ExprKind::CompareText(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::In(..)
            | ExprKind::Bit(..)
            | ExprKind::Odd(_)
            | ExprKind::IsPointer(..)
            | ExprKind::IsRecord(..) => true,
            ExprKind::Not(inner) => e.ty == TypeId::BOOLEAN && self.is_narrow(inner),
            _ => false,
        }
    }
}
