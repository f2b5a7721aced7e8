//! Machines and air, advanced together in quanta.
//!
//! A machine runs alone up to the air's horizon, at most a quantum away; no frame can start in a quantum that was not
//! known at its beginning, so machines of one quantum may run on any number of threads and the
//! trace stays the same, byte for byte. Machines that sleep through a quantum are left alone, and so are
//! their chips; where all sleep longer, so is the quantum.

use kube_air::{Air, AirConfig, AirError, Chip, Chips, Outcome, Sighting, StationId, TapId};
pub use kube_sniff::source::pcap::{UNHEARD, WHOLE_AIR as AIR};
use rayon::prelude::*;

use crate::dongle::Dongle;
use crate::station::Station;

/// Channel of machines whose switches are all off.
pub const CHANNEL: u8 = 5;

/// Where a frame is heard.
#[must_use]
pub fn interface(sighting: &Sighting) -> &'static str {
    match sighting.outcome {
        Outcome::AirOff | Outcome::CutOff => UNHEARD,
        _ => AIR,
    }
}

/// A number of machines on one air, and a tap that gets all that is sent there.
///
/// Machines that sleep are left alone, and so are their chips: they lag behind until they are due, or
/// somebody asks for them.
pub struct World {
    air: Air,
    tap: TapId,
    stations: Vec<Station>,
    /// When each machine is next due, and whether it has run since the last step of the air.
    turns: Vec<Turn>,
    /// Somebody had his hands on the machines since the last step.
    handled: bool,
    /// A listener with a radio chip: the station behind those of the machines.
    guest: Option<Guest>,
    /// Stations without a machine, behind all that have one.
    outsiders: usize,
    now_ns: u64,
    pool: Option<rayon::ThreadPool>,
}

/// A machine's turn.
#[derive(Clone, Copy)]
struct Turn {
    due_ns: u64,
    ran: bool,
}

/// So many machines at once are worth waking other threads for: a sleeping thread takes longer to wake
/// than a few machines to run.
const MANY: usize = 8;

/// The chips of all stations, as the air sees them.
struct Places<'a> {
    stations: &'a mut [Station],
    turns: &'a [Turn],
    guest: Option<&'a mut Guest>,
    outsiders: usize,
    all: bool,
}

impl Chips for Places<'_> {
    fn places(&self) -> usize {
        self.stations.len() + usize::from(self.guest.is_some()) + self.outsiders
    }

    fn chip(&mut self, at: usize) -> Option<&mut Chip> {
        let behind = at.checked_sub(self.stations.len());
        match self.stations.get_mut(at) {
            Some(station) => station.chip(),
            None if behind == Some(0) => Some(self.guest.as_mut()?.chip()),
            None => None,
        }
    }

    fn stirred(&self, at: usize) -> bool {
        self.all || self.turns.get(at).is_none_or(|turn| turn.ran)
    }
}

/// Who listens beside the machines.
enum Guest {
    Dongle(Box<Dongle>),
    /// A chip that somebody else drives, who knows how far the world has come.
    Chip(Box<Chip>),
}

impl Guest {
    fn chip(&mut self) -> &mut Chip {
        match self {
            Self::Dongle(dongle) => dongle.chip(),
            Self::Chip(chip) => chip,
        }
    }

    /// When it acts next by itself.
    fn due_ns(&mut self) -> u64 {
        match self {
            Self::Dongle(dongle) => dongle.next_wake_ns(),
            Self::Chip(_) => u64::MAX,
        }
    }
}

/// Why a world cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// Number asked for.
        threads: usize,
        /// Reason of the pool.
        source: rayon::ThreadPoolBuildError,
    },
}

impl World {
    /// An air without machines.
    ///
    /// # Errors
    /// [`WorldError::Threads`].
    pub fn new(config: AirConfig, threads: usize) -> Result<Self, WorldError> {
        let mut air = Air::new(config);
        let tap = air.add_tap();
        let pool = if threads > 1 {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            Some(builder.build().map_err(|source| WorldError::Threads { threads, source })?)
        } else {
            None
        };
        let (stations, turns) = (Vec::new(), Vec::new());
        let (guest, outsiders, now_ns) = (None, 0, 0);
        Ok(Self { air, tap, stations, turns, handled: true, guest, outsiders, now_ns, pool })
    }

    /// The medium, for loss, cut-off stations and the off switch.
    pub fn air_mut(&mut self) -> &mut Air {
        &mut self.air
    }

