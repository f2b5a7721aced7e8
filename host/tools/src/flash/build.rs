//! The image of a board: the compiler and the system are inside the tool.

use std::path::Path;
use std::time::{Duration, SystemTime};

use kube_boards::fleet::{Keys, MachineSpec};
use kube_boards::image::{card_image, genuine_image, machine_image, objects};
use kube_disk::{DiskError, Image, ImageBuilder, Layout};
use kube_modules::System;
use obc::Source;

use super::codes;
use crate::discovery::Chosen;
use crate::failure::{Failure, Outcome};
use crate::talk::Talk;

use super::Form;

/// Compiles the system, with the pods that the board brings as sources.
///
/// # Errors
/// `kube::build` with the compiler's messages, `kube::target::…` for a source that cannot be read.
pub fn system(chosen: &Chosen) -> Outcome<System> {
    let sources = pod_sources(chosen)?;
    kube_modules::build_with(&sources).map_err(|error| does_not_build(&error))
}

fn does_not_build(error: &kube_modules::BuildError) -> Failure {
    Failure::new(&codes::BUILD, "the modules do not build")
        .cause(error)
        .help("correct the lines named; nothing was written")
}

/// Pods of the board that are sources.
fn pod_sources(chosen: &Chosen) -> Outcome<Vec<Source>> {
    let mut sources = Vec::new();
    for pod in chosen.board.pods.iter().flatten().filter(|pod| pod.ends_with(".Mod")) {
        let text = std::fs::read_to_string(pod)
            .map_err(|error| super::trouble::of(&error, &format!("{pod} cannot be read")))?;
        sources.push(Source::new(pod, text));
    }
    Ok(sources)
}

/// Puts Kube onto a genuine Project Oberon image, which keeps everything else.
///
/// # Errors
/// `kube::build`, `kube::image::…`.
pub fn on_genuine(talk: &Talk, chosen: &Chosen, path: &Path) -> Outcome<Vec<u8>> {
    let step = talk.step("Build", &chosen.label(), None);
    let refused = |error: DiskError| super::inspect::damaged(&error);
    let image = Image::open(super::writing::read_image(path)?).map_err(refused)?;
    let text = image.read("System.Mod").map_err(|error| {
        Failure::new(&codes::IMAGE_KIND, format!("{} is no genuine system", path.display()))
            .cause(error)
            .help("give an image of Project Oberon 2013 with its sources")
    })?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let symbols = super::contents::Symbols { image: &image };
    let files = kube_modules::genuine::build(&symbols, &text, &pod_sources(chosen)?)
        .map_err(|error| does_not_build(&error))?;
    let machine = machine(chosen);
    let made = genuine_image(image.clone(), &files, &machine).map_err(refused)?;
    step.done(&format!("{} on a genuine system, {} files", chosen.board.name, files.len()));
    Ok(made)
}

/// Builds the image of a board, in steps that can be followed.
///
/// # Errors
/// `kube::build`.
pub fn image(talk: &Talk, chosen: &Chosen, form: Form) -> Outcome<Vec<u8>> {
    let step = talk.step("Build", &chosen.label(), None);
    let system = system(chosen)?;
    let machine = machine(chosen);
    let image = match form {
        Form::Short => machine_image(&system, &machine, &[]),
        Form::Card => card_image(&system, &machine),
    };
    let image = image.map_err(|error| refused(&error, &chosen.board.name))?;
    let commands = machine.commands.len();
    step.done(&format!(
        "{} as {} of cluster {}, {} modules, {commands} start commands",
        chosen.board.name,
        chosen.board.role,
        chosen.file.fleet.cluster(),
        objects(&system, &machine).count(),
    ));
    Ok(image)
}

/// An empty disk with the self-test in its boot area: the board runs it instead of a system.
///
/// # Errors
/// `kube::build`.
pub fn self_test(talk: &Talk, chosen: &Chosen, form: Form) -> Outcome<Vec<u8>> {
    let step = talk.step("Build", &chosen.label(), None);
    let boot = kube_modules::self_test().map_err(|error| does_not_build(&error))?;
    let layout = match form {
        Form::Short => Layout::Shortened,
        Form::Card => Layout::FullCard,
    };
    let image = ImageBuilder::new().boot_image(&boot).layout(layout).build();
    let image = image.map_err(|error| refused(&error, &chosen.board.name))?.into_bytes();
    step.done(&format!("{} with the self-test, {} bytes", chosen.board.name, boot.len()));
    Ok(image)
}

/// What the image is made from.
fn machine(chosen: &Chosen) -> MachineSpec {
    let machine = chosen.file.fleet.machine(&chosen.board);
    match chosen.file.fleet.keys {
        Keys::Shared => machine,
        Keys::PerNode => MachineSpec { numbers: numbers(), ..machine },
    }
}

/// Above all numbers that earlier images of a board can have given its sessions: the seconds since
/// 2020. A start takes 16 of them, and no board starts so often.
fn numbers() -> u32 {
    const YEAR_2020: Duration = Duration::from_secs(1_577_836_800);
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since_1970.saturating_sub(YEAR_2020).as_secs().min(i32::MAX as u64) as u32
}

fn refused(error: &DiskError, board: &str) -> Failure {
    Failure::new(&codes::BUILD, format!("the image of {board} cannot be made"))
        .cause(error)
        .help("give the board fewer pods")
}
