//! What the registers say to the radio: channel, rate, power, addresses, formats.

use crate::register::{self, Cells, config, feature, rf_setup};
use crate::variant::Variant;
use kube_proto::frame::{Address, CrcMode, Format, MAX_PAYLOAD, PayloadLength, Rate};

/// Pipes of a receiver.
pub(super) const PIPES: u8 = 6;

/// A view of the registers.
pub(super) struct Settings<'a>(pub &'a Cells, pub Variant);

impl Settings<'_> {
    pub fn powered(&self) -> bool {
        self.0.byte(register::CONFIG) & config::PWR_UP != 0
    }

    pub fn receiver(&self) -> bool {
        self.0.byte(register::CONFIG) & config::PRIM_RX != 0
    }

    pub fn channel(&self) -> u8 {
        self.0.byte(register::RF_CH)
    }

    /// RF_DR_HIGH does not count where RF_DR_LOW is set.
    pub fn rate(&self) -> Rate {
        let setup = self.0.byte(register::RF_SETUP);
        match (setup & rf_setup::DR_LOW != 0, setup & rf_setup::DR_HIGH != 0) {
            (true, _) => Rate::K250,
            (false, false) => Rate::M1,
            (false, true) => Rate::M2,
        }
    }

    /// Output power. The steps of the Si24R1 are general knowledge, only its +7 dBm is cited.
    pub fn power_dbm(&self) -> i16 {
        let setup = self.0.byte(register::RF_SETUP);
        if self.1 == Variant::Si24r1 {
            return [-12, -6, -4, 0, 1, 3, 4, 7][usize::from(setup & (rf_setup::PWR | 1))];
        }
        [-18, -12, -6, 0][usize::from((setup & rf_setup::PWR) >> 1)]
    }

    /// Asked to send an unmodulated carrier.
    pub fn carrier(&self) -> bool {
        self.0.byte(register::RF_SETUP) & rf_setup::CONT_WAVE != 0
    }

    /// Acknowledgements on that pipe may carry payloads.
    pub fn answers_with_payload(&self, pipe: u8) -> bool {
        self.dynamic(pipe) && self.0.byte(register::FEATURE) & feature::EN_ACK_PAY != 0
    }

    /// The chip has the other sense of NO_ACK on that pipe.
    pub fn inverts_no_ack(&self, pipe: u8) -> bool {
        let dyn_ack = self.0.byte(register::FEATURE) & feature::EN_DYN_ACK != 0;
        self.1 == Variant::Si24r1 && (dyn_ack || self.dynamic(pipe))
    }

    /// EN_CRC is forced on where any pipe acknowledges.
    pub fn crc(&self) -> CrcMode {
        let set = self.0.byte(register::CONFIG);
        if set & config::EN_CRC == 0 && self.0.byte(register::EN_AA) == 0 {
            CrcMode::Off
        } else if set & config::CRCO == 0 {
            CrcMode::Crc8
        } else {
            CrcMode::Crc16
        }
    }

    /// SETUP_AW; the forbidden 0 acts as 2 bytes.
    pub fn address_bytes(&self) -> usize {
        usize::from(self.0.byte(register::SETUP_AW) & 3) + 2
    }

    /// TX_ADDR: its low bytes where the width is below 5.
    pub fn target(&self) -> Address {
        self.address(*self.0.bytes(register::TX_ADDR))
    }

    fn address(&self, low_first: [u8; 5]) -> Address {
        // The width is always 2 to 5.
        Address::from_low_first(&low_first[..self.address_bytes()]).unwrap_or(Address::OBERON)
    }

    /// An address that noise and shifted frames pass for: at most two changes of level, or a change
    /// with every bit.
    pub fn weak_address(&self, register: u8) -> bool {
        let bits = self.address_bytes() as u32 * 8;
        let value = self.0.bytes(register)[..self.address_bytes()].iter().rev();
        let value = value.fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        let changes = (value ^ value >> 1) & ((1 << (bits - 1)) - 1);
        changes.count_ones() <= 2 || changes.count_ones() == bits - 1
    }

    pub fn auto_ack(&self, pipe: u8) -> bool {
        self.0.byte(register::EN_AA) >> pipe & 1 != 0
    }

    pub fn dynamic(&self, pipe: u8) -> bool {
        self.0.byte(register::FEATURE) & feature::EN_DPL != 0
            && self.0.byte(register::DYNPD) >> pipe & 1 != 0
    }

    /// A packet control field follows the address.
    pub fn control(&self, pipe: u8) -> bool {
        self.auto_ack(pipe) || self.dynamic(pipe)
    }

    /// Address and format of a pipe; `None` if it does not receive. Pipes 2 to 5 share the upper
    /// bytes of pipe 1.
    pub fn pipe(&self, pipe: u8) -> Option<(Address, Format)> {
        let width = usize::from(self.0.byte(register::RX_PW_P0 + pipe)).min(MAX_PAYLOAD);
        let enabled = self.0.byte(register::EN_RXADDR) >> pipe & 1 != 0;
        if !enabled || width == 0 && !self.dynamic(pipe) {
            return None;
        }
        let mut bytes = *self.0.bytes(register::RX_ADDR_P0 + pipe.min(1));
        if pipe > 1 {
            bytes[0] = self.0.byte(register::RX_ADDR_P0 + pipe);
        }
        let format = Format {
            address_bytes: self.address_bytes(),
            control: self.control(pipe),
            payload: if self.dynamic(pipe) {
                PayloadLength::Dynamic
            } else {
                PayloadLength::Static(width)
            },
            crc: self.crc(),
        };
        Some((self.address(bytes), format))
    }
}
