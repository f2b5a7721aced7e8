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
//! | `number` | folding, common subexpressions, strength reduction, proved checks |
//! | `live` | what is needed where; removal of what is not |
//! | `split` | values that live across calls go to the frame and come back |
//! | `colour` | virtual registers to registers |
//! | `schedule` | loads away from their first use |
//! | `emit` | blocks to instructions |
//! | `dump` | blocks as text |
//!
//! No pass moves, adds or removes a trap that the program would have met, nor changes the order of
//! traps, calls, stores and accesses by address (`SYSTEM.GET` and the like).

pub(crate) mod colour;
pub(crate) mod dump;
pub(crate) mod emit;
pub(crate) mod live;
pub(crate) mod lower;
pub(crate) mod number;
pub mod passes;
pub(crate) mod scan;
pub(crate) mod schedule;
pub(crate) mod split;

use crate::diagnostic::Span;

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

/// Operations on two words. `Mod` is the remainder of `Div`, `Floor` and `Float` take the conversion
/// constant as their second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Alu {
    Add,
    Sub,
    And,
    Ann,
    Ior,
    Xor,
    Lsl,
    Asr,
    Ror,
    Mul,
    MulUnsigned,
    Div,
    Mod,
    Fad,
    Fsb,
    Fml,
    Fdv,
    Floor,
    Float,
}

/// What is compared how. Each holds or not; nothing else is left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Unsigned `a >= b`: the index check.
    Above,
    /// Unsigned `a < b`.
    Below,
    RealEq,
    RealNe,
    RealLt,
    RealGe,
    /// Bit `b` of `a` is set.
    Bit,
    NoBit,
    Odd,
    Even,
}

impl Relation {
    pub(crate) const fn invert(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
            Self::Above => Self::Below,
            Self::Below => Self::Above,
            Self::RealEq => Self::RealNe,
            Self::RealNe => Self::RealEq,
            Self::RealLt => Self::RealGe,
            Self::RealGe => Self::RealLt,
            Self::Bit => Self::NoBit,
            Self::NoBit => Self::Bit,
            Self::Odd => Self::Even,
            Self::Even => Self::Odd,
        }
    }
}

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cmp {
    pub(crate) relation: Relation,
    pub(crate) a: V,
    pub(crate) b: Operand,
}

impl Cmp {
    pub(crate) fn invert(self) -> Self {
        Self { relation: self.relation.invert(), ..self }
    }
}

/// A part of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// Local variables of this procedure that are not kept in registers.
    Frame,
    /// Data of this module.
    Own,
    /// Data of other modules.
    Imported,
    /// What a pointer points to.
    Heap,
    /// Outside of this procedure's frame: what a VAR parameter stands for.
    Outer,
    /// Anything: behind a pointer that is a number in truth.
    Wild,
    /// Read-only: type descriptors and tags.
    Fixed,
    /// An address that the program computed: anything, and the access itself is an effect.
    Volatile,
}

/// What an access can touch: bytes `low` to before `high`, counted from the start of the frame's
/// variables, of the module's data, or of the heap block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) region: Region,
    pub(crate) low: i32,
    pub(crate) high: i32,
}

impl Extent {
    pub(crate) const fn whole(region: Region) -> Self {
        Self { region, low: i32::MIN, high: i32::MAX }
    }

    /// Whether two accesses may touch the same byte, and one of them may be a store.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        use Region::{Fixed, Frame, Outer, Volatile, Wild};
        match (self.region, other.region) {
            (Fixed, _) | (_, Fixed) => false,
            (Volatile | Wild, _) | (_, Volatile | Wild) => true,
            (Outer, Frame) | (Frame, Outer) => false,
            (Outer, _) | (_, Outer) => true,
            (a, b) => a == b && self.low < other.high && other.low < self.high,
        }
    }
}

