//! Running a tool to its end, and why that fails.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool that did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It did not start.
    #[error(
        "cannot start {program}: {cause}; remove the folder flow-tools in cargo's target folder and try again"
    )]
    Start {
        /// Program.
        program: String,
        /// The system's answer.
        cause: std::io::Error,
    },
    /// It refused its input.
    #[error("{program} failed in {folder}: {message}")]
    Failed {
        /// Program.
        program: String,
        /// Where it ran.
        folder: PathBuf,
        /// Its own words: the lines that say "error", else the last ones.
        message: String,
    },
    /// A file is not there or cannot be written.
    #[error("{path}: {cause}")]
    File {
        /// Which.
        path: PathBuf,
        /// The system's answer.
        cause: std::io::Error,
    },
    /// It wrote something that is not understood.
    #[error("{path} does not say {what}; another version of the tool?")]
    Report {
        /// File.
        path: PathBuf,
        /// What was looked for.
        what: String,
    },
}

impl ToolError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::File { path, cause }
    }
}

/// Runs a command and gives what it printed.
///
/// # Errors
/// If it cannot start, or fails; the error has its own words.
pub fn complete(command: &mut Command) -> Result<String, ToolError> {
    let program = Path::new(command.get_program())
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let output =
        command.output().map_err(|cause| ToolError::Start { program: program.clone(), cause })?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut told: Vec<&str> =
        lines.iter().filter(|line| line.to_lowercase().contains("error")).copied().collect();
    if told.is_empty() {
        told = lines[lines.len().saturating_sub(3)..].to_vec();
    }
    let folder = command.get_current_dir().unwrap_or(Path::new(".")).to_owned();
    Err(ToolError::Failed { program, folder, message: told.join(" / ") })
}

/// Names of the files in a folder that end in `.v`, sorted.
///
/// # Errors
/// If the folder cannot be read.
pub fn verilog_files(folder: &Path) -> Result<Vec<String>, ToolError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(ToolError::file(folder))? {
        let name = entry.map_err(ToolError::file(folder))?.file_name();
        names.extend(name.to_str().filter(|name| name.ends_with(".v")).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}
