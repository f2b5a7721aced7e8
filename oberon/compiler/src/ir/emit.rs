//! Blocks to instructions.

mod conditions;

use risc5_isa::Instruction;
use risc5_isa::opcode::{Cond, Op as Code};
use risc5_isa::register::{LINK, STACK};
use risc5_isa::trap;

use super::colour::Colours;
use super::lists::Lists;
use super::split::Clobbers;
use super::{Alu, B, Base, Function, Op, Operand, Target, Term, V};
use crate::Span;
use crate::r#gen::emitter::{Emitter, Label, Reference};

/// The register that holds nothing beyond an operation; no compiler uses it for anything else.
const SCRATCH: u8 = 13;

/// Memory of the emission.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    before: Lists<B>,
    moves: Vec<(u8, u8)>,
}

/// Emits a procedure. `data_bytes` is the distance from the data base to the code; `spans` are the places
/// of the heading and of the end. Returns the registers that a call of the procedure may change.
pub(crate) fn emit(
    f: &Function,
    colours: &Colours,
    out: &mut Emitter,
    clobbers: &Clobbers<'_>,
    data_bytes: usize,
    spans: (Span, Span),
    tables: &mut Tables,
) -> u16 {
    let mut calls = false;
    let mut mask = 0;
    for b in &f.order {
        for inst in &f.blocks[b.at()].insts {
            if let Some(d) = inst.op.def() {
                mask |= 1 << colours.of(d);
            }
            if let Op::Call { target, args, .. } = &inst.op {
                calls = true;
                mask |= clobbers.of(target, args.len()) | 1;
            }
        }
        if let Term::Return(Some(_)) = f.blocks[b.at()].term {
            mask |= 1;
        }
    }
    let labels = out.labels(f.blocks.len());
    f.predecessors(&mut tables.before);
    let base = if calls { 4 } else { 0 };
    let mut emission = Emission {
        f,
        colours,
        out,
        labels,
        base,
        size: base + f.frame_bytes + 4 * f.slots,
        calls,
        data_bytes,
        compared: None,
        before: &tables.before,
        moves: &mut tables.moves,
    };
    emission.out.span = spans.0;
    emission.enter();
    emission.blocks(spans.1);
    mask
}

/// A subtraction whose flags are still there, and the word behind it.
type Compared = (u8, Operand, usize);

struct Emission<'a> {
    f: &'a Function,
    colours: &'a Colours,
    out: &'a mut Emitter,
    /// That of the first block; those of the others follow.
    labels: Label,
    /// Bytes of the saved link.
    base: u32,
    /// Bytes of the frame.
    size: u32,
    calls: bool,
    data_bytes: usize,
    compared: Option<Compared>,
    before: &'a Lists<B>,
    /// Registers and where their new values come from.
    moves: &'a mut Vec<(u8, u8)>,
}

