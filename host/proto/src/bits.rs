//! A short string of bits as it goes over the air: first bit sent = most significant bit of the
//! first byte. Long enough for the longest frame an nRF24L01+ can send.

/// Bits of the longest frame: preamble 8, address 40, control field 9, payload 256, CRC 16.
pub const MAX_BITS: usize = 8 + 40 + 9 + 256 + 16;
const MAX_BYTES: usize = MAX_BITS.div_ceil(8);

/// Up to [`MAX_BITS`] bits. Bits past the end read as 0, so two equal strings compare equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits {
    bytes: [u8; MAX_BYTES],
    len: usize,
}

impl Bits {
    /// The empty string.
    pub const fn new() -> Self {
        Self { bytes: [0; MAX_BYTES], len: 0 }
    }

    /// The first `len` bits of `bytes`; `None` if there are not that many or they do not fit.
    pub fn from_bytes(bytes: &[u8], len: usize) -> Option<Self> {
        if len > MAX_BITS || len > bytes.len() * 8 {
            return None;
        }
        let mut bits = Self::new();
        for at in 0..len {
            bits.push(u32::from(bytes[at / 8] >> (7 - at % 8)) & 1, 1);
        }
        Some(bits)
    }

    /// Number of bits.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// True if there is no bit.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bits packed into bytes, the last byte padded with zeros.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len.div_ceil(8)]
    }

    /// Appends the low `count` bits of `value`, most significant first. What does not fit into
    /// [`MAX_BITS`] is dropped; no frame reaches that.
    pub fn push(&mut self, value: u32, count: usize) {
        for shift in (0..count).rev() {
            if self.len == MAX_BITS {
                return;
            }
            if value >> shift & 1 != 0 {
                self.bytes[self.len / 8] |= 0x80 >> (self.len % 8);
            }
            self.len += 1;
        }
    }

    /// Reads `count` (at most 32) bits from position `at`, most significant first. Bits past the
    /// end read as 0.
    pub fn read(&self, at: usize, count: usize) -> u32 {
        let bit = |i: usize| match self.bytes.get(i / 8) {
            Some(byte) if i < self.len => u32::from(byte >> (7 - i % 8) & 1),
            _ => 0,
        };
        (at..at + count).fold(0, |value, i| value << 1 | bit(i))
    }

    /// Inverts one bit: how a model makes a bit error. Positions past the end are ignored.
    pub fn flip(&mut self, at: usize) {
        if at < self.len {
            self.bytes[at / 8] ^= 0x80 >> (at % 8);
        }
    }
}

impl Default for Bits {
    fn default() -> Self {
        Self::new()
    }
}

impl core::fmt::Debug for Bits {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Bits({}: ", self.len)?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        write!(f, ")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bit_sent_is_the_most_significant() {
        let mut bits = Bits::new();
        bits.push(0b1, 1);
        bits.push(0xcc, 8);
        assert_eq!(bits.len(), 9);
        assert_eq!(bits.as_bytes(), [0b1110_0110, 0]);
        assert_eq!(bits.read(1, 8), 0xcc);
    }

    #[test]
    fn past_the_end_reads_zero_and_a_full_string_takes_no_more() {
        let mut bits = Bits::new();
        for _ in 0..400 {
            bits.push(1, 1);
        }
        assert_eq!(bits.len(), MAX_BITS);
        assert_eq!(bits.read(MAX_BITS - 1, 8), 0x80);
        assert_eq!(bits.read(100_000, 32), 0);
        bits.flip(MAX_BITS);
        bits.flip(0);
        assert_eq!(bits.read(0, 2), 0b01);
    }

    #[test]
    fn from_bytes_refuses_more_bits_than_bytes() {
        assert_eq!(Bits::from_bytes(&[0xff], 9), None);
        assert_eq!(Bits::from_bytes(&[0; 64], MAX_BITS + 1), None);
        let bits = Bits::from_bytes(&[0xaa, 0xff], 9).expect("nine bits of two bytes");
        assert_eq!(bits.as_bytes(), [0xaa, 0x80]);
    }
}
