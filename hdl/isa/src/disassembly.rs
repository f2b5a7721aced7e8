//! The text of an instruction.
//!
//! ```
//! use risc5_isa::Instruction;
//! assert_eq!(Instruction::decode(0x4EE9_0008).to_string(), "SUB R14, R14, 8");
//! assert_eq!(Instruction::decode(0x8C00_0014).to_string(), "LDR R12, R0, 14H");
//! ```

use core::fmt;

use crate::instruction::{Instruction, LOW_ENABLE, LOW_RETURN};
use crate::opcode::Op;

/// A signed number as Oberon writes it: decimal when small, else hexadecimal with `H`.
struct Number(i32);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            -9..=9 => write!(f, "{}", self.0),
            n if n < 0 => write!(f, "-{:X}H", n.unsigned_abs()),
            n => write!(f, "{n:X}H"),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Register { op: Op::Mov, u: true, v: false, a, .. } => write!(f, "MOV R{a}, H"),
            Self::Register { op: Op::Mov, u: true, v: true, a, .. } => write!(f, "MOV R{a}, flags"),
            Self::Register { op: Op::Mov, a, c, .. } => write!(f, "MOV R{a}, R{c}"),
            Self::Register { op, u, v, a, b, c } => {
                write!(f, "{}{} R{a}, R{b}, R{c}", op.mnemonic(), modifiers(op, u, v))
            }
            Self::Immediate { op: Op::Mov, u: true, a, imm, .. } => {
                write!(f, "MOV R{a}, {:X}H SHL 16", imm)
            }
            Self::Immediate { op, u, v, a, b, imm } => {
                let n = Number(i32::from(imm) - if v { 0x1_0000 } else { 0 });
                if op == Op::Mov {
                    write!(f, "MOV R{a}, {n}")
                } else {
                    write!(f, "{}{} R{a}, R{b}, {n}", op.mnemonic(), modifiers(op, u, false))
                }
            }
            Self::Memory { store, byte, a, b, offset } => {
                let name = match (store, byte) {
                    (false, false) => "LDR",
                    (false, true) => "LDB",
                    (true, false) => "STR",
                    (true, true) => "STB",
                };
                write!(f, "{name} R{a}, R{b}, {}", Number(offset))
            }
            Self::BranchRegister { link: false, low, .. } if low & LOW_RETURN != 0 => {
                write!(f, "RTI")
            }
            Self::BranchRegister { link: false, low, .. } if low & LOW_ENABLE != 0 => {
                write!(f, "{}", if low & 1 != 0 { "STI" } else { "CLI" })
            }
            Self::BranchRegister { link, cond, low } => {
                write!(f, "{}{} R{}", branch(link), cond.mnemonic(), low & 15)?;
                match (low >> 4 & 15, low >> 8) {
                    (0, 0) => Ok(()),
                    (number, position) => write!(f, " (trap {number}, pos {position})"),
                }
            }
            Self::BranchRelative { link, cond, offset } => {
                write!(f, "{}{} {}", branch(link), cond.mnemonic(), Number(offset))
            }
        }
    }
}

const fn branch(link: bool) -> &'static str {
    if link { "BL" } else { "B" }
}

/// Suffix for the modifiers that change an operation: `'` for u, FLT and FLOOR by name.
const fn modifiers(op: Op, u: bool, v: bool) -> &'static str {
    match (op, u, v) {
        (Op::Fad, true, _) => ".FLT",
        (Op::Fad, false, true) => ".FLOOR",
        (_, true, _) => "'",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn typical_instructions_read_as_expected() {
        let rows = [
            (0xC700_000F, "B R15"),
            (0xDA12_341C, "BLCC R12 (trap 1, pos 4660)"),
            (0xE700_0010, "B 10H"),
            (0xF7FF_FFFE, "BL -2"),
            (0xE9FF_FFF0, "BNE -10H"),
            (0x5D00_FFC0, "MOV R13, -40H"),
            (0x6000_0008, "MOV R0, 8H SHL 16"),
            (0x2000_0000, "MOV R0, H"),
            (0x3000_0000, "MOV R0, flags"),
            (0x0018_0001, "ADD R0, R1, R1"),
            (0x203A_0002, "MUL' R0, R3, R2"),
            (0x201C_0002, "FAD.FLT R0, R1, R2"),
            (0xB0E0_0004, "STB R0, R14, 4"),
            (0xC700_0010, "RTI"),
            (0xCF00_0021, "STI"),
            (0xCF00_0020, "CLI"),
        ];
        for (word, text) in rows {
            assert_eq!(Instruction::decode(word).to_string(), text, "{word:08X}");
        }
    }
}
