//! Measures the emulator: millions of instructions a second while a genuine image boots, and at its
//! idle desktop. Usage: `mips IMAGE [RUNS [CLOCK_HZ]]`; one line of JSON, the best of the runs.
//! Every instruction is executed, except for the figure `polls_counted` ([`Config::count_polls`]).
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;

use kube_emu::{Config, loader, speed};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: mips IMAGE [RUNS [CLOCK_HZ]]")?;
    let runs = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let image = std::fs::read(path)?;
    let mut config = Config::ours(loader::words());
    config.clock_hz = arguments.next().map_or(Ok(config.clock_hz), |text| text.parse())?;
    config.count_polls = false;
    let speed = speed::measure(&image, &config, runs)?;
    config.count_polls = true;
    let counted = speed::measure(&image, &config, runs)?;
    println!(
        "{{\"emu.mips_boot\": {:.1}, \"emu.mips_idle\": {:.1}, \"emu.mips_boot_polls_counted\": {:.1}, \
         \"boot_instructions\": {}, \"hash\": \"{:08X}\"}}",
        speed.boot_mips,
        speed.idle_mips,
        counted.boot_mips,
        speed.boot_instructions,
        speed.framebuffer_hash
    );
    Ok(())
}
