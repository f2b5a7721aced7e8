//! Frames on their way to one receiver (a chip, a listener or a tap), with what else is on the air
//! at the same time, and the rule what is received when they overlap.

use crate::flight::{Flight, FlightId, Outcome};
use kube_proto::bits::Bits;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

/// What the medium has decided about one frame at one receiver. Levels are hundredths of a dB, so
/// that sums are compared as integers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub level_cdbm: i32,
    pub capture_cdb: i32,
    /// Below the sensitivity: it only disturbs.
    pub too_weak: bool,
    /// The link or a script loses it. It is on the air all the same and disturbs others.
    pub lost: Option<Outcome>,
    /// Bits that arrive inverted.
    pub errors: Vec<u16>,
    /// It merges with identical frames at the same moment.
    pub merges: bool,
    /// Seed of the bits that a collision leaves.
    pub scramble: u64,
}

/// Whose power it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Frame(FlightId),
    Noise(u64),
}

/// Power on a range of channels for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Emission {
    pub source: Source,
    pub start_ns: u64,
    pub end_ns: u64,
    pub channels: (u8, u8),
    pub level_cdbm: i32,
}

impl Emission {
    fn disturbs(&self, flight: &Flight) -> bool {
        self.on(flight.channel) && self.start_ns < flight.end_ns && flight.start_ns < self.end_ns
    }

    pub fn on(&self, channel: u8) -> bool {
        (self.channels.0..=self.channels.1).contains(&channel)
    }
}

/// The power of several signals together, in hundredths of a dBm; `None` of none.
pub(crate) fn sum_cdbm(levels: impl Iterator<Item = i32>) -> Option<i32> {
    let (mut count, mut only, mut milliwatts) = (0, 0, 0.0);
    for level_cdbm in levels {
        (count, only) = (count + 1, level_cdbm);
        milliwatts += 10f64.powf(f64::from(level_cdbm) / 1000.0);
    }
    match count {
        0 => None,
        1 => Some(only),
        _ => Some((milliwatts.log10() * 1000.0).round() as i32),
    }
}

/// A frame at one receiver. `S` is what the receiver notes about it.
#[derive(Clone, Debug)]
pub(crate) struct Arrival<S> {
    pub flight: Arc<Flight>,
    pub path: Path,
    /// What shares time and channel with it here.
    others: Vec<Emission>,
    /// Frames that are received as one with it.
    pub twins: Vec<FlightId>,
    pub state: S,
}

impl<S> Arrival<S> {
    fn emission(&self) -> Emission {
        Emission {
            source: Source::Frame(self.flight.id),
            start_ns: self.flight.start_ns,
            end_ns: self.flight.end_ns,
            channels: (self.flight.channel, self.flight.channel),
            level_cdbm: self.path.level_cdbm,
        }
    }

    /// Most power that disturbs it at any moment, in hundredths of a dBm.
    fn disturbance_cdbm(&self) -> Option<i32> {
        let peak_at = |instant: u64| {
            let active = |e: &&Emission| e.start_ns <= instant && instant < e.end_ns;
            sum_cdbm(self.others.iter().filter(active).map(|e| e.level_cdbm))
        };
        // The sum only grows where something begins.
        self.others.iter().filter_map(|e| peak_at(e.start_ns.max(self.flight.start_ns))).max()
    }

    /// It stands out from all that disturbs it.
    pub fn captures(&self) -> bool {
        let disturbance = self.disturbance_cdbm();
        disturbance.is_none_or(|sum| self.path.level_cdbm >= sum + self.path.capture_cdb)
    }

    /// Began within the preamble of `first`, so that a receiver can still turn to it.
    pub fn begins_within_preamble(&self, first: &Flight) -> bool {
        self.flight.start_ns < first.start_ns + first.rate.air_time_ns(8)
    }

    /// The bits as they arrive: with bit errors, and with what disturbs them too much where they
    /// collide.
    pub fn bits(&self) -> Bits {
        let mut bits = self.flight.bits;
        self.path.errors.iter().for_each(|&at| bits.flip(usize::from(at)));
        if !self.captures() {
            let mut chance = Pcg64Mcg::new(u128::from(self.path.scramble) << 1 | 1);
            let bit_ns = self.flight.rate.bit_ns();
            for at in 0..bits.len() {
                let from_ns = self.flight.start_ns + at as u64 * bit_ns;
                let hit = |e: &Emission| e.start_ns < from_ns + bit_ns && from_ns < e.end_ns;
                if self.others.iter().any(hit) && chance.random_bool(0.5) {
                    bits.flip(at);
                }
            }
        }
        bits
    }

    /// Level in whole dBm, with its twins' power.
    pub fn level_dbm(&self) -> i16 {
        // Within i16: output power less a path loss, both 16 bits.
        (f64::from(self.path.level_cdbm) / 100.0).round() as i16
    }
}

