//! The first scenario: a cluster forms, and a deployment is rolled out to a new image.
//!
//! Everything is judged on frames. A machine's log is read only to say why frames are missing.

use std::path::PathBuf;

use kube_air::{AirConfig, tap_capture};
use kube_boards::fleet::{Fleet, Role};
use kube_boards::image::machine_image;
use kube_modules::System;
use kube_sniff::decoder::{Heard, State};
use kube_sniff::keyring::Keyring;
use kube_sniff::observer::Observer;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Serialize;

use crate::capture::{Capture, CaptureError};
use crate::engine::{EngineError, EngineKind};
use crate::station::Station;
use crate::trace::Trace;
use crate::world::{AIR, World, interface};

/// Pods of the deployment.
pub const PODS: usize = 4;
/// Image that it starts with.
pub const OLD_IMAGE: &str = "Ticker";
/// Image that it is rolled out to.
pub const NEW_IMAGE: &str = "Ticker2";

const SECOND_NS: u64 = 1_000_000_000;
/// Longest wait for the first heartbeats.
const HEARD_LIMIT_NS: u64 = 15 * SECOND_NS;
/// Longest wait for convergence after them.
const CONVERGE_LIMIT_NS: u64 = 20 * SECOND_NS;
/// Longest wait for the rollout.
const ROLLOUT_LIMIT_NS: u64 = 90 * SECOND_NS;
/// How long the cluster is watched after each of the two.
const SETTLE_NS: u64 = 3 * SECOND_NS;
/// Machines are switched on by hand, one after the other, within this time.
const POWER_ON_SPREAD_NS: u64 = SECOND_NS / 2;
/// How often the view is shown.
const VIEW_STEP_NS: u64 = SECOND_NS / 20;

/// What a run is made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// The machines.
    pub fleet: Fleet,
    /// What runs them.
    pub engine: EngineKind,
    /// Seed of the air and of the moments at which machines are switched on.
    pub seed: u64,
    /// Threads that run machines.
    pub threads: usize,
    /// Probability that a receiver loses a frame, 0.0..=1.0.
    pub loss: f64,
    /// Files left off images, to see what is said of it.
    pub without: Vec<Omission>,
    /// File that takes the air of the run as pcapng.
    pub capture: Option<PathBuf>,
}

/// A file that is left off an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The machine whose image lacks it; `None` for every machine.
    pub machine: Option<String>,
    /// File name.
    pub file: String,
}

impl Omission {
    fn concerns(&self, machine: &str) -> bool {
        self.machine.as_deref().is_none_or(|name| name == machine)
    }
}

/// What a run showed. Times are machine time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// What ran the machines: emu, rtl or lockstep.
    pub engine: &'static str,
    /// Instructions executed by all of them; with lockstep, compared.
    pub instructions: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Machines on the air.
    pub machines: usize,
    /// From power-on of the first machine to the first heartbeat of the last node.
    pub first_heartbeats_ms: u64,
    /// From there to four pods reported, none twice, each node what it is assigned.
    pub converged_ms: u64,
    /// From the command to the last old pod gone and the cluster converged.
    pub rollout_ms: u64,
    /// Fewest pods in the latest heartbeats during the rollout.
    pub rollout_min: usize,
    /// Most pods in the latest heartbeats during the rollout.
    pub rollout_max: usize,
    /// Pods reported at the end that do not run the new image.
    pub old_ids_left: usize,
    /// Frames of the cluster whose signature did not match.
    pub bad_signatures: u64,
    /// Frames heard.
    pub frames: u64,
    /// Machine time of the whole run.
    pub machine_ms: u64,
    /// Digest of all frames heard.
    pub trace_sha256: String,
}

/// The form of [`Summary`].
pub const SCHEMA: &str = "kube-lab/v1";

impl Summary {
    /// Whether the run shows what a rollout must show.
    ///
    /// # Errors
    /// The first figure that is not as it must be.
    pub fn verdict(&self) -> Result<(), String> {
        let Self { rollout_min, rollout_max, old_ids_left, bad_signatures, .. } = *self;
        if rollout_min < PODS || rollout_max > PODS + 1 {
            return Err(format!(
                "{rollout_min} to {rollout_max} pods ran during the rollout, {PODS} to {} may",
                PODS + 1
            ));
        }
        if old_ids_left > 0 {
            return Err(format!("{old_ids_left} pods still run another image than {NEW_IMAGE}"));
        }
        if bad_signatures > 0 {
            return Err(format!("{bad_signatures} frames of the cluster have a bad signature"));
        }
        Ok(())
    }
}

