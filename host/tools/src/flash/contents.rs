//! `ls`, `get`, `put` and `install`: the files of an image. Every other file keeps its bytes and its
//! sectors.

use std::path::{Path, PathBuf};

use kube_disk::{DiskError, Image};
use obc::object::ObjectFile;
use obc::{Options, Source, SymbolSource};
use serde_json::{Value, json};

use super::inspect::damaged;
use super::target::Target;
use super::{Form, WriteFlags, codes, trouble, writing};
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::host::Host;
use crate::output::Column;
use crate::program::Session;

/// Flags of `get`.
#[derive(clap::Args, Clone, Debug)]
pub struct GetFlags {
    /// IMAGE, then the names of the files; IMAGE is left out with --board.
    #[arg(value_name = "[IMAGE] NAME", required = true, num_args = 1..)]
    words: Vec<String>,
    /// Folder for the files.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    into: PathBuf,
    /// Write the files to standard output, one after the other.
    #[arg(long)]
    stdout: bool,
}

/// Flags of `put`.
#[derive(clap::Args, Clone, Debug)]
pub struct PutFlags {
    /// IMAGE, then the files; IMAGE is left out with --board.
    #[arg(value_name = "[IMAGE] FILE", required = true, num_args = 1..)]
    words: Vec<String>,
    /// Name on the image, for a single file.
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    card: CardFlags,
}

/// Flags of `install`.
#[derive(clap::Args, Clone, Debug)]
pub struct InstallFlags {
    /// IMAGE, then modules as .Mod or .rsc files; IMAGE is left out with --board.
    #[arg(value_name = "[IMAGE] MODULE", required = true, num_args = 1..)]
    words: Vec<String>,
    #[command(flatten)]
    card: CardFlags,
}

/// What a change of a card needs.
#[derive(clap::Args, Clone, Debug)]
struct CardFlags {
    /// With --yes: the serial number that the card must have.
    #[arg(long, value_name = "SERIAL")]
    expect_serial: Option<String>,
}

/// The image, and what follows it. Without --board the first word is the image.
fn split<'a>(session: &Session, words: &'a [String]) -> Outcome<(Option<&'a Path>, &'a [String])> {
    if session.flags.board.is_some() {
        return Ok((None, words));
    }
    match words {
        [image, rest @ ..] if !rest.is_empty() => Ok((Some(Path::new(image)), rest)),
        _ => Err(Failure::new(&code::USAGE, "an image and at least one file are wanted")
            .help("give IMAGE and the names, or --board and the names")),
    }
}

const COLUMNS: [Column; 5] = [
    Column::new("name"),
    Column::new("bytes"),
    Column::new("date"),
    Column::wide("sectors"),
    Column::wide("header"),
];

/// Lists the files.
///
/// # Errors
/// `kube::image::…`.
pub fn list(session: &Session, named: Option<&Path>) -> Outcome {
    let host = Host::here();
    let target = session.target(&host, named)?;
    let image = target.image(&host)?;
    let files = image.list().map_err(|error| damaged(&error))?;
    let row = |file: &kube_disk::FileInfo| -> Vec<Value> {
        let date = if file.date.0 == 0 { Value::Null } else { json!(file.date.to_string()) };
        let (sectors, header) = (json!(file.sectors), json!(file.header.number()));
        vec![json!(file.name), json!(file.length), date, sectors, header]
    };
    let rows: Vec<_> = files.iter().map(row).collect();
    session.output.rows("files", &COLUMNS, &rows)
}

