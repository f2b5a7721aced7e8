//! The build driver: `cargo xtask lab`, `bench`, `prove`, `test`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that people run")]

mod dist;
mod dongle;
mod fpga;
mod fuzz;
mod install;
mod run;
mod test;
mod uf2;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Builds, runs, measures and tests Kubestation.
#[derive(Parser)]
#[command(name = "cargo xtask", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a cluster of three machines on one air and roll a deployment out.
    #[command(disable_help_flag = true)]
    Lab(Passed),
    /// Measure figures, each beside a reference.
    #[command(disable_help_flag = true)]
    Bench(Passed),
    /// Prove the circuit's units, and plant faults that each proof must notice.
    #[command(disable_help_flag = true)]
    Prove(Passed),
    /// Everything that must pass.
    Test(test::Options),
    /// Place and route the bare core on an ECP5: clock, area, longest path.
    Fpga(fpga::Options),
    /// Make the bitstream of a board: synthesis, place and route, timing, report.
    #[command(disable_help_flag = true)]
    Bitstream(Passed),
    /// Fuzz everything that parses, for a given time.
    Fuzz(fuzz::Options),
    /// Build the firmware of the USB dongle as a UF2 file.
    Dongle(dongle::Options),
    /// Make a release: programs, man pages, images, Verilog, dissector, sums.
    Dist(dist::Options),
}

/// Arguments that belong to another program, its `--help` among them.
#[derive(clap::Args)]
struct Passed {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<String>,
}

/// Verbs of `kube-lab`.
const LAB_VERBS: [&str; 9] =
    ["run", "list", "record", "replay", "lines", "load", "view", "bench", "help"];

/// Family of figures that needs the dongle's firmware, and the variable that names its file.
const DONGLE: &str = "dongle";
const FIRMWARE: &str = "KUBE_DONGLE_FIRMWARE";

/// Verilated machines cost Verilator and a minute of compiling: only who asks for them pays.
fn lab(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let engine = |argument: &str| matches!(argument, "rtl" | "lockstep" | "ulx3s");
    let circuit = arguments.iter().any(|a| a.strip_prefix("--engine=").is_some_and(engine))
        || arguments.windows(2).any(|pair| pair[0] == "--engine" && engine(&pair[1]));
    if circuit {
        install::for_circuit()?;
    }
    let features = if circuit { "rtl" } else { "" };
    // `cargo xtask lab` alone, or with flags and scenarios, plays; other verbs are passed on.
    let verb = arguments.first().is_some_and(|word| LAB_VERBS.contains(&word.as_str()));
    run::program("kube-lab", features, if verb { &[] } else { &["run"] }, arguments)
}

/// The dongle's figures need its firmware, which is built where they are asked for.
fn bench(arguments: &[String]) -> anyhow::Result<ExitCode> {
    install::for_circuit()?;
    let family = arguments.iter().find(|argument| !argument.starts_with('-'));
    let wanted = family.is_none_or(|name| name.starts_with(DONGLE) || DONGLE.starts_with(name));
    let variables = if wanted { vec![(FIRMWARE, dongle::for_tests()?)] } else { Vec::new() };
    run::program_with("kube-bench", "", &[], arguments, &variables)
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Lab(passed) => lab(&passed.arguments),
        Command::Bench(passed) => bench(&passed.arguments),
        Command::Prove(passed) => install::for_proofs()
            .and_then(|()| run::program("kube-flow", "", &["prove"], &passed.arguments)),
        Command::Bitstream(passed) => install::for_proofs()
            .and_then(|()| run::program("kube-flow", "", &["bitstream"], &passed.arguments)),
        Command::Test(options) => test::run(&options),
        Command::Fpga(options) => fpga::run(&options),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Dongle(options) => dongle::run(&options),
        Command::Dist(options) => dist::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
