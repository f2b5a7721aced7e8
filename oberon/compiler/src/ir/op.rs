//! Operations of the intermediate form.

use super::{Operand, V};
use crate::diagnostic::Span;

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

/// The actual parameters of a call: a range of [`Arguments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Args {
    from: u32,
    count: u8,
}

impl Args {
    /// How many words.
    pub(crate) fn len(self) -> usize {
        usize::from(self.count)
    }
}

/// The actual parameters of all calls of a procedure: in one place, so that operations are small and
/// can be copied.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments(Vec<Operand>);

impl Arguments {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes the parameters of a call.
    pub(crate) fn add(&mut self, args: &[Operand]) -> Args {
        let from = self.0.len() as u32;
        self.0.extend_from_slice(args);
        Args { from, count: args.len() as u8 }
    }

    /// The parameters of a call.
    pub(crate) fn of(&self, args: Args) -> &[Operand] {
        &self.0[args.from as usize..][..args.len()]
    }

    pub(crate) fn of_mut(&mut self, args: Args) -> &mut [Operand] {
        &mut self.0[args.from as usize..][..args.len()]
    }
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq)]
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
        args: Args,
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inst {
    pub(crate) op: Op,
    pub(crate) span: Span,
}

impl Cmp {
    pub(super) fn uses(&self, mut each: impl FnMut(V)) {
        each(self.a);
        if let Operand::V(b) = self.b {
            each(b);
        }
    }

    pub(super) fn map_uses(&mut self, mut each: impl FnMut(V) -> V) {
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

    pub(crate) fn uses(&self, all: &Arguments, mut each: impl FnMut(V)) {
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
                for arg in all.of(*args) {
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

    pub(crate) fn map_uses(&mut self, all: &mut Arguments, mut each: impl FnMut(V) -> V) {
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
                for arg in all.of_mut(*args) {
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
