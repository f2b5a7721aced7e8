//! Boots an image on the Verilated machine and on the emulator: speed of both, cycles per
//! instruction and where they go.
//!
//! `cargo run --release -p kube-rtl --example boot -- [IMAGE] [MILLISECONDS]`; without an image, our own
//! system.
#![allow(clippy::print_stdout, reason = "a program that people run")]

use std::error::Error;
use std::time::Instant;

use kube_disk::ImageBuilder;
use kube_emu::{Config, NoRadio, SdCard, loader};
use kube_rtl::Machine;
use kube_rtl::profile::Profile;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().filter(|path| path != "-");
    let milliseconds: u64 = arguments.next().map_or(Ok(1_000), |text| text.parse())?;
    let system = kube_modules::build()?;
    let (image, prom) = match path {
        Some(path) => (std::fs::read(path)?, loader::words()),
        None => {
            let builder = ImageBuilder::new().boot_image(&system.boot_image).files(&system.objects);
            (builder.build()?.into_bytes(), system.prom)
        }
    };
    let radio = NoRadio { level: true };
    let mut machine = Machine::new(Some(SdCard::new(image.clone())?), radio, 0);
    machine.set_prom(&prom);
    let start = Instant::now();
    machine.run_until(milliseconds * 1_000_000);
    let seconds = start.elapsed().as_secs_f64();
    println!("{}", String::from_utf8_lossy(&machine.serial_received()));
    println!(
        "circuit: {} cycles ({} skipped), {} instructions, {:.2} M cycles/s, LEDs {:02X}, idle {}, framebuffer {:08X}",
        machine.cycles(),
        machine.skipped_cycles(),
        machine.instructions(),
        machine.cycles() as f64 / seconds / 1e6,
        machine.leds(),
        machine.idle(),
        machine.framebuffer_hash(),
    );
    let mut emulator = kube_emu::Machine::new(
        Config::ours(prom.clone()),
        Some(SdCard::new(image.clone())?),
        radio,
    );
    let start = Instant::now();
    emulator.run_until(milliseconds * 1_000_000);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "emulator: {} cycles, {} instructions, {:.0} M cycles/s, framebuffer {:08X}",
        emulator.cycles(),
        emulator.instructions(),
        emulator.cycles() as f64 / seconds / 1e6,
        emulator.framebuffer_hash(),
    );
    let mut machine = Machine::new(Some(SdCard::new(image)?), radio, 0);
    machine.set_prom(&prom);
    let limit_ns = milliseconds * 1_000_000;
    let waited = |machine: &Machine<NoRadio>| machine.skipped_cycles() > 0;
    let profile = Profile::of_boot(&mut machine, &prom, limit_ns, waited);
    println!("CPI {:.3} without waiting for SPI and I/O words; {profile:?}", profile.cpi());
    Ok(())
}
