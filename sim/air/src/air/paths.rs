//! What the medium does to one frame on its way to one receiver: attenuation, and all chance.
//!
//! Every draw depends on nothing but the seed, the frame's number, the receiver and the question, so
//! one loss does not shift another.

use super::Air;
use crate::arrivals::Path;
use crate::config::Identical;
use crate::flight::{Flight, FlightId, Outcome, StationId};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;

/// What a draw decides; part of its random stream.
#[derive(Clone, Copy)]
enum Draw {
    Loss = 0,
    Errors = 1,
    Merge = 2,
    Scramble = 3,
}

/// Who receives. Listeners and taps have streams of their own, so they never share a draw with a
/// station.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Station(StationId),
    Listener(usize),
    Tap(usize),
}

impl Place {
    fn stream(self) -> u64 {
        match self {
            Place::Station(station) => station.0 as u64,
            Place::Listener(at) => u64::MAX - at as u64,
            Place::Tap(at) => 1 << 63 | at as u64,
        }
    }
}

impl Air {
    /// Attenuation from a station to a receiver, in hundredths of a dB.
    pub(super) fn path_loss_cdb(&self, from: StationId, to: Place) -> i32 {
        let position = match to {
            Place::Station(station) => {
                let link = self.links.get(&(from, station));
                if let Some(loss_db) = link.and_then(|link| link.path_loss_db) {
                    return i32::from(loss_db) * 100;
                }
                self.stations[station.0].position
            }
            Place::Listener(at) => self.listeners[at].receiver.position,
            Place::Tap(at) => self.taps[at].receiver.position,
        };
        match (self.stations[from.0].position, position) {
            (Some(from), Some(to)) => self.config.log_distance.loss_cdb(from, to),
            _ => i32::from(self.config.path_loss_db) * 100,
        }
    }

    /// What the medium does to a frame on its way to one receiver.
    pub(super) fn path(&self, flight: &Flight, to: Place) -> Path {
        let config = &self.config;
        let link = match to {
            Place::Station(station) => self.links.get(&(flight.sender, station)).copied(),
            _ => None,
        };
        let link = link.unwrap_or_default();
        let (loss, errors) = match to {
            Place::Station(_) if flight.acknowledgement => {
                (link.ack_loss.unwrap_or(config.ack_loss), config.bit_error_rate)
            }
            Place::Station(_) => (link.loss.unwrap_or(config.loss), config.bit_error_rate),
            Place::Listener(at) => (self.listeners[at].receiver.loss, config.bit_error_rate),
            Place::Tap(_) => (0.0, config.bit_error_rate),
        };
        let errors = link.bit_error_rate.unwrap_or(errors);
        let level_cdbm = i32::from(flight.power_dbm) * 100 - self.path_loss_cdb(flight.sender, to);
        let merges = match config.identical {
            Identical::Merge => true,
            Identical::Collide => false,
            Identical::Probability(p) => self.chance(flight.id, to, Draw::Merge, p),
        };
        Path {
            level_cdbm,
            capture_cdb: i32::from(config.capture_db) * 100,
            too_weak: level_cdbm < i32::from(config.sensitivity.at(flight.rate)) * 100,
            lost: self.chance(flight.id, to, Draw::Loss, loss).then_some(Outcome::Lost),
            errors: self.bit_errors(flight, to, errors),
            merges,
            scramble: self.generator(flight.id, to, Draw::Scramble).next_u64(),
        }
    }

    fn bit_errors(&self, flight: &Flight, to: Place, rate: f64) -> Vec<u16> {
        if rate.is_nan() || rate <= 0.0 {
            return Vec::new();
        }
        let mut generator = self.generator(flight.id, to, Draw::Errors);
        let bits = 0..flight.bits.len() as u16;
        bits.filter(|_| generator.random_bool(rate.min(1.0))).collect()
    }

    /// True with the given probability.
    fn chance(&self, id: FlightId, to: Place, what: Draw, probability: f64) -> bool {
        if probability.is_nan() || probability <= 0.0 {
            return false;
        }
        self.generator(id, to, what).random_bool(probability.min(1.0))
    }

    /// Chance that depends on seed, frame, receiver and question alone.
    fn generator(&self, id: FlightId, to: Place, what: Draw) -> Pcg64 {
        let state = u128::from(self.config.seed) << 64 | u128::from(id.0);
        let mut generator = Pcg64::new(state, (what as u128) << 64 | u128::from(to.stream()));
        generator.next_u64();
        generator
    }
}
