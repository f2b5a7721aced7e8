//! Ideal receivers that need no chip, are never deaf and have room for everything: a listener
//! takes the frames of one channel, rate and address apart; a tap keeps whatever is on the air.

use crate::arrivals::{Arrival, Arrivals, Contention, Path};
use crate::config::Position;
use crate::flight::{Flight, FlightId, Outcome, StationId};
use crate::log::Totals;
use kube_proto::bits::Bits;
use kube_proto::frame::{self, Address, Control, Format, MAX_PAYLOAD, Rate};
use std::sync::Arc;

/// A listener's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListenerId(pub(crate) usize);

/// A tap's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TapId(pub(crate) usize);

/// A frame as a listener heard it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeardFrame {
    /// The transmission.
    pub id: FlightId,
    /// Who sent it. A real receiver does not know; for tests and reports.
    pub sender: StationId,
    /// Beginning of the first bit, in nanoseconds.
    pub start_ns: u64,
    /// End of the last bit, in nanoseconds.
    pub end_ns: u64,
    /// RF_CH: 2400 MHz + channel.
    pub channel: u8,
    /// Data rate.
    pub rate: Rate,
    /// Signal in dBm.
    pub level_dbm: i16,
    /// The packet control field, if the frame has one.
    pub control: Option<Control>,
    /// The payload, padded with zeros.
    pub payload: [u8; MAX_PAYLOAD],
    /// Its length in bytes.
    pub len: usize,
    /// The checksum fits.
    pub crc_ok: bool,
}

/// A frame as a tap or a station got it, good or bad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The transmission.
    pub flight: Arc<Flight>,
    /// What became of it there. A tap has [`Outcome::Delivered`], [`Outcome::Collision`],
    /// [`Outcome::TooWeak`] and what takes a frame off the air only.
    pub outcome: Outcome,
    /// Signal in dBm; output power where the station sent it.
    pub level_dbm: i16,
    /// The bits as they arrived.
    pub bits: Bits,
}

/// What listeners and taps have in common: a place, and what is on its way there.
#[derive(Clone, Debug)]
pub(crate) struct Receiver<S> {
    pub position: Option<Position>,
    pub loss: f64,
    pub arrivals: Arrivals<S>,
    pub totals: Totals,
}

impl<S> Receiver<S> {
    fn new() -> Self {
        let (arrivals, totals) = (Arrivals::new(), Totals::default());
        Self { position: None, loss: 0.0, arrivals, totals }
    }

    fn next(&self, end_of: impl Fn(&Arrival<S>) -> bool, until_ns: u64) -> Option<FlightId> {
        let events = self.arrivals.iter().map(|arrival| {
            let (flight, ends) = (&arrival.flight, end_of(arrival));
            // At one moment, what ends comes before what begins.
            (if ends { flight.end_ns } else { flight.start_ns }, !ends, flight.id)
        });
        events.min().filter(|&(at_ns, ..)| at_ns <= until_ns).map(|(_, _, id)| id)
    }
}

/// What a listener makes of a frame on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hearing {
    Coming,
    Locked,
    /// Received as one with a frame that it is locked on.
    Joined(FlightId),
    Missed(Outcome),
}

#[derive(Clone, Debug)]
pub(crate) struct Listener {
    channel: u8,
    rate: Rate,
    address: Address,
    pub receiver: Receiver<Hearing>,
    heard: Vec<HeardFrame>,
}

impl Listener {
    pub fn new(channel: u8, rate: Rate, address: Address) -> Self {
        Self { channel, rate, address, receiver: Receiver::new(), heard: Vec::new() }
    }

    pub fn announce(&mut self, now_ns: u64, flight: Arc<Flight>, path: Path) {
        self.receiver.totals.flights += 1;
        if flight.channel == self.channel {
            self.receiver.arrivals.announce(now_ns, flight, path, Hearing::Coming);
        } else {
            self.receiver.totals.add(Outcome::WrongChannel);
        }
    }

    /// Hears what begins and ends by `until_ns`, in order.
    pub fn advance(&mut self, until_ns: u64) {
        let begun = |arrival: &Arrival<Hearing>| arrival.state != Hearing::Coming;
        while let Some(id) = self.receiver.next(begun, until_ns) {
            if self.receiver.arrivals.get(id).is_some_and(begun) {
                self.ends(id);
            } else {
                self.begins(id);
            }
        }
    }

    fn begins(&mut self, id: FlightId) {
        let arrivals = &mut self.receiver.arrivals;
        let Some(arrival) = arrivals.get(id) else { return };
        let address = |bits: &Bits| {
            (0..)
                .zip(self.address.on_air())
                .all(|(at, byte)| bits.read(8 + at * 8, 8) as u8 == byte)
        };
        let state = if arrival.flight.rate != self.rate {
            Hearing::Missed(Outcome::WrongRate)
        } else if !address(&arrival.flight.bits) {
            Hearing::Missed(Outcome::WrongAddress)
        } else if arrival.path.too_weak {
            Hearing::Missed(Outcome::TooWeak)
        } else {
            match arrivals.contend(arrival, |state| *state == Hearing::Locked) {
                Contention::Free => Hearing::Locked,
                Contention::Twin(first) => Hearing::Joined(first),
                Contention::Busy => Hearing::Missed(Outcome::Collision),
                Contention::Steals(weaker) => {
                    if let Some(weaker) = arrivals.get_mut(weaker) {
                        weaker.state = Hearing::Missed(Outcome::Collision);
                    }
                    Hearing::Locked
                }
            }
        };
        if let Some(arrival) = arrivals.get_mut(id) {
            arrival.state = state;
        }
    }

