//! What came of a run, as text for people and as one JSON object.

use kube_sniff::decoder::{Heard, State};
use kube_sniff::expect::FrameNumber;
use kube_sniff::line::{LineStyle, Printer};
use serde_json::{Map, Value, json};

use super::judge::{Ruled, seconds};
use super::play::Run;
use super::{Plan, Scenario};
use crate::engine::EngineKind;
use crate::world::AIR;

/// The form of the object.
pub const SCHEMA: &str = "kube-scenario/v1";
/// Its keys; figures of scenarios have other names.
pub const KEYS: [&str; 17] = [
    "schema",
    "scenario",
    "case",
    "engine",
    "seed",
    "machines",
    "verdict",
    "steps",
    "rules",
    "frames",
    "unheard",
    "bad_signatures",
    "machine_ms",
    "instructions",
    "trace_sha256",
    "logs",
    "error",
];

/// A run with what it was a run of.
#[derive(Clone, Copy)]
pub struct Outcome<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The case.
    pub plan: &'a Plan,
    /// The seed.
    pub seed: u64,
    /// What ran the machines.
    pub engine: EngineKind,
    /// What came of it.
    pub run: &'a Run,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The step's place among the steps; `None` for the whole run.
    pub step: Option<usize>,
    /// The rule, or what was awaited.
    pub what: String,
    /// Why.
    pub reason: String,
    /// The frames that contradict it.
    pub frames: Vec<FrameNumber>,
}

