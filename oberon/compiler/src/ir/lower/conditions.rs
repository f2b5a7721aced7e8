//! Conditions: comparison and branch stay together.

use super::Lower;
use crate::ir::{Alu, B, Base, Cmp, Op, Operand, Relation, Term, V};
use crate::tree::{Expr, ExprKind, Place, Relation as Order};
use crate::types::TypeId;

const fn signed(order: Order) -> Relation {
    match order {
        Order::Equal => Relation::Eq,
        Order::NotEqual => Relation::Ne,
        Order::Less => Relation::Lt,
        Order::LessEqual => Relation::Le,
        Order::Greater => Relation::Gt,
        Order::GreaterEqual => Relation::Ge,
    }
}

/// The relation of b to a, given that of a to b.
const fn swapped(relation: Relation) -> Relation {
    match relation {
        Relation::Lt => Relation::Gt,
        Relation::Le => Relation::Ge,
        Relation::Gt => Relation::Lt,
        Relation::Ge => Relation::Le,
        same => same,
    }
}

impl Lower<'_> {
    /// Ends the block with a branch by the condition.
    pub(super) fn branch(&mut self, e: &Expr, yes: B, no: B) {
        match &e.kind {
            ExprKind::Const(value) => self.finish(Term::Jump(if *value != 0 { yes } else { no })),
            ExprKind::Not(inner) => self.branch(inner, no, yes),
            ExprKind::And(left, right) => {
                let second = self.block();
                self.branch(left, second, no);
                self.start(second);
                self.branch(right, yes, no);
            }
            ExprKind::Or(left, right) => {
                let second = self.block();
                self.branch(left, yes, second);
                self.start(second);
                self.branch(right, yes, no);
            }
            ExprKind::IsPointer(pointer, record) => self.branch_type(pointer, *record, yes, no),
            ExprKind::CompareText(order, left, right) => {
                self.branch_text(*order, left, right, yes, no);
            }
            _ => {
                let cmp = self.condition(e);
                self.finish(Term::Branch(cmp, yes, no));
            }
        }
    }

    /// Branches by the condition of a statement.
    pub(super) fn branch_at(&mut self, e: &Expr, yes: B, no: B) {
        let outer = std::mem::replace(&mut self.span, e.span);
        self.branch(e, yes, no);
        self.span = outer;
    }

    /// NIL is of every type.
    fn branch_type(&mut self, pointer: &Expr, record: TypeId, yes: B, no: B) {
        let v = self.register(pointer);
        let present = self.block();
        let is_nil = Cmp { relation: Relation::Eq, a: v, b: Operand::Imm(0) };
        self.finish(Term::Branch(is_nil, yes, present));
        self.start(present);
        let tag = self.fixed(v, -8);
        let cmp = self.compare_tag(tag, record);
        self.finish(Term::Branch(cmp, yes, no));
    }

    /// Compares characters until they differ or both texts end.
    fn branch_text(&mut self, order: Order, left: &Place, right: &Place, yes: B, no: B) {
        let a = self.place(left);
        let (extent_a, a) = (a.extent, self.address(a));
        let b = self.place(right);
        let (extent_b, b) = (b.extent, self.address(b));
        let (a, b) = (self.put(|t| Op::Copy(t, a)), self.put(|t| Op::Copy(t, b)));
        let before = self.here;
        self.depth += 1;
        let (again, same) = (self.block(), self.block());
        self.depth -= 1;
        let differ = self.block();
        let from = self.f.order.len();
        self.flow(again);
        let x =
            self.put(|d| Op::Load { d, base: Base::V(a), offset: 0, byte: true, extent: extent_a });
        let y =
            self.put(|d| Op::Load { d, base: Base::V(b), offset: 0, byte: true, extent: extent_b });
        self.emit(Op::Alu(Alu::Add, a, a, Operand::Imm(1)));
        self.emit(Op::Alu(Alu::Add, b, b, Operand::Imm(1)));
        let unequal = Cmp { relation: Relation::Ne, a: x, b: Operand::V(y) };
        let (equal_end, differ_end) = match order {
            Order::Equal => (yes, no),
            Order::NotEqual => (no, yes),
            Order::Less | Order::Greater => (no, differ),
            Order::LessEqual | Order::GreaterEqual => (yes, differ),
        };
        self.finish(Term::Branch(unequal, differ_end, same));
        self.start(same);
        let more = Cmp { relation: Relation::Ne, a: x, b: Operand::Imm(0) };
        self.finish(Term::Branch(more, again, equal_end));
        let to = self.f.order.len();
        self.f.loops.push(crate::ir::Loop { before, head: again, from, to });
        if differ_end == differ {
            self.start(differ);
            let cmp = Cmp { relation: signed(order), a: x, b: Operand::V(y) };
            self.finish(Term::Branch(cmp, yes, no));
        }
    }

    /// A condition that needs no branches.
    fn condition(&mut self, e: &Expr) -> Cmp {
        match &e.kind {
            ExprKind::Compare(order, left, right) => {
                let a = self.value(left);
                let b = self.value(right);
                if let (Operand::Imm(_), Operand::V(_)) = (a, b) {
                    return self.compare(swapped(signed(*order)), b, a);
                }
                self.compare(signed(*order), a, b)
            }
            ExprKind::CompareReal(order, left, right) => self.compare_real(*order, left, right),
            ExprKind::In(element, set) => {
                let bit = self.value(element);
                let set = self.register(set);
                Cmp { relation: Relation::Bit, a: set, b: bit }
            }
            ExprKind::Bit(address, bit) => {
                let address = self.computed(address);
                let bit = self.value(bit);
                let word = self.load(address, false);
                Cmp { relation: Relation::Bit, a: word, b: bit }
            }
            ExprKind::Odd(value) => {
                let v = self.register(value);
                Cmp { relation: Relation::Odd, a: v, b: Operand::Imm(0) }
            }
            ExprKind::IsRecord(place, record) => {
                let tag = self.tag(place);
                self.compare_tag(tag, *record)
            }
            _ => {
                let v = self.register(e);
                Cmp { relation: Relation::Ne, a: v, b: Operand::Imm(0) }
            }
        }
    }

    fn compare_real(&mut self, order: Order, left: &Expr, right: &Expr) -> Cmp {
        let a = self.register(left);
        if matches!(order, Order::Equal | Order::NotEqual) && right.constant() == Some(0) {
            // Both zeros are zero once the sign is gone.
            let magnitude = self.alu_n(Alu::Lsl, a, 1);
            return Cmp { relation: signed(order), a: magnitude, b: Operand::Imm(0) };
        }
        let b = self.register(right);
        let (relation, a, b) = match order {
            Order::Equal => (Relation::RealEq, a, b),
            Order::NotEqual => (Relation::RealNe, a, b),
            Order::Less => (Relation::RealLt, a, b),
            Order::GreaterEqual => (Relation::RealGe, a, b),
            Order::Greater => (Relation::RealLt, b, a),
            Order::LessEqual => (Relation::RealGe, b, a),
        };
        Cmp { relation, a, b: Operand::V(b) }
    }

    /// The value of a condition, 0 or 1.
    pub(super) fn boolean(&mut self, e: &Expr) -> V {
        match &e.kind {
            ExprKind::Odd(value) => {
                let v = self.register(value);
                return self.alu_n(Alu::And, v, 1);
            }
            ExprKind::In(element, set) => {
                let bit = self.value(element);
                let set = self.register(set);
                let turned = match bit {
                    Operand::Imm(n) if n & 31 == 0 => set,
                    Operand::Imm(n) => self.alu_n(Alu::Ror, set, n & 31),
                    bit => self.alu(Alu::Ror, Operand::V(set), bit),
                };
                return self.alu_n(Alu::And, turned, 1);
            }
            _ => {}
        }
        let (yes, end) = (self.block(), self.block());
        let branches = matches!(
            e.kind,
            ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Not(_)
                | ExprKind::IsPointer(..)
                | ExprKind::CompareText(..)
                | ExprKind::Const(_)
        );
        if branches {
            let no = self.block();
            self.branch(e, yes, no);
            self.start(no);
            let d = self.constant(0);
            self.finish(Term::Jump(end));
            self.start(yes);
            self.emit(Op::Const(d, 1));
            self.flow(end);
            return d;
        }
        let cmp = self.condition(e);
        let d = self.constant(0);
        self.finish(Term::Branch(cmp, yes, end));
        self.start(yes);
        self.emit(Op::Const(d, 1));
        self.flow(end);
        d
    }
}