/// Copies files out.
///
/// # Errors
/// `kube::image::file`, `kube::file::exists`, `kube::target::…`.
pub fn get(session: &Session, flags: &GetFlags) -> Outcome {
    let host = Host::here();
    let (named, names) = split(session, &flags.words)?;
    let target = session.target(&host, named)?;
    let image = target.image(&host)?;
    let mut copied = Vec::new();
    for name in names {
        let bytes = image.read(name).map_err(|error| file_error(&error, &target.label()))?;
        if flags.stdout {
            session.output.bytes(&bytes)?;
            continue;
        }
        let path = flags.into.join(name);
        if path.exists() && !session.talk.yes() {
            return Err(Failure::new(
                &codes::FILE_EXISTS,
                format!("{} is there already", path.display()),
            )
            .help("--yes replaces it; --into names another folder"));
        }
        std::fs::write(&path, &bytes).map_err(|error| {
            trouble::of(&error, &format!("{} cannot be written", path.display()))
        })?;
        session.talk.say(format!("Get done: {name}, {} bytes, to {}", bytes.len(), path.display()));
        copied.push(json!({ "name": name, "bytes": bytes.len(), "path": path }));
    }
    if flags.stdout { Ok(()) } else { session.output.object("get", json!({ "items": copied })) }
}

fn file_error(error: &DiskError, image: &str) -> Failure {
    let (code, headline) = match error {
        DiskError::NotFound { name } => (&codes::IMAGE_FILE, format!("{image} has no file {name}")),
        DiskError::Name { name, .. } => (&codes::IMAGE_FILE, format!("{name:?} is no file name")),
        DiskError::Full { .. } => (&codes::IMAGE_FILE, format!("{image} is full")),
        DiskError::TooLong { name, .. } => (&codes::IMAGE_FILE, format!("{name} is too long")),
        _ => return damaged(error),
    };
    Failure::new(code, headline)
        .cause(error)
        .help("kube-flash ls shows the files and their lengths")
}

/// Copies files in.
///
/// # Errors
/// `kube::image::file`, and those of writing.
pub fn put(session: &Session, flags: &PutFlags) -> Outcome {
    let host = Host::here();
    let (named, files) = split(session, &flags.words)?;
    if flags.name.is_some() && files.len() > 1 {
        return Err(Failure::new(&code::USAGE, "--as names one file, several are given")
            .help("put them one by one"));
    }
    let target = session.target(&host, named)?;
    let mut image = target.image(&host)?;
    for file in files {
        let bytes = std::fs::read(file)
            .map_err(|error| trouble::of(&error, &format!("{file} cannot be read")))?;
        let last = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
        let name = flags.name.clone().or(last).unwrap_or_default();
        image.replace(&name, &bytes).map_err(|error| file_error(&error, &target.label()))?;
        session.talk.say(format!("Put {name}, {} bytes", bytes.len()));
    }
    bring(session, &host, &target, image, &flags.card)
}

/// Compiles modules and puts their object files on the image.
///
/// # Errors
/// `kube::build`, `kube::module`, and those of writing.
pub fn install(session: &Session, flags: &InstallFlags) -> Outcome {
    let host = Host::here();
    let (named, modules) = split(session, &flags.words)?;
    let target = session.target(&host, named)?;
    let mut image = target.image(&host)?;
    let mut sources = Vec::new();
    let mut objects: Vec<(ObjectFile, Vec<u8>, Option<Vec<u8>>)> = Vec::new();
    for path in modules {
        let failed = |error| trouble::of(&error, &format!("{path} cannot be read"));
        if path.ends_with(".rsc") {
            let bytes = std::fs::read(path).map_err(failed)?;
            let object = ObjectFile::parse(&bytes).map_err(|error| {
                Failure::new(&codes::MODULE, format!("{path} is no object file")).cause(error)
            })?;
            objects.push((object, bytes, None));
        } else {
            // Genuine texts end their lines with CR.
            let text = std::fs::read_to_string(path).map_err(failed)?;
            sources.push(Source::new(path, text));
        }
    }
    let compiled = compile(&image, &sources)?;
    for module in compiled {
        let symbols = Some(module.symbol_file).filter(|file| !file.is_empty());
        objects.push((module.object.clone(), module.object.to_bytes(), symbols));
    }
    let installed: Vec<(String, u32)> =
        objects.iter().map(|(object, ..)| (object.name.clone(), object.key)).collect();
    // Symbol files only where the image keeps them: a machine needs none.
    let keeps_symbols = image.find("Files.smb").is_ok_and(|file| file.is_some());
    for (object, bytes, symbols) in &objects {
        loads(&image, object, &installed, &target)?;
        let name = format!("{}.rsc", object.name);
        image.replace(&name, bytes).map_err(|error| file_error(&error, &target.label()))?;
        session.talk.say(format!("Install {name}, {} bytes, key {:08X}", bytes.len(), object.key));
        if let (Some(symbols), true) = (symbols, keeps_symbols) {
            let name = format!("{}.smb", object.name);
            image.replace(&name, symbols).map_err(|error| file_error(&error, &target.label()))?;
        }
    }
    bring(session, &host, &target, image, &flags.card)
}

