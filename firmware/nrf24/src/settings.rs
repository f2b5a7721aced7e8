//! What a chip is to be: profiles, and the registers that follow from them.

use crate::register::{Register, config, feature, rf_setup};

/// Longest payload in bytes.
pub const MAX_PAYLOAD: usize = 32;
/// Payloads that each FIFO holds.
pub const FIFO_DEPTH: usize = 3;

/// Bit rate on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// 250 kbit/s.
    K250,
    /// 1 Mbit/s.
    M1,
    /// 2 Mbit/s.
    M2,
}

impl Rate {
    /// Air time of so many bits, in microseconds, rounded up.
    pub const fn air_us(self, bits: u32) -> u32 {
        match self {
            Self::K250 => bits * 4,
            Self::M1 => bits,
            Self::M2 => bits.div_ceil(2),
        }
    }

    const fn bits(self) -> u8 {
        match self {
            Self::K250 => rf_setup::DR_LOW,
            Self::M1 => 0,
            Self::M2 => rf_setup::DR_HIGH,
        }
    }
}

/// Transmit power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Power {
    /// -18 dBm.
    Minus18 = 0,
    /// -12 dBm.
    Minus12 = 1,
    /// -6 dBm.
    Minus6 = 2,
    /// 0 dBm.
    Zero = 3,
}

/// Checksum that the chip adds and checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crc {
    /// None. Not possible with acknowledgement.
    Off,
    /// One byte.
    One,
    /// Two bytes.
    Two,
}

/// How long payloads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// That many bytes, 1 to 32, not named in the frame.
    Static(u8),
    /// As long as the frame says. Needs acknowledgement.
    Dynamic,
}

/// Acknowledgement and retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// From the end of a frame to the next try, in steps of 250 us: 250 to 4000.
    pub delay_us: u16,
    /// Tries after the first, 0 to 15.
    pub count: u8,
}

impl Retries {
    /// Power-on value: 250 us, 3.
    pub const RESET: Self = Self { delay_us: 250, count: 3 };

    const fn byte(self) -> u8 {
        ((self.delay_us / 250).saturating_sub(1) as u8 & 15) << 4 | self.count & 15
    }
}

/// All that decides how a chip sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Channel, 2400 MHz and so many: 0 to 125.
    pub channel: u8,
    /// Bit rate.
    pub rate: Rate,
    /// Transmit power.
    pub power: Power,
    /// Own address, low byte first: pipe 0 while listening.
    pub own: [u8; 5],
    /// Address to send to, low byte first.
    pub target: [u8; 5],
    /// Payload length.
    pub length: Length,
    /// Checksum.
    pub crc: Crc,
    /// Acknowledgement; `None` for none, and no packet control field on the air.
    pub acknowledged: Option<Retries>,
    /// RF_SETUP bit 0, for the profile that sets it.
    pub lna: bool,
    /// The IRQ pin falls when a payload arrives, until [`Nrf24::receive`](crate::Nrf24::receive) has
    /// read it. Nothing else moves the pin.
    pub interrupt: bool,
}

/// Why settings cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Beyond what the chip tunes to.
    #[error("channel {channel} is above 125: the chip cannot be tuned there, take 0 to 125")]
    Channel {
        /// Channel asked for.
        channel: u8,
    },
    /// Nothing, or more than a frame holds.
    #[error("payload of {bytes} bytes: a static payload has 1 to 32")]
    Length {
        /// Length asked for.
        bytes: u8,
    },
    /// Dynamic length without acknowledgement.
    #[error("dynamic payload length needs acknowledgement: switch it on or take a static length")]
    DynamicNeedsAck,
    /// Acknowledgement without checksum: the chip would switch it on by itself.
    #[error("acknowledgement needs a checksum: take one of one or two bytes")]
    AckNeedsCrc,
    /// A retry delay that SETUP_RETR cannot hold.
    #[error(
        "retry delay of {delay_us} us, {count} retries: 250 to 4000 us in steps of 250, 0 to 15 retries"
    )]
    Retries {
        /// Delay asked for.
        delay_us: u16,
        /// Retries asked for.
        count: u8,
    },
    /// The next try would begin before the acknowledgement is over.
    #[error(
        "retry delay of {delay_us} us: an acknowledgement takes {needed_us} us at this rate, take more"
    )]
    RetryDelay {
        /// Delay asked for.
        delay_us: u16,
        /// Turn-round and air time of an empty acknowledgement.
        needed_us: u32,
    },
}

