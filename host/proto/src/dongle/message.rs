//! The messages as types.

use super::collector::line;
use super::{
    BOOTLOADER, COUNTS, FRAME, IDENTIFY, IDENTITY, LINE_MAX, MESSAGE_MAX, PAYLOAD_BYTES, PROTOCOL,
    REFUSED, STATISTICS, TUNE,
};
use crate::frame::Rate;

/// How the stations to be heard use the radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// 2400 MHz and so many: 0 to 125.
    pub channel: u8,
    /// Data rate.
    pub rate: Rate,
    /// Frames have a control field, and are heard cut short.
    pub wirth: bool,
    /// Low byte first.
    pub address: [u8; 5],
}

/// What the dongle's radio does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Nobody has tuned it.
    Idle = 0,
    /// It listens.
    Listens = 1,
    /// No chip answers.
    Absent = 2,
    /// A chip answers, and does not hold what is written to it.
    Differs = 3,
}

/// What a dongle is and does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Version of the table that it goes by.
    pub protocol: u8,
    /// Major, minor, patch.
    pub firmware: [u8; 3],
    /// Microseconds since its start.
    pub time_us: u64,
    /// Its radio.
    pub state: State,
    /// As it was tuned last.
    pub settings: Settings,
}

/// What a dongle has counted since it was tuned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Microseconds since its start.
    pub time_us: u64,
    /// Frames read from the chip.
    pub received: u32,
    /// Of them, frames for which there was no room.
    pub dropped: u32,
    /// Times that the chip's own queue was found full.
    pub chip_full: u32,
    /// Times that the chip was set up again.
    pub restarts: u32,
    /// Lines from the host that were no message.
    pub damaged: u32,
}

/// Something heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Counts the frames sent to the host, from 0.
    pub number: u32,
    /// End of the frame: microseconds since the dongle's start.
    pub time_us: u64,
    /// 2400 MHz and so many.
    pub channel: u8,
    /// Data rate.
    pub rate: Rate,
    /// [`Frame::CRC_GOOD`] and the others.
    pub flags: u8,
    /// Frames dropped so far.
    pub dropped: u32,
    /// The payload; `len` bytes of it count.
    pub payload: [u8; PAYLOAD_BYTES],
    /// Payload bytes.
    pub len: u8,
}

impl Frame {
    /// The chip has found the checksum good.
    pub const CRC_GOOD: u8 = 1;
    /// The end is missing, the control field is in front.
    pub const CUT: u8 = 2;
    /// The time is that of reading: the frame may be older.
    pub const LATE: u8 = 4;

    /// The payload.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        self.payload.get(..usize::from(self.len)).unwrap_or(&self.payload)
    }
}

/// What the host says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromHost {
    /// Say what you are.
    Identify,
    /// Listen like that.
    Tune(Settings),
    /// Say what you have counted.
    Count,
    /// Become a drive that takes another firmware.
    Bootloader,
}

/// What the dongle says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromDongle {
    /// What it is and does.
    Identity(Identity),
    /// What it has counted.
    Statistics(Statistics),
    /// A frame.
    Frame(Frame),
    /// It cannot do a message of this kind.
    Refused(u8),
}

/// A message being written.
struct Out {
    bytes: [u8; MESSAGE_MAX],
    len: usize,
}

impl Out {
    fn new(kind: u8) -> Self {
        let mut out = Self { bytes: [0; MESSAGE_MAX], len: 0 };
        out.put(&[kind]);
        out
    }

    fn put(&mut self, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
            place.copy_from_slice(bytes);
            self.len += bytes.len();
        }
    }

    fn settings(&mut self, settings: &Settings) {
        self.put(&[settings.channel]);
        self.put(&kbps(settings.rate).to_le_bytes());
        self.put(&[u8::from(settings.wirth)]);
        self.put(&settings.address);
    }

    fn line(&self) -> ([u8; LINE_MAX], usize) {
        line(&self.bytes[..self.len])
    }
}

/// A message being read.
struct In<'a>(&'a [u8]);

impl In<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn time(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn rate(&mut self) -> Option<Rate> {
        match u16::from_le_bytes(self.take()?) {
            250 => Some(Rate::K250),
            1000 => Some(Rate::M1),
            2000 => Some(Rate::M2),
            _ => None,
        }
    }

    fn settings(&mut self) -> Option<Settings> {
        let (channel, rate) = (self.byte()?, self.rate()?);
        let wirth = match self.byte()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        Some(Settings { channel, rate, wirth, address: self.take()? })
    }

    fn end<T>(&self, message: T) -> Option<T> {
        self.0.is_empty().then_some(message)
    }
}

