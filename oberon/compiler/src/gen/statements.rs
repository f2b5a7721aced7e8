//! Statements. No value is under computation between two of them.

use risc5_isa::instruction::SET_INTERRUPT_ENABLE;
use risc5_isa::io;
use risc5_isa::opcode::{Cond, Op};
use risc5_isa::trap;

use super::Generator;
use super::emitter::Label;
use super::places::Address;
use crate::diagnostic::Span;
use crate::tree::{Expr, ExprKind, Guarded, Place, Stmt, StmtKind};
use crate::types::TypeId;

/// Bits of the mantissa of a REAL.
const MANTISSA: u16 = 23;
/// Exponent of 1.0.
const BIAS: u16 = 127;

impl Generator<'_, '_, '_> {
    pub(super) fn block(&mut self, statements: &[Stmt]) {
        for statement in statements {
            let outer = std::mem::replace(&mut self.out.span, statement.span);
            self.statement(statement);
            self.out.span = outer;
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Copy { to, from, bytes } => self.copy(to, from, *bytes),
            StmtKind::CopyOpen { to, from, length, capacity, size } => {
                self.copy_open(to, from, *length, *capacity, *size, span)
            }
            StmtKind::CopyString { to, capacity, offset, length } => {
                self.copy_string(to, *capacity, *offset, *length, span)
            }
            StmtKind::Increment { place, amount, negative } => {
                self.increment(place, amount, *negative)
            }
            StmtKind::Include { place, element, exclude } => self.include(place, element, *exclude),
            StmtKind::Call(call) => {
                if let Some(result) = self.call(call) {
                    self.free(result);
                }
            }
            StmtKind::Assert(condition) => self.assert(condition, span),
            StmtKind::New(place, record) => self.allocate(place, *record, span),
            StmtKind::Pack(place, exponent) => self.pack(place, exponent),
            StmtKind::Unpack(place, exponent) => self.unpack(place, exponent),
            StmtKind::Get(address, place) => {
                let address = self.computed(address);
                let target = self.place(place);
                let byte = self.is_byte(place.ty);
                let value = self.load_from(address, byte, false);
                self.store_to(target, value, byte);
            }
            StmtKind::Put(address, value) => {
                let address = self.computed(address);
                let byte = self.is_byte(value.ty);
                let value = self.value(value);
                self.store_to(address, value, byte);
            }
            StmtKind::CopyWords(from, to, count) => self.copy_memory(from, to, count, span),
            StmtKind::SetRegister(number, value) => {
                let value = self.value(value);
                let register = self.reg(value);
                self.out.register(Op::Mov, *number, 0, register);
                self.free(value);
            }
            StmtKind::SetInterrupts(enable) => {
                self.out.raw(SET_INTERRUPT_ENABLE | u32::from(*enable));
            }
            StmtKind::Leds(value) => {
                let value = self.value(value);
                let leds = self.constant(io::SWITCHES_LEDS);
                self.store_to(Address::Register(leds, 0), value, false);
            }
            StmtKind::If(arms, otherwise) => self.if_statement(arms, otherwise),
            StmtKind::While(arms) => self.while_statement(arms),
            StmtKind::Repeat(body, until) => {
                let again = self.out.label();
                self.out.bind(again);
                self.block(body);
                self.branch_at(until, false, again);
            }
            StmtKind::For { place, from, to, by, body } => {
                self.for_statement(place, from, to, *by, body)
            }
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr) {
        let byte = self.is_byte(place.ty);
        let address = self.place(place);
        let value = self.value(value);
        self.store_to(address, value, byte);
    }

    /// Loads a variable that is stored again; a global's base is loaded once for both.
    fn variable_to_change(&mut self, place: &Place) -> Address {
        match self.place(place) {
            Address::Own(offset) if !self.module.standalone && offset <= 0x7_FFFF => {
                let base = self.alloc();
                let register = self.reg(base);
                self.out.own_base(register);
                Address::Register(base, offset as i32)
            }
            address => address,
        }
    }

    fn increment(&mut self, place: &Place, amount: &Expr, negative: bool) {
        let byte = self.is_byte(place.ty);
        let address = self.variable_to_change(place);
        let op = if negative { Op::Sub } else { Op::Add };
        if let Some(constant) = amount.constant().filter(|n| (-0x1_0000..=0xFFFF).contains(n)) {
            let value = self.load_from(address, byte, true);
            let register = self.reg(value);
            self.out.try_immediate(op, register, register, constant);
            self.store_to(address, value, byte);
            return;
        }
        let amount = self.value(amount);
        let value = self.load_from(address, byte, true);
        let (rv, ra) = self.regs2(value, amount);
        self.out.register(op, rv, rv, ra);
        self.free(amount);
        self.store_to(address, value, byte);
    }

    fn include(&mut self, place: &Place, element: &Expr, exclude: bool) {
        let address = self.variable_to_change(place);
        let op = if exclude { Op::Ann } else { Op::Ior };
        let bit = match element.constant() {
            Some(n) => self.constant(1_i32.wrapping_shl(n as u32)),
            None => {
                let element = self.value(element);
                let one = self.alloc();
                let (ro, re) = self.regs2(one, element);
                self.out.immediate(Op::Mov, ro, 0, 1);
                self.out.register(Op::Lsl, re, ro, re);
                self.free(one);
                element
            }
        };
        let value = self.load_from(address, false, true);
        let (rv, rb) = self.regs2(value, bit);
        self.out.register(op, rv, rv, rb);
        self.free(bit);
        self.store_to(address, value, false);
    }

    fn assert(&mut self, condition: &Expr, span: Span) {
        if !self.out.checks {
            // Without checks the condition is not evaluated, as the other checks are not.
            return;
        }
        let branches = matches!(
            condition.kind,
            ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Not(_)
                | ExprKind::IsPointer(..)
                | ExprKind::Const(_)
        );
        if branches {
            let holds = self.out.label();
            self.branch_if(condition, true, holds);
            self.out.trap(Cond::Always, trap::ASSERTION, span);
            self.out.bind(holds);
        } else {
            let cond = self.flags(condition);
            self.out.trap(cond.invert(), trap::ASSERTION, span);
        }
    }

    fn allocate(&mut self, place: &Place, record: TypeId, span: Span) {
        let address = self.place(place);
        let variable = self.address(address);
        self.move_to(variable, 0);
        let descriptor = self.descriptor(record);
        self.move_to(descriptor, 1);
        self.out.allocate(span);
        self.free(variable);
        self.free(descriptor);
    }

    fn pack(&mut self, place: &Place, exponent: &Expr) {
        let address = self.variable_to_change(place);
        let exponent = self.value(exponent);
        let re = self.reg(exponent);
        self.out.immediate(Op::Lsl, re, re, MANTISSA);
        let value = self.load_from(address, false, true);
        let (rv, re) = self.regs2(value, exponent);
        self.out.register(Op::Add, rv, rv, re);
        self.free(exponent);
        self.store_to(address, value, false);
    }

    fn unpack(&mut self, place: &Place, exponent: &Place) {
        let address = self.variable_to_change(place);
        let target = self.place(exponent);
        let value = self.load_from(address, false, true);
        let power = self.alloc();
        let (rv, rp) = self.regs2(value, power);
        self.out.immediate(Op::Asr, rp, rv, MANTISSA);
        self.out.immediate(Op::Sub, rp, rp, BIAS);
        let byte = self.is_byte(exponent.ty);
        self.store_keeping(target, power, byte);
        self.free_address(target);
        let (rv, rp) = self.regs2(value, power);
        self.out.immediate(Op::Lsl, rp, rp, MANTISSA);
        self.out.register(Op::Sub, rv, rv, rp);
        self.free(power);
        self.store_to(address, value, false);
    }

    /// A condition of a statement: the code comes from the condition, not the whole statement.
    fn branch_at(&mut self, condition: &Expr, sense: bool, target: Label) {
        let outer = std::mem::replace(&mut self.out.span, condition.span);
        self.branch_if(condition, sense, target);
        self.out.span = outer;
    }

    fn if_statement(&mut self, arms: &[Guarded<'_>], otherwise: &[Stmt]) {
        let end = self.out.label();
        for (index, (condition, body)) in arms.iter().enumerate() {
            let next = self.out.label();
            self.branch_at(condition, false, next);
            self.block(body);
            if index + 1 < arms.len() || !otherwise.is_empty() {
                self.out.branch(Cond::Always, end);
            }
            self.out.bind(next);
        }
        self.block(otherwise);
        self.out.bind(end);
    }

    fn while_statement(&mut self, arms: &[Guarded<'_>]) {
        let again = self.out.label();
        self.out.bind(again);
        for (condition, body) in arms {
            let next = self.out.label();
            self.branch_at(condition, false, next);
            self.block(body);
            self.out.branch(Cond::Always, again);
            self.out.bind(next);
        }
    }

    /// The variable is stored only if it is within its limit: after the loop it holds the last
    /// value that was, and a loop that runs no turn leaves it alone.
    fn for_statement(&mut self, place: &Place, from: &Expr, to: &Expr, by: i32, body: &[Stmt]) {
        let byte = self.is_byte(place.ty);
        let (again, end) = (self.out.label(), self.out.label());
        let first = self.value(from);
        self.move_to(first, 0);
        self.out.bind(again);
        let limit = match to.constant() {
            Some(n) => self.compare_with(first, n),
            None => {
                let limit = self.value(to);
                let (rl, rf) = self.regs2(limit, first);
                self.out.register(Op::Sub, rl, rf, rl);
                limit
            }
        };
        self.free(limit);
        self.out.branch(if by > 0 { Cond::Gt } else { Cond::Lt }, end);
        let address = self.place(place);
        self.store_to(address, first, byte);
        self.block(body);
        let address = self.place(place);
        let next = self.load_from(address, byte, false);
        let register = self.reg(next);
        if !self.out.try_immediate(Op::Add, register, register, by) {
            let step = self.constant(by);
            let (rn, rs) = self.regs2(next, step);
            self.out.register(Op::Add, rn, rn, rs);
            self.free(step);
        }
        self.move_to(next, 0);
        self.free(next);
        self.out.branch(Cond::Always, again);
        self.out.bind(end);
    }

    /// Compares a value with a constant and keeps the value; the result is scratch.
    fn compare_with(
        &mut self,
        value: super::registers::Value,
        constant: i32,
    ) -> super::registers::Value {
        let scratch = self.alloc();
        let (rs, rv) = self.regs2(scratch, value);
        if !self.out.try_immediate(Op::Sub, rs, rv, constant) {
            self.out.constant(rs, constant);
            self.out.register(Op::Sub, rs, rv, rs);
        }
        scratch
    }
}
