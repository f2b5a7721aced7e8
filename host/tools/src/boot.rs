//! `kube-boot`: a board's serial line: commands with answers, a monitor, images into memory and onto
//! the card.
//!
//! | module | holds |
//! |---|---|
//! | [`port`] | a serial port or a pseudo-terminal, found and opened |
//! | [`lab`] | the line of a machine in a running lab |
//! | [`desk`] | a session on a port: what is waited for, and what is said meanwhile |
//! | [`codes`] | error codes |
//!
//! The protocol: `kube_proto::serial`, `kube_serial`.

pub mod codes;
pub mod desk;
mod info;
pub mod lab;
mod load;
mod monitor;
pub mod port;
mod run;
mod write;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::failure::Outcome;
use crate::flags::Shared;
use crate::program::{Program, Session};

/// Talks to a board over its serial line: runs commands there, loads images, watches.
///
/// Words that are no verb are a command of the board, such as
/// `kube-boot --board node1 System.Watch`; several are separated by `;`, and flags stand before them.
/// What it writes goes to stdout; whether it was done, has failed or cannot be known is the exit code
/// and the last line.
#[derive(Parser, Debug)]
#[command(name = "kube-boot")]
pub struct Arguments {
    #[command(flatten)]
    shared: Shared,
    #[command(flatten)]
    line: LineFlags,
    #[command(flatten)]
    start: run::StartFlags,
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// What every banner of a machine holds.
pub const BANNER: &str = "boot number ";

/// Flags of everything that goes over the line.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Flags of the line")]
pub struct LineFlags {
    /// The port, such as /dev/ttyUSB0 or a pseudo-terminal; without it the one of the board.
    #[arg(long, global = true, value_name = "PORT")]
    pub port: Option<PathBuf>,
    /// Seconds after which nobody waits any longer; 0 for ever.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    pub timeout: f64,
    /// Go on listening until a line holds this text.
    #[arg(long, global = true, value_name = "TEXT")]
    pub exit_on: Option<String>,
    /// Also append every line that the board sends to a file.
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Put the time since the start of this program before every line.
    #[arg(long, global = true)]
    pub timestamps: bool,
}

pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds @ 0.0..=1e6) => Ok(seconds),
        _ => Err("expected a number of seconds".to_owned()),
    }
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Show what the board writes. Sends nothing but what is typed, never resets, and opens the port
    /// again when it comes back.
    Monitor,
    /// Say what runs there: circuit, build, clock, features, boot number.
    Info,
    /// Load a boot image, or that of a disk image, into memory and start it.
    Load(load::Flags),
    /// Write a disk image to the card of the running board and restart it. Only sectors that differ
    /// are sent; each is read back there.
    Write(write::Flags),
    /// A command of the board and its parameters; several are separated by `;`.
    #[command(external_subcommand)]
    Command(Vec<String>),
}

impl Program for Arguments {
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn run(self, session: &Session) -> Outcome {
        match self.verb {
            None => run::run(session, &self.line, &self.start, &[]),
            Some(Verb::Command(words)) => run::run(session, &self.line, &self.start, &words),
            Some(Verb::Monitor) => monitor::run(session, &self.line),
            Some(Verb::Info) => info::run(session, &self.line),
            Some(Verb::Load(flags)) => load::run(session, &self.line, &flags),
            Some(Verb::Write(flags)) => write::run(session, &self.line, &flags),
        }
    }
}
