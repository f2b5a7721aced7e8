//! Machines and air, advanced together in quanta.
//!
//! A machine runs alone up to the air's horizon, at most a quantum away; no frame can start in a quantum that was not
//! known at its beginning, so machines of one quantum may run on any number of threads and the
//! trace stays the same, byte for byte.

use kube_air::{Air, AirConfig, AirError, Outcome, Sighting, StationId, TapId};
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
pub struct World {
    air: Air,
    tap: TapId,
    stations: Vec<Station>,
    /// A listener with a radio chip: the station behind those of the machines.
    dongle: Option<Dongle>,
    /// Stations without a machine, behind all that have one.
    outsiders: usize,
    now_ns: u64,
    pool: Option<rayon::ThreadPool>,
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
        Ok(Self { air, tap, stations: Vec::new(), dongle: None, outsiders: 0, now_ns: 0, pool })
    }

    /// The medium, for loss, cut-off stations and the off switch.
    pub fn air_mut(&mut self) -> &mut Air {
        &mut self.air
    }

    /// Puts a machine on the air.
    pub fn add(&mut self, station: Station) {
        self.stations.push(station);
    }

    /// Puts a dongle on the air. After the last machine, before the first outsider.
    pub fn add_dongle(&mut self, dongle: Dongle) -> StationId {
        self.dongle = Some(dongle);
        self.air.add_station()
    }

    /// The dongle.
    pub fn dongle(&mut self) -> Option<&mut Dongle> {
        self.dongle.as_mut()
    }

    /// A station that is no machine and sends only what is injected. After the last machine.
    pub fn add_outsider(&mut self) -> StationId {
        self.outsiders += 1;
        self.air.add_station()
    }

    /// The machine of that name.
    pub fn station(&mut self, name: &str) -> Option<&mut Station> {
        self.stations.iter_mut().find(|station| station.spec.name == name)
    }

    /// The machines in the order in which they were added.
    pub fn stations(&mut self) -> &mut [Station] {
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
            let quantum_end = self.air.horizon_ns().clamp(self.now_ns + 1, until_ns);
            self.run_machines(quantum_end);
            let dongle = self.dongle.iter_mut().map(|dongle| Some(dongle.chip()));
            let machines = self.stations.iter_mut().map(Station::chip);
            let mut chips: Vec<_> = machines.chain(dongle).collect();
            chips.resize_with(chips.len() + self.outsiders, || None);
            self.air.step(quantum_end, &mut chips)?;
            self.now_ns = quantum_end;
        }
        Ok(self.air.take_seen(self.tap))
    }

    fn run_machines(&mut self, until_ns: u64) {
        if let Some(dongle) = &mut self.dongle
            && dongle.next_wake_ns() < until_ns
        {
            dongle.run_until(until_ns);
        }
        let awake = self
            .stations
            .iter_mut()
            .map(|s| s.awake_before(until_ns))
            .filter(|&awake| awake)
            .count();
        match &self.pool {
            Some(pool) if awake > 1 => pool.install(|| {
                self.stations.par_iter_mut().for_each(|station| station.run_until(until_ns));
            }),
            _ => self.stations.iter_mut().for_each(|station| station.run_until(until_ns)),
        }
    }
}
