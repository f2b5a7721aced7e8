//! Scenarios as data: a fleet, what is done to it step by step, and what must be heard. docs/lab.md
//! is for those who write them.
//!
//! | module | holds |
//! |---|---|
//! | [`file`](mod@file) | the text of a scenario, checked before anything starts |
//! | [`suite`] | the scenarios of the project |
//! | [`forgery`] | what an intruder sends |
//! | [`judge`] | steps and rules, judged from frames alone |
//! | [`play`] | a scenario on machines |
//! | [`batch`] | many runs on all cores |
//! | [`record`] | a run on disk, and judging it again |
//! | [`outcome`] | what came of a run, as text and JSON |
//! | [`report`] | the same as a page for a browser |

pub mod batch;
pub mod file;
pub mod forgery;
pub mod judge;
pub mod outcome;
pub mod play;
pub mod record;
pub mod report;
pub mod suite;

use kube_boards::fleet::Fleet;
use kube_sniff::expect::{Condition, Rule, Subject};

use crate::engine::EngineKind;
use forgery::Forgery;

/// A scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Name: the file's, without what follows the point.
    pub name: String,
    /// One line that says what it shows.
    pub title: String,
    /// More about it.
    pub about: String,
    /// What is played, one for each case; at least one.
    pub plans: Vec<Plan>,
}

/// A case of a scenario, ready to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Name of the case; empty if there is only one.
    pub case: String,
    /// The machines.
    pub fleet: Fleet,
    /// What runs them.
    pub engine: EngineKind,
    /// Probability that a receiver loses a frame at the beginning.
    pub loss: f64,
    /// Seeds, at least one.
    pub seeds: Vec<u64>,
    /// What must hold from beginning to end.
    pub expect: Vec<Expectation>,
    /// The steps, at least one.
    pub steps: Vec<Step>,
}

/// A rule with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// As written, values put in.
    pub text: String,
    /// What it means.
    pub rule: Rule,
}

/// One step: something is done, and then time passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Name.
    pub name: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// What is done.
    pub action: Option<Action>,
    /// How long it takes.
    pub time: Time,
    /// What must hold in it.
    pub expect: Vec<Expectation>,
    /// Figures that it gives.
    pub measures: Vec<(String, Measure)>,
}

/// What is done at the beginning of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Machines lose power.
    PowerOff(Vec<String>),
    /// They get it again.
    PowerOn(Vec<String>),
    /// Machines hear nothing, and nobody hears them.
    CutOff(Vec<String>),
    /// The end of that.
    Reconnect(Vec<String>),
    /// The supply of their radios dips.
    BrownOut(Vec<String>),
    /// Nobody hears anything any more, or all do again.
    Air(bool),
    /// So many receptions fail.
    Loss(f64),
    /// A command line is typed on a machine.
    Type {
        /// The machine.
        on: String,
        /// The line.
        line: String,
    },
    /// Somebody else sends.
    Inject {
        /// What.
        forgery: Forgery,
        /// The node that is meant.
        to: String,
        /// How often.
        times: u32,
    },
}

/// How long a step takes. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Time {
    /// As long as what is done.
    None,
    /// So long; between two bounds it is left to chance.
    For {
        /// At least.
        least_ns: u64,
        /// At most.
        most_ns: u64,
    },
    /// Until all conditions hold at one moment.
    Until {
        /// The conditions with their texts.
        conditions: Vec<(String, Condition)>,
        /// Not earlier than that.
        least_ns: u64,
        /// Not later than that.
        most_ns: u64,
        /// Later than that is a fault, but the run goes on.
        due_ns: Option<u64>,
    },
}

/// A figure that a step gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// How long it took, in milliseconds.
    Time,
    /// Fewest of something.
    Least(Subject),
    /// Most of it.
    Most(Subject),
    /// How many there are at the end.
    End(Subject),
}

impl Action {
    /// In words, for people.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::PowerOff(names) => format!("power off {}", names.join(" ")),
            Self::PowerOn(names) => format!("power on {}", names.join(" ")),
            Self::CutOff(names) => format!("cut off {}", names.join(" ")),
            Self::Reconnect(names) => format!("reconnect {}", names.join(" ")),
            Self::BrownOut(names) => format!("brown-out of {}", names.join(" ")),
            Self::Air(true) => "air on".to_owned(),
            Self::Air(false) => "air off".to_owned(),
            Self::Loss(loss) => format!("loss {loss}"),
            Self::Type { on, line } => format!("{on}: {line}"),
            Self::Inject { forgery, to, times } => {
                format!("inject {forgery} to {to}, {times} times")
            }
        }
    }
}

impl Step {
    /// How long it may take at most, in nanoseconds.
    #[must_use]
    pub fn longest_ns(&self) -> u64 {
        let own = match &self.action {
            Some(Action::Inject { times, forgery, .. }) => forgery.longest_ns() * u64::from(*times),
            _ => 0,
        };
        own + match self.time {
            Time::None => 0,
            Time::For { most_ns, .. } | Time::Until { most_ns, .. } => most_ns,
        }
    }
}
