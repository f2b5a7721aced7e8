//! An error as a person sees it: code, headline, causes, what helps.

use std::fmt::Write;
use std::io::ErrorKind;
use std::path::Path;

use kube_boards::file::FleetFileError;
use serde_json::{Value, json};

use crate::code::{self, Code};

/// Why a program could not do its work.
#[derive(Debug)]
pub struct Failure {
    /// Kind.
    pub code: &'static Code,
    /// What went wrong, one line.
    pub headline: String,
    /// Why, nearest cause first.
    pub causes: Vec<String>,
    /// What to do, best a command.
    pub help: Option<String>,
    /// Whether stdout has the result already, so that no error object follows it.
    pub answered: bool,
}

/// What the work of a program ends with.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// An error of a kind.
    #[must_use]
    pub fn new(code: &'static Code, headline: impl Into<String>) -> Self {
        Self { code, headline: headline.into(), causes: Vec::new(), help: None, answered: false }
    }

    /// Adds a cause.
    #[must_use]
    pub fn cause(mut self, cause: impl std::fmt::Display) -> Self {
        self.causes.push(cause.to_string());
        self
    }

    /// Says what helps.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A file that somebody has named and that cannot be read.
    #[must_use]
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        let code = match error.kind() {
            ErrorKind::PermissionDenied => &code::FILE_DENIED,
            _ => &code::IO,
        };
        let shown = path.display();
        let failure = Self::new(code, format!("{shown} cannot be read")).cause(error);
        match error.kind() {
            ErrorKind::PermissionDenied => {
                failure.help(format!("its owner may: chmod a+r {shown}"))
            }
            ErrorKind::NotFound => failure.help("is the name right? ls shows what is there"),
            ErrorKind::IsADirectory => failure.help("it is a folder: name a file in it"),
            ErrorKind::InvalidData => failure.help("it is no text: name another file"),
            _ => failure.help("look at the medium that it is on, or name another file"),
        }
    }

    /// Says that stdout has the result already: this failure is an answer, as of `diff`.
    #[must_use]
    pub fn answered(mut self) -> Self {
        self.answered = true;
        self
    }

    /// The error as text, with marks for a terminal if `color`.
    #[must_use]
    pub fn text(&self, color: bool) -> String {
        let style = |text: &str, style: console::Style| {
            style.force_styling(color).apply_to(text).to_string()
        };
        let red = console::Style::new().red().bold();
        let cyan = console::Style::new().cyan().bold();
        let error = style(&format!("error[{}]", self.code.name), red);
        let mut text = format!("{error}: {}", self.headline);
        for cause in &self.causes {
            let _ = write!(text, "\n  cause: {}", cause.replace('\n', "\n         "));
        }
        if let Some(help) = &self.help {
            let _ =
                write!(text, "\n  {}: {}", style("help", cyan), help.replace('\n', "\n        "));
        }
        text
    }

    /// The error as an object of schema `kube/v1`.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "schema": crate::output::SCHEMA,
            "kind": "error",
            "code": self.code.name,
            "exit": self.code.exit as u8,
            "headline": self.headline,
            "causes": self.causes,
            "help": self.help,
        })
    }
}

impl From<FleetFileError> for Failure {
    fn from(error: FleetFileError) -> Self {
        let help = error.help();
        let failure = match &error {
            FleetFileError::Read { path, source } => {
                Self::new(&code::FLEET_READ, format!("{} cannot be read", path.display()))
                    .cause(source)
            }
            FleetFileError::Place(found) => {
                let place = format!("{}:{}", found.path.display(), found.line);
                Self::new(&code::FLEET_PLACE, format!("the fleet file is wrong at {place}"))
                    .cause(found)
            }
            FleetFileError::KeyMode { .. } => Self::new(&code::FLEET_KEY_MODE, error.to_string()),
        };
        failure.help(help)
    }
}
