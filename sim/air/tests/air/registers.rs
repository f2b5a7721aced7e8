//! Registers and commands against a table typed from the documents, each line with its source, and
//! not against the model's own table.
//!
//! PS = nRF24L01+ Product Specification 1.0, table 28 "register map" unless another place is
//! named; NS = nRF24L01 Product Specification 2.0, register map; B = spec/nrf24.md B.

use crate::rig::*;
use kube_air::{Chip, ChipConfig, REGISTERS, Variant};

/// Address, bytes after reset, what reads back in every byte after FFH was written, source.
type Line = (u8, &'static [u8], u8, &'static str);

const PLUS: &[Line] = &[
    (0x00, &[0x08], 0x7f, "PS CONFIG: EN_CRC on, bit 7 reserved"),
    (0x01, &[0x3f], 0x3f, "PS EN_AA: all six pipes, bits 7:6 reserved"),
    (0x02, &[0x03], 0x3f, "PS EN_RXADDR: pipes 0 and 1"),
    (0x03, &[0x03], 0x03, "PS SETUP_AW: 5 bytes, bits 7:2 reserved"),
    (0x04, &[0x03], 0xff, "PS SETUP_RETR: 250 us, 3 retries"),
    (0x05, &[0x02], 0x7f, "PS RF_CH: 2402 MHz, bit 7 reserved"),
    (0x06, &[0x0e], 0xbf, "PS RF_SETUP: 2 Mbit/s, 0 dBm; bit 6 reserved; bit 0 as B row 20"),
    (0x07, &[0x0e], 0x0e, "PS STATUS: no flag, RX FIFO empty; flags are cleared, never set"),
    (0x08, &[0x00], 0x00, "PS OBSERVE_TX: read only"),
    (0x09, &[0x00], 0x00, "PS RPD: read only"),
    (0x0a, &[0xe7; 5], 0xff, "PS RX_ADDR_P0"),
    (0x0b, &[0xc2; 5], 0xff, "PS RX_ADDR_P1"),
    (0x0c, &[0xc3], 0xff, "PS RX_ADDR_P2: one byte"),
    (0x0d, &[0xc4], 0xff, "PS RX_ADDR_P3: one byte"),
    (0x0e, &[0xc5], 0xff, "PS RX_ADDR_P4: one byte"),
    (0x0f, &[0xc6], 0xff, "PS RX_ADDR_P5: one byte"),
    (0x10, &[0xe7; 5], 0xff, "PS TX_ADDR"),
    (0x11, &[0x00], 0x3f, "PS RX_PW_P0: pipe not used, bits 7:6 reserved"),
    (0x12, &[0x00], 0x3f, "PS RX_PW_P1"),
    (0x13, &[0x00], 0x3f, "PS RX_PW_P2"),
    (0x14, &[0x00], 0x3f, "PS RX_PW_P3"),
    (0x15, &[0x00], 0x3f, "PS RX_PW_P4"),
    (0x16, &[0x00], 0x3f, "PS RX_PW_P5"),
    (0x17, &[0x11], 0x11, "PS FIFO_STATUS: both empty; read only"),
    (0x1c, &[0x00], 0x3f, "PS DYNPD"),
    (0x1d, &[0x00], 0x07, "PS FEATURE"),
];

/// Lines of the non-plus chip that differ, before ACTIVATE.
const NON_PLUS: &[Line] = &[
    (0x06, &[0x0f], 0x1f, "NS RF_SETUP: LNA_HCURR in bit 0, bits 7:5 reserved: no 250 kbit/s"),
    (0x1c, &[0x00], 0x00, "NS DYNPD: hidden until ACTIVATE"),
    (0x1d, &[0x00], 0x00, "NS FEATURE: hidden until ACTIVATE"),
];

