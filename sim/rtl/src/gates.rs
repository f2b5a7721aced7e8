//! A circuit after synthesis beside the same circuit from its sources, with the same inputs, under
//! Verilator: do all pins agree, cycle by cycle?
//!
//! The netlist's cells are those of an ECP5; `gates/cells.sv` says what each does. Two benches:
//! [`Bench::Ulx3s`] runs a ULX3S's top with its memory and a card until its boot loader has read the
//! first sector; [`Bench::Random`] gives random inputs to any circuit with the ports of
//! `gates/random.sv`. Verilator and a C++ compiler are called at run time, for the netlist is made
//! then.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What runs beside the two circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bench {
    /// Memory and card of a ULX3S; modules `ulx3s` and `ulx3s_gates`.
    Ulx3s,
    /// Random inputs from a seed; modules `unit` and `unit_gates`.
    Random {
        /// Seed.
        seed: u32,
    },
}

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// All pins agreed to the end.
    Matched {
        /// Cycles compared.
        cycles: u64,
    },
    /// A pin differed.
    Differs {
        /// In which cycle.
        cycle: u64,
        /// Its number in the bench's vector of pins.
        pin: u32,
        /// Level of the source's pin; the netlist's is the other.
        source: bool,
    },
    /// They agreed, but did not come to the end within the limit.
    Stuck {
        /// Cycles compared.
        cycles: u64,
    },
}

/// Why nothing was compared.
#[derive(Debug, thiserror::Error)]
pub enum GatesError {
    /// A tool did not start or failed.
    #[error("{tool} failed: {message}; it is called in {folder}")]
    Tool {
        /// Name.
        tool: &'static str,
        /// Its last words.
        message: String,
        /// Where.
        folder: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// The bench said something strange.
    #[error("the bench said {0:?}")]
    Words(String),
}

const CELLS: &str = include_str!("gates/cells.sv");
const ULX3S: [&str; 2] = [include_str!("gates/ulx3s.sv"), include_str!("gates/ulx3s.cpp")];
const RANDOM: [&str; 2] = [include_str!("gates/random.sv"), include_str!("gates/random.cpp")];

/// Compares, in a folder that is made anew. `sources` is the folder of the circuit's Verilog, `netlist`
/// the Verilog of its cells. At most `limit` cycles.
///
/// # Errors
/// If Verilator or the C++ compiler is missing or refuses a file.
pub fn compare(
    bench: Bench,
    sources: &Path,
    netlist: &Path,
    folder: &Path,
    limit: u64,
) -> Result<Agreement, GatesError> {
    let file = |path: &Path| {
        let path = path.to_owned();
        move |source| GatesError::File { path, source }
    };
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(file(folder))?;
    }
    fs::create_dir_all(folder).map_err(file(folder))?;
    let ([top, program], seed) = match bench {
        Bench::Ulx3s => (ULX3S, 0),
        Bench::Random { seed } => (RANDOM, seed),
    };
    for (name, text) in [("cells.sv", CELLS), ("bench.sv", top), ("main.cpp", program)] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(file(&path))?;
    }
    let verilog = verilog_of(sources)?;
    let copy = folder.join("netlist.v");
    fs::copy(netlist, &copy).map_err(file(netlist))?;
    let mut verilator = Command::new("verilator");
    verilator
        .current_dir(folder)
        .args(["--cc", "--exe", "-O3", "--x-assign", "fast", "--x-initial", "fast"])
        // The sources are Verilog, in which names of later standards are allowed.
        .args(["--default-language", "1364-2005", "+1800-2017ext+sv", "-Wno-fatal", "-Wno-lint"])
        .args(["-Wno-WIDTH", "-Wno-MULTIDRIVEN", "-Wno-UNOPTFLAT", "--output-split", "20000"])
        .args(["--top-module", "bench", "--prefix", "Vgates", "--Mdir", "made"])
        .args(["bench.sv", "cells.sv", "netlist.v"])
        .args(&verilog)
        .arg("main.cpp");
    run("verilator", &mut verilator, folder)?;
    let mut make = Command::new("make");
    make.current_dir(folder).args([
        "-s",
        "-C",
        "made",
        "-f",
        "Vgates.mk",
        "OPT_FAST=-O1",
        "OPT_SLOW=-O0",
    ]);
    run("make", &mut make, folder)?;
    let mut bench = Command::new(folder.join("made/Vgates"));
    bench.current_dir(folder).arg(limit.to_string()).arg(seed.to_string());
    let said = run("the bench", &mut bench, folder)?;
    understood(&said).ok_or(GatesError::Words(said))
}

/// All Verilog files of a folder.
pub(crate) fn verilog_of(folder: &Path) -> Result<Vec<PathBuf>, GatesError> {
    let file = |path: &Path| {
        let path = path.to_owned();
        move |source| GatesError::File { path, source }
    };
    let mut verilog = Vec::new();
    for entry in fs::read_dir(folder).map_err(file(folder))? {
        let path = entry.map_err(file(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "v") {
            verilog.push(fs::canonicalize(&path).map_err(file(&path))?);
        }
    }
    verilog.sort();
    Ok(verilog)
}

pub(crate) fn run(
    tool: &'static str,
    command: &mut Command,
    folder: &Path,
) -> Result<String, GatesError> {
    let failed = |message| GatesError::Tool { tool, message, folder: folder.to_owned() };
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors: Vec<&str> =
        text.lines().filter(|line| line.to_lowercase().contains("error")).take(3).collect();
    Err(failed(errors.join(" / ")))
}

fn understood(said: &str) -> Option<Agreement> {
    let words: Vec<&str> = said.split_whitespace().collect();
    match words[..] {
        ["matched", cycles] => Some(Agreement::Matched { cycles: cycles.parse().ok()? }),
        ["stuck", cycles] => Some(Agreement::Stuck { cycles: cycles.parse().ok()? }),
        ["differs", cycle, pin, source, _] => Some(Agreement::Differs {
            cycle: cycle.parse().ok()?,
            pin: pin.parse().ok()?,
            source: source == "1",
        }),
        _ => None,
    }
}
