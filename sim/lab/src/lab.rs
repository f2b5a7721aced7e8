//! A fleet's machines on an air, what is done to them, and all that is heard of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kube_air::{AirConfig, Departure, Record, Sighting, StationId, tap_capture};
use kube_boards::fleet::{Fleet, MachineSpec, Role};
use kube_boards::image::machine_image;
use kube_disk::DiskError;
use kube_modules::System;
use kube_proto::frame::{Address, CrcMode, Rate, encode};
use kube_proto::key::Key;
use kube_sniff::cluster::Cluster;
use kube_sniff::decoder::Heard;
use kube_sniff::keyring::Keyring;
use kube_sniff::observer::Observer;
use kube_sniff::span;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::capture::{Capture, CaptureError};
use crate::engine::{EngineError, EngineKind};
use crate::station::Station;
use crate::trace::Trace;
use crate::world::{AIR, World, interface};

const MS: u64 = 1_000_000;
/// Between two looks at the air, in milliseconds.
pub const LOOK_MS: u64 = 10;
/// Machines are switched on by hand, one after the other, within this time.
const POWER_ON_SPREAD_MS: u64 = 500;
/// A cluster converges within this time, whatever was done to it.
const CONVERGE_MS: u64 = 20_000;
/// Long enough for a frame to be announced.
const SOON_NS: u64 = 300_000;
/// Lines of a machine's log that are quoted.
const TAIL_LINES: usize = 8;

/// What a lab is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The machines.
    pub fleet: Fleet,
    /// What runs them.
    pub engine: EngineKind,
    /// Seed of the air and of all moments that are left to chance.
    pub seed: u64,
    /// Threads that run machines; nothing depends on it.
    pub threads: usize,
    /// Probability that a receiver loses a frame, 0.0..=1.0.
    pub loss: f64,
    /// Files left off images, to see what is said of it.
    pub without: Vec<Omission>,
    /// File that takes the air of the run as pcapng.
    pub capture: Option<PathBuf>,
}

impl Setup {
    /// A fleet in the emulator on a clean air.
    #[must_use]
    pub fn new(fleet: &Fleet, seed: u64) -> Self {
        let (engine, loss, without, capture) = Default::default();
        Self { fleet: fleet.clone(), engine, seed, threads: 1, loss, without, capture }
    }
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

/// What was taken in by one look at the air.
pub struct Look {
    /// Frames heard before it: those of the look stand behind them in [`Lab::heard`].
    pub before: usize,
    /// The same frames as the medium saw them, in the same order.
    pub sightings: Vec<Sighting>,
    /// What became of each at every machine, if the air keeps its log.
    pub records: Vec<Record>,
}

/// What a machine is made from.
pub struct Make {
    /// What runs it.
    pub engine: EngineKind,
    /// Words of its PROM.
    pub prom: Vec<u32>,
    /// Its disk.
    pub image: Vec<u8>,
}

/// Why a lab cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The image of a machine cannot be made.
    #[error("the image of {machine} cannot be made: {source}")]
    Image {
        /// Machine.
        machine: String,
        /// Reason.
        source: DiskError,
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
    /// Circuit and emulator differ, or a machine broke a rule of its memory chip.
    #[error("{machine} does what no machine may: {what}")]
    Differs {
        /// Machine.
        machine: String,
        /// Where, and both states.
        what: String,
    },
    /// Somebody ended it.
    #[error("interrupted after {} of machine time", span::show(.at_ms * MS))]
    Stopped {
        /// Machine time by then.
        at_ms: u64,
    },
    /// Something awaited did not happen.
    #[error("{what} did not happen within {limit_ms} ms; on the air:\n{state}")]
    Late {
        /// What.
        what: &'static str,
        /// How long it was awaited.
        limit_ms: u64,
        /// The table of nodes.
        state: String,
    },
}

/// The end of a machine's log.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct MachineLog {
    /// Machine.
    pub machine: String,
    /// Its last lines.
    pub tail: Vec<String>,
}

/// Machines, their air, and what was heard.
pub struct Lab {
    world: World,
    /// By what can be heard.
    observer: Observer,
    /// By all that is sent.
    sent: Observer,
    heard: Vec<Heard>,
    /// Frames among them that nobody could hear.
    unheard: u64,
    under_way: Vec<Sighting>,
    trace: Trace,
    capture: Option<Capture>,
    chance: Pcg64,
    /// A station that is none of ours.
    intruder: Option<StationId>,
    /// Assignments that differ from the one before for the same node.
    changes: usize,
}

