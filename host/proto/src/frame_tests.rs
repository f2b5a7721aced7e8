//! Golden vectors of spec/nrf24.md A5. Only [`real_chip_acknowledgements`] comes from real
//! hardware, so it is the one that settles CRC, bit order, address order and length value.

use super::*;
use std::string::String;
use std::vec::Vec;

/// "to all from 42H, type 34H, 8 bytes": header, "Oberon", two zeros, padding.
fn oberon_payload() -> [u8; 32] {
    let mut payload = [0; 32];
    payload[..14].copy_from_slice(b"\x01\xff\x42\x34\x08\x00\x00\x00Oberon");
    payload
}

fn control(length: u8, pid: u8) -> Option<Control> {
    Some(Control { length, pid, no_ack: false })
}

fn crc_of(bits: &Bits) -> u16 {
    bits.read(bits.len() - 16, 16) as u16
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| std::format!("{b:02x}")).collect()
}

#[test]
fn crc16_check_value() {
    assert_eq!(CRC16.checksum(b"123456789"), 0x29b1);
    assert_eq!(CRC8.checksum(b"123456789"), 0xfb);
}

#[test]
fn real_chip_acknowledgements() {
    // Address as the register holds it: "1Node"; on air 65 64 6f 4e 31.
    let address = Address::from_low_first(b"1Node").expect("five bytes");
    assert_eq!(address.on_air().collect::<Vec<_>>(), [0x65, 0x64, 0x6f, 0x4e, 0x31]);
    for (pid, crc) in [0x4e4e, 0x6e0c, 0x0eca, 0x2e88].into_iter().enumerate() {
        let bits = encode(&address, control(STATIC_LENGTH, pid as u8), &[], CrcMode::Crc16)
            .expect("an empty frame");
        assert_eq!(bits.read(0, 8), 0x55, "address starts with a 0 bit");
        assert_eq!(bits.read(48, 8), 0xcc + pid as u32);
        assert_eq!(crc_of(&bits), crc, "PID {pid}");
    }
}

#[test]
fn acknowledgements_of_the_oberon_address() {
    let want = [
        ("aae7e7e7e7e7cc703200", 0xe064),
        ("aae7e7e7e7e7cd601300", 0xc026),
        ("aae7e7e7e7e7ce507000", 0xa0e0),
        ("aae7e7e7e7e7cf405100", 0x80a2),
    ];
    for (pid, (bytes, crc)) in want.into_iter().enumerate() {
        let bits = encode(&Address::OBERON, control(STATIC_LENGTH, pid as u8), &[], CrcMode::Crc16)
            .expect("an empty frame");
        assert_eq!(bits.len(), 73);
        assert_eq!(hex(bits.as_bytes()), bytes);
        assert_eq!(crc_of(&bits), crc);
    }
}

#[test]
fn data_with_control_field() {
    for (pid, crc) in [0x71e8, 0x7a71, 0x66da, 0x6d43].into_iter().enumerate() {
        let bits = encode(
            &Address::OBERON,
            control(STATIC_LENGTH, pid as u8),
            &oberon_payload(),
            CrcMode::Crc16,
        )
        .expect("a full frame");
        assert_eq!(bits.len(), 329);
        assert_eq!(crc_of(&bits), crc, "PID {pid}");
        if pid == 0 {
            assert_eq!(
                hex(bits.as_bytes()),
                "aae7e7e7e7e7cc00ffa11a0400000027b132b937b7000000000000000000000000000000\
                 00000038f400"
            );
        }
    }
}

#[test]
fn length_32_in_the_control_field_gives_another_checksum() {
    let bits = encode(&Address::OBERON, control(32, 0), &oberon_payload(), CrcMode::Crc16)
        .expect("a full frame");
    assert_eq!(crc_of(&bits), 0xc546);
}

#[test]
fn data_without_control_field() {
    let bits = encode(&Address::OBERON, None, &oberon_payload(), CrcMode::Crc16).expect("a frame");
    let mut want = String::from("aae7e7e7e7e701ff4234080000004f6265726f6e");
    (0..18).for_each(|_| want.push_str("00"));
    want.push_str("bc79");
    assert_eq!(hex(bits.as_bytes()), want);
    assert_eq!(bits.len(), 320);
}

#[test]
fn air_times() {
    assert_eq!(Rate::M1.air_time_ns(320), 320_000);
    assert_eq!(Rate::M1.air_time_ns(329), 329_000);
    assert_eq!(Rate::M2.air_time_ns(73), 36_500);
    assert_eq!(Rate::K250.air_time_ns(329), 1_316_000);
}

#[test]
fn decode_returns_what_encode_was_given() {
    for crc in [CrcMode::Off, CrcMode::Crc8, CrcMode::Crc16] {
        for width in 2..=5 {
            for (len, with_control) in [(0, true), (7, true), (32, false), (1, false), (32, true)] {
                let address = Address::from_low_first(&[1, 2, 3, 4, 0xf5][..width]).expect("width");
                let payload: Vec<u8> = (0..len as u8).map(|b| b.wrapping_mul(37) ^ 0x5a).collect();
                let field = Control { length: len as u8, pid: 2, no_ack: true };
                let bits = encode(&address, with_control.then_some(field), &payload, crc)
                    .expect("a legal frame");
                let format = Format {
                    address_bytes: width,
                    control: with_control,
                    payload: if with_control {
                        PayloadLength::Dynamic
                    } else {
                        PayloadLength::Static(len)
                    },
                    crc,
                };
                let decoded = decode(&bits, &format).expect("its own format");
                assert_eq!(decoded.address, address);
                assert_eq!(decoded.control, with_control.then_some(field));
                assert_eq!(decoded.payload(), payload);
                assert!(decoded.crc_ok);
            }
        }
    }
}

#[test]
fn every_single_bit_error_behind_the_preamble_is_noticed() {
    let bits = encode(&Address::OBERON, None, &oberon_payload(), CrcMode::Crc16).expect("a frame");
    for at in 8..bits.len() {
        let mut bad = bits;
        bad.flip(at);
        let decoded = decode(&bad, &Format::KUBE).expect("full length");
        assert!(!decoded.crc_ok, "bit {at}");
    }
}

#[test]
fn bad_input_is_named() {
    assert_eq!(Address::from_low_first(&[1]), Err(FrameError::AddressWidth { bytes: 1 }));
    assert_eq!(
        encode(&Address::OBERON, None, &[0; 33], CrcMode::Off),
        Err(FrameError::PayloadLength { bytes: 33 })
    );
    let ack = encode(&Address::OBERON, control(0, 0), &[], CrcMode::Crc16).expect("an empty frame");
    assert_eq!(decode(&ack, &Format::KUBE), Err(FrameError::Short { bits: 73, needed: 320 }));
    let dynamic = Format { payload: PayloadLength::Dynamic, ..Format::WIRTH };
    assert!(decode(&ack, &dynamic).expect("an empty dynamic frame").crc_ok);
    let long = encode(&Address::OBERON, control(33, 0), &[0; 32], CrcMode::Crc16).expect("a frame");
    assert_eq!(decode(&long, &dynamic), Err(FrameError::PayloadLength { bytes: 33 }));
    assert_eq!(decode(&ack, &Format { control: false, ..dynamic }), Err(FrameError::NoLength));
    assert!(decode(&Bits::new(), &Format::KUBE).is_err());
}
