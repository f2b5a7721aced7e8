//! `kube backup` and `kube restore`: the plane's store to a file and onto a machine.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use age::x25519;
use kube_proto::key::Key;
use kube_proto::siphash::half_sip_hash;
use kube_proto::store::Store;
use kube_serial::backup::{Backup, BackupError, Reading};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::answer::{Deployment, list};
use super::codes;
use super::plane::{Line, Way, done};
use super::reach::Reach;
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::flash::codes::DIFFERENT;
use crate::program::Session;

/// First line of a file.
const TITLE: &str = "kube-backup 1";
/// How an encrypted file begins.
const AGE: &[u8] = b"age-encryption.org/";
/// More than any store with its head.
const FILE_MAX: u64 = 1 << 20;

/// Flags of `backup`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// The file; one that is there is replaced. It holds the plane's objects, and no key.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Encrypt for whoever has the identity to this recipient, age1...; may be repeated.
    #[arg(long, value_name = "AGE1...")]
    recipient: Vec<String>,
    /// Encrypt for the recipients in a file, one a line.
    #[arg(long, value_name = "FILE")]
    recipients_file: Option<PathBuf>,
}

/// Flags of `restore`.
#[derive(clap::Args, Clone, Debug)]
pub struct RestoreFlags {
    /// The file that kube backup has written.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// For an encrypted file: the file with the identity, as age-keygen writes it; may be repeated.
    #[arg(long, short, value_name = "FILE")]
    identity: Vec<PathBuf>,
    /// Wait for the machine's next start and restore before its start commands: so another machine
    /// takes a plane's place.
    #[arg(long)]
    at_start: bool,
}

fn bad(path: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::new(&codes::BACKUP_FILE, format!("{} cannot be restored", path.display()))
        .cause(why)
        .help("nothing was changed; take another backup")
}

/// Whose key opens the file.
fn recipients(flags: &Flags) -> Outcome<Vec<x25519::Recipient>> {
    let mut texts = flags.recipient.clone();
    if let Some(path) = &flags.recipients_file {
        let text =
            std::fs::read_to_string(path).map_err(|error| Failure::unreadable(path, &error))?;
        let lines = text.lines().map(str::trim);
        texts.extend(lines.filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned));
        if texts.is_empty() {
            let headline = format!("{} names no recipient", path.display());
            return Err(Failure::new(&codes::BACKUP_KEYS, headline)
                .help("age-keygen -o key.txt shows one: age1..."));
        }
    }
    let parse = |text: &String| {
        text.parse::<x25519::Recipient>().map_err(|why| {
            Failure::new(&codes::BACKUP_KEYS, format!("{text:?} is no recipient"))
                .cause(why)
                .help("a recipient begins with age1; age-keygen -o key.txt shows one")
        })
    };
    texts.iter().map(parse).collect()
}

