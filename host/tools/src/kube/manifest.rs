//! A manifest: deployments as they should be, in YAML or TOML.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::codes;
use super::name;
use crate::failure::{Failure, Outcome};

/// Largest count that the plane takes.
const REPLICAS_MAX: usize = 9_999;
/// Longest name of a module on the air.
const MODULE_CHARS: usize = 15;
/// Labels of an object, with a blank between two.
const LABELS_CHARS: usize = 38;
/// One label: a word of the plane's command line.
const LABEL_CHARS: usize = 31;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(alias = "items")]
    deployments: Vec<Wish>,
    // What `kube get deployments -o yaml` writes beside them.
    #[serde(rename = "schema")]
    _schema: Option<IgnoredAny>,
    #[serde(rename = "kind")]
    _kind: Option<IgnoredAny>,
}

/// A deployment as it should be.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// Name.
    pub name: String,
    /// How many pods.
    pub replicas: usize,
    /// Module that they run.
    pub module: String,
    /// Labels that their nodes must have.
    #[serde(default)]
    select: Select,
    /// Whether rollouts are kept from going on.
    #[serde(default)]
    pub paused: bool,
    #[serde(rename = "ready")]
    _ready: Option<IgnoredAny>,
    #[serde(rename = "revision")]
    _revision: Option<IgnoredAny>,
    #[serde(rename = "state")]
    _state: Option<IgnoredAny>,
    #[serde(rename = "idle")]
    _idle: Option<IgnoredAny>,
}

/// Labels, as a table, as text `zone=a disk=big` or as a list of such words.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
enum Select {
    #[default]
    Nothing,
    Text(String),
    List(Vec<String>),
    Table(BTreeMap<String, String>),
}

impl Wish {
    /// Labels as the plane writes them, in order.
    #[must_use]
    pub fn select(&self) -> String {
        let words: Vec<String> = match &self.select {
            Select::Nothing => Vec::new(),
            Select::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
            Select::List(words) => words.clone(),
            Select::Table(table) => table.iter().map(|(k, v)| format!("{k}={v}")).collect(),
        };
        ordered(words)
    }

    fn check(&self) -> Result<(), String> {
        name::check(&self.name)?;
        let module = &self.module;
        let letters = module.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && module.starts_with(|c: char| c.is_ascii_alphabetic());
        if !letters || module.len() > MODULE_CHARS {
            return Err(format!(
                "{module:?} is no module: a letter, then up to 14 letters or digits"
            ));
        }
        if self.replicas > REPLICAS_MAX {
            return Err(format!("{} replicas: at most {REPLICAS_MAX}", self.replicas));
        }
        check_labels(&self.select())
    }
}

/// Words in the order of the alphabet, each once.
pub fn ordered(words: impl IntoIterator<Item = String>) -> String {
    let words: BTreeSet<String> = words.into_iter().collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// Checks labels before they are sent.
///
/// # Errors
/// What is wrong with them.
pub fn check_labels(labels: &str) -> Result<(), String> {
    for label in labels.split_whitespace() {
        let (key, value) = label.split_once('=').unwrap_or((label, ""));
        let plain = label.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"~;".contains(&byte));
        if key.is_empty() || value.is_empty() || !plain || label.len() > LABEL_CHARS {
            return Err(format!(
                "{label:?} is no label: key=value, at most {LABEL_CHARS} characters"
            ));
        }
    }
    if labels.len() > LABELS_CHARS {
        return Err(format!(
            "the labels {labels:?} are too long: {LABELS_CHARS} characters in all"
        ));
    }
    Ok(())
}

/// Reads a manifest; `-` is standard input.
///
/// # Errors
/// `kube::manifest`, `kube::io`.
pub fn read(path: &Path) -> Outcome<Vec<Wish>> {
    let shown = path.display();
    let text = if path.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| Failure::unreadable(path, &error))?;
    let toml = path.extension().is_some_and(|extension| extension == "toml");
    let wishes = parse(&text, toml).map_err(|why| {
        Failure::new(&codes::MANIFEST, format!("{shown} is no manifest"))
            .cause(why)
            .help("kube --explain kube::manifest says what one looks like")
    })?;
    Ok(wishes)
}

fn parse(text: &str, toml: bool) -> Result<Vec<Wish>, String> {
    let file: File = if toml {
        toml::from_str(text).map_err(|error| error.to_string())?
    } else {
        serde_saphyr::from_str(text).map_err(|error| error.to_string())?
    };
    let mut names = BTreeSet::new();
    for wish in &file.deployments {
        wish.check().map_err(|why| format!("deployment {}: {why}", wish.name))?;
        if !names.insert(wish.name.clone()) {
            return Err(format!("deployment {} stands there twice", wish.name));
        }
    }
    Ok(file.deployments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_toml_say_the_same() {
        let yaml = "deployments:\n- name: web\n  replicas: 4\n  module: Ticker\n  select: {zone: a, \
                    disk: big}\n- {name: api-2, replicas: 0, module: Nope, paused: true}\n";
        let toml = "[[deployments]]\nname = \"web\"\nreplicas = 4\nmodule = \"Ticker\"\nselect = \
                    \"zone=a disk=big\"\n[[deployments]]\nname = \"api-2\"\nreplicas = 0\nmodule = \
                    \"Nope\"\npaused = true\n";
        for wishes in [parse(yaml, false), parse(toml, true)] {
            let wishes = wishes.expect("a manifest");
            assert_eq!(wishes[0].select(), "disk=big zone=a");
            assert_eq!((wishes[1].paused, wishes[1].select().as_str()), (true, ""));
        }
    }

    #[test]
    fn what_get_writes_is_a_manifest() {
        let yaml = "schema: \"kube/v1\"\nkind: \"deployments\"\nitems:\n  - idle: \"3 s\"\n    module: \
                    \"Ticker\"\n    name: \"web\"\n    paused: false\n    ready: 4\n    replicas: 4\n    \
                    revision: 1\n    select: null\n    state: \"complete\"\n";
        let wishes = parse(yaml, false).expect("a manifest");
        assert_eq!((wishes[0].name.as_str(), wishes[0].select().as_str()), ("web", ""));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let web = |rest: &str| format!("deployments:\n- name: web\n  replicas: 4\n{rest}");
        for (text, why) in [
            (web("  module: Ticker\n  replica: 3\n"), "replica"),
            (web("  image: Ticker\n"), "image"),
            (web(""), "module"),
            (web("  module: Ticker-2\n"), "is no module"),
            (web("  module: Ticker\n  select: zone\n"), "is no label"),
            (web("  module: Ticker\n- {name: web, replicas: 1, module: A}\n"), "twice"),
            (
                "deployments: [{name: -web, replicas: 1, module: A}]".to_owned(),
                "cannot be the name",
            ),
            ("deployments: [{name: w, replicas: 10000, module: A}]".to_owned(), "at most 9999"),
            ("deployments: [{name: w, replicas: -1, module: A}]".to_owned(), "-1"),
            ("a: [".to_owned(), "line"),
        ] {
            let said = parse(&text, false).expect_err(&text);
            assert!(said.contains(why), "no {why:?} in {said:?}");
        }
    }
}
