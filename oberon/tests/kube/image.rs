//! What a machine of these tests starts from.

use kube_disk::ImageBuilder;
use kube_modules::{System, build_with};
use obc::Source;
use std::sync::OnceLock;

/// Modules of the tests, beside the embedded ones.
const EXTRA: [(&str, &str); 3] = [
    ("Vectors.Mod", include_str!("Vectors.Mod")),
    ("Packets.Mod", include_str!("Packets.Mod")),
    ("BadPod.Mod", include_str!("BadPod.Mod")),
];

/// PROM, and a disk with all modules and `commands` to be run at start.
pub fn image(commands: &str) -> (Vec<u32>, Vec<u8>) {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    let system = SYSTEM.get_or_init(|| {
        let extra = EXTRA.map(|(name, text)| Source::new(name, text));
        build_with(&extra).unwrap_or_else(|error| panic!("{error}"))
    });
    let files = system.objects.iter();
    let disk = files
        .fold(ImageBuilder::new(), |disk, (name, bytes)| disk.file(name, bytes))
        .boot_image(&system.boot_image)
        .file("Boot.Cmd", commands.as_bytes())
        .build();
    (system.prom.clone(), disk.expect("everything fits on the disk").into_bytes())
}
