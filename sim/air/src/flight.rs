//! A transmission, before and after the medium has taken it, and what becomes of it at a station.

use kube_proto::bits::Bits;
use kube_proto::frame::Rate;

/// A place for a chip on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StationId(pub(crate) usize);

impl StationId {
    /// Number of the station, from 0 in the order they were added.
    pub const fn index(self) -> usize {
        self.0
    }
}

/// A transmission's number: from 0, by start time, then by station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlightId(pub u64);

/// A frame that will leave a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Beginning of the first bit of the preamble, in nanoseconds.
    pub start_ns: u64,
    /// RF_CH: 2400 MHz + channel.
    pub channel: u8,
    /// Data rate.
    pub rate: Rate,
    /// Output power in dBm.
    pub power_dbm: i16,
    /// Preamble to checksum.
    pub bits: Bits,
}

impl Departure {
    /// End of the last bit, in nanoseconds.
    pub fn end_ns(&self) -> u64 {
        self.start_ns + self.rate.air_time_ns(self.bits.len())
    }
}

/// A frame on the air.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Its number.
    pub id: FlightId,
    /// Who sends it.
    pub sender: StationId,
    /// Beginning of the first bit, in nanoseconds.
    pub start_ns: u64,
    /// End of the last bit, in nanoseconds.
    pub end_ns: u64,
    /// RF_CH: 2400 MHz + channel.
    pub channel: u8,
    /// Data rate.
    pub rate: Rate,
    /// Output power of the sender, in dBm.
    pub power_dbm: i16,
    /// A chip's acknowledgement.
    pub acknowledgement: bool,
    /// Preamble to checksum.
    pub bits: Bits,
}

impl Flight {
    /// The two carry the same bits and begin within a quarter of a bit: what several receivers
    /// that acknowledge the same packet send.
    pub fn is_twin(&self, other: &Flight) -> bool {
        let same = self.channel == other.channel && self.rate == other.rate;
        let apart_ns = self.start_ns.abs_diff(other.start_ns);
        same && self.bits == other.bits && apart_ns <= self.rate.bit_ns() / 4
    }
}

/// What became of a frame at a station. Every pair of frame and station (of those there when the
/// frame was announced) has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// In the receiver's RX FIFO.
    Delivered,
    /// The acknowledgement that the receiver was waiting for.
    Acknowledged,
    /// A packet again that the receiver had: acknowledged, not stored.
    Duplicate,
    /// Received as one with an identical frame at the same moment.
    Merged,
    /// The station sent it.
    Sender,
    /// The air was off.
    AirOff,
    /// Sender or receiver was cut off.
    CutOff,
    /// No chip with power at the station.
    NoPower,
    /// The receiver's PWR_UP was 0.
    PoweredDown,
    /// The receiver's oscillator was starting.
    StartingUp,
    /// The receiver's CE was low.
    CeLow,
    /// The receiver was in transmit mode with nothing to send (Standby-II).
    Standby,
    /// The receiver was on its way to listening.
    Settling,
    /// The receiver was sending, or about to.
    Transmitting,
    /// The receiver listened on another channel.
    WrongChannel,
    /// The receiver listened at another rate.
    WrongRate,
    /// No enabled pipe of the receiver has the address.
    WrongAddress,
    /// The receiver's settings were changed during the frame.
    Retuned,
    /// The sender broke off before the last bit.
    Truncated,
    /// Too weak to be received.
    TooWeak,
    /// Another signal was on the channel at the same time, or the receiver was at an earlier frame.
    Collision,
    /// Lost on the way by the link's loss probability.
    Lost,
    /// Dropped by a [`crate::DropRule`].
    Scripted,
    /// Bit errors in the address: the receiver did not notice it.
    Garbled,
    /// The receiver took it for a frame of its format and the checksum did not fit.
    Crc,
    /// The receiver's RX FIFO was full.
    FifoFull,
    /// It began before the receiver's chip learnt of it: the steps were too far apart.
    Late,
}

impl Outcome {
    /// The receiver got it, whatever it did with it.
    pub const fn received(self) -> bool {
        use Outcome::{Acknowledged, Delivered, Duplicate, FifoFull};
        matches!(self, Delivered | Acknowledged | Duplicate | FifoFull)
    }

    /// All outcomes, in order.
    pub const ALL: [Outcome; 27] = [
        Outcome::Delivered,
        Outcome::Acknowledged,
        Outcome::Duplicate,
        Outcome::Merged,
        Outcome::Sender,
        Outcome::AirOff,
        Outcome::CutOff,
        Outcome::NoPower,
        Outcome::PoweredDown,
        Outcome::StartingUp,
        Outcome::CeLow,
        Outcome::Standby,
        Outcome::Settling,
        Outcome::Transmitting,
        Outcome::WrongChannel,
        Outcome::WrongRate,
        Outcome::WrongAddress,
        Outcome::Retuned,
        Outcome::Truncated,
        Outcome::TooWeak,
        Outcome::Collision,
        Outcome::Lost,
        Outcome::Scripted,
        Outcome::Garbled,
        Outcome::Crc,
        Outcome::FifoFull,
        Outcome::Late,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order() {
        for (at, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, at);
        }
    }
}
