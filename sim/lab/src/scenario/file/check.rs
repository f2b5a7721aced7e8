//! From what is written to what can be played, case by case.
//!
//! | module | holds |
//! |---|---|
//! | here | cases, fleets, command lines and values put into texts |
//! | `step` | a step as a whole |
//! | `action` | what it begins with |
//! | `time` | how long it takes |
//! | `rule` | what is expected and measured |
//! | `names` | machines by their names |

mod action;
mod names;
mod rule;
mod step;
mod time;

use std::collections::BTreeMap;
use std::ops::Range;

use kube_boards::file::nearest;
use kube_boards::fleet::{Fleet, Keys};

use super::raw::{Place, RawCase, RawFile};
use super::{ScenarioError, Text};
use crate::engine::EngineKind;
use crate::scenario::{Plan, Scenario, Step};

type Outcome<T> = Result<T, ScenarioError>;

/// Cluster and key of the published labs.
const CLUSTER: &str = "kube";
const KEY: &str = "00c0ffee00c0ffee";
/// Nodes where a scenario does not say.
const NODES: i64 = 2;
/// Longest command line: `LineSize` of `Boot.Mod` less its end.
const COMMAND_CHARS: usize = 255;
/// Most steps.
const STEPS_MAX: usize = 1_000;

pub(super) struct Checker<'a> {
    pub text: Text<'a>,
}

/// What a case has of its own.
struct Case<'a> {
    raw: Option<&'a RawCase>,
    name: String,
    /// What texts may name in braces without a case that sets it.
    known: [(&'static str, String); 2],
}

impl<'a> Case<'a> {
    fn new(raw: &RawFile, own: Option<&'a RawCase>, name: String) -> Self {
        let count = nodes(raw, own).map_or(NODES, |nodes| *nodes.as_ref());
        let fleet = Fleet::new(usize::try_from(count).unwrap_or(0), CLUSTER, KEY).ok();
        let last = fleet.and_then(|fleet| fleet.node_names().last().map(str::to_owned));
        let known = [("nodes", count.to_string()), ("last-node", last.unwrap_or_default())];
        Self { raw: own, name, known }
    }
}

/// How many nodes there are, as it is written.
fn nodes<'a>(raw: &'a RawFile, own: Option<&'a RawCase>) -> Option<&'a Place<i64>> {
    let fleet = raw.fleet.as_ref().and_then(|fleet| fleet.nodes.as_ref());
    own.and_then(|own| own.nodes.as_ref()).or(fleet)
}

/// Who has power and who can be heard, and which names are taken, as steps go on.
#[derive(Default)]
struct Stage {
    names: Vec<String>,
    figures: Vec<String>,
    off: Vec<String>,
    cut: Vec<String>,
    air: bool,
}

impl Stage {
    /// Somebody may send what nobody can hear.
    fn muffled(&self) -> bool {
        !self.air || !self.cut.is_empty()
    }
}

/// The time in which a rule is judged.
struct Span {
    longest_ns: u64,
    muffled: bool,
    /// No machine has power.
    dark: bool,
    what: &'static str,
}

/// A step's or scenario's text within a case.
struct Inside<'a> {
    checker: &'a Checker<'a>,
    case: &'a Case<'a>,
    fleet: &'a Fleet,
    commands: &'a [String],
}

impl Inside<'_> {
    fn fault(
        &self,
        at: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ScenarioError {
        let mut message = message.into();
        if self.case.raw.is_some() {
            message = format!("{message} (case {:?})", self.case.name);
        }
        self.checker.text.fault(at, message, help)
    }
}

