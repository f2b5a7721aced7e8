//! A cluster in trouble: machines lose power, the air goes away, frames are lost. Judged from the
//! air alone. The steps follow the published recovery table (spec/kube.md 7.3).

use std::collections::BTreeMap;

use kube_air::{AirConfig, Departure, StationId, tap_capture};
use kube_disk::DiskError;
use kube_modules::System;
use kube_proto::frame::{Address, CrcMode, Rate, encode};
use kube_sniff::decoder::Heard;
use kube_sniff::keyring::Keyring;
use kube_sniff::observer::Observer;
use kube_sniff::reading::Value;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::engine::EngineKind;
use crate::rollout::LabError;
use crate::station::Station;
use crate::world::{AIR, CHANNEL, World, interface};
use kube_boards::fleet::{Fleet, FleetError, Keys, MachineSpec};
use kube_boards::image::machine_image;

const MS: u64 = 1_000_000;
/// Between two looks at the air.
const LOOK_MS: u64 = 10;
/// Machines are switched on by hand, one after the other, within this time.
const POWER_ON_SPREAD_MS: u64 = 500;
/// The plane is given time for its own start before it is judged.
const FORM_MS: u64 = 20_000;
/// Long enough for a frame to be announced.
const SOON_NS: u64 = 300_000;

/// A cluster of a plane and nodes on one air, and what was heard of it.
pub struct Cluster {
    world: World,
    observer: Observer,
    /// Each node's last assignment.
    assigned: BTreeMap<String, Vec<u8>>,
    /// Assignments that differ from the one before for the same node.
    changes: usize,
    /// Heartbeats heard of each node, and the longest silence between two, in milliseconds.
    gaps: BTreeMap<String, (u64, u64)>,
    moment: Pcg64,
    /// A station that is none of ours.
    intruder: Option<StationId>,
    /// All that the machines have sent and others could hear.
    recorded: Vec<Heard>,
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

/// A wait that took too long.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// The cluster could not be made, or its time could not be advanced.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The fleet does not fit the messages.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// Something awaited did not happen.
    #[error("{what} did not happen within {limit_ms} ms; on the air:\n{state}")]
    Late {
        /// What.
        what: &'static str,
        /// How long it was awaited.
        limit_ms: u64,
        /// The lists last heard.
        state: String,
    },
}

/// What a scenario ends with.
pub type Outcome<T> = Result<T, RecoveryError>;

impl Cluster {
    /// Switches a fleet on; nothing has been heard yet.
    ///
    /// # Errors
    /// [`LabError`] if an image or a machine cannot be made.
    pub fn new(system: &System, fleet: &Fleet, seed: u64) -> Result<Self, LabError> {
        Self::of(fleet, seed, |spec| {
            let image = machine_image(system, spec, &[])?;
            Ok(Make { engine: EngineKind::Emu, prom: system.prom.clone(), image })
        })
    }

