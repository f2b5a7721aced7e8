//! Copies of arrays, records and strings.

use risc5_isa::opcode::{Cond, Op};
use risc5_isa::register::STACK;
use risc5_isa::trap;

use super::Generator;
use super::places::Address;
use super::registers::Value;
use crate::diagnostic::Span;
use crate::tree::{Expr, Length, Place};

/// Up to so many words are copied without a loop.
const UNROLLED: u32 = 8;
/// Words copied by one turn of a loop over a known number.
const TURN: u32 = 4;

impl Generator<'_, '_, '_> {
    pub(super) fn copy(&mut self, to: &Place, from: &Place, bytes: u32) {
        let to = self.place(to);
        let from = self.place(from);
        self.copy_words(to, from, bytes.div_ceil(4));
    }

    /// Copies a known number of words. Lets the addresses go.
    pub(super) fn copy_words(&mut self, to: Address, from: Address, words: u32) {
        if words == 0 {
            self.free_address(to);
            self.free_address(from);
            return;
        }
        let target = self.address(to);
        let source = self.address(from);
        let rt = self.pin(target);
        let rs = self.pin(source);
        let word = self.alloc();
        let rw = self.pin(word);
        if words <= UNROLLED {
            self.copy_some(rt, rs, rw, words);
        } else {
            let rest = words % TURN;
            self.copy_some(rt, rs, rw, rest);
            if rest > 0 {
                self.out.immediate(Op::Add, rs, rs, 4 * rest as u16);
                self.out.immediate(Op::Add, rt, rt, 4 * rest as u16);
            }
            let count = self.constant((words / TURN) as i32);
            let rc = self.reg(count);
            let again = self.out.label();
            self.out.bind(again);
            self.copy_some(rt, rs, rw, TURN);
            self.out.immediate(Op::Add, rs, rs, 4 * TURN as u16);
            self.out.immediate(Op::Add, rt, rt, 4 * TURN as u16);
            self.out.immediate(Op::Sub, rc, rc, 1);
            self.out.branch(Cond::Ne, again);
            self.free(count);
        }
        self.release([target, source, word]);
    }

    fn copy_some(&mut self, to: u8, from: u8, through: u8, words: u32) {
        for word in 0..words as i32 {
            self.out.load(through, from, 4 * word);
            self.out.store(through, to, 4 * word);
        }
    }

    fn release(&mut self, values: [Value; 3]) {
        for value in values {
            self.unpin(value);
            self.free(value);
        }
    }

    /// Copies an open array of `length` elements, if the target takes as many.
    pub(super) fn copy_open(
        &mut self,
        to: &Place,
        from: &Place,
        length: u32,
        capacity: u32,
        size: u32,
        span: Span,
    ) {
        let to = self.place(to);
        let target = self.address(to);
        let from = self.place(from);
        let source = self.address(from);
        let count = self.alloc();
        let (rc, offset) = (self.reg(count), self.frame(length));
        self.out.load(rc, STACK, offset);
        if self.out.checks {
            let limit = self.alloc();
            let (rl, rc) = self.regs2(limit, count);
            if !self.out.try_immediate(Op::Sub, rl, rc, capacity as i32) {
                self.out.constant(rl, capacity as i32);
                self.out.register(Op::Sub, rl, rc, rl);
            }
            self.out.trap(Cond::Gt, trap::COPY, span);
            self.free(limit);
        }
        let rc = self.reg(count);
        if size == 1 {
            self.out.immediate(Op::Add, rc, rc, 3);
            self.out.immediate(Op::Asr, rc, rc, 2);
        } else {
            self.multiply(count, rc, (size / 4) as i32);
        }
        self.copy_counted(target, source, count, None);
    }

    /// Copies as many words as `count` says. With `trap` a negative count traps.
    fn copy_counted(&mut self, target: Value, source: Value, count: Value, trap: Option<Span>) {
        let rt = self.pin(target);
        let rs = self.pin(source);
        let rc = self.pin(count);
        let word = self.alloc();
        let rw = self.reg(word);
        let (again, end) = (self.out.label(), self.out.label());
        self.out.test(rc);
        self.out.branch(Cond::Eq, end);
        if let Some(span) = trap {
            self.out.trap(Cond::Mi, trap::COPY, span);
        }
        self.out.bind(again);
        self.copy_some(rt, rs, rw, 1);
        self.out.immediate(Op::Add, rs, rs, 4);
        self.out.immediate(Op::Add, rt, rt, 4);
        self.out.immediate(Op::Sub, rc, rc, 1);
        self.out.branch(Cond::Ne, again);
        self.out.bind(end);
        self.free(word);
        self.release([target, source, count]);
    }

    pub(super) fn copy_memory(&mut self, from: &Expr, to: &Expr, count: &Expr, span: Span) {
        if let Some(words) = count.constant().filter(|n| (0..0x1_0000).contains(n)) {
            let from = self.computed(from);
            let to = self.computed(to);
            self.copy_words(to, from, words as u32);
            return;
        }
        let source = self.value(from);
        let target = self.value(to);
        let count = self.value(count);
        self.copy_counted(target, source, count, Some(span));
    }

    pub(super) fn copy_string(
        &mut self,
        to: &Place,
        capacity: Length,
        offset: u32,
        length: u32,
        span: Span,
    ) {
        if let (Length::Slot(slot), true) = (capacity, self.out.checks) {
            let room = self.alloc();
            let (register, at) = (self.reg(room), self.frame(slot));
            self.out.load(register, STACK, at);
            self.out.immediate(Op::Sub, register, register, length as u16);
            self.out.trap(Cond::Lt, trap::COPY, span);
            self.free(room);
        }
        let to = self.place(to);
        let from = Address::Own(self.module.descriptor_bytes + self.module.variable_bytes + offset);
        self.copy_words(to, from, length.div_ceil(4));
    }
}
