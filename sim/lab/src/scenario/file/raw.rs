//! The tables of a scenario as they are written, each value with its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use kube_boards::file::nearest;
use kube_boards::fleet::Keys;
use serde::Deserialize;
use serde::de::{Error, SeqAccess, Visitor};
use toml::Spanned;

use super::Variant;

pub(super) type Place<T> = Spanned<T>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFile {
    pub title: Place<String>,
    #[serde(default)]
    pub about: String,
    pub engine: Option<Place<String>>,
    pub seeds: Option<Place<Seeds>>,
    pub loss: Option<Place<f64>>,
    #[serde(default)]
    pub expect: Vec<Place<String>>,
    pub fleet: Option<RawFleet>,
    #[serde(default)]
    pub case: Vec<Place<RawCase>>,
    #[serde(default)]
    pub step: Vec<Place<RawStep>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFleet {
    pub nodes: Option<Place<i64>>,
    pub cluster: Option<Place<String>>,
    pub key: Option<Place<String>>,
    pub keys: Option<Place<String>>,
    pub mbit: Option<Place<i64>>,
    #[serde(default)]
    pub start: Vec<Place<String>>,
}

/// What differs from one case to the next.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCase {
    pub name: Option<Place<String>>,
    pub nodes: Option<Place<i64>>,
    pub keys: Option<Place<String>>,
    pub mbit: Option<Place<i64>>,
    pub engine: Option<Place<String>>,
    pub seeds: Option<Place<Seeds>>,
    pub loss: Option<Place<f64>>,
    #[serde(default)]
    pub set: BTreeMap<String, i64>,
}

impl RawCase {
    /// Of a case that stands in no file.
    pub fn of(case: &Variant) -> Self {
        let keys = |keys: Keys| Keys::ALL.into_iter().find(|entry| entry.0 == keys);
        Self {
            name: Some(given(case.name.clone())),
            nodes: case.nodes.map(|nodes| given(i64::try_from(nodes).unwrap_or(i64::MAX))),
            keys: case.keys.and_then(keys).map(|entry| given(entry.1.to_owned())),
            mbit: case.mbit.map(|mbit| given(i64::from(mbit))),
            engine: None,
            seeds: (!case.seeds.is_empty()).then(|| given(Seeds(case.seeds.clone()))),
            loss: case.loss.map(given),
            set: case.set.clone(),
        }
    }
}

/// Something that stands in no file.
pub(super) fn given<T>(value: T) -> Place<T> {
    Spanned::new(0..0, value)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawStep {
    pub name: Option<Place<String>>,
    pub power_off: Option<Place<Names>>,
    pub power_on: Option<Place<Names>>,
    pub cut_off: Option<Place<Names>>,
    pub reconnect: Option<Place<Names>>,
    pub brown_out: Option<Place<Names>>,
    pub air: Option<Place<String>>,
    pub loss: Option<Place<f64>>,
    pub r#type: Option<Place<String>>,
    pub on: Option<Place<String>>,
    pub inject: Option<Place<String>>,
    pub to: Option<Place<String>>,
    pub times: Option<Place<i64>>,
    pub payload: Option<Place<String>>,
    pub r#for: Option<Place<String>>,
    #[serde(default)]
    pub until: Option<Place<Vec<Place<String>>>>,
    pub within: Option<Place<String>>,
    pub due: Option<Place<String>>,
    #[serde(default)]
    pub expect: Vec<Place<String>>,
    #[serde(default)]
    pub measure: BTreeMap<String, Place<String>>,
}

/// A name or a list of them.
#[derive(Clone)]
pub(super) struct Names(pub Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Names;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a machine, or a list of names")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Names, E> {
                Ok(Names(vec![name.to_owned()]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Names, A::Error> {
                let mut all = Vec::new();
                while let Some(name) = names.next_element()? {
                    all.push(name);
                }
                Ok(Names(all))
            }
        }
        from.deserialize_any(Reader)
    }
}

/// A seed, a list of them, or a range such as `1..20`, its end included.
#[derive(Clone)]
pub(super) struct Seeds(pub Vec<u64>);

/// Most seeds of one case.
const SEEDS_MAX: u64 = 10_000;

impl Seeds {
    /// From a word such as `7` or `1..20`.
    pub fn of(word: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let (first, last) = match word.split_once("..") {
            Some((first, last)) => (number(first)?, number(last.trim_start_matches('='))?),
            None => (number(word)?, number(word)?),
        };
        let fits = first <= last && last - first < SEEDS_MAX;
        fits.then(|| Self((first..=last).collect()))
    }
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Seeds;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a seed, a list of seeds, or a range such as \"1..20\"")
            }
            fn visit_i64<E: Error>(self, seed: i64) -> Result<Seeds, E> {
                let seed = u64::try_from(seed).map_err(|_| E::custom("a seed is not negative"))?;
                Ok(Seeds(vec![seed]))
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Seeds, E> {
                let wrong = || format!("{word:?} is no range of up to {SEEDS_MAX} seeds");
                Seeds::of(word).ok_or_else(|| E::custom(wrong()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seeds: A) -> Result<Seeds, A::Error> {
                let mut all = Vec::new();
                while let Some(seed) = seeds.next_element()? {
                    all.push(seed);
                }
                let mut seen = BTreeSet::new();
                match all.iter().find(|seed| !seen.insert(**seed)) {
                    _ if all.is_empty() => Err(A::Error::custom("at least one seed is needed")),
                    Some(seed) => Err(A::Error::custom(format!("seed {seed} twice"))),
                    None => Ok(Seeds(all)),
                }
            }
        }
        from.deserialize_any(Reader)
    }
}

/// What helps against an error of the reader: the key that was meant.
pub(super) fn help(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = message.starts_with("unknown field").then(|| quoted.next()).flatten();
    let near = unknown.and_then(|unknown| nearest(unknown, quoted));
    match near {
        Some(near) => format!("did you mean {near:?}?"),
        None if message.contains("expected a string") => {
            "times and rules are texts, such as \"2s\"".to_owned()
        }
        None => "docs/lab.md shows every key of a scenario".to_owned(),
    }
}