const fn kbps(rate: Rate) -> u16 {
    match rate {
        Rate::K250 => 250,
        Rate::M1 => 1000,
        Rate::M2 => 2000,
    }
}

impl FromHost {
    /// As it goes over the line, and how many bytes of it count.
    #[must_use]
    pub fn line(&self) -> ([u8; LINE_MAX], usize) {
        match self {
            Self::Identify => Out::new(IDENTIFY).line(),
            Self::Tune(settings) => {
                let mut out = Out::new(TUNE);
                out.settings(settings);
                out.line()
            }
            Self::Count => Out::new(STATISTICS).line(),
            Self::Bootloader => Out::new(BOOTLOADER).line(),
        }
    }

    /// Reads kind and fields; `None` for what this table does not have.
    #[must_use]
    pub fn parse(body: &[u8]) -> Option<Self> {
        let mut fields = In(body);
        let message = match fields.byte()? {
            IDENTIFY => Self::Identify,
            TUNE => Self::Tune(fields.settings()?),
            STATISTICS => Self::Count,
            BOOTLOADER => Self::Bootloader,
            _ => return None,
        };
        fields.end(message)
    }
}

impl FromDongle {
    /// As it goes over the line, and how many bytes of it count.
    #[must_use]
    pub fn line(&self) -> ([u8; LINE_MAX], usize) {
        let mut out;
        match self {
            Self::Identity(identity) => {
                out = Out::new(IDENTITY);
                out.put(&[identity.protocol]);
                out.put(&identity.firmware);
                out.put(&identity.time_us.to_le_bytes());
                out.put(&[identity.state as u8]);
                out.settings(&identity.settings);
            }
            Self::Statistics(counts) => {
                out = Out::new(COUNTS);
                out.put(&counts.time_us.to_le_bytes());
                let Statistics { received, dropped, chip_full, restarts, damaged, .. } = *counts;
                for count in [received, dropped, chip_full, restarts, damaged] {
                    out.put(&count.to_le_bytes());
                }
            }
            Self::Frame(frame) => {
                out = Out::new(FRAME);
                out.put(&frame.number.to_le_bytes());
                out.put(&frame.time_us.to_le_bytes());
                out.put(&[frame.channel]);
                out.put(&kbps(frame.rate).to_le_bytes());
                out.put(&[frame.flags]);
                out.put(&frame.dropped.to_le_bytes());
                out.put(frame.payload());
            }
            Self::Refused(kind) => {
                out = Out::new(REFUSED);
                out.put(&[*kind]);
            }
        }
        out.line()
    }
}

/// Reads what a dongle says; `None` for what this table does not have. Of an identity of another version
/// only the versions are read, for they tell why the rest cannot be.
#[must_use]
pub fn parse(body: &[u8]) -> Option<FromDongle> {
    let mut fields = In(body);
    let message = match fields.byte()? {
        IDENTITY => {
            let (protocol, firmware) = (fields.byte()?, fields.take()?);
            if protocol != PROTOCOL {
                let settings =
                    Settings { channel: 0, rate: Rate::M1, wirth: false, address: [0; 5] };
                let state = State::Idle;
                let identity = Identity { protocol, firmware, time_us: 0, state, settings };
                return Some(FromDongle::Identity(identity));
            }
            let time_us = fields.time()?;
            let state = match fields.byte()? {
                0 => State::Idle,
                1 => State::Listens,
                2 => State::Absent,
                3 => State::Differs,
                _ => return None,
            };
            let settings = fields.settings()?;
            FromDongle::Identity(Identity { protocol, firmware, time_us, state, settings })
        }
        COUNTS => FromDongle::Statistics(Statistics {
            time_us: fields.time()?,
            received: fields.word()?,
            dropped: fields.word()?,
            chip_full: fields.word()?,
            restarts: fields.word()?,
            damaged: fields.word()?,
        }),
        FRAME => {
            let mut frame = Frame {
                number: fields.word()?,
                time_us: fields.time()?,
                channel: fields.byte()?,
                rate: fields.rate()?,
                flags: fields.byte()?,
                dropped: fields.word()?,
                payload: [0; PAYLOAD_BYTES],
                len: u8::try_from(fields.0.len()).ok()?,
            };
            frame.payload.get_mut(..fields.0.len())?.copy_from_slice(fields.0);
            return Some(FromDongle::Frame(frame));
        }
        REFUSED => FromDongle::Refused(fields.byte()?),
        _ => return None,
    };
    fields.end(message)
}
