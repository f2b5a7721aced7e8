//! `kube-bench`: every measured figure of the project, beside a reference.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that people run")]

mod air;
mod boot;
mod caches;
mod core;
mod dongle;
mod emu;
mod figure;
mod flash;
mod kube;
mod lab;
mod load;
mod obc;
mod proofs;
mod radio;
mod rtl;
mod ulx3s;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;

use figure::Measure;

/// Measures the figures of the project, each beside a reference.
#[derive(Parser)]
#[command(name = "cargo xtask bench", version)]
struct Arguments {
    /// Only figures whose name begins with this, such as `emu` or `emu.mips_boot`.
    name: Option<String>,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
}

fn figures() -> impl Iterator<Item = (&'static str, Measure)> {
    [
        &emu::FIGURES[..],
        &obc::FIGURES,
        &air::FIGURES,
        &radio::FIGURES,
        &dongle::FIGURES,
        &lab::FIGURES,
        &load::FIGURES,
        &kube::FIGURES,
        &rtl::FIGURES,
        &boot::FIGURES,
        &core::FIGURES,
        &proofs::FIGURES,
        &flash::FIGURES,
        &ulx3s::FIGURES,
        &caches::FIGURES,
    ]
    .concat()
    .into_iter()
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let wanted = arguments.name.as_deref().unwrap_or_default();
    let chosen: Vec<_> = figures().filter(|(name, _)| name.starts_with(wanted)).collect();
    if chosen.is_empty() {
        let known: Vec<_> = figures().map(|(name, _)| name).collect();
        bail!("no figure begins with {wanted:?}; there are {}", known.join(", "));
    }
    for (name, measure) in chosen {
        let Some(figure) = measure()? else {
            eprintln!("skipped: {name} needs KUBE_GENUINE_IMAGE");
            continue;
        };
        let line = if arguments.json { figure.json().to_string() } else { figure.text() };
        // A reader that closes the pipe has what it wanted.
        if writeln!(std::io::stdout(), "{line}").is_err() {
            return Ok(());
        }
    }
    Ok(())
}
