//! A plane is lost and its backup is restored on another machine, typed by hand: which pods move is
//! judged from the air alone.

use std::collections::BTreeSet;

use kube_boards::fleet::{Board, Fleet, FleetError, Keys, Role};
use kube_boards::image::machine_image;
use kube_modules::System;
use kube_serial::backup::{Backup, BackupError, Reading};

use crate::engine::EngineKind;
use crate::lab::{Lab, LabError, Make, Setup};

/// The machine that takes the plane's place; its image has no start commands.
const SPARE: &str = "spare";
/// Between two looks for an answer, and how many.
const LOOK_MS: u64 = 50;
const LOOKS_MAX: usize = 100;
/// The plane stays away for so long, at least: nodes give it up, and nothing may move.
const AWAY_MS: u64 = 8_000;
/// So long the air is heard afterwards.
const AFTER_MS: u64 = 15_000;

/// Why a restore could not be tried.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// No cluster, or it does not come together.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The fleet is not possible.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// The backup cannot be read.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// A command was refused.
    #[error("{machine} refused {command}: {said}")]
    Refused {
        /// Which machine.
        machine: &'static str,
        /// What it was asked.
        command: String,
        /// What it wrote.
        said: String,
    },
}

/// Types a command and reads what it writes; it must be done.
fn ask(lab: &mut Lab, machine: &'static str, command: &str) -> Result<Vec<String>, RestoreError> {
    let log = |lab: &mut Lab, from: usize| {
        let log = lab.world().station(machine).map_or("", |station| station.log());
        log.get(from..).unwrap_or_default().replace('\r', "")
    };
    let from = lab.world().station(machine).map_or(0, |station| station.log().len());
    lab.command(machine, command);
    let (begun, done) = (format!("boot: {command}\n"), format!("\ndone: {command}\n"));
    let mut said = String::new();
    for _ in 0..LOOKS_MAX {
        lab.run_ms(LOOK_MS)?;
        said = log(lab, from);
        if let Some((lines, _)) = said.split_once(&done) {
            let lines = lines.split_once(&begun).map_or("", |(_, lines)| lines);
            return Ok(lines.lines().map(str::to_owned).collect());
        }
    }
    Err(RestoreError::Refused { machine, command: command.to_owned(), said })
}

fn backup(lab: &mut Lab) -> Result<Backup, RestoreError> {
    let mut reading = Reading::default();
    loop {
        let lines = ask(lab, "plane", &reading.command())?;
        if let Some(backup) = reading.take(&lines)? {
            return Ok(backup);
        }
    }
}

/// The plane's machine is lost for good. Its store comes from a backup onto another one, which begins
/// to serve: assignments that changed until 15 s after, and pods that run elsewhere than before.
///
/// # Errors
/// [`RestoreError`] if a command is refused, or the cluster does not come together again.
pub fn moved_in_restore(system: &System, keys: Keys, seed: u64) -> Result<usize, RestoreError> {
    let mut fleet = Fleet::new(2, "kube", "0123456789abcdef")?;
    fleet.keys = keys;
    fleet.boards.push(Board::new(SPARE, Role::Plane));
    let serve = fleet.machine(fleet.board(SPARE).unwrap_or(&fleet.boards[0])).commands;
    let mut lab = Lab::of(&Setup::new(&fleet, seed), |spec| {
        let mut spec = spec.clone();
        if spec.name == SPARE {
            spec.commands.clear();
        }
        let image = machine_image(system, &spec, &[])?;
        Ok(Make { engine: EngineKind::Emu, prom: system.prom.clone(), image })
    })?;
    lab.converge(4)?;
    lab.run_ms(2_000)?;
    let backup = backup(&mut lab)?;
    let before = placed(&lab);
    let changes = lab.changes();
    lab.power_off("plane");
    lab.run_ms(AWAY_MS)?;
    lab.any_moment()?;
    for command in backup.commands().iter().chain(&serve) {
        ask(&mut lab, SPARE, command)?;
    }
    lab.run_ms(AFTER_MS)?;
    lab.converge(4)?;
    let elsewhere = placed(&lab).difference(&before).count();
    Ok(lab.changes() - changes + elsewhere)
}

/// Which pod is assigned to which node.
fn placed(lab: &Lab) -> BTreeSet<(String, u8)> {
    let pods = |(node, ids): (&str, &[u8])| -> Vec<(String, u8)> {
        ids.iter().map(|&id| (node.to_owned(), id)).collect()
    };
    lab.assigned().into_iter().flat_map(pods).collect()
}
