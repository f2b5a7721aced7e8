//! Blocks as text, for tests and curious people.

use std::fmt;

use super::{Arguments, Base, Function, Op, Operand, Target, Term, V};

impl fmt::Display for V {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V(v) => v.fmt(f),
            Self::Imm(n) => n.fmt(f),
        }
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V(v) => v.fmt(f),
            Self::Frame => f.write_str("frame"),
        }
    }
}

fn suffix(byte: bool) -> &'static str {
    if byte { ".b" } else { "" }
}

impl Op {
    fn write(&self, f: &mut fmt::Formatter<'_>, all: &Arguments) -> fmt::Result {
        match self {
            Self::Const(d, n) => write!(f, "{d} := {n}"),
            Self::Copy(d, s) => write!(f, "{d} := {s}"),
            Self::Alu(op, d, a, b) => write!(f, "{d} := {op:?} {a}, {b}"),
            Self::DataBase(d) => write!(f, "{d} := data"),
            Self::Global(d, m, n) => write!(f, "{d} := address {m}.{n}"),
            Self::LoadGlobal { d, module, entry, byte } => {
                write!(f, "{d} := load{} {module}.{entry}", suffix(*byte))
            }
            Self::FrameAddress(d, at) => write!(f, "{d} := frame + {at}"),
            Self::SlotAddress(d, slot) => write!(f, "{d} := address of slot {slot}"),
            Self::Procedure(d, index) => write!(f, "{d} := procedure {index}"),
            Self::Load { d, base, offset, byte, extent } => {
                write!(f, "{d} := load{} {base} + {offset} ({:?})", suffix(*byte), extent.region)
            }
            Self::Store { s, base, offset, byte, extent } => {
                write!(f, "store{} {base} + {offset}, {s} ({:?})", suffix(*byte), extent.region)
            }
            Self::Trap(cmp, n) => write!(f, "trap {n} if {:?} {}, {}", cmp.relation, cmp.a, cmp.b),
            Self::TrapAlways(n) => write!(f, "trap {n}"),
            Self::Call { target, args, result } => {
                if let Some(d) = result {
                    write!(f, "{d} := ")?;
                }
                match target {
                    Target::Own(index) => write!(f, "call procedure {index}")?,
                    Target::Imported(m, n) => write!(f, "call {m}.{n}")?,
                    Target::Value(v) => write!(f, "call {v}")?,
                    Target::New => write!(f, "new")?,
                }
                all.of(*args).iter().try_for_each(|arg| write!(f, ", {arg}"))
            }
            Self::Param(d, n) => write!(f, "{d} := parameter {n}"),
            Self::Reload(d, slot) => write!(f, "{d} := slot {slot}"),
            Self::Spill(s, slot) => write!(f, "slot {slot} := {s}"),
            Self::Guard { pointer, descriptor, level, .. } => {
                write!(f, "guard {pointer} is {descriptor} at level {level}")
            }
            Self::Raw(word) => write!(f, "word {word:08X}"),
            Self::Below(v, n) => write!(f, "{v} below {n}"),
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for b in &self.order {
            let block = &self.blocks[b.at()];
            writeln!(f, "  block {}:", b.0)?;
            for inst in &block.insts {
                f.write_str("    ")?;
                inst.op.write(f, &self.args)?;
                writeln!(f)?;
            }
            match &block.term {
                Term::Jump(to) => writeln!(f, "    jump {}", to.0)?,
                Term::Branch(cmp, yes, no) => writeln!(
                    f,
                    "    if {:?} {}, {} then {} else {}",
                    cmp.relation, cmp.a, cmp.b, yes.0, no.0
                )?,
                Term::Return(None) => writeln!(f, "    return")?,
                Term::Return(Some(v)) => writeln!(f, "    return {v}")?,
            }
        }
        Ok(())
    }
}
