//! What a machine of these tests starts from.

use kube_disk::ImageBuilder;
use kube_modules::{System, build_with};
use obc::Source;
use std::sync::OnceLock;

/// A module of the tests, beside the embedded ones: prints the published hash vectors.
const VECTORS: &str = include_str!("Vectors.Mod");

/// PROM, and a disk with all modules and `commands` to be run at start.
pub fn image(commands: &str) -> (Vec<u32>, Vec<u8>) {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    let system = SYSTEM.get_or_init(|| {
        let vectors = Source::new("Vectors.Mod", VECTORS);
        build_with(&[vectors]).unwrap_or_else(|error| panic!("{error}"))
    });
    let files = system.objects.iter();
    let disk = files
        .fold(ImageBuilder::new(), |disk, (name, bytes)| disk.file(name, bytes))
        .boot_image(&system.boot_image)
        .file("Boot.Cmd", commands.as_bytes())
        .build();
    (system.prom.clone(), disk.expect("everything fits on the disk").into_bytes())
}
