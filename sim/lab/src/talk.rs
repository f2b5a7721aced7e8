//! What the program says: data to stdout, talk to stderr, an error with its cause and what helps; and
//! Ctrl-C.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use kube_boards::file::FleetFileError;
use kube_lab::lab::LabError;
use kube_lab::panel::screen::ScreenError;
use kube_lab::scenario::file::ScenarioError;

/// Exit code for wrong usage and wrong scenarios.
pub const USAGE: u8 = 2;
/// Exit code after Ctrl-C, or a signal that asks a program to end.
pub const INTERRUPTED: u8 = 130;

/// A line of talk. Nobody listening is no reason to stop.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A line of data. A reader that closes the pipe has what it wanted.
pub fn data(line: impl Display) {
    let mut stdout = std::io::stdout().lock();
    let Err(error) = writeln!(stdout, "{line}").and_then(|()| stdout.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    say(format!("error: standard output cannot be written\n  cause: {error}"));
    std::process::exit(1);
}

/// Wrong usage that only the work shows.
#[derive(Debug, thiserror::Error)]
#[error("{headline}: {cause}")]
pub struct Usage {
    /// What cannot be.
    pub headline: String,
    /// Why.
    pub cause: String,
    /// What to do.
    pub help: String,
}

/// An error with its causes, each of them once: some errors name their cause themselves.
pub fn said(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Says what is wrong, why and what helps; the exit code.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    let (mut text, help) = match error.downcast_ref::<Usage>() {
        Some(Usage { headline, cause, help }) => {
            (format!("{headline}\n  cause: {cause}"), help.clone())
        }
        None => (said(error), help(error)),
    };
    if !help.is_empty() {
        text = format!("{text}\n  help: {help}");
    }
    say(format!("error: {text}"));
    ExitCode::from(code(error))
}

fn help(error: &anyhow::Error) -> String {
    let of_scenario = error.downcast_ref::<ScenarioError>().map(ScenarioError::help);
    let of_fleet = || error.downcast_ref::<FleetFileError>().map(FleetFileError::help);
    of_scenario.or_else(of_fleet).unwrap_or_default()
}

/// What an error is for a shell: the codes mean what they mean in every tool.
fn code(error: &anyhow::Error) -> u8 {
    if let Some(error) = error.downcast_ref::<FleetFileError>() {
        return match error {
            FleetFileError::Read { .. } => 1,
            FleetFileError::Place(_) => USAGE,
            FleetFileError::KeyMode { .. } => 4,
        };
    }
    if matches!(error.downcast_ref(), Some(LabError::Stopped { .. })) {
        return INTERRUPTED;
    }
    let no_terminal =
        matches!(error.downcast_ref(), Some(ScreenError::NoTerminal | ScreenError::Dumb));
    let usage = no_terminal || error.is::<Usage>() || error.is::<ScenarioError>();
    if usage { USAGE } else { 1 }
}

static HELD: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Takes the signals over. They end the program at once: each line of data has been handed on by then.
/// Work with something to leave in order holds them.
pub fn install() {
    let handler = || {
        if !HELD.load(Ordering::SeqCst) || ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    };
    // On a platform without signals nobody sends any.
    drop(ctrlc::set_handler(handler));
}

/// From now on the first signal is only noted, for [`stop`]; a second one ends the program.
pub fn hold() {
    HELD.store(true, Ordering::SeqCst);
}

/// Whether somebody wants the program to end.
pub fn stop() -> bool {
    ASKED.load(Ordering::SeqCst)
}
