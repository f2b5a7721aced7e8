//! What clones need beyond the genuine chip.
//!
//! BK242x and RFM7x have a second bank of registers behind a command; STATUS bit 7 shows which one
//! is selected. Without values there, which their makers publish per chip, they neither send nor
//! hear. Si24R1 and the older nRF24L01 need nothing more than the driver does anyway: no selective
//! acknowledgement, features unlocked, no check of RF_SETUP bit 0.

use crate::driver::{Nrf24, Outcome};
use crate::error::Error;
use crate::register::command;
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::OutputPin;
use embedded_hal::spi::SpiDevice;

/// A register of the second bank: its number, and its four bytes in the order in which they are
/// shifted out.
pub type SecondBankRow = (u8, [u8; 4]);

/// STATUS bit 7: the second bank is selected. Always 0 on the genuine chip.
const SECOND_BANK: u8 = 0x80;

impl<S: SpiDevice, C: OutputPin, D: DelayNs> Nrf24<S, C, D> {
    /// The same driver for a chip with a second bank, which every start and restart will write.
    #[must_use]
    pub fn with_second_bank(mut self, rows: &'static [SecondBankRow]) -> Self {
        self.second_bank = rows;
        self
    }

    /// Back to the first bank, where a warm chip was left in the second.
    pub(crate) fn leave_second_bank(&mut self) -> Outcome<(), S, C> {
        let status = self.bus.status().map_err(Error::Spi)?.0;
        if status & SECOND_BANK != 0 && status != 0xff {
            self.bus.activate(command::ACTIVATE_BANK).map_err(Error::Spi)?;
        }
        Ok(())
    }

    pub(crate) fn write_second_bank(&mut self) -> Outcome<(), S, C> {
        if self.second_bank.is_empty() {
            return Ok(());
        }
        self.bus.activate(command::ACTIVATE_BANK).map_err(Error::Spi)?;
        for &(register, value) in self.second_bank {
            let mut buffer = [command::W_REGISTER | register & 0x1f, 0, 0, 0, 0];
            buffer[1..].copy_from_slice(&value);
            self.bus.spi.transfer_in_place(&mut buffer).map_err(Error::Spi)?;
        }
        self.leave_second_bank()
    }
}
