//! Noise and carriers: when they begin and end, and who must know.

use super::paths::Place;
use super::{Air, Chips};
use crate::arrivals::{Emission, Source};
use crate::chip::Chip;
use crate::flight::StationId;
use crate::noise::Noise;

/// Noise is drawn this long before it begins, longer than any frame, so that one that is announced
/// now has met all that will disturb it.
const NOISE_AHEAD_NS: u64 = 5_000_000;

impl Air {
    /// Notes the beginning and the end of a station's carrier, and what a new chip must know.
    pub(super) fn follow_carrier(&mut self, at: StationId, chip: Option<&Chip>, new: bool) {
        let carrier =
            chip.and_then(Chip::carrier).filter(|_| !self.stations[at.0].cut_off && self.on);
        let known = self.stations[at.0].carrier;
        if known.map(|(carrier, _)| carrier) != carrier {
            if let Some((_, id)) = known {
                self.ended_noise.push(id);
            }
            self.stations[at.0].carrier = carrier.map(|carrier| {
                let id = self.next_noise;
                self.next_noise += 1;
                let emission = Emission {
                    source: Source::Noise(id),
                    start_ns: carrier.start_ns.max(self.now_ns),
                    end_ns: u64::MAX,
                    channels: (carrier.channel, carrier.channel),
                    level_cdbm: i32::from(carrier.power_dbm) * 100,
                };
                self.noise.insert(id, (emission, Some(at)));
                self.fresh_noise.push(id);
                (carrier, id)
            });
        }
        if new {
            self.newcomers.push(at);
        }
    }

    /// Lets all receivers know of noise that begins soon or has ended.
    pub(super) fn make_noise(&mut self, chips: &mut impl Chips) {
        let now_ns = self.now_ns;
        let mut coming: Vec<Noise> = Vec::new();
        for bursts in &mut self.bursts {
            coming.extend(std::iter::from_fn(|| bursts.next_before(now_ns + NOISE_AHEAD_NS)));
        }
        coming.iter().filter(|noise| noise.end_ns > now_ns).for_each(|noise| self.add_noise(noise));
        for id in std::mem::take(&mut self.ended_noise) {
            self.noise.remove(&id);
            for at in 0..chips.places() {
                if let Some(chip) = chips.chip(at) {
                    chip.end_noise(id, now_ns);
                }
            }
            self.listeners.iter_mut().for_each(|l| l.receiver.arrivals.end_noise(id, now_ns));
            self.taps.iter_mut().for_each(|tap| tap.receiver.arrivals.end_noise(id, now_ns));
        }
        self.noise.retain(|_, (emission, _)| emission.end_ns > now_ns);
        let fresh = std::mem::take(&mut self.fresh_noise);
        let newcomers = std::mem::take(&mut self.newcomers);
        if fresh.is_empty() && newcomers.is_empty() {
            return;
        }
        for (&id, &(emission, sender)) in &self.noise {
            let is_fresh = fresh.contains(&id);
            for at in 0..chips.places() {
                let to = StationId(at);
                if let Some(chip) = chips.chip(at).filter(|_| sender != Some(to))
                    && (is_fresh || newcomers.contains(&to))
                {
                    let loss_cdb =
                        sender.map_or(0, |from| self.path_loss_cdb(from, Place::Station(to)));
                    chip.add_noise(Emission {
                        level_cdbm: emission.level_cdbm - loss_cdb,
                        ..emission
                    });
                }
            }
        }
        for id in fresh {
            let Some(&(emission, sender)) = self.noise.get(&id) else { continue };
            let at = |place| Emission {
                level_cdbm: emission.level_cdbm
                    - sender.map_or(0, |from| self.path_loss_cdb(from, place)),
                ..emission
            };
            let listeners: Vec<_> =
                (0..self.listeners.len()).map(|i| at(Place::Listener(i))).collect();
            let taps: Vec<_> = (0..self.taps.len()).map(|i| at(Place::Tap(i))).collect();
            for (listener, emission) in self.listeners.iter_mut().zip(listeners) {
                listener.receiver.arrivals.add_noise(now_ns, emission);
            }
            for (tap, emission) in self.taps.iter_mut().zip(taps) {
                tap.receiver.arrivals.add_noise(now_ns, emission);
            }
        }
    }
}
