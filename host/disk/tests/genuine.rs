//! Against genuine Project Oberon images, which are not part of the repository:
//! `KUBE_GENUINE_IMAGE` names one.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "test code outside of test functions")]

use kube_disk::{Image, ImageBuilder};
use kube_emu::{Config, Machine, NoRadio, SdCard, loader};
use obc::link::boot_image;
use obc::object::ObjectFile;

/// The image, or a line that says what is missing.
fn genuine() -> Option<Image> {
    let Ok(path) = std::env::var("KUBE_GENUINE_IMAGE") else {
        println!("skipped: KUBE_GENUINE_IMAGE is not set");
        return None;
    };
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("KUBE_GENUINE_IMAGE {path}: {e}"));
    Some(Image::open(bytes).unwrap())
}

#[test]
fn checks_clean_and_lists() {
    let Some(image) = genuine() else { return };
    assert_eq!(image.check(), vec![]);
    let files = image.list().unwrap();
    let usage = image.usage().unwrap();
    println!("{} files, {usage:?}", files.len());
    assert!(files.iter().any(|f| f.name == "System.Tool"));
    assert_eq!(usage.levels, 2);
    // Facts of the image of 2020-08-18.
    if image.bytes().len() == 990_208 {
        assert_eq!((usage.files, usage.pages), (136, 8));
    }
}

#[test]
fn object_files_survive_a_round_trip() {
    let Some(image) = genuine() else { return };
    let mut count = 0;
    for file in image.list().unwrap().iter().filter(|f| f.name.ends_with(".rsc")) {
        let bytes = image.read(&file.name).unwrap();
        let object = ObjectFile::parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", file.name));
        assert_eq!(object.to_bytes(), bytes, "{}", file.name);
        count += 1;
    }
    assert!(count >= 30, "only {count} object files");
}

fn core(image: &Image) -> Vec<u8> {
    let core = ["Modules", "Files", "FileDir", "Kernel"]
        .map(|name| ObjectFile::parse(&image.read(&format!("{name}.rsc")).unwrap()).unwrap());
    boot_image(&core).unwrap()
}

#[test]
fn linking_the_inner_core_gives_the_boot_area() {
    let Some(image) = genuine() else { return };
    let mut linked = core(&image);
    // The PROM overwrites these two words; the genuine linker leaves other values there.
    linked[12..16].copy_from_slice(&0_u32.to_le_bytes());
    linked[24..28].copy_from_slice(&0x4_0000_u32.to_le_bytes());
    let genuine = image.boot_image().unwrap();
    assert_eq!(linked.len(), genuine.len());
    let differing = (0..linked.len()).filter(|&i| linked[i] != genuine[i]).count();
    assert_eq!(differing, 0, "differing bytes");
    assert!(image.boot_area()[linked.len()..].iter().all(|&b| b == 0));
}

#[test]
fn every_file_can_be_removed_and_put_back() {
    let Some(mut image) = genuine() else { return };
    let files: Vec<(String, Vec<u8>)> = image
        .list()
        .unwrap()
        .into_iter()
        .map(|f| (f.name.clone(), image.read(&f.name).unwrap()))
        .collect();
    for (name, _) in &files {
        image.remove(name).unwrap();
        assert_eq!(image.check(), vec![], "{name} removed");
    }
    assert_eq!(image.list().unwrap(), vec![]);
    for (name, content) in files.iter().rev() {
        image.insert(name, content).unwrap();
        assert_eq!(image.check(), vec![], "{name} put back");
    }
    for (name, content) in &files {
        assert_eq!(&image.read(name).unwrap(), content, "{name}");
    }
}

/// Hash of the framebuffer with the desktop (images of 2016-08-02 and 2020-08-18).
const DESKTOP: u32 = 0xB5DF_C933;

#[test]
fn the_genuine_system_boots_from_an_image_made_here() {
    let Some(image) = genuine() else { return };
    let mut builder = ImageBuilder::new().boot_image(&core(&image));
    for file in image.list().unwrap() {
        builder = builder.file(&file.name, &image.read(&file.name).unwrap());
    }
    // More files, so that the machine walks three levels of pages and an index sector at its start.
    for i in 0..600 {
        builder = builder.file(&format!("Zz{i}"), &[1; 10]);
    }
    let made = builder.file("Zz.Long", &[2; 400_000]).build().unwrap();
    assert_eq!(made.check(), vec![]);
    assert_eq!(made.usage().unwrap().levels, 3);
    let card = SdCard::new(made.into_bytes()).unwrap();
    let mut machine = Machine::new(Config::compat(loader::words()), Some(card), NoRadio::default());
    machine.run_until(10_000_000_000);
    assert_eq!(machine.framebuffer_hash(), DESKTOP);
}