    /// Switches a fleet on whose machines are made one by one.
    ///
    /// # Errors
    /// [`LabError`] if an image or a machine cannot be made.
    pub fn of(
        fleet: &Fleet,
        seed: u64,
        make: impl Fn(&MachineSpec) -> Result<Make, DiskError>,
    ) -> Result<Self, LabError> {
        let mut world = World::new(AirConfig { seed, ..AirConfig::default() }, 1)?;
        let mut moment = Pcg64::seed_from_u64(seed);
        for spec in &fleet.machines() {
            let Make { engine, prom, image } = make(spec)
                .map_err(|source| LabError::Image { machine: spec.name.clone(), source })?;
            let power_on_ns = moment.random_range(0..POWER_ON_SPREAD_MS * MS);
            let id = world.air_mut().add_station();
            let station = Station::new(spec.clone(), id, engine, prom, image, power_on_ns)
                .map_err(|source| LabError::Machine { machine: spec.name.clone(), source })?;
            world.add(station);
        }
        let keyring = Keyring::new(Some(fleet.tag()), Some(fleet.key()), fleet.keys);
        let observer = Observer::new(keyring);
        let (assigned, gaps) = Default::default();
        let (intruder, recorded) = (None, Vec::new());
        Ok(Self { world, observer, assigned, changes: 0, gaps, moment, intruder, recorded })
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// [`LabError::Air`] if a frame came without warning.
    pub fn run_ms(&mut self, ms: u64) -> Outcome<()> {
        let end_ns = self.world.now_ns() + ms * MS;
        while self.world.now_ns() < end_ns {
            let until_ns = end_ns.min(self.world.now_ns() + LOOK_MS * MS);
            for sighting in self.world.run_until(until_ns).map_err(LabError::from)? {
                // What is judged is what the machines say.
                if Some(sighting.flight.sender) != self.intruder && interface(&sighting) == AIR {
                    let frame = tap_capture(&sighting);
                    let heard = self.observer.hear(sighting.flight.start_ns, AIR, &frame);
                    self.take(heard);
                }
            }
            self.observer.pass(until_ns);
        }
        Ok(())
    }

    fn take(&mut self, heard: Heard) {
        if let (true, Some(reading)) = (heard.credible() && heard.counts(), heard.reading())
            && let (Some(node), Some(Value::Ids(ids))) = (reading.node(), reading.get("ids"))
        {
            if heard.kind() == "assignment" {
                let before = self.assigned.insert(node.to_owned(), ids.clone());
                self.changes += usize::from(before.is_some_and(|before| before != *ids));
            } else {
                let now_ms = heard.at_ns / MS;
                let (last, longest) = self.gaps.entry(node.to_owned()).or_insert((now_ms, 0));
                *longest = (*longest).max(now_ms - *last);
                *last = now_ms;
            }
        }
        self.recorded.push(heard);
    }

    /// Lets time pass until something holds; returns for how long, in milliseconds.
    ///
    /// # Errors
    /// [`RecoveryError::Late`].
    pub fn wait(
        &mut self,
        what: &'static str,
        limit_ms: u64,
        holds: impl Fn(&Self) -> bool,
    ) -> Outcome<u64> {
        let start_ns = self.world.now_ns();
        while !holds(self) {
            if self.world.now_ns() - start_ns >= limit_ms * MS {
                return Err(RecoveryError::Late { what, limit_ms, state: self.state() });
            }
            self.run_ms(LOOK_MS)?;
        }
        Ok((self.world.now_ns() - start_ns) / MS)
    }

    /// Waits until so many pods run where they are assigned.
    ///
    /// # Errors
    /// [`RecoveryError::Late`].
    pub fn converge(&mut self, pods: usize) -> Outcome<u64> {
        self.wait("convergence", FORM_MS, |cluster| cluster.converged(pods))
    }

    /// Whether so many pods run, none twice, each node what it was last assigned. Only what was
    /// heard lately counts.
    #[must_use]
    pub fn converged(&self, pods: usize) -> bool {
        self.observer.cluster().converged(pods)
    }

    /// The pods that a node reports, if it was heard lately.
    #[must_use]
    pub fn recent(&self, node: &str) -> Option<&[u8]> {
        self.observer.cluster().recent(node)
    }

    /// Each node's last assignment.
    #[must_use]
    pub const fn assigned(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.assigned
    }

    /// Assignments so far that differed from the one before.
    #[must_use]
    pub const fn changes(&self) -> usize {
        self.changes
    }

    /// The longest silence of any node so far, in milliseconds.
    #[must_use]
    pub fn longest_silence_ms(&self) -> u64 {
        self.gaps.values().map(|&(_, longest)| longest).max().unwrap_or(0)
    }

    /// The reason that a node gives for not running a pod.
    #[must_use]
    pub fn reason(&self, id: u8) -> Option<&str> {
        let views = self.observer.cluster().nodes().values();
        let mut troubles = views.flat_map(|view| &view.troubles);
        troubles.find(|trouble| trouble.0 == id).map(|trouble| trouble.1.as_str())
    }

    /// All frames that the machines have sent, as heard.
    #[must_use]
    pub fn recorded(&self) -> &[Heard] {
        &self.recorded
    }

    /// Sends a payload from a station that is none of ours, as soon as a frame can be announced.
    pub fn intrude(&mut self, payload: &[u8; 32]) {
        let world = &mut self.world;
        let station = *self.intruder.get_or_insert_with(|| world.add_outsider());
        let start_ns = world.now_ns() + SOON_NS;
        let Ok(bits) = encode(&Address::OBERON, None, payload, CrcMode::Crc16) else { return };
        let (channel, rate, power_dbm) = (CHANNEL, Rate::M1, 0);
        let departure = Departure { start_ns, channel, rate, power_dbm, bits };
        world.air_mut().inject(station, departure);
    }

    /// What the listener knows.
    #[must_use]
    pub const fn observer(&self) -> &Observer {
        &self.observer
    }

    /// The medium.
    pub fn world(&mut self) -> &mut World {
        &mut self.world
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

    /// Types a command on a machine.
    pub fn command(&mut self, name: &str, line: &str) {
        if let Some(station) = self.world.station(name) {
            station.type_line(line);
        }
    }

    /// Lets up to a second pass, so that trouble comes at any moment of a period.
    ///
    /// # Errors
    /// As [`Cluster::run_ms`].
    pub fn any_moment(&mut self) -> Outcome<()> {
        let ms = self.moment.random_range(0..1_000);
        self.run_ms(ms)
    }

    fn state(&self) -> String {
        kube_sniff::table::nodes(self.observer.cluster(), None).join("\n")
    }
}

/// The fleet of the recovery table: a plane and two nodes. As published, the deployment is applied
/// once both nodes are heard: one whose first heartbeats are lost would otherwise rightly get no
/// pods.
///
/// # Errors
/// None, as the names are short enough.
pub fn fleet(keys: Keys) -> Result<Fleet, FleetError> {
    let mut fleet = Fleet::new(2, "kube", "0123456789abcdef")?;
    fleet.boards[0].start.clear();
    fleet.keys = keys;
    Ok(fleet)
}

impl Cluster {
    /// A cluster with four pods on two nodes, at any moment of a second.
    ///
    /// # Errors
    /// [`RecoveryError`] if it does not form.
    pub fn formed(system: &System, keys: Keys, seed: u64) -> Outcome<Self> {
        let mut cluster = Self::new(system, &fleet(keys)?, seed)?;
        let heard = |cluster: &Self| ["node1", "node2"].iter().all(|n| cluster.recent(n).is_some());
        cluster.wait("first heartbeats", 15_000, heard)?;
        cluster.command("plane", "Kube.Apply web 4 Ticker");
        cluster.converge(4)?;
        cluster.run_ms(2_000)?;
        cluster.any_moment()?;
        Ok(cluster)
    }
}

/// A node loses power: milliseconds until all four pods run on the other.
///
/// # Errors
/// [`RecoveryError`] if they do not within 20 s.
pub fn failover_ms(system: &System, keys: Keys, seed: u64) -> Outcome<u64> {
    let mut cluster = Cluster::formed(system, keys, seed)?;
    cluster.power_off("node2");
    cluster.wait("failover", 20_000, |cluster| {
        cluster.recent("node1").is_some_and(|ids| ids.len() == 4)
    })
}

/// The air is gone for 20 s: assignments that changed until it had been back for 15 s.
///
/// # Errors
/// [`RecoveryError`] if the cluster does not converge again.
pub fn moved_in_outage(system: &System, keys: Keys, seed: u64) -> Outcome<usize> {
    let mut cluster = Cluster::formed(system, keys, seed)?;
    let before = cluster.assigned().clone();
    let changes = cluster.changes();
    cluster.world().air_mut().set_on(false);
    cluster.run_ms(20_000)?;
    cluster.world().air_mut().set_on(true);
    cluster.run_ms(15_000)?;
    cluster.converge(4)?;
    Ok(cluster.changes() - changes + usize::from(*cluster.assigned() != before))
}

/// Three of ten receptions fail for a minute: assignments that changed.
///
/// # Errors
/// [`RecoveryError`] if the cluster does not converge afterwards.
pub fn moved_at_30_loss(system: &System, keys: Keys, seed: u64) -> Outcome<usize> {
    let mut cluster = Cluster::formed(system, keys, seed)?;
    let changes = cluster.changes();
    cluster.world().air_mut().set_loss(0.3);
    cluster.run_ms(60_000)?;
    cluster.world().air_mut().set_loss(0.0);
    cluster.run_ms(2_000)?;
    cluster.converge(4)?;
    Ok(cluster.changes() - changes)
}
