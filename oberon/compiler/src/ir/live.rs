//! What is needed where.

use super::bits::{Matrix, Members, Set};
use super::{B, Function};

/// A backward problem over the blocks: what each block uses before it defines it, and what it
/// defines, give what is needed at its start and at its end.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub(crate) uses: Matrix,
    pub(crate) defs: Matrix,
    pub(crate) starts: Matrix,
    pub(crate) ends: Matrix,
    /// Blocks whose start was looked at in this round before it was computed.
    early: Set,
    /// Blocks computed in this round.
    done: Set,
}

impl Flow {
    /// Begins a problem for numbers below `size`: nothing is used or defined yet.
    pub(crate) fn reset(&mut self, f: &Function, size: usize) {
        for matrix in [&mut self.uses, &mut self.defs, &mut self.starts, &mut self.ends] {
            matrix.reset(f.blocks.len(), size, false);
        }
    }

    /// Finds the smallest solution. A round goes through the blocks against their order; there is
    /// another one only if the start of a loop changed after the end of the loop had looked at it.
    pub(crate) fn solve(&mut self, f: &Function) {
        let mut again = true;
        while again {
            again = false;
            self.early.reset(f.blocks.len());
            self.done.reset(f.blocks.len());
            for b in f.order.iter().rev() {
                let end = &mut self.ends[*b];
                for s in f.blocks[b.at()].term.successors() {
                    end.join(&self.starts[s]);
                    if !self.done.has(s.at()) {
                        self.early.add(s.at());
                    }
                }
                let changed = self.flow(*b);
                again |= changed && self.early.has(b.at());
                self.done.add(b.at());
            }
        }
    }

    /// The start of a block from its end; whether that is a change.
    fn flow(&mut self, b: B) -> bool {
        let mut changed = false;
        let parts = self.ends[b].iter().zip(&self.defs[b]).zip(&self.uses[b]);
        for (start, ((end, def), used)) in self.starts[b].iter_mut().zip(parts) {
            let new = end & !def | used;
            changed |= *start != new;
            *start = new;
        }
        changed
    }
}

/// The values needed at the start and at the end of each block, as long as they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub(super) flow: Flow,
    /// What is known is true of the procedure as it is now.
    pub(super) known: bool,
    pub(super) sweep: super::sweep::Tables,
}

impl Live {
    /// The procedure is another one than before: what was known is no longer true.
    pub(crate) fn changed(&mut self) {
        self.known = false;
    }

    /// Makes sure that what is known is true.
    pub(crate) fn update(&mut self, f: &Function) {
        if std::mem::replace(&mut self.known, true) {
            return;
        }
        self.flow.reset(f, f.values as usize);
        for b in &f.order {
            let (used, defined) = (&mut self.flow.uses[*b], &mut self.flow.defs[*b]);
            let block = &f.blocks[b.at()];
            for inst in &block.insts {
                inst.op.uses(&f.args, |v| {
                    if !defined.has(v.at()) {
                        used.add(v.at());
                    }
                });
                if let Some(d) = inst.op.def() {
                    defined.add(d.at());
                }
            }
            block.term.uses(|v| {
                if !defined.has(v.at()) {
                    used.add(v.at());
                }
            });
        }
        self.flow.solve(f);
    }

    /// What is needed at the start of a block.
    pub(crate) fn starts(&self, b: B) -> &[u64] {
        &self.flow.starts[b]
    }

    /// What is needed at the end of a block, apart from what its end itself uses.
    pub(crate) fn ends(&self, b: B) -> &[u64] {
        &self.flow.ends[b]
    }
}
