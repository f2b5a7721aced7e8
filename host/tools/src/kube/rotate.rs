//! `kube key rotate`: a running cluster gets a new key, and no pod moves.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kube_boards::fleet::KeyText;
use kube_proto::key::Key;
use serde_json::json;

use super::codes;
use super::plane::{Line, Way, done};
use super::reach::Reach;
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// The steps, and what each is for people. Each is taken on all machines before the next.
const STEPS: [(&str, &str); 3] = [
    ("New", "the new key counts beside the old one"),
    ("Use", "the new key signs"),
    ("Drop", "only the new key counts"),
];
/// What `Keys.Drop` says while somebody heard lately has signed with the old key.
const BEHIND: &str = "still signs with the old key";
/// What `Keys.Use` says where a step `New` that was done leaves the new key as the only one: there an
/// interrupted change has come to its end already.
const AT_END: &str = "there is no new key";
/// Longest wait for others to sign with the new key: machines forget each other after 5 s.
const PATIENCE: Duration = Duration::from_secs(15);
/// Between two tries.
const AGAIN: Duration = Duration::from_millis(500);

/// Flags of `key rotate`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// The file with the new key (mode 0600), as kube key new writes it.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A board of the fleet that is not in use; may be repeated.
    #[arg(long, value_name = "NAME")]
    without: Vec<String>,
}

/// Rotates.
pub fn run(session: &Session, reach: &Reach, flags: &Flags) -> Outcome {
    if reach.by_air || reach.port.is_some() {
        return Err(Failure::new(&code::USAGE, "keys go over the serial line of each machine")
            .cause("on the air they could be read, and one port is one machine")
            .help("name the ports in fleet.local.toml, or --source sim: for a lab"));
    }
    let fleet = session.fleet()?.fleet.with_key(read(&flags.file)?);
    if let Some(name) = flags.without.iter().find(|name| fleet.board(name).is_none()) {
        return Err(Failure::new(
            &code::USAGE,
            format!("--without {name}: there is no such board"),
        ));
    }
    let boards: Vec<_> =
        fleet.boards.iter().filter(|board| !flags.without.contains(&board.name)).collect();
    for (step, meaning) in STEPS {
        for board in &boards {
            if session.flags.dry_run {
                session.talk.say(format!("would run Keys.{step} on {}", board.name));
                continue;
            }
            let command = match step {
                "New" => format!("Keys.New {}", fleet.given_key(board)),
                step => format!("Keys.{step}"),
            };
            let mut line = Line(reach.machine(session, &board.name)?);
            take(&mut line, &command).map_err(|failure| {
                failure.help("no pod has moved: put it right and call the same again")
            })?;
            line.rest();
        }
        if !session.flags.dry_run {
            session.talk.say(format!("{step} done: {meaning}, {} machines", boards.len()));
        }
    }
    if session.flags.dry_run {
        return Ok(());
    }
    let file = flags.file.display();
    session.talk.say(format!(
        "Rotate done; now key-file = \"{file}\" in the fleet file, and images with it"
    ));
    session.output.object("rotation", json!({"machines": boards.len()}))
}

/// Takes a step on a machine; waits for others whose last message was signed with the old key.
fn take(line: &mut Line<'_>, command: &str) -> Outcome {
    let until = Instant::now() + PATIENCE;
    loop {
        let Err(failure) = done(line, command) else {
            return Ok(());
        };
        let says = |words: &str| failure.causes.iter().any(|cause| cause.contains(words));
        if says(AT_END) {
            return Ok(());
        }
        if !says(BEHIND) || Instant::now() >= until {
            return Err(failure);
        }
        std::thread::sleep(AGAIN);
    }
}

/// The key in a file that nobody else may read.
fn read(path: &Path) -> Outcome<KeyText> {
    let failed = |error: std::io::Error| {
        Failure::new(&code::FLEET_READ, format!("{} cannot be read", path.display()))
            .cause(error)
            .help("kube key new FILE makes a key")
    };
    let mode = std::fs::metadata(path).map_err(failed)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let headline = format!("{} may be read by others (mode {mode:o})", path.display());
        return Err(Failure::new(&code::FLEET_KEY_MODE, headline)
            .help(format!("chmod 600 {}", path.display())));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let no_key = |why: String| {
        Failure::new(&codes::KEY_FILE, format!("{} holds no key", path.display()))
            .cause(why)
            .help("kube key new FILE makes one")
    };
    let key = KeyText::new(text.trim()).map_err(|error| no_key(error.to_string()))?;
    if key.key() == Key::default() {
        return Err(no_key("a key of zeros is none".to_owned()));
    }
    Ok(key)
}