/// Turn-round between sending and receiving, and from standby to either.
pub(crate) const SETTLE_US: u32 = 130;
/// Preamble and address of 5 bytes.
const FRONT_BITS: u32 = 48;
/// Packet control field.
const CONTROL_BITS: u32 = 9;

/// One register and what it must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which one.
    pub register: Register,
    /// Value, low byte first; [`Entry::bytes`](crate::register::Entry) of it count.
    pub value: [u8; 5],
}

impl Row {
    const fn byte(register: Register, value: u8) -> Self {
        Self { register, value: [value, 0, 0, 0, 0] }
    }
}

/// Rows that [`Settings::rows`] gives.
pub const ROWS: usize = 17;

impl Settings {
    /// Profile `kube`: broadcast without acknowledgement, 32 bytes, CRC-16, 1 Mbit/s, 0 dBm.
    /// A second chip set the same way hears every frame whole and never transmits.
    pub const fn kube(channel: u8) -> Self {
        Self {
            channel,
            rate: Rate::M1,
            power: Power::Zero,
            own: [0xe7; 5],
            target: [0xe7; 5],
            length: Length::Static(32),
            crc: Crc::Two,
            acknowledged: None,
            lna: false,
            interrupt: false,
        }
    }

    /// Profile `wirth`: what Project Oberon's SCC relies on, with acknowledgement. A chip set so
    /// answers every frame it hears.
    pub const fn wirth(channel: u8) -> Self {
        Self { acknowledged: Some(Retries::RESET), lna: true, ..Self::kube(channel) }
    }

    /// For hearing frames of profile `wirth` without answering: no checksum, so that the packet
    /// control field stays in front of the payload. 247 of the 256 payload bits fit behind it; the
    /// rest and the checksum are lost.
    pub const fn wirth_cut_short(channel: u8) -> Self {
        Self { crc: Crc::Off, ..Self::kube(channel) }
    }

    /// Whether these settings can work.
    ///
    /// # Errors
    /// [`SettingsError`] with what to change.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.channel > 125 {
            return Err(SettingsError::Channel { channel: self.channel });
        }
        if let Length::Static(bytes) = self.length
            && (bytes == 0 || usize::from(bytes) > MAX_PAYLOAD)
        {
            return Err(SettingsError::Length { bytes });
        }
        let Some(Retries { delay_us, count }) = self.acknowledged else {
            return match self.length {
                Length::Dynamic => Err(SettingsError::DynamicNeedsAck),
                Length::Static(_) => Ok(()),
            };
        };
        if self.crc == Crc::Off {
            return Err(SettingsError::AckNeedsCrc);
        }
        if count > 15 || !(250..=4000).contains(&delay_us) || delay_us % 250 != 0 {
            return Err(SettingsError::Retries { delay_us, count });
        }
        let needed_us = SETTLE_US + self.air_us(0);
        if u32::from(delay_us) <= needed_us {
            return Err(SettingsError::RetryDelay { delay_us, needed_us });
        }
        Ok(())
    }

    /// Air time of a frame with so many payload bytes, in microseconds.
    pub fn air_us(&self, payload: usize) -> u32 {
        let control = if self.acknowledged.is_some() { CONTROL_BITS } else { 0 };
        let crc = match self.crc {
            Crc::Off => 0,
            Crc::One => 8,
            Crc::Two => 16,
        };
        self.rate.air_us(FRONT_BITS + control + payload as u32 * 8 + crc)
    }

    /// Longest time from the CE pulse to the end of an exchange, in microseconds: every try with its
    /// turn-round, and as much again as one try for the poller's grain.
    pub fn exchange_us(&self, payload: usize) -> u32 {
        let (tries, delay_us) = match self.acknowledged {
            Some(retries) => (u32::from(retries.count) + 1, u32::from(retries.delay_us)),
            None => (1, 0),
        };
        (tries + 1) * (SETTLE_US + self.air_us(payload) + delay_us)
    }

    /// CONFIG without the bit that makes a receiver.
    pub(crate) const fn config(&self) -> u8 {
        let crc = match self.crc {
            Crc::Off => 0,
            Crc::One => config::EN_CRC,
            Crc::Two => config::EN_CRC | config::CRCO,
        };
        let masks =
            if self.interrupt { config::MASK_ALL & !config::MASK_RX_DR } else { config::MASK_ALL };
        masks | crc | config::PWR_UP
    }

    /// Every register that these settings decide, and its value as a receiver. Nothing is left to
    /// what a chip has at power-on.
    pub fn rows(&self) -> [Row; ROWS] {
        let pipes = if self.acknowledged.is_some() { 0x3f } else { 0 };
        let (width, dynamic) = match self.length {
            Length::Static(bytes) => (bytes, false),
            Length::Dynamic => (MAX_PAYLOAD as u8, true),
        };
        let rf = self.rate.bits()
            | (self.power as u8) << rf_setup::PWR_SHIFT
            | if self.lna { rf_setup::LNA } else { 0 };
        [
            Row::byte(Register::Config, self.config() | config::PRIM_RX),
            Row::byte(Register::EnAa, pipes),
            Row::byte(Register::EnRxaddr, 0x01),
            Row::byte(Register::SetupAw, 0x03),
            Row::byte(Register::SetupRetr, self.acknowledged.map_or(0, Retries::byte)),
            Row::byte(Register::RfCh, self.channel),
            Row::byte(Register::RfSetup, rf),
            Row { register: Register::RxAddrP0, value: self.own },
            Row { register: Register::TxAddr, value: self.target },
            Row::byte(Register::RxPwP0, width),
            Row::byte(Register::RxPwP1, 0),
            Row::byte(Register::RxPwP2, 0),
            Row::byte(Register::RxPwP3, 0),
            Row::byte(Register::RxPwP4, 0),
            Row::byte(Register::RxPwP5, 0),
            Row::byte(Register::Dynpd, u8::from(dynamic)),
            Row::byte(Register::Feature, if dynamic { feature::EN_DPL } else { 0 }),
        ]
    }
}

