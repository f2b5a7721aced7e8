//! The core's units, each with its document and its tests.
//!
//! What is proven of each stands in `hdl/proofs` (docs/proofs.md); `cargo xtask prove` runs it.

mod alu;
mod condition;
mod decoder;
mod divider;
mod float_adder;
mod float_divider;
mod float_multiplier;
mod interrupts;
mod multiplier;
mod register_file;
mod shifter;
mod zeros;

pub use alu::Alu;
pub use condition::Condition;
pub use decoder::Decoder;
pub use divider::Divider;
pub use float_adder::FloatAdder;
pub use float_divider::FloatDivider;
pub use float_multiplier::FloatMultiplier;
pub use interrupts::Interrupts;
pub use multiplier::Multiplier;
pub use register_file::RegisterFile;
pub use shifter::Shifter;
pub use zeros::Zeros;
