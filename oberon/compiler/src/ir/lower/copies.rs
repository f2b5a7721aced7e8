//! Copies of arrays, records and strings.

use risc5_isa::trap;

use super::Lower;
use super::places::{Address, Origin};
use crate::diagnostic::Span;
use crate::ir::{Alu, Base, Cmp, Extent, Loop, Op, Operand, Region, Relation, Term, V};
use crate::tree::{Expr, Length, Place};

/// Up to so many words are copied without a loop.
const UNROLLED: u32 = 4;
/// Words copied by one turn of a loop over a known number.
const TURN: u32 = 2;

/// Target and source of a copying loop, which move on, and what they can touch.
#[derive(Clone, Copy)]
struct Walk {
    to: V,
    from: V,
    to_extent: Extent,
    from_extent: Extent,
}

impl Lower<'_> {
    pub(super) fn copy(&mut self, to: &Place, from: &Place, bytes: u32) {
        let to = self.place(to);
        let from = self.place(from);
        self.copy_words(to, from, bytes.div_ceil(4));
    }

    /// Copies a known number of words.
    pub(super) fn copy_words(&mut self, to: Address, from: Address, words: u32) {
        let to_extent = Extent { high: i32::MAX, ..to.extent };
        let from_extent = Extent { high: i32::MAX, ..from.extent };
        if words <= UNROLLED {
            let (to, to_offset) = self.resolve(to);
            let (from, from_offset) = self.resolve(from);
            for word in 0..words as i32 {
                self.copy_word(
                    (to, to_offset + 4 * word, to_extent),
                    (from, from_offset + 4 * word, from_extent),
                );
            }
            return;
        }
        let walk = self.walk(to, from);
        let rest = words % TURN;
        for word in 0..rest as i32 {
            self.copy_word(
                (Base::V(walk.to), 4 * word, to_extent),
                (Base::V(walk.from), 4 * word, from_extent),
            );
        }
        if rest > 0 {
            self.advance(walk, rest);
        }
        let count = self.constant((words / TURN) as i32);
        self.copy_loop(walk, count, TURN);
    }

    /// Addresses in registers that may change.
    fn walk(&mut self, to: Address, from: Address) -> Walk {
        let to_extent = Extent { high: i32::MAX, ..to.extent };
        let from_extent = Extent { high: i32::MAX, ..from.extent };
        let to = self.own_copy(to);
        let from = self.own_copy(from);
        Walk { to, from, to_extent, from_extent }
    }

    fn own_copy(&mut self, address: Address) -> V {
        let v = self.address(address);
        match address.origin {
            Origin::V(base) if base == v => self.put(|t| Op::Copy(t, v)),
            _ => v,
        }
    }

    fn copy_word(&mut self, to: (Base, i32, Extent), from: (Base, i32, Extent)) {
        let (base, offset, extent) = from;
        let s = self.put(|d| Op::Load { d, base, offset, byte: false, extent });
        let (base, offset, extent) = to;
        self.emit(Op::Store { s, base, offset, byte: false, extent });
    }

    fn advance(&mut self, walk: Walk, words: u32) {
        for v in [walk.from, walk.to] {
            self.emit(Op::Alu(Alu::Add, v, v, Operand::Imm(4 * words as i32)));
        }
    }

    /// Copies `count` times `turn` words; the count is not 0 and is used up.
    fn copy_loop(&mut self, walk: Walk, count: V, turn: u32) {
        let before = self.here;
        self.depth += 1;
        let again = self.block();
        self.depth -= 1;
        let end = self.block();
        let from = self.f.order.len();
        self.flow(again);
        for word in 0..turn as i32 {
            self.copy_word(
                (Base::V(walk.to), 4 * word, walk.to_extent),
                (Base::V(walk.from), 4 * word, walk.from_extent),
            );
        }
        self.advance(walk, turn);
        self.emit(Op::Alu(Alu::Sub, count, count, Operand::Imm(1)));
        let more = Cmp { relation: Relation::Ne, a: count, b: Operand::Imm(0) };
        self.finish(Term::Branch(more, again, end));
        let to = self.f.order.len();
        self.f.loops.push(Loop { before, head: again, from, to });
        self.start(end);
    }

    /// Copies as many words as `count` says. With `trap` a negative count traps.
    fn copy_counted(&mut self, walk: Walk, count: V, trap: Option<Span>) {
        let count = self.put(|t| Op::Copy(t, count));
        let (some, end) = (self.block(), self.block());
        let none = Cmp { relation: Relation::Eq, a: count, b: Operand::Imm(0) };
        self.finish(Term::Branch(none, end, some));
        self.start(some);
        if let (Some(span), true) = (trap, self.checks) {
            let negative = Cmp { relation: Relation::Lt, a: count, b: Operand::Imm(0) };
            self.trap(negative, trap::COPY, span);
        }
        self.copy_loop(walk, count, 1);
        self.flow(end);
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
        let from = self.place(from);
        let walk = self.walk(to, from);
        let count = self.word(length);
        if self.checks {
            let over = self.compare(Relation::Gt, Operand::V(count), Operand::Imm(capacity as i32));
            self.trap(over, trap::COPY, span);
        }
        let words = if size == 1 {
            let up = self.alu_n(Alu::Add, count, 3);
            self.alu_n(Alu::Asr, up, 2)
        } else if size == 4 {
            count
        } else {
            self.alu_n(Alu::Mul, count, (size / 4) as i32)
        };
        self.copy_counted(walk, words, None);
    }

    /// `SYSTEM.COPY`.
    pub(super) fn copy_memory(&mut self, from: &Expr, to: &Expr, count: &Expr, span: Span) {
        if let Some(words) = count.constant().filter(|n| (0..0x1_0000).contains(n)) {
            let from = self.computed(from);
            let to = self.computed(to);
            if words > 0 {
                self.copy_words(to, from, words as u32);
            }
            return;
        }
        let from = self.computed(from);
        let from = self.address(from);
        let from = self.put(|t| Op::Copy(t, from));
        let to = self.computed(to);
        let to = self.address(to);
        let to = self.put(|t| Op::Copy(t, to));
        let count = self.register(count);
        let extent = Extent::whole(Region::Volatile);
        let walk = Walk { to, from, to_extent: extent, from_extent: extent };
        self.copy_counted(walk, count, Some(span));
    }

    pub(super) fn copy_string(
        &mut self,
        to: &Place,
        capacity: Length,
        offset: u32,
        length: u32,
        span: Span,
    ) {
        if let (Length::Slot(slot), true) = (capacity, self.checks) {
            let room = self.word(slot);
            let short = self.compare(Relation::Lt, Operand::V(room), Operand::Imm(length as i32));
            self.trap(short, trap::COPY, span);
        }
        let to = self.place(to);
        let from = self.string(offset);
        self.copy_words(to, from, length.div_ceil(4));
    }
}
