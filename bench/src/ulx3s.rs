//! The top of a ULX3S: clock and area after place and route, and its netlist beside its sources.

use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use kube_emu::{NoRadio, SdCard};
use kube_flow::Environment;
use kube_flow::bitstream::{BitstreamError, Order, Synthesised};
use kube_flow::environment::target_folder;
use kube_flow::fit::SEEDS;
use kube_lab::engine::EngineKind;
use kube_rtl::Machine;
use kube_rtl::gates::{Agreement, Bench, compare};

use crate::figure::{Figure, Measure, Reference};
use crate::lab::lab_run;

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 6] = [
    ("ulx3s.fmax_mhz", fmax_mhz),
    ("ulx3s.lut", lut),
    ("ulx3s.fits_12f", fits_12f),
    ("ulx3s.gate_cycles_matched", gate_cycles_matched),
    ("ulx3s.mips", mips),
    ("ulx3s.mips_cluster", mips_cluster),
];

/// A public port of the original machine to this board: its CPU clock in MHz, and its LUT4.
const PORT_MHZ: f64 = 31.7;
const PORT_LUT4: f64 = 4445.0;
/// The original machine at 25 MHz, in million instructions a second.
const REFERENCE_MIPS: f64 = 15.8;
/// Many times what the boot loader needs to read its first sector.
const CYCLES_MAX: u64 = 20_000_000;

pub(crate) fn tools() -> Result<Environment> {
    Ok(Environment::ready(|what| eprintln!("{what}"))?)
}

fn synthesise(board: &str) -> Result<Synthesised> {
    let order = Order::new(board, None)?;
    Ok(order.synthesise(&tools()?, &mut |line| eprintln!("{line}"))?)
}

/// The top of the 85F, synthesised once a run.
fn large() -> Result<&'static Synthesised> {
    static LARGE: OnceLock<Synthesised> = OnceLock::new();
    if let Some(made) = LARGE.get() {
        return Ok(made);
    }
    let made = synthesise("ulx3s-85f")?;
    Ok(LARGE.get_or_init(|| made))
}

/// The clock of a seed and the one wanted, in MHz, whether it is met or not; and the cells.
pub(crate) fn clock(of: &Synthesised, seed: u32) -> Result<(f64, f64, String)> {
    match of.place(&tools()?, seed, &mut |line| eprintln!("{line}")) {
        Ok(made) => {
            let clock = made.report.slowest().context("the report has no clock")?;
            Ok((clock.fmax_mhz, clock.wanted_mhz, made.report.headline()))
        }
        Err(BitstreamError::Timing { clocks, .. }) => {
            let slow = clocks.first().context("no clock is slow")?;
            Ok((slow.fmax_mhz, slow.wanted_mhz, format!("MISSED: {slow}")))
        }
        Err(error) => Err(error.into()),
    }
}

/// CPU clock of the whole top on an 85F of speed grade 6: the slowest of three seeds.
fn fmax_mhz() -> Result<Option<Figure>> {
    let mut clocks = Vec::new();
    for seed in SEEDS {
        clocks.push(clock(large()?, seed)?);
    }
    let value = clocks.iter().map(|(mhz, ..)| *mhz).fold(f64::INFINITY, f64::min);
    let words: Vec<_> = clocks.iter().map(|(.., words)| words.as_str()).collect();
    Ok(Some(Figure {
        name: "ulx3s.fmax_mhz",
        value,
        unit: "MHz",
        reference: Reference::Published(PORT_MHZ, "a port of the original machine, same board"),
        work: format!("the slowest of seeds {SEEDS:?}: {}", words.join("; ")),
    }))
}

/// Look-up tables of the whole top before packing.
fn lut() -> Result<Option<Figure>> {
    Ok(Some(Figure {
        name: "ulx3s.lut",
        value: large()?.lut4() as f64,
        unit: "LUT4",
        reference: Reference::Published(PORT_LUT4, "a port of the original machine, same board"),
        work: "the whole top, after synthesis, before packing".to_owned(),
    }))
}

