//! Values that live across a call go to the frame and come back.
//!
//! The registers belong to nobody across a call of a procedure that may use all of them. A value that is
//! needed afterwards is stored where it is computed (once, and only if it is loaded again on some way)
//! and loaded before its next use, unless on every way to that use it has been loaded already. Constants
//! and addresses are computed again instead. Afterwards nothing lives across such a call.

use super::live::{Set, backward, live};
use super::{Function, Inst, Op, Target, V};

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
enum Home {
    Slot(u32),
    Again(Op),
}

pub(crate) fn split(f: &mut Function, clobbers: &Clobbers<'_>, hoist: bool) {
    let size = f.values as usize;
    let (starts, ends) = live(f);
    // What lives across calls.
    let mut across = Set::new(size);
    let mut any = false;
    let mut killing = vec![false; f.blocks.len()];
    for b in &f.order {
        let block = &f.blocks[b.at()];
        let mut needed = ends[b.at()].clone();
        block.term.uses(|v| needed.insert(v.at()));
        for inst in block.insts.iter().rev() {
            if let Some(d) = inst.op.def() {
                needed.remove(d.at());
            }
            if clobbers.kills(&inst.op) {
                across.join(&needed);
                killing[b.at()] = true;
                any = true;
            }
            inst.op.uses(|v| needed.insert(v.at()));
        }
    }
    if !any || across.iter().next().is_none() {
        return;
    }
    // Values of loops without such calls are loaded in front of the loop.
    let mut wanted: Vec<Vec<V>> = vec![Vec::new(); f.blocks.len()];
    if hoist {
        for l in &f.loops {
            let blocks = &f.order[l.from..l.to];
            if blocks.iter().any(|b| killing[b.at()]) {
                continue;
            }
            let mut used = Set::new(size);
            for b in blocks {
                for inst in &f.blocks[b.at()].insts {
                    inst.op.uses(|v| used.insert(v.at()));
                }
                f.blocks[b.at()].term.uses(|v| used.insert(v.at()));
            }
            used.meet(&across);
            used.meet(&starts[l.head.at()]);
            wanted[l.before.at()].extend(used.iter().map(|v| V(v as u32)));
        }
    }
    let at_start = available(f, clobbers, &across, &wanted);
    // Homes.
    let mut defs = vec![0_u32; size];
    let mut makers: Vec<Option<Op>> = vec![None; size];
    for b in &f.order {
        for inst in &f.blocks[b.at()].insts {
            if let Some(d) = inst.op.def() {
                defs[d.at()] += 1;
                makers[d.at()] = repeatable(&inst.op).then(|| inst.op.clone());
            }
        }
    }
    let mut homes: Vec<Option<Home>> = (0..size).map(|_| None).collect();
    for v in across.iter() {
        homes[v] = Some(match makers[v].take() {
            Some(op) if defs[v] == 1 => Home::Again(op),
            _ => Home::Slot(f.new_slot()),
        });
    }
    // Loads.
    for b in f.order.clone() {
        let mut there = at_start[b.at()].clone();
        let block = &mut f.blocks[b.at()];
        let mut out = Vec::with_capacity(block.insts.len() + 8);
        let fetch = |v: V, there: &mut Set, out: &mut Vec<Inst>, span| {
            if across.has(v.at()) && !there.has(v.at()) {
                there.insert(v.at());
                let op = match &homes[v.at()] {
                    Some(Home::Again(op)) => op.clone(),
                    Some(Home::Slot(slot)) => Op::Reload(v, *slot),
                    None => return,
                };
                out.push(Inst { op, span });
            }
        };
        for inst in std::mem::take(&mut block.insts) {
            inst.op.uses(|v| fetch(v, &mut there, &mut out, inst.span));
            if clobbers.kills(&inst.op) {
                there.clear();
            }
            if let Some(d) = inst.op.def() {
                there.insert(d.at());
            }
            out.push(inst);
        }
        for v in &wanted[b.at()] {
            fetch(*v, &mut there, &mut out, block.span);
        }
        let span = block.span;
        block.term.uses(|v| fetch(v, &mut there, &mut out, span));
        block.insts = out;
    }
    store(f, &homes);
}

/// What is in its register at the start of each block, on every way.
fn available(f: &Function, clobbers: &Clobbers<'_>, across: &Set, wanted: &[Vec<V>]) -> Vec<Set> {
    let size = f.values as usize;
    let before = f.predecessors();
    let mut starts = vec![Set::full(size); f.blocks.len()];
    let mut ends = starts.clone();
    starts[f.order[0].at()] = Set::new(size);
    let mut changed = true;
    while changed {
        changed = false;
        for (place, b) in f.order.iter().enumerate() {
            let mut there = if place == 0 { Set::new(size) } else { Set::full(size) };
            for p in &before[b.at()] {
                there.meet(&ends[p.at()]);
            }
            starts[b.at()].clone_from(&there);
            let block = &f.blocks[b.at()];
            for inst in &block.insts {
                inst.op.uses(|v| there.insert(v.at()));
                if clobbers.kills(&inst.op) {
                    there.clear();
                }
                if let Some(d) = inst.op.def() {
                    there.insert(d.at());
                }
            }
            for v in &wanted[b.at()] {
                there.insert(v.at());
            }
            block.term.uses(|v| there.insert(v.at()));
            there.meet(across);
            if there != ends[b.at()] {
                ends[b.at()] = there;
                changed = true;
            }
        }
    }
    starts
}

/// Stores a value behind each operation that computes it, if it is loaded before it is computed anew.
fn store(f: &mut Function, homes: &[Option<Home>]) {
    let size = homes.len();
    let mut uses = vec![Set::new(size); f.blocks.len()];
    let mut defs = uses.clone();
    let is_load = |op: &Op, d: V| matches!((op, homes.get(d.at())), (Op::Reload(_, slot), Some(Some(Home::Slot(own)))) if slot == own);
    for b in &f.order {
        for inst in &f.blocks[b.at()].insts {
            let Some(d) = inst.op.def() else { continue };
            if is_load(&inst.op, d) {
                if !defs[b.at()].has(d.at()) {
                    uses[b.at()].insert(d.at());
                }
            } else {
                defs[b.at()].insert(d.at());
            }
        }
    }
    let (_, ends) = backward(f, &uses, &defs, size);
    for b in f.order.clone() {
        let mut needed = ends[b.at()].clone();
        let block = &mut f.blocks[b.at()];
        let mut out: Vec<Inst> = Vec::with_capacity(block.insts.len() + 8);
        let mut parameters = Vec::new();
        for inst in std::mem::take(&mut block.insts).into_iter().rev() {
            if let Some(d) = inst.op.def() {
                if is_load(&inst.op, d) {
                    needed.insert(d.at());
                } else {
                    if let (true, Some(Some(Home::Slot(slot)))) =
                        (needed.has(d.at()), homes.get(d.at()))
                    {
                        let spill = Inst { op: Op::Spill(d, *slot), span: inst.span };
                        // Parameters arrive together; they are stored behind the last of them.
                        if matches!(inst.op, Op::Param(..)) {
                            parameters.push(spill);
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
        if !parameters.is_empty() {
            let last = out.iter().rposition(|i| matches!(i.op, Op::Param(..))).unwrap_or(0);
            out.splice(last + 1..last + 1, parameters.into_iter().rev());
        }
        block.insts = out;
    }
}
