//! What can go wrong.

use crate::register::Register;
use crate::settings::SettingsError;
use core::fmt::Debug;

/// Why the driver could not do what was asked. `S` and `P` are the errors of SPI and pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error<S: Debug, P: Debug> {
    /// The SPI failed.
    #[error("SPI transfer to the radio failed: {0:?}")]
    Spi(S),
    /// The CE pin failed.
    #[error("the radio's CE pin cannot be driven: {0:?}")]
    Pin(P),
    /// Settings that cannot work.
    #[error("radio settings refused: {0}")]
    Settings(#[from] SettingsError),
    /// Nothing was set up yet.
    #[error("the radio was not started: start it with settings first")]
    NotStarted,
    /// No chip answers.
    #[error(
        "no radio answers: SETUP_AW reads {read:02X}H where 01H to 03H is possible; {}",
        stuck(*.read)
    )]
    Absent {
        /// Byte read.
        read: u8,
    },
    /// A register does not hold what was written.
    #[error(
        "radio register {} holds {read:02X}H, not {written:02X}H: lower the SPI clock (4 MHz does \
         for long wires), check supply and wires", .register.entry().name
    )]
    Differs {
        /// Which one.
        register: Register,
        /// Byte written, unstable bits left out.
        written: u8,
        /// Byte read, unstable bits left out.
        read: u8,
    },
    /// The chip had lost its registers and was brought up again; what was under way is lost.
    #[error(
        "the radio had lost its settings and was set up anew: its supply dips, 10 uF at its pins \
         help; send again"
    )]
    Restarted,
    /// Neither sent nor given up in time, and the registers are as written. The FIFO was emptied.
    #[error("the radio neither sent nor gave up in time: check CE")]
    Timeout,
    /// A payload longer than the settings allow, or empty.
    #[error("payload of {given} bytes where {allowed} are allowed: cut it into frames")]
    Payload {
        /// Bytes given.
        given: usize,
        /// Bytes allowed, at most.
        allowed: usize,
    },
    /// More payloads than the chip holds.
    #[error("{given} payloads at once: the chip holds {allowed}")]
    TooMany {
        /// Payloads given.
        given: usize,
        /// Payloads allowed.
        allowed: usize,
    },
    /// A listener with settings that make the chip answer.
    #[error("these settings acknowledge what they hear, so a listener would transmit: take none")]
    WouldAcknowledge,
}

fn stuck(read: u8) -> &'static str {
    match read {
        0xff => "MISO is high all the time: fit the module, check its supply and MISO",
        0x00 => "MISO is low all the time: check supply, CSN and MISO",
        _ => "the wires are disturbed or another chip answers: check CSN, lower the SPI clock",
    }
}
