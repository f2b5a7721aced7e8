//! The compiler against a genuine Project Oberon image, which is not part of the repository:
//! `KUBE_GENUINE_IMAGE` names it (the image of 2020-08-18).

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "test code outside of test functions")]

use kube_disk::Image;
use obc_measure::boot;
use obc_measure::genuine::{self, Genuine};

/// Hash of the framebuffer with the desktop.
const DESKTOP: u32 = 0xB5DF_C933;
/// Modules of the image of 2020-08-18.
const MODULES: usize = 38;

fn genuine_system() -> Option<(Image, Vec<Genuine>)> {
    let Some(image) = genuine::from_environment().unwrap() else {
        println!("skipped: KUBE_GENUINE_IMAGE is not set");
        return None;
    };
    let modules = genuine::modules(&image).unwrap();
    Some((image, modules))
}

#[test]
fn symbol_files_are_the_genuine_ones_byte_for_byte() {
    let Some((_, modules)) = genuine_system() else { return };
    let ours = genuine::compile(&modules).unwrap();
    let differing = genuine::differing_symbols(&modules, &ours);
    println!("{} of {} symbol files identical", modules.len() - differing.len(), modules.len());
    assert_eq!(modules.len(), MODULES);
    assert_eq!(differing, Vec::<String>::new());
}

#[test]
fn import_lists_entries_and_commands_are_the_genuine_ones() {
    let Some((_, modules)) = genuine_system() else { return };
    let ours = genuine::compile(&modules).unwrap();
    for module in &modules {
        let our = &ours.iter().find(|c| c.module == module.name).unwrap().object;
        let theirs = &module.object;
        assert_eq!(our.imports, theirs.imports, "{}", module.name);
        assert_eq!(our.entries.len(), theirs.entries.len(), "{}", module.name);
        assert_eq!(our.variable_bytes, theirs.variable_bytes, "{}", module.name);
        let names = |o: &obc::object::ObjectFile| -> Vec<String> {
            o.commands.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(our), names(theirs), "{}", module.name);
    }
}

#[test]
fn the_rebuilt_disk_boots_to_the_same_picture() {
    let Some((image, modules)) = genuine_system() else { return };
    let ours = genuine::compile(&modules).unwrap();
    let rebuilt = genuine::rebuilt(&image, &ours).unwrap();
    assert_eq!(rebuilt.check(), vec![]);
    let comparison = genuine::compare(&image, &modules, &ours).unwrap();
    println!("{comparison}");
    assert_eq!(comparison.genuine.boot.framebuffer_hash, DESKTOP);
    assert_eq!(comparison.ours.boot.framebuffer_hash, DESKTOP);
    // Fewer than the genuine object files need, whatever else changes.
    assert!(comparison.instructions_ratio() < 1.0);
    assert!(comparison.code_ratio() < 1.0);
}

/// The genuine compiler of the disk, with its own object files, must be able to use ours: a mixed
/// disk boots as well, because keys and tables are the same.
#[test]
fn our_modules_can_be_mixed_with_the_genuine_ones() {
    let Some((image, modules)) = genuine_system() else { return };
    let ours = genuine::compile(&modules).unwrap();
    let input = modules.iter().find(|m| m.name == "Input").unwrap();
    let mouse = genuine::entry_number(input, "Mouse").unwrap();
    for half in [0, 1] {
        let mut mixed = image.clone();
        for (number, module) in ours.iter().enumerate() {
            if number % 2 == half {
                let file = format!("{}.rsc", module.module);
                mixed.replace(&file, &module.object.to_bytes()).unwrap();
            }
        }
        let boot = boot::measure(mixed.bytes(), &input.object, mouse).unwrap();
        assert_eq!(boot.framebuffer_hash, DESKTOP, "half {half}");
    }
}

/// The other way round: our compiler reads the symbol files of the disk, and what it compiles
/// against them is what it compiles against its own.
#[test]
fn the_symbol_files_of_the_disk_can_be_compiled_against() {
    let Some((_, modules)) = genuine_system() else { return };
    let files: std::collections::BTreeMap<String, Vec<u8>> =
        modules.iter().map(|m| (m.name.clone(), m.symbol_file.clone())).collect();
    for compiled in genuine::compile(&modules).unwrap() {
        let source = &modules.iter().find(|m| m.name == compiled.module).unwrap().source;
        let against = obc::compile(source, &files, &obc::Options::default()).unwrap();
        assert_eq!(against, compiled, "{}", compiled.module);
    }
}
