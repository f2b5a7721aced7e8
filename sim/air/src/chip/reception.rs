//! The receiver: which frame it locks on, what it makes of it, and what RPD shows.

use super::settings::PIPES;
use super::{Chip, Settled};
use crate::arrivals::{Arrival, Contention, Path};
use crate::flight::{Flight, FlightId, Outcome};
use crate::log::Reception;
use crate::timing::SETTLE_NS;
use kube_proto::bits::Bits;
use kube_proto::frame;
use std::sync::Arc;

/// Weakest signal that RPD shows, in hundredths of a dBm.
const RPD_CDBM: i32 = -6_400;

/// What the receiver makes of a frame on its way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arriving {
    /// Not begun.
    Coming,
    /// Being received by this pipe.
    Locked(u8),
    /// Received as one with that frame, by this pipe.
    Joined(FlightId, u8),
    /// Not received, with the reason.
    Missed(Outcome),
}

impl Chip {
    pub(super) fn arrival_begins(&mut self, id: FlightId) {
        let Some(arrival) = self.arrivals.get(id) else { return };
        let mut state = match self.pipe_for(arrival) {
            Ok(pipe) => Arriving::Locked(pipe),
            Err(because) => Arriving::Missed(because),
        };
        if let Arriving::Locked(pipe) = state {
            let locked = |state: &Arriving| matches!(state, Arriving::Locked(_));
            match self.arrivals.contend(arrival, locked) {
                Contention::Free => {}
                Contention::Twin(first) => state = Arriving::Joined(first, pipe),
                Contention::Busy => state = Arriving::Missed(Outcome::Collision),
                Contention::Steals(weaker) => {
                    if let Some(weaker) = self.arrivals.get_mut(weaker) {
                        weaker.state = Arriving::Missed(Outcome::Collision);
                    }
                    self.release(weaker, Some(Outcome::Collision));
                }
            }
        }
        if let Some(arrival) = self.arrivals.get_mut(id) {
            arrival.state = state;
        }
    }

    /// The pipe that would take this frame, if the receiver is ready for it at its first bit.
    fn pipe_for(&self, arrival: &Arrival<Arriving>) -> Result<u8, Outcome> {
        let (set, flight) = (self.settings(), &arrival.flight);
        if self.radio.listen_ns.is_none_or(|from| from > self.now_ns) {
            return Err(self.deaf_because());
        }
        if set.channel() != flight.channel {
            return Err(Outcome::WrongChannel);
        }
        if set.rate() != flight.rate {
            return Err(Outcome::WrongRate);
        }
        // Who waits for an acknowledgement listens with pipe 0 alone.
        let pipes = if self.shockburst.waiting.is_some() { 1 } else { PIPES };
        let pipe_of = |bits: &Bits| {
            (0..pipes).find(|&pipe| {
                set.pipe(pipe).is_some_and(|(address, _)| {
                    let sent = (0usize..).map(|at| bits.read(8 + at * 8, 8) as u8);
                    address.on_air().zip(sent).all(|(wanted, sent)| wanted == sent)
                })
            })
        };
        let sent = pipe_of(&flight.bits).ok_or(Outcome::WrongAddress)?;
        if arrival.path.too_weak {
            return Err(Outcome::TooWeak);
        }
        if arrival.path.errors.is_empty() {
            return Ok(sent);
        }
        let mut bits = flight.bits;
        arrival.path.errors.iter().for_each(|&at| bits.flip(usize::from(at)));
        pipe_of(&bits).ok_or(Outcome::Garbled)
    }

    /// Reception of what is on the air breaks off.
    pub(super) fn unlock(&mut self, because: Outcome) {
        for arrival in self.arrivals.iter_mut() {
            if matches!(arrival.state, Arriving::Locked(_) | Arriving::Joined(..)) {
                arrival.state = Arriving::Missed(because);
            }
        }
    }

    /// Channel or rate changed: a receiver that is on settles again.
    pub(super) fn retune(&mut self) {
        if let Some(listen_ns) = &mut self.radio.listen_ns {
            *listen_ns = self.now_ns + SETTLE_NS;
            self.unlock(Outcome::Retuned);
        }
    }

