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

//!
//! # What becomes of a frame
//!
//! At each station a frame has exactly one [`Outcome`], and the sums match ([`Totals`]):
//!
//! 1. The receiver must listen before the first bit and to the last, on its channel, at its rate.
//! 2. The signal must reach its [`Sensitivity`]; the level is output power less the attenuation of
//!    a [`Link`], of the distance between two [`Position`]s, or of [`AirConfig::path_loss_db`].
//! 3. The address must be that of a pipe, and the receiver not be at another frame. It turns from one
//!    to another only in the first one's preamble, and only to one that stands out.
//! 4. At every moment it must stand out by [`AirConfig::capture_db`] from the sum of all other frames,
//!    carriers and [`Noise`] on the channel. Identical frames at the same moment: [`Identical`].
//! 5. It must not be lost by chance or by a [`DropRule`]. Bit errors flip real bits; a frame with
//!    wrong ones is rejected by the checksum, if there is one.
//! 6. The RX FIFO must have room.
//!
//! Power on neighbouring channels, the spectrum of a frame, fading, and clocks that drift are not
//! modelled. A [`Tap`](Air::add_tap) sees good frames and bad ones; a [`Recorder`] writes
//! what stations and taps got as pcapng.
//!
//! The chip is described in `chip.rs`; [`ChipConfig`] says which one it is, and [`Lints`] counts what
//! it was told that the product specification forbids.

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

pub use air::{Air, AirError, Chips};
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
