//! The intermediate form between typed tree and code.
//!
//! A procedure is a graph of basic blocks. Operations have three addresses and work on *virtual
//! registers*: local variables that are kept in registers (`Function::variables` of them, assigned
//! any number of times) and temporaries (assigned once). Checks are operations of their own, and every
//! access to memory says which part of memory it can touch.
//!
//! ```text
//! typed tree --lower--> blocks --number--> blocks --sweep--> ... --split--> ... --colour--> --emit--> code
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`passes`] | the names of the passes, to switch them off one by one |
//! | `lower` | typed tree to blocks |
//! | `op` | the operations |
//! | `number` | folding, common subexpressions, strength reduction, proved checks |
//! | `bits`, `lists` | sets, and lists by owner |
//! | `live`, `sweep` | what is needed where; removal of what is not |
//! | `split` | values that live across calls go to the frame and come back |
//! | `colour` | virtual registers to registers |
//! | `schedule` | loads away from their first use |
//! | `emit` | blocks to instructions |
//! | `dump` | blocks as text |
//!
//! No pass moves, adds or removes a trap that the program would have met, nor changes the order of
//! traps, calls, stores and accesses by address (`SYSTEM.GET` and the like).

pub(crate) mod bits;
pub(crate) mod colour;
pub(crate) mod dump;
pub(crate) mod emit;
pub(crate) mod lists;
pub(crate) mod live;
pub(crate) mod lower;
pub(crate) mod number;
mod op;
pub mod passes;
pub(crate) mod scan;
pub(crate) mod schedule;
pub(crate) mod split;
mod sweep;

use std::cell::Cell;

use crate::diagnostic::Span;
use lists::Lists;
pub(crate) use op::{Alu, Arguments, Base, Cmp, Extent, Inst, Op, Region, Relation, Target};

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct V(pub(crate) u32);

impl V {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// Second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    V(V),
    Imm(i32),
}

/// A block, by its index in [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct B(pub(crate) u32);

impl B {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Term {
    Jump(B),
    Branch(Cmp, B, B),
    Return(Option<V>),
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) insts: Vec<Inst>,
    pub(crate) term: Term,
    pub(crate) span: Span,
    /// Loops around it.
    pub(crate) depth: u8,
}

/// A loop: the block that its rounds start with, the block before, and the blocks of the loop as a
/// range of [`Function::order`].
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) before: B,
    pub(crate) head: B,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// A procedure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) blocks: Vec<Block>,
    /// Blocks in the order of the code, the entry first.
    pub(crate) order: Vec<B>,
    pub(crate) loops: Vec<Loop>,
    /// Actual parameters of the calls.
    pub(crate) args: Arguments,
    /// Virtual registers that exist.
    pub(crate) values: u32,
    /// The first so many are variables.
    pub(crate) variables: u32,
    /// Variables of one byte, whose values are 0 to 255.
    pub(crate) bytes: Vec<bool>,
    /// Bytes of local variables in the frame.
    pub(crate) frame_bytes: u32,
    /// Words of the frame behind the variables.
    pub(crate) slots: u32,
    /// An edge is gone: blocks may be in the order that nothing leads to.
    pub(crate) decided: bool,
    /// Memory for the operations of further blocks.
    unused: Vec<Vec<Inst>>,
}

impl Function {
    /// Becomes a procedure without blocks; its memory stays.
    pub(crate) fn restart(&mut self) {
        self.unused.extend(self.blocks.drain(..).map(|block| block.insts));
        self.order.clear();
        self.loops.clear();
        self.args.clear();
        self.bytes.clear();
        self.decided = true;
        (self.values, self.variables, self.frame_bytes, self.slots) = (0, 0, 0, 0);
    }

    /// A new block without operations, which has no place in the order yet.
    pub(crate) fn new_block(&mut self, span: Span, depth: u8) -> B {
        let mut insts = self.unused.pop().unwrap_or_default();
        insts.clear();
        self.blocks.push(Block { insts, term: Term::Return(None), span, depth });
        B(self.blocks.len() as u32 - 1)
    }

