//! Arbitrary bytes as a disk image: open, list, read, check and change never panic or hang, and an
//! image that checks clean can be read and changed.
//!
//! The first byte says what the others are, so that mutations fall on structure and not on 62 KB of
//! zeros: 0 a whole image, 1 the root and the sectors from 64 on (boot area empty), 2 the boot
//! area of a disk without files.

#![no_main]

use kube_disk::{Finding, Image, ImageBuilder, Severity};
use libfuzzer_sys::fuzz_target;

/// Files read in one run: a damaged directory can name thousands of files of 3 MB each.
const MAX_READS: usize = 16;

const SECTOR: usize = 1024;

fuzz_target!(|data: &[u8]| {
    let Some((&kind, content)) = data.split_first() else { return };
    let bytes = match kind {
        0 => content.to_vec(),
        1 => {
            let (root, rest) = content.split_at(content.len().min(SECTOR));
            let mut bytes = root.to_vec();
            bytes.resize(63 * SECTOR, 0);
            bytes.extend_from_slice(rest);
            bytes
        }
        _ => match ImageBuilder::new().size_bytes(63 * SECTOR as u64).boot_image(content).build() {
            Ok(image) => image.into_bytes(),
            Err(_) => return,
        },
    };
    if let Ok(image) = Image::open(bytes) {
        use_image(image);
    }
});

fn use_image(mut image: Image) {
    let findings = image.check();
    for finding in &findings {
        assert!(!finding.to_string().is_empty());
    }
    // The worst that may be found after a change, too: the boot area does not count.
    let worst = |image: &Image| {
        let files = image.check().into_iter().filter(|f| !matches!(f, Finding::Boot(_)));
        files.map(|f| f.severity()).max()
    };
    let found = worst(&image);
    let sound = found != Some(Severity::Error);
    let _ = image.boot_image();
    let listed = image.list();
    for file in listed.iter().flatten().take(MAX_READS) {
        let content = image.read(&file.name);
        if sound {
            assert_eq!(content.expect("a sound image can be read").len(), file.length);
        }
    }
    let _ = image.read("Boot.Cmd");
    let before = image.bytes().to_vec();
    match image.replace("Boot.Cmd", b"Kube.Start") {
        Ok(()) => {
            assert_eq!(image.read("Boot.Cmd").expect("just written"), b"Kube.Start");
            assert!(worst(&image) <= found, "damaged by replace: {:?}", image.check());
            image.remove("Boot.Cmd").expect("just written");
            assert!(worst(&image) <= found, "damaged by remove: {:?}", image.check());
        }
        Err(error) => {
            assert!(!sound, "a sound image can be changed: {error}");
            assert_eq!(image.bytes(), before, "a refused change changes nothing");
        }
    }
    let first = listed.into_iter().flatten().map(|f| f.name).find(|name| name != "Boot.Cmd");
    if let (true, Some(name)) = (sound, first) {
        image.remove(&name).expect("listed");
        assert!(worst(&image) <= found, "damaged by removing {name}: {:?}", image.check());
    }
}
