//! Statements.

use risc5_isa::instruction::SET_INTERRUPT_ENABLE;
use risc5_isa::{io, trap};

use super::Lower;
use crate::diagnostic::Span;
use crate::ir::passes::Pass;
use crate::ir::scan::assigns;
use crate::ir::{Alu, B, Loop, Op, Operand, Relation, Target, Term, V, fits};
use crate::tree::{Expr, ExprKind, Guarded, Place, PlaceKind, Stmt, StmtKind};
use crate::types::TypeId;

/// Bits of the mantissa of a REAL.
const MANTISSA: i32 = 23;
/// Exponent of 1.0.
const BIAS: i32 = 127;

impl Lower<'_> {
    pub(super) fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            let outer = std::mem::replace(&mut self.span, statement.span);
            self.statement(statement);
            self.span = outer;
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Copy { to, from, bytes } => self.copy(to, from, *bytes),
            StmtKind::CopyOpen { to, from, length, capacity, size } => {
                self.copy_open(to, from, *length, *capacity, *size, span);
            }
            StmtKind::CopyString { to, capacity, offset, length } => {
                self.copy_string(to, *capacity, *offset, *length, span);
            }
            StmtKind::Increment { place, amount, negative } => {
                self.increment(place, amount, *negative);
            }
            StmtKind::Include { place, element, exclude } => self.include(place, element, *exclude),
            StmtKind::Call(call) => {
                self.call(call, false);
            }
            StmtKind::Assert(condition) => {
                if self.checks {
                    self.assert(condition, true, span);
                }
            }
            StmtKind::New(place, record) => self.allocate(place, *record),
            StmtKind::Pack(place, exponent) => self.pack(place, exponent),
            StmtKind::Unpack(place, exponent) => self.unpack(place, exponent),
            StmtKind::Get(address, place) => {
                let address = self.computed(address);
                let byte = self.is_byte(place.ty);
                if let Some(variable) = self.local(place) {
                    let v = self.load(address, byte);
                    self.set(variable, Operand::V(v), byte);
                    return;
                }
                let target = self.place(place);
                let v = self.load(address, byte);
                self.store(target, v, byte);
            }
            StmtKind::Put(address, value) => {
                let address = self.computed(address);
                let byte = self.is_byte(value.ty);
                let v = self.register(value);
                self.store(address, v, byte);
            }
            StmtKind::CopyWords(from, to, count) => self.copy_memory(from, to, count, span),
            StmtKind::SetRegister(..) => {}
            StmtKind::SetInterrupts(enable) => {
                self.emit(Op::Raw(SET_INTERRUPT_ENABLE | u32::from(*enable)));
            }
            StmtKind::Leds(value) => {
                let v = self.register(value);
                let leds = Expr {
                    kind: ExprKind::Const(io::SWITCHES_LEDS),
                    ty: TypeId::INTEGER,
                    span: value.span,
                };
                let leds = self.computed(&leds);
                self.store(leds, v, false);
            }
            StmtKind::If(arms, otherwise) => self.if_statement(arms, otherwise),
            StmtKind::While(arms) => self.while_statement(arms),
            StmtKind::Repeat(body, until) => self.repeat_statement(body, until),
            StmtKind::For { place, from, to, by, body } => {
                self.for_statement(place, from, to, *by, body);
            }
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr) {
        if let Some(variable) = self.local(place) {
            let v = self.value(value);
            self.set(variable, v, self.is_narrow(value));
            return;
        }
        let byte = self.is_byte(place.ty);
        let address = self.place(place);
        let v = self.register(value);
        self.store(address, v, byte);
    }

    /// Loads a variable, changes it, stores it.
    fn change(&mut self, place: &Place, op: Alu, operand: impl FnOnce(&mut Self) -> Operand) {
        if let Some(variable) = self.local(place) {
            let operand = operand(self);
            let operand = self.fitting(operand);
            self.emit(Op::Alu(op, variable, variable, operand));
            if self.f.bytes[variable.at()] {
                self.emit(Op::Alu(Alu::And, variable, variable, Operand::Imm(0xFF)));
            }
            return;
        }
        let byte = self.is_byte(place.ty);
        let address = self.resolved(place);
        let operand = operand(self);
        let old = self.load(address, byte);
        let new = self.alu(op, Operand::V(old), operand);
        self.store(address, new, byte);
    }

    fn increment(&mut self, place: &Place, amount: &Expr, negative: bool) {
        let op = if negative { Alu::Sub } else { Alu::Add };
        self.change(place, op, |lower| lower.value(amount));
    }

    fn include(&mut self, place: &Place, element: &Expr, exclude: bool) {
        let op = if exclude { Alu::Ann } else { Alu::Ior };
        self.change(place, op, |lower| match element.constant() {
            Some(n) => Operand::Imm(1_i32.wrapping_shl(n as u32)),
            None => {
                let element = lower.value(element);
                let one = lower.constant(1);
                Operand::V(lower.alu(Alu::Lsl, Operand::V(one), element))
            }
        });
    }

    /// Traps unless the condition is `wanted`.
    fn assert(&mut self, condition: &Expr, wanted: bool, span: Span) {
        match &condition.kind {
            ExprKind::Not(inner) => self.assert(inner, !wanted, span),
            ExprKind::And(left, right) if wanted => {
                self.assert(left, wanted, span);
                self.assert(right, wanted, span);
            }
            ExprKind::Or(left, right) if !wanted => {
                self.assert(left, wanted, span);
                self.assert(right, wanted, span);
            }
            _ => {
                let (fails, holds) = (self.block(), self.block());
                if wanted {
                    self.branch(condition, holds, fails);
                } else {
                    self.branch(condition, fails, holds);
                }
                // A single comparison traps without a branch.
                let here = &mut self.f.blocks[self.here.at()];
                if let Term::Branch(cmp, yes, no) = here.term
                    && (yes, no) == if wanted { (holds, fails) } else { (fails, holds) }
                    && !matches!(
                        condition.kind,
                        ExprKind::And(..)
                            | ExprKind::Or(..)
                            | ExprKind::IsPointer(..)
                            | ExprKind::CompareText(..)
                    )
                {
                    let cmp = if wanted { cmp.invert() } else { cmp };
                    self.trap(cmp, trap::ASSERTION, span);
                    self.flow(holds);
                    return;
                }
                self.start(fails);
                let outer = std::mem::replace(&mut self.span, span);
                self.emit(Op::TrapAlways(trap::ASSERTION));
                self.span = outer;
                self.flow(holds);
            }
        }
    }

    fn allocate(&mut self, place: &Place, record: TypeId) {
        if let Some(variable) = self.local(place) {
            let slot = self.f.new_slot();
            let at = self.put(|t| Op::SlotAddress(t, slot));
            let descriptor = self.descriptor(record);
            let args = self.f.args.add(&[Operand::V(at), Operand::V(descriptor)]);
            self.emit(Op::Call { target: Target::New, args, result: None });
            self.emit(Op::Reload(variable, slot));
            return;
        }
        let at = self.address_of(place);
        let descriptor = self.descriptor(record);
        let args = self.f.args.add(&[Operand::V(at), Operand::V(descriptor)]);
        self.emit(Op::Call { target: Target::New, args, result: None });
    }

    fn pack(&mut self, place: &Place, exponent: &Expr) {
        self.change(place, Alu::Add, |lower| {
            let exponent = lower.value(exponent);
            Operand::V(lower.alu(Alu::Lsl, exponent, Operand::Imm(MANTISSA)))
        });
    }

    fn unpack(&mut self, place: &Place, exponent: &Place) {
        let split = |lower: &mut Self, x: V| {
            let biased = lower.alu_n(Alu::Asr, x, MANTISSA);
            lower.alu_n(Alu::Sub, biased, BIAS)
        };
        let rest = |lower: &mut Self, x: V, power: V| {
            let shifted = lower.alu_n(Alu::Lsl, power, MANTISSA);
            lower.alu(Alu::Sub, Operand::V(x), Operand::V(shifted))
        };
        let address = if self.local(place).is_none() { Some(self.resolved(place)) } else { None };
        let target =
            if self.local(exponent).is_none() { Some(self.resolved(exponent)) } else { None };
        let x = match address {
            Some(address) => self.load(address, false),
            None => {
                let v = self.load_place(place);
                self.put(|t| Op::Copy(t, v))
            }
        };
        let power = split(self, x);
        let byte = self.is_byte(exponent.ty);
        match (target, self.local(exponent)) {
            (Some(target), _) => self.store(target, power, byte),
            (None, Some(variable)) if self.f.bytes[variable.at()] => {
                self.emit(Op::Alu(Alu::And, variable, power, Operand::Imm(0xFF)));
            }
            (None, Some(variable)) => self.emit(Op::Copy(variable, power)),
            (None, None) => {}
        }
        let mantissa = rest(self, x, power);
        match (address, self.local(place)) {
            (Some(address), _) => self.store(address, mantissa, false),
            (None, Some(variable)) => self.set(variable, Operand::V(mantissa), true),
            (None, None) => {}
        }
    }

    fn if_statement(&mut self, arms: &[Guarded<'_>], otherwise: &[Stmt]) {
        let end = self.block();
        for (index, (condition, body)) in arms.iter().enumerate() {
            let last = index + 1 == arms.len() && otherwise.is_empty();
            let yes = self.block();
            let no = if last { end } else { self.block() };
            self.branch_at(condition, yes, no);
            self.start(yes);
            self.statements(body);
            self.finish(Term::Jump(end));
            if !last {
                self.start(no);
            }
        }
        if !otherwise.is_empty() {
            self.statements(otherwise);
            self.finish(Term::Jump(end));
        }
        self.start(end);
    }

    /// Notes a loop whose blocks were placed from `from` on.
    fn looped(&mut self, before: B, head: B, from: usize) {
        let to = self.f.order.len();
        self.f.loops.push(Loop { before, head, from, to });
    }

    fn while_statement(&mut self, arms: &[Guarded<'_>]) {
        let end = self.block();
        self.depth += 1;
        let before = self.here;
        let head = self.block();
        self.finish(Term::Jump(head));
        let from = self.f.order.len();
        if let ([(condition, statements)], true) = (arms, self.passes.has(Pass::Rotate)) {
            let body = self.block();
            self.start(body);
            self.statements(statements);
            self.flow(head);
            self.branch_at(condition, body, end);
        } else {
            self.start(head);
            for (index, (condition, statements)) in arms.iter().enumerate() {
                let body = self.block();
                let next = if index + 1 == arms.len() { end } else { self.block() };
                self.branch_at(condition, body, next);
                self.start(body);
                self.statements(statements);
                self.finish(Term::Jump(head));
                if next != end {
                    self.start(next);
                }
            }
        }
        self.looped(before, head, from);
        self.depth -= 1;
        self.start(end);
    }

    fn repeat_statement(&mut self, body: &[Stmt], until: &Expr) {
        let end = self.block();
        self.depth += 1;
        let before = self.here;
        let again = self.block();
        let from = self.f.order.len();
        self.flow(again);
        self.statements(body);
        self.branch_at(until, end, again);
        self.looped(before, again, from);
        self.depth -= 1;
        self.start(end);
    }

    /// The variable changes only if the new value is within its limit: after the loop it holds the
    /// last value that was, and a loop that runs no turn leaves it alone.
    fn for_statement(&mut self, place: &Place, from: &Expr, to: &Expr, by: i32, body: &[Stmt]) {
        let variable = self.local(place);
        let first = self.value(from);
        let next = match first {
            Operand::Imm(n) => self.constant(n),
            Operand::V(v) => self.put(|t| Op::Copy(t, v)),
        };
        let end = self.block();
        self.depth += 1;
        let before = self.here;
        let (turn, test) = (self.block(), self.block());
        let constants = from.constant().zip(to.constant());
        let runs = constants.is_some_and(|(a, b)| if by > 0 { a <= b } else { a >= b });
        let head = if runs { turn } else { test };
        self.finish(Term::Jump(head));
        let start = self.f.order.len();
        self.start(turn);
        let byte = self.is_byte(place.ty);
        match variable {
            Some(v) => {
                let narrow = constants
                    .is_some_and(|(a, b)| (0..=0xFF).contains(&a) && (0..=0xFF).contains(&b));
                if byte && !narrow {
                    self.emit(Op::Alu(Alu::And, v, next, Operand::Imm(0xFF)));
                } else {
                    self.emit(Op::Copy(v, next));
                }
                let highest = constants.map(|(a, b)| (a.min(b), a.max(b)));
                if let Some((0.., highest)) = highest
                    && highest < i32::MAX
                    && runs
                    && !byte
                    && let PlaceKind::Local(offset) = place.kind
                    && !assigns(body, offset)
                {
                    self.bounds.push((v, highest as u32 + 1));
                    self.emit(Op::Below(v, highest as u32 + 1));
                }
            }
            None => {
                let address = self.place(place);
                self.store(address, next, byte);
            }
        }
        self.statements(body);
        let current = match variable {
            Some(v) => v,
            None => {
                let address = self.place(place);
                self.load(address, byte)
            }
        };
        if let Some(v) = variable
            && self.bounds.last().is_some_and(|(bounded, _)| *bounded == v)
        {
            self.bounds.pop();
        }
        let step = if fits(by) { Operand::Imm(by) } else { Operand::V(self.constant(by)) };
        self.emit(Op::Alu(Alu::Add, next, current, step));
        self.flow(test);
        let limit = self.value(to);
        let within = if by > 0 { Relation::Le } else { Relation::Ge };
        let cmp = self.compare(within, Operand::V(next), limit);
        self.finish(Term::Branch(cmp, turn, end));
        self.looped(before, head, start);
        self.depth -= 1;
        self.start(end);
    }
}
