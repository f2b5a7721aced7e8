//! The text of a scenario. Everything is checked before anything starts, and what is wrong is shown
//! at its place.

mod check;
mod raw;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use kube_boards::diagnostic::Diagnostic;
use kube_boards::file::nearest;
use kube_boards::fleet::Keys;

use super::Scenario;
use check::Checker;
use raw::{RawCase, RawFile};

/// Most bytes of a scenario.
const BYTES_MAX: u64 = 1 << 20;

/// Why there is no scenario.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// A file cannot be read.
    #[error("{path} cannot be read: {source}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{0}")]
    Place(Box<Diagnostic>),
    /// No file, and none of the project's.
    #[error("no file and no scenario of the project is called {name:?}")]
    Unknown {
        /// As given.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
}

impl ScenarioError {
    /// What helps.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Read { .. } => "is the name right, and may you read it?".to_owned(),
            Self::Place(diagnostic) => diagnostic.help.clone(),
            Self::Unknown { name, known } => {
                let names = known.iter().map(String::as_str);
                let halves = names.clone().filter_map(|known| Some(known.split_once('-')?.1));
                let near = nearest(name, names.chain(halves));
                let near = near.map_or(String::new(), |near| format!("did you mean {near}? "));
                format!("{near}kube-lab list shows all")
            }
        }
    }
}

/// A text with its name.
pub(super) struct Text<'a> {
    path: &'a Path,
    source: &'a str,
}

impl Text<'_> {
    fn fault(
        &self,
        at: std::ops::Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ScenarioError {
        let (message, help) = (message.into(), help.into());
        ScenarioError::Place(Box::new(Diagnostic::new(self.path, self.source, at, message, help)))
    }

    /// Line of a place, from 1.
    fn line(&self, at: usize) -> usize {
        self.source.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
    }
}

/// Reads a scenario from its text; `path` names it in errors and in results.
///
/// # Errors
/// [`ScenarioError::Place`] with line and column.
///
/// ```
/// use kube_lab::scenario::file::parse;
/// let text = "
/// title = 'Two nodes are heard'
/// [fleet]
/// nodes = 2
/// [[step]]
/// until = ['nodes = 2']
/// within = '15s'
/// ";
/// let scenario = parse("two.toml".as_ref(), text)?;
/// assert_eq!(scenario.plans[0].steps.len(), 1);
/// # Ok::<(), kube_lab::scenario::file::ScenarioError>(())
/// ```
pub fn parse(path: &Path, source: &str) -> Result<Scenario, ScenarioError> {
    let text = Text { path, source };
    let raw = raw_file(&text)?;
    Checker { text }.scenario(&raw)
}

/// What a scenario is played with instead of its own cases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// Name of the case.
    pub name: String,
    /// Nodes beside the plane.
    pub nodes: Option<usize>,
    /// Who has which key.
    pub keys: Option<Keys>,
    /// Bit rate in Mbit/s.
    pub mbit: Option<u8>,
    /// Probability that a receiver loses a frame.
    pub loss: Option<f64>,
    /// Seeds.
    pub seeds: Vec<u64>,
    /// Values that texts name in braces.
    pub set: BTreeMap<String, i64>,
}

/// Reads a scenario of one case, which is given and not the file's.
///
/// # Errors
/// [`ScenarioError::Place`]; what is wrong with the case itself is shown at the first line.
pub fn parse_as(path: &Path, source: &str, case: &Variant) -> Result<Scenario, ScenarioError> {
    let text = Text { path, source };
    let mut raw = raw_file(&text)?;
    raw.case = vec![raw::given(RawCase::of(case))];
    Checker { text }.scenario(&raw)
}

fn raw_file(text: &Text<'_>) -> Result<RawFile, ScenarioError> {
    toml::from_str(text.source).map_err(|error| {
        let message = error.message().trim().to_owned();
        let help = raw::help(&message);
        text.fault(error.span().unwrap_or(0..0), message, help)
    })
}

/// Reads a scenario from a file.
///
/// # Errors
/// [`ScenarioError`].
pub fn read(path: &Path) -> Result<Scenario, ScenarioError> {
    parse(path, &text(path)?)
}

/// The text of a scenario's file.
///
/// # Errors
/// [`ScenarioError::Read`]; [`ScenarioError::Place`] where it is no text, or longer than any scenario.
pub fn text(path: &Path) -> Result<String, ScenarioError> {
    let failed = |source| ScenarioError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    let long = bytes.len() as u64 > BYTES_MAX;
    match String::from_utf8(bytes) {
        Ok(source) if long => {
            let message = format!("a scenario has at most {BYTES_MAX} bytes");
            Err(Text { path, source: &source }.fault(0..0, message, "is it the right file?"))
        }
        Ok(source) => Ok(source),
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let source = String::from_utf8_lossy(error.as_bytes());
            let text = Text { path, source: &source };
            Err(text.fault(good..good, "here is no text", "a scenario is a TOML file in UTF-8"))
        }
    }
}

/// Seeds from a word such as `7` or `1..20`.
#[must_use]
pub fn seeds(word: &str) -> Option<Vec<u64>> {
    raw::Seeds::of(word).map(|seeds| seeds.0)
}

#[cfg(test)]
mod tests;
