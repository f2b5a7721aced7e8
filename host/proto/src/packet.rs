//! Project Oberon's packet: an 8-byte header and up to 512 data bytes, cut into payloads of 32
//! bytes. Only the first payload carries the header; KubeNet's packets have no second one.
//!
//! | byte | field | meaning |
//! |---|---|---|
//! | 0 | valid | 1 |
//! | 1 | dadr | destination, FFH = everybody |
//! | 2 | sadr | source |
//! | 3 | typ | packet type |
//! | 4..7 | len | data bytes, 32 bits, low byte first |
//!
//! Source: spec/nrf24.md E3, spec/kube.md 2.1.

/// Bytes of a frame's payload.
pub const FRAME_BYTES: usize = 32;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 8;
/// Data bytes in the first frame.
pub const FIRST_DATA_BYTES: usize = FRAME_BYTES - HEADER_BYTES;
/// Longest packet, in data bytes.
pub const MAX_DATA_BYTES: usize = 512;
/// Destination address of a broadcast.
pub const BROADCAST: u8 = 0xff;

/// First frame of a packet. Equal to the whole packet where `len` is at most 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Destination address, FFH = everybody.
    pub dadr: u8,
    /// Source address.
    pub sadr: u8,
    /// Packet type.
    pub typ: u8,
    /// Data bytes of the whole packet, 0 to 512.
    pub len: u16,
    first: [u8; FIRST_DATA_BYTES],
}

/// Why a payload is not the first frame of a packet, or a packet cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// The payload is not 32 bytes.
    #[error("payload of {bytes} bytes: a packet's frame has 32; is it another network's?")]
    Size {
        /// Bytes given.
        bytes: usize,
    },
    /// The first byte is not 1: a later frame of a packet, or not a packet.
    #[error("first byte is {valid:#04x}, not 1: a continuation frame or no packet")]
    NotValid {
        /// The byte.
        valid: u8,
    },
    /// The length is negative or above 512.
    #[error("packet length {len} is outside 0..512: the header is damaged or forged")]
    Length {
        /// The length.
        len: i32,
    },
    /// Too much data for one frame.
    #[error("{bytes} data bytes: one frame holds 24; send a shorter packet")]
    TooLong {
        /// Bytes given.
        bytes: usize,
    },
}

impl Packet {
    /// A packet of a single frame.
    ///
    /// # Errors
    /// [`PacketError::TooLong`] for more than 24 data bytes.
    pub fn new(dadr: u8, sadr: u8, typ: u8, data: &[u8]) -> Result<Self, PacketError> {
        if data.len() > FIRST_DATA_BYTES {
            return Err(PacketError::TooLong { bytes: data.len() });
        }
        let mut first = [0; FIRST_DATA_BYTES];
        first[..data.len()].copy_from_slice(data);
        Ok(Self::single(dadr, sadr, typ, first, data.len()))
    }

    /// A packet of a single frame whose data are already in place; `len` is at most 24.
    pub(crate) fn single(
        dadr: u8,
        sadr: u8,
        typ: u8,
        first: [u8; FIRST_DATA_BYTES],
        len: usize,
    ) -> Self {
        Self { dadr, sadr, typ, len: len.min(FIRST_DATA_BYTES) as u16, first }
    }

    /// Reads the first frame of a packet.
    ///
    /// # Errors
    /// [`PacketError`] if the payload is not one.
    pub fn parse(payload: &[u8]) -> Result<Self, PacketError> {
        let frame: &[u8; FRAME_BYTES] =
            payload.try_into().map_err(|_| PacketError::Size { bytes: payload.len() })?;
        let [valid, dadr, sadr, typ, l0, l1, l2, l3, data @ ..] = *frame;
        if valid != 1 {
            return Err(PacketError::NotValid { valid });
        }
        let len = i32::from_le_bytes([l0, l1, l2, l3]);
        if !(0..=MAX_DATA_BYTES as i32).contains(&len) {
            return Err(PacketError::Length { len });
        }
        Ok(Self { dadr, sadr, typ, len: len as u16, first: data })
    }

    /// The payload of the first frame, padded with zeros.
    pub fn emit(&self) -> [u8; FRAME_BYTES] {
        let mut frame = [0; FRAME_BYTES];
        frame[..4].copy_from_slice(&[1, self.dadr, self.sadr, self.typ]);
        frame[4..HEADER_BYTES].copy_from_slice(&u32::from(self.len).to_le_bytes());
        frame[HEADER_BYTES..].copy_from_slice(&self.first);
        frame
    }

    /// The data bytes in this frame, at most 24.
    pub fn data(&self) -> &[u8] {
        &self.first[..usize::from(self.len).min(FIRST_DATA_BYTES)]
    }

    /// Frames of the whole packet, 1 to 17.
    pub fn frames(&self) -> usize {
        (HEADER_BYTES + usize::from(self.len)).div_ceil(FRAME_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emit_gives_the_published_header() {
        let packet = Packet::new(BROADCAST, 0x42, 0x34, b"Oberon\0\0").expect("8 bytes");
        let frame = packet.emit();
        assert_eq!(frame[..16], *b"\x01\xff\x42\x34\x08\x00\x00\x00Oberon\0\0");
        assert_eq!(frame[16..], [0; 16]);
        assert_eq!(Packet::parse(&frame), Ok(packet));
    }

    #[test]
    fn frame_count_follows_the_header() {
        for (len, frames) in [(0, 1), (24, 1), (25, 2), (56, 2), (57, 3), (512, 17)] {
            let mut frame = Packet::new(1, 2, 3, &[]).expect("empty").emit();
            frame[4..8].copy_from_slice(&u32::to_le_bytes(len));
            let packet = Packet::parse(&frame).expect("legal length");
            assert_eq!(packet.frames(), frames, "len {len}");
            assert_eq!(packet.data().len(), (len as usize).min(24));
        }
    }

    #[test]
    fn bad_input_is_named() {
        assert_eq!(Packet::parse(&[1; 31]), Err(PacketError::Size { bytes: 31 }));
        // What a machine without a radio reads.
        assert_eq!(Packet::parse(&[0xff; 32]), Err(PacketError::NotValid { valid: 0xff }));
        let mut frame = [0; 32];
        frame[0] = 1;
        frame[4..8].copy_from_slice(&513u32.to_le_bytes());
        assert_eq!(Packet::parse(&frame), Err(PacketError::Length { len: 513 }));
        frame[4..8].copy_from_slice(&[0xff; 4]);
        assert_eq!(Packet::parse(&frame), Err(PacketError::Length { len: -1 }));
        assert_eq!(Packet::new(0, 0, 0, &[0; 25]), Err(PacketError::TooLong { bytes: 25 }));
    }
}
