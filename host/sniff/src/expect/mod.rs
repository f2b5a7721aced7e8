//! Rules about what must be heard, for tests on the air.
//!
//! ```text
//! heartbeat node1 every 1s±20%     each comes 0.8 s to 1.2 s after the one before; also +-20%
//! heartbeat every 1s+20%           of each node: none later than 1.2 s, earlier ones may be
//! assignment node1 within 5s       one is heard by then
//! spec >= 4 within 10s             so many are heard by then
//! frames plane < 100               when it is over
//! nodes >= 2 within 10s            nodes that send heartbeats
//! pods >= 4 after 20s              pods in the latest heartbeats, at every moment from then on
//! pods Ticker2 = 4 within 90s      of that image (names of deployments are not on the air)
//! pods on node1 = 2 always         of that node, at every moment
//! agree within 5s                  each node reports what it is assigned, no pod twice
//! spread <= 1                      most pods of a node less fewest
//! missing no-module = 2            assigned and not reported, for that reason (or for any)
//! silent node2 within 6s           no heartbeat for 5 s; without a node, how many are
//! changed assignment = 0           lists that differ from the one before to the same node
//! unheard assignment >= 5          sent, and nobody could hear it; only a lab knows
//! no bad                           no message with a signature that does not fit
//! no query node1 after 10s         none from then on
//! ```
//!
//! Times count from the first moment that the source tells. A rule speaks of a kind of frame, or of
//! `frames`, and of a node if it names one: frames from it or about it. What is repeated or
//! replayed does not count. `no` also knows the states of frames and `lost`, `late`, `replayed`,
//! `repeated`.

mod judge;
mod parse;

pub use judge::{Breach, Finding, FrameNumber, Judge, Verdict};
pub use parse::{RuleError, condition, parse, subject};

use crate::decoder::State;

/// What a rule counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Frames of a kind, or all.
    Frames {
        /// The kind.
        kind: Option<String>,
        /// From or about that node.
        node: Option<String>,
        /// Of those that nobody could hear.
        unheard: bool,
    },
    /// Lists that differ from the one before of the same node.
    Changed {
        /// `heartbeat` or `assignment`.
        kind: String,
        /// Of that node.
        node: Option<String>,
        /// Of those that nobody could hear.
        unheard: bool,
    },
    /// Pods in the latest heartbeats of live nodes.
    Pods {
        /// Of that image.
        image: Option<String>,
        /// On that node.
        node: Option<String>,
    },
    /// Pods assigned to live nodes that they do not report.
    Missing {
        /// For that reason.
        reason: Option<String>,
    },
    /// Nodes that send heartbeats.
    Nodes,
    /// Nodes that have fallen silent, or whether that one is.
    Silent {
        /// The node.
        node: Option<String>,
    },
    /// Whether each live node reports what it is assigned, no pod twice.
    Agree,
    /// Most pods of a live node less fewest.
    Spread,
}

impl Subject {
    /// The node that it names.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Frames { node, .. }
            | Self::Changed { node, .. }
            | Self::Pods { node, .. }
            | Self::Silent { node } => node.as_deref(),
            Self::Missing { .. } | Self::Nodes | Self::Agree | Self::Spread => None,
        }
    }

    /// Whether it is about what nobody could hear.
    #[must_use]
    pub fn unheard(&self) -> bool {
        matches!(self, Self::Frames { unheard: true, .. } | Self::Changed { unheard: true, .. })
    }
}

/// Something that holds or not at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is counted.
    pub subject: Subject,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what.
    pub bound: u64,
}

/// What must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwanted {
    /// A frame of a kind.
    Kind(String),
    /// A frame in a state.
    State(State),
    /// A counter that was skipped.
    Lost,
    /// A heartbeat more than [`crate::statistics::LATE_NS`] after the one before.
    Late,
    /// An old counter.
    Replayed,
    /// A frame sent again by the chip.
    Repeated,
}

/// How a count is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    More,
}

impl Comparison {
    /// Whether it holds.
    #[must_use]
    pub fn holds(self, count: u64, bound: u64) -> bool {
        match self {
            Comparison::Less => count < bound,
            Comparison::AtMost => count <= bound,
            Comparison::Equal => count == bound,
            Comparison::AtLeast => count >= bound,
            Comparison::More => count > bound,
        }
    }
}

/// When something must hold. Times in nanoseconds from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At the end.
    End,
    /// At some moment up to then.
    Within(u64),
    /// At every moment from then on.
    After(u64),
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Something keeps time.
    Cadence {
        /// The kind of frame.
        kind: String,
        /// The node; without one each by itself.
        node: Option<String>,
        /// Shortest time between two.
        least_ns: u64,
        /// Longest.
        most_ns: u64,
        /// What is before does not count.
        after_ns: u64,
    },
    /// Something does not occur.
    Never {
        /// What.
        what: Unwanted,
        /// From or about that node.
        node: Option<String>,
        /// What is before does not count.
        after_ns: u64,
    },
    /// A count.
    Amount {
        /// What must hold.
        condition: Condition,
        /// When.
        when: When,
    },
}

impl Rule {
    /// The node that it names.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Cadence { node, .. } | Self::Never { node, .. } => node.as_deref(),
            Self::Amount { condition, .. } => condition.subject.node(),
        }
    }

    /// The latest moment that it names, from the beginning, in nanoseconds.
    #[must_use]
    pub fn latest_ns(&self) -> u64 {
        match self {
            Self::Cadence { after_ns, most_ns, .. } => after_ns + most_ns,
            Self::Never { after_ns, .. } => *after_ns,
            Self::Amount { when: When::Within(ns) | When::After(ns), .. } => *ns,
            Self::Amount { when: When::End, .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests;
