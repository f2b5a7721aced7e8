//! The frame an nRF24L01+ puts on the air, as bits.
//!
//! ```text
//! preamble 8 | address 16..40 | control 9 = length 6, PID 2, NO_ACK 1 | payload 0..256 | CRC 0/8/16
//! ```
//!
//! All fields go most significant bit first; the address sends its most significant byte first.
//! The control field is there only where the pipe acknowledges or has a dynamic payload length; a
//! payload behind it is shifted by one bit against bytes. Static payloads carry 51 in the length
//! field, whatever their length, and a receiver ignores it.
//!
//! Source: nRF24L01+ Product Specification 1.0, 7.3, and spec/nrf24.md 0.1 and A5 (the length
//! value and the bit order come from a public log of a real chip).

use crate::bits::Bits;
use crc::{Algorithm, CRC_16_IBM_3740, Crc};

/// Length field of a frame with static payload length.
pub const STATIC_LENGTH: u8 = 51;
/// Longest payload, in bytes.
pub const MAX_PAYLOAD: usize = 32;

const PREAMBLE_BITS: usize = 8;
const CONTROL_BITS: usize = 9;

const CRC_8_NRF24: Algorithm<u8> = Algorithm {
    width: 8,
    poly: 0x07,
    init: 0xff,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0xfb,
    residue: 0,
};
static CRC8: Crc<u8> = Crc::<u8>::new(&CRC_8_NRF24);
static CRC16: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_3740);

/// Data rate on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rate {
    /// 250 kbit/s.
    K250,
    /// 1 Mbit/s.
    M1,
    /// 2 Mbit/s.
    M2,
}

impl Rate {
    /// Duration of one bit, in nanoseconds.
    pub const fn bit_ns(self) -> u64 {
        match self {
            Rate::K250 => 4_000,
            Rate::M1 => 1_000,
            Rate::M2 => 500,
        }
    }

    /// Duration of `bits` bits, in nanoseconds.
    pub const fn air_time_ns(self, bits: usize) -> u64 {
        bits as u64 * self.bit_ns()
    }
}

/// A frame address of 2 to 5 bytes (2 is what the forbidden SETUP_AW = 0 does).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Address {
    /// As in the chip's registers: low byte first; unused bytes are 0.
    low_first: [u8; 5],
    width: u8,
}

impl Address {
    /// The address that Project Oberon and profile `kube` use: E7E7E7E7E7H.
    pub const OBERON: Address = Address { low_first: [0xe7; 5], width: 5 };

    /// From register bytes, low byte first.
    ///
    /// # Errors
    /// [`FrameError::AddressWidth`] unless there are 2 to 5 bytes.
    pub fn from_low_first(bytes: &[u8]) -> Result<Self, FrameError> {
        if !(2..=5).contains(&bytes.len()) {
            return Err(FrameError::AddressWidth { bytes: bytes.len() });
        }
        let mut low_first = [0; 5];
        low_first[..bytes.len()].copy_from_slice(bytes);
        Ok(Self { low_first, width: bytes.len() as u8 })
    }

    /// Number of bytes, 2 to 5.
    pub const fn width(&self) -> usize {
        self.width as usize
    }

    /// The bytes in register order, low byte first.
    pub fn low_first(&self) -> &[u8] {
        &self.low_first[..self.width()]
    }

    /// The bytes in the order they are sent.
    pub fn on_air(&self) -> impl Iterator<Item = u8> + '_ {
        self.low_first().iter().rev().copied()
    }
}

impl core::fmt::Debug for Address {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.on_air().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

/// Which checksum ends a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CrcMode {
    /// None.
    Off,
    /// One byte, x8+x2+x+1.
    Crc8,
    /// Two bytes, x16+x12+x5+1.
    Crc16,
}

impl CrcMode {
    /// Width in bits.
    pub const fn bits(self) -> usize {
        match self {
            CrcMode::Off => 0,
            CrcMode::Crc8 => 8,
            CrcMode::Crc16 => 16,
        }
    }
}

