//! How a cluster bears size: many nodes and pods on one air, in which frames collide.
//!
//! The steps are those of the published load check: all nodes join, a deployment is applied, the
//! cluster converges, and then it is watched at rest. What is said of the cluster was heard in
//! frames; only whether the plane took a node for lost is read from its log, for the air does not
//! show it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kube_air::{AirConfig, Outcome, StationId, tap_capture};
use kube_boards::fleet::{Fleet, FleetError, Keys, Radio, Role};
use kube_boards::image::machine_image;
use kube_modules::System;
use kube_sniff::keyring::Keyring;
use kube_sniff::observer::Observer;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Serialize;

use crate::engine::EngineKind;
use crate::lab::LabError;
use crate::station::Station;
use crate::trace::Trace;
use crate::world::{AIR, World};

const MS: u64 = 1_000_000;
/// Between two looks at the air.
const LOOK_MS: u64 = 20;
/// Machines are switched on one after the other, within this time.
const POWER_ON_SPREAD_MS: u64 = 500;
/// From power-on to the last node's first heartbeat, at most.
const JOIN_LIMIT_MS: u64 = 30_000;
/// From the command to convergence, at most.
const CONVERGE_LIMIT_MS: u64 = 60_000;
/// Between joining and the command: the air comes to rest.
const SETTLE_MS: u64 = 2_000;
/// A node that the air does not hear for longer has a gap.
const GAP_MS: u64 = 5_000;

/// From the command to convergence, as published for eight nodes.
pub const CONVERGE_MS: u64 = 3_500;

/// The sizes of the published table and beyond.
pub const SIZES: [usize; 8] = [2, 4, 6, 8, 20, 50, 100, 200];
/// Pod ids are one byte, and some are kept for pods that stop while others start.
pub const PODS_MAX: usize = 240;

/// A load check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        Self { nodes, pods, seed, threads: 1, mbit: 1, keys: Keys::Shared, seconds: 20 }
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
    /// Seed.
    pub seed: u64,
    /// From the first power-on to the last node's first heartbeat.
    pub join_ms: u64,
    /// From the command to convergence: so many pods reported, none twice, each node what it was
    /// assigned.
    pub converge_ms: u64,
    /// Difference between the nodes with most and with fewest pods.
    pub spread: usize,
    /// Frames a second at rest.
    pub frames_per_s: f64,
    /// Share of time at rest in which something was on the air, in percent.
    pub air_used: f64,
    /// Share of the frames at rest that collided at a listener that is never deaf, in percent.
    pub collided: f64,
    /// Share of the heartbeats at rest that the plane's chip got, in percent.
    pub heartbeats_heard: f64,
    /// Nodes that the plane took for lost although they ran.
    pub false_not_ready: usize,
    /// Silences of a node of more than 5 s, on the air.
    pub gaps: usize,
    /// Longest silence of a node on the air at rest.
    pub longest_silence_ms: u64,
    /// Instructions executed by all machines.
    pub instructions: u64,
    /// Machine time of the whole run.
    pub machine_ms: u64,
    /// Digest of all frames heard.
    pub trace_sha256: String,
}

impl Report {
    /// Whether it shows what a load check must show.
    ///
    /// # Errors
    /// The first figure that is not as it must be.
    pub fn verdict(&self) -> Result<(), String> {
        let Self { converge_ms, spread, false_not_ready, gaps, .. } = self;
        if *spread > 1 {
            return Err(format!("a node has {spread} pods more than another, 1 is allowed"));
        }
        if *false_not_ready > 0 {
            return Err(format!("{false_not_ready} nodes were taken for lost although they ran"));
        }
        if *gaps > 0 {
            return Err(format!("{gaps} silences of a node of more than {GAP_MS} ms"));
        }
        if *converge_ms > CONVERGE_MS {
            return Err(format!("converged after {converge_ms} ms, {CONVERGE_MS} are allowed"));
        }
        Ok(())
    }
}

/// The form of [`Report`].
pub const SCHEMA: &str = "kube-lab-load/v1";

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The fleet does not fit the messages.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// The cluster could not be made, or its time could not be advanced.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// Something awaited did not happen.
    #[error(
        "{nodes} nodes, seed {seed}: {what} within {limit_ms} ms; {state}; try fewer nodes or pods"
    )]
    Late {
        /// Nodes of the cluster.
        nodes: usize,
        /// Seed of the run.
        seed: u64,
        /// What did not happen.
        what: &'static str,
        /// How long it was awaited.
        limit_ms: u64,
        /// How far it came.
        state: String,
    },
}

