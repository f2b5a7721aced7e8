//! Value numbering within extended blocks: a block that is entered from one place only knows what was
//! known there.
//!
//! Every value gets a number; equal numbers are equal values. From that follow folding, common
//! subexpressions, loads that need not be repeated, checks that were made before, and branches that are
//! decided.

mod alu;
mod constants;
mod scoped;
mod state;

use rustc_hash::FxHashMap;

use super::lists::Lists;
use super::passes::{Pass, Passes};
use super::split::{ALL, Clobbers};
use super::{
    Arguments, B, Base, Cmp, Extent, Function, Inst, Op, Operand, Region, Relation, Term, V, fits,
};
use constants::evaluate;
use state::{At, Key, Known, Number, Point, State};

/// Memory of the numbering.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    before: Lists<B>,
    order: Vec<B>,
    todo: Vec<Visit>,
    state: State,
    /// The numbers of constants, and by number the values of those.
    constants: FxHashMap<i32, Number>,
    values: Vec<Option<i32>>,
    /// Room for the operations of a block while it is rewritten.
    spare: Vec<Inst>,
}

/// A block to go to: from where, if what is known now is something else, and by which condition that
/// does not hold there.
#[derive(Clone, Copy, Debug)]
struct Visit {
    block: B,
    from: Option<Point>,
    refuted: Option<Cmp>,
}

struct Numbering<'a> {
    f: &'a mut Function,
    passes: Passes,
    clobbers: &'a Clobbers<'a>,
    state: &'a mut State,
    constants: &'a mut FxHashMap<i32, Number>,
    values: &'a mut Vec<Option<i32>>,
    spare: Vec<Inst>,
}

/// Runs the passes that work on numbered values.
pub(crate) fn number(
    f: &mut Function,
    passes: Passes,
    clobbers: &Clobbers<'_>,
    tables: &mut Tables,
) {
    let wanted = [Pass::Fold, Pass::Cse, Pass::Strength, Pass::Checks];
    if !wanted.into_iter().any(|pass| passes.has(pass)) {
        return;
    }
    let Tables { before, order, todo, state, constants, values, spare } = tables;
    f.predecessors(before);
    order.clone_from(&f.order);
    state.restart();
    constants.clear();
    values.clear();
    values.push(None);
    let spare_insts = std::mem::take(spare);
    let mut numbering =
        Numbering { f, passes, clobbers, state, constants, values, spare: spare_insts };
    for (place, b) in order.iter().enumerate() {
        if place == 0 || before.of(b.at()).len() != 1 {
            numbering.tree(*b, before, todo);
        }
    }
    *spare = numbering.spare;
}

