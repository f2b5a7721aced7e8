//! Value numbering within extended blocks: a block that is entered from one place only knows what was
//! known there.
//!
//! Every value gets a number; equal numbers are equal values. From that follow folding, common
//! subexpressions, loads that need not be repeated, checks that were made before, and branches that are
//! decided.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::passes::{Pass, Passes};
use super::split::{ALL, Clobbers};
use super::{
    Alu, B, Base, Cmp, Extent, Function, Inst, Op, Operand, Region, Relation, Term, V, fits,
};

/// A quick hash for small keys; nothing depends on its order.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_i32(&mut self, n: i32) {
        self.write_u64(n as u64);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517C_C1B7_2722_0A95);
    }
}

type Map<K, T> = HashMap<K, T, BuildHasherDefault<Quick>>;
type Keys<K> = HashSet<K, BuildHasherDefault<Quick>>;

/// The number of a value.
type Number = u32;

/// What computes a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Alu(Alu, Number, Number),
    DataBase,
    Global(u8, u16),
    Frame(i32),
    Procedure(usize),
}

/// Where a loaded or stored value came from or went to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Base(Number),
    Frame,
    Global(u8, u8),
}

#[derive(Clone)]
struct Known {
    at: At,
    offset: i32,
    byte: bool,
    extent: Extent,
    number: Number,
}

/// What is known at a point of the program.
#[derive(Clone, Default)]
struct State {
    numbers: Map<V, Number>,
    /// A virtual register that holds a value, if its number is still that.
    holders: Map<Number, V>,
    computed: Map<Key, Number>,
    memory: Vec<Known>,
    /// Conditions that do not hold.
    refuted: Keys<(Relation, Number, Number)>,
    guarded: Keys<(Number, Number, u32)>,
    /// Unsigned upper bounds.
    bounds: Map<Number, u32>,
}

struct Numbering<'a> {
    f: &'a mut Function,
    passes: Passes,
    clobbers: &'a Clobbers<'a>,
    next: Number,
    constants: Map<i32, Number>,
    values: Map<Number, i32>,
}

/// Runs the passes that work on numbered values.
pub(crate) fn number(f: &mut Function, passes: Passes, clobbers: &Clobbers<'_>) {
    let wanted = [Pass::Fold, Pass::Cse, Pass::Strength, Pass::Checks];
    if !wanted.into_iter().any(|pass| passes.has(pass)) {
        return;
    }
    let before = f.predecessors();
    let order = f.order.clone();
    let mut numbering = Numbering {
        f,
        passes,
        clobbers,
        next: 0,
        constants: Map::default(),
        values: Map::default(),
    };
    for (place, b) in order.iter().enumerate() {
        if place == 0 || before[b.at()].len() != 1 {
            numbering.tree(*b, &before);
        }
    }
}

