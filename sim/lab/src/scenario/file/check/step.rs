//! A step: what it does first, how long it takes, what is expected and measured in it.

use kube_sniff::expect::Subject;

use super::super::raw::{Place, RawStep};
use super::{Inside, Outcome, Span, Stage};
use crate::scenario::outcome::KEYS;
use crate::scenario::{Step, Time};

impl Inside<'_> {
    pub(super) fn step(&self, step: &Place<RawStep>, stage: &mut Stage) -> Outcome<Step> {
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
    pub(super) fn dark(&self, stage: &Stage) -> bool {
        self.fleet.boards.iter().all(|board| stage.off.contains(&board.name))
    }
}