impl Numbering<'_> {
    /// A block and all blocks that are entered from it alone.
    fn tree(&mut self, root: B, before: &Lists<B>, todo: &mut Vec<Visit>) {
        self.state.clear(self.f.values);
        todo.push(Visit { block: root, from: None, refuted: None });
        while let Some(visit) = todo.pop() {
            if let Some(point) = visit.from {
                self.state.back(point);
            }
            if let Some(cmp) = visit.refuted {
                self.refute(cmp);
            }
            self.block(visit.block);
            let term = self.f.blocks[visit.block.at()].term;
            let mut after =
                term.successors().filter(|s| before.of(s.at()).len() == 1 && *s != root).peekable();
            while let Some(s) = after.next() {
                let refuted = match term {
                    Term::Branch(cmp, yes, _) => Some(if s == yes { cmp.invert() } else { cmp }),
                    _ => None,
                };
                // The last one comes next: until then what is known stays.
                let from = after.peek().map(|_| self.state.point());
                todo.push(Visit { block: s, from, refuted });
            }
        }
    }

    fn fresh(&mut self) -> Number {
        self.values.push(None);
        self.state.number_added()
    }

    fn constant(&mut self, n: i32) -> Number {
        if let Some(number) = self.constants.get(&n) {
            return *number;
        }
        let number = self.fresh();
        self.constants.insert(n, number);
        self.values[number as usize] = Some(n);
        number
    }

    /// The value of a number, if it is a constant.
    fn known(&self, number: Number) -> Option<i32> {
        self.values[number as usize]
    }

    fn number_of(&mut self, v: V) -> Number {
        if let Some(number) = self.state.number(v) {
            return number;
        }
        let number = self.fresh();
        self.state.set_number(v, number);
        self.state.hold(number, v);
        if self.f.is_variable(v) && self.f.bytes[v.at()] {
            self.state.set_bound(number, 256);
        }
        number
    }

    fn operand_number(&mut self, operand: Operand) -> Number {
        match operand {
            Operand::V(v) => self.number_of(v),
            Operand::Imm(n) => self.constant(n),
        }
    }

    fn value_of(&mut self, v: V) -> Option<i32> {
        let number = self.number_of(v);
        self.known(number)
    }

    fn set(&mut self, d: V, number: Number) {
        self.state.set_number(d, number);
        match self.state.holder(number) {
            Some(held) if self.f.is_variable(held) || !self.f.is_variable(d) => {}
            _ => self.state.hold(number, d),
        }
    }

    fn bound(&self, number: Number) -> Option<u32> {
        match self.known(number) {
            Some(n) => (n as u32).checked_add(1),
            None => self.state.bound(number),
        }
    }

    fn bind(&mut self, number: Number, bound: u32) {
        let old = self.state.bound(number).unwrap_or(u32::MAX);
        self.state.set_bound(number, bound.min(old));
    }

    fn refute(&mut self, cmp: Cmp) {
        let (a, b) = (self.number_of(cmp.a), self.operand_number(cmp.b));
        self.state.refute(cmp.relation, a, b);
        if cmp.relation == Relation::Above
            && let Some(n) = self.known(b)
            && n > 0
        {
            self.bind(a, n as u32);
        }
    }

    /// Whether a condition holds, if that is known.
    fn decide(&mut self, cmp: Cmp) -> Option<bool> {
        let (a, b) = (self.number_of(cmp.a), self.operand_number(cmp.b));
        if self.passes.has(Pass::Fold)
            && let (Some(x), Some(y)) = (self.known(a), self.known(b))
            && let Some(holds) = evaluate(cmp.relation, x, y)
        {
            return Some(holds);
        }
        if !self.passes.has(Pass::Checks) {
            return None;
        }
        if self.state.is_refuted(cmp.relation, a, b) {
            return Some(false);
        }
        if self.state.is_refuted(cmp.relation.invert(), a, b) {
            return Some(true);
        }
        if let Some(limit) = self.known(b)
            && let Some(bound) = self.bound(a)
            && limit > 0
            && bound <= limit as u32
        {
            match cmp.relation {
                Relation::Above | Relation::Ge => return Some(false),
                Relation::Below | Relation::Lt => return Some(true),
                _ => {}
            }
        }
        None
    }

    /// The operand that stands for the same value with the least effort.
    fn better(&mut self, v: V) -> V {
        let number = self.number_of(v);
        if !self.passes.has(Pass::Cse) {
            return v;
        }
        self.state.holder(number).unwrap_or(v)
    }

    fn block(&mut self, b: B) {
        let mut out = std::mem::take(&mut self.spare);
        let mut old = std::mem::take(&mut self.f.blocks[b.at()].insts);
        let mut args = std::mem::take(&mut self.f.args);
        for mut inst in old.drain(..) {
            inst.op.map_uses(&mut args, |v| self.better(v));
            if self.op(&mut inst.op, &mut args, &mut out, inst.span) {
                out.push(inst);
            }
        }
        self.spare = old;
        self.f.args = args;
        let block = &mut self.f.blocks[b.at()];
        block.insts = out;
        let mut term = block.term;
        term.map_uses(|v| self.better(v));
        if let Term::Branch(cmp, yes, no) = &mut term {
            *cmp = self.simpler(*cmp);
            if let Some(holds) = self.decide(*cmp) {
                term = Term::Jump(if holds { *yes } else { *no });
                self.f.decided = true;
            }
        }
        self.f.blocks[b.at()].term = term;
    }

    /// A condition with constants as immediate operands.
    fn simpler(&mut self, cmp: Cmp) -> Cmp {
        if !self.passes.has(Pass::Fold) {
            return cmp;
        }
        let real = matches!(
            cmp.relation,
            Relation::RealEq | Relation::RealNe | Relation::RealLt | Relation::RealGe
        );
        match cmp.b {
            Operand::V(b) if !real => match self.value_of(b) {
                Some(n) if fits(n) => Cmp { b: Operand::Imm(n), ..cmp },
                _ => cmp,
            },
            _ => cmp,
        }
    }

    /// Brings an operation into a better form; whether anything is left to do.
    fn op(
        &mut self,
        op: &mut Op,
        args: &mut Arguments,
        out: &mut Vec<Inst>,
        span: crate::Span,
    ) -> bool {
        match *op {
            Op::Const(d, n) => {
                let number = self.constant(n);
                self.reuse(d, number, op);
            }
            Op::Copy(d, s) => {
                let number = self.number_of(s);
                self.set(d, number);
            }
            Op::Alu(..) => self.alu(op, out, span),
            Op::DataBase(d) => self.keyed(Key::DataBase, d, op),
            Op::Global(d, module, number) => self.keyed(Key::Global(module, number), d, op),
            Op::FrameAddress(d, at) => self.keyed(Key::Frame(at), d, op),
            Op::Procedure(d, index) => self.keyed(Key::Procedure(index), d, op),
            Op::LoadGlobal { d, module, entry, byte } => {
                let extent = Extent::whole(Region::Imported);
                self.load(At::Global(module, entry), 0, byte, extent, d, op);
            }
            Op::Load { d, base, offset, byte, extent } => {
                if extent.region == Region::Volatile {
                    let number = self.fresh();
                    if byte {
                        self.state.set_bound(number, 256);
                    }
                    self.set(d, number);
                } else {
                    let at = self.at(base);
                    self.load(at, offset, byte, extent, d, op);
                }
            }
            Op::Store { s, base, offset, byte, extent } => {
                let at = self.at(base);
                self.store(at, offset, byte, extent, s);
            }
            Op::Trap(cmp, number) => {
                let cmp = self.simpler(cmp);
                match self.decide(cmp) {
                    Some(false) => return false,
                    Some(true) => *op = Op::TrapAlways(number),
                    None => {
                        self.refute(cmp);
                        *op = Op::Trap(cmp, number);
                    }
                }
            }
            Op::Guard { pointer, descriptor, level, present } => {
                let (p, t) = (self.number_of(pointer), self.number_of(descriptor));
                if self.passes.has(Pass::Checks) {
                    if !self.state.guard(p, t, level) {
                        return false;
                    }
                    let zero = self.constant(0);
                    let present = present || self.state.is_refuted(Relation::Eq, p, zero);
                    *op = Op::Guard { pointer, descriptor, level, present };
                }
            }
            Op::Call { target, args: range, result } => {
                for arg in args.of_mut(range) {
                    if let Operand::V(v) = *arg
                        && self.passes.has(Pass::Fold)
                        && let Some(n) = self.value_of(v)
                    {
                        *arg = Operand::Imm(n);
                    }
                }
                self.state.memory.clear();
                if self.clobbers.of(&target, range.len()) == ALL {
                    // What would have to be saved across the call is as soon computed anew.
                    self.state.end_era();
                }
                if let Some(d) = result {
                    let number = self.fresh();
                    self.set(d, number);
                }
            }
            Op::Below(v, bound) => {
                let number = self.number_of(v);
                self.bind(number, bound);
            }
            other => {
                if let Some(d) = other.def() {
                    let number = self.fresh();
                    self.set(d, number);
                }
            }
        }
        true
    }

    fn at(&mut self, base: Base) -> At {
        match base {
            Base::V(v) => At::Base(self.number_of(v)),
            Base::Frame => At::Frame,
        }
    }

    /// A value with a known number: a copy, if some register holds it already.
    fn reuse(&mut self, d: V, number: Number, op: &mut Op) {
        let held = self.state.holder(number).filter(|_| self.passes.has(Pass::Cse));
        self.set(d, number);
        match (held, &op) {
            // A variable is as soon loaded with a constant as with another register.
            (Some(_), Op::Const(_, n)) if self.f.is_variable(d) && fits(*n) => {}
            (Some(held), _) if held != d => *op = Op::Copy(d, held),
            _ => {}
        }
    }

    fn keyed(&mut self, key: Key, d: V, op: &mut Op) {
        let number = match self.state.computed(key) {
            Some(number) => number,
            None => {
                let number = self.fresh();
                self.state.compute(key, number);
                number
            }
        };
        self.reuse(d, number, op);
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a load")]
    fn load(&mut self, at: At, offset: i32, byte: bool, extent: Extent, d: V, op: &mut Op) {
        let known = self
            .state
            .memory
            .iter()
            .rev()
            .find(|k| k.at == at && k.offset == offset && k.byte == byte)
            .map(|k| k.number);
        if let Some(number) = known {
            self.reuse(d, number, op);
            return;
        }
        let number = self.fresh();
        if byte {
            self.state.set_bound(number, 256);
        }
        self.set(d, number);
        self.state.memory.push(Known { at, offset, byte, extent, number });
    }

    /// What a store may change is no longer known; what it stores is.
    fn store(&mut self, at: At, offset: i32, byte: bool, extent: Extent, s: V) {
        let end = offset.saturating_add(if byte { 1 } else { 4 });
        self.state.memory.retain(|known| {
            let size = if known.byte { 1 } else { 4 };
            let apart = known.at == at
                && (known.offset >= end || known.offset.saturating_add(size) <= offset);
            apart || !known.extent.meets(&extent)
        });
        if extent.region != Region::Volatile {
            let number = self.number_of(s);
            if !byte || self.bound(number).is_some_and(|bound| bound <= 256) {
                self.state.memory.push(Known { at, offset, byte, extent, number });
            }
        }
    }
}