    fn ends(&mut self, id: FlightId) {
        let Some(arrival) = self.receiver.arrivals.remove(id) else { return };
        let outcome = match arrival.state {
            Hearing::Missed(because) => because,
            _ if !arrival.captures() => Outcome::Collision,
            _ => arrival.path.lost.unwrap_or_else(|| self.hear(&arrival)),
        };
        self.receiver.totals.add(outcome);
        let heard = matches!(outcome, Outcome::Delivered | Outcome::Crc);
        self.release(id, heard.then_some(Hearing::Missed(Outcome::Merged)));
    }

    /// Frames joined to one that is over: one of them takes its place, unless it was heard.
    fn release(&mut self, first: FlightId, state: Option<Hearing>) {
        let joined = |arrival: &&mut Arrival<Hearing>| arrival.state == Hearing::Joined(first);
        let mut heir = None;
        for arrival in self.receiver.arrivals.iter_mut().filter(joined) {
            arrival.state = state.unwrap_or_else(|| match heir {
                None => {
                    heir = Some(arrival.flight.id);
                    Hearing::Locked
                }
                Some(heir) => Hearing::Joined(heir),
            });
        }
    }

    /// A frame under way is taken off the air.
    pub fn revoke(&mut self, id: FlightId, because: Outcome) {
        let Some(arrival) = self.receiver.arrivals.remove(id) else { return };
        self.receiver.totals.add(match arrival.state {
            Hearing::Missed(earlier) => earlier,
            _ => because,
        });
        self.release(id, None);
    }

    fn hear(&mut self, arrival: &Arrival<Hearing>) -> Outcome {
        let (flight, bits) = (&arrival.flight, arrival.bits());
        // A whole number of bytes has no control field, one bit more has.
        let control = bits.len() % 8 == 1;
        let address_bytes = self.address.width();
        let crc = Format::KUBE.crc;
        let around = 8 + address_bytes * 8 + if control { 9 } else { 0 } + crc.bits();
        let Some(len) = bits.len().checked_sub(around) else { return Outcome::WrongAddress };
        let payload = frame::PayloadLength::Static((len / 8).min(MAX_PAYLOAD));
        let format = Format { address_bytes, control, payload, crc };
        let Ok(decoded) = frame::decode(&bits, &format) else { return Outcome::WrongAddress };
        if decoded.address != self.address {
            return Outcome::Garbled;
        }
        let mut payload = [0; MAX_PAYLOAD];
        payload[..decoded.payload().len()].copy_from_slice(decoded.payload());
        self.heard.push(HeardFrame {
            id: flight.id,
            sender: flight.sender,
            start_ns: flight.start_ns,
            end_ns: flight.end_ns,
            channel: flight.channel,
            rate: flight.rate,
            level_dbm: arrival.level_dbm(),
            control: decoded.control,
            payload,
            len: decoded.payload().len(),
            crc_ok: decoded.crc_ok,
        });
        if decoded.crc_ok { Outcome::Delivered } else { Outcome::Crc }
    }

    pub fn take(&mut self) -> Vec<HeardFrame> {
        std::mem::take(&mut self.heard)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Tap {
    pub receiver: Receiver<()>,
    seen: Vec<Sighting>,
}

impl Tap {
    pub fn new() -> Self {
        Self { receiver: Receiver::new(), seen: Vec::new() }
    }

    pub fn announce(&mut self, now_ns: u64, flight: Arc<Flight>, path: Path) {
        self.receiver.totals.flights += 1;
        self.receiver.arrivals.announce(now_ns, flight, path, ());
    }

    /// Keeps what has ended by `until_ns`, in order. It follows all frames at once, so none keeps
    /// it from another.
    pub fn advance(&mut self, until_ns: u64) {
        while let Some(id) = self.receiver.next(|_| true, until_ns) {
            let Some(arrival) = self.receiver.arrivals.remove(id) else { return };
            let outcome = if arrival.path.too_weak {
                Outcome::TooWeak
            } else if arrival.captures() {
                Outcome::Delivered
            } else {
                Outcome::Collision
            };
            self.keep(&arrival, outcome);
        }
    }

    /// A frame under way is taken off the air.
    pub fn revoke(&mut self, id: FlightId, because: Outcome) {
        if let Some(arrival) = self.receiver.arrivals.remove(id) {
            self.keep(&arrival, because);
        }
    }

    fn keep(&mut self, arrival: &Arrival<()>, outcome: Outcome) {
        self.receiver.totals.add(outcome);
        self.seen.push(Sighting {
            flight: Arc::clone(&arrival.flight),
            outcome,
            level_dbm: arrival.level_dbm(),
            bits: arrival.bits(),
        });
    }

    pub fn take(&mut self) -> Vec<Sighting> {
        std::mem::take(&mut self.seen)
    }
}
