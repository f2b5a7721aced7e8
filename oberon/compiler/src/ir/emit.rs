//! Blocks to instructions.

use risc5_isa::Instruction;
use risc5_isa::opcode::{Cond, Op as Code};
use risc5_isa::register::{LINK, STACK};
use risc5_isa::trap;

use super::colour::Colours;
use super::lists::Lists;
use super::split::Clobbers;
use super::{Alu, B, Base, Cmp, Function, Op, Operand, Relation, Target, Term, V};
use crate::Span;
use crate::r#gen::emitter::{Emitter, Label, Reference};

/// The register that holds nothing beyond an operation; no compiler uses it for anything else.
const SCRATCH: u8 = 13;

/// Emits a procedure. `data_bytes` is the distance from the data base to the code; `spans` are the places
/// of the heading and of the end. Returns the registers that a call of the procedure may change.
pub(crate) fn emit(
    f: &Function,
    colours: &Colours,
    out: &mut Emitter,
    clobbers: &Clobbers<'_>,
    data_bytes: usize,
    spans: (Span, Span),
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
    let labels = f.blocks.iter().map(|_| out.label()).collect();
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
    labels: Vec<Label>,
    /// Bytes of the saved link.
    base: u32,
    /// Bytes of the frame.
    size: u32,
    calls: bool,
    data_bytes: usize,
    compared: Option<Compared>,
}

/// Where a value moves from.
#[derive(Clone, Copy)]
enum Source {
    Register(u8),
    Constant(i32),
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
        let mut before = Lists::default();
        self.f.predecessors(&mut before);
        let order = &self.f.order;
        for (place, b) in order.iter().enumerate() {
            let block = &self.f.blocks[b.at()];
            // A block that is only fallen into keeps what is known about the flags.
            let follows = place > 0 && before.of(b.at()) == [order[place - 1]];
            if place > 0 && !follows || self.jumped_to(place, before.of(b.at())) {
                self.out.bind(self.labels[b.at()]);
                self.compared = None;
            }
            let parameters =
                block.insts.iter().take_while(|i| matches!(i.op, Op::Param(..))).count();
            let moves = block.insts[..parameters]
                .iter()
                .filter_map(|i| match i.op {
                    Op::Param(d, n) => Some((self.reg(d), Source::Register(n))),
                    _ => None,
                })
                .collect();
            self.moves(moves);
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
        self.out.branch(cond, self.labels[to.at()]);
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

    /// Moves values to registers all at once.
    fn moves(&mut self, moves: Vec<(u8, Source)>) {
        let mut waiting: Vec<(u8, u8)> = moves
            .iter()
            .filter_map(|(to, from)| match from {
                Source::Register(from) if from != to => Some((*to, *from)),
                _ => None,
            })
            .collect();
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
        for (to, from) in moves {
            if let Source::Constant(n) = from {
                self.out.constant(to, n);
            }
        }
    }

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
    fn compare(&mut self, cmp: Cmp) -> Cond {
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
        let moves = args
            .iter()
            .enumerate()
            .map(|(n, arg)| match arg {
                Operand::V(v) => (n as u8, Source::Register(self.reg(*v))),
                Operand::Imm(n_value) => (n as u8, Source::Constant(*n_value)),
            })
            .collect();
        self.moves(moves);
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
