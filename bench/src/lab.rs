//! The cluster: how soon it stands, and how fast the lab runs it.

use std::time::Instant;

use anyhow::Result;
use kube_boards::fleet::Fleet;
use kube_lab::engine::EngineKind;
use kube_lab::rollout;

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 2] =
    [("lab.converge_ms", converge_ms), ("lab.speed", lab_speed)];

/// A rollout on an engine: what it showed, and the seconds that it took.
pub fn lab_run(engine: EngineKind, seed: u64) -> Result<(rollout::Summary, f64)> {
    let system = kube_modules::build()?;
    let options = rollout::Options {
        fleet: Fleet::new(2, "kube", "00c0ffee00c0ffee")?,
        engine,
        seed,
        threads: 1,
        loss: 0.0,
        without: Vec::new(),
        capture: None,
    };
    let start = Instant::now();
    let summary = rollout::run(&system, &options, &mut ())?;
    Ok((summary, start.elapsed().as_secs_f64()))
}

/// Worst convergence over a few seeds.
fn converge_ms() -> Result<Option<Figure>> {
    const SEEDS: u64 = 5;
    let mut worst = 0;
    for seed in 1..=SEEDS {
        worst = worst.max(lab_run(EngineKind::Emu, seed)?.0.converged_ms);
    }
    Ok(Some(Figure {
        name: "lab.converge_ms",
        value: worst as f64,
        unit: "ms",
        reference: Reference::Published(3300.0, "Kube's author, 2 nodes, radio without air time"),
        work: format!("slowest of seeds 1 to {SEEDS}, machine time after the first heartbeats"),
    }))
}

/// Machine time a second of host time, one thread.
fn lab_speed() -> Result<Option<Figure>> {
    let (summary, seconds) = lab_run(EngineKind::Emu, 1)?;
    Ok(Some(Figure {
        name: "lab.speed",
        value: summary.machine_ms as f64 / 1e3 / seconds,
        unit: "s/s",
        reference: Reference::Target(1.0, "real time"),
        work: format!("{} machines, {} ms, one thread", summary.machines, summary.machine_ms),
    }))
}