/// The packet control field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Control {
    /// 6 bits: payload bytes if the length is dynamic, else [`STATIC_LENGTH`].
    pub length: u8,
    /// 2 bits: packet identity, counts new packets.
    pub pid: u8,
    /// The receiver must not acknowledge.
    pub no_ack: bool,
}

/// How many payload bytes a receiver takes from a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadLength {
    /// That many, whatever the control field says.
    Static(usize),
    /// As many as the control field says.
    Dynamic,
}

/// What a receiver must know before it can take a frame apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Address width in bytes, 2 to 5.
    pub address_bytes: usize,
    /// A control field follows the address.
    pub control: bool,
    /// Payload length.
    pub payload: PayloadLength,
    /// Checksum.
    pub crc: CrcMode,
}

impl Format {
    /// Profile `kube`: 5-byte address, no control field, 32 bytes, CRC-16. 320 bits.
    pub const KUBE: Format = Format {
        address_bytes: 5,
        control: false,
        payload: PayloadLength::Static(MAX_PAYLOAD),
        crc: CrcMode::Crc16,
    };
    /// Profile `wirth`: as the chip's reset values give it, with control field. 329 bits.
    pub const WIRTH: Format = Format { control: true, ..Format::KUBE };
}

/// A frame taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The address, as many bytes as the format said.
    pub address: Address,
    /// The control field, where the format has one.
    pub control: Option<Control>,
    payload: [u8; MAX_PAYLOAD],
    len: usize,
    /// The checksum as received; 0 without one.
    pub crc: u16,
    /// The checksum fits; true without one.
    pub crc_ok: bool,
}

impl Decoded {
    /// The payload bytes.
    pub fn payload(&self) -> &[u8] {
        &self.payload[..self.len]
    }
}

/// Why a frame cannot be built or taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// An address of an impossible width.
    #[error("frame address of {bytes} bytes: the chip sends 2 to 5; set an address of 5 bytes")]
    AddressWidth {
        /// Bytes given.
        bytes: usize,
    },
    /// A payload too long.
    #[error("payload of {bytes} bytes: a frame holds at most 32; split it into frames")]
    PayloadLength {
        /// Bytes given, or named by the control field.
        bytes: usize,
    },
    /// The frame ends before the format is satisfied.
    #[error("frame of {bits} bits, {needed} needed: it was cut short or has another format")]
    Short {
        /// Bits there.
        bits: usize,
        /// Bits the format needs.
        needed: usize,
    },
    /// A dynamic length asked for without a control field to hold it.
    #[error("dynamic payload length without control field: give a static length")]
    NoLength,
}

/// Checksum of a bit string, over everything behind the preamble up to bit `end`.
fn checksum(bits: &Bits, end: usize, mode: CrcMode) -> u16 {
    let whole = (end - PREAMBLE_BITS) / 8;
    let bytes = &bits.as_bytes()[1..1 + whole];
    let (mut value, poly, width) = match mode {
        CrcMode::Off => return 0,
        CrcMode::Crc8 => (u32::from(CRC8.checksum(bytes)), 0x07, 8),
        CrcMode::Crc16 => (u32::from(CRC16.checksum(bytes)), 0x1021, 16),
    };
    // The control field leaves a last odd bit.
    for at in PREAMBLE_BITS + whole * 8..end {
        let top = value >> (width - 1) & 1 ^ bits.read(at, 1);
        value = value << 1 & ((1 << width) - 1);
        if top != 0 {
            value ^= poly;
        }
    }
    value as u16
}

/// The last bits are the checksum of all before them behind the preamble, whatever the format:
/// address width and payload length do not matter to it.
pub fn checksum_fits(bits: &Bits, crc: CrcMode) -> bool {
    match bits.len().checked_sub(crc.bits()) {
        Some(end) if end >= PREAMBLE_BITS => {
            bits.read(end, crc.bits()) as u16 == checksum(bits, end, crc)
        }
        _ => false,
    }
}

