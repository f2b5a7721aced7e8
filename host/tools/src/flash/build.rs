//! The image of a board: the compiler and the system are inside the tool.

use kube_boards::image::{card_image, machine_image, objects};
use kube_disk::DiskError;
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
    let mut sources = Vec::new();
    for pod in chosen.board.pods.iter().flatten().filter(|pod| pod.ends_with(".Mod")) {
        let text = std::fs::read_to_string(pod)
            .map_err(|error| super::trouble::of(&error, &format!("{pod} cannot be read")))?;
        sources.push(Source::new(pod, text));
    }
    kube_modules::build_with(&sources).map_err(|error| {
        Failure::new(&codes::BUILD, "the modules do not build")
            .cause(error)
            .help("correct the lines named; nothing was written")
    })
}

/// Builds the image of a board, in steps that can be followed.
///
/// # Errors
/// `kube::build`.
pub fn image(talk: &Talk, chosen: &Chosen, form: Form) -> Outcome<Vec<u8>> {
    let step = talk.step("Build", &chosen.label(), None);
    let system = system(chosen)?;
    let machine = chosen.file.fleet.machine(&chosen.board);
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

fn refused(error: &DiskError, board: &str) -> Failure {
    Failure::new(&codes::BUILD, format!("the image of {board} cannot be made"))
        .cause(error)
        .help("give the board fewer pods")
}