/// Takes a backup.
pub fn run(session: &Session, reach: &Reach, flags: &Flags) -> Outcome {
    let recipients = recipients(flags)?;
    let mut way = reach.plane(session)?;
    let mut reading = Reading::default();
    let backup = loop {
        let lines = done(way.as_mut(), &reading.command())?;
        let taken = reading.take(&lines).map_err(|error| match error {
            BackupError::Changing => Failure::new(&codes::PLANE_REFUSED, error.to_string())
                .help("wait until the rollout is over: kube rollout status"),
            error => Failure::new(&codes::PLANE_VERSION, "the plane's store cannot be read")
                .cause(error)
                .help("kube-flash writes an image of this version"),
        })?;
        if let Some(backup) = taken {
            break backup;
        }
    };
    let own_key = signs_with_own_key(session, way.as_mut());
    way.rest();
    let path = &flags.file;
    let plain = written(&backup);
    let bytes = if recipients.is_empty() {
        plain
    } else {
        encrypted(&plain, &recipients).map_err(|why| {
            Failure::new(&codes::BACKUP_KEYS, "the backup cannot be encrypted").cause(why)
        })?
    };
    let objects = Store::parse(&backup.store).map_or(0, |store| store.objects);
    let encrypted = !recipients.is_empty();
    if session.flags.dry_run {
        let headline = format!("would write {objects} objects to {}", path.display());
        return Err(Failure::new(&DIFFERENT, headline).answered());
    }
    put(path, &bytes)?;
    let cluster = backup.cluster.as_deref().unwrap_or("-");
    let how = if encrypted { "encrypted" } else { "not encrypted" };
    session.talk.say(format!(
        "Backup done: {objects} objects of cluster {cluster} to {}, {how}",
        path.display()
    ));
    if own_key == Some(false) {
        session.talk.warn(
            "the plane signs with another key than the fleet file has, and a backup holds no keys: a \
             machine that takes its place with an image of this fleet file hears nobody. Write the new \
             key into the fleet file (key-file = ...) and keep it",
        );
    }
    let fields = json!({
        "file": path, "cluster": backup.cluster, "objects": objects, "encrypted": encrypted,
        "bytes": bytes.len(), "fleet_key": own_key,
    });
    session.output.object("backup", fields)
}

/// Whether the key that the plane signs with is that of the fleet file; `None` if nobody can say. A key
/// that was changed while the cluster ran stands on the disks of its machines and in no backup.
fn signs_with_own_key(session: &Session, way: &mut dyn Way) -> Option<bool> {
    let fleet = session.fleet().ok()?.fleet;
    let lines = done(way, "Keys.Show").ok()?;
    let signing = signing(lines.iter().find(|line| line.starts_with("keys: "))?)?;
    Some(signing == mark(&fleet.key()))
}

/// The mark of the key that signs, from what `Keys.Show` says.
fn signing(line: &str) -> Option<u32> {
    let mut marks = line
        .split_whitespace()
        .filter(|word| word.len() == 8)
        .filter_map(|word| u32::from_str_radix(word, 16).ok());
    let (first, second) = (marks.next()?, marks.next());
    if line.ends_with("the second signs") { second } else { Some(first) }
}

/// What tells keys apart and gives none away, as `WriteMark` of `Keys.Mod` has it.
fn mark(key: &Key) -> u32 {
    u32::from_le_bytes(half_sip_hash(key, &[]))
}

/// The file's bytes: lines for people, their sum, and the store.
fn written(backup: &Backup) -> Vec<u8> {
    let cluster = backup.cluster.as_deref().unwrap_or("-");
    let (number, bytes) = (backup.number, backup.store.len());
    let head = format!("{TITLE}\ncluster {cluster}\nnumber {number}\nbytes {bytes}\n");
    let mut file = head.into_bytes();
    let sum = sum(&file, &backup.store);
    file.extend_from_slice(format!("sha256 {sum}\n\n").as_bytes());
    file.extend_from_slice(&backup.store);
    file
}