impl Outcome<'_> {
    /// Whether all is as it should be.
    #[must_use]
    pub fn held(&self) -> bool {
        self.run.held(self.plan)
    }

    /// Name of scenario, case and seed.
    #[must_use]
    pub fn title(&self) -> String {
        let case = match self.plan.case.as_str() {
            "" => String::new(),
            case => format!(" ({case})"),
        };
        format!("{}{case} seed {}", self.scenario.name, self.seed)
    }

    /// The figures of all steps.
    pub fn figures(&self) -> impl Iterator<Item = (&str, u64)> {
        let figures = self.run.steps.iter().flat_map(|step| &step.figures);
        figures.map(|(name, value)| (name.as_str(), *value))
    }

    /// All that is not as it should be, in order.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let of = |step: Option<usize>, rule: &Ruled| {
            let (reason, frames) = rule.broken.clone()?;
            Some(Fault { step, what: rule.text.clone(), reason, frames })
        };
        let mut faults = Vec::new();
        for (at, step) in self.run.steps.iter().enumerate() {
            if let Some((reason, frames)) = step.failed.clone() {
                let what = self.plan.steps[at].name.clone();
                faults.push(Fault { step: Some(at), what, reason, frames });
            }
            faults.extend(step.rules.iter().filter_map(|rule| of(Some(at), rule)));
        }
        faults.extend(self.run.rules.iter().filter_map(|rule| of(None, rule)));
        faults
    }

    /// A frame by its number.
    #[must_use]
    pub fn frame(&self, number: FrameNumber) -> Option<&Heard> {
        self.run.heard.iter().find(|heard| FrameNumber::of(heard) == number)
    }

    /// A frame as a line: its number in the capture, its time, and what it says.
    #[must_use]
    pub fn line(&self, number: FrameNumber) -> String {
        let place = if number.unheard { "unheard frame" } else { "frame" };
        let said = self.frame(number).map(|heard| Printer::new(LineStyle::default()).frame(heard));
        format!("{place} {:<5}{}", number.number, said.unwrap_or_default())
    }

    /// A fault with its place, and below it the frames that say so.
    #[must_use]
    pub fn explain(&self, fault: &Fault) -> String {
        let place = match fault.step.map(|at| &self.plan.steps[at]) {
            Some(step) if step.name == fault.what => {
                format!("line {}, {:?}: ", step.line, step.name)
            }
            Some(step) => format!("line {}, {:?}: {}: ", step.line, step.name, fault.what),
            None => format!("whole run: {}: ", fault.what),
        };
        let lines = fault.frames.iter().map(|number| format!("\n    {}", self.line(*number)));
        format!("{place}{}{}", fault.reason, lines.collect::<String>())
    }

    /// The run in a line; what is broken, with the frames that say so, below.
    #[must_use]
    pub fn text(&self) -> String {
        let verdict = if self.held() { "held" } else { "broken" };
        let figures: Vec<_> =
            self.figures().map(|(name, value)| format!("{name} {value}")).collect();
        let mut text = format!(
            "{verdict:<7} {}: {} of machine time, {} frames{}{}",
            self.title(),
            seconds(self.run.machine_ns),
            self.run.heard.len(),
            if figures.is_empty() { "" } else { "; " },
            figures.join(", ")
        );
        for fault in self.faults() {
            text.push_str(&format!("\n  {}", self.explain(&fault)));
        }
        for log in &self.run.logs {
            text.push_str(&format!("\n  last words of {}:", log.machine));
            for line in &log.tail {
                text.push_str(&format!("\n    {line}"));
            }
            if log.tail.is_empty() {
                text.push_str("\n    (nothing)");
            }
        }
        text
    }

    /// The run as one object.
    #[must_use]
    pub fn object(&self) -> Value {
        let (run, plan) = (self.run, self.plan);
        let state = |state| run.heard.iter().filter(|heard| heard.state == state).count();
        let audible = run.heard.iter().filter(|heard| heard.interface == AIR).count();
        let steps: Vec<_> = plan
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| {
                let Some(record) = run.steps.get(at) else {
                    return json!({"name": step.name, "line": step.line, "verdict": "not run"});
                };
                let reached_ns = record.reached_ns.unwrap_or(record.end_ns);
                json!({
                    "name": step.name,
                    "line": step.line,
                    "begin_ms": record.begin_ns / 1_000_000,
                    "end_ms": record.end_ns / 1_000_000,
                    "took_ms": (reached_ns - record.begin_ns) / 1_000_000,
                    "verdict": if record.held() { "held" } else { "broken" },
                    "reason": record.failed.as_ref().map(|failed| &failed.0),
                    "frames": record.failed.as_ref().map(|failed| self.frames(&failed.1)),
                    "rules": record.rules.iter().map(|rule| self.rule(rule)).collect::<Vec<_>>(),
                })
            })
            .collect();
        let fixed = json!({
            "schema": SCHEMA,
            "scenario": self.scenario.name,
            "case": plan.case,
            "engine": self.engine.name(),
            "seed": self.seed,
            "machines": plan.fleet.boards.len(),
            "verdict": if self.held() { "held" } else { "broken" },
            "steps": steps,
            "rules": run.rules.iter().map(|rule| self.rule(rule)).collect::<Vec<_>>(),
            "frames": audible,
            "unheard": run.heard.len() - audible,
            "bad_signatures": state(State::Bad),
            "machine_ms": run.machine_ns / 1_000_000,
            "instructions": run.instructions,
            "trace_sha256": run.trace,
            "logs": run.logs,
        });
        let mut object = Map::new();
        if let Value::Object(fixed) = fixed {
            object = fixed;
        }
        for (name, value) in self.figures() {
            object.insert(name.to_owned(), value.into());
        }
        Value::Object(object)
    }

    fn rule(&self, rule: &Ruled) -> Value {
        let (least, most) = rule.range.unzip();
        let broken = rule.broken.as_ref();
        json!({
            "rule": rule.text,
            "verdict": if broken.is_some() { "broken" } else { "held" },
            "reason": broken.map(|broken| &broken.0),
            "frames": broken.map(|broken| self.frames(&broken.1)),
            "least": least,
            "most": most,
        })
    }

    fn frames(&self, numbers: &[FrameNumber]) -> Vec<Value> {
        let frame = |number: &FrameNumber| {
            json!({
                "number": number.number,
                "unheard": number.unheard,
                "at_ns": self.frame(*number).map(|heard| heard.at_ns),
                "line": self.line(*number),
            })
        };
        numbers.iter().map(frame).collect()
    }
}