/// Whether an address is one that noise or a shifted frame matches too easily: fewer than four
/// changes between neighbouring bits, or the bits of a preamble.
///
/// ```
/// use nrf24::settings::weak_address;
/// assert!(weak_address(&[0x01, 0x00, 0x00, 0x00, 0x00]));
/// assert!(weak_address(&[0x55; 5]));
/// assert!(!weak_address(&[0xe7; 5]));
/// ```
pub fn weak_address(low_first: &[u8; 5]) -> bool {
    let bits = low_first.iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
    let changes = ((bits ^ bits >> 1) & ((1 << 39) - 1)).count_ones();
    !(4..=36).contains(&changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_can_work() {
        for settings in [Settings::kube(5), Settings::wirth(5), Settings::wirth_cut_short(5)] {
            assert_eq!(settings.check(), Ok(()));
        }
        assert_eq!(Settings::kube(5).air_us(32), 320);
        assert_eq!(Settings::wirth(5).air_us(32), 329);
        assert_eq!(Settings::wirth(5).air_us(0), 73);
    }

    #[test]
    fn what_cannot_work_is_named() {
        let good = Settings::wirth(5);
        let ack = |delay_us, count| Some(Retries { delay_us, count });
        let cases = [
            (Settings { channel: 126, ..good }, SettingsError::Channel { channel: 126 }),
            (Settings { length: Length::Static(0), ..good }, SettingsError::Length { bytes: 0 }),
            (Settings { length: Length::Static(33), ..good }, SettingsError::Length { bytes: 33 }),
            (
                Settings { length: Length::Dynamic, acknowledged: None, ..good },
                SettingsError::DynamicNeedsAck,
            ),
            (Settings { crc: Crc::Off, ..good }, SettingsError::AckNeedsCrc),
            (
                Settings { acknowledged: ack(300, 3), ..good },
                SettingsError::Retries { delay_us: 300, count: 3 },
            ),
            (
                Settings { acknowledged: ack(250, 16), ..good },
                SettingsError::Retries { delay_us: 250, count: 16 },
            ),
        ];
        for (settings, error) in cases {
            assert_eq!(settings.check(), Err(error));
        }
    }

    #[test]
    fn retries_take_the_fields_of_the_register() {
        assert_eq!(Retries::RESET.byte(), 0x03);
        assert_eq!(Retries { delay_us: 4000, count: 15 }.byte(), 0xff);
    }
}