fn sum(head: &[u8], store: &[u8]) -> String {
    let digest = Sha256::new().chain_update(head).chain_update(store).finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads what [`written`] has made.
fn read(file: &[u8]) -> Result<Backup, String> {
    let end = file.windows(2).position(|two| two == b"\n\n").ok_or("it has no head")?;
    let (head, store) = (&file[..end + 1], &file[end + 2..]);
    let head = std::str::from_utf8(head).map_err(|_| "its head is no text")?;
    let at = head.find("sha256 ").ok_or("its head has no sum")?;
    let mut lines = head.lines();
    match lines.next() {
        Some(TITLE) => {}
        Some(title) if title.starts_with("kube-backup ") => {
            return Err(format!("it is of another version ({title}); this tool reads {TITLE}"));
        }
        _ => return Err("it is no backup of kube".to_owned()),
    }
    let mut field = |name: &str| {
        let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.ok_or(format!("its head has no {name}"))
    };
    let (cluster, number) = (field("cluster")?, field("number")?);
    let (bytes, given) = (field("bytes")?, field("sha256")?);
    let bytes: usize = bytes.parse().map_err(|_| "its head has no bytes")?;
    if store.len() != bytes {
        return Err(format!("it is cut short: {} of {bytes} bytes of the store", store.len()));
    }
    if sum(&head.as_bytes()[..at], store) != given {
        return Err("its sum does not fit: it has been changed".to_owned());
    }
    Store::parse(store).map_err(|error| error.to_string())?;
    Ok(Backup {
        cluster: (cluster != "-").then(|| cluster.to_owned()),
        number: number.parse().map_err(|_| "its head has no number")?,
        store: store.to_vec(),
    })
}

fn encrypted(plain: &[u8], recipients: &[x25519::Recipient]) -> Result<Vec<u8>, String> {
    let recipients = recipients.iter().map(|recipient| recipient as &dyn age::Recipient);
    let encryptor = age::Encryptor::with_recipients(recipients).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    let mut writer = encryptor.wrap_output(&mut bytes).map_err(|e| e.to_string())?;
    writer.write_all(plain).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// Writes a file whole or not at all.
fn put(path: &Path, bytes: &[u8]) -> Outcome {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        let failure = Failure::new(&code::IO, format!("{} cannot be written", path.display()));
        failure.cause(error).help("choose a file in a folder that exists and may be written")
    })
}

/// The backup in a file.
fn open(flags: &RestoreFlags) -> Outcome<Backup> {
    let path = &flags.file;
    let file = std::fs::File::open(path).map_err(|error| Failure::unreadable(path, &error))?;
    let mut bytes = Vec::new();
    file.take(FILE_MAX)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::unreadable(path, &error))?;
    if bytes.starts_with(AGE) {
        bytes = decrypted(flags, &bytes)?;
    }
    read(&bytes).map_err(|why| bad(path, why))
}

fn decrypted(flags: &RestoreFlags, bytes: &[u8]) -> Outcome<Vec<u8>> {
    let path = &flags.file;
    let mut identities = Vec::new();
    for name in &flags.identity {
        let file = age::IdentityFile::from_file(name.display().to_string())
            .map_err(|error| Failure::unreadable(name, &error))?;
        let found = file.into_identities().map_err(|error| {
            Failure::new(&codes::BACKUP_KEYS, format!("{} is no identity", name.display()))
                .cause(error)
        })?;
        identities.extend(found);
    }
    if identities.is_empty() {
        let headline = format!("{} is encrypted", path.display());
        return Err(Failure::new(&codes::BACKUP_KEYS, headline)
            .help("name the file with the identity: --identity key.txt"));
    }
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::new(&codes::BACKUP_KEYS, format!("{} does not open", path.display()))
            .cause(error)
            .help("nothing was changed; name another identity, or take another copy of the file")
    };
    let decryptor = age::Decryptor::new(bytes).map_err(|error| wrong(&error))?;
    let identities = identities.iter().map(|identity| identity.as_ref() as &dyn age::Identity);
    let mut reader = decryptor.decrypt(identities).map_err(|error| wrong(&error))?;
    let mut plain = Vec::new();
    reader.read_to_end(&mut plain).map_err(|error| wrong(&error))?;
    Ok(plain)
}

