//! The nRF24L01+ at the level of its SPI commands, and the medium between chips.
//!
//! A machine owns its [`Chip`] and talks to it over SPI and the CE pin; the [`Air`] owns what is
//! between chips. They meet only in [`Air::step`], so machines may run on as many threads as one
//! likes in between, and the trace is the same.
//!
//! # The quantum rule
//!
//! A frame's first bit leaves the chip 130 us after CE rose, and the chip knows after the 10 us
//! that make a CE pulse valid that it will. So every frame is known 120 us ahead. If the air
//! collects frames at least every [`QUANTUM_NS`] (100 us; the 20 us left are slack for machines
//! that finish an instruction past the boundary), each is announced to its receivers before it
//! starts, and a receiver can settle on its own, along its own time line, what it heard:
//!
//! ```text
//!  sender     CE __/~~~~~~\______________________________
//!                  |10 us |                    first bit        last bit
//!                  |      known to its chip    |================|
//!                  |<---------- 130 us ------->|<-- 320 us ---->|
//!  time       -----+------|--------------------|----------------|------->
//!  boundaries ---|----------------|----------------|----------------|--->
//!                T0               T1               T2               T3
//!  step(T1)                       ^ collected from the sender, announced to all others
//!  receiver                                    ^ listening, channel, rate, address?
//!                                                               ^ still? overlapped? checksum?
//! ```
//!
//! What gives no such warning takes effect at a boundary: a sender switched off in mid-frame, a
//! station cut off, the air off. A payload written while another frame is being sent leaves 130 us
//! after it was written at the earliest.
//!
//! A retry of an unacknowledged frame is known only 20 us ahead. While one is possible
//! [`Air::horizon_ns`] asks for an earlier boundary; profile `kube` never makes it do so.

mod air;
mod arrivals;
pub mod bench;
mod chip;
mod config;
mod fifo;
mod flight;
mod lint;
mod listener;
mod log;
mod noise;
mod recorder;
mod register;
mod script;
mod timing;
mod variant;

pub use air::{Air, AirError};
pub use chip::Chip;
pub use config::{AirConfig, Identical, Link, LogDistance, Position, Sensitivity};
pub use flight::{Departure, Flight, FlightId, Outcome, StationId};
pub use lint::{Lint, Lints};
pub use listener::{HeardFrame, ListenerId, Sighting, TapId};
pub use log::{Reception, Record, Totals};
pub use noise::{Noise, NoiseSource};
pub use recorder::{Recorder, station_capture, tap_capture};
pub use register::{REGISTERS, Register};
pub use script::{DropRule, Frames};
pub use timing::{QUANTUM_NS, Timing};
pub use variant::{AckIdentity, ChipConfig, Variant};
