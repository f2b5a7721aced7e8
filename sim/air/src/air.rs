//! The medium: collects frames from their senders, announces them to everybody else, and keeps the
//! account. See the crate's head for the quantum rule.
//!
//! All chance is drawn here, and every draw depends on nothing but the seed, the frame's number and
//! the receiver, so one loss does not shift another.

use crate::chip::Chip;
use crate::flight::{Departure, Flight, FlightId, Outcome, StationId};
use crate::listener::{HeardFrame, Listener, ListenerId};
use crate::log::{Log, Record, Totals};
use crate::timing::{QUANTUM_NS, SETTLE_NS};
use kube_proto::frame::{Address, Rate};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How an air begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirConfig {
    /// Seed of all chance.
    pub seed: u64,
    /// Probability that a frame is lost on its way to one receiver, 0 to 1.
    pub loss: f64,
    /// Attenuation between any two stations, in dB.
    pub path_loss_db: i16,
    /// Identical frames at the same moment are received as one, as acknowledgements of several
    /// receivers may be; otherwise they collide.
    pub merge_identical: bool,
    /// Keep a [`Record`] of every frame for [`Air::take_log`]. Totals are kept in any case.
    pub keep_log: bool,
}

impl Default for AirConfig {
    /// No loss, 50 dB (a few metres), identical frames merge, no log.
    fn default() -> Self {
        Self { seed: 0, loss: 0.0, path_loss_db: 50, merge_identical: true, keep_log: false }
    }
}

/// Why a step cannot be taken, or was not taken well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AirError {
    /// The step would go back in time.
    #[error("step to {until_ns} ns, but the air is at {now_ns} ns: step forward only")]
    Backwards {
        /// Time asked for.
        until_ns: u64,
        /// Time of the last step.
        now_ns: u64,
    },
    /// Not one place for each station.
    #[error("{given} chip places for {stations} stations: give one place per station, in order")]
    Stations {
        /// Places given.
        given: usize,
        /// Stations added.
        stations: usize,
    },
    /// A frame began before a receiver's chip could be told. The step is complete, the frame not
    /// heard there.
    #[error(
        "frame {} began at {start_ns} ns, but station {} has lived to {now_ns} ns: step at least \
         every {QUANTUM_NS} ns", .id.0, .station.0
    )]
    Late {
        /// The frame.
        id: FlightId,
        /// The receiver.
        station: StationId,
        /// Its first bit.
        start_ns: u64,
        /// The receiver's time.
        now_ns: u64,
    },
}

#[derive(Clone, Debug, Default)]
struct Station {
    cut_off: bool,
    /// The chip seen there by the last step.
    ticket: Option<u64>,
    /// Frames of that chip that may still be on the air, by the chip's serial numbers: number and
    /// end.
    sending: BTreeMap<u64, (FlightId, u64)>,
}

/// The medium between chips.
#[derive(Clone, Debug)]
pub struct Air {
    config: AirConfig,
    now_ns: u64,
    horizon_ns: u64,
    on: bool,
    stations: Vec<Station>,
    link_loss: BTreeMap<(StationId, StationId), f64>,
    listeners: Vec<Listener>,
    injected: Vec<(StationId, Departure)>,
    next_id: u64,
    next_ticket: u64,
    log: Log,
}

impl Air {
    /// An air without stations, at time 0, switched on.
    pub fn new(config: AirConfig) -> Self {
        Self {
            config,
            now_ns: 0,
            horizon_ns: QUANTUM_NS,
            on: true,
            stations: Vec::new(),
            link_loss: BTreeMap::new(),
            listeners: Vec::new(),
            injected: Vec::new(),
            next_id: 0,
            next_ticket: 0,
            log: Log::new(config.keep_log),
        }
    }

    /// A place for one more chip; its index is the place in the slice that [`Air::step`] takes.
    pub fn add_station(&mut self) -> StationId {
        self.stations.push(Station::default());
        StationId(self.stations.len() - 1)
    }

    /// An ideal receiver of frames that start from now on.
    pub fn add_listener(&mut self, channel: u8, rate: Rate, address: Address) -> ListenerId {
        self.listeners.push(Listener::new(channel, rate, address));
        ListenerId(self.listeners.len() - 1)
    }

    /// Probability, 0 to 1, that a frame is lost on its way to one receiver, for all links without
    /// an own one. For frames announced from now on.
    pub fn set_loss(&mut self, loss: f64) {
        self.config.loss = loss;
    }

    /// The same for one direction of one link.
    pub fn set_link_loss(&mut self, from: StationId, to: StationId, loss: f64) {
        self.link_loss.insert((from, to), loss);
    }

    /// The same for a listener, whoever sends. 0 at first.
    pub fn set_listener_loss(&mut self, listener: ListenerId, loss: f64) {
        if let Some(listener) = self.listeners.get_mut(listener.0) {
            listener.loss = loss;
        }
    }

