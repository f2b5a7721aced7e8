//! The standing test of compatibility: an unmodified Project Oberon 2013 image boots to its desktop.
//!
//! The image may not be in the repository; `KUBE_GENUINE_IMAGE` names the file (that of 2020-08-18,
//! or 2016-08-02, which shows the same picture). Without it the tests say that they are skipped.

use std::error::Error;

use kube_emu::{Config, Machine, NoRadio, SdCard, loader};

const DESKTOP: u32 = 0xB5DF_C933;

/// Machine time that boot and first idle passes take at most.
const BOOT_NS: u64 = 3_000_000_000;

fn image() -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    match std::env::var_os("KUBE_GENUINE_IMAGE") {
        Some(path) => Ok(Some(std::fs::read(path)?)),
        None => {
            use std::io::Write as _;
            writeln!(
                std::io::stderr(),
                "skipped: genuine image boot needs KUBE_GENUINE_IMAGE (path of a Project Oberon image)"
            )?;
            Ok(None)
        }
    }
}

fn boots(config: Config) -> Result<(), Box<dyn Error>> {
    let Some(image) = image()? else {
        return Ok(());
    };
    let card = SdCard::new(image)?;
    let mut stepwise = config.clone();
    stepwise.count_polls = false;
    let mut machine = Machine::new(config, Some(card.clone()), NoRadio::default());
    machine.run_until(BOOT_NS);
    assert_eq!(
        machine.framebuffer_hash(),
        DESKTOP,
        "after {} instructions, pc {:06X}, LEDs {:02X}",
        machine.instructions(),
        machine.pc(),
        machine.leds()
    );
    // Counting the rounds of waiting loops is the same run as executing them.
    let mut stepwise = Machine::new(stepwise, Some(card), NoRadio::default());
    stepwise.run_until(BOOT_NS);
    let state = |machine: &Machine<NoRadio>| {
        let registers: Vec<u32> = (0..16).map(|number| machine.register(number)).collect();
        (machine.cycles(), machine.instructions(), machine.pc(), machine.flags(), registers)
    };
    assert_eq!(state(&machine), state(&stepwise));
    Ok(())
}

#[test]
fn genuine_image_boots_on_our_machine() -> Result<(), Box<dyn Error>> {
    boots(Config::ours(loader::words()))
}

#[test]
fn genuine_image_boots_on_the_reference_machine() -> Result<(), Box<dyn Error>> {
    boots(Config::compat(loader::words()))
}