/// Base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    V(V),
    /// The local variables in the frame.
    Frame,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Own(usize),
    Imported(u8, u8),
    Value(V),
    /// The allocator, by a trap that returns.
    New,
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    Const(V, i32),
    Copy(V, V),
    Alu(Alu, V, V, Operand),
    /// Data base of this module.
    DataBase(V),
    /// Address of an object of another module.
    Global(V, u8, u16),
    /// Scalar of another module.
    LoadGlobal {
        d: V,
        module: u8,
        entry: u8,
        byte: bool,
    },
    /// Address in the frame's variables.
    FrameAddress(V, i32),
    /// Address of a word of the frame that the allocator writes to.
    SlotAddress(V, u32),
    /// A procedure of this module as a value.
    Procedure(V, usize),
    Load {
        d: V,
        base: Base,
        offset: i32,
        byte: bool,
        extent: Extent,
    },
    Store {
        s: V,
        base: Base,
        offset: i32,
        byte: bool,
        extent: Extent,
    },
    /// Traps if the condition holds.
    Trap(Cmp, u8),
    TrapAlways(u8),
    Call {
        target: Target,
        args: Vec<Operand>,
        result: Option<V>,
    },
    /// Word of the parameters, in its register; only at the start of the first block.
    Param(V, u8),
    /// From and to a word of the frame.
    Reload(V, u32),
    Spill(V, u32),
    /// Traps unless the pointer is NIL or points to a record whose type has the descriptor at the
    /// level; with the flag NIL is impossible.
    Guard {
        pointer: V,
        descriptor: V,
        level: u32,
        present: bool,
    },
    /// A control word, an effect.
    Raw(u32),
    /// Costs nothing: the value is below a bound, unsigned.
    Below(V, u32),
}

/// An operation and the text it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inst {
    pub(crate) op: Op,
    pub(crate) span: Span,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) blocks: Vec<Block>,
    /// Blocks in the order of the code, the entry first.
    pub(crate) order: Vec<B>,
    pub(crate) loops: Vec<Loop>,
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
}

impl Function {
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

