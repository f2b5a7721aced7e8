//! How a cluster bears size: many nodes and pods on one air, in which frames collide.
//!
//! What is done and what must be heard is the scenario `load` (the published load check), played
//! for any number of nodes. Beside the run stands a gauge: how often something was on the air, how
//! much of it collided, what the plane's chip got of it, and what it cost the host. Only the gauge
//! looks behind the air, and only what it says of that is read from machines: whether the plane took
//! a node for lost stands in its log, for the air does not show it.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::{Duration, Instant};

use kube_air::{Outcome as Reception, Record, StationId, TapId};
use kube_boards::fleet::{Keys, Role};
use kube_modules::System;
use kube_sniff::decoder::Heard;
use kube_sniff::observer::Observer;
use kube_sniff::reading::Value;
use serde::Serialize;

use crate::lab::{LabError, Setup};
use crate::scenario::file::{self, ScenarioError, Variant};
use crate::scenario::outcome::Outcome;
use crate::scenario::play::{Watcher, play};
use crate::scenario::{Plan, Scenario, suite};
use crate::world::{AIR, World};

const MS: u64 = 1_000_000;
/// A node that the air does not hear for longer has a gap.
const GAP_MS: u64 = 5_000;
/// The scenario, and its step in which rates are counted.
pub const SCENARIO: &str = "load";
const REST: &str = "rest";

/// From the command to convergence, as published for eight nodes; the scenario says the same.
pub const CONVERGE_MS: u64 = 3_500;

/// The sizes of the published table and beyond.
pub const SIZES: [usize; 8] = [2, 4, 6, 8, 20, 50, 100, 200];
/// Pod ids are one byte, and some are kept for pods that stop while others start.
pub const PODS_MAX: usize = 240;

/// A load check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Nodes beside the plane.
    pub nodes: usize,
    /// Pods wanted.
    pub pods: usize,
    /// Seed of the air and of the moments at which machines are switched on.
    pub seed: u64,
    /// Threads that run machines; the result does not depend on it.
    pub threads: usize,
    /// Bit rate in Mbit/s, 1 or 2.
    pub mbit: u8,
    /// Probability that a receiver loses a frame.
    pub loss: f64,
    /// Who has which key.
    pub keys: Keys,
    /// Machine seconds at rest, in which rates are counted.
    pub seconds: u64,
}

impl Load {
    /// The published check for a size: three pods a node as far as ids go, one with 200 nodes.
    #[must_use]
    pub fn of(nodes: usize, seed: u64) -> Self {
        let each = if nodes >= 200 { 1 } else { 3 };
        let pods = (each * nodes).min(PODS_MAX);
        let (threads, mbit, loss, keys, seconds) = (1, 1, 0.0, Keys::Shared, 20);
        Self { nodes, pods, seed, threads, mbit, loss, keys, seconds }
    }

    /// The scenario for this size.
    ///
    /// # Errors
    /// [`ScenarioError`], for instance for more nodes than a fleet may have.
    pub fn scenario(&self) -> Result<Scenario, ScenarioError> {
        let origin = suite::find(SCENARIO)?;
        let number = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        let set = [("pods", self.pods), ("rest_s", self.seconds as usize)];
        let case = Variant {
            name: format!("{} nodes", self.nodes),
            nodes: Some(self.nodes),
            keys: Some(self.keys),
            mbit: Some(self.mbit),
            loss: Some(self.loss),
            seeds: vec![self.seed],
            set: set.map(|(name, value)| (name.to_owned(), number(value))).into(),
        };
        file::parse_as(&origin.path, &origin.source, &case)
    }
}

