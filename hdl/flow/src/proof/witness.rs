//! The run that breaks an assertion, as smtbmc tells it.

use std::fmt;

use serde::Deserialize;

/// A run from the initial state that breaks an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The assertions that fail, by their labels.
    pub assertions: Vec<String>,
    /// The step in which they fail, from 0.
    pub step: usize,
    /// Free inputs in that step: name and value in hexadecimal (integers in decimal).
    pub values: Vec<(String, String)>,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in step {}:", self.assertions.join(", "), self.step)?;
        for (name, value) in &self.values {
            write!(f, " {name}={value}")?;
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Witness {
    signals: Vec<Signal>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Signal {
    path: Vec<String>,
    width: usize,
    offset: usize,
    init_only: bool,
}

#[derive(Deserialize)]
struct Step {
    bits: String,
}

/// Inputs in the last step of a yosys witness, and that step's number. What is chosen once and stays
/// comes from the first step.
pub(super) fn last_step(json: &str) -> Option<(usize, Vec<(String, String)>)> {
    let witness: Witness = serde_json::from_str(json).ok()?;
    let (first, last) = (witness.steps.first()?.bits.as_bytes(), witness.steps.last()?);
    let last = last.bits.as_bytes();
    // The first signal has the last bits; what only the first step has stands in front there.
    let mut below = 0;
    let mut values = Vec::new();
    for signal in &witness.signals {
        let bits = if signal.init_only { first } else { last };
        let end = bits.len().checked_sub(below)?;
        let start = end.checked_sub(signal.width)?;
        below += signal.width;
        let name: Vec<&str> =
            signal.path.iter().map(|part| part.trim_start_matches('\\')).collect();
        let name = name.join(".");
        if signal.offset == 0 && name != "clock" {
            values.push((name, hexadecimal(&bits[start..end])));
        }
    }
    Some((witness.steps.len() - 1, values))
}

fn hexadecimal(bits: &[u8]) -> String {
    let mut digits: Vec<char> = bits
        .rchunks(4)
        .filter_map(|nibble| {
            let value = nibble.iter().fold(0, |value, bit| value << 1 | u32::from(*bit == b'1'));
            char::from_digit(value, 16)
        })
        .collect();
    digits.reverse();
    digits.into_iter().map(|digit| digit.to_ascii_uppercase()).chain(['H']).collect()
}

/// Values that a model of z3 gives: `(define-fun name () Int value)`.
pub(super) fn integers(model: &str) -> Vec<(String, String)> {
    let spaced = model.replace(['(', ')'], " ");
    let mut words = spaced.split_whitespace();
    let mut values = Vec::new();
    while let Some(word) = words.next() {
        if word == "define-fun"
            && let Some(name) = words.next()
            && let Some(value) = words.nth(1)
        {
            let minus = value == "-";
            let digits = if minus { words.next().unwrap_or("?") } else { value };
            values.push((name.to_owned(), format!("{}{digits}", if minus { "-" } else { "" })));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_signal_has_the_lowest_bits() {
        let json = r#"{"signals": [
            {"path": ["\\b"], "width": 8, "offset": 0, "init_only": false},
            {"path": ["\\clock"], "width": 1, "offset": 0, "init_only": false},
            {"path": ["u", "q"], "width": 2, "offset": 0, "init_only": true}],
            "steps": [{"bits": "10000000000"}, {"bits": "110100101"}]}"#;
        let (step, values) = last_step(json).expect("witness");
        assert_eq!(step, 1);
        assert_eq!(values, [("b".into(), "A5H".into()), ("u.q".into(), "2H".into())]);
        assert_eq!(last_step(&json.replace("110100101", "1")), None);
    }

    #[test]
    fn integers_of_a_model() {
        let model = "(\n  (define-fun a0 () Int\n    (- 7))\n  (define-fun q () Int\n    1)\n)";
        assert_eq!(integers(model), [("a0".into(), "-7".into()), ("q".into(), "1".into())]);
    }
}
