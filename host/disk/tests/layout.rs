//! Images as files: layouts, sizes, boot area, same input same bytes.

#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use kube_disk::{BootFault, Date, DiskError, Finding, Image, ImageBuilder, Layout, Sector};
use obc::link::boot_image;
use obc::object::ObjectFile;

fn core() -> Vec<u8> {
    let module = |name: &str, imports: &[&str]| ObjectFile {
        name: name.to_string(),
        imports: imports.iter().map(|i| (i.to_string(), 0)).collect(),
        code: vec![0xC700_000F; 400],
        entries: vec![0],
        ..ObjectFile::default()
    };
    boot_image(&[module("Top", &["Low"]), module("Low", &[])]).unwrap()
}

#[test]
fn order_of_files_does_not_matter() {
    let forward = ImageBuilder::new().file("A", b"1").file("B", b"2").file("C", b"3");
    let backward = ImageBuilder::new().file("C", b"3").file("B", b"2").file("A", b"1");
    assert_eq!(forward.build().unwrap().bytes(), backward.build().unwrap().bytes());
}

#[test]
fn a_new_image_checks_clean() {
    let image = ImageBuilder::new().boot_image(&core()).file("A.Mod", b"x").build().unwrap();
    assert_eq!(image.check(), vec![]);
    assert_eq!(image.boot_image().unwrap(), core());
    assert_eq!(image.bytes().len(), 8_388_608);
    assert_eq!(image.layout(), Layout::Shortened);
    assert_eq!(&image.bytes()[..4], [0x8D, 0xA3, 0x1E, 0x9B]);
}

#[test]
fn full_card() {
    let builder = ImageBuilder::new().size_bytes(1 << 20).boot_image(&core()).file("A", b"x");
    let short = builder.clone().build().unwrap();
    let card = builder.layout(Layout::FullCard).build().unwrap();
    assert_eq!(card.bytes().len(), (256 << 20) + 1024 + (1 << 20));
    let start = Sector::ROOT.card_block() as usize * 512;
    assert_eq!(&card.bytes()[start..], short.bytes());
    let mut card = Image::open(card.into_bytes()).unwrap();
    assert_eq!(card.layout(), Layout::FullCard);
    assert_eq!(card.check(), vec![]);
    card.insert("B", b"y").unwrap();
    assert_eq!(card.read("B").unwrap(), b"y");
    let changed: Vec<u32> = card.changed_sectors(&short).iter().map(|s| s.number()).collect();
    assert_eq!(changed, [1, 65]);
}

#[test]
fn sizes() {
    for bytes in [0, 63 * 1024 - 1, 62 * 1024, 1 << 26, u64::MAX / 1024 * 1024] {
        let error = ImageBuilder::new().size_bytes(bytes).build().unwrap_err();
        assert_eq!(error, DiskError::Size { bytes });
    }
    let small = ImageBuilder::new().size_bytes(63 * 1024).build().unwrap();
    assert_eq!(small.bytes().len(), 63 * 1024);
    let grown = ImageBuilder::new().size_bytes(63 * 1024).file("A", &[0; 2000]).build().unwrap();
    assert_eq!(grown.bytes().len(), 66 * 1024);
    let whole = ImageBuilder::new().size_bytes(65_535 * 1024).build().unwrap();
    assert_eq!(whole.usage().unwrap().image_end, 65_536);
}

#[test]
fn dates_are_kept() {
    let date = Date::new(2026, 2, 3, 4, 5, 6).unwrap();
    let mut image = ImageBuilder::new().date(date).file("A", b"").build().unwrap();
    assert_eq!(image.find("A").unwrap().unwrap().date, date);
    image.set_date(Date::NONE);
    image.replace("A", b"1").unwrap();
    assert_eq!(image.find("A").unwrap().unwrap().date, Date::NONE);
}

#[test]
fn replacing_with_the_same_size_changes_only_the_content() {
    let mut image =
        ImageBuilder::new().file("A", &[1; 3000]).file("B", &[2; 3000]).build().unwrap();
    let before = image.clone();
    image.replace("A", &[3; 3000]).unwrap();
    let changed: Vec<u32> = image.changed_sectors(&before).iter().map(|s| s.number()).collect();
    assert_eq!(changed, [64, 65, 66, 67]);
}

#[test]
fn boot_image_that_is_too_long() {
    let error = ImageBuilder::new().boot_image(&[0; 63_489]).build().unwrap_err();
    assert_eq!(error, DiskError::BootTooLong { bytes: 63_489 });
}

#[test]
fn damaged_boot_areas() {
    let fault = |at: usize, word: u32| {
        let mut boot = core();
        boot[at..at + 4].copy_from_slice(&word.to_le_bytes());
        let image = ImageBuilder::new().boot_image(&boot).build().unwrap();
        match image.check().into_iter().next() {
            Some(Finding::Boot(fault)) => fault,
            other => panic!("{other:?}"),
        }
    };
    let top = u32::from_le_bytes(core()[20..24].try_into().unwrap());
    let at = |offset: u32| (top + offset) as usize;
    assert_eq!(fault(0, 0xE800_0000), BootFault::NoBranch { word: 0xE800_0000 });
    assert_eq!(fault(0, 0xE700_0000), BootFault::Branch { target: 4 });
    assert_eq!(fault(16, 1 << 20), BootFault::End { end: 1 << 20, limit: 63_488 });
    assert_eq!(fault(20, top + 1), BootFault::Descriptor { at: top + 1 });
    assert_eq!(fault(at(32), top), BootFault::Descriptor { at: top });
    assert_eq!(fault(at(32), 0), BootFault::Descriptor { at: 0 });
    assert_eq!(fault(at(0), 0), BootFault::ModuleName { at: top });
    assert!(matches!(fault(0x100 + 40, 2), BootFault::Number { number: 2, expected: 1, .. }));
    assert!(matches!(fault(at(44), 32), BootFault::Block { .. }));
    assert!(matches!(fault(at(56), 0), BootFault::Part { part: "code", at: 0, .. }));
    assert!(matches!(fault(0x28, 0), BootFault::Table { found: 0, .. }));
    let mut image = ImageBuilder::new().build().unwrap();
    assert!(matches!(image.boot_image(), Err(DiskError::Boot(_))));
    image.set_boot_image(&core()).unwrap();
    assert_eq!(image.check(), vec![]);
}
