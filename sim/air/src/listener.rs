//! A listener: an ideal receiver that needs no chip, is never deaf and has room for every frame.
//! It hears what is on its channel, at its rate, with its address; what collided there it counts.

use crate::arrivals::{Arrivals, Verdict};
use crate::flight::{Flight, FlightId, StationId};
use kube_proto::frame::{self, Address, Control, Format, MAX_PAYLOAD, Rate};
use std::sync::Arc;

/// A listener's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListenerId(pub(crate) usize);

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

#[derive(Clone, Debug)]
pub(crate) struct Listener {
    channel: u8,
    rate: Rate,
    address: Address,
    pub loss: f64,
    arrivals: Arrivals<()>,
    heard: Vec<HeardFrame>,
    collided: u64,
}

impl Listener {
    pub fn new(channel: u8, rate: Rate, address: Address) -> Self {
        let (arrivals, heard) = (Arrivals::new(), Vec::new());
        Self { channel, rate, address, loss: 0.0, arrivals, heard, collided: 0 }
    }

    pub fn announce(&mut self, flight: Arc<Flight>, lost: bool, merge: bool) {
        if flight.channel == self.channel {
            self.arrivals.announce(flight, lost, merge, ());
        }
    }

    pub fn revoke(&mut self, id: FlightId) {
        self.arrivals.remove(id);
    }

    /// Hears what has ended by `until_ns`, in order of end and number.
    pub fn advance(&mut self, until_ns: u64) {
        let over = self.arrivals.iter().map(|arrival| &arrival.flight);
        let mut over: Vec<(u64, FlightId)> = over
            .filter(|flight| flight.end_ns <= until_ns)
            .map(|flight| (flight.end_ns, flight.id))
            .collect();
        over.sort_unstable();
        for (_, id) in over {
            let Some(arrival) = self.arrivals.remove(id) else { continue };
            match arrival.verdict() {
                Verdict::Collision => self.collided += 1,
                Verdict::Whole if arrival.lost => {}
                Verdict::Whole => {
                    self.heard.extend(self.hear(&arrival.flight));
                    arrival.twins.iter().for_each(|&twin| self.revoke(twin));
                }
            }
        }
    }

    fn hear(&self, flight: &Flight) -> Option<HeardFrame> {
        if flight.rate != self.rate {
            return None;
        }
        // A whole number of bytes has no control field, one bit more has.
        let control = flight.bits.len() % 8 == 1;
        let address_bytes = self.address.width();
        let crc = Format::KUBE.crc;
        let around = 8 + address_bytes * 8 + if control { 9 } else { 0 } + crc.bits();
        let len = flight.bits.len().checked_sub(around)? / 8;
        let payload = frame::PayloadLength::Static(len.min(MAX_PAYLOAD));
        let format = Format { address_bytes, control, payload, crc };
        let decoded = frame::decode(&flight.bits, &format).ok()?;
        if decoded.address != self.address {
            return None;
        }
        let mut payload = [0; MAX_PAYLOAD];
        payload[..decoded.payload().len()].copy_from_slice(decoded.payload());
        Some(HeardFrame {
            id: flight.id,
            sender: flight.sender,
            start_ns: flight.start_ns,
            end_ns: flight.end_ns,
            channel: flight.channel,
            rate: flight.rate,
            level_dbm: flight.level_dbm,
            control: decoded.control,
            payload,
            len: decoded.payload().len(),
            crc_ok: decoded.crc_ok,
        })
    }

    pub fn take(&mut self) -> Vec<HeardFrame> {
        std::mem::take(&mut self.heard)
    }

    pub fn collided(&self) -> u64 {
        self.collided
    }
}
