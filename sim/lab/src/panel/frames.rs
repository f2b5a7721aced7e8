//! Frames as they passed: what they said, whether they are to be believed, and who missed them.

use std::collections::VecDeque;

use kube_air::{FlightId, Outcome, Record, Sighting};
use kube_proto::replay::Verdict;
use kube_sniff::decoder::{Heard, State};
use kube_sniff::line;

/// Frames that are kept.
pub const FRAMES: usize = 2_000;

/// What a listener says of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A message of the cluster with a fitting signature, and news.
    Good,
    /// A recording, or the same frame again.
    Replayed,
    /// A message of the cluster whose signature does not fit.
    BadSignature,
    /// A message of another cluster.
    Foreign,
    /// It was sent at the same time as another.
    Collided,
    /// Nobody could hear it: the air is off, or its sender is cut off.
    Unheard,
    /// Not a whole frame, or not a message that can be judged.
    Other(State),
}

impl Mark {
    /// Of a frame as a tap got it, and as it was decoded.
    #[must_use]
    pub fn of(outcome: Outcome, heard: &Heard) -> Self {
        match (outcome, heard.state) {
            (Outcome::AirOff | Outcome::CutOff, _) => Self::Unheard,
            (Outcome::Collision, _) => Self::Collided,
            (_, State::Bad) => Self::BadSignature,
            (_, State::Foreign) => Self::Foreign,
            _ if heard.repeated || heard.window == Some(Verdict::Replayed) => Self::Replayed,
            (_, State::Good) => Self::Good,
            (_, state) => Self::Other(state),
        }
    }

    /// In a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Replayed => "replayed",
            Self::BadSignature => "bad signature",
            Self::Foreign => "foreign",
            Self::Collided => "collided",
            Self::Unheard => "unheard",
            Self::Other(state) => state.word(),
        }
    }
}

/// A frame.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Its number on the air.
    pub flight: FlightId,
    /// Its first bit.
    pub at_ns: u64,
    /// Its sender, as far as it is known.
    pub from: String,
    /// Its kind.
    pub kind: &'static str,
    /// What it says.
    pub text: String,
    /// What a listener says of it.
    pub mark: Mark,
    /// Machines that should have got it and did not, with the reason.
    pub missed: Vec<(String, &'static str)>,
}

impl Passed {
    /// A frame as a tap got it. A name in it is believed only if somebody vouches for it: else the
    /// station that sent it tells who it was.
    #[must_use]
    pub fn new(sighting: &Sighting, heard: &Heard) -> Self {
        Self {
            flight: sighting.flight.id,
            at_ns: heard.at_ns,
            from: line::sender(heard),
            kind: heard.kind(),
            text: line::values(heard, false).trim_end().to_owned(),
            mark: Mark::of(sighting.outcome, heard),
            missed: Vec::new(),
        }
    }

    /// Its mark, and who missed it: `good, lost at node2`.
    #[must_use]
    pub fn fate(&self) -> String {
        let missed = self.missed.iter().map(|(name, why)| format!(", {why} at {name}"));
        std::iter::once(self.mark.word().to_owned()).chain(missed).collect()
    }
}

/// Why a machine that could have got a frame did not; nothing if it had to be deaf for it.
const fn reason(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Lost | Outcome::Scripted => Some("lost"),
        Outcome::Collision => Some("collided"),
        Outcome::Garbled | Outcome::Crc => Some("damaged"),
        Outcome::FifoFull => Some("no room"),
        Outcome::TooWeak => Some("too weak"),
        Outcome::Transmitting => Some("missed"),
        _ => None,
    }
}

/// The latest frames.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    kept: VecDeque<Passed>,
    /// Receptions that failed, of frames that are good.
    pub lost: u64,
}

impl Frames {
    /// A frame has ended.
    pub fn push(&mut self, passed: Passed) {
        if self.kept.len() >= FRAMES {
            self.kept.pop_front();
        }
        self.kept.push_back(passed);
    }

    /// The latest.
    pub fn last_mut(&mut self) -> Option<&mut Passed> {
        self.kept.back_mut()
    }

    /// Every machine has had the frame, or not. `names` are the machines in the order of stations.
    pub fn settle(&mut self, record: &Record, names: &[String]) {
        let id = record.flight.id;
        let Some(passed) = self.kept.iter_mut().rev().find(|passed| passed.flight == id) else {
            return;
        };
        if passed.mark == Mark::Unheard {
            return;
        }
        for (name, outcome) in names.iter().zip(&record.outcomes) {
            if let Some(why) = reason(*outcome) {
                self.lost += u64::from(passed.mark == Mark::Good);
                passed.missed.push((name.clone(), why));
            }
        }
    }

    /// How many are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether none was sent yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// All that are kept, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Passed> {
        self.kept.iter()
    }

    /// At most `height` frames, the oldest first, of which the last has `scroll` after it.
    pub fn window(&self, height: usize, scroll: usize) -> impl Iterator<Item = &Passed> {
        let end = self.kept.len() - scroll.min(self.kept.len());
        self.kept.range(end.saturating_sub(height)..end)
    }
}
