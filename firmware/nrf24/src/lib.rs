//! Driver for the nRF24L01+ over embedded-hal 1.0.
//!
//! [`Nrf24`] is a station: it sends and receives. [`Listener`] only receives, and its type has
//! nothing that could make the chip transmit. Both trust no value a chip has at power-on: every
//! register is written and read back, and a chip that lost them is set up again.
//!
//! What belongs to the caller: an SPI in mode 0, MSB first, at most 10 MHz, whose chip select is
//! the radio's CSN alone; CE as an output; and [`Nrf24::maintain`] about once a second.
//!
//! ```
//! use nrf24::{Listener, Nrf24, Settings};
//! use embedded_hal::{delay::DelayNs, digital::OutputPin, spi::SpiDevice};
//!
//! /// Hands every frame heard on channel 5 to `heard`, until the radio fails.
//! fn listen<S, C, D>(spi: S, ce: C, delay: D, mut heard: impl FnMut(&[u8]))
//! -> Result<(), nrf24::Error<S::Error, C::Error>>
//! where S: SpiDevice, C: OutputPin, D: DelayNs {
//!     let mut radio = Listener::start(Nrf24::new(spi, ce, delay), &Settings::kube(5))?;
//!     loop {
//!         if let Some(payload) = radio.receive()? {
//!             heard(payload.as_slice());
//!         }
//!     }
//! }
//! ```

#![no_std]

mod bus;
mod clones;
mod driver;
mod error;
mod listener;
mod receive;
pub mod register;
mod send;
pub mod settings;
mod statistics;

pub use clones::SecondBankRow;
pub use driver::{Health, Nrf24};
pub use error::Error;
pub use listener::Listener;
pub use receive::Payload;
pub use send::Burst;
pub use settings::{Settings, SettingsError};
pub use statistics::Statistics;