/// What a load check showed. Times are machine time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Nodes beside the plane.
    pub nodes: usize,
    /// Pods.
    pub pods: usize,
    /// Bit rate in Mbit/s.
    pub mbit: u8,
    /// Probability that a receiver loses a frame.
    pub loss: f64,
    /// Seed.
    pub seed: u64,
    /// From the beginning to the last node's first heartbeat.
    pub join_ms: u64,
    /// From the command to convergence: so many pods reported, none twice, each node what it was
    /// assigned.
    pub converge_ms: u64,
    /// Pods of each node at rest.
    pub per_node: BTreeMap<String, usize>,
    /// Difference between the nodes with most and with fewest pods.
    pub spread: usize,
    /// Nodes that are assigned no pod.
    pub unassigned_nodes: usize,
    /// Frames a second at rest.
    pub frames_per_s: f64,
    /// Heartbeats a second at rest, of the node with fewest and of the one with most.
    pub heartbeats_per_node_s: [f64; 2],
    /// Assignments a second at rest, to the node with fewest and to the one with most.
    pub assigns_per_node_s: [f64; 2],
    /// Share of time at rest in which something was on the air, in percent.
    pub air_used: f64,
    /// Share of the frames at rest that collided at a listener that is never deaf, in percent.
    pub collided: f64,
    /// Share of the heartbeats at rest that the plane's chip got, in percent.
    pub heartbeats_heard: f64,
    /// From the last node's loss of power to convergence without it.
    pub failover_ms: Option<u64>,
    /// Nodes that the plane took for lost although they ran.
    pub false_not_ready: usize,
    /// Silences of a node of more than 5 s on the air, until the last node loses its power.
    pub flaps: usize,
    /// Longest silence of a node on the air at rest.
    pub longest_silence_ms: u64,
    /// Instructions executed by all machines.
    pub instructions: u64,
    /// Machine time of the whole run.
    pub machine_ms: u64,
    /// Digest of all frames heard.
    pub trace_sha256: String,
    /// What the scenario expects and what does not hold, with the frames that say so.
    pub faults: Vec<String>,
}

impl Report {
    /// Whether it shows what a load check must show.
    ///
    /// # Errors
    /// The first thing that is not as it must be.
    pub fn verdict(&self) -> Result<(), String> {
        let Self { false_not_ready, flaps, .. } = self;
        if let Some(fault) = self.faults.first() {
            return Err(fault.clone());
        }
        if *false_not_ready > 0 {
            return Err(format!("{false_not_ready} nodes were taken for lost although they ran"));
        }
        if *flaps > 0 {
            return Err(format!("{flaps} silences of a node of more than {GAP_MS} ms"));
        }
        Ok(())
    }
}

/// The form of [`Report`].
pub const SCHEMA: &str = "kube-lab-load/v2";

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no such cluster.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The cluster could not be made, or its time could not be advanced.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// Something awaited did not happen.
    #[error("{nodes} nodes, seed {seed}: {what}; try fewer nodes or pods")]
    Late {
        /// Nodes of the cluster.
        nodes: usize,
        /// Seed of the run.
        seed: u64,
        /// The step, what did not happen in it, and the frames that say so.
        what: String,
    },
}

/// What the time at rest cost this host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Seconds of the clock on the wall, for one of machine time.
    pub wall_s: f64,
    /// Seconds of one core, for one of machine time: what others do on this host counts less.
    pub core_s: f64,
    /// Machines that one core runs in real time.
    pub machines_per_core: f64,
    /// Instructions that one core executes a second, those of waiting loops included, in millions.
    pub mips: f64,
    /// Frames that one core carries to all machines a second.
    pub frames_per_s: f64,
    /// Cores of this host.
    pub cores: usize,
}

