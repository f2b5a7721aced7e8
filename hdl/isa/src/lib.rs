//! The RISC5 machine as software sees it, once, as tables.
//!
//! Core, compiler, emulator, disassembler and documents are made from this crate or checked
//! against it. The instruction set is Wirth's RISC5 of 31.8.2018; the memory map and the sixteen
//! I/O words are those of Project Oberon 2013, with the additions of this project (idle word,
//! extension registers, watchdog) marked as such.
//!
//! | module | holds |
//! |---|---|
//! | [`opcode`] | register operations and branch conditions |
//! | [`instruction`] | the five instruction forms, encoder and total decoder |
//! | [`disassembly`] | the text of an instruction |
//! | [`map`] | memory map and the words that boot loader and kernel share |
//! | [`io`] | the I/O words and the bits in them |
//! | [`extension`] | the extension registers behind the I/O words -16 and -12 |
//! | [`trap`] | trap numbers, their meaning and the trap instruction |
#![no_std]

#[cfg(test)]
extern crate std;

pub mod disassembly;
pub mod extension;
pub mod instruction;
pub mod io;
pub mod map;
pub mod opcode;
pub mod trap;

pub use instruction::Instruction;
pub use opcode::{Cond, Op};

/// The extension registers under their short name.
pub use extension as ext;

/// Registers with a fixed role in the run-time conventions of the compiler.
pub mod register {
    /// Address of the module table (20H).
    pub const MODULE_TABLE: u8 = 12;
    /// Stack pointer; grows downward, word aligned.
    pub const STACK: u8 = 14;
    /// Return address of the last taken branch-and-link.
    pub const LINK: u8 = 15;
}
