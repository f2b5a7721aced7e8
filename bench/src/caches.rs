//! Sizes of the ULX3S's caches against speed and area: what each one makes of a genuine boot, and what it costs on
//! the smallest board. A figure is a size, so one can be asked for by itself.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use kube_emu::{NoRadio, SdCard};
use kube_flow::bitstream::Order;
use kube_flow::environment::target_folder;
use kube_rtl::Machine;
use kube_rtl::profile::Profile;
use kube_rtl::variant::Variant;

use crate::figure::{Figure, Measure, Reference};
use crate::ulx3s::{clock, tools};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 9] = [
    ("ulx3s.caches.4,4", || size("ulx3s.caches.4,4")),
    ("ulx3s.caches.8,4", || size("ulx3s.caches.8,4")),
    ("ulx3s.caches.8,8", || size("ulx3s.caches.8,8")),
    ("ulx3s.caches.8,16", || size("ulx3s.caches.8,16")),
    ("ulx3s.caches.16,8", || size("ulx3s.caches.16,8")),
    ("ulx3s.caches.16,16", || size("ulx3s.caches.16,16")),
    ("ulx3s.caches.16,32", || size("ulx3s.caches.16,32")),
    ("ulx3s.caches.32,16", || size("ulx3s.caches.32,16")),
    ("ulx3s.caches.32,32", || size("ulx3s.caches.32,32")),
];

/// The board with the fewest block RAMs, and how many.
const BOARD: (&str, u64) = ("ulx3s-12f", 56);
/// Seed of the placer.
const SEED: u32 = 1;
/// What the board is to sustain, in million instructions a second.
const GOAL_MIPS: f64 = 55.0;

/// Instructions a second of a genuine boot with caches of this size, at the clock that place and route gives that
/// top on the smallest board, but not more than the clock asked for. `None` without an image.
fn size(name: &'static str) -> Result<Option<Figure>> {
    let Some(image) = crate::core::genuine_image()? else { return Ok(None) };
    let caches = name.rsplit('.').next().unwrap_or_default();
    let folder = target_folder().join("flow").join("caches").join(caches);
    let verilog = folder.join("verilog");
    export(caches, &verilog)?;

    eprintln!("Boot with caches of {caches} KB");
    let variant = Variant::build(&verilog, &folder.join("model"), 2)?;
    let card = SdCard::new(image)?;
    let machine = Machine::variant(&variant, Some(card), NoRadio { level: true }, 0)
        .with_context(|| format!("the model in {} cannot be loaded", folder.display()))?;
    let profile = crate::core::to_desktop(machine)?;

    let order = Order { verilog, ..Order::new(BOARD.0, None)? };
    let made = order.synthesise(&tools()?, &mut |line| eprintln!("{line}"))?;
    let (lut4, block_rams) = (made.lut4(), made.block_rams());
    let (fmax_mhz, wanted_mhz, _) = clock(&made, SEED)?;
    Ok(Some(Figure {
        name,
        value: wanted_mhz.min(fmax_mhz) / profile.cpi(),
        unit: "M/s",
        reference: Reference::Target(GOAL_MIPS, "sustained on a genuine boot"),
        work: format!(
            "caches of {caches} KB: {:.3} cycles an instruction; {}, seed {SEED}: {fmax_mhz:.1} MHz of \
             {wanted_mhz:.1}, {lut4} LUT4, {block_rams} of {} block RAMs; {}",
            profile.cpi(),
            BOARD.0,
            BOARD.1,
            waits(&profile)
        ),
    }))
}

/// Where the cycles beyond one an instruction go.
fn waits(profile: &Profile) -> String {
    let part = |cycles: u64| cycles as f64 / profile.instructions as f64;
    let memory = &profile.memory;
    format!(
        "datum on its way {:.3}, tag {:.3}, buffer full {:.3}, store behind a line {:.3}, instruction on \
         its way {:.3}, jump {:.3}; the core's own: {}",
        part(memory.datum),
        part(memory.tag),
        part(memory.buffer),
        part(memory.store),
        part(memory.instruction),
        part(memory.jump),
        crate::core::split(profile)
    )
}

/// Exports the top with these caches; the program that has every size is built for it.
fn export(caches: &str, to: &Path) -> Result<()> {
    eprintln!("Export the top with caches of {caches} KB");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let mut cargo = Command::new("cargo");
    cargo
        .args(["run", "--quiet", "--package", "kube-hdl", "--features", "sizes", "--manifest-path"])
        .arg(manifest)
        .args(["--", "export", "--top", "ulx3s", "--caches", caches, "--out"])
        .arg(to);
    let status = cargo.status().context("cannot start cargo")?;
    if !status.success() {
        bail!("kube-hdl does not export caches of {caches} KB ({status})");
    }
    Ok(())
}
