//! `kube-lab load`: how a cluster bears many nodes, a line for each size and seed; `kube-lab bench`:
//! what a cluster at rest costs the host.

use anyhow::{Context, Result, bail};
use kube_boards::fleet::Fleet;
use kube_lab::load::{self, Cost, Load, PODS_MAX, Report, SIZES};
use serde_json::json;

use super::talk;

/// Flags of `load`.
#[derive(clap::Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Flags {
    /// Nodes beside the plane; may be repeated. Without it 2, 4, 6, 8 and 20.
    #[arg(long, value_name = "N", value_parser = several_nodes)]
    nodes: Vec<usize>,
    /// Pods; without it three a node, at most 240, and one a node from 200 nodes on.
    #[arg(long, visible_alias = "replicas", value_parser = pods)]
    pods: Option<usize>,
    /// Probability that a receiver loses a frame, 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = crate::run::probability)]
    loss: f64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seeds of each size.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    seeds: u64,
    /// Threads that run machines; the result does not depend on it.
    #[arg(long, default_value_t = crate::run::default_threads(), value_parser = crate::run::threads)]
    threads: usize,
    /// Bit rate of the radio in Mbit/s.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    mbit: u8,
    /// Machine seconds at rest, in which rates are counted.
    #[arg(long, default_value_t = 20, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    seconds: u64,
    /// One JSON object (kube-lab-load/v2) a line.
    #[arg(long)]
    json: bool,
}

/// A number of nodes.
///
/// # Errors
/// A text that is none.
pub fn nodes(text: &str) -> Result<usize, String> {
    number(text, 1, Fleet::NODES_MAX, "nodes")
}

/// The pods of the node that dies at the end go to others.
fn several_nodes(text: &str) -> Result<usize, String> {
    number(text, 2, Fleet::NODES_MAX, "nodes")
}

fn pods(text: &str) -> Result<usize, String> {
    number(text, 1, PODS_MAX, "pods")
}

fn number(text: &str, least: usize, most: usize, of: &str) -> Result<usize, String> {
    let found = text.parse().ok().filter(|number| (least..=most).contains(number));
    found.ok_or_else(|| format!("expected a number of {of}, {least} to {most}"))
}

/// Runs the checks; an error if one does not show what it must.
pub fn load(flags: &Flags) -> Result<()> {
    let result = load_all(flags);
    crate::run::tell_error(flags.json, load::SCHEMA, &result);
    result
}

fn load_all(flags: &Flags) -> Result<()> {
    let system = kube_modules::build().context("the lab needs every module of the project")?;
    let sizes = if flags.nodes.is_empty() { &SIZES[..5] } else { &flags.nodes };
    if !flags.json {
        talk::data(HEAD);
    }
    let mut failed = 0;
    for &nodes in sizes {
        for seed in (0..flags.seeds).map(|at| flags.seed.wrapping_add(at)) {
            let usual = Load::of(nodes, seed);
            let load = Load {
                pods: flags.pods.unwrap_or(usual.pods),
                threads: flags.threads,
                mbit: flags.mbit,
                loss: flags.loss,
                seconds: flags.seconds,
                ..usual
            };
            let (report, cost) = load::run(&system, &load)?;
            if flags.json {
                let mut object = json!(report);
                object["cost"] = json!(cost);
                talk::data(object);
            } else {
                talk::data(line(&report, &cost));
            }
            if let Err(error) = report.verdict() {
                talk::say(format!("error: {nodes} nodes, seed {seed}: {error}"));
                failed += 1;
            }
        }
    }
    if failed > 0 {
        bail!("{failed} runs do not show what they must");
    }
    Ok(())
}

const HEAD: &str = "nodes pods seed  join ms  converge ms  spread  frames/s  air %  collided %  \
                    heard %  false NotReady  flaps  silence ms  failover ms  core s/machine s";

fn line(report: &Report, cost: &Cost) -> String {
    let Report { nodes, pods, seed, join_ms, converge_ms, spread, .. } = report;
    let Report { frames_per_s, air_used, collided, heartbeats_heard, .. } = report;
    let Report { false_not_ready, flaps, longest_silence_ms, .. } = report;
    let failover = report.failover_ms.map_or("-".to_owned(), |ms| ms.to_string());
    format!(
        "{nodes:>5} {pods:>4} {seed:>4} {join_ms:>8} {converge_ms:>12} {spread:>7} \
         {frames_per_s:>9.1} {air_used:>6.2} {collided:>11.2} {heartbeats_heard:>8.2} \
         {false_not_ready:>15} {flaps:>6} {longest_silence_ms:>11} {failover:>12} {:>17.3}",
        cost.core_s
    )
}

/// Flags of `bench`.
#[derive(clap::Args)]
pub struct BenchFlags {
    /// Nodes beside the plane.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = nodes)]
    nodes: usize,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Machine seconds at rest that are measured.
    #[arg(long, default_value_t = 10, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    seconds: u64,
    /// Print one JSON object (kube-lab-bench/v1).
    #[arg(long)]
    json: bool,
}

/// Measures a cluster at rest, on one thread.
pub fn bench(flags: &BenchFlags) -> Result<()> {
    let result = bench_all(flags);
    crate::run::tell_error(flags.json, BENCH_SCHEMA, &result);
    result
}

/// The form of the object of `bench`.
const BENCH_SCHEMA: &str = "kube-lab-bench/v1";

fn bench_all(flags: &BenchFlags) -> Result<()> {
    let system = kube_modules::build().context("the lab needs every module of the project")?;
    let load = Load { seconds: flags.seconds, ..Load::of(flags.nodes, flags.seed) };
    let (report, cost) = load::run(&system, &load)?;
    let Load { nodes, pods, seed, seconds, .. } = load;
    if flags.json {
        let mut object = json!(cost);
        object["schema"] = json!(BENCH_SCHEMA);
        object["work"] = json!({ "nodes": nodes, "pods": pods, "seed": seed, "seconds": seconds });
        talk::data(object);
    } else {
        let Cost { machines_per_core, mips, frames_per_s, .. } = cost;
        let on_air = report.frames_per_s;
        talk::data(format!(
            "A plane and {nodes} nodes with {pods} pods at rest, seed {seed}, {seconds} s:\n  \
             machines that a core runs in real time  {machines_per_core:>10.1}\n  \
             instructions a second of a core         {mips:>10.1} million\n  \
             frames carried a second of a core       {frames_per_s:>10.1}\n  \
             frames a second of machine time         {on_air:>10.1}"
        ));
    }
    Ok(())
}