/// What a frame meets at a receiver that is ready for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contention {
    /// The receiver is free.
    Free,
    /// The receiver is at an identical frame that began at the same moment.
    Twin(FlightId),
    /// The receiver is at a weaker frame in its preamble, and turns to this one.
    Steals(FlightId),
    /// The receiver is at another frame.
    Busy,
}

/// All frames that are announced and not over, and all noise.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals<S> {
    list: Vec<Arrival<S>>,
    noise: Vec<Emission>,
}

impl<S> Arrivals<S> {
    pub fn new() -> Self {
        Self { list: Vec::new(), noise: Vec::new() }
    }

    /// Takes a frame that has not begun at `now_ns`.
    pub fn announce(&mut self, now_ns: u64, flight: Arc<Flight>, path: Path, state: S) {
        self.noise.retain(|noise| noise.end_ns > now_ns);
        let others = self.noise.iter().filter(|noise| noise.disturbs(&flight)).copied().collect();
        let mut arrival = Arrival { flight, path, others, twins: Vec::new(), state };
        let emission = arrival.emission();
        for known in self.list.iter_mut().filter(|known| emission.disturbs(&known.flight)) {
            if arrival.path.merges && known.flight.is_twin(&arrival.flight) {
                known.twins.push(arrival.flight.id);
                arrival.twins.push(known.flight.id);
            } else {
                known.others.push(emission);
                arrival.others.push(known.emission());
            }
        }
        self.list.push(arrival);
    }

    /// Takes noise that has not begun at `now_ns`, or only just.
    pub fn add_noise(&mut self, now_ns: u64, noise: Emission) {
        self.noise.retain(|noise| noise.end_ns > now_ns);
        for known in self.list.iter_mut().filter(|known| noise.disturbs(&known.flight)) {
            known.others.push(noise);
        }
        self.noise.push(noise);
    }

    /// Noise of open end is over.
    pub fn end_noise(&mut self, id: u64, end_ns: u64) {
        let others = self.list.iter_mut().flat_map(|arrival| arrival.others.iter_mut());
        for noise in self.noise.iter_mut().chain(others) {
            if noise.source == Source::Noise(id) {
                noise.end_ns = noise.end_ns.min(end_ns);
            }
        }
    }

    /// Power on a channel at `now_ns` of all that has lasted since `since_ns`, in hundredths of a
    /// dBm.
    pub fn power_cdbm(&self, channel: u8, since_ns: u64, now_ns: u64) -> Option<i32> {
        let frames = self.list.iter().map(Arrival::emission);
        let all = frames.chain(self.noise.iter().copied());
        let lasts = |e: &Emission| e.on(channel) && e.start_ns <= since_ns && now_ns <= e.end_ns;
        sum_cdbm(all.filter(lasts).map(|e| e.level_cdbm))
    }

    /// Whether a receiver that is at the frame for which `locked` holds can turn to another one.
    pub fn contend(&self, arrival: &Arrival<S>, locked: impl Fn(&S) -> bool) -> Contention {
        let Some(current) = self.list.iter().find(|known| locked(&known.state)) else {
            return Contention::Free;
        };
        if arrival.twins.contains(&current.flight.id) {
            Contention::Twin(current.flight.id)
        } else if arrival.begins_within_preamble(&current.flight) && arrival.captures() {
            Contention::Steals(current.flight.id)
        } else {
            Contention::Busy
        }
    }

    pub fn get(&self, id: FlightId) -> Option<&Arrival<S>> {
        self.list.iter().find(|arrival| arrival.flight.id == id)
    }

    pub fn get_mut(&mut self, id: FlightId) -> Option<&mut Arrival<S>> {
        self.list.iter_mut().find(|arrival| arrival.flight.id == id)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arrival<S>> {
        self.list.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Arrival<S>> {
        self.list.iter_mut()
    }

    /// Takes a frame out: it is over or revoked. Frames it overlapped remember it.
    pub fn remove(&mut self, id: FlightId) -> Option<Arrival<S>> {
        let at = self.list.iter().position(|arrival| arrival.flight.id == id)?;
        Some(self.list.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_add_up_as_milliwatts() {
        assert_eq!(sum_cdbm([].into_iter()), None);
        assert_eq!(sum_cdbm([-5_000].into_iter()), Some(-5_000));
        assert_eq!(sum_cdbm([-5_000, -5_000].into_iter()), Some(-4_699), "3 dB more");
        assert_eq!(sum_cdbm([-5_000, -9_000].into_iter()), Some(-5_000));
        assert_eq!(sum_cdbm([-6_000; 10].into_iter()), Some(-5_000));
    }
}
