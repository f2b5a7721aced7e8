//! The text of a scenario. Everything is checked before anything starts, and what is wrong is shown
//! at its place.

mod check;
mod raw;

use std::path::{Path, PathBuf};

use kube_boards::diagnostic::Diagnostic;
use kube_boards::file::nearest;

use super::Scenario;
use check::Checker;
use raw::RawFile;

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
    let raw: RawFile = toml::from_str(source).map_err(|error| {
        let message = error.message().trim().to_owned();
        let help = raw::help(&message);
        text.fault(error.span().unwrap_or(0..0), message, help)
    })?;
    Checker { text }.scenario(&raw)
}

/// Reads a scenario from a file.
///
/// # Errors
/// [`ScenarioError`].
pub fn read(path: &Path) -> Result<Scenario, ScenarioError> {
    let failed = |source| ScenarioError::Read { path: path.to_owned(), source };
    parse(path, &std::fs::read_to_string(path).map_err(failed)?)
}

/// Seeds from a word such as `7` or `1..20`.
#[must_use]
pub fn seeds(word: &str) -> Option<Vec<u64>> {
    raw::Seeds::of(word).map(|seeds| seeds.0)
}

#[cfg(test)]
mod tests;
