//! What is needed where.

use super::bits::{Members, Set};
use super::{B, Function};

/// What of 64 numbers a block uses before it defines it, what it defines, and what is needed at its
/// start and at its end.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    uses: u64,
    defs: u64,
    start: u64,
    end: u64,
}

/// A backward problem over the blocks: what each block uses before it defines it, and what it
/// defines, give what is needed at its start and at its end. Numbers do not depend on each other, so
/// it is solved for 64 of them at a time; few procedures have more.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// Those of all blocks for the first 64 numbers, then for the next ones.
    rows: Vec<Row>,
    blocks: usize,
    /// Blocks whose start was looked at in this round before it was computed.
    early: Set,
    /// Blocks computed in this round.
    done: Set,
}

impl Flow {
    /// Begins a problem for numbers below `size`: nothing is used or defined yet.
    pub(crate) fn reset(&mut self, f: &Function, size: usize) {
        self.blocks = f.blocks.len();
        self.rows.clear();
        self.rows.resize(self.blocks * size.div_ceil(64), Row::default());
    }

    /// A block uses a number.
    pub(crate) fn used(&mut self, b: B, at: usize) {
        let row = &mut self.rows[at / 64 * self.blocks + b.at()];
        row.uses |= 1 << (at % 64) & !row.defs;
    }

    /// A block defines a number.
    pub(crate) fn defined(&mut self, b: B, at: usize) {
        self.rows[at / 64 * self.blocks + b.at()].defs |= 1 << (at % 64);
    }

    fn of(&self, b: B) -> impl Iterator<Item = &Row> {
        self.rows.get(b.at()..).unwrap_or_default().iter().step_by(self.blocks)
    }

    /// What a block uses before it defines it.
    pub(crate) fn uses(&self, b: B) -> impl Iterator<Item = u64> {
        self.of(b).map(|row| row.uses)
    }

    /// Whether a number is needed at the start of a block.
    pub(crate) fn is_needed_at_start(&self, b: B, at: usize) -> bool {
        self.rows[at / 64 * self.blocks + b.at()].start >> (at % 64) & 1 != 0
    }

    /// What is needed at the end of a block, apart from what its end itself uses.
    pub(crate) fn end(&self, b: B) -> impl Iterator<Item = u64> {
        self.of(b).map(|row| row.end)
    }

    /// Finds the smallest solution. A round goes through the blocks against their order; there is
    /// another one only if the start of a loop changed after the end of the loop had looked at it.
    pub(crate) fn solve(&mut self, f: &Function) {
        for rows in self.rows.chunks_exact_mut(self.blocks) {
            let mut again = true;
            while again {
                again = false;
                self.early.reset(self.blocks);
                self.done.reset(self.blocks);
                for b in f.order.iter().rev() {
                    let mut end = 0;
                    for s in f.blocks[b.at()].term.successors() {
                        end |= rows[s.at()].start;
                        if !self.done.has(s.at()) {
                            self.early.add(s.at());
                        }
                    }
                    let row = &mut rows[b.at()];
                    let start = end & !row.defs | row.uses;
                    again |= row.start != start && self.early.has(b.at());
                    (row.start, row.end) = (start, end);
                    self.done.add(b.at());
                }
            }
        }
    }
}

/// The values needed at the start and at the end of each block, as long as they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub(crate) flow: Flow,
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
        let flow = &mut self.flow;
        for b in &f.order {
            let block = &f.blocks[b.at()];
            for inst in &block.insts {
                inst.op.uses(&f.args, |v| flow.used(*b, v.at()));
                if let Some(d) = inst.op.def() {
                    flow.defined(*b, d.at());
                }
            }
            block.term.uses(|v| flow.used(*b, v.at()));
        }
        flow.solve(f);
    }
}
