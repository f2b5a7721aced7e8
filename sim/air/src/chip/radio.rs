//! The chip's radio along its own time line: power, settling, sending, listening.
//!
//! Everything that happens by itself is an event with a time; `advance` takes them in order. What
//! happens from outside (SPI, CE) ends in `update`, which compares what the chip is to do with what
//! it does.
//!
//! Sending is a chain of frames. A frame is *armed* when there is a payload, CE is high and the
//! chip is a powered transmitter, *committed* (and handed to the air) when CE has been high for 10
//! us, and begins 130 us after it was armed. Behind a frame of a chain the next is armed 130 us
//! before the first one ends, so it follows without a gap if CE is still high then.

use super::Settled;
use super::reception::Arriving;
use super::settings::Settings;
use super::{Chip, Outgoing};
use crate::air::Leaving;
use crate::flight::{Departure, FlightId, Outcome};
use crate::lint::Lint;
use crate::register::status;
use crate::timing::{CE_PULSE_NS, LONGEST_SEND_NS, SETTLE_NS};
use kube_proto::bits::Bits;
use kube_proto::frame::{self, Control, STATIC_LENGTH};
use std::collections::VecDeque;

/// What a frame on its way out is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A payload, and the retries left if it is to be acknowledged.
    Data(Outgoing, Option<u8>),
    /// An acknowledgement.
    Answer,
}

/// An unmodulated carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Carrier {
    pub start_ns: u64,
    pub channel: u8,
    pub power_dbm: i16,
}

