//! Receiving.

use crate::driver::{Mode, Nrf24, Outcome};
use crate::error::Error;
use crate::register::{FifoStatus, Register, Status, command};
use crate::settings::{Length, MAX_PAYLOAD};
use crate::statistics::count;
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::OutputPin;
use embedded_hal::spi::SpiDevice;

/// RPD means something after so long in receive mode: 130 us to settle, 40 us to measure.
const RPD_US: u32 = 170;

/// A payload received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    bytes: [u8; MAX_PAYLOAD],
    len: usize,
}

impl Payload {
    /// Its bytes, 1 to 32.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl<S: SpiDevice, C: OutputPin, D: DelayNs> Nrf24<S, C, D> {
    /// The oldest payload that waits, or `None`. Whether one waits is asked of the FIFO, for the
    /// flag of STATUS stands for an arrival and not for what is left to read.
    ///
    /// # Errors
    /// [`Error::Restarted`] if the chip had lost its registers, [`Error::Absent`] or
    /// [`Error::Differs`] if it cannot be brought up.
    pub fn receive(&mut self) -> Outcome<Option<Payload>, S, C> {
        self.ready()?;
        let fifo = FifoStatus(self.bus.read(Register::FifoStatus).map_err(Error::Spi)?);
        // Between sends nothing is left to send, so a line that is low all the time shows here.
        if !fifo.possible() || !fifo.tx_empty() {
            self.suspect()?;
            self.bus.command(command::FLUSH_TX).map_err(Error::Spi)?;
            return Ok(None);
        }
        if fifo.rx_empty() {
            return Ok(None);
        }
        if fifo.rx_full() {
            count(&mut self.statistics.rx_full);
        }
        let Some(len) = self.next_length()? else { return Ok(None) };
        let bytes = self.bus.fetch(len).map_err(Error::Spi)?;
        self.bus.clear(Status::RX_DR).map_err(Error::Spi)?;
        count(&mut self.statistics.received);
        Ok(Some(Payload { bytes, len }))
    }

    /// Length of the oldest payload. An impossible one means a damaged FIFO: it is emptied.
    fn next_length(&mut self) -> Outcome<Option<usize>, S, C> {
        if let Length::Static(len) = self.settings.length {
            return Ok(Some(usize::from(len)));
        }
        let len = usize::from(self.bus.width().map_err(Error::Spi)?);
        if (1..=MAX_PAYLOAD).contains(&len) {
            return Ok(Some(len));
        }
        count(&mut self.statistics.bad_lengths);
        self.bus.command(command::FLUSH_RX).map_err(Error::Spi)?;
        self.bus.clear(Status::RX_DR).map_err(Error::Spi)?;
        Ok(None)
    }

    /// Whether a signal above -64 dBm has lasted for 40 us since the last frame; waits 170 us, and
    /// reads while the receiver is on, for the bit is frozen when CE falls. False in standby.
    ///
    /// # Errors
    /// That of the SPI.
    pub fn signal(&mut self) -> Outcome<bool, S, C> {
        if self.mode != Mode::Listening {
            return Ok(false);
        }
        self.delay.delay_us(RPD_US);
        Ok(self.bus.read(Register::Rpd).map_err(Error::Spi)? == 1)
    }
}
