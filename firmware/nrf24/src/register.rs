//! The chip's registers, commands and flags as tables.
//!
//! Source: nRF24L01+ Product Specification 1.0, table 20 (commands) and chapter 9 (register map).
//! A test compares [`REGISTERS`] with the table of the chip's model.

/// A register by its address. The discriminant is the address, 5 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Register {
    /// Interrupt masks, CRC, power, role: [`config`].
    Config = 0x00,
    /// Auto-acknowledge, a bit a pipe.
    EnAa = 0x01,
    /// Pipes that receive, a bit a pipe.
    EnRxaddr = 0x02,
    /// Address width: 1 to 3 for 3 to 5 bytes.
    SetupAw = 0x03,
    /// Retries: delay in the upper half, number in the lower.
    SetupRetr = 0x04,
    /// Channel: 2400 MHz and so many.
    RfCh = 0x05,
    /// Rate, power, carrier: [`rf_setup`].
    RfSetup = 0x06,
    /// Flags, written with ones to clear them: [`Status`].
    Status = 0x07,
    /// Lost packets in the upper half, retries of the last one in the lower.
    ObserveTx = 0x08,
    /// Bit 0: a signal above -64 dBm.
    Rpd = 0x09,
    /// Address of pipe 0, low byte first.
    RxAddrP0 = 0x0a,
    /// Address of pipe 1, low byte first.
    RxAddrP1 = 0x0b,
    /// Low byte of pipe 2; the others are pipe 1's.
    RxAddrP2 = 0x0c,
    /// Low byte of pipe 3.
    RxAddrP3 = 0x0d,
    /// Low byte of pipe 4.
    RxAddrP4 = 0x0e,
    /// Low byte of pipe 5.
    RxAddrP5 = 0x0f,
    /// Address to send to, low byte first.
    TxAddr = 0x10,
    /// Payload bytes of pipe 0, 0 to 32.
    RxPwP0 = 0x11,
    /// Payload bytes of pipe 1.
    RxPwP1 = 0x12,
    /// Payload bytes of pipe 2.
    RxPwP2 = 0x13,
    /// Payload bytes of pipe 3.
    RxPwP3 = 0x14,
    /// Payload bytes of pipe 4.
    RxPwP4 = 0x15,
    /// Payload bytes of pipe 5.
    RxPwP5 = 0x16,
    /// State of both FIFOs: [`FifoStatus`].
    FifoStatus = 0x17,
    /// Dynamic payload length, a bit a pipe.
    Dynpd = 0x1c,
    /// Dynamic payload length and payloads in acknowledgements: [`feature`].
    Feature = 0x1d,
}

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which one.
    pub register: Register,
    /// Name in the product specification.
    pub name: &'static str,
    /// Width in bytes, 1 or 5.
    pub bytes: usize,
    /// Every byte's value after power-on.
    pub reset: u8,
    /// Bits that read back as written on genuine chips and on clones: what a check may compare.
    pub stable: u8,
}

impl Register {
    /// Its line in [`REGISTERS`].
    pub fn entry(self) -> &'static Entry {
        // Every variant has a line; the test `every_register_has_a_line` holds that.
        REGISTERS.iter().find(|entry| entry.register == self).unwrap_or(&REGISTERS[0])
    }
}

const fn byte(register: Register, name: &'static str, reset: u8, stable: u8) -> Entry {
    Entry { register, name, bytes: 1, reset, stable }
}

const fn address(register: Register, name: &'static str, reset: u8) -> Entry {
    Entry { register, name, bytes: 5, reset, stable: 0xff }
}

/// All registers, by address. RF_SETUP's bit 0 is power on some clones and nothing on others, so
/// no check may look at it; its bit 4 is for factory tests.
pub const REGISTERS: [Entry; 26] = [
    byte(Register::Config, "CONFIG", 0x08, 0x7f),
    byte(Register::EnAa, "EN_AA", 0x3f, 0x3f),
    byte(Register::EnRxaddr, "EN_RXADDR", 0x03, 0x3f),
    byte(Register::SetupAw, "SETUP_AW", 0x03, 0x03),
    byte(Register::SetupRetr, "SETUP_RETR", 0x03, 0xff),
    byte(Register::RfCh, "RF_CH", 0x02, 0x7f),
    byte(Register::RfSetup, "RF_SETUP", 0x0e, 0xae),
    byte(Register::Status, "STATUS", 0x0e, 0x00),
    byte(Register::ObserveTx, "OBSERVE_TX", 0x00, 0x00),
    byte(Register::Rpd, "RPD", 0x00, 0x00),
    address(Register::RxAddrP0, "RX_ADDR_P0", 0xe7),
    address(Register::RxAddrP1, "RX_ADDR_P1", 0xc2),
    byte(Register::RxAddrP2, "RX_ADDR_P2", 0xc3, 0xff),
    byte(Register::RxAddrP3, "RX_ADDR_P3", 0xc4, 0xff),
    byte(Register::RxAddrP4, "RX_ADDR_P4", 0xc5, 0xff),
    byte(Register::RxAddrP5, "RX_ADDR_P5", 0xc6, 0xff),
    address(Register::TxAddr, "TX_ADDR", 0xe7),
    byte(Register::RxPwP0, "RX_PW_P0", 0x00, 0x3f),
    byte(Register::RxPwP1, "RX_PW_P1", 0x00, 0x3f),
    byte(Register::RxPwP2, "RX_PW_P2", 0x00, 0x3f),
    byte(Register::RxPwP3, "RX_PW_P3", 0x00, 0x3f),
    byte(Register::RxPwP4, "RX_PW_P4", 0x00, 0x3f),
    byte(Register::RxPwP5, "RX_PW_P5", 0x00, 0x3f),
    byte(Register::FifoStatus, "FIFO_STATUS", 0x11, 0x00),
    byte(Register::Dynpd, "DYNPD", 0x00, 0x3f),
    byte(Register::Feature, "FEATURE", 0x00, 0x07),
];

