//! From what is written to what can be played, case by case.

use std::collections::BTreeMap;
use std::ops::Range;

use kube_boards::file::nearest;
use kube_boards::fleet::{Fleet, Keys, Role};
use kube_proto::packet::FRAME_BYTES;
use kube_sniff::expect::{self, Comparison, Condition, Rule, Subject, Unwanted};
use kube_sniff::span;

use super::raw::{Names, Place, RawCase, RawFile, RawStep};
use super::{ScenarioError, Text};
use crate::engine::EngineKind;
use crate::scenario::forgery::Forgery;
use crate::scenario::outcome::KEYS;
use crate::scenario::{Action, Expectation, Measure, Plan, Scenario, Step, Time};

type Outcome<T> = Result<T, ScenarioError>;

/// Cluster and key of the published labs.
const CLUSTER: &str = "kube";
const KEY: &str = "00c0ffee00c0ffee";
/// Nodes where a scenario does not say.
const NODES: i64 = 2;
/// Longest time of a step: a day.
const LONGEST_NS: u64 = 86_400_000_000_000;
/// Longest command line: `LineSize` of `Boot.Mod` less its end.
const COMMAND_CHARS: usize = 255;
/// Most steps, and most times that something is injected.
const STEPS_MAX: usize = 1_000;
const TIMES_MAX: i64 = 100;

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

    fn step(&self, step: &Place<RawStep>, stage: &mut Stage) -> Outcome<Step> {
        let raw = step.as_ref();
        let action = self.action(step, stage)?;
        let time = self.time(step, action.as_ref())?;
        let line = self.checker.text.line(step.span().start);
        if let (Time::Until { conditions, .. }, Some(until), true) =
            (&time, &raw.until, self.dark(stage))
            && let Some((at, _)) =
                until.as_ref().iter().zip(conditions).find(|(_, (_, condition))| {
                    !matches!(condition.subject, Subject::Silent { .. })
                })
        {
            let message = "nothing can be heard: no machine has power";
            return Err(self.fault(at.span(), message, "add a step with power-on before"));
        }
        let name = match (&raw.name, &action, &time) {
            (Some(name), ..) => self.checker.fill(name, self.case)?,
            (None, Some(action), _) => action.words(),
            (None, None, Time::Until { conditions, .. }) => {
                conditions.iter().map(|entry| &*entry.0).collect::<Vec<_>>().join(", ")
            }
            (None, None, _) => "wait".to_owned(),
        };
        if let Some(given) = &raw.name {
            if stage.names.contains(&name) {
                let message = format!("there are two steps {name:?}");
                return Err(self.fault(given.span(), message, "give each step a name of its own"));
            }
            stage.names.push(name.clone());
        }
        let mut made = Step { name, line, action, time, expect: Vec::new(), measures: Vec::new() };
        let longest_ns = made.longest_ns();
        if longest_ns == 0
            && let Some(first) = raw.expect.first()
        {
            let message = "this can never be judged: no time passes in the step";
            return Err(self.fault(first.span(), message, "add `for` or `until` to the step"));
        }
        let dark = self.dark(stage);
        let span = Span { longest_ns, muffled: stage.muffled(), dark, what: "the step" };
        for rule in &raw.expect {
            made.expect.push(self.expectation(rule, &span)?);
        }
        for (name, text) in &raw.measure {
            let plain = |ch: char| ch.is_ascii_lowercase() || ch.is_ascii_digit() || ch == '_';
            if !name.chars().all(plain) || KEYS.contains(&name.as_str()) || name.is_empty() {
                let message = format!("a figure cannot be called {name:?}");
                let help = "use a-z, 0-9 and _, and none of the keys that every result has";
                return Err(self.fault(text.span(), message, help));
            }
            if stage.figures.contains(name) {
                let message = format!("there are two figures {name:?}");
                return Err(self.fault(text.span(), message, "give each figure a name of its own"));
            }
            stage.figures.push(name.clone());
            made.measures.push((name.clone(), self.measure(text, &span)?));
        }
        Ok(made)
    }

    /// Whether nobody has power.
    fn dark(&self, stage: &Stage) -> bool {
        self.fleet.boards.iter().all(|board| stage.off.contains(&board.name))
    }

    fn action(&self, step: &Place<RawStep>, stage: &mut Stage) -> Outcome<Option<Action>> {
        let raw = step.as_ref();
        let spans = [
            ("power-off", raw.power_off.as_ref().map(Place::span)),
            ("power-on", raw.power_on.as_ref().map(Place::span)),
            ("cut-off", raw.cut_off.as_ref().map(Place::span)),
            ("reconnect", raw.reconnect.as_ref().map(Place::span)),
            ("brown-out", raw.brown_out.as_ref().map(Place::span)),
            ("air", raw.air.as_ref().map(Place::span)),
            ("loss", raw.loss.as_ref().map(Place::span)),
            ("type", raw.r#type.as_ref().map(Place::span)),
            ("inject", raw.inject.as_ref().map(Place::span)),
        ];
        let given: Vec<_> = spans.iter().filter(|(_, span)| span.is_some()).collect();
        if let [(first, _), (second, Some(span)), ..] = given.as_slice() {
            let message = format!("a step does one thing, and this one has {first} and {second}");
            return Err(self.fault(span.clone(), message, "make two steps of it"));
        }
        let lone = [
            ("on", "type", raw.on.as_ref().map(Place::span), raw.r#type.is_some()),
            ("to", "inject", raw.to.as_ref().map(Place::span), raw.inject.is_some()),
            ("times", "inject", raw.times.as_ref().map(Place::span), raw.inject.is_some()),
            ("payload", "inject", raw.payload.as_ref().map(Place::span), raw.inject.is_some()),
        ];
        for (word, with, span, there) in lone {
            if let (Some(span), false) = (span, there) {
                return Err(self.fault(span, format!("{word:?} belongs to {with:?}"), ""));
            }
        }
        let names = |names: &Place<Names>| self.machines(names);
        Ok(if let Some(given) = &raw.power_off {
            let names = names(given)?;
            stage.off.extend(names.iter().cloned());
            Some(Action::PowerOff(names))
        } else if let Some(given) = &raw.power_on {
            let names = names(given)?;
            stage.off.retain(|name| !names.contains(name));
            Some(Action::PowerOn(names))
        } else if let Some(given) = &raw.cut_off {
            let names = names(given)?;
            stage.cut.extend(names.iter().cloned());
            Some(Action::CutOff(names))
        } else if let Some(given) = &raw.reconnect {
            let names = names(given)?;
            stage.cut.retain(|name| !names.contains(name));
            Some(Action::Reconnect(names))
        } else if let Some(given) = &raw.brown_out {
            let names = names(given)?;
            self.powered(&names, given.span(), stage)?;
            Some(Action::BrownOut(names))
        } else if let Some(word) = &raw.air {
            stage.air = match word.as_ref().as_str() {
                "on" => true,
                "off" => false,
                other => {
                    let message = format!("the air cannot be {other:?}");
                    return Err(self.fault(word.span(), message, "it is \"on\" or \"off\""));
                }
            };
            Some(Action::Air(stage.air))
        } else if let Some(loss) = &raw.loss {
            Some(Action::Loss(self.checker.probability(loss)?))
        } else if let Some(line) = &raw.r#type {
            let (on, span) = match &raw.on {
                Some(on) => (on.as_ref().clone(), on.span()),
                None => (self.plane()?, line.span()),
            };
            self.machine(&on, span.clone())?;
            self.powered(std::slice::from_ref(&on), span, stage)?;
            Some(Action::Type { on, line: self.checker.command(line, self.case)? })
        } else if let Some(forgery) = &raw.inject {
            Some(self.inject(raw, forgery)?)
        } else {
            None
        })
    }

    fn inject(&self, raw: &RawStep, named: &Place<String>) -> Outcome<Action> {
        let word = named.as_ref().as_str();
        let known = || Forgery::NAMED.iter().map(|entry| entry.1).chain(["raw"]);
        let forgery = match (word, &raw.payload) {
            ("raw", Some(payload)) => {
                let bytes = payload_of(payload.as_ref()).ok_or_else(|| {
                    let message = format!("that is no payload of {FRAME_BYTES} bytes");
                    self.fault(payload.span(), message, "give 64 hexadecimal digits")
                })?;
                Forgery::Raw(bytes)
            }
            ("raw", None) => {
                let help = "add payload = \"...\", 64 hexadecimal digits";
                return Err(self.fault(named.span(), "raw needs a payload", help));
            }
            (_, Some(payload)) => {
                let message = format!("{word:?} is made from what is heard");
                return Err(self.fault(payload.span(), message, "a payload goes with \"raw\""));
            }
            _ => Forgery::NAMED
                .iter()
                .find(|entry| entry.1 == word)
                .map(|entry| entry.0.clone())
                .ok_or_else(|| {
                let message = format!("nothing that can be injected is called {word:?}");
                self.fault(named.span(), message, nearest_of(word, known()))
            })?,
        };
        if forgery.needs_sessions() && self.fleet.keys == Keys::Shared {
            let message = format!("{word:?} takes a key for each node");
            let help = "set keys = \"per-node\": with shared keys every node has the plane's";
            return Err(self.fault(named.span(), message, help));
        }
        let to = match &raw.to {
            Some(to) => {
                self.node(to.as_ref(), to.span(), "a forgery is meant for a node")?;
                to.as_ref().clone()
            }
            None => self.fleet.node_names().next().unwrap_or_default().to_owned(),
        };
        let times = raw.times.as_ref().map_or(Ok(1), |times| {
            let count = *times.as_ref();
            let fits = (1..=TIMES_MAX).contains(&count);
            fits.then_some(count as u32).ok_or_else(|| {
                let message = format!("{count} times cannot be");
                self.fault(times.span(), message, format!("give 1 to {TIMES_MAX}"))
            })
        })?;
        Ok(Action::Inject { forgery, to, times })
    }

    fn time(&self, step: &Place<RawStep>, action: Option<&Action>) -> Outcome<Time> {
        let raw = step.as_ref();
        if let (Some(due), None) = (&raw.due, &raw.until) {
            return Err(self.fault(due.span(), "\"due\" belongs to \"until\"", ""));
        }
        match (&raw.r#for, &raw.until, &raw.within) {
            (Some(_), Some(until), _) => {
                let message = "a step waits for a time or for something, not for both";
                Err(self.fault(until.span(), message, "leave `for` or `until` out"))
            }
            (_, None, Some(within)) => {
                let message = "`within` says until when something must hold, and nothing is named";
                Err(self.fault(within.span(), message, "add `until`, or write `for`"))
            }
            (None, Some(until), None) => {
                let message = "`until` without a limit might wait for ever";
                Err(self.fault(until.span(), message, "add within = \"20s\""))
            }
            (Some(time), None, None) => {
                let (least_ns, most_ns) = self.times(time)?;
                let least_ns = least_ns.unwrap_or(most_ns);
                Ok(Time::For { least_ns, most_ns })
            }
            (None, Some(until), Some(within)) => {
                let (least_ns, most_ns) = self.times(within)?;
                let mut conditions = Vec::new();
                for text in until.as_ref() {
                    let filled = self.checker.fill(text, self.case)?;
                    let condition = expect::condition(&filled).map_err(|error| {
                        let help = "conditions are counts without a time: docs/lab.md shows all";
                        self.fault(text.span(), error.reason, help)
                    })?;
                    self.condition(&condition, text.span())?;
                    if condition.subject.unheard() {
                        let message = "nobody can wait for what nobody can hear";
                        return Err(self.fault(text.span(), message, "expect it instead"));
                    }
                    conditions.push((filled, condition));
                }
                if conditions.is_empty() {
                    let help = "name at least one condition";
                    return Err(self.fault(until.span(), "there is nothing to wait for", help));
                }
                let due_ns = match &raw.due {
                    Some(due) => Some(self.due(due, most_ns)?),
                    None => None,
                };
                let least_ns = least_ns.unwrap_or(0);
                Ok(Time::Until { conditions, least_ns, most_ns, due_ns })
            }
            (None, None, None) if action.is_none() => {
                let help = "add `for`, `until` with `within`, or something to be done";
                Err(self.fault(step.span(), "the step does nothing", help))
            }
            (None, None, None) => Ok(Time::None),
        }
    }

    /// Until when what is awaited should be there; the wait itself is longer.
    fn due(&self, text: &Place<String>, most_ns: u64) -> Outcome<u64> {
        match self.times(text)? {
            (None, due_ns) if due_ns < most_ns => Ok(due_ns),
            _ => {
                let help = "one time that is shorter than `within`, which ends the run";
                Err(self.fault(text.span(), "that cannot be late", help))
            }
        }
    }

    /// One time, or two with `..` between them.
    fn times(&self, text: &Place<String>) -> Outcome<(Option<u64>, u64)> {
        let filled = self.checker.fill(text, self.case)?;
        let one = |word: &str| {
            let help = "such as \"2s\", \"1500ms\" or \"0s..1s\"";
            let ns = span::parse(word.trim())
                .map_err(|error| self.fault(text.span(), error.to_string(), help))?;
            if ns > LONGEST_NS {
                return Err(self.fault(text.span(), "a step takes at most a day", help));
            }
            Ok(ns)
        };
        match filled.split_once("..") {
            None => Ok((None, one(&filled)?)),
            Some((least, most)) => {
                let (least_ns, most_ns) = (one(least)?, one(most)?);
                if least_ns > most_ns {
                    let message = "the shorter time comes first";
                    return Err(self.fault(text.span(), message, "such as \"0s..1s\""));
                }
                Ok((Some(least_ns), most_ns))
            }
        }
    }

    fn machines(&self, names: &Place<Names>) -> Outcome<Vec<String>> {
        let Names(list) = names.as_ref();
        if list.is_empty() {
            return Err(self.fault(names.span(), "no machine is named", "such as \"node1\""));
        }
        let filled = list.iter().map(|name| self.checker.put(name, names.span(), self.case));
        let list = filled.collect::<Outcome<Vec<_>>>()?;
        list.iter().try_for_each(|name| self.machine(name, names.span()))?;
        Ok(list)
    }

    fn machine(&self, name: &str, span: Range<usize>) -> Outcome<()> {
        if self.fleet.board(name).is_some() {
            return Ok(());
        }
        let known = self.fleet.boards.iter().map(|board| board.name.as_str());
        let message = format!("the fleet has no machine {name:?}");
        Err(self.fault(span, message, nearest_of(name, known)))
    }

    fn node(&self, name: &str, span: Range<usize>, why: &str) -> Outcome<()> {
        self.machine(name, span.clone())?;
        match self.fleet.board(name).map(|board| board.role) {
            Some(Role::Plane) => {
                let known = self.fleet.node_names().collect::<Vec<_>>().join(", ");
                let message = format!("{why}, and {name} is the plane");
                Err(self.fault(span, message, format!("nodes: {known}")))
            }
            _ => Ok(()),
        }
    }

    fn plane(&self) -> Outcome<String> {
        let plane = self.fleet.boards.iter().find(|board| board.role == Role::Plane);
        Ok(plane.map_or_else(|| "plane".to_owned(), |plane| plane.name.clone()))
    }

    fn powered(&self, names: &[String], span: Range<usize>, stage: &Stage) -> Outcome<()> {
        match names.iter().find(|name| stage.off.contains(name)) {
            Some(name) => {
                let message = format!("{name} has no power at this step");
                Err(self.fault(span, message, format!("add a step with power-on = {name:?}")))
            }
            None => Ok(()),
        }
    }

    /// A rule that can be judged in a span of time.
    fn expectation(&self, text: &Place<String>, span: &Span) -> Outcome<Expectation> {
        let filled = self.checker.fill(text, self.case)?;
        let rule = expect::parse(&filled).map_err(|error| {
            self.fault(text.span(), error.reason, "docs/lab.md shows all rules")
        })?;
        let never = |why: String, help: &str| {
            self.fault(text.span(), format!("this can never be judged: {why}"), help)
        };
        if rule.latest_ns() > span.longest_ns {
            let longest = span::show(span.longest_ns);
            let why = format!("{} takes at most {longest}", span.what);
            return Err(never(why, "name an earlier moment, or let more time pass"));
        }
        let kind = match &rule {
            Rule::Cadence { kind, .. } => Some(kind),
            Rule::Amount { condition, .. } => {
                self.condition(condition, text.span())?;
                if span.dark && !matches!(condition.subject, Subject::Silent { .. }) {
                    let why = "no machine has power".to_owned();
                    return Err(never(why, "add a step with power-on before"));
                }
                if condition.subject.unheard() && !span.muffled {
                    let why = "everybody can be heard there".to_owned();
                    return Err(never(why, "switch the air off, or cut a machine off, before"));
                }
                match &condition.subject {
                    Subject::Frames { kind, .. } => kind.as_ref(),
                    _ => None,
                }
            }
            Rule::Never { what: Unwanted::Kind(kind), .. } => Some(kind),
            Rule::Never { .. } => None,
        };
        if let (Some("hail" | "welcome"), Keys::Shared) =
            (kind.map(String::as_str), self.fleet.keys)
        {
            let why = "with shared keys nobody greets".to_owned();
            return Err(never(why, "set keys = \"per-node\""));
        }
        if let Some(node) = rule.node() {
            self.machine(node, text.span())?;
        }
        Ok(Expectation { text: filled, rule })
    }

    /// What is counted can be there, and its bound says something.
    fn condition(&self, condition: &Condition, span: Range<usize>) -> Outcome<()> {
        self.subject(&condition.subject, span.clone())?;
        let nodes = self.fleet.node_names().count() as u64;
        let (most, of) = match &condition.subject {
            Subject::Nodes | Subject::Silent { node: None } => {
                (nodes, format!("the fleet has {nodes} nodes"))
            }
            Subject::Agree | Subject::Silent { node: Some(_) } => (1, "it is 0 or 1".to_owned()),
            _ => (u64::MAX, "a count is never below 0".to_owned()),
        };
        let bound = condition.bound;
        let (never, always) = match condition.comparison {
            Comparison::Less => (bound == 0, bound > most),
            Comparison::AtMost => (false, bound >= most),
            Comparison::Equal => (bound > most, false),
            Comparison::AtLeast => (bound > most, bound == 0),
            Comparison::More => (bound >= most, false),
        };
        let word = match (never, always) {
            (true, _) => "never",
            (_, true) => "always",
            _ => return Ok(()),
        };
        let message = format!("this can never be judged: it is {word} so, for {of}");
        Err(self.fault(span, message, "name another number"))
    }

    /// What is counted can be there.
    fn subject(&self, subject: &Subject, span: Range<usize>) -> Outcome<()> {
        match subject {
            Subject::Pods { node, image } => {
                if let Some(node) = node {
                    self.node(node, span.clone(), "pods run on nodes")?;
                }
                if let Some(image) = image
                    && !self.commands.contains(image)
                {
                    let is_image = |word: &&String| {
                        word.starts_with(|ch: char| ch.is_ascii_uppercase()) && !word.contains('.')
                    };
                    let known = self.commands.iter().filter(is_image).map(String::as_str);
                    let message = format!("no command of the scenario names an image {image:?}");
                    return Err(self.fault(span, message, nearest_of(image, known)));
                }
            }
            Subject::Silent { node: Some(node) } | Subject::Changed { node: Some(node), .. } => {
                self.node(node, span, "nodes send heartbeats and are assigned pods")?;
            }
            _ => {
                if let Some(node) = subject.node() {
                    self.machine(node, span)?;
                }
            }
        }
        Ok(())
    }

    fn measure(&self, text: &Place<String>, span: &Span) -> Outcome<Measure> {
        let filled = self.checker.fill(text, self.case)?;
        if filled == "time" {
            return Ok(Measure::Time);
        }
        let (bound, of) = match filled.split_once(' ') {
            Some((bound @ ("least" | "most"), of)) => (bound, of),
            _ => ("end", filled.as_str()),
        };
        let subject = expect::subject(of).map_err(|error| {
            let help = "a figure is `time`, or a count such as `most pods` or `pods Ticker`";
            self.fault(text.span(), error.reason, help)
        })?;
        self.subject(&subject, text.span())?;
        if subject.unheard() && !span.muffled {
            let message = "everybody can be heard there";
            let help = "switch the air off, or cut a machine off, before";
            return Err(self.fault(text.span(), message, help));
        }
        Ok(match bound {
            "least" => Measure::Least(subject),
            "most" => Measure::Most(subject),
            _ => Measure::End(subject),
        })
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

fn payload_of(digits: &str) -> Option<[u8; FRAME_BYTES]> {
    let digits: Vec<u32> = digits.chars().map(|ch| ch.to_digit(16)).collect::<Option<_>>()?;
    let bytes: Vec<u8> =
        digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
    if digits.len() == 2 * FRAME_BYTES { bytes.try_into().ok() } else { None }
}
