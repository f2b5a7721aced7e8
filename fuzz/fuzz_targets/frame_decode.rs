//! Arbitrary bits as a frame of an arbitrary format, as a captured record and as a datagram: nothing
//! panics, and what is taken apart whole is put together the same.

#![no_main]

use kube_proto::bits::Bits;
use kube_proto::capture::Captured;
use kube_proto::datagram::Datagram;
use kube_proto::frame::{CrcMode, Format, PayloadLength, checksum_fits, decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(captured) = Captured::decode(data) {
        let (bytes, len) = captured.encode();
        assert_eq!(Captured::decode(&bytes[..len]), Ok(captured));
        assert_eq!(Captured::without_preamble(&captured.frame_bits()).as_bytes().len(), {
            // The longest frame has no room for a preamble in front of all its bits.
            captured.bits.len().min(kube_proto::bits::MAX_BITS - 8).div_ceil(8)
        });
    }
    if let Ok(Datagram::Frame { channel, payload }) = Datagram::parse(data) {
        assert_eq!(Datagram::frame(channel, &payload)[..], *data);
    }
    let [knobs, length, spare, bits @ ..] = data else { return };
    let crc =
        [CrcMode::Off, CrcMode::Crc8, CrcMode::Crc16, CrcMode::Crc16][usize::from(knobs >> 4 & 3)];
    let format = Format {
        address_bytes: usize::from(knobs & 7),
        control: knobs & 8 != 0,
        payload: if knobs & 0x40 != 0 {
            PayloadLength::Dynamic
        } else {
            PayloadLength::Static(usize::from(*length))
        },
        crc,
    };
    let count = (bits.len() * 8).saturating_sub(usize::from(spare & 7));
    let Some(bits) = Bits::from_bytes(bits, count) else { return };
    let Ok(frame) = decode(&bits, &format) else { return };
    let again =
        encode(&frame.address, frame.control, frame.payload(), crc).expect("it was a frame");
    let intact = (8..again.len()).all(|at| again.read(at, 1) == bits.read(at, 1));
    assert_eq!(intact, frame.crc_ok);
    assert!(checksum_fits(&again, crc));
});
