//! What an air is made of: chance, distances, and the rules for frames that meet.

use kube_proto::frame::Rate;

/// What becomes of identical frames at the same moment, as several receivers that acknowledge the
/// same packet send them. What real chips make of them is not known (spec/nrf24.md 0.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Identical {
    /// They are received as one, with the sum of their powers.
    Merge,
    /// They disturb each other like any other frames.
    Collide,
    /// A later one merges with the earlier ones with this probability, 0 to 1, drawn for each
    /// receiver.
    Probability(f64),
}

/// Weakest signal that is received, in dBm, for each rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// At 250 kbit/s.
    pub k250_dbm: i16,
    /// At 1 Mbit/s.
    pub m1_dbm: i16,
    /// At 2 Mbit/s.
    pub m2_dbm: i16,
}

impl Sensitivity {
    /// nRF24L01+ Product Specification 1.0, table 6 (spec/nrf24.md F 9).
    pub const PLUS: Sensitivity = Sensitivity { k250_dbm: -94, m1_dbm: -85, m2_dbm: -82 };

    /// The one for a rate, in dBm.
    pub const fn at(self, rate: Rate) -> i16 {
        match rate {
            Rate::K250 => self.k250_dbm,
            Rate::M1 => self.m1_dbm,
            Rate::M2 => self.m2_dbm,
        }
    }
}

/// Attenuation that grows with the logarithm of the distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogDistance {
    /// Attenuation over the first metre, in dB.
    pub first_metre_db: f64,
    /// Attenuation in bels for each tenfold of the distance: 2 in free space, 2.7 to 3.5 indoors.
    pub exponent: f64,
}

impl LogDistance {
    /// 40 dB over the first metre (free space at 2.45 GHz), exponent 2.7 (a room with furniture).
    pub const INDOORS: LogDistance = LogDistance { first_metre_db: 40.0, exponent: 2.7 };

    /// Attenuation in hundredths of a dB. Nearer than 10 cm counts as 10 cm.
    pub(crate) fn loss_cdb(&self, from: Position, to: Position) -> i32 {
        let metres = from.distance_m(to).max(0.1);
        let loss_db = self.first_metre_db + 10.0 * self.exponent * metres.log10();
        (loss_db * 100.0).round() as i32
    }
}

/// A place, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    /// East.
    pub x_m: f64,
    /// North.
    pub y_m: f64,
    /// Up.
    pub z_m: f64,
}

impl Position {
    /// On the floor.
    pub const fn flat(x_m: f64, y_m: f64) -> Self {
        Self { x_m, y_m, z_m: 0.0 }
    }

    fn distance_m(self, to: Position) -> f64 {
        let (x, y, z) = (to.x_m - self.x_m, to.y_m - self.y_m, to.z_m - self.z_m);
        (x * x + y * y + z * z).sqrt()
    }
}

/// What differs on one direction of one link; `None` leaves it to the [`AirConfig`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Link {
    /// Attenuation in dB, whatever the positions.
    pub path_loss_db: Option<i16>,
    /// Probability that a data frame is lost, 0 to 1.
    pub loss: Option<f64>,
    /// Probability that an acknowledgement is lost, 0 to 1.
    pub ack_loss: Option<f64>,
    /// Probability that a bit arrives inverted, 0 to 1.
    pub bit_error_rate: Option<f64>,
}

/// How an air begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirConfig {
    /// Seed of all chance.
    pub seed: u64,
    /// Probability that a data frame is lost on its way to one receiver, 0 to 1.
    pub loss: f64,
    /// The same for an acknowledgement.
    pub ack_loss: f64,
    /// Probability that a bit arrives inverted, 0 to 1. The checksum is what rejects the frame.
    pub bit_error_rate: f64,
    /// Attenuation between two stations of which one has no position, in dB.
    pub path_loss_db: i16,
    /// Attenuation between two stations with positions.
    pub log_distance: LogDistance,
    /// A frame is received under others if it is this much, in dB, above the sum of them all, and
    /// began first or within the preamble of the first.
    pub capture_db: i16,
    /// Weakest signals that are received.
    pub sensitivity: Sensitivity,
    /// The rule for identical frames at the same moment.
    pub identical: Identical,
    /// Keep a [`crate::Record`] of every frame for [`crate::Air::take_log`]. Totals are kept in any
    /// case.
    pub keep_log: bool,
}

impl Default for AirConfig {
    /// No loss, 50 dB (a few metres), capture at 10 dB, identical frames merge, no log.
    fn default() -> Self {
        Self {
            seed: 0,
            loss: 0.0,
            ack_loss: 0.0,
            bit_error_rate: 0.0,
            path_loss_db: 50,
            log_distance: LogDistance::INDOORS,
            capture_db: 10,
            sensitivity: Sensitivity::PLUS,
            identical: Identical::Merge,
            keep_log: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attenuation_grows_by_27_db_for_each_tenfold() {
        let at = |metres| {
            LogDistance::INDOORS.loss_cdb(Position::default(), Position::flat(metres, 0.0))
        };
        assert_eq!([at(1.0), at(10.0), at(100.0)], [4_000, 6_700, 9_400]);
        assert_eq!(at(0.0), at(0.1), "no distance gains power");
        let tilted = Position { x_m: 1.0, y_m: 2.0, z_m: 2.0 };
        assert_eq!(LogDistance::INDOORS.loss_cdb(Position::default(), tilted), at(3.0));
    }
}
