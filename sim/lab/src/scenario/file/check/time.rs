//! How long a step takes: a time, or until something holds.

use kube_sniff::{expect, span};

use super::super::raw::{Place, RawStep};
use super::{Inside, Outcome};
use crate::scenario::{Action, Time};

/// Longest time of a step: a day.
const LONGEST_NS: u64 = 86_400_000_000_000;

impl Inside<'_> {
    pub(super) fn time(&self, step: &Place<RawStep>, action: Option<&Action>) -> Outcome<Time> {
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
    pub(super) fn times(&self, text: &Place<String>) -> Outcome<(Option<u64>, u64)> {
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
}
