//! The bare core on an FPGA, and the cycles that it needs for a boot: their quotient is what counts.

use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use kube_disk::ImageBuilder;
use kube_emu::{NoRadio, SdCard, loader};
use kube_flow::Environment;
use kube_flow::fit::{Fit, Netlist, SEEDS};
use kube_rtl::Machine;
use kube_rtl::profile::Profile;

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 4] = [
    ("core.fmax_mhz", fmax_mhz),
    ("core.cpi_boot", cpi_boot),
    ("core.cpi_own", cpi_own),
    ("core.mips_ratio", mips_ratio),
];

/// The reference core under the same conditions: 48.2, 47.5 and 46.0 MHz.
const REFERENCE_MHZ: f64 = 47.5;
/// Its cycles per instruction of the same boot, with memory that never waits.
const REFERENCE_CPI: f64 = 1.571;
/// Framebuffer of the genuine desktop (`h = h * 31 + word`).
const DESKTOP: u32 = 0xB5DF_C933;
/// Longest boot, in time of the machine.
const BOOT_NS: u64 = 20_000_000_000;

/// The fits, done once a run: half a minute of one core for each seed.
fn fits() -> Result<&'static [Fit]> {
    static FITS: OnceLock<Vec<Fit>> = OnceLock::new();
    if let Some(fits) = FITS.get() {
        return Ok(fits);
    }
    let tools = Environment::ready(|what| eprintln!("{what}"))?;
    let netlist = Netlist::core(&tools)?;
    let fits = SEEDS.iter().map(|seed| Ok(netlist.fit(&tools, *seed)?)).collect::<Result<_>>()?;
    Ok(FITS.get_or_init(|| fits))
}

/// The middle one of the seeds' clocks, and all of them in words.
fn clocks() -> Result<(f64, String)> {
    let mut all: Vec<f64> = fits()?.iter().map(|fit| fit.fmax_mhz).collect();
    let words: Vec<String> = all.iter().map(|mhz| format!("{mhz:.1}")).collect();
    all.sort_by(f64::total_cmp);
    Ok((all[all.len() / 2], format!("seeds {SEEDS:?}: {} MHz", words.join(", "))))
}

/// The genuine image, `None` if nobody names one.
pub(crate) fn genuine_image() -> Result<Option<Vec<u8>>> {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else { return Ok(None) };
    let image = std::fs::read(&path)
        .with_context(|| format!("KUBE_GENUINE_IMAGE names {}", path.display()))?;
    Ok(Some(image))
}

/// A machine boots the genuine image that is in it, from reset to its desktop.
pub(crate) fn to_desktop(machine: Machine<NoRadio>) -> Result<Profile> {
    boot(machine, &loader::words(), |machine| machine.framebuffer_hash() == DESKTOP)
}

/// The genuine boot, done once a run; `None` without an image.
fn genuine_boot() -> Result<Option<Profile>> {
    static BOOT: OnceLock<Profile> = OnceLock::new();
    let Some(image) = genuine_image()? else { return Ok(None) };
    if let Some(profile) = BOOT.get() {
        return Ok(Some(*profile));
    }
    let profile = to_desktop(machine(image)?)?;
    Ok(Some(*BOOT.get_or_init(|| profile)))
}

/// The simulated machine with an image in its card.
fn machine(image: Vec<u8>) -> Result<Machine<NoRadio>> {
    Ok(Machine::new(Some(SdCard::new(image)?), NoRadio { level: true }, 0))
}

fn boot(
    mut machine: Machine<NoRadio>,
    prom: &[u32],
    finished: impl Fn(&Machine<NoRadio>) -> bool,
) -> Result<Profile> {
    machine.set_prom(prom);
    let profile = Profile::of_boot(&mut machine, prom, BOOT_NS, &finished);
    if !finished(&machine) {
        bail!("the circuit has not booted in {} s of its time", BOOT_NS / 1_000_000_000);
    }
    Ok(profile)
}

/// Where the cycles beyond one an instruction go.
pub(crate) fn split(profile: &Profile) -> String {
    let part = |cycles: u64| cycles as f64 / profile.instructions as f64;
    format!(
        "{} instructions; loaded operand {:.3}, loaded flags {:.3}, shift {:.3}, branch {:.3}, \
         long {:.3}, other {:.3}",
        profile.instructions,
        part(profile.load_use),
        part(profile.load_flags),
        part(profile.shift),
        part(profile.branch),
        part(profile.long),
        part(profile.other),
    )
}

/// Clock of the bare core between registers, ECP5-85, speed 6.
fn fmax_mhz() -> Result<Option<Figure>> {
    let (value, words) = clocks()?;
    let fit = &fits()?[0];
    Ok(Some(Figure {
        name: "core.fmax_mhz",
        value,
        unit: "MHz",
        reference: Reference::Published(REFERENCE_MHZ, "RISC5.v of 31.8.2018, same conditions"),
        work: format!(
            "ECP5-85, speed 6, {words}; {} logic cells, {} flip-flops, {} DSP",
            fit.comb, fit.flip_flops, fit.multipliers
        ),
    }))
}

/// Cycles per instruction from reset to the genuine desktop.
fn cpi_boot() -> Result<Option<Figure>> {
    Ok(genuine_boot()?.map(|profile| Figure {
        name: "core.cpi_boot",
        value: profile.cpi(),
        unit: "cycles",
        reference: Reference::Published(REFERENCE_CPI, "RISC5.v of 31.8.2018, the same boot"),
        work: format!("reset to desktop, SPI waits left out, {}", split(&profile)),
    }))
}

/// The same from reset to the first idle wait of our own system.
fn cpi_own() -> Result<Option<Figure>> {
    let system = kube_modules::build()?;
    let builder = ImageBuilder::new().boot_image(&system.boot_image).files(&system.objects);
    // The machine skips its first idle wait, so the end cannot be overlooked.
    let waited = |machine: &Machine<NoRadio>| machine.skipped_cycles() > 0;
    let profile = boot(machine(builder.build()?.into_bytes())?, &system.prom, waited)?;
    Ok(Some(Figure {
        name: "core.cpi_own",
        value: profile.cpi(),
        unit: "cycles",
        reference: Reference::Published(REFERENCE_CPI, "RISC5.v of 31.8.2018, a genuine boot"),
        work: format!(
            "our system, reset to the first idle wait, SPI waits left out, {}",
            split(&profile)
        ),
    }))
}

/// Instructions a second of the boot, over the reference's.
fn mips_ratio() -> Result<Option<Figure>> {
    let Some(profile) = genuine_boot()? else { return Ok(None) };
    let (mhz, words) = clocks()?;
    let mips = mhz / profile.cpi();
    Ok(Some(Figure {
        name: "core.mips_ratio",
        value: mips / (REFERENCE_MHZ / REFERENCE_CPI),
        unit: "x",
        reference: Reference::Target(2.25, "of the reference's 30.2 M instructions a second"),
        work: format!("{mips:.1} M instructions a second at the middle clock; {words}"),
    }))
}