/// Symbol files of the image; for an image without them, those of the system inside the tool.
pub(super) struct Symbols<'a> {
    pub(super) image: &'a Image,
}

impl SymbolSource for Symbols<'_> {
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>> {
        self.image.read(&format!("{module}.smb")).ok()
    }
}

fn compile(image: &Image, sources: &[Source]) -> Outcome<Vec<obc::Compiled>> {
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let failed = |found: Vec<obc::Diagnostic>| {
        let shown: Vec<_> = found.iter().map(ToString::to_string).collect();
        Failure::new(&codes::BUILD, "the modules do not compile")
            .cause(shown.join("\n"))
            .help("correct the lines named; the image is unchanged")
    };
    if image.find("Files.smb").is_ok_and(|file| file.is_some()) {
        let symbols = Symbols { image };
        return obc::project::build_with(sources, &symbols, &Options::default()).map_err(failed);
    }
    // The image keeps no symbol files: its modules are those of this tool, or `loads` refuses.
    let mut all = kube_modules::sources();
    let ours = all.len();
    all.extend_from_slice(sources);
    let compiled = obc::project::build(&all).map_err(failed)?;
    let names: Vec<String> = all[ours..].iter().map(|s| obc::parser::imports(s).0).collect();
    Ok(compiled.into_iter().filter(|module| names.contains(&module.module)).collect())
}

/// Refuses a module that imports what the image does not have in that version.
fn loads(
    image: &Image,
    object: &ObjectFile,
    installed: &[(String, u32)],
    target: &Target,
) -> Outcome {
    for (import, key) in &object.imports {
        let fresh = installed.iter().find(|(name, _)| name == import).map(|(_, key)| *key);
        let there = || {
            let bytes = image.read(&format!("{import}.rsc")).ok()?;
            ObjectFile::parse(&bytes).ok().map(|object| object.key)
        };
        let why = match fresh.or_else(there) {
            Some(found) if found == *key => continue,
            Some(found) => format!("it has {import} with key {found:08X}, wanted is {key:08X}"),
            None => format!("it has no {import}"),
        };
        let headline = format!("{} cannot be loaded on {}", object.name, target.label());
        return Err(Failure::new(&codes::MODULE, headline)
            .cause(why)
            .help(format!("install {import} together with it, compiled here")));
    }
    Ok(())
}

/// Writes the changed blocks of a changed image.
fn bring(
    session: &Session,
    host: &Host,
    target: &Target,
    image: Image,
    card: &CardFlags,
) -> Outcome {
    let flags = WriteFlags {
        to: None,
        image: None,
        layout: Form::Short,
        no_skip: false,
        no_verify: false,
        genuine: None,
        self_test: false,
        bitstream: None,
        persist: false,
        monitor: false,
        expect_serial: card.expect_serial.clone(),
        i_know_that_this_disk_is_no_card: false,
    };
    writing::bring(session, host, target, &image.into_bytes(), &target.label(), &flags)
}
