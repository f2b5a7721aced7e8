//! What a machine of these tests starts from.

use kube_disk::ImageBuilder;
use kube_modules::{
    NUMBERS_FILE, STARTS_FILE, STORE_BYTES, STORE_FILES, System, build_with, numbers_file,
};
use obc::Source;
use obc::object::ObjectFile;
use std::sync::OnceLock;

/// Modules of the tests, beside the embedded ones.
const EXTRA: [(&str, &str); 13] = [
    ("Vectors.Mod", include_str!("Vectors.Mod")),
    ("Nodes.Mod", include_str!("Nodes.Mod")),
    ("Packets.Mod", include_str!("Packets.Mod")),
    ("BadPod.Mod", include_str!("BadPod.Mod")),
    ("LoopPod.Mod", include_str!("pods/LoopPod.Mod")),
    ("SpinPod.Mod", include_str!("pods/SpinPod.Mod")),
    ("TaskPod.Mod", include_str!("pods/TaskPod.Mod")),
    ("FullPod.Mod", include_str!("pods/FullPod.Mod")),
    ("SlowPod.Mod", include_str!("pods/SlowPod.Mod")),
    ("SickPod.Mod", include_str!("pods/SickPod.Mod")),
    ("BurnPod.Mod", include_str!("pods/BurnPod.Mod")),
    ("HoldPod.Mod", include_str!("pods/HoldPod.Mod")),
    ("StopPod.Mod", include_str!("pods/StopPod.Mod")),
];

/// An object file compiled against another version of a module that it imports, under a name.
fn with_another_key(bytes: &[u8], name: &str) -> Vec<u8> {
    let mut object = ObjectFile::parse(bytes).expect("a whole object file");
    object.name = name.to_owned();
    object.imports.last_mut().expect("an import").1 ^= 1;
    object.to_bytes()
}

/// The modules, and an object file that does not fit them.
pub fn system() -> &'static System {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        let extra = EXTRA.map(|(name, text)| Source::new(name, text));
        let mut system = build_with(&extra).unwrap_or_else(|error| panic!("{error}"));
        let ticker = system.objects.iter().find(|(name, _)| name == "Ticker.rsc");
        let stale = with_another_key(&ticker.expect("Ticker").1, "OldPod");
        system.objects.push(("OldPod.rsc".into(), stale));
        system
    })
}

/// PROM, and a disk with all modules and `commands` to be run at start.
pub fn image(commands: &str) -> (Vec<u32>, Vec<u8>) {
    let system = system();
    let files = system.objects.iter();
    let store = STORE_FILES.iter();
    let empty = store.fold(ImageBuilder::new(), |disk, name| disk.file(name, &[0; STORE_BYTES]));
    let disk = files
        .fold(empty, |disk, (name, bytes)| disk.file(name, bytes))
        .boot_image(&system.boot_image)
        .file("Boot.Cmd", commands.as_bytes())
        .file(NUMBERS_FILE, &numbers_file(0))
        .file(STARTS_FILE, &numbers_file(0))
        .build();
    (system.prom.clone(), disk.expect("everything fits on the disk").into_bytes())
}
