//! Starts that fail: the stage is shown on the LEDs, said on the line and reported, and nobody hangs.

use std::error::Error;

use kube_disk::ImageBuilder;
use kube_emu::sd::{BlockImage, Faults, Timing};
use kube_emu::{NoRadio, SdCard};
use kube_modules::System;
use kube_rtl::Machine;
use kube_rtl::stage::{BootFailure, boot};

const RADIO: NoRadio = NoRadio { level: true };
/// First block of the boot area.
const BOOT_BLOCK: u32 = 0x8_0004;
/// More than these starts take: a block that does not come is awaited for 400 ms.
const LIMIT_MS: u64 = 600;

fn quick(mut card: SdCard) -> SdCard {
    card.set_timing(Timing { initialise_ns: 100_000, read_ns: 2_000, write_ns: 5_000 });
    card
}

fn card(boot_image: &[u8]) -> Result<SdCard, Box<dyn Error>> {
    Ok(quick(SdCard::new(ImageBuilder::new().boot_image(boot_image).build()?.into_bytes())?))
}

fn start(system: &System, card: Option<SdCard>) -> Result<String, BootFailure> {
    let mut machine = Machine::new(card, RADIO, 0);
    machine.set_prom(&system.prom);
    boot(&mut machine, LIMIT_MS)
}

/// The word of the failed stage, and its LEDs.
fn failed(result: Result<String, BootFailure>) -> (Option<&'static str>, u8) {
    match result {
        Ok(log) => panic!("it came up: {log}"),
        Err(failure) => (failure.stage.word, failure.stage.leds),
    }
}

#[test]
fn a_sound_start_says_what_the_line_said() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let builder = ImageBuilder::new().boot_image(&system.boot_image).files(&system.objects);
    let card = quick(SdCard::new(builder.build()?.into_bytes())?);
    start(&system, Some(card))?;
    Ok(())
}

#[test]
fn each_fault_of_the_card_is_named_by_its_stage() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let faulty = |faults: Faults| -> Result<Option<SdCard>, Box<dyn Error>> {
        let mut card = card(&system.boot_image)?;
        *card.faults_mut() = faults;
        Ok(Some(card))
    };
    assert_eq!(failed(start(&system, None)), (Some("card"), b'c'));
    let absent = faulty(Faults { absent: true, ..Faults::default() })?;
    assert_eq!(failed(start(&system, absent)), (Some("card"), b'c'));
    let first = faulty(Faults { read_error: Some(BOOT_BLOCK), ..Faults::default() })?;
    assert_eq!(failed(start(&system, first)), (Some("read"), b'r'));
    Ok(())
}

#[test]
fn an_empty_card_and_a_damaged_image_are_told_apart() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let empty = quick(SdCard::with(BlockImage::empty()));
    assert_eq!(failed(start(&system, Some(empty))), (Some("area"), b'a'));
    // Of the right length, and nothing but branches to themselves.
    let mut damaged = vec![0; system.boot_image.len()];
    for word in damaged.chunks_exact_mut(4) {
        word.copy_from_slice(&0xE7FF_FFFF_u32.to_le_bytes());
    }
    damaged[16..20].copy_from_slice(&system.boot_image[16..20]);
    let failure = start(&system, Some(card(&damaged)?)).err().ok_or("it came up")?;
    assert_eq!((failure.stage.word, failure.stage.leds), (None, 0x84));
    assert!(failure.to_string().contains("shows no life"), "{failure}");
    Ok(())
}

#[test]
fn an_empty_prom_is_seen_as_a_loader_that_has_not_begun() {
    let mut machine = Machine::new(None, RADIO, 0);
    machine.set_prom(&[]);
    let failure = boot(&mut machine, 3).err();
    assert_eq!(failure.map(|failure| failure.stage.leds), Some(0));
}

/// The image comes over the line; a character without stop bit is dropped, and the address that
/// follows from the rest is absurd.
#[test]
fn a_framing_error_while_loading_fails_the_line_stage() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let mut machine = Machine::new(None, RADIO, 0);
    machine.set_prom(&system.prom);
    machine.set_switches(1);
    machine.run_until(1_000_000);
    machine.serial_send(&[4, 0, 0, 0]);
    machine.serial_send_broken(&[0]);
    machine.serial_send(&[0x10, 0, 0, 0xFF, 0xFF]);
    assert_eq!(failed(boot(&mut machine, LIMIT_MS)), (Some("line"), b'l'));
    Ok(())
}

/// A machine whose line has another rate than the harness.
#[test]
fn a_line_at_another_rate_is_reported_with_the_stage() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let mut machine = Machine::new(None, RADIO, 0);
    machine.set_prom(&system.prom);
    machine.set_baud(460_800);
    let failure = boot(&mut machine, 40).err().ok_or("it came up")?;
    assert!(failure.framing_errors > 0, "{failure}");
    assert!(failure.to_string().contains("another rate"), "{failure}");
    Ok(())
}