impl Checker<'_> {
    pub fn scenario(&self, raw: &RawFile) -> Outcome<Scenario> {
        let stem = self.text.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        if raw.step.is_empty() {
            let help = "add [[step]] with `for` or `until` and `within`";
            return Err(self.text.fault(raw.title.span(), "the scenario has no steps", help));
        }
        if raw.step.len() > STEPS_MAX {
            let help = format!("at most {STEPS_MAX} can be played");
            return Err(self.text.fault(raw.title.span(), "too many steps", help));
        }
        let mut cases: Vec<Case<'_>> = Vec::new();
        for (at, case) in raw.case.iter().enumerate() {
            let given = case.as_ref().name.as_ref();
            let name = given.map_or_else(|| (at + 1).to_string(), |name| name.as_ref().clone());
            if cases.iter().any(|case| case.name == name) {
                let span = given.map_or(case.span(), Place::span);
                let help = "give each case a name of its own";
                return Err(self.text.fault(span, format!("there are two cases {name:?}"), help));
            }
            cases.push(Case::new(raw, Some(case.as_ref()), name));
        }
        if cases.is_empty() {
            cases.push(Case::new(raw, None, String::new()));
        }
        Ok(Scenario {
            name: stem.unwrap_or_default(),
            title: raw.title.as_ref().clone(),
            about: raw.about.trim().to_owned(),
            plans: cases.iter().map(|case| self.plan(raw, case)).collect::<Outcome<_>>()?,
        })
    }

    fn plan(&self, raw: &RawFile, case: &Case<'_>) -> Outcome<Plan> {
        let own = case.raw;
        let engine = own.and_then(|own| own.engine.as_ref()).or(raw.engine.as_ref());
        let engine = engine.map_or(Ok(EngineKind::default()), |engine| {
            let help = || nearest_of(engine.as_ref(), EngineKind::ALL.map(EngineKind::name));
            let parsed = engine.as_ref().parse();
            parsed.map_err(|error: String| self.text.fault(engine.span(), error, help()))
        })?;
        let loss = own.and_then(|own| own.loss.as_ref()).or(raw.loss.as_ref());
        let loss = loss.map_or(Ok(0.0), |loss| self.probability(loss))?;
        let seeds = own.and_then(|own| own.seeds.as_ref()).or(raw.seeds.as_ref());
        let seeds = seeds.map_or_else(|| vec![1], |seeds| seeds.as_ref().0.clone());
        let fleet = self.fleet(raw, case)?;
        let mut stage = Stage { air: true, ..Stage::default() };
        let commands = self.commands(raw, case)?;
        let (mut steps, mut muffled) = (Vec::new(), false);
        for step in &raw.step {
            let view = Inside { checker: self, case, fleet: &fleet, commands: &commands };
            steps.push(view.step(step, &mut stage)?);
            muffled |= stage.muffled();
        }
        let longest_ns = steps.iter().map(Step::longest_ns).sum();
        let view = Inside { checker: self, case, fleet: &fleet, commands: &commands };
        let span = Span { longest_ns, muffled, dark: false, what: "the scenario" };
        let expect = raw.expect.iter().map(|rule| view.expectation(rule, &span));
        let expect = expect.collect::<Outcome<_>>()?;
        Ok(Plan { case: case.name.clone(), fleet, engine, loss, seeds, expect, steps })
    }

    fn probability(&self, value: &Place<f64>) -> Outcome<f64> {
        let fits = (0.0..=1.0).contains(value.as_ref());
        fits.then_some(*value.as_ref()).ok_or_else(|| {
            let message = format!("{} is no probability", value.as_ref());
            self.text.fault(value.span(), message, "give 0.0 to 1.0: 0.3 loses three of ten")
        })
    }

    fn fleet(&self, raw: &RawFile, case: &Case<'_>) -> Outcome<Fleet> {
        let of = raw.fleet.as_ref();
        let nodes = nodes(raw, case.raw);
        let count = nodes.map_or(NODES, |nodes| *nodes.as_ref());
        let cluster = of.and_then(|of| of.cluster.as_ref());
        let key = of.and_then(|of| of.key.as_ref());
        let text = |value: Option<&Place<String>>, usual: &str| {
            value.map_or_else(|| usual.to_owned(), |value| value.as_ref().clone())
        };
        let span = || {
            let spans = [nodes.map(Place::span), cluster.map(Place::span), key.map(Place::span)];
            spans.into_iter().flatten().next().unwrap_or(0..0)
        };
        let made = Fleet::new(
            usize::try_from(count).unwrap_or(0),
            &text(cluster, CLUSTER),
            &text(key, KEY),
        );
        let mut fleet = made.map_err(|error| {
            self.text.fault(span(), error.to_string(), "[fleet] has nodes, cluster and key")
        })?;
        let keys = case.raw.and_then(|own| own.keys.as_ref());
        if let Some(keys) = keys.or(of.and_then(|of| of.keys.as_ref())) {
            let known = Keys::ALL.map(|entry| entry.1);
            let found = Keys::ALL.into_iter().find(|entry| entry.1 == keys.as_ref());
            fleet.keys = found.map(|entry| entry.0).ok_or_else(|| {
                let message = format!("unknown keys {:?}", keys.as_ref());
                self.text.fault(keys.span(), message, nearest_of(keys.as_ref(), known))
            })?;
        }
        let mbit = case.raw.and_then(|own| own.mbit.as_ref());
        if let Some(mbit) = mbit.or(of.and_then(|of| of.mbit.as_ref())) {
            fleet.radio.mbit = match mbit.as_ref() {
                1 => 1,
                2 => 2,
                other => {
                    let message = format!("{other} Mbit/s cannot be");
                    return Err(self.text.fault(mbit.span(), message, "give 1 or 2"));
                }
            };
        }
        fleet.boards[0].start.clear();
        for line in of.map_or(&[][..], |of| &of.start) {
            let command = self.command(line, case)?;
            fleet.boards[0].start.push(command);
        }
        Ok(fleet)
    }

    /// A command line, values put in.
    fn command(&self, line: &Place<String>, case: &Case<'_>) -> Outcome<String> {
        let command = self.fill(line, case)?;
        let printable = command.chars().all(|ch| ch.is_ascii_graphic() || ch == ' ');
        if !printable || command.trim().is_empty() || command.len() > COMMAND_CHARS {
            let message = "that is no command line";
            let help = format!("1 to {COMMAND_CHARS} printable characters, such as `Kube.Get`");
            return Err(self.text.fault(line.span(), message, help));
        }
        Ok(command)
    }

    /// All words that commands of the scenario say.
    fn commands(&self, raw: &RawFile, case: &Case<'_>) -> Outcome<Vec<String>> {
        let start = raw.fleet.iter().flat_map(|of| &of.start);
        let typed = raw.step.iter().filter_map(|step| step.as_ref().r#type.as_ref());
        let mut words = Vec::new();
        for line in start.chain(typed) {
            words.extend(self.fill(line, case)?.split_whitespace().map(str::to_owned));
        }
        Ok(words)
    }

    /// A text with the values of the case in the places of their names.
    fn fill(&self, text: &Place<String>, case: &Case<'_>) -> Outcome<String> {
        self.put(text.as_ref(), text.span(), case)
    }

    fn put(&self, text: &str, span: Range<usize>, case: &Case<'_>) -> Outcome<String> {
        let none = BTreeMap::new();
        let set = case.raw.map_or(&none, |own| &own.set);
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((name, after)) = behind.split_once('}') else { break };
            let known = || case.known.iter().find(|known| known.0 == name);
            let value = set.get(name).map(ToString::to_string);
            let value =
                value.or_else(|| known().map(|known| known.1.clone())).ok_or_else(|| {
                    let message = format!("the case {:?} sets no {name:?}", case.name);
                    let all =
                        set.keys().map(String::as_str).chain(case.known.iter().map(|own| own.0));
                    self.text.fault(span.clone(), message, nearest_of(name, all))
                })?;
            filled.push_str(before);
            filled.push_str(&value);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

/// The nearest of what is known, and all of it.
fn nearest_of<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut known: Vec<_> = known.into_iter().collect();
    known.sort_unstable();
    known.dedup();
    let all = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    match nearest(word, known) {
        Some(near) => format!("did you mean {near:?}? There are {all}"),
        None => format!("there are {all}"),
    }
}