/// The fleet of a load check. The deployment is applied once all nodes are heard.
///
/// # Errors
/// [`FleetError`] for more nodes than a fleet may have.
pub fn fleet(load: &Load) -> Result<Fleet, FleetError> {
    let mut fleet = Fleet::new(load.nodes, "kube", "0123456789abcdef")?;
    fleet.boards[0].start.clear();
    fleet.keys = load.keys;
    fleet.radio = Radio { mbit: load.mbit, ..Radio::default() };
    Ok(fleet)
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
}

/// Runs a load check, and says what it cost.
///
/// # Errors
/// [`LoadError`].
pub fn run(system: &System, load: &Load) -> Result<(Report, Cost), LoadError> {
    let mut crowd = Crowd::new(system, load)?;
    let join_ns = crowd.until("not all nodes were heard", JOIN_LIMIT_MS, |c| c.all_heard())?;
    let join_ms = (join_ns - crowd.first_ns) / MS;
    crowd.run_ms(SETTLE_MS)?;
    let order_ns = crowd.world.now_ns();
    crowd.order(&format!("Kube.Apply web {} Ticker", load.pods));
    let pods = load.pods;
    let converged = crowd.until("the pods did not start", CONVERGE_LIMIT_MS, |c| {
        c.observer.cluster().converged(pods)
    })?;
    let converge_ms = (converged - order_ns) / MS;
    crowd.run_ms(SETTLE_MS)?;
    crowd.longest_silence_ms = 0;
    let (before, instructions) = (crowd.counted, crowd.instructions());
    let (wall, core) = (Instant::now(), core_time());
    crowd.run_ms(load.seconds * 1_000)?;
    let (wall_s, core_s) =
        (wall.elapsed().as_secs_f64(), core_time().saturating_sub(core).as_secs_f64());
    let counted = crowd.counted.since(&before);
    let seconds = load.seconds as f64;
    let cost = Cost {
        wall_s: wall_s / seconds,
        core_s: core_s / seconds,
        machines_per_core: (load.nodes + 1) as f64 * seconds / core_s,
        mips: (crowd.instructions() - instructions) as f64 / core_s / 1e6,
        frames_per_s: counted.frames as f64 / core_s,
    };
    let percent = |part: u64, of: u64| part as f64 * 100.0 / of.max(1) as f64;
    let report = Report {
        schema: SCHEMA,
        nodes: load.nodes,
        pods: load.pods,
        mbit: load.mbit,
        seed: load.seed,
        join_ms,
        converge_ms,
        spread: crowd.spread(),
        frames_per_s: counted.frames as f64 / seconds,
        air_used: counted.air_ns as f64 / (seconds * 1e9) * 100.0,
        collided: percent(counted.collided, counted.frames),
        heartbeats_heard: percent(counted.at_plane, counted.heartbeats),
        false_not_ready: crowd.taken_for_lost(),
        gaps: crowd.gaps,
        longest_silence_ms: crowd.longest_silence_ms,
        instructions: crowd.instructions(),
        machine_ms: crowd.world.now_ns() / MS,
        trace_sha256: crowd.trace.hex(),
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

impl Counted {
    const fn since(&self, before: &Self) -> Self {
        Self {
            frames: self.frames - before.frames,
            air_ns: self.air_ns - before.air_ns,
            collided: self.collided - before.collided,
            heartbeats: self.heartbeats - before.heartbeats,
            at_plane: self.at_plane - before.at_plane,
        }
    }
}

/// A cluster and what was heard of it.
struct Crowd {
    load: Load,
    world: World,
    plane: StationId,
    observer: Observer,
    trace: Trace,
    /// The first machine is switched on.
    first_ns: u64,
    /// End of the last frame looked at.
    event_ns: u64,
    /// Each node's last heartbeat.
    last_ms: BTreeMap<String, u64>,
    gaps: usize,
    longest_silence_ms: u64,
    /// Frames so far, as far as they are over.
    counted: Counted,
    /// End of the last time in which something was on the air.
    busy_until_ns: u64,
}

impl Crowd {
    fn new(system: &System, load: &Load) -> Result<Self, LoadError> {
        let fleet = fleet(load)?;
        let config = AirConfig { seed: load.seed, keep_log: true, ..AirConfig::default() };
        let mut world = World::new(config, load.threads).map_err(LabError::from)?;
        let mut moment = Pcg64::seed_from_u64(load.seed);
        let (mut first_ns, mut plane) = (u64::MAX, None);
        for spec in &fleet.machines() {
            let machine = || spec.name.clone();
            let image = machine_image(system, spec, &[])
                .map_err(|source| LabError::Image { machine: machine(), source })?;
            let power_on_ns = moment.random_range(0..POWER_ON_SPREAD_MS * MS);
            first_ns = first_ns.min(power_on_ns);
            let id = world.air_mut().add_station();
            plane.get_or_insert(id);
            let prom = system.prom.clone();
            let station = Station::new(spec.clone(), id, EngineKind::Emu, prom, image, power_on_ns)
                .map_err(|source| LabError::Machine { machine: machine(), source })?;
            world.add(station);
        }
        let plane = plane.ok_or(FleetError::Nodes(0))?;
        let keyring = Keyring::new(Some(fleet.tag()), Some(fleet.key()), load.keys);
        let observer = Observer::new(keyring);
        Ok(Self {
            load: *load,
            world,
            plane,
            observer,
            trace: Trace::default(),
            first_ns,
            event_ns: 0,
            last_ms: BTreeMap::new(),
            gaps: 0,
            longest_silence_ms: 0,
            counted: Counted::default(),
            busy_until_ns: 0,
        })
    }

    fn instructions(&mut self) -> u64 {
        self.world.stations().iter().map(|station| station.instructions()).sum()
    }

    /// Types a command on the plane.
    fn order(&mut self, command: &str) {
        for station in self.world.stations() {
            if station.spec.role == Role::Plane {
                station.type_line(command);
            }
        }
    }

    fn run_ms(&mut self, ms: u64) -> Result<(), LoadError> {
        let end_ns = self.world.now_ns() + ms * MS;
        self.watch(end_ns, |_| false).map(|_| ())
    }

    /// Lets time pass until something holds; says at the end of which frame it did.
    fn until(
        &mut self,
        what: &'static str,
        limit_ms: u64,
        holds: impl Fn(&Self) -> bool,
    ) -> Result<u64, LoadError> {
        let end_ns = self.world.now_ns() + limit_ms * MS;
        if self.watch(end_ns, holds)? {
            return Ok(self.event_ns);
        }
        let Load { nodes, seed, .. } = self.load;
        let state = format!(
            "{} nodes heard, {} pods run",
            self.last_ms.len(),
            self.observer.cluster().running(None)
        );
        Err(LoadError::Late { nodes, seed, what, limit_ms, state })
    }

    fn watch(&mut self, end_ns: u64, holds: impl Fn(&Self) -> bool) -> Result<bool, LoadError> {
        while self.world.now_ns() < end_ns {
            let next_ns = end_ns.min(self.world.now_ns() + LOOK_MS * MS);
            let mut reached = false;
            for sighting in self.world.run_until(next_ns).map_err(LabError::from)? {
                let flight = &sighting.flight;
                self.trace.add(&sighting);
                self.counted.collided += u64::from(sighting.outcome == Outcome::Collision);
                let heard = self.observer.hear(flight.start_ns, AIR, &tap_capture(&sighting));
                let node = heard.reading().and_then(|reading| reading.node());
                if heard.kind() == "heartbeat"
                    && heard.credible()
                    && let Some(node) = node
                {
                    self.beat(node, flight.end_ns / MS);
                    if !reached {
                        self.event_ns = flight.end_ns;
                        reached = holds(self);
                    }
                }
            }
            self.observer.pass(next_ns);
            self.count();
            if reached {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A node was heard.
    fn beat(&mut self, node: &str, now_ms: u64) {
        let last = self.last_ms.insert(node.to_owned(), now_ms).unwrap_or(now_ms);
        self.gaps += usize::from(now_ms - last > GAP_MS);
        self.longest_silence_ms = self.longest_silence_ms.max(now_ms - last);
    }

    fn all_heard(&self) -> bool {
        self.last_ms.len() == self.load.nodes
    }

    /// Adds the frames that are over, those on the air as long as anything was.
    fn count(&mut self) {
        for record in self.world.air_mut().take_log() {
            let flight = &record.flight;
            self.counted.frames += 1;
            self.counted.air_ns +=
                flight.end_ns.saturating_sub(flight.start_ns.max(self.busy_until_ns));
            self.busy_until_ns = self.busy_until_ns.max(flight.end_ns);
            if flight.sender != self.plane {
                let outcome = record.outcomes.get(self.plane.index());
                self.counted.heartbeats += 1;
                self.counted.at_plane += u64::from(outcome == Some(&Outcome::Delivered));
            }
        }
    }

    fn spread(&self) -> usize {
        let counts = || self.observer.cluster().live().map(|(_, _, said)| said.ids.len());
        counts().max().unwrap_or(0) - counts().min().unwrap_or(0)
    }

    /// How often the plane's log says that a node is not ready.
    fn taken_for_lost(&mut self) -> usize {
        let plane = self.world.stations().iter_mut().find(|s| s.spec.role == Role::Plane);
        plane.map_or(0, |plane| {
            plane.log().lines().filter(|line| line.ends_with("NotReady")).count()
        })
    }
}
