//! What was sent and what became of it everywhere: the account that must balance.

use crate::flight::{Flight, FlightId, Outcome, StationId};
use kube_proto::bits::Bits;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sums over all finished pairs of frame and station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Frames that went on the air.
    pub flights: u64,
    outcomes: [u64; Outcome::ALL.len()],
}

impl Totals {
    pub(crate) fn add(&mut self, outcome: Outcome) {
        self.outcomes[outcome as usize] += 1;
    }

    /// Pairs with that outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// Pairs with any outcome.
    pub fn sum(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    /// Outcomes that occurred, with their counts.
    pub fn occurred(&self) -> impl Iterator<Item = (Outcome, u64)> + '_ {
        let all = Outcome::ALL.into_iter().map(|outcome| (outcome, self.count(outcome)));
        all.filter(|&(_, count)| count > 0)
    }
}

/// A frame and what became of it at every station, in station order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The frame.
    pub flight: Arc<Flight>,
    /// One entry a station.
    pub outcomes: Vec<Outcome>,
    /// The sender broke off before the last bit.
    pub cut_short: bool,
    /// What the receivers got that were locked on it to the end, in station order.
    pub receptions: Vec<(StationId, Reception)>,
}

/// A frame as a station's receiver got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reception {
    /// Signal in dBm.
    pub level_dbm: i16,
    /// The bits as they arrived.
    pub bits: Bits,
}

#[derive(Clone, Debug)]
struct Open {
    flight: Arc<Flight>,
    outcomes: Vec<Option<Outcome>>,
    receptions: Vec<(StationId, Reception)>,
    cut_short: bool,
}

/// Frames that are not over, and the account of those that are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    open: BTreeMap<FlightId, Open>,
    done: Vec<Record>,
    keep: bool,
    totals: Totals,
}

impl Log {
    pub fn new(keep: bool) -> Self {
        Self { keep, ..Self::default() }
    }

    /// Keeps records from now on, or no more.
    pub fn set_keep(&mut self, keep: bool) {
        self.keep = keep;
    }

    pub fn begin(&mut self, flight: &Arc<Flight>, stations: usize) {
        self.totals.flights += 1;
        let flight = Arc::clone(flight);
        let (outcomes, receptions) = (vec![None; stations], Vec::new());
        let open = Open { outcomes, receptions, cut_short: false, flight };
        self.open.insert(open.flight.id, open);
    }

    /// Notes an outcome; the first one for a pair counts.
    pub fn settle(&mut self, id: FlightId, station: StationId, outcome: Outcome) {
        let place = self.open.get_mut(&id).and_then(|open| open.outcomes.get_mut(station.0));
        if let Some(place @ None) = place {
            *place = Some(outcome);
            self.totals.add(outcome);
        }
    }

    /// Notes what a receiver got of a frame.
    pub fn receive(&mut self, id: FlightId, station: StationId, reception: Reception) {
        if let Some(open) = self.open.get_mut(&id).filter(|_| self.keep) {
            open.receptions.push((station, reception));
        }
    }

    pub fn cut_short(&mut self, id: FlightId) {
        if let Some(open) = self.open.get_mut(&id) {
            open.cut_short = true;
        }
    }

    /// Frames that are not over, in order of their numbers.
    pub fn open(&self) -> impl Iterator<Item = &Arc<Flight>> {
        self.open.values().map(|open| &open.flight)
    }

    /// Frames without an outcome at a station.
    pub fn unsettled(&self, station: StationId) -> Vec<FlightId> {
        let none = |open: &&Open| open.outcomes.get(station.0).is_some_and(Option::is_none);
        self.open.values().filter(none).map(|open| open.flight.id).collect()
    }

    /// Moves frames that ended by `until_ns` and have all outcomes to the finished ones.
    pub fn finish(&mut self, until_ns: u64) {
        let over: Vec<FlightId> = self
            .open
            .values()
            .filter(|open| {
                open.flight.end_ns <= until_ns && open.outcomes.iter().all(Option::is_some)
            })
            .map(|open| open.flight.id)
            .collect();
        for id in over {
            let Some(open) = self.open.remove(&id) else { continue };
            if self.keep {
                let outcomes = open.outcomes.into_iter().flatten().collect();
                let Open { flight, cut_short, mut receptions, .. } = open;
                receptions.sort_by_key(|&(station, _)| station);
                self.done.push(Record { flight, outcomes, cut_short, receptions });
            }
        }
    }

    pub fn totals(&self) -> Totals {
        self.totals
    }

    pub fn take(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.done)
    }
}