impl Numbering<'_> {
    /// A block and all blocks that are entered from it alone.
    fn tree(&mut self, root: B, before: &[Vec<B>]) {
        let mut todo = vec![(root, State::default())];
        while let Some((b, mut state)) = todo.pop() {
            self.block(b, &mut state);
            let term = self.f.blocks[b.at()].term.clone();
            let mut after =
                term.successors().filter(|s| before[s.at()].len() == 1 && *s != root).peekable();
            while let Some(s) = after.next() {
                let last = after.peek().is_none();
                let mut known = if last { std::mem::take(&mut state) } else { state.clone() };
                if let Term::Branch(cmp, yes, _) = &term {
                    let refuted = if s == *yes { cmp.invert() } else { *cmp };
                    self.refute(&mut known, refuted);
                }
                todo.push((s, known));
            }
        }
    }

    fn fresh(&mut self) -> Number {
        self.next += 1;
        self.next
    }

    fn constant(&mut self, n: i32) -> Number {
        if let Some(number) = self.constants.get(&n) {
            return *number;
        }
        let number = self.fresh();
        self.constants.insert(n, number);
        self.values.insert(number, n);
        number
    }

    fn number_of(&mut self, state: &mut State, v: V) -> Number {
        if let Some(number) = state.numbers.get(&v) {
            return *number;
        }
        let number = self.fresh();
        state.numbers.insert(v, number);
        state.holders.insert(number, v);
        if self.f.is_variable(v) && self.f.bytes[v.at()] {
            state.bounds.insert(number, 256);
        }
        number
    }

    fn operand_number(&mut self, state: &mut State, operand: Operand) -> Number {
        match operand {
            Operand::V(v) => self.number_of(state, v),
            Operand::Imm(n) => self.constant(n),
        }
    }

    fn value_of(&mut self, state: &mut State, v: V) -> Option<i32> {
        let number = self.number_of(state, v);
        self.values.get(&number).copied()
    }

    /// A virtual register that holds the value.
    fn holder(&self, state: &State, number: Number) -> Option<V> {
        let v = *state.holders.get(&number)?;
        (state.numbers.get(&v) == Some(&number)).then_some(v)
    }

    fn set(&mut self, state: &mut State, d: V, number: Number) {
        state.numbers.insert(d, number);
        match self.holder(state, number) {
            Some(held) if self.f.is_variable(held) || !self.f.is_variable(d) => {}
            _ => {
                state.holders.insert(number, d);
            }
        }
    }

    fn bound(&self, state: &State, number: Number) -> Option<u32> {
        match self.values.get(&number) {
            Some(n) => (*n as u32).checked_add(1),
            None => state.bounds.get(&number).copied(),
        }
    }

    fn bind(&self, state: &mut State, number: Number, bound: u32) {
        let old = state.bounds.get(&number).copied().unwrap_or(u32::MAX);
        state.bounds.insert(number, bound.min(old));
    }

    fn refute(&mut self, state: &mut State, cmp: Cmp) {
        let (a, b) = (self.number_of(state, cmp.a), self.operand_number(state, cmp.b));
        state.refuted.insert((cmp.relation, a, b));
        if cmp.relation == Relation::Above
            && let Some(n) = self.values.get(&b).copied()
            && n > 0
        {
            self.bind(state, a, n as u32);
        }
    }

    /// Whether a condition holds, if that is known.
    fn decide(&mut self, state: &mut State, cmp: Cmp) -> Option<bool> {
        let (a, b) = (self.number_of(state, cmp.a), self.operand_number(state, cmp.b));
        if self.passes.has(Pass::Fold)
            && let (Some(x), Some(y)) = (self.values.get(&a), self.values.get(&b))
            && let Some(holds) = evaluate(cmp.relation, *x, *y)
        {
            return Some(holds);
        }
        if !self.passes.has(Pass::Checks) {
            return None;
        }
        if state.refuted.contains(&(cmp.relation, a, b)) {
            return Some(false);
        }
        if state.refuted.contains(&(cmp.relation.invert(), a, b)) {
            return Some(true);
        }
        if let Some(limit) = self.values.get(&b).copied()
            && let Some(bound) = self.bound(state, a)
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
    fn better(&mut self, state: &mut State, v: V) -> V {
        let number = self.number_of(state, v);
        if !self.passes.has(Pass::Cse) {
            return v;
        }
        self.holder(state, number).unwrap_or(v)
    }

    fn block(&mut self, b: B, state: &mut State) {
        let insts = std::mem::take(&mut self.f.blocks[b.at()].insts);
        let mut out = Vec::with_capacity(insts.len());
        for mut inst in insts {
            inst.op.map_uses(|v| self.better(state, v));
            let span = inst.span;
            if let Some(op) = self.op(state, inst.op, &mut out, span) {
                out.push(Inst { op, span });
            }
        }
        let block = &mut self.f.blocks[b.at()];
        block.insts = out;
        let mut term = block.term.clone();
        term.map_uses(|v| self.better(state, v));
        if let Term::Branch(cmp, yes, no) = &mut term {
            *cmp = self.simpler(state, *cmp);
            match self.decide(state, *cmp) {
                Some(true) => term = Term::Jump(*yes),
                Some(false) => term = Term::Jump(*no),
                None => {}
            }
        }
        self.f.blocks[b.at()].term = term;
    }

    /// A condition with constants as immediate operands.
    fn simpler(&mut self, state: &mut State, cmp: Cmp) -> Cmp {
        if !self.passes.has(Pass::Fold) {
            return cmp;
        }
        let real = matches!(
            cmp.relation,
            Relation::RealEq | Relation::RealNe | Relation::RealLt | Relation::RealGe
        );
        match cmp.b {
            Operand::V(b) if !real => match self.value_of(state, b) {
                Some(n) if fits(n) => Cmp { b: Operand::Imm(n), ..cmp },
                _ => cmp,
            },
            _ => cmp,
        }
    }

    /// The operation in a better form; `None` if there is nothing left to do.
    fn op(
        &mut self,
        state: &mut State,
        op: Op,
        out: &mut Vec<Inst>,
        span: crate::Span,
    ) -> Option<Op> {
        match op {
            Op::Const(d, n) => {
                let number = self.constant(n);
                Some(self.reuse(state, d, number, op))
            }
            Op::Copy(d, s) => {
                let number = self.number_of(state, s);
                self.set(state, d, number);
                Some(op)
            }
            Op::Alu(alu, d, a, b) => Some(self.alu(state, alu, d, a, b, out, span)),
            Op::DataBase(d) => Some(self.keyed(state, Key::DataBase, d, op)),
            Op::Global(d, module, number) => {
                Some(self.keyed(state, Key::Global(module, number), d, op))
            }
            Op::FrameAddress(d, at) => Some(self.keyed(state, Key::Frame(at), d, op)),
            Op::Procedure(d, index) => Some(self.keyed(state, Key::Procedure(index), d, op)),
            Op::LoadGlobal { d, module, entry, byte } => {
                let extent = Extent::whole(Region::Imported);
                Some(self.load(state, At::Global(module, entry), 0, byte, extent, d, op))
            }
            Op::Load { d, base, offset, byte, extent } => {
                if extent.region == Region::Volatile {
                    let number = self.fresh();
                    if byte {
                        state.bounds.insert(number, 256);
                    }
                    self.set(state, d, number);
                    return Some(op);
                }
                let at = self.at(state, base);
                Some(self.load(state, at, offset, byte, extent, d, op))
            }
            Op::Store { s, base, offset, byte, extent } => {
                let at = self.at(state, base);
                let end = offset.saturating_add(if byte { 1 } else { 4 });
                state.memory.retain(|known| {
                    let size = if known.byte { 1 } else { 4 };
                    let apart = known.at == at
                        && (known.offset >= end || known.offset.saturating_add(size) <= offset);
                    apart || !known.extent.meets(&extent)
                });
                if extent.region != Region::Volatile {
                    let number = self.number_of(state, s);
                    if !byte || self.bound(state, number).is_some_and(|bound| bound <= 256) {
                        state.memory.push(Known { at, offset, byte, extent, number });
                    }
                }
                Some(op)
            }
            Op::Trap(cmp, number) => {
                let cmp = self.simpler(state, cmp);
                match self.decide(state, cmp) {
                    Some(false) => return None,
                    Some(true) => return Some(Op::TrapAlways(number)),
                    None => {}
                }
                self.refute(state, cmp);
                Some(Op::Trap(cmp, number))
            }
            Op::Guard { pointer, descriptor, level, present } => {
                let (p, t) = (self.number_of(state, pointer), self.number_of(state, descriptor));
                if !self.passes.has(Pass::Checks) {
                    return Some(op);
                }
                if !state.guarded.insert((p, t, level)) {
                    return None;
                }
                let zero = self.constant(0);
                let present = present || state.refuted.contains(&(Relation::Eq, p, zero));
                Some(Op::Guard { pointer, descriptor, level, present })
            }
            Op::Call { target, mut args, result } => {
                for arg in &mut args {
                    if let Operand::V(v) = *arg
                        && self.passes.has(Pass::Fold)
                        && let Some(n) = self.value_of(state, v)
                    {
                        *arg = Operand::Imm(n);
                    }
                }
                state.memory.clear();
                if self.clobbers.of(&target, args.len()) == ALL {
                    // What would have to be saved across the call is as soon computed anew.
                    state.computed.clear();
                    state.holders.clear();
                }
                if let Some(d) = result {
                    let number = self.fresh();
                    self.set(state, d, number);
                }
                Some(Op::Call { target, args, result })
            }
            Op::Below(v, bound) => {
                let number = self.number_of(state, v);
                self.bind(state, number, bound);
                Some(op)
            }
            other => {
                if let Some(d) = other.def() {
                    let number = self.fresh();
                    self.set(state, d, number);
                }
                Some(other)
            }
        }
    }

    fn at(&mut self, state: &mut State, base: Base) -> At {
        match base {
            Base::V(v) => At::Base(self.number_of(state, v)),
            Base::Frame => At::Frame,
        }
    }

    /// A value with a known number: a copy, if some register holds it already.
    fn reuse(&mut self, state: &mut State, d: V, number: Number, op: Op) -> Op {
        let held = self.holder(state, number).filter(|_| self.passes.has(Pass::Cse));
        self.set(state, d, number);
        match (held, &op) {
            // A variable is as soon loaded with a constant as with another register.
            (Some(_), Op::Const(_, n)) if self.f.is_variable(d) && fits(*n) => op,
            (Some(held), _) if held != d => Op::Copy(d, held),
            _ => op,
        }
    }

    fn keyed(&mut self, state: &mut State, key: Key, d: V, op: Op) -> Op {
        let number = match state.computed.get(&key) {
            Some(number) => *number,
            None => {
                let number = self.fresh();
                state.computed.insert(key, number);
                number
            }
        };
        self.reuse(state, d, number, op)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a load")]
    fn load(
        &mut self,
        state: &mut State,
        at: At,
        offset: i32,
        byte: bool,
        extent: Extent,
        d: V,
        op: Op,
    ) -> Op {
        let known = state
            .memory
            .iter()
            .rev()
            .find(|k| k.at == at && k.offset == offset && k.byte == byte)
            .map(|k| k.number);
        if let Some(number) = known {
            return self.reuse(state, d, number, op);
        }
        let number = self.fresh();
        if byte {
            state.bounds.insert(number, 256);
        }
        self.set(state, d, number);
        state.memory.push(Known { at, offset, byte, extent, number });
        op
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of an operation")]
    fn alu(
        &mut self,
        state: &mut State,
        alu: Alu,
        d: V,
        a: V,
        b: Operand,
        out: &mut Vec<Inst>,
        span: crate::Span,
    ) -> Op {
        let (mut alu, mut a, mut b) = (alu, a, b);
        let (x, y) = (
            self.value_of(state, a),
            match b {
                Operand::V(v) => self.value_of(state, v),
                Operand::Imm(n) => Some(n),
            },
        );
        if self.passes.has(Pass::Fold) {
            if let (Some(x), Some(y)) = (x, y)
                && let Some(n) = compute(alu, x, y)
            {
                let number = self.constant(n);
                return self.reuse(state, d, number, Op::Const(d, n));
            }
            let commutes = matches!(alu, Alu::Add | Alu::Mul | Alu::And | Alu::Ior | Alu::Xor);
            if commutes
                && let (Some(n), None, Operand::V(other)) = (x, y, b)
                && fits(n)
            {
                (a, b) = (other, Operand::Imm(n));
            } else if let (Some(n), Operand::V(_)) = (y, b)
                && fits(n)
                && !is_real(alu)
                && alu != Alu::MulUnsigned
            {
                b = Operand::Imm(n);
            }
            if let Operand::Imm(n) = b {
                let same = match alu {
                    Alu::Add
                    | Alu::Sub
                    | Alu::Ior
                    | Alu::Xor
                    | Alu::Ann
                    | Alu::Lsl
                    | Alu::Asr
                    | Alu::Ror => n == 0,
                    Alu::And => {
                        let number = self.number_of(state, a);
                        let below = self.bound(state, number);
                        n == -1
                            || n > 0
                                && (n as u32 & n.wrapping_add(1) as u32) == 0
                                && below.is_some_and(|bound| bound <= n as u32 + 1)
                    }
                    Alu::Mul | Alu::Div => n == 1,
                    _ => false,
                };
                if same {
                    let number = self.number_of(state, a);
                    self.set(state, d, number);
                    return Op::Copy(d, a);
                }
                if n == 0 && matches!(alu, Alu::Mul | Alu::And) {
                    let number = self.constant(0);
                    return self.reuse(state, d, number, Op::Const(d, 0));
                }
            }
        }
        let known = match b {
            Operand::V(v) => self.value_of(state, v),
            Operand::Imm(n) => Some(n),
        };
        if self.passes.has(Pass::Strength)
            && let Some(n) = known
            && n > 0
            && n & (n - 1) == 0
        {
            let shift = Operand::Imm(n.trailing_zeros() as i32);
            match alu {
                Alu::Mul => (alu, b) = (Alu::Lsl, shift),
                Alu::Div => (alu, b) = (Alu::Asr, shift),
                Alu::Mod if fits(n - 1) => (alu, b) = (Alu::And, Operand::Imm(n - 1)),
                Alu::Mod => {
                    let mask = self.f.new_value();
                    let number = self.constant(n - 1);
                    let op = self.reuse(state, mask, number, Op::Const(mask, n - 1));
                    out.push(Inst { op, span });
                    (alu, b) = (Alu::And, Operand::V(mask));
                }
                _ => {}
            }
        }
        let (mut m, mut n) = (self.number_of(state, a), self.operand_number(state, b));
        let bound = self.result_bound(state, alu, m, n);
        if matches!(alu, Alu::Add | Alu::Mul | Alu::And | Alu::Ior | Alu::Xor) && m > n {
            std::mem::swap(&mut m, &mut n);
        }
        let op = self.keyed(state, Key::Alu(alu, m, n), d, Op::Alu(alu, d, a, b));
        if let Some(bound) = bound {
            let number = self.number_of(state, d);
            self.bind(state, number, bound);
        }
        op
    }

    /// An unsigned bound of a result.
    fn result_bound(&self, state: &State, alu: Alu, a: Number, b: Number) -> Option<u32> {
        let n = self.values.get(&b).copied();
        let below = self.bound(state, a);
        match (alu, n) {
            (Alu::And, Some(n @ 0..)) => Some(below.unwrap_or(u32::MAX).min(n as u32 + 1)),
            (Alu::Mod, Some(n @ 1..)) => Some(n as u32),
            (Alu::Add, Some(n @ 0..0x1_0000)) => {
                below.filter(|b| *b < 0x1_0000).map(|b| b + n as u32)
            }
            (Alu::Lsl, Some(n @ 0..8)) => {
                below.filter(|b| (1..0x1_0000).contains(b)).map(|b| ((b - 1) << n) + 1)
            }
            (Alu::Asr, Some(n @ 0..31)) => {
                below.filter(|b| (1..0x8000_0000).contains(b)).map(|b| ((b - 1) >> n) + 1)
            }
            _ => None,
        }
    }
}

const fn is_real(alu: Alu) -> bool {
    matches!(alu, Alu::Fad | Alu::Fsb | Alu::Fml | Alu::Fdv | Alu::Floor | Alu::Float)
}

fn evaluate(relation: Relation, a: i32, b: i32) -> Option<bool> {
    Some(match relation {
        Relation::Eq => a == b,
        Relation::Ne => a != b,
        Relation::Lt => a < b,
        Relation::Le => a <= b,
        Relation::Gt => a > b,
        Relation::Ge => a >= b,
        Relation::Above => a as u32 >= b as u32,
        Relation::Below => (a as u32) < b as u32,
        Relation::Bit => a >> (b & 31) & 1 != 0,
        Relation::NoBit => a >> (b & 31) & 1 == 0,
        Relation::Odd => a & 1 != 0,
        Relation::Even => a & 1 == 0,
        _ => return None,
    })
}

/// What the processor computes, where that is beyond doubt.
fn compute(alu: Alu, a: i32, b: i32) -> Option<i32> {
    let shift = b as u32 & 31;
    Some(match alu {
        Alu::Add => a.wrapping_add(b),
        Alu::Sub => a.wrapping_sub(b),
        Alu::And => a & b,
        Alu::Ann => a & !b,
        Alu::Ior => a | b,
        Alu::Xor => a ^ b,
        Alu::Lsl => a.wrapping_shl(shift),
        Alu::Asr => a.wrapping_shr(shift),
        Alu::Ror => a.rotate_right(shift),
        Alu::Mul => a.wrapping_mul(b),
        Alu::Div if b > 0 => a.div_euclid(b),
        Alu::Mod if b > 0 => a.rem_euclid(b),
        Alu::Fad | Alu::Fsb | Alu::Fml | Alu::Fdv => return real(alu, a, b),
        Alu::Float if a.unsigned_abs() < 1 << 23 => (a as f32).to_bits() as i32,
        _ => return None,
    })
}

/// REAL arithmetic whose result needs no rounding: there all adders agree.
fn real(alu: Alu, a: i32, b: i32) -> Option<i32> {
    let (x, y) = (f64::from(f32::from_bits(a as u32)), f64::from(f32::from_bits(b as u32)));
    let ordinary = |v: f64| v.is_finite() && v.abs() > 1.0e-30 && v.abs() < 1.0e30;
    if !ordinary(x) || !ordinary(y) {
        return None;
    }
    let (result, exact) = match alu {
        Alu::Fad | Alu::Fsb => {
            let y = if alu == Alu::Fsb { -y } else { y };
            let sum = x + y;
            (sum, sum - x == y && sum - y == x)
        }
        Alu::Fml => (x * y, true),
        _ => (x / y, (x / y) * y == x),
    };
    let narrow = result as f32;
    (exact && ordinary(result) && f64::from(narrow) == result).then_some(narrow.to_bits() as i32)
}