    pub(crate) fn new_value(&mut self) -> V {
        self.values += 1;
        V(self.values - 1)
    }

    pub(crate) fn new_slot(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    pub(crate) fn is_variable(&self, v: V) -> bool {
        v.0 < self.variables
    }

    /// The blocks from which an edge leads to each block, one for each edge.
    pub(crate) fn predecessors(&self, before: &mut Lists<B>) {
        before.clear();
        for b in &self.order {
            for s in self.blocks[b.at()].term.successors() {
                before.push(s.at(), *b);
            }
        }
        before.sort(self.blocks.len());
    }
}

impl Term {
    pub(crate) fn successors(&self) -> impl Iterator<Item = B> {
        let (a, b) = match self {
            Self::Jump(to) => (Some(*to), None),
            Self::Branch(_, yes, no) => (Some(*yes), Some(*no)),
            Self::Return(_) => (None, None),
        };
        a.into_iter().chain(b)
    }

    pub(crate) fn uses(&self, mut each: impl FnMut(V)) {
        match self {
            Self::Jump(_) => {}
            Self::Branch(cmp, ..) => cmp.uses(each),
            Self::Return(value) => value.iter().for_each(|v| each(*v)),
        }
    }

    pub(crate) fn map_uses(&mut self, mut each: impl FnMut(V) -> V) {
        match self {
            Self::Jump(_) => {}
            Self::Branch(cmp, ..) => cmp.map_uses(each),
            Self::Return(value) => {
                if let Some(v) = value {
                    *v = each(*v);
                }
            }
        }
    }
}

/// Immediate operands have 16 bits and a bit that is copied into the upper half.
pub(crate) fn fits(value: i32) -> bool {
    (-0x1_0000..=0xFFFF).contains(&value)
}

/// Memory of the passes, kept from one procedure to the next.
#[derive(Default)]
pub(crate) struct Workspace {
    live: live::Live,
    numbering: number::Tables,
    split: split::Tables,
    colour: colour::Tables,
    pub(crate) emission: emit::Tables,
}

thread_local! {
    static SPACE: Cell<Option<(Function, Workspace)>> = const { Cell::new(None) };
}

/// A procedure without blocks and the memory of the passes, as the last module of this thread has left
/// them; [`put_back`] leaves them to the next one.
pub(crate) fn take_space() -> (Function, Workspace) {
    SPACE.take().unwrap_or_default()
}

pub(crate) fn put_back(space: (Function, Workspace)) {
    SPACE.set(Some(space));
}

/// Runs the passes over a procedure and finds a register for each value. `None` if there are too few.
pub(crate) fn improve(
    f: &mut Function,
    passes: passes::Passes,
    clobbers: &split::Clobbers<'_>,
    space: &mut Workspace,
) -> Option<colour::Colours> {
    let live = &mut space.live;
    live.changed();
    live.sweep(f, true);
    clear_bytes(f, live);
    number::number(f, passes, clobbers, &mut space.numbering);
    live.changed();
    live.sweep(f, false);
    split::split(f, clobbers, passes.has(passes::Pass::Hoist), live, &mut space.split);
    live.sweep(f, false);
    let colours = colour::colour(f, clobbers, live, &mut space.colour)?;
    if passes.has(passes::Pass::Schedule) {
        schedule::schedule(f, &colours);
    }
    live.reach(f, false);
    Some(colours)
}

/// A byte that is read before it is assigned must still be a byte, as it would be in memory: passes
/// rely on it.
fn clear_bytes(f: &mut Function, live: &mut live::Live) {
    if !f.bytes.contains(&true) {
        return;
    }
    live.update(f);
    let entry = f.order[0];
    let block = &mut f.blocks[entry.at()];
    let parameters = block.insts.iter().take_while(|i| matches!(i.op, Op::Param(..))).count();
    let span = block.span;
    let uncertain = |v: &usize| f.bytes[*v] && live.flow.is_needed_at_start(entry, *v);
    for v in (0..f.bytes.len()).filter(uncertain) {
        block.insts.insert(parameters, Inst { op: Op::Const(V(v as u32), 0), span });
    }
}

#[cfg(test)]
mod tests;