/// Bits of CONFIG.
pub mod config {
    /// The three interrupts do not drive the pin.
    pub const MASK_ALL: u8 = 0x70;
    /// The one that tells of a payload does not.
    pub const MASK_RX_DR: u8 = 0x40;
    /// Checksum on.
    pub const EN_CRC: u8 = 0x08;
    /// Checksum of two bytes.
    pub const CRCO: u8 = 0x04;
    /// Powered.
    pub const PWR_UP: u8 = 0x02;
    /// Receiver.
    pub const PRIM_RX: u8 = 0x01;
}

/// Bits of RF_SETUP.
pub mod rf_setup {
    /// 250 kbit/s.
    pub const DR_LOW: u8 = 0x20;
    /// 2 Mbit/s.
    pub const DR_HIGH: u8 = 0x08;
    /// Place of the two bits of transmit power.
    pub const PWR_SHIFT: u8 = 1;
    /// Nothing on the chip meant here, the amplifier of its predecessor, more power on a clone.
    pub const LNA: u8 = 0x01;
}

/// Bits of FEATURE.
pub mod feature {
    /// Dynamic payload length.
    pub const EN_DPL: u8 = 0x04;
}

/// Command bytes.
pub(crate) mod command {
    pub const R_REGISTER: u8 = 0x00;
    pub const W_REGISTER: u8 = 0x20;
    pub const ACTIVATE: u8 = 0x50;
    /// Data of ACTIVATE: opens the last two registers on chips that lock them.
    pub const ACTIVATE_FEATURES: u8 = 0x73;
    /// Data of ACTIVATE: changes the bank of registers on clones that have two.
    pub const ACTIVATE_BANK: u8 = 0x53;
    pub const R_RX_PL_WID: u8 = 0x60;
    pub const R_RX_PAYLOAD: u8 = 0x61;
    pub const W_TX_PAYLOAD: u8 = 0xa0;
    pub const FLUSH_TX: u8 = 0xe1;
    pub const FLUSH_RX: u8 = 0xe2;
    pub const NOP: u8 = 0xff;
}

/// STATUS, shifted out with every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Status(pub u8);

impl Status {
    /// A packet arrived since this was cleared. Says nothing about how many wait.
    pub const RX_DR: u8 = 0x40;
    /// A packet was sent, and acknowledged where that was asked for.
    pub const TX_DS: u8 = 0x20;
    /// All retries failed. Nothing is sent until this is cleared.
    pub const MAX_RT: u8 = 0x10;
    /// The three that are cleared by writing ones.
    pub const FLAGS: u8 = Self::RX_DR | Self::TX_DS | Self::MAX_RT;

    /// A packet was sent.
    pub const fn sent(self) -> bool {
        self.0 & Self::TX_DS != 0
    }

    /// A packet was given up.
    pub const fn gave_up(self) -> bool {
        self.0 & Self::MAX_RT != 0
    }

    /// Pipe of the oldest payload, if there is one.
    pub const fn pipe(self) -> Option<u8> {
        match self.0 >> 1 & 7 {
            pipe @ 0..=5 => Some(pipe),
            _ => None,
        }
    }
}

/// FIFO_STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FifoStatus(pub u8);

impl FifoStatus {
    /// No payload waits to be read.
    pub const fn rx_empty(self) -> bool {
        self.0 & 0x01 != 0
    }

    /// Three payloads wait: what comes now is lost.
    pub const fn rx_full(self) -> bool {
        self.0 & 0x02 != 0
    }

    /// No payload waits to be sent.
    pub const fn tx_empty(self) -> bool {
        self.0 & 0x10 != 0
    }

    /// Bits 2, 3 and 7 do not exist: one of them set means that this came from no chip.
    pub const fn possible(self) -> bool {
        self.0 & 0x8c == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_has_a_line() {
        for entry in &REGISTERS {
            assert_eq!(entry.register.entry(), entry);
        }
        assert!(REGISTERS.windows(2).all(|pair| (pair[0].register as u8) < pair[1].register as u8));
    }

    #[test]
    fn pipe_seven_is_none() {
        assert_eq!(Status(0x0e).pipe(), None);
        assert_eq!(Status(0x4a).pipe(), Some(5));
        assert_eq!(Status(0x40).pipe(), Some(0));
    }
}