impl Lab {
    /// Switches a fleet on; nothing has been heard yet.
    ///
    /// # Errors
    /// [`LabError`] if an image, a machine or the capture cannot be made.
    pub fn new(system: &System, setup: &Setup) -> Result<Self, LabError> {
        Self::of(setup, |spec| {
            let omitted = setup.without.iter().filter(|omission| omission.concerns(&spec.name));
            let without: Vec<&str> = omitted.map(|omission| omission.file.as_str()).collect();
            let image = machine_image(system, spec, &without)?;
            Ok(Make { engine: setup.engine, prom: system.prom.clone(), image })
        })
    }

    /// Switches a fleet on whose machines are made one by one.
    ///
    /// # Errors
    /// [`LabError`] if an image, a machine or the capture cannot be made.
    pub fn of(
        setup: &Setup,
        make: impl Fn(&MachineSpec) -> Result<Make, DiskError>,
    ) -> Result<Self, LabError> {
        let Setup { fleet, seed, loss, .. } = setup;
        let keep_log = setup.capture.is_some();
        let air = AirConfig { seed: *seed, loss: *loss, keep_log, ..AirConfig::default() };
        let mut world = World::new(air, setup.threads)?;
        let mut chance = Pcg64::seed_from_u64(*seed);
        let mut ids = Vec::new();
        for spec in &fleet.machines() {
            let machine = || spec.name.clone();
            let Make { engine, prom, image } =
                make(spec).map_err(|source| LabError::Image { machine: machine(), source })?;
            let power_on_ns = chance.random_range(0..POWER_ON_SPREAD_MS * MS);
            let id = world.air_mut().add_station();
            ids.push(id);
            let station = Station::new(spec.clone(), id, engine, prom, image, power_on_ns)
                .map_err(|source| LabError::Machine { machine: machine(), source })?;
            world.add(station);
        }
        let stations = fleet.boards.iter().map(|spec| spec.name.as_str());
        let capture = match &setup.capture {
            Some(path) => Some(Capture::new(path, ids.into_iter().zip(stations))?),
            None => None,
        };
        let keyring = Keyring::new(Some(fleet.tag()), Some(fleet.key()), fleet.keys);
        Ok(Self {
            world,
            observer: Observer::new(keyring.clone()),
            sent: Observer::new(keyring),
            heard: Vec::new(),
            unheard: 0,
            under_way: Vec::new(),
            trace: Trace::default(),
            capture,
            chance,
            intruder: None,
            changes: 0,
        })
    }

    /// Lets time pass up to a moment in one look; returns what was taken in.
    ///
    /// # Errors
    /// [`LabError`] if a frame came without warning, machines differ, or the capture is full.
    pub fn look(&mut self, until_ns: u64) -> Result<Look, LabError> {
        let before = self.heard.len();
        let sightings = self.over(until_ns)?;
        for station in self.world.stations() {
            if let Some(what) = station.fault() {
                return Err(LabError::Differs { machine: station.spec.name.clone(), what });
            }
        }
        for sighting in &sightings {
            self.trace.add(sighting);
            let (at_ns, place) = (sighting.flight.start_ns, interface(sighting));
            let frame = tap_capture(sighting);
            let sent = self.sent.hear(at_ns, place, &frame);
            if place != AIR {
                self.unheard += 1;
                self.heard.push(Heard { number: self.unheard, ..sent });
                continue;
            }
            let node = sent.reading().filter(|_| sent.kind() == "assignment");
            let node = node.and_then(|reading| reading.node()).unwrap_or_default();
            let list = |observer: &Observer| {
                observer.cluster().nodes().get(node)?.assigned.as_ref().map(|said| said.since_ns)
            };
            let was = list(&self.observer);
            let heard = self.observer.hear(at_ns, place, &frame);
            self.changes += usize::from(was.is_some() && list(&self.observer) != was);
            self.heard.push(heard);
        }
        let records = self.world.air_mut().take_log();
        if let Some(capture) = &mut self.capture {
            capture.write(&records, &sightings)?;
        }
        self.observer.pass(until_ns);
        self.sent.pass(until_ns);
        Ok(Look { before, sightings, records })
    }

