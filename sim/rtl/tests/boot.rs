//! Whole systems on the circuit: our image, and a genuine one where it is given.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;

use kube_disk::ImageBuilder;
use kube_emu::sd::Timing;
use kube_emu::{Config, NoRadio, SdCard, loader};
use kube_modules::System;
use kube_rtl::Machine;
use kube_rtl::lockstep::{Lockstep, Start, check};

/// The framebuffer of a genuine desktop.
const DESKTOP: u32 = 0xB5DF_C933;
const RADIO: NoRadio = NoRadio { level: true };

fn card(image: Vec<u8>) -> Result<SdCard, Box<dyn Error>> {
    let mut card = SdCard::new(image)?;
    // The shortest delays: what counts here is the protocol, and simulated cycles are dear.
    card.set_timing(Timing { initialise_ns: 100_000, read_ns: 2_000, write_ns: 5_000 });
    Ok(card)
}

fn our_image(system: &System) -> Result<Vec<u8>, Box<dyn Error>> {
    let builder = ImageBuilder::new().boot_image(&system.boot_image).files(&system.objects);
    Ok(builder.build()?.into_bytes())
}

/// Runs until the log contains a text; what the log says then.
fn wait_for(machine: &mut Machine<NoRadio>, text: &str, ms: u64) -> String {
    let mut log = String::new();
    for _ in 0..ms {
        machine.run_until(machine.now_ns() + 1_000_000);
        log.push_str(&String::from_utf8_lossy(&machine.serial_received()));
        if log.contains(text) {
            return log;
        }
    }
    panic!("{text:?} was not said in {ms} ms; LEDs {:02X}; log:\n{log}", machine.leds());
}

#[test]
fn our_image_boots_and_takes_a_command() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let mut machine = Machine::new(Some(card(our_image(&system)?)?), RADIO, 0);
    let log = wait_for(&mut machine, "up in", 400);
    assert!(log.contains("Kubestation Oberon"), "{log}");
    machine.serial_send(b"Nothing.Here\n");
    let log = wait_for(&mut machine, ", res ", 100);
    assert!(log.contains("failed"), "{log}");
    Ok(())
}

/// The boot of our image, each instruction against the emulator.
#[test]
fn our_boot_in_lockstep() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let card = card(our_image(&system)?)?;
    // Kept after a failure, where cargo puts what tests leave behind.
    let waveform = Path::new(env!("CARGO_TARGET_TMPDIR")).join("our_boot.fst");
    let boot = |start: &Start| {
        let mut pair = Lockstep::new(start, Some(card.clone()), RADIO, 0, &system.prom);
        let mut log = String::new();
        for _ in 0..400 {
            pair.run_cycles(50_000)?;
            log.push_str(&String::from_utf8_lossy(&pair.machine.serial_received()));
            if log.contains("up in") {
                break;
            }
        }
        Ok((pair.instructions(), log))
    };
    let (instructions, log) =
        check(&waveform, boot).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert!(log.contains("up in") && instructions > 1_000_000, "{instructions}; {log}");
    Ok(())
}

/// Without a card the machine says which stage failed, and the harness does not hang.
#[test]
fn a_missing_card_is_named() -> Result<(), Box<dyn Error>> {
    let mut machine = Machine::new(None, RADIO, 0);
    wait_for(&mut machine, "boot: card failed", 100);
    assert_eq!(machine.leds(), b'c');
    Ok(())
}

#[test]
fn genuine_image_boots_to_its_desktop() -> Result<(), Box<dyn Error>> {
    let Some(image) = genuine("genuine image boot")? else { return Ok(()) };
    let machine = Machine::new(Some(card(image.clone())?), RADIO, 0);
    desktop(machine, image, Config::ours(loader::words()))
}

#[test]
fn genuine_image_boots_on_the_compatible_machine() -> Result<(), Box<dyn Error>> {
    let Some(image) = genuine("genuine image on the compatible machine")? else { return Ok(()) };
    let machine = Machine::compat(Some(card(image.clone())?), RADIO, 0);
    desktop(machine, image, Config::compat(loader::words()))
}

fn genuine(what: &str) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
        let needs = "needs KUBE_GENUINE_IMAGE (path of a Project Oberon image)";
        writeln!(std::io::stderr(), "skipped: {what} {needs}")?;
        return Ok(None);
    };
    Ok(Some(std::fs::read(path)?))
}

fn desktop(
    mut machine: Machine<NoRadio>,
    image: Vec<u8>,
    config: Config,
) -> Result<(), Box<dyn Error>> {
    machine.set_prom(&loader::words());
    let mut emulator = kube_emu::Machine::new(config, Some(card(image)?), RADIO);
    for _ in 0..60 {
        machine.run_until(machine.now_ns() + 50_000_000);
        if machine.framebuffer_hash() == DESKTOP {
            break;
        }
    }
    emulator.run_until(4_000_000_000);
    assert_eq!(machine.framebuffer_hash(), DESKTOP, "LEDs {:02X}", machine.leds());
    assert_eq!(machine.framebuffer(), emulator.framebuffer());
    Ok(())
}

/// The machine without our additions takes our image, whose boot loader fits its PROM as well.
#[test]
fn our_image_boots_on_the_compatible_machine() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let mut machine = Machine::compat(Some(card(our_image(&system)?)?), RADIO, 0);
    machine.set_prom(&system.prom);
    let log = wait_for(&mut machine, "up in", 800);
    assert!(log.contains("Kubestation Oberon"), "{log}");
    Ok(())
}