    /// Cuts a station off: it hears nothing and nobody hears it, also frames under way at the
    /// next step.
    pub fn set_cut_off(&mut self, station: StationId, cut_off: bool) {
        if let Some(station) = self.stations.get_mut(station.0) {
            station.cut_off = cut_off;
        }
    }

    /// Switches the air: while it is off nobody hears anything. Frames under way at the next step
    /// are lost; frames that began while it was off stay lost.
    pub fn set_on(&mut self, on: bool) {
        self.on = on;
    }

    /// Sends a frame from a station without its chip, at `departure.start_ns` or as soon as it can
    /// be announced. The station's own chip does not notice.
    pub fn inject(&mut self, station: StationId, departure: Departure) {
        if station.0 < self.stations.len() {
            self.injected.push((station, departure));
        }
    }

    /// Time of the last step.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// The latest time for the next step if any machine may begin to send before it. Where all
    /// machines are known to sleep longer, a longer step is as good. [`QUANTUM_NS`] away, and
    /// nearer while a chip with auto-acknowledge may have to send again.
    pub fn horizon_ns(&self) -> u64 {
        self.horizon_ns
    }

    /// The account of everything so far. A pair of frame and station counts once it is settled.
    pub fn totals(&self) -> Totals {
        self.log.totals()
    }

    /// Frames that are over, since the last call, in order of their end and number; empty unless
    /// [`AirConfig::keep_log`].
    pub fn take_log(&mut self) -> Vec<Record> {
        self.log.take()
    }

    /// What a listener heard since the last call, in order of the frames' end and number.
    pub fn take_heard(&mut self, listener: ListenerId) -> Vec<HeardFrame> {
        self.listeners.get_mut(listener.0).map(Listener::take).unwrap_or_default()
    }

    /// Frames that collided at a listener.
    pub fn collided(&self, listener: ListenerId) -> u64 {
        self.listeners.get(listener.0).map_or(0, Listener::collided)
    }

    /// Brings the air and all chips to `until_ns`. `chips` has one place per station, in order;
    /// `None` is a station without power. Call it when every machine has run to `until_ns`, and
    /// at the latest at [`Air::horizon_ns`].
    ///
    /// # Errors
    /// [`AirError::Backwards`] and [`AirError::Stations`]: nothing was done. [`AirError::Late`]:
    /// the step is done, and the named frame, the first of its kind, was not heard where it should
    /// have been.
    pub fn step(&mut self, until_ns: u64, chips: &mut [Option<&mut Chip>]) -> Result<(), AirError> {
        if until_ns < self.now_ns {
            return Err(AirError::Backwards { until_ns, now_ns: self.now_ns });
        }
        if chips.len() != self.stations.len() {
            let (given, stations) = (chips.len(), self.stations.len());
            return Err(AirError::Stations { given, stations });
        }
        self.now_ns = until_ns;
        let (mut departures, mut cut) = (Vec::new(), Vec::new());
        for (at, chip) in chips.iter_mut().enumerate() {
            self.collect(StationId(at), chip.as_deref_mut(), &mut departures, &mut cut);
        }
        for id in cut {
            self.log.cut_short(id);
            self.revoke(id, Outcome::Truncated, chips);
        }
        self.withdraw(chips);
        for (station, mut departure) in self.injected.drain(..) {
            departure.start_ns = departure.start_ns.max(until_ns + SETTLE_NS);
            departures.push((station, None, departure));
        }
        departures
            .sort_by_key(|&(station, serial, departure)| (departure.start_ns, station, serial));
        let mut late = Ok(());
        for (station, serial, departure) in departures {
            let announced = self.announce(station, serial, &departure, chips);
            late = late.and(announced);
        }
        self.listeners.iter_mut().for_each(|listener| listener.advance(until_ns));
        self.log.finish(until_ns);
        let retries = chips.iter().flatten().filter_map(|chip| chip.retry_decided_ns());
        let quantum_ns = until_ns + QUANTUM_NS;
        self.horizon_ns = retries.filter(|&at| at > until_ns).min().unwrap_or(quantum_ns);
        self.horizon_ns = self.horizon_ns.min(quantum_ns);
        late
    }

    /// Lets one chip catch up and takes from it what it has for the air: outcomes, new frames, and
    /// frames that were cut short.
    fn collect(
        &mut self,
        at: StationId,
        chip: Option<&mut Chip>,
        departures: &mut Vec<(StationId, Option<u64>, Departure)>,
        cut: &mut Vec<FlightId>,
    ) {
        let now_ns = self.now_ns;
        let station = &mut self.stations[at.0];
        station.sending.retain(|_, &mut (_, end_ns)| end_ns > now_ns);
        let ticket = chip.as_ref().and_then(|chip| chip.ticket);
        if station.ticket.is_some() && station.ticket != ticket {
            // The chip that was there has lost its power with all it was sending and hearing.
            cut.extend(std::mem::take(&mut station.sending).into_values().map(|(id, _)| id));
            station.ticket = None;
            for id in self.log.unsettled(at) {
                self.log.settle(id, at, Outcome::NoPower);
            }
        }
        let Some(chip) = chip else { return };
        chip.advance(now_ns);
        let station = &mut self.stations[at.0];
        if station.ticket.is_none() {
            self.next_ticket += 1;
            station.ticket = Some(self.next_ticket);
            chip.ticket = station.ticket;
        }
        for (id, outcome) in chip.take_settled() {
            self.log.settle(id, at, outcome);
        }
        let aborted = chip.take_aborted();
        cut.extend(aborted.iter().filter_map(|serial| station.sending.remove(serial)).map(|f| f.0));
        let fresh = chip.take_departures().into_iter();
        let fresh = fresh.filter(|(serial, _)| !aborted.contains(serial));
        departures.extend(fresh.map(|(serial, departure)| (at, Some(serial), departure)));
    }

