//! What each station sent, and how regularly.

use crate::decoder::{Heard, State};
use kube_proto::layout::HEARTBEAT;
use kube_proto::replay::Verdict;
use std::collections::{BTreeMap, VecDeque};

/// A heartbeat is late when it comes longer than this after the one before: the period is 1 s, and a
/// node's clock ticks in tenths.
pub const LATE_NS: u64 = 1_300_000_000;
/// Stations of which account is kept: anybody can invent names.
const MAX_STATIONS: usize = 1_000;
/// Span over which rates are taken.
const RATE_NS: u64 = 5_000_000_000;

/// One station.
#[derive(Clone, Debug, Default)]
pub struct StationStatistics {
    /// The address that it last sent with.
    pub sadr: Option<u8>,
    /// Frames from it.
    pub frames: u64,
    /// Frames that its chip sent again.
    pub repeated: u64,
    /// Messages that its counter says were sent and not heard.
    pub lost: u64,
    /// Messages with an old counter.
    pub replayed: u64,
    /// Messages whose signature does not fit, that bear its name.
    pub bad: u64,
    /// Heartbeats.
    pub heartbeats: u64,
    /// Heartbeats that came late.
    pub late: u64,
    /// Longest time between two heartbeats.
    pub longest_ns: u64,
    /// The last heartbeat.
    pub heartbeat_ns: Option<u64>,
    /// The last frame.
    pub at_ns: u64,
}

/// All stations, and the air as a whole.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    stations: BTreeMap<String, StationStatistics>,
    states: BTreeMap<State, u64>,
    /// Frames.
    pub frames: u64,
    /// Acknowledgements among them.
    pub acknowledgements: u64,
    /// First and last moment.
    pub first_ns: Option<u64>,
    /// The latest moment known.
    pub now_ns: u64,
    recent: VecDeque<u64>,
}

impl Statistics {
    /// Takes a frame in.
    pub fn hear(&mut self, heard: &Heard) {
        self.pass(heard.at_ns);
        self.frames += 1;
        self.acknowledgements += u64::from(heard.kind() == "ack");
        *self.states.entry(heard.state).or_default() += 1;
        self.recent.push_back(heard.at_ns);
        if heard.state == State::Damaged {
            return;
        }
        let name = match (&heard.from, heard.packet()) {
            (Some(name), _) => name.clone(),
            (None, Some(packet)) => format!("{:02x}", packet.sadr),
            (None, None) => return,
        };
        if self.stations.len() >= MAX_STATIONS && !self.stations.contains_key(&name) {
            return;
        }
        let station = self.stations.entry(name).or_default();
        if heard.state == State::Bad {
            station.bad += 1;
            return;
        }
        station.sadr = heard.packet().map(|packet| packet.sadr).or(station.sadr);
        station.frames += 1;
        station.at_ns = heard.at_ns;
        station.repeated += u64::from(heard.repeated);
        station.lost += u64::from(heard.lost);
        station.replayed += u64::from(heard.window == Some(Verdict::Replayed));
        let heartbeat = heard.reading().is_some_and(|reading| reading.layout.typ == HEARTBEAT.typ);
        if heartbeat && heard.credible() && heard.counts() {
            station.heartbeats += 1;
            if let Some(before_ns) = station.heartbeat_ns.replace(heard.at_ns) {
                let gap_ns = heard.at_ns.saturating_sub(before_ns);
                station.longest_ns = station.longest_ns.max(gap_ns);
                station.late += u64::from(gap_ns > LATE_NS);
            }
        }
    }

    /// Time has come so far.
    pub fn pass(&mut self, now_ns: u64) {
        self.first_ns.get_or_insert(now_ns);
        self.now_ns = self.now_ns.max(now_ns);
        let from_ns = self.now_ns.saturating_sub(RATE_NS);
        while self.recent.front().is_some_and(|&at_ns| at_ns < from_ns) {
            self.recent.pop_front();
        }
    }

    /// Stations by name.
    #[must_use]
    pub fn stations(&self) -> &BTreeMap<String, StationStatistics> {
        &self.stations
    }

    /// Frames in that state.
    #[must_use]
    pub fn count(&self, state: State) -> u64 {
        self.states.get(&state).copied().unwrap_or_default()
    }

    /// Time from the first frame to now.
    #[must_use]
    pub fn span_ns(&self) -> u64 {
        self.now_ns.saturating_sub(self.first_ns.unwrap_or(self.now_ns))
    }

    /// Frames a second, of late.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let span_ns = self.span_ns().min(RATE_NS);
        if span_ns == 0 { 0.0 } else { self.recent.len() as f64 * 1e9 / span_ns as f64 }
    }
}
