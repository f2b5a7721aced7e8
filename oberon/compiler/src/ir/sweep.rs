//! Removal of what is needed nowhere.

use super::bits::{Members, Set};
use super::live::Live;
use super::{Arguments, B, Block, Function, Op, Term};

/// Memory of the sweeps.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    needed: Set,
    exposed: Set,
    /// Where a jump to a block leads in the end.
    forward: Vec<B>,
    reached: Set,
    todo: Vec<B>,
    /// For each place in the order how many blocks before it stay.
    moved: Vec<usize>,
}

/// Finds what a block uses before it defines it.
fn expose(block: &Block, args: &Arguments, exposed: &mut Set) {
    block.term.uses(|v| exposed.add(v.at()));
    for inst in block.insts.iter().rev() {
        if let Some(d) = inst.op.def() {
            exposed.remove(d.at());
        }
        inst.op.uses(args, |v| exposed.add(v.at()));
    }
}

impl Live {
    /// Leaves out blocks that nothing leads to, jumps to jumps, and operations whose result nobody
    /// needs. Bounds stay with `bounds`. Without, and if nothing has changed since the last sweep,
    /// nothing is left to do.
    pub(crate) fn sweep(&mut self, f: &mut Function, bounds: bool) {
        self.reach(f, true);
        while !self.known {
            self.update(f);
            let Tables { needed, exposed, .. } = &mut self.sweep;
            let (mut left_out, mut same) = (false, true);
            for b in &f.order {
                let block = &mut f.blocks[b.at()];
                needed.copy(self.flow.end(*b));
                block.term.uses(|v| needed.add(v.at()));
                // What stays moves to the end of the block.
                let mut first = block.insts.len();
                for at in (0..block.insts.len()).rev() {
                    let inst = &mut block.insts[at];
                    let dead = inst.op.def().is_some_and(|d| !needed.has(d.at()));
                    let nothing = !bounds && matches!(inst.op, Op::Below(..))
                        || matches!(inst.op, Op::Copy(d, s) if d == s);
                    if nothing || dead && inst.op.is_pure() {
                        left_out |= !nothing;
                        continue;
                    }
                    if dead && let Op::Call { result, .. } = &mut inst.op {
                        *result = None;
                    }
                    if let Some(d) = inst.op.def() {
                        needed.remove(d.at());
                    }
                    inst.op.uses(&f.args, |v| needed.add(v.at()));
                    first -= 1;
                    if first != at {
                        block.insts[first] = block.insts[at];
                    }
                }
                if first > 0 {
                    block.insts.drain(..first);
                    exposed.reset(f.values as usize);
                    expose(block, &f.args, exposed);
                    same &= exposed.iter().copied().eq(self.flow.uses(*b));
                }
            }
            // What is needed where has changed only if some block needs less from the others.
            self.known = same;
            // What is left over after one round is left over by the last sweep alone.
            if !left_out || bounds {
                return;
            }
        }
    }

    /// Leaves out blocks that nothing leads to, and jumps to blocks that only jump; with `keep` not
    /// those in front of a loop, where loads may go.
    pub(crate) fn reach(&mut self, f: &mut Function, keep: bool) {
        let Tables { forward, reached, todo, moved, .. } = &mut self.sweep;
        forward.clear();
        forward.extend(f.blocks.iter().enumerate().map(|(at, block)| match block.term {
            Term::Jump(to) if block.insts.iter().all(|i| matches!(i.op, Op::Below(..))) => to,
            _ => B(at as u32),
        }));
        if keep {
            for l in &f.loops {
                forward[l.before.at()] = l.before;
            }
        }
        let decided = std::mem::take(&mut f.decided);
        if !decided && f.order.iter().all(|b| forward[b.at()] == *b) {
            return;
        }
        let follow = |mut b: B| {
            // An endless loop of jumps ends somewhere.
            for _ in 0..32 {
                if forward[b.at()] == b {
                    break;
                }
                b = forward[b.at()];
            }
            b
        };
        for block in &mut f.blocks {
            match &mut block.term {
                Term::Jump(to) => *to = follow(*to),
                Term::Branch(_, yes, no) => {
                    (*yes, *no) = (follow(*yes), follow(*no));
                    if yes == no {
                        block.term = Term::Jump(*yes);
                        self.known = false;
                    }
                }
                Term::Return(_) => {}
            }
        }
        reached.reset(f.blocks.len());
        todo.clear();
        todo.push(f.order[0]);
        while let Some(b) = todo.pop() {
            if !reached.has(b.at()) {
                reached.add(b.at());
                todo.extend(f.blocks[b.at()].term.successors());
            }
        }
        moved.clear();
        let mut kept = 0;
        for b in &f.order {
            moved.push(kept);
            kept += usize::from(reached.has(b.at()));
        }
        moved.push(kept);
        for l in &mut f.loops {
            (l.from, l.to) = (moved[l.from], moved[l.to]);
        }
        let stays = |b: &B| reached.has(b.at());
        f.loops.retain(|l| l.from < l.to && stays(&l.before) && stays(&l.head));
        f.order.retain(stays);
    }
}