    /// Lets machines run; returns the frames that are over by then, in the order of their end. What
    /// nobody can hear is known when it begins.
    fn over(&mut self, until_ns: u64) -> Result<Vec<Sighting>, LabError> {
        self.under_way.extend(self.world.run_until(until_ns)?);
        self.under_way.sort_by_key(|sighting| (sighting.flight.end_ns, sighting.flight.id));
        let over = self.under_way.partition_point(|sighting| sighting.flight.end_ns <= until_ns);
        Ok(self.under_way.drain(..over).collect())
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// As [`Lab::look`].
    pub fn run_ms(&mut self, ms: u64) -> Result<(), LabError> {
        let end_ns = self.now_ns() + ms * MS;
        while self.now_ns() < end_ns {
            self.look(end_ns.min(self.now_ns() + LOOK_MS * MS))?;
        }
        Ok(())
    }

    /// Lets time pass until something holds; returns for how long, in milliseconds.
    ///
    /// # Errors
    /// [`LabError::Late`], and as [`Lab::look`].
    pub fn wait(
        &mut self,
        what: &'static str,
        limit_ms: u64,
        holds: impl Fn(&Self) -> bool,
    ) -> Result<u64, LabError> {
        let start_ns = self.now_ns();
        while !holds(self) {
            if self.now_ns() - start_ns >= limit_ms * MS {
                return Err(LabError::Late { what, limit_ms, state: self.state() });
            }
            self.run_ms(LOOK_MS)?;
        }
        Ok((self.now_ns() - start_ns) / MS)
    }

    /// Waits until so many pods run where they are assigned.
    ///
    /// # Errors
    /// As [`Lab::wait`].
    pub fn converge(&mut self, pods: usize) -> Result<u64, LabError> {
        self.wait("convergence", CONVERGE_MS, |lab| lab.cluster().converged(pods))
    }

    /// A number of milliseconds between two, by chance.
    pub fn chance_ms(&mut self, least: u64, most: u64) -> u64 {
        self.chance.random_range(least..=most)
    }

    /// Lets up to a second pass, so that trouble comes at any moment of a period.
    ///
    /// # Errors
    /// As [`Lab::look`].
    pub fn any_moment(&mut self) -> Result<(), LabError> {
        let ms = self.chance_ms(0, 999);
        self.run_ms(ms)
    }

    /// From now on those who listen believe what is signed with another key as well.
    pub fn add_key(&mut self, key: Key) {
        self.observer.add_key(key);
        self.sent.add_key(key);
    }

    /// Time since the lab began, in nanoseconds.
    #[must_use]
    pub const fn now_ns(&self) -> u64 {
        self.world.now_ns()
    }

    /// What the cluster looks like to whoever listens.
    #[must_use]
    pub const fn cluster(&self) -> &Cluster {
        self.observer.cluster()
    }

    /// What the listener knows.
    #[must_use]
    pub const fn observer(&self) -> &Observer {
        &self.observer
    }

    /// All frames so far that were not forgotten, also those that nobody could hear, in the order of
    /// their end.
    #[must_use]
    pub fn heard(&self) -> &[Heard] {
        &self.heard
    }

    /// Forgets all frames but about so many of the latest: for a lab that runs without end.
    pub fn forget(&mut self, keep: usize) {
        if self.heard.len() > 2 * keep {
            self.heard.drain(..self.heard.len() - keep);
        }
    }

    /// The digest of all frames so far.
    #[must_use]
    pub fn trace(&self) -> String {
        self.trace.hex()
    }

    /// The pods that a node reports, if it was heard lately.
    #[must_use]
    pub fn recent(&self, node: &str) -> Option<&[u8]> {
        self.cluster().recent(node)
    }

    /// Each node's last assignment.
    #[must_use]
    pub fn assigned(&self) -> BTreeMap<&str, &[u8]> {
        let nodes = self.cluster().nodes().iter();
        nodes.filter_map(|(name, view)| Some((&**name, &*view.assigned.as_ref()?.ids))).collect()
    }

    /// Assignments so far that differed from the one before.
    #[must_use]
    pub const fn changes(&self) -> usize {
        self.changes
    }

    /// The longest silence between two heartbeats of a node so far, in milliseconds.
    #[must_use]
    pub fn longest_silence_ms(&self) -> u64 {
        let stations = self.observer.statistics().stations().values();
        stations.map(|station| station.longest_ns).max().unwrap_or(0) / MS
    }

    /// The machines and their air.
    pub fn world(&mut self) -> &mut World {
        &mut self.world
    }

    /// The machines and their air, for whoever goes on with them alone.
    #[must_use]
    pub fn into_world(self) -> World {
        self.world
    }

    /// Instructions that the machines have executed since they were last switched on.
    #[must_use]
    pub fn instructions(&mut self) -> u64 {
        self.world.stations().iter().map(|station| station.instructions()).sum()
    }

    /// Cycles of all circuits outside of idle waits, and the clock of each in Hz; `None` if another
    /// engine runs one of the machines.
    pub fn cycles_at_work(&mut self) -> Option<(u64, u64)> {
        let each = self.world.stations().iter().map(|station| station.cycles_at_work());
        each.reduce(|sum, one| Some((sum?.0 + one?.0, one?.1)))?
    }

    /// Ends the capture, if there is one.
    ///
    /// # Errors
    /// [`CaptureError`] if the last bytes cannot be written.
    pub fn finish_capture(&mut self) -> Result<(), CaptureError> {
        self.capture.take().map_or(Ok(()), Capture::finish)
    }

    /// Cuts a machine's power at once.
    pub fn power_off(&mut self, name: &str) {
        if let Some(station) = self.world.station(name) {
            station.power_off();
        }
    }

    /// Gives it power again: it starts from its disk as that was left.
    pub fn power_on(&mut self, name: &str) {
        let now_ns = self.world.now_ns();
        if let Some(station) = self.world.station(name) {
            station.power_on(now_ns);
        }
    }

    /// The supply of a machine's radio dips: its chip forgets all.
    pub fn brown_out(&mut self, name: &str) {
        let now_ns = self.world.now_ns();
        if let Some(chip) = self.world.station(name).and_then(Station::chip) {
            chip.brown_out(now_ns);
        }
    }

    /// Cuts a machine off the air, or ends that.
    pub fn cut_off(&mut self, name: &str, cut_off: bool) {
        if let Some(id) = self.world.station(name).map(|station| station.id) {
            self.world.air_mut().set_cut_off(id, cut_off);
        }
    }

    /// Types a command on a machine.
    pub fn command(&mut self, name: &str, line: &str) {
        if let Some(station) = self.world.station(name) {
            station.type_line(line);
        }
    }

    /// Sends a payload from a station that is none of ours, as soon as a frame can be announced.
    pub fn intrude(&mut self, channel: u8, rate: Rate, payload: &[u8; 32]) {
        let world = &mut self.world;
        let station = *self.intruder.get_or_insert_with(|| world.add_outsider());
        let start_ns = world.now_ns() + SOON_NS;
        let Ok(bits) = encode(&Address::OBERON, None, payload, CrcMode::Crc16) else { return };
        let departure = Departure { start_ns, channel, rate, power_dbm: 0, bits };
        world.air_mut().inject(station, departure);
    }

    /// The last words of the machines of which nothing is heard: of the plane, if no node has an
    /// assignment.
    pub fn last_words(&mut self) -> Vec<MachineLog> {
        let assigned = !self.assigned().is_empty();
        let live: Vec<String> = self.cluster().live().map(|(name, ..)| name.to_owned()).collect();
        let silent = |station: &Station| match station.spec.role {
            Role::Plane => !assigned,
            Role::Node => !live.contains(&station.spec.name),
        };
        let chosen: Vec<bool> = self.world.stations().iter().map(silent).collect();
        let all = !chosen.contains(&true);
        let stations = self.world.stations().iter_mut().zip(chosen);
        let of = stations.filter(|(_, silent)| all || *silent).map(|(station, _)| {
            let lines: Vec<String> = station.log().lines().map(str::to_owned).collect();
            let tail = lines[lines.len().saturating_sub(TAIL_LINES)..].to_vec();
            MachineLog { machine: station.spec.name.clone(), tail }
        });
        of.collect()
    }

    fn state(&self) -> String {
        kube_sniff::table::nodes(self.cluster(), None).join("\n")
    }
}
