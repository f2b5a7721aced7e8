//! The cluster: how soon it stands, and how fast the lab runs it.

use std::time::Instant;

use anyhow::{Context, Result};
use kube_lab::engine::EngineKind;
use kube_lab::lab::Setup;
use kube_lab::scenario::batch::{self, Job};
use kube_lab::scenario::play::{Run, play};
use kube_lab::scenario::{Scenario, outcome::Outcome, suite};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 3] =
    [("lab.converge_ms", converge_ms), ("lab.speed", lab_speed), ("lab.rtl_held", rtl_held)];

/// A rollout on an engine: what it showed, and the seconds that it took.
pub fn lab_run(engine: EngineKind, seed: u64) -> Result<(Run, f64)> {
    let system = kube_modules::build()?;
    let (_, scenario) = suite::load("lab2-rollout")?;
    let plan = &scenario.plans[0];
    let setup = Setup { engine, ..Setup::new(&plan.fleet, seed) };
    let start = Instant::now();
    let run = play(&system, plan, &setup, &mut ())?;
    Ok((run, start.elapsed().as_secs_f64()))
}

/// A figure of a run.
pub fn figure(run: &Run, name: &str) -> Result<u64> {
    let mut figures = run.steps.iter().flat_map(|step| &step.figures);
    let found = figures.find(|figure| figure.0 == name).map(|figure| figure.1);
    found.with_context(|| format!("the run did not get as far as {name}"))
}

/// Plays a case of a scenario with seeds from 1 on, on all cores.
pub fn seeds<T>(
    scenario: &Scenario,
    case: usize,
    seeds: u64,
    mut take: impl FnMut(&Outcome<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let system = kube_modules::build()?;
    let plan = scenario.plans.get(case).context("there is no such case")?;
    let jobs: Vec<_> = (1..=seeds).map(|seed| Job { scenario, plan, seed }).collect();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut taken = Vec::new();
    batch::run(&system, &jobs, threads, |job, result| {
        taken.push(result.map_err(anyhow::Error::from).and_then(|run| {
            let (engine, seed) = (plan.engine, job.seed);
            take(&Outcome { scenario, plan, seed, engine, run: &run })
        }));
    });
    taken.into_iter().collect()
}

/// The six published labs on the circuit.
fn rtl_held() -> Result<Option<Figure>> {
    let system = kube_modules::build()?;
    let (mut held, mut machine_ns, start) = (0, 0, Instant::now());
    let labs: Vec<_> = suite::names().into_iter().filter(|name| name.starts_with("lab")).collect();
    for name in &labs {
        let (_, scenario) = suite::load(name)?;
        let plan = &scenario.plans[0];
        let engine = EngineKind::Rtl;
        let setup = Setup { engine, ..Setup::new(&plan.fleet, 1) };
        let run = play(&system, plan, &setup, &mut ())?;
        let outcome = Outcome { scenario: &scenario, plan, seed: 1, engine, run: &run };
        eprintln!("{}", outcome.text());
        held += usize::from(outcome.held());
        machine_ns += run.machine_ns;
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(Some(Figure {
        name: "lab.rtl_held",
        value: held as f64,
        unit: "labs",
        reference: Reference::Target(labs.len() as f64, "all of them"),
        work: format!(
            "{} with seed 1 on the circuit, {} s of machine time in {seconds:.0} s",
            labs.join(", "),
            machine_ns / 1_000_000_000
        ),
    }))
}

/// Worst convergence over a few seeds.
fn converge_ms() -> Result<Option<Figure>> {
    const SEEDS: u64 = 5;
    let mut worst = 0;
    for seed in 1..=SEEDS {
        worst = worst.max(figure(&lab_run(EngineKind::Emu, seed)?.0, "converged_ms")?);
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
    let (run, seconds) = lab_run(EngineKind::Emu, 1)?;
    let machine_ms = run.machine_ns / 1_000_000;
    Ok(Some(Figure {
        name: "lab.speed",
        value: machine_ms as f64 / 1e3 / seconds,
        unit: "s/s",
        reference: Reference::Target(1.0, "real time"),
        work: format!("3 machines, {machine_ms} ms, one thread"),
    }))
}