impl Emission<'_> {
    fn reg(&self, v: V) -> u8 {
        self.colours.of(v)
    }

    fn enter(&mut self) {
        if self.size > 0 {
            self.out.immediate(Code::Sub, STACK, STACK, self.size as u16);
        }
        if self.calls {
            self.out.store(LINK, STACK, 0);
        }
    }

    fn leave(&mut self) {
        if self.calls {
            self.out.load(LINK, STACK, 0);
        }
        if self.size > 0 {
            self.out.immediate(Code::Add, STACK, STACK, self.size as u16);
        }
        let low = u32::from(LINK);
        self.out.put(Instruction::BranchRegister { link: false, cond: Cond::Always, low });
    }

    fn blocks(&mut self, end: Span) {
        let before = self.before;
        let order = &self.f.order;
        for (place, b) in order.iter().enumerate() {
            let block = &self.f.blocks[b.at()];
            // A block that is only fallen into keeps what is known about the flags.
            let follows = place > 0 && before.of(b.at()) == [order[place - 1]];
            if place > 0 && !follows || self.jumped_to(place, before.of(b.at())) {
                self.out.bind(self.labels.plus(b.at()));
                self.compared = None;
            }
            let parameters =
                block.insts.iter().take_while(|i| matches!(i.op, Op::Param(..))).count();
            for inst in &block.insts[..parameters] {
                if let Op::Param(d, n) = inst.op {
                    self.add_move(self.reg(d), n);
                }
            }
            self.make_moves();
            for inst in &block.insts[parameters..] {
                self.out.span = inst.span;
                self.op(&inst.op);
            }
            self.out.span = if matches!(block.term, Term::Return(_)) { end } else { block.span };
            self.term(&block.term, order.get(place + 1).copied());
        }
    }

    fn jumped_to(&self, place: usize, before: &[B]) -> bool {
        let Some(previous) = place.checked_sub(1).map(|p| self.f.order[p]) else {
            return !before.is_empty();
        };
        let here = self.f.order[place];
        before.iter().any(|p| *p != previous)
            || matches!(self.f.blocks[previous.at()].term, Term::Branch(_, yes, no) if yes == here && no == here)
    }

    fn term(&mut self, term: &Term, next: Option<B>) {
        match term {
            Term::Jump(to) => {
                if Some(*to) != next {
                    self.branch(Cond::Always, *to);
                }
            }
            Term::Branch(cmp, yes, no) => {
                let cond = self.compare(*cmp);
                if Some(*yes) == next {
                    self.branch(cond.invert(), *no);
                } else {
                    self.branch(cond, *yes);
                    if Some(*no) != next {
                        self.branch(Cond::Always, *no);
                    }
                }
            }
            Term::Return(value) => {
                if let Some(v) = value {
                    let r = self.reg(*v);
                    self.copy(0, r);
                }
                self.leave();
            }
        }
    }

    fn branch(&mut self, cond: Cond, to: B) {
        let here = self.out.here();
        self.out.branch(cond, self.labels.plus(to.at()));
        self.keep_flags(here);
    }

    /// Branches and traps leave the flags alone.
    fn keep_flags(&mut self, from: usize) {
        if let Some((.., at)) = &mut self.compared
            && *at == from
        {
            *at = self.out.here();
        }
    }

    fn copy(&mut self, to: u8, from: u8) {
        if to != from {
            self.out.register(Code::Mov, to, 0, from);
        }
    }

    /// Notes that a value moves to a register, for [`Self::make_moves`].
    fn add_move(&mut self, to: u8, from: u8) {
        if to != from {
            self.moves.push((to, from));
        }
    }

    /// Moves values to registers all at once.
    fn make_moves(&mut self) {
        let mut waiting = std::mem::take(self.moves);
        while !waiting.is_empty() {
            let ready =
                waiting.iter().position(|(to, _)| !waiting.iter().any(|(_, from)| from == to));
            match ready {
                Some(at) => {
                    let (to, from) = waiting.swap_remove(at);
                    self.copy(to, from);
                }
                None => {
                    // A ring: one of its values steps aside.
                    let aside = waiting[0].0;
                    self.copy(SCRATCH, aside);
                    for (_, from) in &mut waiting {
                        if *from == aside {
                            *from = SCRATCH;
                        }
                    }
                }
            }
        }
        *self.moves = waiting;
    }

    fn trap(&mut self, cond: Cond, number: u8) {
        let here = self.out.here();
        let span = self.out.span;
        self.out.trap(cond, number, span);
        self.keep_flags(here);
    }

    fn frame(&self, offset: i32) -> i32 {
        self.base as i32 + offset
    }

    fn slot(&self, slot: u32) -> i32 {
        (self.base + self.f.frame_bytes + 4 * slot) as i32
    }

    fn memory(&self, base: Base, offset: i32) -> (u8, i32) {
        match base {
            Base::V(v) => (self.reg(v), offset),
            Base::Frame => (STACK, self.frame(offset)),
        }
    }

    fn op(&mut self, op: &Op) {
        match *op {
            Op::Const(d, n) => {
                let d = self.reg(d);
                self.out.constant(d, n);
            }
            Op::Copy(d, s) => {
                let (d, s) = (self.reg(d), self.reg(s));
                self.copy(d, s);
            }
            Op::Alu(alu, d, a, b) => self.alu(alu, d, a, b),
            Op::DataBase(d) => {
                let d = self.reg(d);
                self.out.own_base(d);
            }
            Op::Global(d, module, number) => {
                let a = self.reg(d);
                let add = Instruction::Immediate {
                    op: Code::Add,
                    u: false,
                    v: false,
                    a,
                    b: a,
                    imm: number,
                };
                self.out.imported(a, module, add);
            }
            Op::LoadGlobal { d, module, entry, byte } => {
                let a = self.reg(d);
                let load =
                    Instruction::Memory { store: false, byte, a, b: a, offset: i32::from(entry) };
                self.out.imported(a, module, load);
            }
            Op::FrameAddress(d, at) => {
                let (d, at) = (self.reg(d), self.frame(at));
                self.out.try_immediate(Code::Add, d, STACK, at);
            }
            Op::SlotAddress(d, slot) => {
                let (d, at) = (self.reg(d), self.slot(slot));
                self.out.try_immediate(Code::Add, d, STACK, at);
            }
            Op::Procedure(d, index) => self.procedure(d, index),
            Op::Load { d, base, offset, byte, .. } => {
                let (base, offset) = self.memory(base, offset);
                let d = self.reg(d);
                self.out.load_sized(byte, d, base, offset);
            }
            Op::Store { s, base, offset, byte, .. } => {
                let (base, offset) = self.memory(base, offset);
                let s = self.reg(s);
                self.out.store_sized(byte, s, base, offset);
            }
            Op::Trap(cmp, number) => {
                let cond = self.compare(cmp);
                self.trap(cond, number);
            }
            Op::TrapAlways(number) => self.trap(Cond::Always, number),
            Op::Guard { pointer, descriptor, level, present } => {
                self.guard(pointer, descriptor, level, present);
            }
            Op::Call { target, args, result } => self.call(target, self.f.args.of(args), result),
            Op::Param(d, n) => {
                let d = self.reg(d);
                self.copy(d, n);
            }
            Op::Reload(d, slot) => {
                let (d, at) = (self.reg(d), self.slot(slot));
                self.out.load(d, STACK, at);
            }
            Op::Spill(s, slot) => {
                let (s, at) = (self.reg(s), self.slot(slot));
                self.out.store(s, STACK, at);
            }
            Op::Raw(word) => self.out.raw(word),
            Op::Below(..) => {}
        }
    }

    fn alu(&mut self, alu: Alu, d: V, a: V, b: Operand) {
        let (d, a) = (self.reg(d), self.reg(a));
        let code = match alu {
            Alu::Add => Code::Add,
            Alu::Sub => Code::Sub,
            Alu::And => Code::And,
            Alu::Ann => Code::Ann,
            Alu::Ior => Code::Ior,
            Alu::Xor => Code::Xor,
            Alu::Lsl => Code::Lsl,
            Alu::Asr => Code::Asr,
            Alu::Ror => Code::Ror,
            Alu::Mul | Alu::MulUnsigned => Code::Mul,
            Alu::Div | Alu::Mod => Code::Div,
            Alu::Fad | Alu::Floor | Alu::Float => Code::Fad,
            Alu::Fsb => Code::Fsb,
            Alu::Fml => Code::Fml,
            Alu::Fdv => Code::Fdv,
        };
        match b {
            Operand::Imm(n) => {
                let n = if matches!(alu, Alu::Lsl | Alu::Asr | Alu::Ror) { n & 31 } else { n };
                self.out.try_immediate(code, d, a, n);
            }
            Operand::V(c) => {
                let c = self.reg(c);
                let (u, v) = (matches!(alu, Alu::MulUnsigned | Alu::Float), alu == Alu::Floor);
                self.out.put(Instruction::Register { op: code, u, v, a: d, b: a, c });
            }
        }
        if alu == Alu::Mod {
            self.out.register_u(Code::Mov, d, 0, 0);
        }
    }

    fn guard(&mut self, pointer: V, descriptor: V, level: u32, present: bool) {
        let (p, t) = (self.reg(pointer), self.reg(descriptor));
        let passed = self.out.label();
        if !present {
            self.out.test(p);
            self.out.branch(Cond::Eq, passed);
        }
        self.out.load(SCRATCH, p, -8);
        // Level 0 is not stored: there is nothing it could be an extension of.
        if level > 0 {
            self.out.load(SCRATCH, SCRATCH, 4 * level as i32);
        }
        self.out.register(Code::Sub, SCRATCH, SCRATCH, t);
        self.trap(Cond::Ne, trap::GUARD);
        if !present {
            self.out.bind(passed);
        }
        self.compared = None;
    }

    fn call(&mut self, target: Target, args: &[Operand], result: Option<V>) {
        for (n, arg) in args.iter().enumerate() {
            if let Operand::V(v) = arg {
                self.add_move(n as u8, self.reg(*v));
            }
        }
        self.make_moves();
        for (n, arg) in args.iter().enumerate() {
            if let Operand::Imm(value) = arg {
                self.out.constant(n as u8, *value);
            }
        }
        match target {
            Target::Own(index) => self.out.own_call(index),
            Target::Imported(module, entry) => self.out.imported_call(module, entry),
            Target::Value(v) => {
                let r = self.reg(v);
                self.out.register_call(r);
            }
            Target::New => {
                let span = self.out.span;
                self.out.allocate(span);
            }
        }
        self.out.forget_flags();
        self.compared = None;
        if let Some(d) = result {
            let d = self.reg(d);
            self.copy(d, 0);
        }
    }

    /// Data base and offset, whichever size the offset has.
    fn procedure(&mut self, d: V, index: usize) {
        let d = self.reg(d);
        self.out.own_base(d);
        self.out.reserve(3);
        if self.data_bytes + 4 * self.out.here() < 0x8000 {
            let at = self.out.here();
            self.out.immediate(Code::Add, d, d, 0);
            // The emitter may have extended a fix-up chain in between.
            let at = at.max(self.out.here() - 1);
            self.out.references.push((Reference::Short(at), index));
            return;
        }
        self.out.put(Instruction::Immediate {
            op: Code::Mov,
            u: true,
            v: false,
            a: SCRATCH,
            b: 0,
            imm: 0,
        });
        let at = self.out.here() - 1;
        self.out.immediate(Code::Ior, SCRATCH, SCRATCH, 0);
        self.out.references.push((Reference::Long(at), index));
        self.out.register(Code::Add, d, d, SCRATCH);
    }
}