/// Lines of the BK242x family that differ, before ACTIVATE.
const BK242X: &[Line] = &[
    (0x1c, &[0x00], 0x00, "B clone traits: hidden until ACTIVATE"),
    (0x1d, &[0x00], 0x00, "B clone traits: hidden until ACTIVATE"),
];

fn lines(variant: Variant) -> Vec<Line> {
    let own = match variant {
        Variant::NonPlus => NON_PLUS,
        Variant::Bk242x => BK242X,
        Variant::Plus | Variant::Si24r1 => &[],
    };
    let line = |line: &Line| own.iter().find(|other| other.0 == line.0).unwrap_or(line).to_owned();
    PLUS.iter().map(line).collect()
}

fn chip(variant: Variant) -> Chip {
    Chip::with(0, ChipConfig { variant, ..ChipConfig::default() })
}

#[test]
fn reset_values_and_writable_bits_are_those_of_the_documents() {
    for variant in [Variant::Plus, Variant::NonPlus, Variant::Si24r1, Variant::Bk242x] {
        for (address, reset, kept, source) in lines(variant) {
            let mut chip = chip(variant);
            let mut bytes = vec![NOP; reset.len() + 1];
            bytes[0] = address;
            let back = command(&mut chip, RESET_NS, &bytes);
            assert_eq!(back[0], 0x0e, "STATUS comes first");
            assert_eq!(&back[1..], reset, "{variant:?} {address:02x} after reset: {source}");
            bytes.fill(0xff);
            bytes[0] = 0x20 | address;
            command(&mut chip, RESET_NS, &bytes);
            bytes.fill(NOP);
            bytes[0] = address;
            let back = command(&mut chip, RESET_NS, &bytes);
            assert_eq!(back[1..], vec![kept; reset.len()], "{variant:?} {address:02x}: {source}");
        }
    }
}

#[test]
fn the_table_leaves_no_register_out() {
    let tested: Vec<_> = PLUS.iter().map(|line| line.0).collect();
    let modelled: Vec<_> = REGISTERS.iter().map(|register| register.address).collect();
    assert_eq!(tested, modelled);
    for register in REGISTERS {
        let line = PLUS.iter().find(|line| line.0 == register.address).expect("just compared");
        assert!(line.3.contains(register.name), "{} is {}", register.name, line.3);
    }
}

#[test]
fn registers_without_a_line_read_zero_and_keep_nothing() {
    for address in (0..0x20).filter(|address| PLUS.iter().all(|line| line.0 != *address)) {
        let mut chip = chip(Variant::Plus);
        write(&mut chip, RESET_NS, address, 0xff);
        assert_eq!(read(&mut chip, RESET_NS, address), 0, "{address:02x}");
    }
}

