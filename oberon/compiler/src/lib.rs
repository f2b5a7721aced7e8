//! Oberon-07 to RISC5: object files, symbol files, boot linker, disassembler.

pub mod link;
pub mod object;
