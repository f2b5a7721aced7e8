//! The subcommands of `obc`, and what they share: reading, writing, talking.

pub mod build;
pub mod cache;
pub mod fmt;
pub mod link;
pub mod listings;
pub mod messages;
pub mod places;
pub mod traps;

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use obc::Source;
use obc::object::ObjectFile;

/// Writes a line to stderr; a closed stderr is no failure of the work.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes to stdout. A reader that has closed the pipe has seen enough.
///
/// # Errors
///
/// Any other failure to write.
pub fn put(text: &str) -> Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to stdout"),
    }
}

/// Reads a source text. Texts of Project Oberon may hold bytes that are no UTF-8, in comments.
pub fn read_source(path: &Path) -> Result<Source> {
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    Ok(Source::new(path.display().to_string(), text))
}

pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

pub fn read_object(path: &Path) -> Result<ObjectFile> {
    ObjectFile::parse(&read(path)?).with_context(|| path.display().to_string())
}
