//! The build driver: `cargo xtask lab`, `bench`, `test`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that people run")]

mod bench;
mod fuzz;
mod install;
mod run;
mod test;

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
    Lab {
        /// Passed on to kube-lab; `cargo xtask lab --help` shows them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure figures: one line each, beside a reference.
    Bench(bench::Options),
    /// Everything that must pass.
    Test(test::Options),
    /// Fuzz everything that parses, for a given time.
    Fuzz(fuzz::Options),
}

fn main() -> ExitCode {
    // `lab --help` belongs to kube-lab, whose flags are its own.
    let arguments: Vec<String> = std::env::args().collect();
    let command = if arguments.get(1).is_some_and(|word| word == "lab") {
        Command::Lab { arguments: arguments[2..].to_vec() }
    } else {
        Arguments::parse().command
    };
    let result = match command {
        Command::Lab { arguments } => run::lab(&arguments),
        Command::Bench(options) => bench::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Fuzz(options) => fuzz::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
