//! The chip's registers as a table, and their cells.
//!
//! Source of every line: nRF24L01+ Product Specification 1.0, chapter 9 "Register map", table 28
//! (digest: spec/nrf24.md A2). STATUS and FIFO_STATUS are computed from flags and FIFOs, OBSERVE_TX
//! and RPD from the radio; their lines give what reset leaves there.

use crate::variant::Variant;

/// One register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Address, 5 bits.
    pub address: u8,
    /// Name.
    pub name: &'static str,
    /// Width in bytes: 1 or 5.
    pub bytes: usize,
    /// Value after power-on reset, of every byte.
    pub reset: u8,
    /// Bits of every byte that keep what is written.
    pub writable: u8,
}

const fn register(address: u8, name: &'static str, reset: u8, writable: u8) -> Register {
    Register { address, name, bytes: 1, reset, writable }
}

const fn address(address: u8, name: &'static str, reset: u8) -> Register {
    Register { address, name, bytes: 5, reset, writable: 0xff }
}

pub(crate) const CONFIG: u8 = 0x00;
pub(crate) const EN_AA: u8 = 0x01;
pub(crate) const EN_RXADDR: u8 = 0x02;
pub(crate) const SETUP_AW: u8 = 0x03;
pub(crate) const SETUP_RETR: u8 = 0x04;
pub(crate) const RF_CH: u8 = 0x05;
pub(crate) const RF_SETUP: u8 = 0x06;
pub(crate) const STATUS: u8 = 0x07;
pub(crate) const OBSERVE_TX: u8 = 0x08;
pub(crate) const RPD: u8 = 0x09;
pub(crate) const RX_ADDR_P0: u8 = 0x0a;
pub(crate) const TX_ADDR: u8 = 0x10;
pub(crate) const RX_PW_P0: u8 = 0x11;
pub(crate) const FIFO_STATUS: u8 = 0x17;
pub(crate) const DYNPD: u8 = 0x1c;
pub(crate) const FEATURE: u8 = 0x1d;

/// CONFIG bits.
pub(crate) mod config {
    pub const EN_CRC: u8 = 0x08;
    pub const CRCO: u8 = 0x04;
    pub const PWR_UP: u8 = 0x02;
    pub const PRIM_RX: u8 = 0x01;
}

/// STATUS bits.
pub(crate) mod status {
    pub const RX_DR: u8 = 0x40;
    pub const TX_DS: u8 = 0x20;
    pub const MAX_RT: u8 = 0x10;
    pub const FLAGS: u8 = RX_DR | TX_DS | MAX_RT;
    pub const TX_FULL: u8 = 0x01;
}

/// FIFO_STATUS bits.
pub(crate) mod fifo_status {
    pub const TX_REUSE: u8 = 0x40;
    pub const TX_FULL: u8 = 0x20;
    pub const TX_EMPTY: u8 = 0x10;
    pub const RX_FULL: u8 = 0x02;
    pub const RX_EMPTY: u8 = 0x01;
}

/// RF_SETUP bits.
pub(crate) mod rf_setup {
    pub const CONT_WAVE: u8 = 0x80;
    pub const DR_LOW: u8 = 0x20;
    pub const PLL_LOCK: u8 = 0x10;
    pub const DR_HIGH: u8 = 0x08;
    pub const PWR: u8 = 0x06;
}

/// FEATURE bits.
pub(crate) mod feature {
    pub const EN_DPL: u8 = 0x04;
    pub const EN_ACK_PAY: u8 = 0x02;
    pub const EN_DYN_ACK: u8 = 0x01;
}

/// All registers of the nRF24L01+. RF_SETUP bit 0 ("don't care") can be read back on genuine chips
/// (spec/nrf24.md B, row 20).
pub const REGISTERS: &[Register] = &[
    register(CONFIG, "CONFIG", 0x08, 0x7f),
    register(EN_AA, "EN_AA", 0x3f, 0x3f),
    register(EN_RXADDR, "EN_RXADDR", 0x03, 0x3f),
    register(SETUP_AW, "SETUP_AW", 0x03, 0x03),
    register(SETUP_RETR, "SETUP_RETR", 0x03, 0xff),
    register(RF_CH, "RF_CH", 0x02, 0x7f),
    register(RF_SETUP, "RF_SETUP", 0x0e, 0xbf),
    register(STATUS, "STATUS", 0x0e, 0x00),
    register(OBSERVE_TX, "OBSERVE_TX", 0x00, 0x00),
    register(RPD, "RPD", 0x00, 0x00),
    address(RX_ADDR_P0, "RX_ADDR_P0", 0xe7),
    address(0x0b, "RX_ADDR_P1", 0xc2),
    register(0x0c, "RX_ADDR_P2", 0xc3, 0xff),
    register(0x0d, "RX_ADDR_P3", 0xc4, 0xff),
    register(0x0e, "RX_ADDR_P4", 0xc5, 0xff),
    register(0x0f, "RX_ADDR_P5", 0xc6, 0xff),
    address(TX_ADDR, "TX_ADDR", 0xe7),
    register(RX_PW_P0, "RX_PW_P0", 0x00, 0x3f),
    register(0x12, "RX_PW_P1", 0x00, 0x3f),
    register(0x13, "RX_PW_P2", 0x00, 0x3f),
    register(0x14, "RX_PW_P3", 0x00, 0x3f),
    register(0x15, "RX_PW_P4", 0x00, 0x3f),
    register(0x16, "RX_PW_P5", 0x00, 0x3f),
    register(FIFO_STATUS, "FIFO_STATUS", 0x11, 0x00),
    register(DYNPD, "DYNPD", 0x00, 0x3f),
    register(FEATURE, "FEATURE", 0x00, 0x07),
];

/// RF_SETUP of the non-plus chip: no carrier, no 250 kbit/s, LNA current in bit 0 (nRF24L01
/// specification, register map).
const RF_SETUP_NON_PLUS: Register = register(RF_SETUP, "RF_SETUP", 0x0f, 0x1f);

/// The register at an address.
pub(crate) fn find(variant: Variant, address: u8) -> Option<&'static Register> {
    if variant == Variant::NonPlus && address == RF_SETUP {
        return Some(&RF_SETUP_NON_PLUS);
    }
    REGISTERS.iter().find(|register| register.address == address)
}

/// The cells behind the writable registers.
#[derive(Clone, Debug)]
pub(crate) struct Cells([[u8; 5]; 32]);

impl Cells {
    /// After power-on reset.
    pub fn reset(variant: Variant) -> Self {
        let mut cells = [[0; 5]; 32];
        for register in (0..32).filter_map(|address| find(variant, address)) {
            cells[usize::from(register.address)][..register.bytes].fill(register.reset);
        }
        Self(cells)
    }

    /// First byte of a register.
    pub fn byte(&self, address: u8) -> u8 {
        self.bytes(address)[0]
    }

    /// All five bytes of a cell, low byte first.
    pub fn bytes(&self, address: u8) -> &[u8; 5] {
        &self.0[usize::from(address & 31)]
    }

    /// Writes byte `at` of a register through its mask; true if the value changed.
    pub fn write(&mut self, register: &Register, at: usize, value: u8) -> bool {
        let Some(cell) = self.0[usize::from(register.address & 31)].get_mut(at) else {
            return false;
        };
        let new = *cell & !register.writable | value & register.writable;
        core::mem::replace(cell, new) != new
    }
}