/// Runs a load check, and says what it cost.
///
/// # Errors
/// [`LoadError`].
pub fn run(system: &System, load: &Load) -> Result<(Report, Cost), LoadError> {
    let scenario = load.scenario()?;
    let plan = &scenario.plans[0];
    let setup = Setup {
        engine: plan.engine,
        loss: plan.loss,
        threads: load.threads,
        ..Setup::new(&plan.fleet, load.seed)
    };
    let mut gauge = Gauge::new(plan);
    let run = play(system, plan, &setup, &mut gauge)?;
    let seed = load.seed;
    let outcome = Outcome { scenario: &scenario, plan, seed, engine: plan.engine, run: &run };
    let faults: Vec<_> = outcome.faults().iter().map(|fault| outcome.explain(fault)).collect();
    let figure = |name: &str| outcome.figures().find(|figure| figure.0 == name).map(|f| f.1);
    let (Some(join_ms), Some(converge_ms), Some(rest)) =
        (figure("join_ms"), figure("converge_ms"), gauge.rest.take())
    else {
        let what = faults.into_iter().next().unwrap_or_default();
        return Err(LoadError::Late { nodes: load.nodes, seed, what });
    };
    let failover = run.steps.len() == plan.steps.len()
        && run.steps.last().is_some_and(|step| step.reached_ns.is_some());
    let Rest { counted, span_s, wall_s, core_s, instructions, .. } = rest;
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let cost = Cost {
        wall_s: wall_s / span_s,
        core_s: core_s / span_s,
        machines_per_core: (load.nodes + 1) as f64 * span_s / core_s,
        mips: instructions as f64 / core_s / 1e6,
        frames_per_s: counted.frames as f64 / core_s,
        cores,
    };
    let percent = |part: u64, of: u64| part as f64 * 100.0 / of.max(1) as f64;
    let rates = |of: fn(&Node) -> u64| {
        let rates = || rest.nodes.values().map(|node| of(node) as f64 / span_s);
        [rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max)]
    };
    let pods = || rest.nodes.values().map(|node| node.pods);
    let report = Report {
        schema: SCHEMA,
        nodes: load.nodes,
        pods: load.pods,
        mbit: load.mbit,
        loss: load.loss,
        seed,
        join_ms,
        converge_ms,
        per_node: rest.nodes.iter().map(|(name, node)| (name.clone(), node.pods)).collect(),
        spread: pods().max().unwrap_or(0) - pods().min().unwrap_or(0),
        unassigned_nodes: rest.nodes.values().filter(|node| node.assigned == 0).count(),
        frames_per_s: counted.frames as f64 / span_s,
        heartbeats_per_node_s: rates(|node| node.heartbeats),
        assigns_per_node_s: rates(|node| node.assignments),
        air_used: counted.air_ns as f64 / (span_s * 1e9) * 100.0,
        collided: percent(counted.collided, counted.frames),
        heartbeats_heard: percent(counted.at_plane, counted.heartbeats),
        failover_ms: figure("failover_ms").filter(|_| failover),
        false_not_ready: rest.not_ready,
        flaps: rest.flaps,
        longest_silence_ms: rest.longest_silence_ms,
        instructions: run.instructions,
        machine_ms: run.machine_ns / MS,
        trace_sha256: run.trace.clone(),
        faults,
    };
    Ok((report, cost))
}

/// Time that all threads of this process have had a core.
fn core_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    // Never negative.
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// What was on the air.
#[derive(Clone, Copy, Default)]
struct Counted {
    frames: u64,
    air_ns: u64,
    collided: u64,
    heartbeats: u64,
    at_plane: u64,
}

/// What is known of a node.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Pods that it reports, and that it is assigned.
    pods: usize,
    assigned: usize,
    /// Heartbeats and assignments at rest.
    heartbeats: u64,
    assignments: u64,
    /// Its last heartbeat.
    last_ms: Option<u64>,
}

/// The time at rest; its figures are those of its end once it is over.
struct Rest {
    counted: Counted,
    nodes: BTreeMap<String, Node>,
    begin_ns: u64,
    span_s: f64,
    wall: Instant,
    wall_s: f64,
    core: Duration,
    core_s: f64,
    /// Executed before, and then in this time.
    instructions: u64,
    flaps: usize,
    longest_silence_ms: u64,
    not_ready: usize,
}

/// Measures a run from beside it.
struct Gauge {
    plane: Option<StationId>,
    /// A listener that is never deaf.
    tap: Option<TapId>,
    nodes: BTreeMap<String, Node>,
    flaps: usize,
    /// End of the last time in which something was on the air.
    busy_until_ns: u64,
    resting: bool,
    rest: Option<Rest>,
}

impl Gauge {
    fn new(plan: &Plan) -> Self {
        let nodes = plan.fleet.node_names().map(|name| (name.to_owned(), Node::default()));
        Self {
            plane: None,
            tap: None,
            nodes: nodes.collect(),
            flaps: 0,
            busy_until_ns: 0,
            resting: false,
            rest: None,
        }
    }

