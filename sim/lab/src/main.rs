//! `kube-lab`: runs clusters of machines on one simulated air and judges them by its frames.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that people run")]

mod display;
mod lines;
mod measure;
mod terminal_view;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use kube_boards::fleet::Fleet;
use kube_lab::attach::Attach;
use kube_lab::engine::EngineKind;
use kube_lab::rollout::{self, Omission, Options, Phase, Summary, Watcher};
use kube_lab::world::World;
use kube_modules::System;
use kube_proto::attach::default_socket;
use kube_sniff::decoder::Heard;
use kube_sniff::observer::Observer;
use serde_json::json;

use display::Display;

/// Runs clusters of machines on one simulated air and judges them by what is heard there.
#[derive(Parser)]
#[command(version, propagate_version = true, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 shown, 1 not shown, 2 wrong usage.";

#[derive(Subcommand)]
enum Command {
    /// Form a cluster of a plane and nodes, then roll `web 4 Ticker` out to `Ticker2`.
    Rollout(RolloutFlags),
    /// Run a cluster in real time, each machine's serial line on a pseudo-terminal. Prints where they
    /// are; a terminal program and kube-boot --port open them as they would open a board's.
    Lines(lines::Flags),
    /// Form clusters of many nodes on one air, apply a deployment, and watch them at rest: how soon they
    /// converge, what share of the air they use, whether the plane takes a node for lost.
    Load(measure::Flags),
    /// Run a cluster on this terminal: machines with power and cut switches, the air and its loss, frames
    /// as they pass, each machine's serial line with a command line, pictures of screens.
    View(terminal_view::Flags),
}

#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
struct RolloutFlags {
    /// Seed of the air and of the moments at which machines are switched on.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads that run machines; the result does not depend on it.
    #[arg(long, default_value_t = default_threads(), value_parser = threads)]
    threads: usize,
    /// What runs the machines: emu, rtl for the exported circuit under Verilator, or lockstep for the
    /// circuit with each instruction compared with the emulator.
    #[arg(long, default_value_t, value_name = "ENGINE")]
    engine: EngineKind,
    /// Nodes beside the plane.
    #[arg(long, default_value_t = 2)]
    nodes: usize,
    /// Probability that a receiver loses a frame, 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    loss: f64,
    /// File to leave off the image of one machine or of all, such as node1:KubeNet.rsc; may be
    /// repeated.
    #[arg(long, value_name = "[MACHINE:]FILE", value_parser = omission)]
    without: Vec<Omission>,
    /// Write the air to a pcapng file: an interface for each machine, and one for all that is sent.
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// Let other programs listen and send by a socket: kube-sniff sim:. The machines start when the first
    /// is there. Without FILE it is where kube-sniff looks for it.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    attach: Option<PathBuf>,
    /// Machine seconds a second, to watch; without it 6 on a terminal, as fast as it goes elsewhere.
    #[arg(long, value_parser = pace)]
    pace: Option<f64>,
    /// Print one JSON object (kube-lab/v1) as the last line of stdout.
    #[arg(long)]
    json: bool,
    /// No progress, only the result and errors.
    #[arg(long, short)]
    quiet: bool,
}

/// Cluster name and key of the lab, those of the published labs.
const CLUSTER: &str = "kube";
const KEY: &str = "00c0ffee00c0ffee";

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(3)
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=256) => Ok(threads),
        _ => Err("expected a number of threads, 1 to 256".to_owned()),
    }
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(loss) if (0.0..=1.0).contains(&loss) => Ok(loss),
        _ => Err("expected a probability, 0 to 1".to_owned()),
    }
}

fn pace(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(pace) if (0.01..=1e6).contains(&pace) => Ok(pace),
        _ => Err("expected machine seconds a second, 0.01 to 1000000".to_owned()),
    }
}

fn omission(text: &str) -> Result<Omission, String> {
    let (machine, file) = match text.split_once(':') {
        Some((machine, file)) => (Some(machine.to_owned()), file),
        None => (None, text),
    };
    Ok(Omission { machine, file: file.to_owned() })
}

