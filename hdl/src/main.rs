//! Exports the machine as Verilog.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that people run")]

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use kube_hdl::export::{Top, VerilogFile, export, export_ulx3s};
use kube_hdl::soc::Caches;

/// The RISC5 machine in Rust HDL.
#[derive(Parser)]
#[command(name = "kube-hdl", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write a machine as Verilog, one module a file.
    Export {
        /// Which machine.
        #[arg(long, value_enum)]
        top: Machine,
        /// Folder; its Verilog files are replaced. Default: hdl/verilog/<machine> in the source tree.
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
        /// KB of the ULX3S's instruction and data cache, such as `16,8`, to measure another size; its
        /// Verilog does not go into the source tree.
        #[arg(long, value_name = "KB,KB", requires = "out")]
        caches: Option<Caches>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Machine {
    /// Ours, for the simulator.
    Sim,
    /// The reference machine, for the simulator.
    SimCompat,
    /// The ULX3S board.
    Ulx3s,
}

impl From<Machine> for Top {
    fn from(machine: Machine) -> Self {
        match machine {
            Machine::Sim => Self::Sim,
            Machine::SimCompat => Self::SimCompat,
            Machine::Ulx3s => Self::Ulx3s,
        }
    }
}

fn main() -> Result<()> {
    let Command::Export { top, out, caches } = Arguments::parse().command;
    let top = Top::from(top);
    let folder = out
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("verilog").join(top.name()));
    let files = match caches {
        None => export(top),
        Some(caches) if top == Top::Ulx3s => export_ulx3s(caches),
        Some(_) => bail!("{} has no caches; leave --caches out or take --top ulx3s", top.name()),
    };
    write(&files.context("nothing was written")?, &folder)
}

fn write(files: &[VerilogFile], folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let stale = std::fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "v"));
    for path in stale {
        std::fs::remove_file(&path)
            .with_context(|| format!("cannot replace {}", path.display()))?;
    }
    for file in files {
        let path = folder.join(&file.name);
        std::fs::write(&path, &file.text)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    eprintln!("Exported {} modules to {}", files.len(), folder.display());
    Ok(())
}
