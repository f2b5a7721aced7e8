//! `kube-flash init`: a first fleet file, with a fresh key.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use kube_boards::file::{self, FLEET_FILE, LOCAL_FILE};
use kube_boards::fleet::Fleet;
use rustix::rand::{GetRandomFlags, getrandom};
use serde_json::json;

use super::{codes, trouble};
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// Flags of `init`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// Folder for the files.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Name of the cluster, 1 to 8 characters.
    #[arg(long, default_value = "kube")]
    cluster: String,
    /// Nodes beside the plane, 1 to 200.
    #[arg(long, default_value_t = 2)]
    nodes: usize,
    /// Give each node a key of its own.
    #[arg(long)]
    per_node: bool,
}

/// Name of the key file.
const KEY_FILE: &str = "kube.key";

/// Writes `fleet.toml`, `kube.key` and, for what is true of this desk only, `fleet.local.toml`.
///
/// # Errors
/// `kube::file::exists`, `kube::target::…`, `kube::usage`.
pub fn run(session: &Session, flags: &Flags) -> Outcome {
    let Flags { folder, cluster, nodes, .. } = flags;
    let key = fresh_key()?;
    Fleet::new(*nodes, cluster, &key)
        .map_err(|error| Failure::new(&code::USAGE, "such a fleet cannot be").cause(error))?;
    let (fleet, key_file) = (folder.join(FLEET_FILE), folder.join(KEY_FILE));
    for path in [&fleet, &key_file] {
        if path.exists() && !session.talk.yes() {
            let headline = format!("{} is there already", path.display());
            return Err(Failure::new(&codes::FILE_EXISTS, headline)
                .cause("machines with the old key do not understand those with a new one")
                .help("--yes replaces it; --fleet names another file"));
        }
    }
    if session.flags.dry_run {
        session.talk.say(format!("Would write {} and {}", fleet.display(), key_file.display()));
        let headline = "nothing was written, as --dry-run asks";
        return Err(Failure::new(&codes::DIFFERENT, headline));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| trouble::of(&error, &format!("{} cannot be made", folder.display())))?;
    put(&key_file, &format!("{key}\n"), 0o600)?;
    put(&fleet, &text(flags), 0o644)?;
    // What has been written is read as every other verb will read it.
    file::read(&fleet)?;
    session.talk.say(format!(
        "Write done: {} and {} (mode 0600). Keep the key out of version control; cards and ports of \
         this desk go into {LOCAL_FILE}",
        fleet.display(),
        key_file.display(),
    ));
    let fields =
        json!({ "fleet": fleet, "key_file": key_file, "nodes": nodes, "cluster": cluster });
    session.output.object("init", fields)
}

fn fresh_key() -> Outcome<String> {
    let mut key = [0; 8];
    let filled = getrandom(&mut key, GetRandomFlags::empty());
    match filled {
        Ok(8) => Ok(key.iter().map(|byte| format!("{byte:02x}")).collect()),
        _ => Err(Failure::new(&code::IO, "the operating system gives no random numbers")),
    }
}

fn put(path: &Path, text: &str, mode: u32) -> Outcome {
    let failed = |error: std::io::Error| {
        trouble::of(&error, &format!("{} cannot be written", path.display()))
    };
    // A file that is replaced would keep its mode.
    if path.exists() {
        std::fs::remove_file(path).map_err(failed)?;
    }
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(mode).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

fn text(flags: &Flags) -> String {
    let keys = if flags.per_node { "per-node" } else { "shared" };
    let mut text = format!(
        "# The fleet: one name for a board everywhere. Written by kube-flash init.\n\n\
         [cluster]\n\
         name = \"{}\"\n\
         key-file = \"{KEY_FILE}\"\n\
         keys = \"{keys}\"\n\n\
         [radio]\n\
         channel = 5\n\
         rate = \"1M\"\n\n\
         [boards.plane]\n\
         model = \"ulx3s-85f\"\n\
         role = \"plane\"\n\
         start = [\"Kube.Ensure web 4 Ticker\"]\n",
        flags.cluster,
    );
    for number in 1..=flags.nodes {
        text.push_str(&format!(
            "\n[boards.node{number}]\nmodel = \"ulx3s-85f\"\nrole = \"node\"\n"
        ));
    }
    text
}