    /// Puts a machine on the air.
    pub fn add(&mut self, station: Station) {
        self.stations.push(station);
        self.turns.push(Turn { due_ns: 0, ran: false });
        self.handled = true;
    }

    /// Puts a dongle on the air. After the last machine, before the first outsider.
    pub fn add_dongle(&mut self, dongle: Dongle) -> StationId {
        self.guest = Some(Guest::Dongle(Box::new(dongle)));
        self.air.add_station()
    }

    /// The dongle.
    pub fn dongle(&mut self) -> Option<&mut Dongle> {
        match &mut self.guest {
            Some(Guest::Dongle(dongle)) => Some(dongle),
            _ => None,
        }
    }

    /// Puts a chip on the air that somebody outside drives: in each quantum up to
    /// [`World::horizon_ns`], before time goes on. Instead of a dongle, at its place.
    pub fn add_chip(&mut self, chip: Chip) -> StationId {
        self.guest = Some(Guest::Chip(Box::new(chip)));
        self.air.add_station()
    }

    /// The chip of the dongle, or the one that is driven from outside.
    pub fn chip(&mut self) -> Option<&mut Chip> {
        self.guest.as_mut().map(Guest::chip)
    }

    /// The moment up to which nothing can start that is not known now.
    #[must_use]
    pub fn horizon_ns(&self) -> u64 {
        self.air.horizon_ns()
    }

    /// A station that is no machine and sends only what is injected. After the last machine.
    pub fn add_outsider(&mut self) -> StationId {
        self.outsiders += 1;
        self.air.add_station()
    }

    /// The machine of that name.
    pub fn station(&mut self, name: &str) -> Option<&mut Station> {
        self.stations().iter_mut().find(|station| station.spec.name == name)
    }

    /// The machines in the order in which they were added.
    pub fn stations(&mut self) -> &mut [Station] {
        if !self.handled {
            // They may have slept since.
            self.stations.iter_mut().for_each(|station| station.run_until(self.now_ns));
            self.handled = true;
        }
        &mut self.stations
    }

    /// Time on the air, in nanoseconds since the lab began.
    #[must_use]
    pub const fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Advances everything to `until_ns` and returns what was sent, in the order of its end.
    ///
    /// # Errors
    /// [`AirError`] if a frame came without the warning that the quantum rule promises.
    pub fn run_until(&mut self, until_ns: u64) -> Result<Vec<Sighting>, AirError> {
        while self.now_ns < until_ns {
            if self.handled || self.air.told() {
                self.stations
                    .iter_mut()
                    .zip(&mut self.turns)
                    .for_each(|(s, t)| t.due_ns = s.due_ns());
            }
            let quantum_end = self.quantum_end_ns().clamp(self.now_ns + 1, until_ns);
            self.run_machines(quantum_end);
            let mut places = Places {
                stations: &mut self.stations,
                turns: &self.turns,
                guest: self.guest.as_mut(),
                outsiders: self.outsiders,
                all: std::mem::take(&mut self.handled),
            };
            self.air.step(quantum_end, &mut places)?;
            for (station, turn) in self.stations.iter_mut().zip(&mut self.turns) {
                if std::mem::take(&mut turn.ran) {
                    turn.due_ns = station.due_ns();
                }
            }
            self.now_ns = quantum_end;
        }
        Ok(self.air.take_seen(self.tap))
    }

    /// The air's horizon, or later if everybody sleeps longer.
    fn quantum_end_ns(&mut self) -> u64 {
        let machines = self.turns.iter().map(|turn| turn.due_ns);
        let guest = self.guest.as_mut().map(Guest::due_ns);
        let due_ns = machines.chain(guest).min().unwrap_or(u64::MAX);
        due_ns.min(self.air.quiet_until_ns()).max(self.air.horizon_ns())
    }

    fn run_machines(&mut self, until_ns: u64) {
        if let Some(Guest::Dongle(dongle)) = &mut self.guest
            && dongle.next_wake_ns() < until_ns
        {
            dongle.run_until(until_ns);
        }
        let mut awake = 0;
        for turn in &mut self.turns {
            turn.ran = turn.due_ns < until_ns;
            awake += usize::from(turn.ran);
        }
        let due = self.stations.iter_mut().zip(&self.turns).filter(|(_, turn)| turn.ran);
        match &self.pool {
            Some(pool) if awake >= MANY => {
                let due: Vec<_> = due.map(|(station, _)| station).collect();
                pool.install(|| {
                    due.into_par_iter().for_each(|station| station.run_until(until_ns));
                });
            }
            _ => due.for_each(|(station, _)| station.run_until(until_ns)),
        }
    }
}
