//! `obc trap`: a machine's log with file and line beside its traps.
//!
//! A trap line names the place in the source text, cut to 16 bits, and the module: `pos 1234 ...
//! in Kube`, as our system and Project Oberon print it.

use std::io::{self, BufRead as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use obc::positions::{Table, line_of, text_sum};

use super::{put, read};

/// Reads stdin to its end.
pub fn explain(folders: &[PathBuf]) -> Result<ExitCode> {
    for folder in folders {
        std::fs::read_dir(folder).with_context(|| {
            format!("cannot read {}; name a folder that obc build wrote to", folder.display())
        })?;
    }
    for line in io::stdin().lock().lines() {
        let line = line.context("cannot read the log")?;
        put(&format!("{line}\n"))?;
        if let Some((module, position)) = trap(&line) {
            put(&format!("  {}\n", place(folders, module, position)?))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Module and position of a trap line.
fn trap(line: &str) -> Option<(&str, u32)> {
    let word_after = |text: &str| {
        let at = line.find(text)? + text.len();
        line[at..].split(|c: char| !c.is_ascii_alphanumeric()).next()
    };
    if !line.contains("TRAP") {
        return None;
    }
    Some((word_after(" in ")?, word_after("pos ")?.parse().ok()?))
}

fn place(folders: &[PathBuf], module: &str, position: u32) -> Result<String> {
    let file = folders.iter().map(|f| f.join(format!("{module}.pos"))).find(|f| f.exists());
    let Some(file) = file else {
        return Ok(format!("no position table of {module}"));
    };
    let table = Table::parse(&String::from_utf8_lossy(&read(&file)?))
        .with_context(|| file.display().to_string())?;
    let text = match std::fs::read(&table.source) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return Ok(format!("cannot read {}: {error}", table.source)),
    };
    if text_sum(&text) != table.source_sum {
        return Ok(format!("{} has changed since it was compiled", table.source));
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    // Only 16 bits are in the log: in a long text more than one place fits.
    let places: Vec<String> = (position..text.len() as u32)
        .step_by(0x1_0000)
        .map(|byte| {
            let (line, column) = line_of(&text, byte);
            let shown = lines.split('\n').nth(line as usize - 1).unwrap_or_default();
            format!("{}:{line}:{column}: {}", table.source, shown.trim())
        })
        .collect();
    Ok(if places.is_empty() {
        format!("{} is shorter than that", table.source)
    } else {
        places.join("\n  or ")
    })
}
