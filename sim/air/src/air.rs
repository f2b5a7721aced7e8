//! The medium: collects frames from their senders, announces them to everybody else, and keeps the
//! account. See the crate's head for the quantum rule.
//!
//! What happens to a frame on its way is in `air/paths.rs`, noise and carriers are in
//! `air/disturbances.rs`.

mod disturbances;
mod paths;

use crate::arrivals::{Emission, Source};
use crate::chip::{Carrier, Chip};
use crate::config::{AirConfig, Link, Position};
use crate::flight::{Departure, Flight, FlightId, Outcome, StationId};
use crate::listener::{HeardFrame, Listener, ListenerId, Sighting, Tap, TapId};
use crate::log::{Log, Record, Totals};
use crate::noise::{Bursts, Noise, NoiseSource};
use crate::script::{DropRule, Script};
use crate::timing::{QUANTUM_NS, SETTLE_NS};
use kube_proto::frame::{Address, Rate};
use paths::Place;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A frame on its way from its chip to the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving {
    /// The chip's number for it; `None` of an injected one.
    pub serial: Option<u64>,
    pub acknowledgement: bool,
    pub departure: Departure,
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

/// Where the chips are that [`Air::step`] brings forward: one place a station, in order.
pub trait Chips {
    /// Number of places.
    fn places(&self) -> usize;
    /// The chip at a place below [`Chips::places`]; `None` is a station without power.
    fn chip(&mut self, at: usize) -> Option<&mut Chip>;
    /// False if nothing but the air has done anything to the chip there since the last step, also no
    /// change of power. The air leaves such a chip alone as long as it has nothing to do by itself.
    fn stirred(&self, _at: usize) -> bool {
        true
    }
}

impl<const N: usize> Chips for [Option<&mut Chip>; N] {
    fn places(&self) -> usize {
        N
    }

    fn chip(&mut self, at: usize) -> Option<&mut Chip> {
        self.get_mut(at).and_then(Option::as_deref_mut)
    }
}

impl Chips for Vec<Option<&mut Chip>> {
    fn places(&self) -> usize {
        self.len()
    }

    fn chip(&mut self, at: usize) -> Option<&mut Chip> {
        self.get_mut(at).and_then(Option::as_deref_mut)
    }
}

/// When a chip has something to do by itself, as far as it knows.
#[derive(Clone, Copy, Debug)]
struct Due {
    /// Anything.
    any_ns: u64,
    /// The decision to send again.
    retry_ns: u64,
}

impl Due {
    const NEVER: Self = Self { any_ns: u64::MAX, retry_ns: u64::MAX };
}

#[derive(Clone, Debug, Default)]
struct Station {
    cut_off: bool,
    position: Option<Position>,
    /// The carrier that its chip sends, and its number among the noise.
    carrier: Option<(Carrier, u64)>,
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
    bridged: bool,
    stations: Vec<Station>,
    any_cut_off: bool,
    /// One a station.
    due: Vec<Due>,
    /// The next step concerns all chips, whatever they have to do.
    stir_all: bool,
    /// The last step told chips of something.
    told: bool,
    links: BTreeMap<(StationId, StationId), Link>,
    listeners: Vec<Listener>,
    taps: Vec<Tap>,
    injected: Vec<(StationId, Departure)>,
    script: Script,
    /// Noise of now and the near future, by number, and who sends it if a station does.
    noise: BTreeMap<u64, (Emission, Option<StationId>)>,
    bursts: Vec<Bursts>,
    next_noise: u64,
    /// Noise that the receivers do not know yet.
    fresh_noise: Vec<u64>,
    /// Carriers that the receivers do not know to be over.
    ended_noise: Vec<u64>,
    /// Stations whose chips know of no noise.
    newcomers: Vec<StationId>,
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
            bridged: false,
            stations: Vec::new(),
            any_cut_off: false,
            due: Vec::new(),
            stir_all: true,
            told: false,
            links: BTreeMap::new(),
            listeners: Vec::new(),
            taps: Vec::new(),
            injected: Vec::new(),
            script: Script::default(),
            noise: BTreeMap::new(),
            bursts: Vec::new(),
            next_noise: 0,
            fresh_noise: Vec::new(),
            ended_noise: Vec::new(),
            newcomers: Vec::new(),
            next_id: 0,
            next_ticket: 0,
            log: Log::new(config.keep_log),
        }
    }

    /// A place for one more chip; its index is the place in the slice that [`Air::step`] takes.
    pub fn add_station(&mut self) -> StationId {
        self.stations.push(Station::default());
        self.due.push(Due::NEVER);
        self.stir_all = true;
        StationId(self.stations.len() - 1)
    }

    /// An ideal receiver of frames that start from now on.
    pub fn add_listener(&mut self, channel: u8, rate: Rate, address: Address) -> ListenerId {
        self.listeners.push(Listener::new(channel, rate, address));
        ListenerId(self.listeners.len() - 1)
    }

    /// A receiver of everything, on all channels and at all rates, that starts from now on: good
    /// frames and bad ones.
    pub fn add_tap(&mut self) -> TapId {
        self.taps.push(Tap::new());
        TapId(self.taps.len() - 1)
    }

    /// Puts a station somewhere. Between two places attenuation follows
    /// [`AirConfig::log_distance`]. For frames announced from now on, as all settings here.
    pub fn set_position(&mut self, station: StationId, position: Position) {
        if let Some(station) = self.stations.get_mut(station.0) {
            station.position = Some(position);
        }
    }

    /// The same for a listener.
    pub fn set_listener_position(&mut self, listener: ListenerId, position: Position) {
        if let Some(listener) = self.listeners.get_mut(listener.0) {
            listener.receiver.position = Some(position);
        }
    }

    /// The same for a tap.
    pub fn set_tap_position(&mut self, tap: TapId, position: Position) {
        if let Some(tap) = self.taps.get_mut(tap.0) {
            tap.receiver.position = Some(position);
        }
    }

    /// Probability, 0 to 1, that a data frame is lost on its way to one receiver, for all links
    /// without an own one.
    pub fn set_loss(&mut self, loss: f64) {
        self.config.loss = loss;
    }

    /// The same for an acknowledgement.
    pub fn set_ack_loss(&mut self, loss: f64) {
        self.config.ack_loss = loss;
    }

    /// Probability, 0 to 1, that a bit arrives inverted, for all links without an own one.
    pub fn set_bit_error_rate(&mut self, rate: f64) {
        self.config.bit_error_rate = rate;
    }

    /// What is different on one direction of one link: an entry of the link table.
    pub fn link_mut(&mut self, from: StationId, to: StationId) -> &mut Link {
        self.links.entry((from, to)).or_default()
    }

    /// Loss of data frames and acknowledgements in one direction of one link.
    pub fn set_link_loss(&mut self, from: StationId, to: StationId, loss: f64) {
        let link = self.link_mut(from, to);
        (link.loss, link.ack_loss) = (Some(loss), Some(loss));
    }

    /// Probability that a frame is lost to a listener, whoever sends. 0 at first.
    pub fn set_listener_loss(&mut self, listener: ListenerId, loss: f64) {
        if let Some(listener) = self.listeners.get_mut(listener.0) {
            listener.receiver.loss = loss;
        }
    }

    /// Drops frames by script.
    pub fn drop(&mut self, rule: DropRule) {
        self.script.add(rule);
    }

    /// A signal of another system, once. It reaches the receivers with the next step.
    pub fn add_noise(&mut self, noise: &Noise) {
        let emission = noise.emission(self.next_noise, self.now_ns);
        self.next_noise += 1;
        if let Source::Noise(id) = emission.source {
            self.noise.insert(id, (emission, None));
            self.fresh_noise.push(id);
        }
    }

    /// Bursts at random moments from now on.
    pub fn add_noise_source(&mut self, source: NoiseSource) {
        let number = self.bursts.len() as u64;
        self.bursts.push(Bursts::new(source, self.config.seed, number, self.now_ns));
    }

    /// Cuts a station off: it hears nothing and nobody hears it, also frames under way at the
    /// next step.
    pub fn set_cut_off(&mut self, station: StationId, cut_off: bool) {
        if let Some(station) = self.stations.get_mut(station.0) {
            station.cut_off = cut_off;
        }
        self.any_cut_off = self.stations.iter().any(|station| station.cut_off);
        self.stir_all = true;
    }

    /// Switches the air: while it is off nobody hears anything. Frames under way at the next step
    /// are lost; frames that began while it was off stay lost.
    pub fn set_on(&mut self, on: bool) {
        self.on = on;
        self.stir_all = true;
    }

    /// Sends a frame from a station without its chip, at `departure.start_ns` or as soon as it can
    /// be announced. The station's own chip does not notice.
    pub fn inject(&mut self, station: StationId, departure: Departure) {
        if station.0 < self.stations.len() {
            self.injected.push((station, departure));
        }
    }

    /// What is injected comes from outside the simulation, by wall time: the trace does not repeat.
    pub fn set_bridged(&mut self) {
        self.bridged = true;
    }

    /// The same seed and the same machines give the same trace: nothing has bridged this air to the
    /// outside.
    pub fn is_deterministic(&self) -> bool {
        !self.bridged
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

    /// As [`Air::horizon_ns`] if no machine does anything before: the next moment at which a chip has
    /// something to do by itself. Chips that [`Chips::stirred`] names in the next step come first.
    pub fn quiet_until_ns(&self) -> u64 {
        if self.stir_all || self.disturbed() || !self.injected.is_empty() {
            return self.horizon_ns;
        }
        let due_ns = self.due.iter().map(|due| due.any_ns).min();
        due_ns.unwrap_or(u64::MAX).max(self.horizon_ns)
    }

    /// Whether the last step told the chips of anything to come, so that [`Chip::next_event_ns`] may
    /// be earlier than it was before.
    pub fn told(&self) -> bool {
        self.told
    }

    /// More is going on than frames that run their course.
    fn disturbed(&self) -> bool {
        !self.on
            || !self.noise.is_empty()
            || !self.bursts.is_empty()
            || !self.ended_noise.is_empty()
            || self.any_cut_off
    }

    /// The account of everything so far. A pair of frame and station counts once it is settled.
    pub fn totals(&self) -> Totals {
        self.log.totals()
    }

    /// Keeps the log from now on, or no more: as [`AirConfig::keep_log`] of a running air. Whoever
    /// has it kept takes it, [`Air::take_log`]: nothing else empties it.
    pub fn set_keep_log(&mut self, keep: bool) {
        self.log.set_keep(keep);
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
        self.listener_totals(listener).count(Outcome::Collision)
    }

    /// The account of a listener: every frame since it was added has one outcome there.
    pub fn listener_totals(&self, listener: ListenerId) -> Totals {
        self.listeners.get(listener.0).map(|l| l.receiver.totals).unwrap_or_default()
    }

    /// What a tap got since the last call, in order of the frames' end and number.
    pub fn take_seen(&mut self, tap: TapId) -> Vec<Sighting> {
        self.taps.get_mut(tap.0).map(Tap::take).unwrap_or_default()
    }

    /// Brings the air and all chips to `until_ns`, those that have nothing to do in name only. Call it
    /// when every machine has run to `until_ns`, and at the latest at [`Air::horizon_ns`].
    ///
    /// # Errors
    /// [`AirError::Backwards`] and [`AirError::Stations`]: nothing was done. [`AirError::Late`]:
    /// the step is done, and the named frame, the first of its kind, was not heard where it should
    /// have been.
    pub fn step(&mut self, until_ns: u64, chips: &mut impl Chips) -> Result<(), AirError> {
        if until_ns < self.now_ns {
            return Err(AirError::Backwards { until_ns, now_ns: self.now_ns });
        }
        if chips.places() != self.stations.len() {
            let (given, stations) = (chips.places(), self.stations.len());
            return Err(AirError::Stations { given, stations });
        }
        self.now_ns = until_ns;
        let (mut departures, mut cut) = (Vec::new(), Vec::new());
        let all = std::mem::take(&mut self.stir_all) || self.disturbed();
        for at in 0..self.stations.len() {
            if all || self.due[at].any_ns <= until_ns || chips.stirred(at) {
                self.visit(at, chips, &mut departures, &mut cut);
            }
        }
        // Whoever is to forget a frame must first have lived up to now.
        if !all && (self.disturbed() || !cut.is_empty()) {
            for at in 0..self.stations.len() {
                self.visit(at, chips, &mut departures, &mut cut);
            }
        }
        self.told = all || !cut.is_empty() || !departures.is_empty() || !self.injected.is_empty();
        self.make_noise(chips);
        for id in cut {
            self.log.cut_short(id);
            self.revoke(id, Outcome::Truncated, chips);
        }
        self.withdraw(chips);
        for (station, mut departure) in self.injected.drain(..) {
            departure.start_ns = departure.start_ns.max(until_ns + SETTLE_NS);
            let leaving = Leaving { serial: None, acknowledgement: false, departure };
            departures.push((station, leaving));
        }
        departures.sort_by_key(|&(station, Leaving { serial, departure, .. })| {
            (departure.start_ns, station, serial)
        });
        let mut late = Ok(());
        for (station, leaving) in departures {
            let announced = self.announce(station, &leaving, chips);
            late = late.and(announced);
        }
        self.listeners.iter_mut().for_each(|listener| listener.advance(until_ns));
        self.taps.iter_mut().for_each(|tap| tap.advance(until_ns));
        self.log.finish(until_ns);
        let retries = self.due.iter().map(|due| due.retry_ns).filter(|&at| at > until_ns);
        self.horizon_ns = retries.min().unwrap_or(u64::MAX).min(until_ns + QUANTUM_NS);
        late
    }

    /// Brings one chip to the present and takes what it has.
    fn visit(
        &mut self,
        at: usize,
        chips: &mut impl Chips,
        departures: &mut Vec<(StationId, Leaving)>,
        cut: &mut Vec<FlightId>,
    ) {
        let mut chip = chips.chip(at);
        let fresh = self.collect(StationId(at), chip.as_deref_mut(), departures, cut);
        self.follow_carrier(StationId(at), chip.as_deref(), fresh);
        self.note_due(at, chip.as_deref());
    }

    fn note_due(&mut self, at: usize, chip: Option<&Chip>) {
        self.due[at] = chip.map_or(Due::NEVER, |chip| Due {
            any_ns: chip.due_ns().unwrap_or(u64::MAX),
            retry_ns: chip.retry_decided_ns().unwrap_or(u64::MAX),
        });
    }

    /// Lets one chip catch up and takes from it what it has for the air: outcomes, new frames, and
    /// frames that were cut short. True if the chip is new at its place.
    fn collect(
        &mut self,
        at: StationId,
        chip: Option<&mut Chip>,
        departures: &mut Vec<(StationId, Leaving)>,
        cut: &mut Vec<FlightId>,
    ) -> bool {
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
        let Some(chip) = chip else { return false };
        chip.advance(now_ns);
        let station = &mut self.stations[at.0];
        let new = station.ticket.is_none();
        if new {
            self.next_ticket += 1;
            station.ticket = Some(self.next_ticket);
            chip.ticket = station.ticket;
        }
        for settled in chip.take_settled() {
            self.log.settle(settled.id, at, settled.outcome);
            if let Some(reception) = settled.reception {
                self.log.receive(settled.id, at, reception);
            }
        }
        let aborted = chip.take_aborted();
        cut.extend(aborted.iter().filter_map(|serial| station.sending.remove(serial)).map(|f| f.0));
        let fresh = chip.take_departures().into_iter();
        let fresh = fresh.filter(|leaving| leaving.serial.is_none_or(|s| !aborted.contains(&s)));
        departures.extend(fresh.map(|leaving| (at, leaving)));
        new
    }

    /// Takes frames under way from those that the air being off or a station cut off keeps from
    /// hearing them.
    fn withdraw(&mut self, chips: &mut impl Chips) {
        let cut_off = |station: &Station| station.cut_off;
        if self.on && !self.any_cut_off {
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

    fn revoke(&mut self, id: FlightId, because: Outcome, chips: &mut impl Chips) {
        for at in 0..self.stations.len() {
            self.revoke_at(id, StationId(at), because, chips);
        }
        self.listeners.iter_mut().for_each(|listener| listener.revoke(id, because));
        self.taps.iter_mut().for_each(|tap| tap.revoke(id, because));
    }

    fn revoke_at(&mut self, id: FlightId, at: StationId, because: Outcome, chips: &mut impl Chips) {
        let Some(chip) = chips.chip(at.0) else { return };
        let outcome = chip.revoke(id, because);
        self.note_due(at.0, Some(chip));
        if let Some(outcome) = outcome {
            self.log.settle(id, at, outcome);
        }
    }

    /// Numbers a frame and tells every receiver of it.
    fn announce(
        &mut self,
        sender: StationId,
        leaving: &Leaving,
        chips: &mut impl Chips,
    ) -> Result<(), AirError> {
        let (id, departure) = (FlightId(self.next_id), &leaving.departure);
        self.next_id += 1;
        let flight = Arc::new(Flight {
            id,
            sender,
            start_ns: departure.start_ns,
            end_ns: departure.end_ns(),
            channel: departure.channel,
            rate: departure.rate,
            power_dbm: departure.power_dbm,
            acknowledgement: leaving.acknowledgement,
            bits: departure.bits,
        });
        if let Some(serial) = leaving.serial {
            self.stations[sender.0].sending.insert(serial, (id, flight.end_ns));
        }
        self.log.begin(&flight, self.stations.len());
        let sender_cut_off = self.stations[sender.0].cut_off;
        let mut late = Ok(());
        for at in 0..self.stations.len() {
            let (station, place) = (StationId(at), chips.chip(at));
            let unreached = if station == sender {
                Some(Outcome::Sender)
            } else if !self.on {
                Some(Outcome::AirOff)
            } else if sender_cut_off || self.stations[at].cut_off {
                Some(Outcome::CutOff)
            } else if place.as_ref().is_none_or(|chip| chip.power_on_ns() > flight.start_ns) {
                Some(Outcome::NoPower)
            } else {
                None
            };
            if let Some(outcome) = unreached {
                self.log.settle(id, station, outcome);
            } else if let Some(chip) = place {
                let mut path = self.path(&flight, Place::Station(station));
                if self.script.drops(&flight, station) {
                    path.lost = Some(Outcome::Scripted);
                }
                if !chip.announce(Arc::clone(&flight), path) && late.is_ok() {
                    let (start_ns, now_ns) = (flight.start_ns, chip.now_ns());
                    late = Err(AirError::Late { id, station, start_ns, now_ns });
                }
                let due = &mut self.due[at];
                due.any_ns = due.any_ns.min(flight.start_ns);
            }
        }
        let unreached = if !self.on {
            Some(Outcome::AirOff)
        } else {
            sender_cut_off.then_some(Outcome::CutOff)
        };
        for at in 0..self.listeners.len() {
            let path = self.path(&flight, Place::Listener(at));
            self.listeners[at].announce(self.now_ns, Arc::clone(&flight), path);
            if let Some(because) = unreached {
                self.listeners[at].revoke(id, because);
            }
        }
        for at in 0..self.taps.len() {
            let path = self.path(&flight, Place::Tap(at));
            self.taps[at].announce(self.now_ns, Arc::clone(&flight), path);
            if let Some(because) = unreached {
                self.taps[at].revoke(id, because);
            }
        }
        late
    }
}
