//! Values that live across a call go to the frame and come back.
//!
//! The registers belong to nobody across a call of a procedure that may use all of them. A value that is
//! needed afterwards is stored where it is computed (once, and only if it is loaded again on some way)
//! and loaded before its next use, unless on every way to that use it has been loaded already. Constants
//! and addresses are computed again instead. Afterwards nothing lives across such a call.

use super::bits::{Members, Set};
use super::lists::Lists;
use super::live::{Flow, Live};
use super::{B, Function, Inst, Op, Target, V};

/// The registers that calls of the procedures of this module may change, as far as known.
pub(crate) struct Clobbers<'a> {
    pub(crate) known: &'a [Option<u16>],
}

/// All registers that values live in.
pub(crate) const ALL: u16 = 0xFFF;
/// With more registers than that taken, it is better to have all values in the frame.
const MANY: u32 = 8;

impl Clobbers<'_> {
    /// The registers that a call may change.
    pub(crate) fn of(&self, target: &Target, args: usize) -> u16 {
        let mask = match target {
            Target::Own(index) => self.known.get(*index).copied().flatten().unwrap_or(ALL),
            _ => ALL,
        };
        if mask.count_ones() > MANY { ALL } else { mask | ((1 << args) - 1) }
    }

    fn kills(&self, op: &Op) -> bool {
        match op {
            Op::Call { target, args, .. } => self.of(target, args.len()) == ALL,
            _ => false,
        }
    }
}

/// An operation that needs nothing and always gives the same: it is repeated instead of stored.
fn repeatable(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(..)
            | Op::DataBase(_)
            | Op::FrameAddress(..)
            | Op::SlotAddress(..)
            | Op::Global(..)
    )
}

/// Where a value comes back from.
#[derive(Clone, Copy, Debug, Default)]
enum Home {
    /// It never leaves its register, or that is not known yet.
    #[default]
    Nowhere,
    Slot(u32),
    Again(Op),
}

/// Which of 64 values are in their registers at the start and at the end of a block, on every way, and
/// which are behind it whatever is there before it.
#[derive(Clone, Copy, Debug)]
struct Loaded {
    gained: u64,
    start: u64,
    end: u64,
}

impl Default for Loaded {
    /// As long as nothing else is known, everything is there.
    fn default() -> Self {
        Self { gained: 0, start: u64::MAX, end: u64::MAX }
    }
}

/// Memory of the splitting.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// What lives across calls that may use all registers.
    across: Set,
    /// Blocks with such calls.
    killing: Set,
    /// Values that a block loads for the loop behind it.
    wanted: Lists<V>,
    homes: Vec<Home>,
    needed: Set,
    there: Set,
    before: Lists<B>,
    /// Of all blocks for the first 64 values, then for the next ones.
    loaded: Vec<Loaded>,
    stores: Flow,
    /// The operations of a block while it is rewritten.
    old: Vec<Inst>,
    parameters: Vec<Inst>,
}

pub(crate) fn split(
    f: &mut Function,
    clobbers: &Clobbers<'_>,
    hoist: bool,
    live: &mut Live,
    tables: &mut Tables,
) {
    live.update(f);
    tables.across(f, clobbers, live);
    if tables.across.members().next().is_none() {
        return;
    }
    live.changed();
    tables.wanted.clear();
    if hoist {
        tables.hoist(f, live);
    }
    tables.wanted.sort(f.blocks.len());
    tables.available(f, clobbers);
    tables.find_homes(f);
    tables.load(f, clobbers);
    tables.store(f);
}

impl Tables {
    fn across(&mut self, f: &Function, clobbers: &Clobbers<'_>, live: &Live) {
        self.across.reset(f.values as usize);
        self.killing.reset(f.blocks.len());
        for b in &f.order {
            let block = &f.blocks[b.at()];
            // What is needed counts only in front of a call.
            let Some(last) = block.insts.iter().rposition(|i| clobbers.kills(&i.op)) else {
                continue;
            };
            self.killing.add(b.at());
            self.needed.copy(live.flow.end(*b));
            block.term.uses(|v| self.needed.add(v.at()));
            let first = block.insts.iter().position(|i| clobbers.kills(&i.op)).unwrap_or(last);
            for inst in block.insts[first..].iter().rev() {
                if let Some(d) = inst.op.def() {
                    self.needed.remove(d.at());
                }
                if clobbers.kills(&inst.op) {
                    self.across.join(&self.needed);
                }
                inst.op.uses(&f.args, |v| self.needed.add(v.at()));
            }
        }
    }

    /// Values of loops without such calls are loaded in front of the loop.
    fn hoist(&mut self, f: &Function, live: &Live) {
        let used = &mut self.needed;
        for l in &f.loops {
            let blocks = &f.order[l.from..l.to];
            if blocks.iter().any(|b| self.killing.has(b.at())) {
                continue;
            }
            used.reset(f.values as usize);
            for b in blocks {
                for inst in &f.blocks[b.at()].insts {
                    inst.op.uses(&f.args, |v| used.add(v.at()));
                }
                f.blocks[b.at()].term.uses(|v| used.add(v.at()));
            }
            for v in used.members() {
                if self.across.has(v) && live.flow.is_needed_at_start(l.head, v) {
                    self.wanted.push(l.before.at(), V(v as u32));
                }
            }
        }
    }

