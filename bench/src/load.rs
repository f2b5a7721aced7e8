//! Clusters of 2 to 200 nodes on one air: how soon they converge, whether a node is taken for lost,
//! what they use of the air, and what they cost the host.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use kube_lab::load::{Cost, Load, Report, run};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 26] = [
    ("lab.converge_ms_2", || converge("lab.converge_ms_2", 2)),
    ("lab.converge_ms_4", || converge("lab.converge_ms_4", 4)),
    ("lab.converge_ms_6", || converge("lab.converge_ms_6", 6)),
    ("lab.converge_ms_8", || converge("lab.converge_ms_8", 8)),
    ("lab.converge_ms_20", || converge("lab.converge_ms_20", 20)),
    ("lab.converge_ms_50", || converge("lab.converge_ms_50", 50)),
    ("lab.converge_ms_100", || converge("lab.converge_ms_100", 100)),
    ("lab.converge_ms_200", || converge("lab.converge_ms_200", 200)),
    ("lab.false_notready_2", || not_ready("lab.false_notready_2", 2)),
    ("lab.false_notready_4", || not_ready("lab.false_notready_4", 4)),
    ("lab.false_notready_6", || not_ready("lab.false_notready_6", 6)),
    ("lab.false_notready_8", || not_ready("lab.false_notready_8", 8)),
    ("lab.false_notready_20", || not_ready("lab.false_notready_20", 20)),
    ("lab.false_notready_50", || not_ready("lab.false_notready_50", 50)),
    ("lab.false_notready_100", || not_ready("lab.false_notready_100", 100)),
    ("lab.false_notready_200", || not_ready("lab.false_notready_200", 200)),
    ("lab.air_used_2", || air_used("lab.air_used_2", 2)),
    ("lab.air_used_4", || air_used("lab.air_used_4", 4)),
    ("lab.air_used_6", || air_used("lab.air_used_6", 6)),
    ("lab.air_used_8", || air_used("lab.air_used_8", 8)),
    ("lab.air_used_20", || air_used("lab.air_used_20", 20)),
    ("lab.air_used_50", || air_used("lab.air_used_50", 50)),
    ("lab.air_used_100", || air_used("lab.air_used_100", 100)),
    ("lab.air_used_200", || air_used("lab.air_used_200", 200)),
    ("lab.machines_per_core", machines_per_core),
    ("lab.frames_per_s", frames_per_s),
];

type Runs = Vec<(Report, Cost)>;

/// Runs by number of nodes: three figures are taken from each.
static RUNS: Mutex<BTreeMap<usize, Runs>> = Mutex::new(BTreeMap::new());

/// Seeds of a size; `KUBE_SEEDS` sets another number.
fn seeds(nodes: usize) -> u64 {
    let asked = std::env::var("KUBE_SEEDS").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(match nodes {
        0..=20 => 10,
        21..=50 => 5,
        _ => 3,
    })
}

fn runs(nodes: usize) -> Result<Runs> {
    let mut known = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runs) = known.get(&nodes) {
        return Ok(runs.clone());
    }
    let system = kube_modules::build()?;
    let runs = (1..=seeds(nodes)).map(|seed| run(&system, &Load::of(nodes, seed)));
    let runs = runs.collect::<Result<Runs, _>>()?;
    known.insert(nodes, runs.clone());
    Ok(runs)
}

fn work(what: &str, nodes: usize, runs: &Runs) -> String {
    let (pods, last) = (Load::of(nodes, 1).pods, runs.len());
    let spread = runs.iter().map(|(report, _)| report.spread).max().unwrap_or_default();
    format!("{what}, {nodes} nodes, {pods} pods, seeds 1 to {last}, at most {spread} pods apart")
}

fn converge(name: &'static str, nodes: usize) -> Result<Option<Figure>> {
    let runs = runs(nodes)?;
    let reference = match nodes {
        2 => Reference::Published(3_300.0, "Kube's author, radio without air time"),
        4 => Reference::Published(2_800.0, "Kube's author, radio without air time"),
        6 => Reference::Published(3_000.0, "Kube's author, radio without air time"),
        8 => Reference::Published(3_500.0, "Kube's author, radio without air time"),
        _ => Reference::Target(3_500.0, "as published for eight nodes"),
    };
    let worst = runs.iter().map(|(report, _)| report.converge_ms).max().unwrap_or_default();
    let work = work("slowest from the command", nodes, &runs);
    Ok(Some(Figure { name, value: worst as f64, unit: "ms", reference, work }))
}

fn not_ready(name: &'static str, nodes: usize) -> Result<Option<Figure>> {
    let runs = runs(nodes)?;
    let sum: usize = runs.iter().map(|(report, _)| report.false_not_ready + report.flaps).sum();
    Ok(Some(Figure {
        name,
        value: sum as f64,
        unit: "times",
        reference: Reference::Target(0.0, "as published for two to eight nodes"),
        work: work("NotReady in the plane's log, silences of 5 s on the air", nodes, &runs),
    }))
}

fn air_used(name: &'static str, nodes: usize) -> Result<Option<Figure>> {
    let runs = runs(nodes)?;
    let most = |value: fn(&Report) -> f64| {
        runs.iter().map(|(report, _)| value(report)).fold(0.0, f64::max)
    };
    let (collided, frames) = (most(|report| report.collided), most(|report| report.frames_per_s));
    let what = format!(
        "of the time at rest, 1 Mbit/s, {frames:.1} frames a second, {collided:.1} % of them collided"
    );
    Ok(Some(Figure {
        name,
        value: most(|report| report.air_used),
        unit: "%",
        reference: Reference::Target(18.4, "where pure ALOHA carries most"),
        work: work(&what, nodes, &runs),
    }))
}

/// A cluster that is large enough, and still quickly run.
const CROWD: usize = 50;

fn cost() -> Result<Cost> {
    let system = kube_modules::build()?;
    Ok(run(&system, &Load { seconds: 10, ..Load::of(CROWD, 1) })?.1)
}

fn machines_per_core() -> Result<Option<Figure>> {
    Ok(Some(Figure {
        name: "lab.machines_per_core",
        value: cost()?.machines_per_core,
        unit: "machines",
        reference: Reference::Target(50.0, "a hundred in real time on two cores"),
        work: format!("in real time, {CROWD} nodes with 150 pods at rest, 10 s, seed 1"),
    }))
}

fn frames_per_s() -> Result<Option<Figure>> {
    let cost = cost()?;
    Ok(Some(Figure {
        name: "lab.frames_per_s",
        value: cost.frames_per_s,
        unit: "frames/s",
        reference: Reference::Target(125.0, "real time: what such a cluster sends in a second"),
        work: format!("of a core, to {CROWD} nodes and their plane, {:.0} MIPS", cost.mips),
    }))
}
