//! The exported Verilog under Verilator, with pin-level SD card, serial line and radio.
//!
//! [`Machine`] is one station made from `hdl/verilog/sim`. Its clock loop runs in C++ for many cycles at
//! a time; the serial line and the SPI slaves follow every edge there, whole bytes come here. The
//! card is the byte model of kube-emu, the radio the chip of kube-air, each behind a shift register.
//!
//! | module | holds |
//! |---|---|
//! | [`gates`] | a netlist after synthesis beside its sources |
//! | [`lockstep`] | circuit against emulator, instruction by instruction |
//! | [`program`] | random programs for it |
//! | [`picture`] | what a screen makes of a board's picture |
//! | [`profile`] | cycles per instruction, by hazard |
//! | [`sdram`] | the memory chip of a board, with its rules |
//! | [`stage`] | how far a start came, and what to look at where it failed |
//!
//! [`Units`] has the core's units by themselves.
//!
//! To simulate a design of one's own with such a machine and an air: docs/co-simulation.md.
//!
//! ```
//! use kube_emu::NoRadio;
//! use kube_rtl::Machine;
//!
//! let mut machine = Machine::new(None, NoRadio::default(), 0);
//! machine.set_prom(&[0x4000_0081, 0x5100_FFC4, 0xA010_0000, 0xE7FF_FFFF]);
//! machine.run_cycles(100);
//! assert_eq!(machine.leds(), 0x81);
//! ```

mod ffi;
pub mod gates;
pub mod lockstep;
mod machine;
pub mod picture;
pub mod profile;
pub mod program;
mod radio;
pub mod sdram;
pub mod stage;
pub mod variant;
mod verilate;

pub use ffi::{Answer, Question, Record, Units};
pub use machine::{Machine, Stalls, WaveformError};
pub use radio::RadioPins;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/co-simulation.md")]
struct CoSimulation;
