//! Commands over SPI. Each is one transaction: CSN falls before its first bit and rises after the
//! bus has shifted the last one, and no two commands share a transaction. What writes to the chip
//! reads nothing back, so that an adapter for which an answer costs a turn of USB need not wait.

use crate::register::{Register, Status, command};
use crate::settings::{MAX_PAYLOAD, Row};
use embedded_hal::spi::SpiDevice;

/// The SPI side of a chip.
pub(crate) struct Bus<S> {
    pub spi: S,
}

impl<S: SpiDevice> Bus<S> {
    /// A command without data.
    pub fn command(&mut self, byte: u8) -> Result<Status, S::Error> {
        let mut buffer = [byte];
        self.spi.transfer_in_place(&mut buffer)?;
        Ok(Status(buffer[0]))
    }

    /// STATUS alone.
    pub fn status(&mut self) -> Result<Status, S::Error> {
        self.command(command::NOP)
    }

    /// The first byte of a register.
    pub fn read(&mut self, register: Register) -> Result<u8, S::Error> {
        let mut buffer = [command::R_REGISTER | register as u8, command::NOP];
        self.spi.transfer_in_place(&mut buffer)?;
        Ok(buffer[1])
    }

    /// All five bytes of an address register, low byte first.
    pub fn read_address(&mut self, register: Register) -> Result<[u8; 5], S::Error> {
        let mut buffer = [command::NOP; 6];
        buffer[0] = command::R_REGISTER | register as u8;
        self.spi.transfer_in_place(&mut buffer)?;
        let [_, address @ ..] = buffer;
        Ok(address)
    }

    /// One byte to a register.
    pub fn write(&mut self, register: Register, value: u8) -> Result<(), S::Error> {
        self.spi.write(&[command::W_REGISTER | register as u8, value])
    }

    /// A row with all its bytes.
    pub fn write_row(&mut self, row: &Row) -> Result<(), S::Error> {
        let bytes = row.register.entry().bytes;
        let mut buffer = [command::W_REGISTER | row.register as u8; 6];
        buffer[1..=bytes].copy_from_slice(&row.value[..bytes]);
        self.spi.write(&buffer[..=bytes])
    }

    /// The first byte of a row that reads back other than written, without its unstable bits:
    /// written, read.
    pub fn compare(&mut self, row: &Row) -> Result<Option<(u8, u8)>, S::Error> {
        let entry = row.register.entry();
        let read = if entry.bytes == 5 {
            self.read_address(row.register)?
        } else {
            [self.read(row.register)?, 0, 0, 0, 0]
        };
        let pairs = row.value.iter().zip(read).take(entry.bytes);
        let mut masked = pairs.map(|(&value, read)| (value & entry.stable, read & entry.stable));
        Ok(masked.find(|(written, read)| written != read))
    }

    /// Clears flags of STATUS.
    pub fn clear(&mut self, flags: u8) -> Result<(), S::Error> {
        self.write(Register::Status, flags)
    }

    /// Queues a payload of at most 32 bytes.
    pub fn load(&mut self, payload: &[u8]) -> Result<(), S::Error> {
        let len = payload.len().min(MAX_PAYLOAD);
        let mut buffer = [command::W_TX_PAYLOAD; 1 + MAX_PAYLOAD];
        buffer[1..=len].copy_from_slice(&payload[..len]);
        self.spi.write(&buffer[..=len])
    }

    /// Takes the oldest payload, of so many bytes, out of the FIFO.
    pub fn fetch(&mut self, len: usize) -> Result<[u8; MAX_PAYLOAD], S::Error> {
        let len = len.min(MAX_PAYLOAD);
        let mut buffer = [command::NOP; 1 + MAX_PAYLOAD];
        buffer[0] = command::R_RX_PAYLOAD;
        self.spi.transfer_in_place(&mut buffer[..=len])?;
        let mut payload = [0; MAX_PAYLOAD];
        payload[..len].copy_from_slice(&buffer[1..=len]);
        Ok(payload)
    }

    /// Length of the oldest payload, as the chip says.
    pub fn width(&mut self) -> Result<u8, S::Error> {
        let mut buffer = [command::R_RX_PL_WID, command::NOP];
        self.spi.transfer_in_place(&mut buffer)?;
        Ok(buffer[1])
    }

    /// Toggles what the data byte stands for: locked registers, bank.
    pub fn activate(&mut self, what: u8) -> Result<(), S::Error> {
        self.spi.write(&[command::ACTIVATE, what])
    }
}