    /// Finds what is in its register at the start of each block, on every way.
    fn available(&mut self, f: &Function, clobbers: &Clobbers<'_>) {
        let blocks = f.blocks.len();
        self.loaded.clear();
        self.loaded.resize(blocks * self.across.len(), Loaded::default());
        for b in &f.order {
            let gained = &mut self.there;
            gained.reset(f.values as usize);
            let block = &f.blocks[b.at()];
            for inst in &block.insts {
                inst.op.uses(&f.args, |v| gained.add(v.at()));
                if clobbers.kills(&inst.op) {
                    gained.fill(0);
                }
                if let Some(d) = inst.op.def() {
                    gained.add(d.at());
                }
            }
            for v in self.wanted.of(b.at()) {
                gained.add(v.at());
            }
            block.term.uses(|v| gained.add(v.at()));
            let rows = self.loaded[b.at()..].iter_mut().step_by(blocks);
            for ((row, gained), across) in rows.zip(gained.iter()).zip(self.across.iter()) {
                row.gained = gained & across;
            }
        }
        f.predecessors(&mut self.before);
        for rows in self.loaded.chunks_exact_mut(blocks) {
            rows[f.order[0].at()].start = 0;
            let mut changed = true;
            while changed {
                changed = false;
                for b in &f.order {
                    let before = self.before.of(b.at()).iter();
                    let start = before.fold(rows[b.at()].start, |all, p| all & rows[p.at()].end);
                    let row = &mut rows[b.at()];
                    let kept = if self.killing.has(b.at()) { 0 } else { start };
                    changed |= row.end != kept | row.gained;
                    (row.start, row.end) = (start, kept | row.gained);
                }
            }
        }
    }

    /// What lives across calls is computed again, if that needs nothing, or gets a word of the frame.
    fn find_homes(&mut self, f: &mut Function) {
        self.homes.clear();
        self.homes.resize(f.values as usize, Home::Nowhere);
        let mut several = std::mem::take(&mut self.needed);
        several.reset(f.values as usize);
        for b in &f.order {
            for inst in &f.blocks[b.at()].insts {
                let Some(d) = inst.op.def().filter(|d| self.across.has(d.at())) else { continue };
                let home = &mut self.homes[d.at()];
                match home {
                    Home::Nowhere if repeatable(&inst.op) => *home = Home::Again(inst.op),
                    _ => several.add(d.at()),
                }
            }
        }
        for v in self.across.members() {
            let home = &mut self.homes[v];
            if several.has(v) || matches!(home, Home::Nowhere) {
                *home = Home::Slot(f.new_slot());
            }
        }
        self.needed = several;
    }

    /// Loads values before their uses.
    fn load(&mut self, f: &mut Function, clobbers: &Clobbers<'_>) {
        let (across, homes, there) = (&self.across, &self.homes, &mut self.there);
        let fetch = |v: V, there: &mut Set, out: &mut Vec<Inst>, span| {
            if across.has(v.at()) && !there.has(v.at()) {
                there.add(v.at());
                let op = match homes[v.at()] {
                    Home::Again(op) => op,
                    Home::Slot(slot) => Op::Reload(v, slot),
                    Home::Nowhere => return,
                };
                out.push(Inst { op, span });
            }
        };
        for b in &f.order {
            let rows = self.loaded[b.at()..].iter().step_by(f.blocks.len());
            there.copy(rows.map(|row| row.start));
            let block = &mut f.blocks[b.at()];
            std::mem::swap(&mut self.old, &mut block.insts);
            let out = &mut block.insts;
            for inst in self.old.drain(..) {
                inst.op.uses(&f.args, |v| fetch(v, there, out, inst.span));
                if clobbers.kills(&inst.op) {
                    there.fill(0);
                }
                if let Some(d) = inst.op.def() {
                    there.add(d.at());
                }
                out.push(inst);
            }
            for v in self.wanted.of(b.at()) {
                fetch(*v, there, out, block.span);
            }
            block.term.uses(|v| fetch(v, there, out, block.span));
        }
    }

    /// Stores a value behind each operation that computes it, if it is loaded before it is computed
    /// anew.
    fn store(&mut self, f: &mut Function) {
        let homes = &self.homes;
        let is_load = |op: &Op, d: V| match (op, homes[d.at()]) {
            (Op::Reload(_, slot), Home::Slot(own)) => *slot == own,
            _ => false,
        };
        self.stores.reset(f, f.values as usize);
        for b in &f.order {
            for inst in &f.blocks[b.at()].insts {
                let Some(d) = inst.op.def() else { continue };
                if is_load(&inst.op, d) {
                    self.stores.used(*b, d.at());
                } else {
                    self.stores.defined(*b, d.at());
                }
            }
        }
        self.stores.solve(f);
        for b in &f.order {
            let needed = &mut self.needed;
            needed.copy(self.stores.end(*b));
            let block = &mut f.blocks[b.at()];
            std::mem::swap(&mut self.old, &mut block.insts);
            let out = &mut block.insts;
            for inst in self.old.drain(..).rev() {
                if let Some(d) = inst.op.def() {
                    if is_load(&inst.op, d) {
                        needed.add(d.at());
                    } else {
                        if let (true, Home::Slot(slot)) = (needed.has(d.at()), homes[d.at()]) {
                            let spill = Inst { op: Op::Spill(d, slot), span: inst.span };
                            // Parameters arrive together; they are stored behind the last of them.
                            if matches!(inst.op, Op::Param(..)) {
                                self.parameters.push(spill);
                            } else {
                                out.push(spill);
                            }
                        }
                        needed.remove(d.at());
                    }
                }
                out.push(inst);
            }
            out.reverse();
            if !self.parameters.is_empty() {
                let last = out.iter().rposition(|i| matches!(i.op, Op::Param(..))).unwrap_or(0);
                out.splice(last + 1..last + 1, self.parameters.drain(..).rev());
            }
        }
    }
}