/// Why a run did not show what it should.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The image of a machine cannot be made.
    #[error("the image of {machine} cannot be made: {source}")]
    Image {
        /// Machine.
        machine: String,
        /// Reason.
        source: kube_disk::DiskError,
    },
    /// A machine cannot be built: its card refuses the image, or its engine is not there.
    #[error("{machine} cannot be built: {source}")]
    Machine {
        /// Machine.
        machine: String,
        /// Reason.
        source: EngineError,
    },
    /// The machines and the air fell out of step.
    #[error("the simulation broke its own rule: {0}")]
    Air(#[from] kube_air::AirError),
    /// The capture cannot be written.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The world cannot be made.
    #[error(transparent)]
    World(#[from] crate::world::WorldError),
    /// Circuit and emulator differ.
    #[error("{machine} does not do what the emulator does: {what}")]
    Differs {
        /// Machine.
        machine: String,
        /// Where, and both states.
        what: String,
    },
    /// Nothing was heard of machines that should be on the air.
    #[error("not heard within {limit_s} s: {}{}", .silent.join(", "), diagnosis(.logs))]
    NotHeard {
        /// Machines.
        silent: Vec<String>,
        /// Time waited.
        limit_s: u64,
        /// What their serial lines say.
        logs: Vec<MachineLog>,
    },
    /// The cluster did not come to rest.
    #[error("{what} within {limit_s} s; the air shows\n{view}{}", diagnosis(.logs))]
    NotConverged {
        /// What was expected.
        what: &'static str,
        /// Time waited.
        limit_s: u64,
        /// The table of nodes.
        view: String,
        /// What the serial lines say.
        logs: Vec<MachineLog>,
    },
}

/// The end of a machine's log.
#[derive(Debug)]
pub struct MachineLog {
    /// Machine.
    pub machine: String,
    /// Its last lines.
    pub tail: String,
}

fn diagnosis(logs: &[MachineLog]) -> String {
    let part = |log: &MachineLog| format!("\nlast words of {}:\n{}", log.machine, log.tail);
    logs.iter().map(part).collect()
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for the first heartbeat of every node.
    Forming,
    /// Waiting for the pods.
    Converging,
    /// The new image was ordered.
    RollingOut,
    /// Watching that nothing moves any more.
    Settling,
}

/// Somebody who watches a run; `()` does not.
pub trait Watcher {
    /// A frame was heard.
    fn heard(&mut self, _heard: &Heard, _observer: &Observer) {}
    /// A new phase begins.
    fn phase(&mut self, _at_ns: u64, _phase: Phase) {}
    /// Machine time went on; called about twenty times a second of it.
    fn time(&mut self, _now_ns: u64, _observer: &Observer) {}
    /// The machines before the first step and between two: for who serves them to others.
    fn world(&mut self, _world: &mut World) {}
}

impl Watcher for () {}

/// Runs the scenario.
///
/// # Errors
/// [`LabError`], naming the machines that are to blame.
pub fn run(
    system: &System,
    options: &Options,
    watcher: &mut dyn Watcher,
) -> Result<Summary, LabError> {
    let mut lab = Lab::new(system, options)?;
    watcher.world(&mut lab.world);
    watcher.phase(lab.world.now_ns(), Phase::Forming);
    let nodes: Vec<String> = options.fleet.node_names().map(str::to_owned).collect();
    let all_heard =
        |observer: &Observer| first_heartbeats(observer, &nodes).is_some() && plane_heard(observer);
    if !lab.watch(watcher, HEARD_LIMIT_NS, all_heard)? {
        return Err(lab.not_heard(&nodes));
    }
    let heard_ns = first_heartbeats(&lab.observer, &nodes).unwrap_or_default();
    watcher.phase(lab.world.now_ns(), Phase::Converging);
    if !lab.watch(watcher, CONVERGE_LIMIT_NS, |observer| observer.cluster().converged(PODS))? {
        return Err(lab.not_converged("the pods did not start", CONVERGE_LIMIT_NS));
    }
    let converged_ns = lab.event_ns.saturating_sub(heard_ns);
    watcher.phase(lab.world.now_ns(), Phase::Settling);
    lab.watch(watcher, SETTLE_NS, |_| false)?;

    watcher.phase(lab.world.now_ns(), Phase::RollingOut);
    let ordered_ns = lab.world.now_ns();
    lab.counts = Some((usize::MAX, 0));
    lab.order(&format!("Kube.Apply web {PODS} {NEW_IMAGE}"));
    let rolled_out = |observer: &Observer| {
        observer.cluster().others(NEW_IMAGE) == 0 && observer.cluster().converged(PODS)
    };
    if !lab.watch(watcher, ROLLOUT_LIMIT_NS, rolled_out)? {
        return Err(lab.not_converged("the rollout did not end", ROLLOUT_LIMIT_NS));
    }
    let rollout_ns = lab.event_ns - ordered_ns;
    watcher.phase(lab.world.now_ns(), Phase::Settling);
    lab.watch(watcher, SETTLE_NS, |_| false)?;
    if let Some(capture) = lab.capture.take() {
        capture.finish()?;
    }
    let (rollout_min, rollout_max) = lab.counts.unwrap_or_default();
    Ok(Summary {
        schema: SCHEMA,
        engine: options.engine.name(),
        instructions: lab.world.stations().iter().map(|station| station.instructions()).sum(),
        seed: options.seed,
        machines: options.fleet.boards.len(),
        first_heartbeats_ms: heard_ns / 1_000_000,
        converged_ms: converged_ns / 1_000_000,
        rollout_ms: rollout_ns / 1_000_000,
        rollout_min,
        rollout_max,
        old_ids_left: lab.observer.cluster().others(NEW_IMAGE),
        bad_signatures: lab.observer.statistics().count(State::Bad),
        frames: lab.observer.statistics().frames,
        machine_ms: lab.world.now_ns() / 1_000_000,
        trace_sha256: lab.trace.hex(),
    })
}

/// When the last of the nodes was first heard; `None` while one is missing.
fn first_heartbeats(observer: &Observer, nodes: &[String]) -> Option<u64> {
    let first = |node: &String| observer.cluster().nodes().get(node)?.first_ns;
    nodes.iter().map(first).try_fold(0, |last, at| Some(last.max(at?)))
}

/// The plane is heard by its assignments.
fn plane_heard(observer: &Observer) -> bool {
    observer.cluster().nodes().values().any(|view| view.assigned.is_some())
}

struct Lab {
    world: World,
    observer: Observer,
    trace: Trace,
    capture: Option<Capture>,
    /// End of the frame that last changed the view.
    event_ns: u64,
    /// Fewest and most pods reported, once somebody counts.
    counts: Option<(usize, usize)>,
}

impl Lab {
    fn new(system: &System, options: &Options) -> Result<Self, LabError> {
        let air = AirConfig {
            seed: options.seed,
            loss: options.loss,
            keep_log: options.capture.is_some(),
            ..AirConfig::default()
        };
        let mut world = World::new(air, options.threads)?;
        let mut random = Pcg64::seed_from_u64(options.seed);
        let mut ids = Vec::new();
        for spec in &options.fleet.machines() {
            let machine = || spec.name.clone();
            let omitted = options.without.iter().filter(|omission| omission.concerns(&spec.name));
            let without: Vec<&str> = omitted.map(|omission| omission.file.as_str()).collect();
            let image = machine_image(system, spec, &without)
                .map_err(|source| LabError::Image { machine: machine(), source })?;
            let power_on_ns = random.random_range(0..POWER_ON_SPREAD_NS);
            let id = world.air_mut().add_station();
            ids.push(id);
            let (prom, engine) = (system.prom.clone(), options.engine);
            let station = Station::new(spec.clone(), id, engine, prom, image, power_on_ns)
                .map_err(|source| LabError::Machine { machine: machine(), source })?;
            world.add(station);
        }
        let stations = options.fleet.boards.iter().map(|spec| spec.name.as_str());
        let stations = ids.into_iter().zip(stations);
        let capture = match &options.capture {
            Some(path) => Some(Capture::new(path, world.air_mut(), stations)?),
            None => None,
        };
        let Fleet { keys, .. } = options.fleet;
        let keyring = Keyring::new(Some(options.fleet.tag()), Some(options.fleet.key()), keys);
        Ok(Self {
            world,
            observer: Observer::new(keyring),
            trace: Trace::default(),
            capture,
            event_ns: 0,
            counts: None,
        })
    }

    /// Types a command on the plane.
    fn order(&mut self, command: &str) {
        for station in self.world.stations() {
            if station.spec.role == Role::Plane {
                station.type_line(command);
            }
        }
    }

    /// Lets time pass until `done` holds after some frame, at most `limit_ns`; says whether it did.
    fn watch(
        &mut self,
        watcher: &mut dyn Watcher,
        limit_ns: u64,
        done: impl Fn(&Observer) -> bool,
    ) -> Result<bool, LabError> {
        let end_ns = self.world.now_ns() + limit_ns;
        let mut reached = false;
        while !reached && self.world.now_ns() < end_ns {
            let next_ns = (self.world.now_ns() + VIEW_STEP_NS).min(end_ns);
            let frames = self.world.run_until(next_ns)?;
            self.compare()?;
            for sighting in frames {
                self.trace.add(&sighting);
                if interface(&sighting) != AIR {
                    continue;
                }
                let start_ns = sighting.flight.start_ns;
                let heard = self.observer.hear(start_ns, AIR, &tap_capture(&sighting));
                if let (Some((least, most)), "heartbeat") = (&mut self.counts, heard.kind()) {
                    let running = self.observer.cluster().running(None);
                    *least = (*least).min(running);
                    *most = (*most).max(running);
                }
                watcher.heard(&heard, &self.observer);
                if !reached && done(&self.observer) {
                    reached = true;
                    self.event_ns = sighting.flight.end_ns;
                }
            }
            self.observer.pass(next_ns);
            if let Some(capture) = &mut self.capture {
                capture.write(self.world.air_mut())?;
            }
            watcher.world(&mut self.world);
            watcher.time(self.world.now_ns(), &self.observer);
        }
        Ok(reached)
    }

    /// Whether the machines are still what the emulator says they are.
    fn compare(&mut self) -> Result<(), LabError> {
        for station in self.world.stations() {
            if let Some(what) = station.fault() {
                return Err(LabError::Differs { machine: station.spec.name.clone(), what });
            }
        }
        Ok(())
    }

    fn logs(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<MachineLog> {
        const TAIL_LINES: usize = 8;
        let stations = self.world.stations().iter_mut();
        let log = |station: &mut Station| {
            let machine = station.spec.name.clone();
            let lines: Vec<&str> = station.log().lines().collect();
            let tail = if lines.is_empty() {
                "  (nothing)".to_owned()
            } else {
                let tail = &lines[lines.len().saturating_sub(TAIL_LINES)..];
                tail.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
            };
            MachineLog { machine, tail }
        };
        stations.filter(|station| wanted(&station.spec.name)).map(log).collect()
    }

    fn not_heard(&mut self, nodes: &[String]) -> LabError {
        let heard = self.observer.cluster().nodes();
        let is_heard = |name: &String| heard.get(name).is_some_and(|view| view.first_ns.is_some());
        let mut silent: Vec<String> =
            nodes.iter().filter(|name| !is_heard(name)).cloned().collect();
        if !plane_heard(&self.observer) {
            let planes = self.world.stations().iter().filter(|s| s.spec.role == Role::Plane);
            silent.splice(0..0, planes.map(|station| station.spec.name.clone()));
        }
        let logs = self.logs(|name| silent.iter().any(|machine| machine == name));
        LabError::NotHeard { silent, limit_s: HEARD_LIMIT_NS / SECOND_NS, logs }
    }

    fn not_converged(&mut self, what: &'static str, limit_ns: u64) -> LabError {
        let view = kube_sniff::table::nodes(self.observer.cluster(), None).join("\n");
        let logs = self.logs(|_| true);
        LabError::NotConverged { what, limit_s: limit_ns / SECOND_NS, view, logs }
    }
}