/// Puts a backup onto a machine.
pub fn restore(session: &Session, reach: &Reach, flags: &RestoreFlags) -> Outcome {
    let backup = open(flags)?;
    check_cluster(session, &backup)?;
    let store = Store::parse(&backup.store).map_err(|error| bad(&flags.file, error))?;
    let objects = store.objects;
    if session.flags.dry_run {
        let headline = format!("would restore {objects} objects");
        return Err(Failure::new(&DIFFERENT, headline).answered());
    }
    let mut way = if flags.at_start {
        let mut desk = reach.plane_desk(session)?;
        session.talk.say(format!("waiting for {} to start", desk.place.label));
        desk.wait_for(crate::boot::BANNER, |_, _| ())?;
        Box::new(Line(desk)) as Box<dyn Way + '_>
    } else {
        let mut way = reach.plane(session)?;
        let there: Vec<Deployment> = list(way.as_mut())?;
        if !there.is_empty() {
            let names: Vec<_> = there.iter().map(|deployment| deployment.name.as_str()).collect();
            way.rest();
            session.talk.confirm(
                &format!("{} has {}; the backup takes their place.", way.label(), names.join(", ")),
                "restore",
            )?;
        }
        way
    };
    for command in backup.commands() {
        let lines = done(way.as_mut(), &command)?;
        lines.iter().for_each(|line| session.talk.detail(line));
    }
    let label = way.label().to_owned();
    way.rest();
    session.talk.say(format!("Restore done: {objects} objects on {label}"));
    let fields = json!({"file": flags.file, "board": label, "objects": objects});
    session.output.object("restore", fields)
}

/// The backup must be of the fleet's cluster: machines of another one would lose their pods.
fn check_cluster(session: &Session, backup: &Backup) -> Outcome {
    let fleet = match session.fleet() {
        Ok(file) => file.fleet,
        Err(failure) if failure.code == &code::FLEET_MISSING => return Ok(()),
        Err(failure) => return Err(failure),
    };
    match &backup.cluster {
        Some(cluster) if cluster != fleet.cluster() => {
            let headline = format!("the backup is of cluster {cluster}");
            Err(Failure::new(&codes::BACKUP_CLUSTER, headline)
                .cause(format!("the fleet file is of cluster {}", fleet.cluster()))
                .help("nothing was changed; --fleet names the fleet file of that cluster"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_that_signs_is_told_from_the_other() {
        let one = "keys: the key 0A0B0C0D counts and signs";
        let two = "keys: the key 0A0B0C0D and the new key 00000001 count, the ";
        assert_eq!(signing(one), Some(0x0A0B_0C0D));
        assert_eq!(signing(&format!("{two}first signs")), Some(0x0A0B_0C0D));
        assert_eq!(signing(&format!("{two}second signs")), Some(1));
        assert_eq!(signing("keys: nothing"), None);
    }

    fn backup() -> Backup {
        let store = [0x4B55_4231, 3, 0, 0, 31, 3].map(i32::to_le_bytes).concat();
        Backup { cluster: Some("kube".into()), number: 32, store }
    }

    #[test]
    fn a_file_is_read_back_and_one_that_is_cut_or_changed_is_refused() {
        let file = written(&backup());
        assert_eq!(read(&file), Ok(backup()));
        for len in 0..file.len() {
            assert!(read(&file[..len]).is_err(), "{len} bytes");
        }
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(read(&changed).is_err(), "byte {at}");
        }
        let newer = String::from_utf8_lossy(&file).replace("kube-backup 1", "kube-backup 2");
        assert!(read(newer.as_bytes()).is_err_and(|why| why.contains("another version")));
    }

    #[test]
    fn an_encrypted_file_opens_for_its_recipients_only() {
        let (mine, other) = (x25519::Identity::generate(), x25519::Identity::generate());
        let plain = written(&backup());
        let file = encrypted(&plain, &[mine.to_public()]).expect("encrypted");
        assert!(file.starts_with(AGE));
        let open = |identity: &x25519::Identity| {
            let decryptor = age::Decryptor::new(&file[..]).expect("a head");
            let mut reader = decryptor.decrypt(std::iter::once(identity as &dyn age::Identity))?;
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).map_err(age::DecryptError::from)?;
            Ok::<_, age::DecryptError>(bytes)
        };
        assert_eq!(open(&mine).expect("opened"), plain);
        assert!(open(&other).is_err());
    }
}
