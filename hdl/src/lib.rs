//! The RISC5 machine in Rust HDL.
//!
//! | module | holds |
//! |---|---|
//! | [`leaf`] | cells written in Verilog by hand: registers, memories, DSP multiply |
//! | [`units`] | decoder, ALU, shifter, register file, multiplier, dividers, floating point, interrupts |
//! | [`lint`] | expressions that rust-hdl prints with another meaning |
#![allow(
    clippy::len_zero,
    clippy::overly_complex_bool_expr,
    unused_qualifications,
    reason = "code made by rust-hdl's derive macros"
)]

pub mod core;
pub mod export;
pub mod io;
pub mod leaf;
pub mod lint;
pub mod memory;
pub mod soc;
pub mod units;
pub mod video;

#[cfg(test)]
mod testing;