    /// How many edges lead to each block.
    pub(crate) fn predecessors(&self) -> Vec<Vec<B>> {
        let mut before = vec![Vec::new(); self.blocks.len()];
        for b in &self.order {
            for s in self.blocks[b.at()].term.successors() {
                before[s.at()].push(*b);
            }
        }
        before
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

impl Cmp {
    fn uses(&self, mut each: impl FnMut(V)) {
        each(self.a);
        if let Operand::V(b) = self.b {
            each(b);
        }
    }

    fn map_uses(&mut self, mut each: impl FnMut(V) -> V) {
        self.a = each(self.a);
        if let Operand::V(b) = &mut self.b {
            *b = each(*b);
        }
    }
}

impl Op {
    /// The virtual register that it assigns.
    pub(crate) fn def(&self) -> Option<V> {
        match self {
            Self::Const(d, _)
            | Self::Copy(d, _)
            | Self::Alu(_, d, ..)
            | Self::DataBase(d)
            | Self::Global(d, ..)
            | Self::LoadGlobal { d, .. }
            | Self::FrameAddress(d, _)
            | Self::SlotAddress(d, _)
            | Self::Procedure(d, _)
            | Self::Load { d, .. }
            | Self::Param(d, _)
            | Self::Reload(d, _) => Some(*d),
            Self::Call { result, .. } => *result,
            Self::Store { .. }
            | Self::Trap(..)
            | Self::TrapAlways(_)
            | Self::Guard { .. }
            | Self::Spill(..)
            | Self::Raw(_)
            | Self::Below(..) => None,
        }
    }

    pub(crate) fn set_def(&mut self, to: V) {
        match self {
            Self::Const(d, _)
            | Self::Copy(d, _)
            | Self::Alu(_, d, ..)
            | Self::DataBase(d)
            | Self::Global(d, ..)
            | Self::LoadGlobal { d, .. }
            | Self::FrameAddress(d, _)
            | Self::SlotAddress(d, _)
            | Self::Procedure(d, _)
            | Self::Load { d, .. }
            | Self::Param(d, _)
            | Self::Reload(d, _) => *d = to,
            Self::Call { result, .. } => *result = Some(to),
            Self::Store { .. }
            | Self::Trap(..)
            | Self::TrapAlways(_)
            | Self::Guard { .. }
            | Self::Spill(..)
            | Self::Raw(_)
            | Self::Below(..) => {}
        }
    }

    pub(crate) fn uses(&self, mut each: impl FnMut(V)) {
        match self {
            Self::Copy(_, s) | Self::Spill(s, _) => each(*s),
            Self::Alu(_, _, a, b) => {
                each(*a);
                if let Operand::V(b) = b {
                    each(*b);
                }
            }
            Self::Load { base: Base::V(b), .. } => each(*b),
            Self::Store { s, base, .. } => {
                each(*s);
                if let Base::V(b) = base {
                    each(*b);
                }
            }
            Self::Trap(cmp, _) => cmp.uses(each),
            Self::Guard { pointer, descriptor, .. } => {
                each(*pointer);
                each(*descriptor);
            }
            Self::Call { target, args, .. } => {
                for arg in args {
                    if let Operand::V(v) = arg {
                        each(*v);
                    }
                }
                if let Target::Value(v) = target {
                    each(*v);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn map_uses(&mut self, mut each: impl FnMut(V) -> V) {
        match self {
            Self::Copy(_, s) | Self::Spill(s, _) => *s = each(*s),
            Self::Alu(_, _, a, b) => {
                *a = each(*a);
                if let Operand::V(b) = b {
                    *b = each(*b);
                }
            }
            Self::Load { base: Base::V(b), .. } => *b = each(*b),
            Self::Store { s, base, .. } => {
                *s = each(*s);
                if let Base::V(b) = base {
                    *b = each(*b);
                }
            }
            Self::Trap(cmp, _) => cmp.map_uses(each),
            Self::Guard { pointer, descriptor, .. } => {
                *pointer = each(*pointer);
                *descriptor = each(*descriptor);
            }
            Self::Call { target, args, .. } => {
                for arg in args {
                    if let Operand::V(v) = arg {
                        *v = each(*v);
                    }
                }
                if let Target::Value(v) = target {
                    *v = each(*v);
                }
            }
            _ => {}
        }
    }

    /// Does nothing but assign its register.
    pub(crate) fn is_pure(&self) -> bool {
        match self {
            Self::Load { extent, .. } => extent.region != Region::Volatile,
            Self::Const(..)
            | Self::Copy(..)
            | Self::Alu(..)
            | Self::DataBase(_)
            | Self::Global(..)
            | Self::LoadGlobal { .. }
            | Self::FrameAddress(..)
            | Self::SlotAddress(..)
            | Self::Procedure(..)
            | Self::Param(..)
            | Self::Reload(..) => true,
            _ => false,
        }
    }
}

/// Immediate operands have 16 bits and a bit that is copied into the upper half.
pub(crate) fn fits(value: i32) -> bool {
    (-0x1_0000..=0xFFFF).contains(&value)
}

/// Runs the passes over a procedure and finds a register for each value. `None` if there are too few.
pub(crate) fn improve(
    f: &mut Function,
    passes: passes::Passes,
    clobbers: &split::Clobbers<'_>,
) -> Option<colour::Colours> {
    live::sweep(f, true);
    clear_bytes(f);
    number::number(f, passes, clobbers);
    live::sweep(f, false);
    split::split(f, clobbers, passes.has(passes::Pass::Hoist));
    live::sweep(f, false);
    let colours = colour::colour(f, clobbers)?;
    if passes.has(passes::Pass::Schedule) {
        schedule::schedule(f, &colours);
    }
    live::reach(f, false);
    Some(colours)
}

/// A byte that is read before it is assigned must still be a byte, as it would be in memory: passes
/// rely on it.
fn clear_bytes(f: &mut Function) {
    if !f.bytes.contains(&true) {
        return;
    }
    let (starts, _) = live::live(f);
    let entry = f.order[0];
    let insts = &mut f.blocks[entry.at()].insts;
    let parameters = insts.iter().take_while(|i| matches!(i.op, Op::Param(..))).count();
    let span = f.blocks[entry.at()].span;
    for v in starts[entry.at()].iter().filter(|v| f.bytes.get(*v).copied().unwrap_or(false)) {
        let clear = Inst { op: Op::Const(V(v as u32), 0), span };
        f.blocks[entry.at()].insts.insert(parameters, clear);
    }
}

#[cfg(test)]
mod tests;