/// 1 if the 12F holds the top and meets its timing with seed 1.
fn fits_12f() -> Result<Option<Figure>> {
    let small = synthesise("ulx3s-12f")?;
    let (value, work) = match small.place(&tools()?, 1, &mut |line| eprintln!("{line}")) {
        Ok(made) => (1.0, made.report.headline()),
        Err(error @ (BitstreamError::Timing { .. } | BitstreamError::Size { .. })) => {
            (0.0, format!("{error}: {}", error.cause().unwrap_or_default()))
        }
        Err(error) => return Err(error.into()),
    };
    Ok(Some(Figure {
        name: "ulx3s.fits_12f",
        value,
        unit: "",
        reference: Reference::Target(1.0, "the top fits the smallest board and meets its timing"),
        work,
    }))
}

/// Cycles in which the netlist agrees with its sources on all pins, to the end of the first sector.
fn gate_cycles_matched() -> Result<Option<Figure>> {
    let made = large()?;
    let folder = target_folder().join("flow").join("gates");
    let end = compare(Bench::Ulx3s, made.sources(), &made.gates(), &folder, CYCLES_MAX)?;
    let Agreement::Matched { cycles } = end else {
        bail!("netlist and sources of the ULX3S's top: {end:?}");
    };
    Ok(Some(Figure {
        name: "ulx3s.gate_cycles_matched",
        value: cycles as f64,
        unit: "cycles",
        reference: Reference::SameRun(cycles as f64, "the sources, cycle by cycle".to_owned()),
        work: "from configuration to the end of the first sector read, all pins equal".to_owned(),
    }))
}

/// Instructions a second of a genuine boot on the board's top, at its clock: caches, SDRAM and refreshes
/// included, waits for the card and for I/O words left out. `None` without an image.
fn mips() -> Result<Option<Figure>> {
    let Some(image) = crate::core::genuine_image()? else { return Ok(None) };
    let machine = Machine::ulx3s(Some(SdCard::new(image)?), NoRadio { level: true }, 0);
    let clock_hz = machine.clock_hz();
    let profile = crate::core::to_desktop(machine)?;
    Ok(Some(Figure {
        name: "ulx3s.mips",
        value: clock_hz as f64 / profile.cpi() / 1e6,
        unit: "M/s",
        reference: Reference::Published(REFERENCE_MIPS, "the original machine at 25 MHz"),
        work: format!(
            "genuine boot to its desktop: {} instructions, {:.3} cycles each at {} MHz",
            profile.instructions,
            profile.cpi(),
            clock_hz / 1_000_000
        ),
    }))
}

/// Instructions a second of the cluster's machines on the board's top, at its clock, while they do not sleep in
/// the idle word: caches, SDRAM and refreshes included, and all waits for card and radio.
fn mips_cluster() -> Result<Option<Figure>> {
    let (run, seconds) = lab_run(EngineKind::Ulx3s, 1)?;
    crate::lab::figure(&run, "converged_ms")?;
    let (cycles, clock_hz) = run.cycles_at_work.context("a circuit counts its cycles")?;
    let cycles_each = cycles as f64 / run.instructions as f64;
    Ok(Some(Figure {
        name: "ulx3s.mips_cluster",
        value: clock_hz as f64 / cycles_each / 1e6,
        unit: "M/s",
        reference: Reference::Published(REFERENCE_MIPS, "the original machine at 25 MHz"),
        work: format!(
            "a rollout on 3 machines, {} ms in {seconds:.0} s: {:.1} M instructions, {cycles_each:.2} \
             cycles each at {} MHz, idle waits left out",
            run.machine_ns / 1_000_000,
            run.instructions as f64 / 1e6,
            clock_hz / 1_000_000
        ),
    }))
}