    pub(super) fn arrival_ends(&mut self, id: FlightId) {
        // RPD latches with the end of a valid packet, which is still on the air at that instant.
        let signal = self.signal_present();
        let Some(arrival) = self.arrivals.remove(id) else { return };
        let mut reception = None;
        let outcome = match arrival.state {
            Arriving::Missed(because) => because,
            Arriving::Coming => Outcome::Late,
            Arriving::Joined(_, pipe) | Arriving::Locked(pipe) => {
                let bits = arrival.bits();
                reception = Some(Reception { level_dbm: arrival.level_dbm(), bits });
                self.receive(&arrival, &bits, pipe, signal)
            }
        };
        self.release(id, outcome.received().then_some(Outcome::Merged));
        self.settled.push(Settled { id, outcome, reception });
    }

    /// Frames joined to one that is over: missed, or one of them takes its place.
    fn release(&mut self, first: FlightId, missed: Option<Outcome>) {
        let mut heir = None;
        for arrival in self.arrivals.iter_mut() {
            let Arriving::Joined(joined, pipe) = arrival.state else { continue };
            if joined != first {
                continue;
            }
            arrival.state = match (missed, heir) {
                (Some(because), _) => Arriving::Missed(because),
                (None, Some(heir)) => Arriving::Joined(heir, pipe),
                (None, None) => {
                    heir = Some(arrival.flight.id);
                    Arriving::Locked(pipe)
                }
            };
        }
    }

    fn receive(
        &mut self,
        arrival: &Arrival<Arriving>,
        bits: &Bits,
        pipe: u8,
        signal: bool,
    ) -> Outcome {
        if !arrival.captures() {
            return Outcome::Collision;
        }
        if let Some(lost) = arrival.path.lost {
            return lost;
        }
        if self.shockburst.waiting.is_some() {
            return self.answered(bits);
        }
        let Some((address, format)) = self.settings().pipe(pipe) else { return Outcome::Retuned };
        let decoded = frame::decode(bits, &format).ok();
        let Some(decoded) = decoded.filter(|decoded| decoded.crc_ok) else { return Outcome::Crc };
        self.radio.signal |= signal;
        match decoded.control.filter(|_| self.settings().auto_ack(pipe)) {
            Some(control) => self.take_and_answer(&decoded, control, &address, pipe),
            None if self.store(&decoded, pipe).is_err() => Outcome::FifoFull,
            None => Outcome::Delivered,
        }
    }

    /// RPD: the latched value, and in receive mode also a signal now.
    pub(super) fn signal_seen(&self) -> bool {
        self.radio.signal || self.signal_present()
    }

    /// The receiver has listened long enough, and all that time there was enough power on its
    /// channel, of whatever kind.
    fn signal_present(&self) -> bool {
        let long_ns = self.config.variant.detection_ns();
        let Some(since_ns) = self.now_ns.checked_sub(long_ns) else { return false };
        self.radio.listen_ns.is_some_and(|from| from <= since_ns)
            && self
                .arrivals
                .power_cdbm(self.settings().channel(), since_ns, self.now_ns)
                .is_some_and(|power| power >= RPD_CDBM)
    }

    pub(super) fn next_heard_ns(&self) -> Option<u64> {
        let hopeful = |a: &&Arrival<Arriving>| !matches!(a.state, Arriving::Missed(_));
        self.arrivals.iter().filter(hopeful).map(|arrival| arrival.flight.end_ns).min()
    }

    /// Learns of a frame that will begin. False if it has begun already for this chip: the steps
    /// were too far apart, and the chip does not hear it.
    pub(crate) fn announce(&mut self, flight: Arc<Flight>, path: Path) -> bool {
        let in_time = flight.start_ns >= self.now_ns;
        let state = if in_time { Arriving::Coming } else { Arriving::Missed(Outcome::Late) };
        self.arrivals.announce(self.now_ns, flight, path, state);
        in_time
    }

    /// A frame is taken off the air; the reason it is not received, if it was not settled.
    pub(crate) fn revoke(&mut self, id: FlightId, because: Outcome) -> Option<Outcome> {
        let arrival = self.arrivals.remove(id)?;
        self.release(id, None);
        Some(match arrival.state {
            Arriving::Missed(earlier) => earlier,
            _ => because,
        })
    }
}
