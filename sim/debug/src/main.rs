//! `kube-debug`: runs a machine of the emulator under a debugger.
//!
//! Commands come from the terminal, or line by line from stdin; answers go to stdout, prompts and
//! errors to stderr. Exit codes: 0 done, 1 failed or, without a terminal, a command could not be
//! done, 2 wrong usage.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use kube_emu::{Config, Machine, NoRadio, SdCard, loader};

use kube_debug::commands::{Answer, Debugger, HELP};
use kube_debug::session::Session;
use kube_debug::tables::Tables;

/// Debugger for Oberon programs in the emulator.
#[derive(Parser)]
#[command(version, about, after_help = format!("Commands:\n{HELP}"))]
struct Arguments {
    /// Disk image to boot from.
    #[arg(long, conflicts_with = "core", required_unless_present = "core")]
    image: Option<PathBuf>,
    /// Boot image (obc link) to start at address 0, without PROM and disk.
    #[arg(long)]
    core: Option<PathBuf>,
    /// PROM words (the .bin of a standalone module); a small loader of the emulator otherwise.
    #[arg(long)]
    prom: Option<PathBuf>,
    /// Folder with position tables (.pos); may be repeated.
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
    /// The reference machine, without the additions of ours.
    #[arg(long)]
    compat: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &PathBuf) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn machine(arguments: &Arguments) -> Result<Machine<NoRadio>> {
    let prom = match (&arguments.prom, &arguments.core) {
        (Some(path), _) => {
            let bytes = read(path)?;
            if bytes.is_empty() || !bytes.len().is_multiple_of(4) {
                bail!(
                    "{} does not hold whole words: name the .bin of a standalone module",
                    path.display()
                );
            }
            bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
        }
        (None, Some(_)) => Vec::new(),
        (None, None) => loader::words(),
    };
    let config = if arguments.compat { Config::compat(prom) } else { Config::ours(prom) };
    let card = match &arguments.image {
        Some(path) => {
            let card = SdCard::new(read(path)?);
            Some(card.with_context(|| path.display().to_string())?)
        }
        None => None,
    };
    let mut machine = Machine::new(config, card, NoRadio::default());
    if let Some(path) = &arguments.core {
        kube_debug::session::start_core(&mut machine, &read(path)?);
    }
    Ok(machine)
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut tables = Tables::default();
    for folder in &arguments.tables {
        tables.add_folder(folder)?;
    }
    let mut debugger = Debugger::new(Session::new(machine(arguments)?, tables));
    let terminal = io::stdin().is_terminal();
    let mut failed = false;
    loop {
        if terminal {
            let mut err = io::stderr();
            write!(err, "(kube-debug) ").and_then(|()| err.flush())?;
        }
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).context("cannot read commands")? == 0 {
            break;
        }
        match debugger.run(&line) {
            Answer::Quit => break,
            Answer::Text(text) => match io::stdout().lock().write_all(text.as_bytes()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                other => other.context("cannot write to stdout")?,
            },
            Answer::Error(error) => {
                writeln!(io::stderr(), "error: {error}")?;
                failed = true;
            }
        }
    }
    Ok(if failed && !terminal { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
