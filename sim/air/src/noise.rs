//! Signals that are no frames: bursts of other systems, once or again and again.

use crate::arrivals::{Emission, Source};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use std::ops::RangeInclusive;

/// A signal of another system, equally strong at every receiver. It disturbs frames as a frame of
/// that level would, and RPD sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    /// Beginning, in nanoseconds. What lies in the past when the air takes it begins then.
    pub start_ns: u64,
    /// End, in nanoseconds.
    pub end_ns: u64,
    /// RF_CH values that it covers.
    pub channels: RangeInclusive<u8>,
    /// Level at every receiver, in dBm.
    pub level_dbm: i16,
}

impl Noise {
    pub(crate) fn emission(&self, id: u64, now_ns: u64) -> Emission {
        Emission {
            source: Source::Noise(id),
            start_ns: self.start_ns.max(now_ns),
            end_ns: self.end_ns,
            channels: (*self.channels.start(), *self.channels.end()),
            level_cdbm: i32::from(self.level_dbm) * 100,
        }
    }
}

/// Bursts at random moments, for as long as the air lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoiseSource {
    /// Mean time from the end of a burst to the next one, in nanoseconds; drawn evenly from 0 to
    /// twice as much.
    pub gap_ns: u64,
    /// Length of a burst, in nanoseconds.
    pub burst_ns: u64,
    /// RF_CH values that a burst covers.
    pub channels: RangeInclusive<u8>,
    /// Level at every receiver, in dBm.
    pub level_dbm: i16,
}

/// A source and its chance.
#[derive(Clone, Debug)]
pub(crate) struct Bursts {
    source: NoiseSource,
    chance: Pcg64,
    next_ns: u64,
}

impl Bursts {
    pub fn new(source: NoiseSource, seed: u64, number: u64, now_ns: u64) -> Self {
        // Apart from the draws for frames, whose streams have other upper halves.
        let mut chance = Pcg64::new(u128::from(seed), u128::from(number) | 1 << 100);
        chance.next_u64();
        let mut bursts = Self { source, chance, next_ns: now_ns };
        bursts.wait();
        bursts
    }

    fn wait(&mut self) {
        let most_ns = self.source.gap_ns.saturating_mul(2);
        // A source without gaps or bursts must not stop time.
        let gap_ns = self.chance.random_range(0..=most_ns).max(1_000);
        self.next_ns = self.next_ns.saturating_add(gap_ns);
    }

    /// The next burst, if it begins before `until_ns`.
    pub fn next_before(&mut self, until_ns: u64) -> Option<Noise> {
        if self.next_ns >= until_ns {
            return None;
        }
        let end_ns = self.next_ns.saturating_add(self.source.burst_ns);
        let NoiseSource { channels, level_dbm, .. } = self.source.clone();
        let burst = Noise { start_ns: self.next_ns, end_ns, channels, level_dbm };
        self.next_ns = end_ns;
        self.wait();
        Some(burst)
    }
}
