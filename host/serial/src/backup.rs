//! The control plane's store over a line of commands: what `Backup.Read` answers becomes a backup,
//! and a backup becomes the commands that put it onto a machine. The machine's side is
//! `oberon/kube/Backup.Mod`.

use std::fmt::Write;

use kube_proto::store::{Store, StoreError};

/// Bytes that one command takes.
const PUT_BYTES: usize = 96;
/// Begun anew so often when the store changes while it is read.
const BEGUN_MAX: usize = 16;

/// A plane's store, and what it takes to go on with it elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The cluster's name; `None` if the plane was not on the air.
    pub cluster: Option<String>,
    /// The last number that the plane may have given to a session, 0 for none.
    pub number: u32,
    /// The store.
    pub store: Vec<u8>,
}

/// Why there is no backup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackupError {
    /// The answer is not what `Backup.Read` says.
    #[error("the answer is in another form: {0}")]
    Form(String),
    /// It never stood still.
    #[error("the store changed each time while it was read")]
    Changing,
    /// What came is no store.
    #[error("what came is no whole store: {0}")]
    Store(#[from] StoreError),
}

/// Reads a store part by part.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    generation: Option<i64>,
    bytes: Vec<u8>,
    begun: usize,
}

impl Reading {
    /// The command that asks for the next part.
    #[must_use]
    pub fn command(&self) -> String {
        format!("Backup.Read {}", self.bytes.len())
    }

    /// Takes the lines of an answer; the backup, once it is whole.
    ///
    /// # Errors
    /// [`BackupError`].
    pub fn take(&mut self, lines: &[String]) -> Result<Option<Backup>, BackupError> {
        let form = || BackupError::Form(lines.join("; "));
        let (head, rest) = lines.split_first().ok_or_else(form)?;
        let (end, rows) = rest.split_last().ok_or_else(form)?;
        let fields: Vec<&str> = head.split(' ').collect();
        let ["backup", cluster, generation, size, number] = fields[..] else { return Err(form()) };
        let generation: i64 = generation.parse().map_err(|_| form())?;
        let size: usize = size.parse().map_err(|_| form())?;
        let number: u32 = number.parse().map_err(|_| form())?;
        if self.generation.replace(generation).is_some_and(|before| before != generation) {
            // It has changed since the last part: from the beginning.
            self.bytes.clear();
            self.begun += 1;
            return if self.begun < BEGUN_MAX { Ok(None) } else { Err(BackupError::Changing) };
        }
        for row in rows {
            let fields: Vec<&str> = row.split(' ').collect();
            let ["b", at, digits] = fields[..] else { return Err(form()) };
            if at.parse() != Ok(self.bytes.len()) {
                return Err(form());
            }
            self.bytes.extend(bytes(digits).ok_or_else(form)?);
        }
        if end != "= ." {
            return if rows.is_empty() { Err(form()) } else { Ok(None) };
        }
        if self.bytes.len() != size {
            return Err(form());
        }
        let store = Store::parse(&self.bytes)?.bytes.to_vec();
        let cluster = (cluster != "-").then(|| cluster.to_owned());
        Ok(Some(Backup { cluster, number, store }))
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pair = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(pair).collect()
}

impl Backup {
    /// The commands that put it onto a machine, one after another. Nothing changes there before the
    /// last one, which takes it whole or not at all.
    #[must_use]
    pub fn commands(&self) -> Vec<String> {
        let mut commands = vec![format!("Backup.Begin {}", self.store.len())];
        for (at, bytes) in (0..).step_by(PUT_BYTES).zip(self.store.chunks(PUT_BYTES)) {
            let mut command = format!("Backup.Put {at} ");
            for byte in bytes {
                let _ = write!(command, "{byte:02x}");
            }
            commands.push(command);
        }
        let cluster = self.cluster.as_deref().unwrap_or("-");
        commands.push(format!("Backup.Commit {cluster} {}", self.number));
        commands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty store of generation 3.
    const STORE: &str = "3142554b0300000000000000000000001f00000003000000";

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn parts_become_a_backup_and_a_backup_commands() {
        let (first, second) = (&STORE[..16], &STORE[16..]);
        let mut reading = Reading::default();
        assert_eq!(reading.command(), "Backup.Read 0");
        let part = lines(&format!("backup kube 3 24 32\nb 0 {first}\n= 8"));
        assert_eq!(reading.take(&part), Ok(None));
        assert_eq!(reading.command(), "Backup.Read 8");
        let part = lines(&format!("backup kube 3 24 32\nb 8 {second}\n= ."));
        let backup = reading.take(&part).expect("whole").expect("the last part");
        assert_eq!((backup.cluster.as_deref(), backup.number), (Some("kube"), 32));
        let commands = backup.commands();
        let put = format!("Backup.Put 0 {STORE}");
        assert_eq!(commands, ["Backup.Begin 24", &put, "Backup.Commit kube 32"]);
        assert!(commands.iter().all(|command| command.len() <= 255));
    }

    #[test]
    fn a_store_that_changes_meanwhile_is_read_anew() {
        let mut reading = Reading::default();
        let part = |generation| lines(&format!("backup kube {generation} 24 0\nb 0 3142554b\n= 4"));
        assert_eq!(reading.take(&part(1)), Ok(None));
        for generation in 2..20 {
            match reading.take(&part(generation)) {
                Ok(None) => assert_eq!(reading.command(), "Backup.Read 0"),
                other => {
                    assert_eq!(other, Err(BackupError::Changing));
                    return;
                }
            }
        }
        panic!("it went on for ever");
    }

    #[test]
    fn another_form_is_refused() {
        let row = format!("b 0 {STORE}");
        for text in [
            "",
            "backup kube 3 24 32",
            "backup kube 3 24\n= .",
            "backup kube 3 24 32\nb 4 00\n= .",
            "backup kube 3 24 32\nb 0 0x\n= .",
            "backup kube 3 24 32\n= 8",
            &format!("backup kube 3 25 32\n{row}\n= ."),
            &format!("backup kube 3 24 32\n{}\n= .", row.replace("1f", "1e")),
        ] {
            assert!(Reading::default().take(&lines(text)).is_err(), "{text}");
        }
    }
}