/// One command and what it must leave: bytes sent, bytes that come back behind STATUS, STATUS and
/// FIFO_STATUS after it, source.
type Step = (&'static [u8], &'static [u8], u8, u8, &'static str);

const PAYLOAD_AND_FIFO: &[Step] = &[
    (&[0xff], &[], 0x0e, 0x11, "PS table 20 NOP: STATUS alone"),
    (&[0xa0, 1, 2, 3], &[0, 0, 0], 0x0e, 0x01, "PS W_TX_PAYLOAD: 1 to 32 bytes"),
    (&[0xa0, 4], &[0], 0x0e, 0x01, "PS 8.4: second of three"),
    (&[0xa0, 5], &[0], 0x0f, 0x21, "PS STATUS TX_FULL, FIFO_STATUS TX_FULL with the third"),
    (&[0xa0, 6], &[0], 0x0f, 0x21, "a fourth is not stored: spec/nrf24.md A3, inferred"),
    (&[0xe3], &[], 0x0f, 0x61, "PS REUSE_TX_PL: FIFO_STATUS TX_REUSE"),
    (&[0xa0, 7], &[0], 0x0f, 0x21, "PS TX_REUSE ends with W_TX_PAYLOAD, which takes the slot"),
    (&[0xe1], &[], 0x0e, 0x11, "PS FLUSH_TX"),
    (&[0xe3], &[], 0x0e, 0x11, "PS REUSE_TX_PL with nothing ever sent"),
    (&[0x60, 0xff], &[0], 0x0e, 0x11, "PS R_RX_PL_WID of an empty FIFO"),
    (&[0x61, 0xff], &[0], 0x0e, 0x11, "PS R_RX_PAYLOAD of an empty FIFO"),
    (&[0xe2], &[], 0x0e, 0x11, "PS FLUSH_RX of an empty FIFO"),
    (&[0x27, 0x70], &[0], 0x0e, 0x11, "PS STATUS: writing 1 clears"),
    (&[0xb0, 1], &[0], 0x0e, 0x01, "PS W_TX_PAYLOAD_NOACK fills the same FIFO"),
    (&[0xa8, 1], &[0], 0x0e, 0x01, "PS W_ACK_PAYLOAD without EN_ACK_PAY: not taken"),
    (&[0x3d, 0x06], &[0], 0x0e, 0x01, "PS FEATURE: EN_DPL, EN_ACK_PAY"),
    (&[0x3c, 0x3f], &[0], 0x0e, 0x01, "PS DYNPD"),
    (&[0xa9, 1, 2], &[0, 0], 0x0e, 0x01, "PS W_ACK_PAYLOAD for pipe 1: second of three"),
    (&[0xad, 1], &[0], 0x0f, 0x21, "PS W_ACK_PAYLOAD for pipe 5: third of three"),
];

#[test]
fn commands_do_what_the_documents_say() {
    let mut chip = chip(Variant::Plus);
    for &(bytes, answer, status, fifo, source) in PAYLOAD_AND_FIFO {
        let back = command(&mut chip, RESET_NS, bytes);
        assert_eq!(&back[1..], answer, "{bytes:02x?}: {source}");
        assert_eq!(command(&mut chip, RESET_NS, &[0xff]), [status], "{bytes:02x?}: {source}");
        assert_eq!(read(&mut chip, RESET_NS, 0x17), fifo, "{bytes:02x?}: {source}");
    }
}

#[test]
fn setup_values_mean_what_the_documents_say() {
    // RF_SETUP, rate as bit time in ns, power in dBm, source.
    for (variant, setup, bit_ns, power_dbm, source) in [
        (Variant::Plus, 0x06, 1_000, 0, "PS RF_DR_LOW, RF_DR_HIGH = 00"),
        (Variant::Plus, 0x0e, 500, 0, "PS 01"),
        (Variant::Plus, 0x26, 4_000, 0, "PS 10"),
        (Variant::Plus, 0x00, 1_000, -18, "PS RF_PWR 00"),
        (Variant::Plus, 0x02, 1_000, -12, "PS RF_PWR 01"),
        (Variant::Plus, 0x04, 1_000, -6, "PS RF_PWR 10"),
        (Variant::Plus, 0x07, 1_000, 0, "PS RF_PWR 11; bit 0 does not count"),
        (Variant::Si24r1, 0x07, 1_000, 7, "B clone traits: bit 0 is power, up to +7 dBm"),
        (Variant::NonPlus, 0x27, 1_000, 0, "NS no 250 kbit/s"),
    ] {
        let mut rig = Rig::new(1);
        let mut chip = Chip::with(0, ChipConfig { variant, ..ChipConfig::default() });
        set_up(&mut chip, RESET_NS, SENDER);
        write(&mut chip, RESET_NS, 0x06, setup);
        rig.chips[0] = Some(chip);
        rig.run_to(START + MS);
        rig.send(0, 1);
        rig.run_to(START + 3 * MS);
        let flight = &rig.log()[0].flight;
        assert_eq!(flight.rate.bit_ns(), bit_ns, "{variant:?} {setup:02x}: {source}");
        assert_eq!(flight.power_dbm, power_dbm, "{variant:?} {setup:02x}: {source}");
    }
}