    fn begin(&mut self, now_ns: u64, world: &mut World) {
        for node in self.nodes.values_mut() {
            (node.heartbeats, node.assignments) = (0, 0);
        }
        self.resting = true;
        self.rest = Some(Rest {
            counted: Counted::default(),
            nodes: BTreeMap::new(),
            begin_ns: now_ns,
            span_s: 0.0,
            instructions: instructions(world),
            flaps: 0,
            longest_silence_ms: 0,
            not_ready: 0,
            wall_s: 0.0,
            core_s: 0.0,
            wall: Instant::now(),
            core: core_time(),
        });
    }

    fn end(&mut self, now_ns: u64, world: &mut World) {
        self.resting = false;
        let Some(rest) = &mut self.rest else { return };
        rest.wall_s = rest.wall.elapsed().as_secs_f64();
        rest.core_s = core_time().saturating_sub(rest.core).as_secs_f64();
        rest.span_s = (now_ns - rest.begin_ns) as f64 / 1e9;
        rest.instructions = instructions(world) - rest.instructions;
        rest.nodes = self.nodes.clone();
        rest.flaps = self.flaps;
        rest.not_ready = taken_for_lost(world);
    }
}

fn instructions(world: &mut World) -> u64 {
    world.stations().iter().map(|station| station.instructions()).sum()
}

/// How often the plane's log says that a node is not ready.
fn taken_for_lost(world: &mut World) -> usize {
    let plane = world.stations().iter_mut().find(|station| station.spec.role == Role::Plane);
    plane.map_or(0, |plane| plane.log().lines().filter(|line| line.ends_with("NotReady")).count())
}

impl Watcher for Gauge {
    fn step(&mut self, now_ns: u64, name: &str, world: &mut World) {
        if self.resting {
            self.end(now_ns, world);
        }
        if name == REST {
            self.begin(now_ns, world);
        }
    }

    fn heard(&mut self, heard: &Heard, _observer: &Observer) {
        let Some(reading) = heard.reading() else { return };
        let good = heard.interface == AIR && heard.credible() && heard.counts();
        let (Some(node), Some(Value::Ids(ids)), true) =
            (reading.node().and_then(|name| self.nodes.get_mut(name)), reading.get("ids"), good)
        else {
            return;
        };
        match heard.kind() {
            "heartbeat" => {
                let now_ms = heard.at_ns / MS;
                let silence_ms = now_ms - node.last_ms.replace(now_ms).unwrap_or(now_ms);
                self.flaps += usize::from(silence_ms > GAP_MS);
                if let (Some(rest), true) = (&mut self.rest, self.resting) {
                    rest.longest_silence_ms = rest.longest_silence_ms.max(silence_ms);
                }
                node.pods = ids.len();
                node.heartbeats += 1;
            }
            "assignment" => {
                node.assigned = ids.len();
                node.assignments += 1;
            }
            _ => {}
        }
    }

    fn world(&mut self, world: &mut World) {
        if world.now_ns() == 0 {
            world.air_mut().set_keep_log(true);
            let plane = world.stations().iter().find(|station| station.spec.role == Role::Plane);
            self.plane = plane.map(|station| station.id);
            self.tap = Some(world.air_mut().add_tap());
        }
        let seen = self.tap.map_or(Vec::new(), |tap| world.air_mut().take_seen(tap));
        if let (Some(rest), true) = (&mut self.rest, self.resting) {
            let collided = seen.iter().filter(|seen| seen.outcome == Reception::Collision);
            rest.counted.collided += collided.count() as u64;
        }
    }

    /// Takes in what is over on the air, and who got it.
    fn records(&mut self, records: &[Record]) {
        for record in records {
            let flight = &record.flight;
            let air_ns = flight.end_ns.saturating_sub(flight.start_ns.max(self.busy_until_ns));
            self.busy_until_ns = self.busy_until_ns.max(flight.end_ns);
            let (Some(rest), true) = (&mut self.rest, self.resting) else { continue };
            let counted = &mut rest.counted;
            counted.frames += 1;
            counted.air_ns += air_ns;
            if let Some(plane) = self.plane.filter(|plane| flight.sender != *plane) {
                let outcome = record.outcomes.get(plane.index());
                counted.heartbeats += 1;
                counted.at_plane += u64::from(outcome == Some(&Reception::Delivered));
            }
        }
    }
}
