//! `kube-lab`: runs clusters of machines on one simulated air and judges them by its frames.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that people run")]

mod display;
mod lines;
mod measure;
mod run;
mod talk;
mod terminal_view;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use kube_boards::fleet::Fleet;

/// Runs clusters of machines on one simulated air and judges them by what is heard there.
#[derive(Parser)]
#[command(version, propagate_version = true, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 all held, 1 something did not hold, 2 wrong usage or a wrong scenario, \
     130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Play scenarios, and say what held. Without one, lab2-rollout: a cluster forms, and a deployment
    /// is rolled out.
    #[command(after_help = EXIT_CODES)]
    Run(run::RunFlags),
    /// List the scenarios of the project, or check scenarios of one's own.
    List(run::ListFlags),
    /// Play a scenario and keep all of it in a folder: its air, what was done when, what came of it.
    #[command(after_help = EXIT_CODES)]
    Record(run::RecordFlags),
    /// Judge a recording again, without machines; also by another version of its scenario.
    #[command(after_help = EXIT_CODES)]
    Replay(run::ReplayFlags),
    /// Run a cluster in real time, each machine's serial line on a pseudo-terminal. Prints where they
    /// are; a terminal program and kube-boot --port open them as they would open a board's.
    Lines(lines::Flags),
    /// Form clusters of many nodes on one air, apply a deployment, and watch them at rest: how soon they
    /// converge, what share of the air they use, whether the plane takes a node for lost.
    Load(measure::Flags),
    /// Run a cluster on this terminal: machines with power and cut switches, the air and its loss, frames
    /// as they pass, each machine's serial line with a command line, pictures of screens.
    View(terminal_view::Flags),
    /// Measure what a cluster at rest costs this host: machines that a core runs in real time,
    /// instructions and frames a second.
    Bench(measure::BenchFlags),
}

/// Cluster name and key of the lab, those of the published labs.
const CLUSTER: &str = "kube";
const KEY: &str = "00c0ffee00c0ffee";

/// Which machines there are.
#[derive(clap::Args)]
struct Machines {
    /// Nodes beside the plane.
    #[arg(long, default_value_t = 2, conflicts_with = "fleet", value_parser = measure::nodes)]
    nodes: usize,
    /// The machines of this fleet file, with its cluster and key.
    #[arg(long, value_name = "FILE")]
    fleet: Option<PathBuf>,
}

impl Machines {
    fn fleet(&self) -> Result<Fleet> {
        match &self.fleet {
            Some(path) => Ok(kube_boards::file::read(path)?.fleet),
            None => Ok(Fleet::new(self.nodes, CLUSTER, KEY)?),
        }
    }
}

fn main() -> ExitCode {
    talk::install();
    match Arguments::parse().command {
        Command::Run(flags) => run::run(&flags),
        Command::List(flags) => run::list(&flags),
        Command::Record(flags) => run::record(&flags),
        Command::Replay(flags) => run::replay(&flags),
        Command::Lines(flags) => lines::run(&flags).unwrap_or_else(|error| talk::failed(&error)),
        Command::View(flags) => {
            terminal_view::run(&flags).unwrap_or_else(|error| talk::failed(&error))
        }
        Command::Load(flags) => ended(measure::load(&flags)),
        Command::Bench(flags) => ended(measure::bench(&flags)),
    }
}

fn ended(result: Result<()>) -> ExitCode {
    result.map_or_else(|error| talk::failed(&error), |()| ExitCode::SUCCESS)
}
