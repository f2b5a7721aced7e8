//! Boots an image on the top of a ULX3S: cycles per instruction with caches and SDRAM, waits for the card and
//! I/O words left out, and how often the SDRAM was asked for what.
//!
//! `cargo run --release -p kube-rtl --example ulx3s -- [IMAGE]`; without an image, our own system.
#![allow(clippy::print_stdout, reason = "a program that people run")]

use std::error::Error;

use kube_disk::ImageBuilder;
use kube_emu::{NoRadio, SdCard, loader};
use kube_rtl::Machine;
use kube_rtl::profile::Profile;

/// Framebuffer of a genuine desktop.
const DESKTOP: u32 = 0xB5DF_C933;

fn main() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let (image, prom, genuine) = match std::env::args().nth(1) {
        Some(path) => (std::fs::read(path)?, loader::words(), true),
        None => {
            let builder = ImageBuilder::new().boot_image(&system.boot_image).files(&system.objects);
            (builder.build()?.into_bytes(), system.prom, false)
        }
    };
    let mut machine = Machine::ulx3s(Some(SdCard::new(image)?), NoRadio { level: true }, 0);
    machine.set_prom(&prom);
    let finished = |machine: &Machine<NoRadio>| {
        if genuine { machine.framebuffer_hash() == DESKTOP } else { machine.idle() }
    };
    let profile = Profile::of_boot(&mut machine, &prom, 4_000_000_000, finished);
    let mips = machine.clock_hz() as f64 / profile.cpi() / 1e6;
    println!(
        "CPI {:.3}, {mips:.1} M instructions a second at {} MHz; framebuffer {:08X}",
        profile.cpi(),
        machine.clock_hz() / 1_000_000,
        machine.framebuffer_hash()
    );
    println!("{profile:?}");
    if let Some(sdram) = machine.sdram() {
        println!(
            "SDRAM commands by code {:?}, broken rules {:?}",
            sdram.commands(),
            sdram.violation()
        );
    }
    Ok(())
}
