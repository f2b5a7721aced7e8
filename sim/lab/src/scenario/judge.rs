//! Steps and rules of a plan, judged from frames and from when steps begin and end: the same while
//! machines run and from a recording.

use kube_sniff::decoder::Heard;
use kube_sniff::expect::{Comparison, Condition, Finding, FrameNumber, Judge, Rule, Subject};
use kube_sniff::expect::{Verdict, When};
use serde::Serialize;

use super::{Measure, Plan, Time};

/// How a rule came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
    /// The rule.
    pub text: String,
    /// Why it does not hold, and by which frames; `None` if it holds.
    pub broken: Option<(String, Vec<FrameNumber>)>,
    /// Fewest and most of what it counts.
    pub range: Option<(u64, u64)>,
}

/// How a step came out. Times in nanoseconds from the beginning of the lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// Its beginning.
    pub begin_ns: u64,
    /// Its end.
    pub end_ns: u64,
    /// Frames heard before it, those that nobody could hear included.
    pub first_frame: usize,
    /// When its conditions held.
    pub reached_ns: Option<u64>,
    /// Its rules, in order.
    pub rules: Vec<Ruled>,
    /// Its figures, in order.
    pub figures: Vec<(String, u64)>,
    /// Why it failed by itself: what was awaited did not come, or too early.
    pub failed: Option<(String, Vec<FrameNumber>)>,
}

impl StepRecord {
    /// Whether all of it is as it should be.
    #[must_use]
    pub fn held(&self) -> bool {
        self.failed.is_none() && self.rules.iter().all(|rule| rule.broken.is_none())
    }
}

/// Judges a plan as it goes on.
pub struct Referee<'a> {
    plan: &'a Plan,
    whole: Judge,
    step: Option<Open>,
    frames: usize,
    now_ns: u64,
    /// The steps that are over.
    pub steps: Vec<StepRecord>,
}

/// The step that is on. Its judge has the step's rules, then its conditions, then its figures.
struct Open {
    index: usize,
    judge: Judge,
    begin_ns: u64,
    first_frame: usize,
    reached_ns: Option<u64>,
}

/// A count that always holds: it only keeps account.
fn counter(subject: &Subject) -> Rule {
    let (subject, comparison, bound) = (subject.clone(), Comparison::AtLeast, 0);
    Rule::Amount { condition: Condition { subject, comparison, bound }, when: When::End }
}

impl<'a> Referee<'a> {
    /// At the beginning of a run.
    #[must_use]
    pub fn new(plan: &'a Plan) -> Self {
        let rules = plan.expect.iter().map(|expect| (expect.text.clone(), expect.rule.clone()));
        let mut whole = Judge::new(rules);
        whole.pass(0);
        Self { plan, whole, step: None, frames: 0, now_ns: 0, steps: Vec::new() }
    }

    /// The next step begins.
    pub fn begin(&mut self, now_ns: u64) {
        self.pass(now_ns);
        let index = self.steps.len();
        let Some(step) = self.plan.steps.get(index) else { return };
        let rules = step.expect.iter().map(|expect| (expect.text.clone(), expect.rule.clone()));
        let conditions = match &step.time {
            Time::Until { conditions, .. } => conditions.as_slice(),
            _ => &[],
        };
        let conditions =
            conditions.iter().map(|(text, condition)| (text.clone(), counter(&condition.subject)));
        let measures = step.measures.iter().map(|(name, measure)| {
            let subject = match measure {
                Measure::Time => &Subject::Nodes,
                Measure::Least(subject) | Measure::Most(subject) | Measure::End(subject) => subject,
            };
            (name.clone(), counter(subject))
        });
        let all: Vec<_> = rules.chain(conditions).chain(measures).collect();
        let judge = self.whole.go_on(all);
        let (begin_ns, first_frame) = (now_ns, self.frames);
        self.step = Some(Open { index, judge, begin_ns, first_frame, reached_ns: None });
        self.reach(now_ns);
    }

    /// Takes a frame in.
    pub fn hear(&mut self, heard: &Heard) {
        self.frames += 1;
        self.whole.hear(heard);
        if let Some(open) = &mut self.step {
            open.judge.hear(heard);
        }
        self.reach(heard.at_ns);
    }

    /// Time has come so far.
    pub fn pass(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
        self.whole.pass(now_ns);
        if let Some(open) = &mut self.step {
            open.judge.pass(now_ns);
        }
        self.reach(now_ns);
    }

    /// What the step awaits has come.
    #[must_use]
    pub fn reached(&self) -> bool {
        self.step.as_ref().is_some_and(|open| open.reached_ns.is_some())
    }

