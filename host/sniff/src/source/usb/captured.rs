//! What receivers hand on, as a frame: the one way from a chip's 32 bytes to bits.

use super::Tuning;
use kube_proto::bits::Bits;
use kube_proto::capture::{Captured, Flags};
use kube_proto::frame::{self, Address, CrcMode};

/// Bytes of an address.
pub const ADDRESS_BYTES: usize = 5;

impl Tuning {
    /// The frame of which a chip tuned like this has given the payload. `checked`: it has found the
    /// checksum good. Of acknowledged frames a chip that does not acknowledge gives the control field and
    /// what of the payload has room behind it.
    #[must_use]
    pub fn captured(&self, payload: &[u8], checked: bool) -> Captured {
        let about = Captured {
            flags: Flags::CONTROL_KNOWN,
            channel: self.channel,
            rate: self.rate,
            level_dbm: None,
            address_bytes: Some(ADDRESS_BYTES as u8),
            bits: Bits::new(),
        };
        if self.wirth {
            let bytes = [&self.address, payload].concat();
            let bits = Bits::from_bytes(&bytes, bytes.len() * 8).unwrap_or_default();
            let flags = about.flags.and(Flags::CONTROL).and(Flags::TRUNCATED);
            return Captured { flags, bits, ..about };
        }
        let mut low_first = self.address;
        low_first.reverse();
        // The checksum is made: the chip keeps it for itself.
        let made = Address::from_low_first(&low_first)
            .and_then(|address| frame::encode(&address, None, payload, CrcMode::Crc16));
        let bits = Captured::without_preamble(&made.unwrap_or_default());
        Captured { flags: about.flags.and_if(checked, Flags::CRC_OK), bits, ..about }
    }
}