    /// Takes frames under way from those that the air being off or a station cut off keeps from
    /// hearing them.
    fn withdraw(&mut self, chips: &mut [Option<&mut Chip>]) {
        let cut_off = |station: &Station| station.cut_off;
        if self.on && !self.stations.iter().any(cut_off) {
            return;
        }
        let open: Vec<_> = self.log.open().map(|flight| (flight.id, flight.sender)).collect();
        for (id, sender) in open {
            if !self.on {
                self.revoke(id, Outcome::AirOff, chips);
            } else if cut_off(&self.stations[sender.0]) {
                self.revoke(id, Outcome::CutOff, chips);
            } else {
                for at in 0..self.stations.len() {
                    if cut_off(&self.stations[at]) {
                        self.revoke_at(id, StationId(at), Outcome::CutOff, chips);
                    }
                }
            }
        }
    }

    fn revoke(&mut self, id: FlightId, because: Outcome, chips: &mut [Option<&mut Chip>]) {
        for at in 0..self.stations.len() {
            self.revoke_at(id, StationId(at), because, chips);
        }
        self.listeners.iter_mut().for_each(|listener| listener.revoke(id));
    }

    fn revoke_at(
        &mut self,
        id: FlightId,
        at: StationId,
        because: Outcome,
        chips: &mut [Option<&mut Chip>],
    ) {
        let outcome = chips[at.0].as_deref_mut().and_then(|chip| chip.revoke(id, because));
        if let Some(outcome) = outcome {
            self.log.settle(id, at, outcome);
        }
    }

    /// Numbers a frame and tells every receiver of it.
    fn announce(
        &mut self,
        sender: StationId,
        serial: Option<u64>,
        departure: &Departure,
        chips: &mut [Option<&mut Chip>],
    ) -> Result<(), AirError> {
        let id = FlightId(self.next_id);
        self.next_id += 1;
        let flight = Arc::new(Flight {
            id,
            sender,
            start_ns: departure.start_ns,
            end_ns: departure.end_ns(),
            channel: departure.channel,
            rate: departure.rate,
            level_dbm: departure.power_dbm - self.config.path_loss_db,
            bits: departure.bits,
        });
        if let Some(serial) = serial {
            self.stations[sender.0].sending.insert(serial, (id, flight.end_ns));
        }
        self.log.begin(&flight, self.stations.len());
        let sender_cut_off = self.stations[sender.0].cut_off;
        let merge = self.config.merge_identical;
        let mut late = Ok(());
        for (at, place) in chips.iter_mut().enumerate() {
            let station = StationId(at);
            let unreached = if station == sender {
                Some(Outcome::Sender)
            } else if !self.on {
                Some(Outcome::AirOff)
            } else if sender_cut_off || self.stations[at].cut_off {
                Some(Outcome::CutOff)
            } else if place.is_none() {
                Some(Outcome::NoPower)
            } else {
                None
            };
            if let Some(outcome) = unreached {
                self.log.settle(id, station, outcome);
            } else if let Some(chip) = place {
                let link = self.link_loss.get(&(sender, station));
                let loss = link.copied().unwrap_or(self.config.loss);
                let lost = self.draw(id, at as u64, loss);
                if !chip.announce(Arc::clone(&flight), lost, merge) && late.is_ok() {
                    let (start_ns, now_ns) = (flight.start_ns, chip.now_ns());
                    late = Err(AirError::Late { id, station, start_ns, now_ns });
                }
            }
        }
        if self.on && !sender_cut_off {
            for at in 0..self.listeners.len() {
                // Listeners count down from the top, so they never share a draw with a station.
                let lost = self.draw(id, u64::MAX - at as u64, self.listeners[at].loss);
                self.listeners[at].announce(Arc::clone(&flight), lost, merge);
            }
        }
        late
    }

    /// True with the given probability; depends on seed, frame and receiver alone.
    fn draw(&self, id: FlightId, receiver: u64, probability: f64) -> bool {
        if probability.is_nan() || probability <= 0.0 {
            return false;
        }
        let state = u128::from(self.config.seed) << 64 | u128::from(id.0);
        let mut generator = Pcg64::new(state, u128::from(receiver));
        generator.next_u64();
        generator.random_bool(probability.min(1.0))
    }
}
