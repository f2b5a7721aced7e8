//! The five instruction forms. Decoding is total: every word is some instruction.
//!
//! ```text
//! bits  31 30 29 28  27..24  23..20  19..16  15..4   3..0
//! F0     0  0  u  v    a       b       op     -       c     Ra := Rb op Rc
//! F1     0  1  u  v    a       b       op     imm:16        Ra := Rb op n
//! F2     1  0  u  v    a       b       offset:20            u=0 load, u=1 store; v=1 byte
//! F3     1  1  0  v    cond    low:24, target register c    branch to Rc, v=1 links
//! F3     1  1  1  v    cond    offset:24                    branch to PC+1+offset (words)
//! ```
//!
//! Source: Project Oberon, "The RISC5 architecture", and RISC5.v of 31.8.2018.

use crate::opcode::{Cond, Op};

/// A decoded instruction. Register numbers are 0..=15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// F0: `Ra := Rb op Rc`.
    Register {
        /// Operation.
        op: Op,
        /// Modifier u (bit 29).
        u: bool,
        /// Modifier v (bit 28).
        v: bool,
        /// Destination register.
        a: u8,
        /// First operand register.
        b: u8,
        /// Second operand register.
        c: u8,
    },
    /// F1: `Ra := Rb op n`, where n is `imm` with v copied into bits 31..16.
    Immediate {
        /// Operation.
        op: Op,
        /// Modifier u (bit 29).
        u: bool,
        /// Fill of the upper half of the operand (bit 28).
        v: bool,
        /// Destination register.
        a: u8,
        /// First operand register.
        b: u8,
        /// Low half of the second operand.
        imm: u16,
    },
    /// F2: load or store of a word or a byte at `Rb + offset`.
    Memory {
        /// Store if set, else load.
        store: bool,
        /// Byte if set, else word.
        byte: bool,
        /// Data register.
        a: u8,
        /// Base register.
        b: u8,
        /// Byte offset, signed 20 bits.
        offset: i32,
    },
    /// F3 with u = 0: branch to the byte address in a register.
    BranchRegister {
        /// R15 := byte address of the next instruction, if the branch is taken.
        link: bool,
        /// Condition.
        cond: Cond,
        /// The low 24 bits: target register in 3..0, in between the trap number and source
        /// position that a trap carries, or the interrupt bits ([`RETURN_FROM_INTERRUPT`]).
        low: u32,
    },
    /// F3 with u = 1: branch to the next instruction's address plus `offset` words.
    BranchRelative {
        /// R15 := byte address of the next instruction, if the branch is taken.
        link: bool,
        /// Condition.
        cond: Cond,
        /// Distance in words, signed 24 bits; the core uses the low 22.
        offset: i32,
    },
}

/// Return from the interrupt handler: restores the program counter and the flags.
pub const RETURN_FROM_INTERRUPT: u32 = 0xC700_0010;
/// Interrupts off; with bit 0 set, on. The condition is "never", so nothing branches.
pub const SET_INTERRUPT_ENABLE: u32 = 0xCF00_0020;
/// Bit of `low` that makes an unlinked register branch a return from interrupt.
pub const LOW_RETURN: u32 = 0x10;
/// Bit of `low` that makes it write the interrupt enable flag from bit 0.
pub const LOW_ENABLE: u32 = 0x20;

const fn sign_extend(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}

impl Instruction {
    /// Decodes any word.
    #[must_use]
    pub const fn decode(word: u32) -> Self {
        let u = word & 0x2000_0000 != 0;
        let v = word & 0x1000_0000 != 0;
        let a = (word >> 24 & 15) as u8;
        let b = (word >> 20 & 15) as u8;
        match word >> 30 {
            0 => Self::Register { op: Op::from_code(word >> 16), u, v, a, b, c: (word & 15) as u8 },
            1 => Self::Immediate { op: Op::from_code(word >> 16), u, v, a, b, imm: word as u16 },
            2 => Self::Memory { store: u, byte: v, a, b, offset: sign_extend(word & 0xF_FFFF, 20) },
            _ if u => Self::BranchRelative {
                link: v,
                cond: Cond::from_code(word >> 24),
                offset: sign_extend(word & 0xFF_FFFF, 24),
            },
            _ => Self::BranchRegister {
                link: v,
                cond: Cond::from_code(word >> 24),
                low: word & 0xFF_FFFF,
            },
        }
    }

    /// The instruction word. Bits that a form does not use are 0; fields wider than theirs are cut.
    #[must_use]
    pub const fn encode(self) -> u32 {
        const fn head(pq: u32, u: bool, v: bool, a: u32) -> u32 {
            pq << 30 | (u as u32) << 29 | (v as u32) << 28 | (a & 15) << 24
        }
        match self {
            Self::Register { op, u, v, a, b, c } => {
                head(0, u, v, a as u32) | (b as u32 & 15) << 20 | op.code() << 16 | (c as u32 & 15)
            }
            Self::Immediate { op, u, v, a, b, imm } => {
                head(1, u, v, a as u32) | (b as u32 & 15) << 20 | op.code() << 16 | imm as u32
            }
            Self::Memory { store, byte, a, b, offset } => {
                head(2, store, byte, a as u32) | (b as u32 & 15) << 20 | (offset as u32 & 0xF_FFFF)
            }
            Self::BranchRegister { link, cond, low } => {
                head(3, false, link, cond.code()) | (low & 0xFF_FFFF)
            }
            Self::BranchRelative { link, cond, offset } => {
                head(3, true, link, cond.code()) | (offset as u32 & 0xFF_FFFF)
            }
        }
    }

    /// The target register of a register branch, `None` for other forms.
    #[must_use]
    pub const fn target_register(self) -> Option<u8> {
        match self {
            Self::BranchRegister { low, .. } => Some((low & 15) as u8),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_survives_encoding() {
        let forms = [
            Instruction::Register { op: Op::Add, u: true, v: false, a: 1, b: 2, c: 15 },
            Instruction::Immediate { op: Op::Sub, u: false, v: true, a: 14, b: 14, imm: 0xFFFC },
            Instruction::Memory { store: true, byte: true, a: 3, b: 14, offset: -0x8_0000 },
            Instruction::Memory { store: false, byte: false, a: 3, b: 12, offset: 0x7_FFFF },
            Instruction::BranchRegister { link: true, cond: Cond::Eq, low: 0x01_234C },
            Instruction::BranchRelative { link: false, cond: Cond::Always, offset: -1 },
        ];
        for form in forms {
            assert_eq!(Instruction::decode(form.encode()), form);
        }
    }

    /// Only F0 has bits that mean nothing; all other words come back whole.
    #[test]
    fn every_word_survives_decoding_up_to_the_unused_bits() {
        let mut word: u32 = 1;
        for _ in 0..200_000 {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let used = if word >> 30 == 0 { 0xFFFF_000F } else { u32::MAX };
            assert_eq!(Instruction::decode(word).encode(), word & used, "{word:08X}");
        }
    }

    #[test]
    fn words_of_the_published_boot_image_decode_as_documented() {
        // Interrupt control as the compiler emits it.
        assert_eq!(
            Instruction::decode(RETURN_FROM_INTERRUPT),
            Instruction::BranchRegister { link: false, cond: Cond::Always, low: LOW_RETURN }
        );
        assert_eq!(
            Instruction::decode(SET_INTERRUPT_ENABLE | 1),
            Instruction::BranchRegister { link: false, cond: Cond::Never, low: LOW_ENABLE | 1 }
        );
    }
}
