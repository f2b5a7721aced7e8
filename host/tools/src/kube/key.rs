//! `kube key`: new keys, which nobody sees unless they ask to.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use rustix::rand::{GetRandomFlags, getrandom};
use serde_json::json;

use super::reach::Reach;
use super::{codes, rotate};
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// What can be done with keys.
#[derive(Subcommand, Clone, Debug)]
pub enum Verb {
    /// Make a key of 64 random bits.
    New(New),
    /// Give a running cluster the key in a file, without moving a pod: it counts beside the old one,
    /// then it signs, then the old one no longer counts, each step on all machines before the next.
    /// What was interrupted goes on when it is called again.
    Rotate(rotate::Flags),
}

/// Flags of `key new`.
#[derive(clap::Args, Clone, Debug)]
#[group(required = true, multiple = false, args = ["file", "operator", "print"])]
pub struct New {
    /// Into a file of its own (mode 0600), for key-file = in the fleet file.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// As the operator's key into fleet.local.toml (mode 0600), for commands over the air.
    #[arg(long)]
    operator: bool,
    /// On standard output.
    #[arg(long)]
    print: bool,
}

/// Does it.
pub fn run(session: &Session, reach: &Reach, verb: &Verb) -> Outcome {
    match verb {
        Verb::New(flags) => new(session, flags),
        Verb::Rotate(flags) => rotate::run(session, reach, flags),
    }
}

/// Makes a key.
fn new(session: &Session, flags: &New) -> Outcome {
    let key = fresh()?;
    if flags.print {
        return session.output.line(&key);
    }
    let (path, text) = match &flags.file {
        Some(file) => {
            if file.exists() {
                return Err(there(file, "it holds a key, or something else"));
            }
            (file.clone(), format!("{key}\n"))
        }
        None => {
            let path = session.fleet()?.path.with_file_name("fleet.local.toml");
            let before = match std::fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                Err(error) => return Err(io(&path, &error)),
            };
            let text = with_operator(&before, &key)
                .ok_or_else(|| there(&path, "it has an operator-key already"))?;
            (path, text)
        }
    };
    if session.flags.dry_run {
        session.talk.say(format!("would write a key to {}", path.display()));
        return Ok(());
    }
    put(&path, &text)?;
    if flags.operator {
        // Read as every other verb will read it.
        session.fleet()?;
    }
    session.talk.say(format!("Write done: a new key to {} (mode 0600)", path.display()));
    session.output.object("key", json!({"file": path, "operator": flags.operator}))
}

fn there(path: &Path, cause: &str) -> Failure {
    Failure::new(&codes::KEY_THERE, format!("{} is not overwritten", path.display()))
        .cause(cause)
        .help("machines with the old key do not understand those with a new one: take it off first")
}

fn io(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(&code::IO, format!("{} cannot be written", path.display())).cause(error)
}

/// 16 hexadecimal digits.
fn fresh() -> Outcome<String> {
    let mut key = [0; 8];
    match getrandom(&mut key[..], GetRandomFlags::empty()) {
        Ok(8) => Ok(key.iter().map(|byte| format!("{byte:02x}")).collect()),
        _ => Err(Failure::new(&code::IO, "the operating system gives no random numbers")),
    }
}

/// The local fleet file with an operator's key; `None` if it has one.
fn with_operator(text: &str, key: &str) -> Option<String> {
    if text.lines().any(|line| line.trim_start().starts_with("operator-key")) {
        return None;
    }
    let entry = format!("operator-key = \"{key}\"\n");
    let mut out = String::new();
    let mut written = false;
    for line in text.lines() {
        out.push_str(line);
        out.push('\n');
        if line.split('#').next().is_some_and(|line| line.trim() == "[cluster]") {
            out.push_str(&entry);
            written = true;
        }
    }
    if !written {
        let gap = if out.is_empty() { "" } else { "\n" };
        out.push_str(&format!("{gap}[cluster]\n{entry}"));
    }
    Some(out)
}

/// Writes a file that only its owner may read, whole or not at all.
fn put(path: &Path, text: &str) -> Outcome {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        io(path, &error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_key_goes_into_the_table_of_the_cluster() {
        for (before, after) in [
            ("", "[cluster]\noperator-key = \"k\"\n"),
            (
                "[boards.a]\nuart = \"x\"",
                "[boards.a]\nuart = \"x\"\n\n[cluster]\noperator-key = \"k\"\n",
            ),
            (
                "[cluster] # ours\nname = \"c\"\n[radio]\n",
                "[cluster] # ours\noperator-key = \"k\"\nname = \"c\"\n[radio]\n",
            ),
        ] {
            assert_eq!(with_operator(before, "k").as_deref(), Some(after), "{before:?}");
        }
        assert_eq!(with_operator("[cluster]\n operator-key = \"1\"\n", "k"), None);
    }

    #[test]
    fn keys_differ() {
        let (one, other) = (fresh().expect("random"), fresh().expect("random"));
        assert!(one.len() == 16 && one != other);
        assert!(one.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
