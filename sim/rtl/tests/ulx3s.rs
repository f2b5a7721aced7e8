//! The top of a ULX3S with its SDRAM: random programs and boots against the emulator, and no rule of the
//! memory chip broken.

use std::error::Error;
use std::io::Write as _;

use kube_disk::ImageBuilder;
use kube_emu::sd::Timing;
use kube_emu::{NoRadio, SdCard, loader};
use kube_rtl::lockstep::Lockstep;
use kube_rtl::program;

/// The framebuffer of a genuine desktop.
const DESKTOP: u32 = 0xB5DF_C933;
const RADIO: NoRadio = NoRadio { level: true };
/// A branch to address 0, for a PROM.
const TO_ZERO: [u32; 2] = [0x4000_0000, 0xC700_0000];

fn card(image: Vec<u8>) -> Result<SdCard, Box<dyn Error>> {
    let mut card = SdCard::new(image)?;
    card.set_timing(Timing { initialise_ns: 100_000, read_ns: 2_000, write_ns: 5_000 });
    Ok(card)
}

/// Programs; `KUBE_LOCKSTEP_PROGRAMS` asks for more.
fn programs() -> u64 {
    std::env::var("KUBE_LOCKSTEP_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

/// Some programs wait in the idle word for a millisecond, which begins after the SDRAM's rest.
#[test]
fn random_programs_in_lockstep() {
    let mut instructions = 0;
    for seed in 5_000..5_000 + programs() {
        let mut pair = Lockstep::ulx3s(None, NoRadio::default(), 0, &TO_ZERO);
        pair.load_words(0, &program::random(seed, 1_500));
        if let Err(mismatch) = pair.run_cycles(60_000) {
            panic!("seed {seed}: {mismatch}");
        }
        instructions += pair.instructions();
    }
    assert!(instructions > 2_000 * programs(), "{instructions} instructions only");
}

#[test]
fn our_boot_in_lockstep() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let mut builder = ImageBuilder::new().boot_image(&system.boot_image);
    for (name, bytes) in &system.objects {
        builder = builder.file(name, bytes);
    }
    let card = card(builder.build()?.into_bytes())?;
    let mut pair = Lockstep::ulx3s(Some(card), RADIO, 0, &system.prom);
    let mut log = String::new();
    for _ in 0..600 {
        pair.run_cycles(50_000).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        log.push_str(&String::from_utf8_lossy(&pair.machine.serial_received()));
        if log.contains("up in") {
            break;
        }
    }
    assert!(log.contains("up in") && pair.instructions() > 1_000_000, "{log}");
    Ok(())
}

#[test]
fn genuine_image_boots_to_its_desktop_in_lockstep() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
        let needs = "needs KUBE_GENUINE_IMAGE (path of a Project Oberon image)";
        writeln!(std::io::stderr(), "skipped: genuine image on the ULX3S's top {needs}")?;
        return Ok(());
    };
    let card = card(std::fs::read(path)?)?;
    let mut pair = Lockstep::ulx3s(Some(card), RADIO, 0, &loader::words());
    for _ in 0..60 {
        let to = pair.machine.now_ns() + 50_000_000;
        pair.run_until(to).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        if pair.machine.framebuffer_hash() == DESKTOP {
            return Ok(());
        }
    }
    panic!("no desktop: {:08X}, LEDs {:02X}", pair.machine.framebuffer_hash(), pair.machine.leds());
}