/// Builds the bits of a frame, preamble to checksum.
///
/// ```
/// use kube_proto::frame::{Address, CrcMode, encode};
/// let bits = encode(&Address::OBERON, None, &[0; 32], CrcMode::Crc16)?;
/// assert_eq!(bits.len(), 320);
/// # Ok::<(), kube_proto::frame::FrameError>(())
/// ```
///
/// # Errors
/// [`FrameError::PayloadLength`] if the payload is longer than 32 bytes.
pub fn encode(
    address: &Address,
    control: Option<Control>,
    payload: &[u8],
    crc: CrcMode,
) -> Result<Bits, FrameError> {
    if payload.len() > MAX_PAYLOAD {
        return Err(FrameError::PayloadLength { bytes: payload.len() });
    }
    let mut bits = Bits::new();
    let first = address.low_first[address.width() - 1];
    bits.push(if first & 0x80 != 0 { 0xaa } else { 0x55 }, PREAMBLE_BITS);
    address.on_air().for_each(|byte| bits.push(u32::from(byte), 8));
    if let Some(control) = control {
        bits.push(u32::from(control.length), 6);
        bits.push(u32::from(control.pid), 2);
        bits.push(u32::from(control.no_ack), 1);
    }
    payload.iter().for_each(|&byte| bits.push(u32::from(byte), 8));
    let sum = checksum(&bits, bits.len(), crc);
    bits.push(u32::from(sum), crc.bits());
    Ok(bits)
}

/// Takes a frame apart the way a receiver with `format` does. Whether the address is the wanted
/// one is for the caller to compare; bits behind the checksum are ignored.
///
/// # Errors
/// [`FrameError`] if the format is impossible or the frame is shorter than the format needs. A
/// wrong checksum is not an error here: see [`Decoded::crc_ok`].
pub fn decode(bits: &Bits, format: &Format) -> Result<Decoded, FrameError> {
    let width = format.address_bytes;
    if !(2..=5).contains(&width) {
        return Err(FrameError::AddressWidth { bytes: width });
    }
    let need = |needed| {
        if bits.len() < needed {
            Err(FrameError::Short { bits: bits.len(), needed })
        } else {
            Ok(())
        }
    };
    let mut at = PREAMBLE_BITS + width * 8;
    need(at)?;
    let mut low_first = [0; 5];
    for (i, byte) in low_first[..width].iter_mut().enumerate() {
        *byte = bits.read(PREAMBLE_BITS + (width - 1 - i) * 8, 8) as u8;
    }
    let control = if format.control {
        need(at + CONTROL_BITS)?;
        let control = Control {
            length: bits.read(at, 6) as u8,
            pid: bits.read(at + 6, 2) as u8,
            no_ack: bits.read(at + 8, 1) != 0,
        };
        at += CONTROL_BITS;
        Some(control)
    } else {
        None
    };
    let len = match (format.payload, control) {
        (PayloadLength::Static(len), _) => len,
        (PayloadLength::Dynamic, Some(control)) => usize::from(control.length),
        (PayloadLength::Dynamic, None) => return Err(FrameError::NoLength),
    };
    if len > MAX_PAYLOAD {
        return Err(FrameError::PayloadLength { bytes: len });
    }
    let end = at + len * 8;
    need(end + format.crc.bits())?;
    let mut payload = [0; MAX_PAYLOAD];
    for (i, byte) in payload[..len].iter_mut().enumerate() {
        *byte = bits.read(at + i * 8, 8) as u8;
    }
    let crc = bits.read(end, format.crc.bits()) as u16;
    Ok(Decoded {
        address: Address { low_first, width: width as u8 },
        control,
        payload,
        len,
        crc,
        crc_ok: crc == checksum(bits, end, format.crc),
    })
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
