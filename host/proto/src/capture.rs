//! A frame in a capture file: our pseudo-header, as a table, and the bits of the frame behind it.
//!
//! Files have link type 148 (USER1). All numbers are low byte first. The bits begin with the address
//! (no preamble), are packed most significant bit first, and the last byte is padded with zeros.
//! A header longer than ours comes from a newer writer: what is behind our fields is skipped.
//!
//! There are other formats for such frames under link type 147, which say less of a bad frame and
//! nothing of bits (spec/nrf24.md D); hence an own one, with a version.

use crate::bits::Bits;
use crate::frame::Rate;

/// Link type of our captures: USER1.
pub const LINK_TYPE: u16 = 148;
/// Version of the layout, in its first byte.
pub const VERSION: u8 = 1;
/// Bytes of the pseudo-header.
pub const HEADER_BYTES: usize = 12;
/// Most bytes of a captured frame with its header.
pub const MAX_BYTES: usize = HEADER_BYTES + crate::bits::MAX_BITS.div_ceil(8);

/// One field of the pseudo-header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as documentation and dissectors show it.
    pub name: &'static str,
    /// First byte.
    pub offset: usize,
    /// Width in bytes, 1 or 2.
    pub bytes: usize,
    /// What it means.
    pub note: &'static str,
}

const fn field(name: &'static str, offset: usize, bytes: usize, note: &'static str) -> Field {
    Field { name, offset, bytes, note }
}

const VERSION_FIELD: Field = field("version", 0, 1, "1");
const LENGTH: Field = field("header length", 1, 1, "bytes before the frame's bits, at least 12");
const FLAGS: Field = field("flags", 2, 2, "see the table of flags");
const CHANNEL: Field = field("channel", 4, 1, "RF_CH: 2400 MHz + channel");
const ADDRESS: Field = field("address bytes", 5, 1, "2 to 5, or 0: not known");
const RATE: Field = field("rate", 6, 2, "250, 1000 or 2000 kbit/s");
const LEVEL: Field = field("level", 8, 1, "signal in dBm, signed; -128: not known");
const RESERVED: Field = field("reserved", 9, 1, "0");
const BITS: Field = field("bits", 10, 2, "bits of the frame that follow, from the address on");

/// The pseudo-header, in order.
pub const FIELDS: &[Field] =
    &[VERSION_FIELD, LENGTH, FLAGS, CHANNEL, ADDRESS, RATE, LEVEL, RESERVED, BITS];

/// Facts about a captured frame, one bit each.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u16);

impl Flags {
    /// The checksum was checked and fits.
    pub const CRC_OK: Flags = Flags(1);
    /// The checksum was checked and does not fit.
    pub const CRC_BAD: Flags = Flags(1 << 1);
    /// The end of the frame is missing.
    pub const TRUNCATED: Flags = Flags(1 << 2);
    /// Another signal was on the channel at the same time.
    pub const COLLISION: Flags = Flags(1 << 3);
    /// The capturing station sent it.
    pub const SENT: Flags = Flags(1 << 4);
    /// A packet control field follows the address.
    pub const CONTROL: Flags = Flags(1 << 5);
    /// The captor knows whether there is a control field.
    pub const CONTROL_KNOWN: Flags = Flags(1 << 6);
    /// Weaker than a receiver's sensitivity.
    pub const WEAK: Flags = Flags(1 << 7);

    /// All flags with their names, in order of their bits.
    pub const ALL: [(Flags, &'static str); 8] = [
        (Flags::CRC_OK, "CRC ok"),
        (Flags::CRC_BAD, "CRC bad"),
        (Flags::TRUNCATED, "truncated"),
        (Flags::COLLISION, "collision"),
        (Flags::SENT, "sent"),
        (Flags::CONTROL, "control field"),
        (Flags::CONTROL_KNOWN, "control field known"),
        (Flags::WEAK, "weak"),
    ];

    /// All of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// These and others.
    #[must_use]
    pub const fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// These, and others if something holds.
    #[must_use]
    pub const fn and_if(self, holds: bool, other: Flags) -> Flags {
        if holds { self.and(other) } else { self }
    }
}

impl core::fmt::Debug for Flags {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_set().entries(Flags::ALL.iter().filter(|(x, _)| self.has(*x)).map(|x| x.1)).finish()
    }
}

/// A frame as captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured {
    /// What is known of it.
    pub flags: Flags,
    /// RF_CH: 2400 MHz + channel.
    pub channel: u8,
    /// Data rate.
    pub rate: Rate,
    /// Signal in dBm.
    pub level_dbm: Option<i8>,
    /// Address width in bytes, 2 to 5.
    pub address_bytes: Option<u8>,
    /// From the address on, without preamble.
    pub bits: Bits,
}

