//! What is expected and measured: it must be possible to judge it.

use std::ops::Range;

use kube_boards::fleet::Keys;
use kube_sniff::expect::{self, Comparison, Condition, Rule, Subject, Unwanted};
use kube_sniff::span;

use super::super::raw::Place;
use super::{Inside, Outcome, Span, nearest_of};
use crate::scenario::{Expectation, Measure};

impl Inside<'_> {
    /// A rule that can be judged in a span of time.
    pub(super) fn expectation(&self, text: &Place<String>, span: &Span) -> Outcome<Expectation> {
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
    pub(super) fn condition(&self, condition: &Condition, span: Range<usize>) -> Outcome<()> {
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
    pub(super) fn subject(&self, subject: &Subject, span: Range<usize>) -> Outcome<()> {
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

    pub(super) fn measure(&self, text: &Place<String>, span: &Span) -> Outcome<Measure> {
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
