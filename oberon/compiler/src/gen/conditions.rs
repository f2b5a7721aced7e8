//! Conditions: comparisons leave their outcome in the flags, and the branch follows.

use risc5_isa::opcode::{Cond, Op};

use super::Generator;
use super::emitter::Label;
use super::registers::{COUNT, Value};
use crate::tree::{Expr, ExprKind, Place, Relation};
use crate::types::TypeId;

/// Nodes of a condition that surely need no spilling besides a few live values.
const SMALL: u32 = 8;

const fn swapped(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::LessEqual => Relation::GreaterEqual,
        Relation::Greater => Relation::Less,
        Relation::GreaterEqual => Relation::LessEqual,
        same => same,
    }
}

const fn signed(relation: Relation) -> Cond {
    match relation {
        Relation::Equal => Cond::Eq,
        Relation::NotEqual => Cond::Ne,
        Relation::Less => Cond::Lt,
        Relation::LessEqual => Cond::Le,
        Relation::Greater => Cond::Gt,
        Relation::GreaterEqual => Cond::Ge,
    }
}

impl Generator<'_, '_, '_> {
    /// Branches to `target` if the condition is `sense`, else goes on behind.
    pub(super) fn branch_if(&mut self, e: &Expr, sense: bool, target: Label) {
        match &e.kind {
            ExprKind::Const(value) => {
                if (*value != 0) == sense {
                    self.out.branch(Cond::Always, target);
                }
            }
            ExprKind::Not(inner) => self.branch_if(inner, !sense, target),
            ExprKind::And(left, right) => self.branch_both(left, right, false, sense, target),
            ExprKind::Or(left, right) => self.branch_both(left, right, true, sense, target),
            ExprKind::IsPointer(pointer, record) => {
                self.branch_if_type(pointer, *record, sense, target);
            }
            _ => {
                let cond = self.flags(e);
                let cond = if sense { cond } else { cond.invert() };
                self.out.branch(cond, target);
            }
        }
    }

    /// AND and OR: `decisive` is the value of the left side that settles the matter.
    fn branch_both(
        &mut self,
        left: &Expr,
        right: &Expr,
        decisive: bool,
        sense: bool,
        target: Label,
    ) {
        if sense == decisive {
            self.branch_if(left, decisive, target);
            self.branch_if(right, sense, target);
        } else {
            let behind = self.out.label();
            self.branch_if(left, decisive, behind);
            self.branch_if(right, sense, target);
            self.out.bind(behind);
        }
    }

    /// NIL is of every type.
    fn branch_if_type(&mut self, pointer: &Expr, record: TypeId, sense: bool, target: Label) {
        let pointer = self.value(pointer);
        let tag = self.alloc();
        let spare = self.alloc();
        let (rt, rp) = self.regs2(tag, pointer);
        let behind = self.out.label();
        self.out.test(rp);
        self.out.branch(Cond::Eq, if sense { target } else { behind });
        self.out.load(rt, rp, -8);
        self.free(spare);
        self.free(pointer);
        self.compare_tag(tag, record);
        let cond = if sense { Cond::Eq } else { Cond::Ne };
        self.out.branch(cond, target);
        self.out.bind(behind);
    }

    /// Computes a condition that needs no branches; the result says under which flags it holds.
    /// The flags are good until the next instruction that writes a register.
    pub(super) fn flags(&mut self, e: &Expr) -> Cond {
        match &e.kind {
            ExprKind::Compare(relation, left, right) => self.compare(*relation, left, right),
            ExprKind::CompareReal(relation, left, right) => {
                self.compare_real(*relation, left, right)
            }
            ExprKind::CompareText(relation, left, right) => {
                self.compare_text(left, right);
                signed(*relation)
            }
            ExprKind::In(element, set) => self.element_of(element, set),
            ExprKind::Bit(address, bit) => {
                let address = self.computed(address);
                if let Some(n) = bit.constant() {
                    let word = self.load_from(address, false, false);
                    return self.bit(word, n);
                }
                let bit = self.value(bit);
                let word = self.load_from(address, false, false);
                self.bit_at(bit, word)
            }
            ExprKind::Odd(value) => {
                let value = self.value(value);
                let register = self.reg(value);
                self.out.immediate(Op::And, register, register, 1);
                self.free(value);
                Cond::Ne
            }
            ExprKind::IsRecord(place, record) => {
                let tag = self.tag(place);
                self.compare_tag(tag, *record);
                Cond::Eq
            }
            ExprKind::Condition(code) => Cond::from_code(u32::from(*code)),
            _ => {
                let value = self.value(e);
                let register = self.reg(value);
                self.out.test(register);
                self.free(value);
                Cond::Ne
            }
        }
    }

    fn compare(&mut self, relation: Relation, left: &Expr, right: &Expr) -> Cond {
        if left.constant().is_some() && right.constant().is_none() {
            return self.compare(swapped(relation), right, left);
        }
        let a = self.value(left);
        let ra = self.reg(a);
        if let Some(constant) = right.constant() {
            // After any register write N and Z are good, V is not.
            let direct = match (constant, relation) {
                (0, Relation::Equal) => Some(Cond::Eq),
                (0, Relation::NotEqual) => Some(Cond::Ne),
                (0, Relation::Less) => Some(Cond::Mi),
                (0, Relation::GreaterEqual) => Some(Cond::Pl),
                _ => None,
            };
            if let Some(cond) = direct {
                self.out.test(ra);
                self.free(a);
                return cond;
            }
            if self.out.try_immediate(Op::Sub, ra, ra, constant) {
                self.free(a);
                return signed(relation);
            }
        }
        let b = self.value(right);
        let (ra, rb) = self.regs2(a, b);
        self.out.register(Op::Sub, ra, ra, rb);
        self.free(a);
        self.free(b);
        signed(relation)
    }

    /// Only the sign and zero of the difference count: V is not that of the subtraction.
    fn compare_real(&mut self, relation: Relation, left: &Expr, right: &Expr) -> Cond {
        let a = self.value(left);
        let equality = matches!(relation, Relation::Equal | Relation::NotEqual);
        if equality && right.constant() == Some(0) {
            let register = self.reg(a);
            // Both zeros are zero once the sign is gone.
            self.out.immediate(Op::Lsl, register, register, 1);
            self.free(a);
            return signed(relation);
        }
        let b = self.value(right);
        let (ra, rb) = self.regs2(a, b);
        let cond = match relation {
            Relation::Less | Relation::GreaterEqual | Relation::Equal | Relation::NotEqual => {
                self.out.register(Op::Fsb, ra, ra, rb);
                match relation {
                    Relation::Less => Cond::Mi,
                    Relation::GreaterEqual => Cond::Pl,
                    other => signed(other),
                }
            }
            Relation::Greater | Relation::LessEqual => {
                self.out.register(Op::Fsb, ra, rb, ra);
                if relation == Relation::Greater { Cond::Mi } else { Cond::Pl }
            }
        };
        self.free(a);
        self.free(b);
        cond
    }

    /// Compares characters until they differ or both texts end.
    fn compare_text(&mut self, left: &Place, right: &Place) {
        let a = self.place(left);
        let a = self.address(a);
        let b = self.place(right);
        let b = self.address(b);
        let ra = self.pin(a);
        let rb = self.pin(b);
        let x = self.alloc();
        let rx = self.pin(x);
        let y = self.alloc();
        let ry = self.reg(y);
        let (again, differ) = (self.out.label(), self.out.label());
        self.out.bind(again);
        self.out.load_sized(true, rx, ra, 0);
        self.out.load_sized(true, ry, rb, 0);
        self.out.immediate(Op::Add, ra, ra, 1);
        self.out.immediate(Op::Add, rb, rb, 1);
        self.out.register(Op::Sub, ry, rx, ry);
        self.out.branch(Cond::Ne, differ);
        self.out.register(Op::Mov, rx, 0, rx);
        self.out.branch(Cond::Ne, again);
        self.out.bind(differ);
        for value in [a, b, x, y] {
            self.unpin(value);
            self.free(value);
        }
    }

    fn element_of(&mut self, element: &Expr, set: &Expr) -> Cond {
        if let Some(n) = element.constant() {
            let set = self.value(set);
            return self.bit(set, n);
        }
        let element = self.value(element);
        let set = self.value(set);
        self.bit_at(element, set)
    }

    /// Brings a known bit of a word to the sign.
    fn bit(&mut self, word: Value, n: i32) -> Cond {
        let register = self.reg(word);
        let turn = (n.wrapping_add(1) & 31) as u16;
        if turn == 0 {
            self.out.test(register);
        } else {
            self.out.immediate(Op::Ror, register, register, turn);
        }
        self.free(word);
        Cond::Mi
    }

    /// Brings a computed bit of a word to the sign.
    fn bit_at(&mut self, bit: Value, word: Value) -> Cond {
        let (rb, rw) = self.regs2(bit, word);
        self.out.immediate(Op::Add, rb, rb, 1);
        self.out.register(Op::Ror, rw, rw, rb);
        self.free(bit);
        self.free(word);
        Cond::Mi
    }

    /// The value of a condition, 0 or 1.
    pub(super) fn boolean(&mut self, e: &Expr) -> Value {
        if has_branches(e) {
            // Code that may be skipped must not spill values of outside.
            if self.regs.live() > 0 && (size(e) > SMALL || self.regs.live() > COUNT - 6) {
                self.spill_all();
            }
            let (no, end) = (self.out.label(), self.out.label());
            self.branch_if(e, false, no);
            let value = self.alloc();
            let register = self.reg(value);
            self.out.immediate(Op::Mov, register, 0, 1);
            self.out.branch(Cond::Always, end);
            self.out.bind(no);
            self.out.immediate(Op::Mov, register, 0, 0);
            self.out.bind(end);
            return value;
        }
        let cond = self.flags(e);
        // Spilling stores, and a store leaves the flags alone.
        let value = self.alloc();
        let register = self.reg(value);
        let (yes, end) = (self.out.label(), self.out.label());
        self.out.branch(cond, yes);
        self.out.immediate(Op::Mov, register, 0, 0);
        self.out.branch(Cond::Always, end);
        self.out.bind(yes);
        self.out.immediate(Op::Mov, register, 0, 1);
        self.out.bind(end);
        value
    }
}

fn has_branches(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::And(..) | ExprKind::Or(..) | ExprKind::IsPointer(..) => true,
        ExprKind::Not(inner) => has_branches(inner) || !matches!(inner.kind, ExprKind::Const(_)),
        _ => false,
    }
}

/// A measure of how many registers a condition may need; calls and dereferences count as many.
fn size(e: &Expr) -> u32 {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Condition(_) => 1,
        ExprKind::Load(place) => match place.kind {
            crate::tree::PlaceKind::Global(_) | crate::tree::PlaceKind::Local(_) => 1,
            _ => SMALL + 1,
        },
        ExprKind::And(a, b) | ExprKind::Or(a, b) => size(a).saturating_add(size(b)),
        ExprKind::Compare(_, a, b) | ExprKind::Binary(_, a, b) => {
            1 + size(a).saturating_add(size(b))
        }
        ExprKind::Not(a) | ExprKind::Odd(a) => size(a),
        ExprKind::IsPointer(a, _) => 4 + size(a),
        _ => SMALL + 1,
    }
}