/// Why bytes are not a captured frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// The header is not whole.
    #[error("{bytes} bytes, the pseudo-header has {needed}: the record was cut short")]
    Short {
        /// Bytes there.
        bytes: usize,
        /// Bytes needed.
        needed: usize,
    },
    /// Written by something else.
    #[error("pseudo-header of version {version}, known is {VERSION}: read it with a newer tool")]
    Version {
        /// The version.
        version: u8,
    },
    /// The header says it is shorter than it is.
    #[error("pseudo-header length {length}: it has at least {HEADER_BYTES}; the record is damaged")]
    HeaderLength {
        /// The length.
        length: u8,
    },
    /// A rate the chip does not have.
    #[error("rate of {kbps} kbit/s: it is 250, 1000 or 2000; the record is damaged")]
    Rate {
        /// The rate.
        kbps: u16,
    },
    /// An impossible address width.
    #[error("address of {bytes} bytes: it has 2 to 5, or 0 if not known; the record is damaged")]
    AddressWidth {
        /// The width.
        bytes: u8,
    },
    /// Bits and bytes do not agree.
    #[error("{bits} bits in {bytes} bytes: at most 329 and no byte more; the record is damaged")]
    Bits {
        /// Bits announced.
        bits: u16,
        /// Bytes behind the header.
        bytes: usize,
    },
}

fn put(out: &mut [u8], field: &Field, value: u16) {
    let bytes = value.to_le_bytes();
    out[field.offset..field.offset + field.bytes].copy_from_slice(&bytes[..field.bytes]);
}

fn get(record: &[u8], field: &Field) -> u16 {
    let mut bytes = [0; 2];
    bytes[..field.bytes].copy_from_slice(&record[field.offset..field.offset + field.bytes]);
    u16::from_le_bytes(bytes)
}

/// Level for "not known".
const NO_LEVEL: i8 = i8::MIN;

impl Captured {
    /// Bits of a whole frame without its preamble.
    pub fn without_preamble(frame: &Bits) -> Bits {
        let mut bits = Bits::new();
        (8..frame.len()).for_each(|at| bits.push(frame.read(at, 1), 1));
        bits
    }

    /// The bits with the preamble that belongs to them, as [`crate::frame::decode`] takes them.
    pub fn frame_bits(&self) -> Bits {
        let mut bits = Bits::new();
        bits.push(if self.bits.read(0, 1) != 0 { 0xaa } else { 0x55 }, 8);
        (0..self.bits.len()).for_each(|at| bits.push(self.bits.read(at, 1), 1));
        bits
    }

