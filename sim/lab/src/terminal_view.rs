//! `kube-lab view`: a cluster with its switches on a terminal, for a person.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use kube_lab::attach::Attach;
use kube_lab::panel::model::{Ending, Panel};
use kube_lab::panel::screen::{self, Screen};
use kube_proto::attach::default_socket;

use super::{Machines, talk};

/// Flags of `view`.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 quit, 1 failed, 2 no terminal or wrong usage, 130 interrupted."
)]
pub struct Flags {
    /// Seed of the air and of the moments at which machines are switched on.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    machines: Machines,
    /// Where other programs attach to the lab, such as kube-sniff sim: and kube-boot --board sim:node1;
    /// without it a file that they find by themselves.
    #[arg(long, value_name = "SOCKET", conflicts_with = "alone")]
    attach: Option<PathBuf>,
    /// Nobody can attach.
    #[arg(long)]
    alone: bool,
    /// Folder for pictures of screens.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pictures: PathBuf,
}

/// Shows the view until somebody ends it.
pub fn run(flags: &Flags) -> Result<ExitCode> {
    Screen::possible()?;
    let fleet = flags.machines.fleet()?;
    let system = kube_modules::build().context("the lab needs every module of the project")?;
    let mut panel = Panel::new(&system, &fleet, flags.seed, flags.pictures.clone())?;
    let socket = || flags.attach.clone().unwrap_or_else(default_socket);
    let mut attach = (!flags.alone).then(|| Attach::new(&socket())).transpose()?;
    talk::hold();
    let ending = screen::run(&mut panel, attach.as_mut(), &talk::stop)?;
    if let Some(attach) = &mut attach {
        attach.end();
    }
    Ok(match ending {
        Ending::Quit => ExitCode::SUCCESS,
        Ending::Interrupted => ExitCode::from(talk::INTERRUPTED),
    })
}