fn main() -> ExitCode {
    let flags = match Arguments::parse().command {
        Command::Rollout(flags) => flags,
        Command::Lines(flags) => {
            let Err(error) = lines::run(&flags);
            eprintln!("error: {error:#}");
            return ExitCode::FAILURE;
        }
        Command::Load(flags) => {
            return match measure::load(&flags) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("error: {error:#}");
                    ExitCode::FAILURE
                }
            };
        }
        Command::View(flags) => {
            return terminal_view::run(&flags).unwrap_or_else(|error| {
                eprintln!("error: {error:#}");
                terminal_view::code(&error)
            });
        }
    };
    let result = run(&flags);
    let object = match &result {
        Ok(summary) => json!(summary),
        Err(error) => json!({
            "schema": rollout::SCHEMA,
            "seed": flags.seed,
            "error": format!("{error:#}"),
        }),
    };
    let verdict = result.and_then(|summary| summary.verdict().map_err(anyhow::Error::msg));
    if let Err(error) = &verdict {
        eprintln!("error: {error:#}");
    }
    // A reader that closes the pipe has what it wanted.
    if flags.json && writeln!(std::io::stdout(), "{object}").is_err() {
        return ExitCode::SUCCESS;
    }
    if verdict.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(flags: &RolloutFlags) -> Result<Summary> {
    let fleet = Fleet::new(flags.nodes, CLUSTER, KEY)?;
    let display = Display::new(flags.quiet, flags.pace);
    let start = Instant::now();
    display.say("Compile the modules");
    let system = kube_modules::build().context("the lab needs every module of the project")?;
    check_omissions(&system, &fleet, &flags.without)?;
    display.say(&format!("Make {} images", fleet.boards.len()));
    let options = Options {
        fleet,
        engine: flags.engine,
        seed: flags.seed,
        threads: flags.threads,
        loss: flags.loss,
        without: flags.without.clone(),
        capture: flags.capture.clone(),
    };
    let attach = flags.attach.as_ref().map(|path| attach(path, &display)).transpose()?;
    let mut shown = Shown { display, attach };
    let result = rollout::run(&system, &options, &mut shown);
    let Shown { display, attach } = shown;
    if let Some(mut attach) = attach {
        attach.end();
    }
    display.end();
    let summary = result?;
    if !flags.quiet {
        eprintln!("{}", summary_text(&summary, start.elapsed().as_secs_f64()));
    }
    Ok(summary)
}

/// Opens the socket and waits for somebody.
fn attach(path: &Path, display: &Display) -> Result<Attach> {
    let path = if path.as_os_str().is_empty() { default_socket() } else { path.to_owned() };
    let mut attach = Attach::new(&path)?;
    display.say(&format!("Wait for a listener: kube-sniff sim:{}", path.display()));
    attach.wait()?;
    Ok(attach)
}

/// Shows a run, and serves it to other programs if it should be.
struct Shown {
    display: Display,
    attach: Option<Attach>,
}

impl Watcher for Shown {
    fn heard(&mut self, heard: &Heard, observer: &Observer) {
        self.display.heard(heard, observer);
    }

    fn phase(&mut self, at_ns: u64, phase: Phase) {
        self.display.phase(at_ns, phase);
    }

    fn time(&mut self, now_ns: u64, observer: &Observer) {
        self.display.time(now_ns, observer);
    }

    fn world(&mut self, world: &mut World) {
        if let Some(attach) = &mut self.attach {
            attach.serve(world);
        }
    }
}

/// Refuses omissions that would leave nothing off.
fn check_omissions(system: &System, fleet: &Fleet, without: &[Omission]) -> Result<()> {
    for Omission { machine, file } in without {
        if !system.objects.iter().any(|(name, _)| name == file) {
            let known: Vec<_> = system.objects.iter().map(|(name, _)| name.as_str()).collect();
            bail!("no image has a file {file:?}; there are {}", known.join(", "));
        }
        if let Some(wanted) = machine
            && !fleet.boards.iter().any(|spec| spec.name == *wanted)
        {
            let known: Vec<_> = fleet.boards.iter().map(|spec| spec.name.as_str()).collect();
            bail!("no machine is called {wanted:?}; there are {}", known.join(", "));
        }
    }
    Ok(())
}

fn summary_text(summary: &Summary, wall_s: f64) -> String {
    format!(
        "Cluster of {} machines ({}), seed {}\n\
         \x20 first heartbeats  {} ms after power-on\n\
         \x20 converged         {} ms after them\n\
         \x20 rollout           {} ms, {} to {} pods running, {} old ones left\n\
         \x20 frames            {}, {} with a bad signature\n\
         \x20 trace             {}\n\
         {} s of machine time in {wall_s:.1} s",
        summary.machines,
        summary.engine,
        summary.seed,
        summary.first_heartbeats_ms,
        summary.converged_ms,
        summary.rollout_ms,
        summary.rollout_min,
        summary.rollout_max,
        summary.old_ids_left,
        summary.frames,
        summary.bad_signatures,
        summary.trace_sha256,
        summary.machine_ms / 1000,
    )
}