    /// Header and bits as bytes, and how many of them count.
    pub fn encode(&self) -> ([u8; MAX_BYTES], usize) {
        let mut out = [0; MAX_BYTES];
        let kbps = match self.rate {
            Rate::K250 => 250,
            Rate::M1 => 1_000,
            Rate::M2 => 2_000,
        };
        let level = self.level_dbm.unwrap_or(NO_LEVEL);
        for (field, value) in [
            (VERSION_FIELD, u16::from(VERSION)),
            (LENGTH, HEADER_BYTES as u16),
            (FLAGS, self.flags.0),
            (CHANNEL, u16::from(self.channel)),
            (ADDRESS, u16::from(self.address_bytes.unwrap_or(0))),
            (RATE, kbps),
            (LEVEL, u16::from(level as u8)),
            (BITS, self.bits.len() as u16),
        ] {
            put(&mut out, &field, value);
        }
        let bytes = self.bits.as_bytes();
        let len = HEADER_BYTES + bytes.len();
        out[HEADER_BYTES..len].copy_from_slice(bytes);
        (out, len)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`CaptureError`] if it is not one.
    pub fn decode(record: &[u8]) -> Result<Self, CaptureError> {
        let short = |needed| CaptureError::Short { bytes: record.len(), needed };
        let version = *record.first().ok_or(short(HEADER_BYTES))?;
        if version != VERSION {
            return Err(CaptureError::Version { version });
        }
        if record.len() < HEADER_BYTES {
            return Err(short(HEADER_BYTES));
        }
        let length = get(record, &LENGTH) as u8;
        if usize::from(length) < HEADER_BYTES {
            return Err(CaptureError::HeaderLength { length });
        }
        let body = record.get(usize::from(length)..).ok_or(short(usize::from(length)))?;
        let rate = match get(record, &RATE) {
            250 => Rate::K250,
            1_000 => Rate::M1,
            2_000 => Rate::M2,
            kbps => return Err(CaptureError::Rate { kbps }),
        };
        let address_bytes = match get(record, &ADDRESS) as u8 {
            0 => None,
            bytes @ 2..=5 => Some(bytes),
            bytes => return Err(CaptureError::AddressWidth { bytes }),
        };
        let count = get(record, &BITS);
        let bits = Bits::from_bytes(body, usize::from(count))
            .filter(|_| body.len() == usize::from(count).div_ceil(8))
            .ok_or(CaptureError::Bits { bits: count, bytes: body.len() })?;
        let level = get(record, &LEVEL) as u8 as i8;
        Ok(Self {
            flags: Flags(get(record, &FLAGS)),
            channel: get(record, &CHANNEL) as u8,
            rate,
            level_dbm: (level != NO_LEVEL).then_some(level),
            address_bytes,
            bits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{self, Address, CrcMode, Format};

    fn sample() -> Captured {
        let bits = frame::encode(&Address::OBERON, None, &[0x5a; 32], CrcMode::Crc16);
        Captured {
            flags: Flags::CRC_BAD.and(Flags::COLLISION),
            channel: 125,
            rate: Rate::M2,
            level_dbm: Some(-64),
            address_bytes: Some(5),
            bits: Captured::without_preamble(&bits.expect("32 bytes")),
        }
    }

    #[test]
    fn the_table_is_without_gaps_and_as_long_as_it_says() {
        let mut at = 0;
        for field in FIELDS {
            assert_eq!(field.offset, at, "{}", field.name);
            at += field.bytes;
        }
        assert_eq!(at, HEADER_BYTES);
        for (at, (flag, _)) in Flags::ALL.iter().enumerate() {
            assert_eq!(flag.0, 1 << at);
        }
    }

    #[test]
    fn decode_returns_what_encode_was_given() {
        let captured = sample();
        let (bytes, len) = captured.encode();
        assert_eq!(
            bytes[..HEADER_BYTES],
            [1, 12, 0x0a, 0, 125, 5, 0xd0, 0x07, 0xc0, 0, 0x38, 0x01],
            "the layout is published: it changes with the version only"
        );
        assert_eq!(len, 12 + 39);
        assert_eq!(Captured::decode(&bytes[..len]), Ok(captured));
        let decoded = frame::decode(&captured.frame_bits(), &Format::KUBE).expect("whole");
        assert!(decoded.crc_ok);
        let unknown = Captured { level_dbm: None, address_bytes: None, ..captured };
        let (bytes, len) = unknown.encode();
        assert_eq!(Captured::decode(&bytes[..len]), Ok(unknown));
    }

    #[test]
    fn a_longer_header_of_a_newer_writer_is_skipped() {
        let (bytes, len) = sample().encode();
        let mut longer = std::vec![0; 0];
        longer.extend_from_slice(&bytes[..HEADER_BYTES]);
        longer.extend_from_slice(&[9, 9, 9]);
        longer.extend_from_slice(&bytes[HEADER_BYTES..len]);
        longer[1] += 3;
        assert_eq!(Captured::decode(&longer), Ok(sample()));
    }

    #[test]
    fn bad_input_is_named() {
        let (bytes, len) = sample().encode();
        let with = |at: usize, value: u8| {
            let mut bytes = bytes;
            bytes[at] = value;
            Captured::decode(&bytes[..len])
        };
        assert_eq!(Captured::decode(&[]), Err(CaptureError::Short { bytes: 0, needed: 12 }));
        assert_eq!(
            Captured::decode(&bytes[..11]),
            Err(CaptureError::Short { bytes: 11, needed: 12 })
        );
        assert_eq!(with(0, 2), Err(CaptureError::Version { version: 2 }));
        assert_eq!(with(1, 11), Err(CaptureError::HeaderLength { length: 11 }));
        assert_eq!(with(1, 52), Err(CaptureError::Short { bytes: 51, needed: 52 }));
        assert_eq!(with(5, 6), Err(CaptureError::AddressWidth { bytes: 6 }));
        assert_eq!(with(6, 0xd1), Err(CaptureError::Rate { kbps: 2_001 }));
        assert_eq!(with(10, 0x39), Err(CaptureError::Bits { bits: 313, bytes: 39 }));
        for cut in HEADER_BYTES..len {
            assert!(matches!(Captured::decode(&bytes[..cut]), Err(CaptureError::Bits { .. })));
        }
    }
}
