//! Frames on their way to one receiver (a chip or a listener), and the rule what happens when they
//! overlap there.

use crate::flight::{Flight, FlightId};
use std::sync::Arc;

/// A frame at one receiver. `S` is what the receiver notes about it.
#[derive(Clone, Debug)]
pub(crate) struct Arrival<S> {
    pub flight: Arc<Flight>,
    /// The link loses it. It is on the air all the same and disturbs others.
    pub lost: bool,
    /// Frames that share time with it here.
    pub others: Vec<Arc<Flight>>,
    /// Frames that are received as one with it.
    pub twins: Vec<FlightId>,
    pub state: S,
}

impl<S> Arrival<S> {
    pub fn verdict(&self) -> Verdict {
        judge(&self.flight, &self.others)
    }
}

/// What a receiver locked on a frame gets of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Whole,
    Collision,
}

/// The rule for overlapping frames that are not twins, in one place so that capture by the stronger
/// signal can follow: today any other frame on the
/// channel, at whatever rate and level, spoils the wanted one (and is spoilt by it).
pub(crate) fn judge(wanted: &Flight, others: &[Arc<Flight>]) -> Verdict {
    if others.iter().any(|other| other.channel == wanted.channel && other.overlaps(wanted)) {
        Verdict::Collision
    } else {
        Verdict::Whole
    }
}

/// All frames that are announced and not over.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals<S> {
    list: Vec<Arrival<S>>,
}

impl<S> Arrivals<S> {
    pub fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Takes a frame that has not begun. With `merge`, identical frames at the same moment do not
    /// disturb each other; whether real chips bear that is not known.
    pub fn announce(&mut self, flight: Arc<Flight>, lost: bool, merge: bool, state: S) {
        let (mut others, mut twins) = (Vec::new(), Vec::new());
        for known in self.list.iter_mut().filter(|known| known.flight.overlaps(&flight)) {
            if merge && known.flight.is_twin(&flight) {
                known.twins.push(flight.id);
                twins.push(known.flight.id);
            } else {
                known.others.push(Arc::clone(&flight));
                others.push(Arc::clone(&known.flight));
            }
        }
        self.list.push(Arrival { flight, lost, others, twins, state });
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
