//! Chips that are sold as nRF24L01+ and differ, and acknowledgements that CE may cut off.

use crate::field::{Field, Radio};
use crate::profiles::pair_of;
use kube_air::{ChipConfig, Variant};
use nrf24::settings::Length;
use nrf24::{Health, SecondBankRow, Settings};

/// Any values do for the model; real ones come from the chip's maker.
const SECOND_BANK: &[SecondBankRow] =
    &[(0, [1; 4]), (1, [2; 4]), (2, [3; 4]), (3, [4; 4]), (4, [5; 4]), (5, [6; 4])];

fn chip(variant: Variant) -> ChipConfig {
    ChipConfig { variant, ..ChipConfig::default() }
}

/// A driver for the chip at a place.
fn radio(field: &Field, at: usize, variant: Variant) -> Radio {
    let radio = field.radio(at);
    if variant == Variant::Bk242x { radio.with_second_bank(SECOND_BANK) } else { radio }
}

const ALL: [Variant; 4] = [Variant::Plus, Variant::NonPlus, Variant::Si24r1, Variant::Bk242x];

#[test]
fn every_variant_talks_to_every_other_in_both_profiles() {
    for settings in [Settings::kube(5), Settings::wirth(5)] {
        for one in ALL {
            for other in ALL {
                let field = Field::of(&[chip(one), chip(other)]);
                let radios = (radio(&field, 0, one), radio(&field, 1, other));
                let (mut a, mut b) = pair_of(&field, radios, &settings);
                assert_eq!(a.send(&[1; 32]), Ok(true), "{one:?} to {other:?}");
                assert!(b.receive().expect("a chip").is_some(), "{one:?} to {other:?}");
                assert_eq!(b.send(&[2; 32]), Ok(true), "{other:?} to {one:?}");
                assert!(a.receive().expect("a chip").is_some(), "{other:?} to {one:?}");
            }
        }
    }
}

#[test]
fn locked_registers_are_opened_for_dynamic_lengths() {
    let settings = Settings { length: Length::Dynamic, ..Settings::wirth(5) };
    let field = Field::of(&[chip(Variant::NonPlus), chip(Variant::Plus)]);
    let radios = (field.radio(0), field.radio(1));
    let (mut a, mut b) = pair_of(&field, radios, &settings);
    assert_eq!(a.send(&[1, 2, 3]), Ok(true));
    assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), [1, 2, 3]);
    a.start(&settings).expect("a warm chip, already open");
}

#[test]
fn a_chip_left_in_its_second_bank_is_found() {
    let field = Field::of(&[chip(Variant::Bk242x)]);
    field.touch(0, |chip, now_ns| {
        chip.select(now_ns, true);
        chip.transfer(now_ns, 0x50);
        chip.transfer(now_ns, 0x53);
        chip.select(now_ns, false);
    });
    assert_eq!(field.register(0, 0x07) & 0x80, 0x80);
    radio(&field, 0, Variant::Bk242x).start(&Settings::kube(5)).expect("a chip");
    assert_eq!(field.register(0, 0x07) & 0x80, 0);
}

#[test]
fn a_second_bank_lost_in_a_brown_out_is_written_again() {
    let field = Field::of(&[chip(Variant::Bk242x), chip(Variant::Plus)]);
    let radios = (radio(&field, 0, Variant::Bk242x), field.radio(1));
    let (mut a, mut b) = pair_of(&field, radios, &Settings::kube(5));
    field.touch(0, |chip, now_ns| chip.brown_out(now_ns));
    field.pass(120_000_000);
    assert_eq!(a.maintain(), Ok(Health::Restarted));
    field.pass(1_000_000);
    assert_eq!(a.send(&[7; 32]), Ok(true));
    assert!(b.receive().expect("a chip").is_some());
}

/// Row 21: such a chip falls silent after 15 failures unless its FIFO is emptied.
#[test]
fn row_21_fifteen_failures_do_not_lock_a_bk242x() {
    let field = Field::of(&[chip(Variant::Bk242x), chip(Variant::Plus)]);
    let radios = (radio(&field, 0, Variant::Bk242x), field.radio(1));
    let (mut a, mut b) = pair_of(&field, radios, &Settings::wirth(5));
    b.standby().expect("a pin");
    for _ in 0..20 {
        assert_eq!(a.send(&[1; 32]), Ok(false));
    }
    b.listen().expect("a chip");
    field.pass(1_000_000);
    assert_eq!(a.send(&[2; 32]), Ok(true));
}

/// Whether CE going low ends an acknowledgement is not known, so nothing may depend on it.
#[test]
fn acknowledgements_that_ce_cuts_off_lose_nothing() {
    let config = ChipConfig { ce_low_aborts_ack: true, ..ChipConfig::default() };
    let field = Field::of(&[config, config]);
    let radios = (field.radio(0), field.radio(1));
    let (mut a, mut b) = pair_of(&field, radios, &Settings::wirth(5));
    for number in 0..20 {
        assert_eq!(a.send(&[number; 32]), Ok(true));
        let payload = b.receive().expect("a chip").expect("a payload");
        assert_eq!(payload.as_slice(), [number; 32]);
    }
}
