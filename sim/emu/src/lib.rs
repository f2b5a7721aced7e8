//! The RISC5 machine, instruction by instruction, with its peripherals.
//!
//! [`Machine`] is one station: processor, memory, SD card, serial line, keyboard, mouse, picture,
//! and a place for a radio chip ([`SpiDevice`]). It runs up to a given time ([`Machine::run_until`])
//! and is deterministic: the same configuration and the same calls give the same run.
//!
//! The processor behaves as Wirth's RTL of 31.8.2018; where emulators differ from it, this one does
//! not. Time is counted in clock cycles, one table of costs per instruction class ([`CycleTable`]).
//!
//! ```
//! use kube_emu::{Config, Machine, NoRadio};
//! use risc5_isa::{Cond, Instruction, Op};
//!
//! // R0 := 81H; LED := R0; stop.
//! let program = [
//!     Instruction::Immediate { op: Op::Mov, u: false, v: false, a: 0, b: 0, imm: 0x81 },
//!     Instruction::Immediate { op: Op::Mov, u: false, v: true, a: 1, b: 0, imm: 0xFFC4 },
//!     Instruction::Memory { store: true, byte: false, a: 0, b: 1, offset: 0 },
//!     Instruction::BranchRelative { link: false, cond: Cond::Always, offset: -1 },
//! ];
//! let mut machine = Machine::new(Config::ours(Vec::new()), None, NoRadio::default());
//! machine.load_words(0, &program.map(Instruction::encode));
//! machine.run_until(1_000);
//! assert_eq!(machine.leds(), 0x81);
//! assert!(machine.halted());
//! ```

pub mod arithmetic;
mod bus;
mod clock;
mod cpu;
mod cycles;
mod float;
pub mod framebuffer;
mod integer;
pub mod loader;
mod machine;
mod memory;
mod operation;
mod outside;
mod poll;
pub mod sd;
pub mod speed;
mod spi;
pub mod stepper;
mod uart;

pub use cycles::CycleTable;
pub use machine::{Button, Config, Machine, Variant};
pub use sd::{BlockImage, CardImageError, SdCard};
pub use spi::{NoRadio, SpiDevice};
