//! A measured figure and what it is compared with.

use anyhow::Result;
use serde_json::{Value, json};

/// What a figure is compared with.
pub enum Reference {
    /// Measured in the same run: value and what did the work.
    SameRun(f64, String),
    /// Published elsewhere: value and where.
    Published(f64, &'static str),
    /// A bound that the project set itself, or a bound of nature.
    Target(f64, &'static str),
}

impl Reference {
    const fn parts(&self) -> (&'static str, f64, &str) {
        match self {
            Self::SameRun(value, source) => ("same run", *value, source.as_str()),
            Self::Published(value, source) => ("published", *value, source),
            Self::Target(value, source) => ("target", *value, source),
        }
    }
}

/// One measured figure.
pub struct Figure {
    /// Name, family first.
    pub name: &'static str,
    /// Value in `unit`.
    pub value: f64,
    /// Unit.
    pub unit: &'static str,
    /// What it is compared with.
    pub reference: Reference,
    /// What was measured, in words.
    pub work: String,
}

/// How a figure is measured; `None` where something it needs is not there.
pub type Measure = fn() -> Result<Option<Figure>>;

impl Figure {
    /// The figure as one JSON object, `kube-bench/v1`.
    pub fn json(&self) -> Value {
        let (kind, value, source) = self.reference.parts();
        json!({
            "schema": "kube-bench/v1",
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "reference": { "kind": kind, "value": value, "source": source },
            "work": self.work,
        })
    }

    /// The figure as a line for people.
    pub fn text(&self) -> String {
        let (kind, value, source) = self.reference.parts();
        format!(
            "{:<24} {:>12.3} {:<10} {kind} {value:.3} ({source}); {}",
            self.name, self.value, self.unit, self.work
        )
    }
}
