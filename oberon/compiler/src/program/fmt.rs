//! `obc fmt`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use obc::{Source, format};

use super::{put, read, say, write};

/// A text does not have the layout that was asked about.
const DIFFERS: u8 = 5;

/// Lays texts out in place; with `check` only says which would change; with `stdout` writes the
/// text there. Nothing is written if any of the texts has errors.
pub fn format(files: &[PathBuf], check: bool, stdout: bool) -> Result<ExitCode> {
    let mut changed = Vec::new();
    let mut errors = 0;
    for path in files {
        let text = String::from_utf8(read(path)?).with_context(|| {
            format!("{} is no UTF-8 text: it would not stay what it is", path.display())
        })?;
        let source = Source::new(path.display().to_string(), text);
        match format::format(&source) {
            Ok(new) if stdout => put(&new)?,
            Ok(new) if new == source.text => {}
            Ok(new) => changed.push((path, new)),
            Err(found) => {
                errors += found.len();
                found.iter().for_each(|d| say(&format!("{d}\n")));
            }
        }
    }
    if errors > 0 {
        say(&format!("error: {errors} errors, nothing was changed"));
        return Ok(ExitCode::FAILURE);
    }
    for (path, new) in &changed {
        if check {
            put(&format!("{}\n", path.display()))?;
        } else {
            write(path, new.as_bytes())?;
        }
    }
    if check && !changed.is_empty() {
        say(&format!("error: {} files have another layout: run obc fmt on them", changed.len()));
        return Ok(ExitCode::from(DIFFERS));
    }
    Ok(ExitCode::SUCCESS)
}