    fn reach(&mut self, now_ns: u64) {
        let Some(open) = &mut self.step else { return };
        let step = &self.plan.steps[open.index];
        let Time::Until { conditions, .. } = &step.time else { return };
        let findings = &open.judge.findings()[step.expect.len()..];
        let mut pairs = conditions.iter().zip(findings);
        if open.reached_ns.is_none()
            && pairs.all(|((_, condition), finding)| condition.holds(finding.amount()))
        {
            open.reached_ns = Some(now_ns.max(open.begin_ns));
        }
    }

    /// The step is over; `trouble` says what could not be done in it.
    pub fn end(&mut self, now_ns: u64, trouble: Option<String>) {
        self.pass(now_ns);
        let Some(mut open) = self.step.take() else { return };
        let step = &self.plan.steps[open.index];
        open.judge.finish();
        let took_ns = open.reached_ns.unwrap_or(now_ns) - open.begin_ns;
        let (rules, rest) = open.judge.findings().split_at(step.expect.len());
        let conditions = rest.len() - step.measures.len();
        let (awaited, counters) = rest.split_at(conditions);
        let failed = match &step.time {
            _ if trouble.is_some() => trouble.map(|trouble| (trouble, Vec::new())),
            Time::Until { least_ns, .. } if open.reached_ns.is_some() && took_ns < *least_ns => {
                let (took, least) = (seconds(took_ns), seconds(*least_ns));
                let frames = awaited.iter().flat_map(|finding| open.judge.evidence(finding));
                Some((format!("it was there after {took}, before {least}"), frames.collect()))
            }
            Time::Until { conditions, most_ns, .. } if open.reached_ns.is_none() => {
                let missing: Vec<_> = conditions
                    .iter()
                    .zip(awaited)
                    .filter(|((_, condition), finding)| !condition.holds(finding.amount()))
                    .collect();
                let text = |((text, _), finding): &(&(String, Condition), &Finding)| {
                    format!("{text} (there are {})", finding.amount())
                };
                let texts: Vec<_> = missing.iter().map(text).collect();
                let frames =
                    missing.iter().flat_map(|(_, finding)| open.judge.evidence(finding)).collect();
                let limit = seconds(*most_ns);
                Some((format!("not within {limit}: {}", texts.join(", ")), frames))
            }
            _ => None,
        };
        let mut rules: Vec<_> = rules.iter().map(ruled).collect();
        if let Time::Until { due_ns: Some(due_ns), .. } = step.time
            && let Some(reached_ns) = open.reached_ns
        {
            let frames = awaited.iter().flat_map(|finding| open.judge.evidence(finding)).collect();
            let late = took_ns > due_ns;
            let reason = format!("it was there after {}", seconds(reached_ns - open.begin_ns));
            let (text, range) = (format!("due {}", seconds(due_ns)), None);
            rules.push(Ruled { text, broken: late.then_some((reason, frames)), range });
        }
        let figures = step.measures.iter().zip(counters).map(|((name, measure), finding)| {
            let (least, most) = finding.range().unwrap_or_default();
            let value = match measure {
                Measure::Time => took_ns / 1_000_000,
                Measure::Least(_) => least,
                Measure::Most(_) => most,
                Measure::End(_) => finding.amount(),
            };
            (name.clone(), value)
        });
        self.steps.push(StepRecord {
            begin_ns: open.begin_ns,
            end_ns: now_ns,
            first_frame: open.first_frame,
            reached_ns: open.reached_ns,
            rules,
            figures: figures.collect(),
            failed,
        });
    }

    /// Nothing more comes: how the rules of the whole run came out.
    #[must_use]
    pub fn finish(mut self) -> (Vec<StepRecord>, Vec<Ruled>) {
        self.whole.finish();
        let rules = self.whole.findings().iter().map(ruled).collect();
        (self.steps, rules)
    }
}

fn ruled(finding: &Finding) -> Ruled {
    let broken = match &finding.verdict {
        Verdict::Broken(breach) => Some((breach.reason.clone(), breach.frames.clone())),
        Verdict::Open | Verdict::Held => None,
    };
    Ruled { text: finding.text.clone(), broken, range: finding.range() }
}

/// A time for people.
#[must_use]
pub fn seconds(ns: u64) -> String {
    format!("{}.{:03} s", ns / 1_000_000_000, ns / 1_000_000 % 1_000)
}

/// What a recording says of a step, beside the frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Mark {
    /// Its place among the steps.
    pub step: usize,
    /// Its beginning, in nanoseconds.
    pub begin_ns: u64,
    /// Its end.
    pub end_ns: u64,
    /// Frames before it.
    pub first_frame: usize,
    /// What could not be done in it.
    pub trouble: Option<String>,
}
