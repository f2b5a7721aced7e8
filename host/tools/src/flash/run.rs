//! `kube-flash run`: a module compiled, put on a board's stand-in, started, and heard. As a runner it
//! makes a module a program: what it writes on the log goes to stdout.

use std::path::PathBuf;

use kube_disk::Image;
use kube_emu::{Config, Machine, NoRadio, SdCard};
use kube_modules::build_with;
use obc::Source;

use super::{codes, trouble};
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::interrupt::Hold;
use crate::program::Session;

/// Flags of `run`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// The module, a .Mod file.
    #[arg(value_name = "MODULE.Mod")]
    module: PathBuf,
    /// The command to start, with its parameters; without it those of the module are listed.
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
    /// End with 0 when a line holds this text.
    #[arg(long, value_name = "TEXT")]
    exit_on: Option<String>,
    /// End after so many seconds of machine time: with 124 if --exit-on was awaited, else with 0.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
}

const MS: u64 = 1_000_000;
/// Between two looks at the serial line.
const LOOK_MS: u64 = 10;

/// Runs a module.
///
/// # Errors
/// `kube::build`, `kube::run::…`.
pub fn run(session: &Session, flags: &Flags) -> Outcome {
    let chosen = session.board()?;
    if !chosen.simulated {
        let headline = format!("run works on stand-ins, {} is a board", chosen.board.name);
        return Err(Failure::new(&code::USAGE, headline).help(format!(
            "--board sim:{0}; for the board: kube-flash --board {0} install {1}, then kube-boot",
            chosen.board.name,
            flags.module.display(),
        )));
    }
    let path = flags.module.display().to_string();
    let text = std::fs::read_to_string(&flags.module)
        .map_err(|error| trouble::of(&error, &format!("{path} cannot be read")))?;
    let source = Source::new(path, text);
    let module = obc::parser::imports(&source).0;
    let system = build_with(&[source]).map_err(|error| {
        Failure::new(&codes::BUILD, "the module does not build")
            .cause(error)
            .help("correct the lines named")
    })?;
    let command = match flags.command.as_slice() {
        [] => format!("System.ShowCommands {module}"),
        words if words[0].contains('.') => words.join(" "),
        words => format!("{module}.{}", words.join(" ")),
    };
    let spec = kube_boards::fleet::MachineSpec {
        commands: vec![command],
        ..chosen.file.fleet.machine(&chosen.board)
    };
    let image = kube_boards::image::machine_image(&system, &spec, &[])
        .and_then(Image::open)
        .map_err(|error| Failure::new(&codes::BUILD, "the image cannot be made").cause(error))?;
    let card = SdCard::new(image.into_bytes()).map_err(|error| {
        Failure::new(&codes::IMAGE_KIND, "no card holds the image").cause(error)
    })?;
    let config = Config::ours(system.prom);
    listen(session, flags, &mut Machine::new(config, Some(card), NoRadio { level: true }))
}

fn listen(session: &Session, flags: &Flags, machine: &mut Machine<NoRadio>) -> Outcome {
    let hold = Hold::new();
    let mut said = String::new();
    for now_ms in (0..flags.timeout * 1000).step_by(LOOK_MS as usize) {
        hold.check()?;
        machine.run_until((now_ms + LOOK_MS) * MS);
        let bytes = machine.serial_received();
        if bytes.is_empty() {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes).replace('\r', "");
        session.output.bytes(text.as_bytes())?;
        said.push_str(&text);
        // A line under way waits for its end: what comes late belongs to the output too.
        let whole = said.rfind('\n').map_or(0, |end| end + 1);
        for line in said.drain(..whole).collect::<String>().lines() {
            if flags.exit_on.as_ref().is_some_and(|awaited| line.contains(awaited)) {
                return Ok(());
            }
            if line.contains(" failed, res ") {
                return Err(Failure::new(&codes::RUN, "the command could not be run").cause(line));
            }
        }
    }
    match &flags.exit_on {
        None => Ok(()),
        Some(awaited) => Err(Failure::new(
            &codes::RUN_TIMEOUT,
            format!("{awaited:?} was not said within {} s of machine time", flags.timeout),
        )
        .help("--timeout SECONDS waits longer")),
    }
}