#[derive(Clone, Copy, Debug)]
struct Armed {
    from_ns: u64,
    commit_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Committed {
    end_ns: u64,
    kind: Kind,
    /// Number of the departure, for the air.
    serial: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Radio {
    /// Time at which the oscillator runs; `None` in power-down.
    ready_ns: Option<u64>,
    /// Time from which the receiver listens; `None` outside receive mode.
    pub listen_ns: Option<u64>,
    armed: Option<Armed>,
    /// When the carrier begins, or began.
    carrier_ns: Option<u64>,
    chain: VecDeque<Committed>,
    /// When the chain began: its first bit.
    chain_since_ns: u64,
    pid: u8,
    /// RPD as latched by the last frame or by CE going low.
    pub signal: bool,
    pub last_sent: Option<Outgoing>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Sent,
    ArrivalEnds(FlightId),
    GivenUp,
    Ready,
    Commit,
    Retry,
    ArrivalBegins(FlightId),
}

impl Radio {
    pub fn is_sending(&self) -> bool {
        !self.chain.is_empty()
    }

    /// An acknowledgement is on its way out.
    pub fn is_answering(&self) -> bool {
        self.chain.iter().any(|frame| matches!(frame.kind, Kind::Answer))
    }

    /// In receive or transmit mode, or settling for it.
    pub fn is_active(&self) -> bool {
        let carrier = self.carrier_ns.is_some();
        self.is_sending() || self.armed.is_some() || self.listen_ns.is_some() || carrier
    }

    /// The last frame of the chain is to be acknowledged, so none follows it at once.
    fn expects_answer(&self) -> bool {
        self.chain.back().is_some_and(|frame| matches!(frame.kind, Kind::Data(_, Some(_))))
    }

    pub fn set_power(&mut self, up: bool, ready_ns: u64) {
        if up != self.ready_ns.is_some() {
            self.ready_ns = up.then_some(ready_ns);
        }
    }
}

impl Chip {
    pub(super) fn settings(&self) -> Settings<'_> {
        Settings(&self.cells, self.config.variant)
    }

    /// Lets time pass up to `now_ns`.
    pub(crate) fn advance(&mut self, now_ns: u64) {
        while let Some((at_ns, event)) = self.next_event().filter(|&(at_ns, _)| at_ns <= now_ns) {
            self.now_ns = self.now_ns.max(at_ns);
            match event {
                Event::Sent => self.frame_sent(),
                Event::ArrivalEnds(id) => self.arrival_ends(id),
                Event::Ready => {}
                Event::Commit => self.commit(),
                Event::GivenUp => self.give_up(),
                Event::Retry => self.retry(),
                Event::ArrivalBegins(id) => self.arrival_begins(id),
            }
            self.update();
        }
        self.now_ns = self.now_ns.max(now_ns);
    }

    /// When something next happens by itself.
    pub(crate) fn due_ns(&self) -> Option<u64> {
        self.next_event().map(|(at_ns, _)| at_ns)
    }

    /// The next thing that happens by itself. At one moment, what ends comes before what begins.
    fn next_event(&self) -> Option<(u64, Event)> {
        let radio = &self.radio;
        let sent = radio.chain.front().map(|frame| (frame.end_ns, Event::Sent));
        let commit = radio.armed.map(|armed| (armed.commit_ns, Event::Commit));
        let ready = radio.ready_ns.filter(|&at| at > self.now_ns).map(|at| (at, Event::Ready));
        let retry = self.retry_decided_ns().map(|at| (at, Event::Retry));
        let given_up = self.given_up_ns().map(|at| (at, Event::GivenUp));
        let own = [sent, commit, ready, retry, given_up];
        let arrivals = self.arrivals.iter().map(|arrival| match arrival.state {
            Arriving::Coming => (arrival.flight.start_ns, Event::ArrivalBegins(arrival.flight.id)),
            _ => (arrival.flight.end_ns, Event::ArrivalEnds(arrival.flight.id)),
        });
        own.into_iter().flatten().chain(arrivals).min()
    }

    /// Compares what pins and registers ask for with what the radio does.
    pub(super) fn update(&mut self) {
        let set = self.settings();
        let (powered, receiver, carrier) = (set.powered(), set.receiver(), set.carrier());
        if !powered {
            self.radio.set_power(false, 0);
            self.aborted.extend(self.radio.chain.drain(..).map(|frame| frame.serial));
            self.shockburst.waiting = None;
            self.tx.iter_mut().for_each(|waiting| waiting.taken = false);
        }
        let ready = self.radio.ready_ns.is_some_and(|ready| ready <= self.now_ns);
        let on = self.ce && ready && !self.radio_dead();
        self.radio.carrier_ns = if on && !receiver && carrier && !self.radio.is_sending() {
            self.radio.carrier_ns.or(Some(self.now_ns + SETTLE_NS))
        } else {
            None
        };
        let answer_due = self.shockburst.waiting.is_some();
        let listen = !self.radio.is_sending() && (answer_due || on && receiver);
        if listen && self.radio.listen_ns.is_none() {
            self.radio.listen_ns = Some(self.now_ns + SETTLE_NS);
            self.radio.signal = false;
        } else if !listen && self.radio.listen_ns.is_some() {
            self.radio.signal = self.signal_seen();
            self.radio.listen_ns = None;
            self.unlock(self.deaf_because());
        }
        let free = !answer_due
            && !carrier
            && !self.radio.expects_answer()
            && !self.shockburst.locked_up(self.config.variant)
            && self.flags & status::MAX_RT == 0;
        let send = on && !receiver && free && self.next_payload().is_some();
        if send && self.radio.armed.is_none() {
            let chain_ends = self.radio.chain.back().map_or(0, |frame| frame.end_ns);
            let from_ns = self.now_ns.max(chain_ends.saturating_sub(SETTLE_NS));
            let commit_ns = from_ns.max(self.ce_rose_ns + CE_PULSE_NS);
            self.radio.armed = Some(Armed { from_ns, commit_ns });
        } else if !send && self.radio.armed.take().is_some() {
            let first = !self.radio.is_sending();
            if first && powered && !self.ce {
                self.lints.add(Lint::ShortPulse);
            }
        }
    }

    /// The payload that the next frame takes.
    fn next_payload(&self) -> Option<Outgoing> {
        if self.reuse {
            return self.tx.front().copied();
        }
        self.tx.iter().find(|waiting| !waiting.taken).copied()
    }

    /// The pulse on CE was long enough: the frame will go.
    fn commit(&mut self) {
        let (Some(armed), Some(mut payload)) = (self.radio.armed.take(), self.next_payload())
        else {
            return;
        };
        let next_pid = (self.radio.pid + 1) & 3;
        let pid = *payload.pid.get_or_insert(next_pid);
        self.radio.pid = pid;
        payload.taken = true;
        for waiting in self.tx.iter_mut().filter(|waiting| waiting.serial == payload.serial) {
            *waiting = payload;
        }
        self.shockburst.retries = 0;
        let retries = self.retries_for(&payload);
        let bits = self.frame_bits(&payload);
        self.depart(armed.from_ns + SETTLE_NS, bits, Kind::Data(payload, retries));
    }

    /// Hands a frame to the air; from here on nothing but power-down keeps it from going.
    pub(super) fn depart(&mut self, start_ns: u64, bits: Bits, kind: Kind) {
        let set = self.settings();
        let (rate, channel, power_dbm) = (set.rate(), set.channel(), set.power_dbm());
        let departure = Departure { start_ns, channel, rate, power_dbm, bits };
        let acknowledgement = matches!(kind, Kind::Answer);
        let end_ns = departure.end_ns();
        if self.radio.chain.back().is_none_or(|before| before.end_ns < start_ns) {
            self.radio.chain_since_ns = start_ns;
        }
        if end_ns.saturating_sub(self.radio.chain_since_ns) > LONGEST_SEND_NS {
            self.lints.add(Lint::LongSend);
        }
        let serial = self.serial();
        self.radio.chain.push_back(Committed { end_ns, kind, serial });
        self.outbox.push(Leaving { serial: Some(serial), acknowledgement, departure });
    }

    /// The frame as the transmitter builds it; pipe 0's settings decide its form.
    pub(super) fn frame_bits(&self, payload: &Outgoing) -> Bits {
        let (set, bytes) = (self.settings(), payload.payload.as_slice());
        let control = set.control(0).then(|| Control {
            length: if set.dynamic(0) { bytes.len() as u8 } else { STATIC_LENGTH },
            pid: payload.pid.unwrap_or(0),
            no_ack: payload.no_ack ^ set.inverts_no_ack(0),
        });
        // At most 32 bytes by construction.
        frame::encode(&set.target(), control, bytes, set.crc()).unwrap_or_default()
    }

    fn frame_sent(&mut self) {
        let Some(frame) = self.radio.chain.pop_front() else { return };
        match frame.kind {
            // `update` ends this at once if the receiver is off by now.
            Kind::Answer => {
                self.radio.listen_ns = Some(self.now_ns + self.config.timing.turn_back_ns)
            }
            Kind::Data(payload, None) => self.sent(&payload),
            Kind::Data(payload, Some(left)) => self.wait_for_answer(payload, left),
        }
    }

    /// A payload has done its duty.
    pub(super) fn sent(&mut self, payload: &Outgoing) {
        self.raise(status::TX_DS);
        self.radio.last_sent = Some(*payload);
        let top = self.tx.front().is_some_and(|top| top.serial == payload.serial);
        if top && !self.reuse {
            self.tx.pop();
        }
    }

    /// A payload has failed and stays in its place, for another try with the same identity.
    pub(super) fn put_back(&mut self, serial: u64) {
        for waiting in self.tx.iter_mut().filter(|waiting| waiting.serial == serial) {
            waiting.taken = false;
        }
    }

    /// CE went low, and the chip is one that then drops an acknowledgement.
    pub(super) fn abort_answer(&mut self) {
        if let Some(at) = self.radio.chain.iter().position(|f| matches!(f.kind, Kind::Answer))
            && let Some(frame) = self.radio.chain.remove(at)
        {
            self.aborted.push(frame.serial);
        }
    }

    /// The carrier on its way out, or that will be.
    pub(crate) fn carrier(&self) -> Option<Carrier> {
        let set = self.settings();
        let (channel, power_dbm) = (set.channel(), set.power_dbm());
        self.radio.carrier_ns.map(|start_ns| Carrier { start_ns, channel, power_dbm })
    }

    /// Why the receiver does not listen now.
    pub(super) fn deaf_because(&self) -> Outcome {
        let set = self.settings();
        if !set.powered() {
            Outcome::PoweredDown
        } else if self.radio_dead() || self.radio.ready_ns.is_none_or(|at| at > self.now_ns) {
            Outcome::StartingUp
        } else if self.radio.is_sending()
            || self.radio.armed.is_some()
            || self.radio.carrier_ns.is_some()
            || self.shockburst.waiting.is_some()
        {
            Outcome::Transmitting
        } else if !self.ce {
            Outcome::CeLow
        } else if set.receiver() {
            Outcome::Settling
        } else {
            Outcome::Standby
        }
    }

    pub(super) fn next_sent_ns(&self) -> Option<u64> {
        let frame = self.radio.chain.front().map(|frame| frame.end_ns);
        let armed = self.radio.armed.map(|armed| armed.from_ns + SETTLE_NS);
        let starting = self.radio.ready_ns.filter(|&ready| ready > self.now_ns && self.ce);
        let starting = starting.map(|ready| ready + SETTLE_NS);
        let due = self.shockburst.waiting.and_then(|_| self.next_heard_ns());
        let tries = [self.retry_decided_ns(), self.given_up_ns(), due];
        tries.into_iter().chain([frame, armed, starting]).flatten().min()
    }

    /// Frames committed since the last call, with their serial numbers.
    pub(crate) fn take_departures(&mut self) -> Vec<Leaving> {
        std::mem::take(&mut self.outbox)
    }

    /// What became of announced frames since the last call.
    pub(crate) fn take_settled(&mut self) -> Vec<Settled> {
        std::mem::take(&mut self.settled)
    }

    /// Serial numbers of frames that were cut short since the last call.
    pub(crate) fn take_aborted(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.aborted)
    }
}
