//! What a step begins with.

use kube_boards::fleet::Keys;
use kube_proto::packet::FRAME_BYTES;

use super::super::raw::{Names, Place, RawStep};
use super::{Inside, Outcome, Stage, nearest_of};
use crate::scenario::Action;
use crate::scenario::forgery::Forgery;

/// Most times that something is injected.
const TIMES_MAX: i64 = 100;

impl Inside<'_> {
    pub(super) fn action(
        &self,
        step: &Place<RawStep>,
        stage: &mut Stage,
    ) -> Outcome<Option<Action>> {
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
}

fn payload_of(digits: &str) -> Option<[u8; FRAME_BYTES]> {
    let digits: Vec<u32> = digits.chars().map(|ch| ch.to_digit(16)).collect::<Option<_>>()?;
    let bytes: Vec<u8> =
        digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
    if digits.len() == 2 * FRAME_BYTES { bytes.try_into().ok() } else { None }
}
