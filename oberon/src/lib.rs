//! The project's Oberon modules, embedded, and what is built from them: the boot PROM, the boot
//! image, and an object file for every module.
//!
//! | folder | holds | goes to |
//! |---|---|---|
//! | `boot` | the boot loader, a standalone module | the PROM |
//! | `system` | Kernel, FileDir, Files, Modules | boot area of the disk and files |
//! | | Texts, Oberon, RS232, Host, NRF24, SCC, Radio | files |
//! | `kube` | control plane, protocol, kubelet, commands at start | files |
//! | `pods` | workloads | files |
//! | `selftest` | what a new board runs first | a boot image by itself |
//! | `genuine` | Host and Boot for a genuine Project Oberon | files of its disk |
//!
//! Nothing here knows about disks or machines: [`System`] is plain data.

pub mod genuine;

use include_dir::{Dir, include_dir};
use obc::{Compiled, Source};

static BOOT: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/boot");
static SYSTEM: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/system");
static KUBE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/kube");
static SELF_TEST: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/selftest");
static PODS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/pods");

/// The modules that the boot loader brings into memory as one image; the last one's body runs.
pub const INNER_CORE: [&str; 4] = ["Kernel", "FileDir", "Files", "Modules"];

/// Files of the control plane's store. An image for a plane has them at full size, so that the
/// directory and the files' sectors stay as they are when the store is written; a plane that lacks
/// them makes them, which takes it most of a second.
pub const STORE_FILES: [&str; 2] = ["Kube.Store0", "Kube.Store1"];
/// Bytes of each: `length` of `Store.Mod`, for as many objects as its table holds.
pub const STORE_BYTES: usize = 24 + 512 * (17 + 4 * 40);

/// File of the numbers that a station with a key of its own gives to its sessions
/// (`oberon/kube/Peers.Mod`). An image has it from the beginning, so that no directory is written.
pub const NUMBERS_FILE: &str = "Peers.Numbers";
/// File of the machine's starts (`oberon/system/Starts.Mod`), on every image from the beginning too.
pub const STARTS_FILE: &str = "Starts.Num";
/// Two places of `oberon/system/Numbers.Mod`.
const NUMBERS_BYTES: usize = 2 * 1024;

/// File of a changed key (`oberon/kube/Keys.Mod`), on every image from the beginning: no change so far.
pub const KEYS_FILE: &str = "Keys.Store";
/// What it holds then.
pub const KEYS: [u8; NUMBERS_BYTES] = [0; NUMBERS_BYTES];

/// Contents of a file of numbers when `last` was the last number given. No session number may be given twice under one key:
/// who writes a used disk anew gives new keys, or begins behind all that the old disk can
/// have given, for example with the seconds of the host's clock.
#[must_use]
pub fn numbers_file(last: u32) -> Vec<u8> {
    let mut file = vec![0; NUMBERS_BYTES];
    file[..4].copy_from_slice(&last.to_le_bytes());
    file[4..8].copy_from_slice(&(!last).to_le_bytes());
    file
}

/// Everything that is built from the modules.
#[derive(Clone, Debug)]
pub struct System {
    /// The PROM's words, at most [`risc5_isa::map::PROM_WORDS`](obc) of them.
    pub prom: Vec<u32>,
    /// Memory image of the inner core, for the boot area.
    pub boot_image: Vec<u8>,
    /// One entry a module: file name such as `Kube.rsc`, and the object file's bytes.
    pub objects: Vec<(String, Vec<u8>)>,
    /// Names of the modules that are pods of the project; an image may leave them off.
    pub pods: Vec<String>,
}

/// Why the modules could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The compiler refused modules; each diagnostic names file, line and column.
    #[error("the Oberon modules do not compile\n{0}")]
    Compile(String),
    /// The boot linker refused the inner core.
    #[error("the boot image of Kernel, FileDir, Files and Modules cannot be linked: {0}")]
    Link(#[from] obc::link::LinkError),
    /// The text of a genuine `System.Mod` is not what it must be.
    #[error("the genuine System.Mod has no {0:?}: take the text of an unchanged image")]
    System(String),
    /// A module of a fixed role is not there.
    #[error("module {0} is missing from the sources: restore its .Mod file")]
    Missing(&'static str),
}

impl BuildError {
    fn compile(diagnostics: &[obc::Diagnostic]) -> Self {
        let shown: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
        Self::Compile(shown.join("\n"))
    }
}

/// The embedded sources, in the order boot, system, kube, pods, each by file name.
#[must_use]
pub fn sources() -> Vec<Source> {
    let folders = [("boot", &BOOT), ("system", &SYSTEM), ("kube", &KUBE), ("pods", &PODS)];
    folders.into_iter().flat_map(|(folder, dir)| modules_of(folder, dir)).collect()
}

fn modules_of(folder: &str, dir: &Dir<'_>) -> Vec<Source> {
    let is_module = |file: &&include_dir::File<'_>| {
        file.path().extension().is_some_and(|extension| extension == "Mod")
    };
    let mut files: Vec<_> = dir.files().filter(is_module).collect();
    files.sort_by_key(|file| file.path());
    let source = |file: &include_dir::File<'_>| {
        let name = format!("oberon/{folder}/{}", file.path().display());
        Some(Source { name, text: file.contents_utf8()?.to_owned() })
    };
    files.into_iter().filter_map(source).collect()
}

/// Names of the modules that are pods.
#[must_use]
pub fn pods() -> Vec<String> {
    let stem = |file: &include_dir::File<'_>| Some(file.path().file_stem()?.to_str()?.to_owned());
    let mut names: Vec<_> = PODS.files().filter_map(stem).collect();
    names.sort();
    names
}

/// Compiles and links the embedded modules.
///
/// # Errors
/// [`BuildError`] with every diagnostic of every module.
pub fn build() -> Result<System, BuildError> {
    build_with(&[])
}

/// As [`build`], with further modules (a user's pods, a test's commands) beside the embedded ones.
///
/// # Errors
/// [`BuildError`] with every diagnostic of every module.
pub fn build_with(extra: &[Source]) -> Result<System, BuildError> {
    let mut sources = sources();
    sources.extend_from_slice(extra);
    let compiled =
        obc::project::build(&sources).map_err(|diagnostics| BuildError::compile(&diagnostics))?;
    assemble(&compiled)
}

/// The boot image of the self-test: what a new board runs first, without system and disk. Its report
/// goes to the serial line, 115200 baud.
///
/// # Errors
/// [`BuildError`] if it does not compile.
pub fn self_test() -> Result<Vec<u8>, BuildError> {
    let compiled = obc::project::build(&modules_of("selftest", &SELF_TEST))
        .map_err(|diagnostics| BuildError::compile(&diagnostics))?;
    let objects: Vec<_> = compiled.into_iter().map(|module| module.object).collect();
    Ok(obc::link::boot_image(&objects)?)
}

fn assemble(compiled: &[Compiled]) -> Result<System, BuildError> {
    let named = |name: &'static str| {
        compiled.iter().find(|module| module.module == name).ok_or(BuildError::Missing(name))
    };
    let inner = INNER_CORE
        .iter()
        .map(|&name| named(name).map(|module| module.object.clone()))
        .collect::<Result<Vec<_>, _>>()?;
    let objects = compiled
        .iter()
        .filter(|module| !module.standalone)
        .map(|module| (format!("{}.rsc", module.module), module.object.to_bytes()))
        .collect();
    Ok(System {
        prom: obc::standalone_words(named("BootLoad")?),
        boot_image: obc::link::boot_image(&inner)?,
        objects,
        pods: pods(),
    })
}
