//! The table of proofs, `hdl/proofs/proofs.toml`.

use std::path::PathBuf;

use serde::Deserialize;

/// One proof.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Its name; the top module of a property file is `prove_` and this.
    pub name: String,
    /// Property file (`.sv`) or integer identities (`.smt2`), in the table's folder.
    pub file: String,
    /// What is proven.
    pub claim: String,
    /// For which inputs and runs.
    pub bound: String,
    /// Steps from the initial state in which every assertion is checked; 0 for identities.
    #[serde(default)]
    pub steps: u32,
    /// Depth of the induction that carries the claim to any number of cycles, if there is one.
    pub induction: Option<u32>,
    /// Steps from the initial state in which every `cover` of the property file is met, if it has any: a
    /// proof whose assumptions leave everything out holds as well.
    pub meets: Option<u32>,
    /// Exported top whose modules are meant: `sim`, unless it says otherwise.
    #[serde(default = "sim")]
    pub top: String,
    /// Made beside each fault, never by itself: it takes a run from power-on past a long start, so that the fault
    /// is met in a few steps.
    pub hurry: Option<Fault>,
    /// Too long for the everyday run.
    #[serde(default)]
    pub long: bool,
    /// What is planted, and must be noticed.
    pub faults: Vec<Fault>,
}

fn sim() -> String {
    "sim".to_owned()
}

/// A text replaced in the circuit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// What goes wrong.
    pub what: String,
    /// File: exported Verilog, or the proof's own file for identities.
    pub file: String,
    /// Text that stands there exactly once.
    pub from: String,
    /// What takes its place.
    pub to: String,
    /// The one step to look at, from 0, where the proof's own steps do not reach so far.
    pub step: Option<u32>,
    /// What narrows the search for a late step: SMT-LIB terms over the inputs, `[name]`, that hold in
    /// every step.
    #[serde(default)]
    pub given: Vec<String>,
}

/// Why the table cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// It cannot be read.
    #[error("{path}: {cause}")]
    File {
        /// Which file.
        path: PathBuf,
        /// The system's answer.
        cause: std::io::Error,
    },
    /// It is no such table.
    #[error("{path}: {cause}")]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Place and cause.
        cause: Box<toml::de::Error>,
    },
    /// An entry contradicts itself.
    #[error("{path}: proof {name:?} {cause}")]
    Entry {
        /// Which file.
        path: PathBuf,
        /// Which proof.
        name: String,
        /// What is wrong, and what would be right.
        cause: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    proof: Vec<Proof>,
}

/// All proofs, in the order of the table.
///
/// # Errors
/// Where the table cannot be read or an entry makes no sense; the message names it.
pub fn load() -> Result<Vec<Proof>, TableError> {
    let path = super::folder().join("proofs.toml");
    let text = std::fs::read_to_string(&path)
        .map_err(|cause| TableError::File { path: path.clone(), cause })?;
    parse(&text, &path)
}

/// The proofs of the everyday run.
#[must_use]
pub fn everyday(proofs: Vec<Proof>) -> Vec<Proof> {
    proofs.into_iter().filter(|proof| !proof.long).collect()
}

fn parse(text: &str, path: &std::path::Path) -> Result<Vec<Proof>, TableError> {
    let table: Table = toml::from_str(text)
        .map_err(|cause| TableError::Syntax { path: path.to_owned(), cause: cause.into() })?;
    for (index, proof) in table.proof.iter().enumerate() {
        let identities = proof.file.ends_with(".smt2");
        let cause = if table.proof[..index].iter().any(|other| other.name == proof.name) {
            "stands there twice; give each a name of its own"
        } else if proof.faults.is_empty() {
            "plants no fault; name one that it must notice"
        } else if !identities && proof.steps == 0 {
            "checks no step; give `steps`"
        } else if proof.induction.is_some_and(|depth| depth == 0 || depth > proof.steps) {
            "has an induction deeper than its `steps`, which are its base"
        } else {
            continue;
        };
        let name = proof.name.clone();
        return Err(TableError::Entry { path: path.to_owned(), name, cause });
    }
    Ok(table.proof)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(entry: &str) -> String {
        let text = format!("[[proof]]\nname='p'\nfile='p.sv'\nclaim=''\nbound=''\n{entry}");
        parse(&text, std::path::Path::new("t.toml")).expect_err("refused").to_string()
    }

    #[test]
    fn entries_that_prove_nothing_are_refused() {
        let fault = "faults=[{what='', file='p.v', from='a', to='b'}]\n";
        assert!(refused("steps=1\nfaults=[]").contains("plants no fault"));
        assert!(refused(fault).contains("checks no step"));
        assert!(refused(&format!("steps=1\ninduction=2\n{fault}")).contains("deeper than its"));
        assert!(refused(&format!("steps=1\ndepth=2\n{fault}")).contains("unknown field"));
    }

    #[test]
    fn the_table_is_in_order() {
        let proofs = load().expect("table");
        assert!(proofs.len() >= 10);
    }
}
