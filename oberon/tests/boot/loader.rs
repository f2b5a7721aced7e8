//! Object files that are missing, made for another module, cut short or damaged: the message
//! names the module, and the next command runs.

use kube_disk::Image;
use obc::object::ObjectFile;

use crate::station::{Random, Station, disk, system};

fn object(name: &str) -> Vec<u8> {
    let found = system().objects.iter().find(|(file, _)| file == name);
    found.expect("a module of the system").1.clone()
}

fn with(name: &str, content: &[u8]) -> Image {
    let mut disk = disk("");
    disk.replace(name, content).expect("replaced");
    disk
}

fn failure(disk: &Image, command: &str) -> String {
    let mut station = Station::started(disk);
    let answer = station.command(command);
    let line = answer.lines().find(|line| line.contains(" failed, res "));
    line.unwrap_or_else(|| panic!("no failure: {answer}")).to_owned()
}

#[test]
fn a_missing_module_is_named() {
    let mut disk = disk("");
    assert_eq!(
        failure(&disk, "Nope.Run"),
        "boot: Nope.Run failed, res 1: no object file of module Nope"
    );
    disk.remove("SCC.rsc").expect("removed");
    assert_eq!(
        failure(&disk, "KubeNet.Stop"),
        "boot: KubeNet.Stop failed, res 1: no object file of module SCC"
    );
}

#[test]
fn a_wrong_key_names_both_modules() {
    let mut file = ObjectFile::parse(&object("Heap.rsc")).expect("an object file");
    let import = file.imports.iter_mut().find(|(name, _)| name == "Texts").expect("imported");
    import.1 = import.1.wrapping_add(1);
    assert_eq!(
        failure(&with("Heap.rsc", &file.to_bytes()), "Heap.Fill"),
        "boot: Heap.Fill failed, res 3: key conflict in module Heap importing Texts"
    );
}

#[test]
fn a_wrong_version_is_named() {
    let mut bytes = object("Heap.rsc");
    bytes["Heap".len() + 1 + 4] = 7;
    assert_eq!(
        failure(&with("Heap.rsc", &bytes), "Heap.Fill"),
        "boot: Heap.Fill failed, res 2: unknown version of object file of module Heap"
    );
}

#[test]
fn another_modules_file_is_refused() {
    assert_eq!(
        failure(&with("Heap.rsc", &object("Disks.rsc")), "Heap.Fill"),
        "boot: Heap.Fill failed, res 4: corrupt object file of module Heap"
    );
}

#[test]
fn object_files_cut_short_anywhere_are_refused() {
    let bytes = object("Heap.rsc");
    let mut disk = disk("");
    let mut names = Vec::new();
    for length in (0..bytes.len()).step_by(bytes.len() / 60) {
        let name = format!("Heap{length}");
        let short = renamed(&bytes, "Heap", &name);
        disk.insert(&format!("{name}.rsc"), &short[..length.min(short.len())]).expect("room");
        names.push(name);
    }
    let mut station = Station::started(&disk);
    for name in names {
        let answer = station.command(&format!("{name}.Fill"));
        let wanted = format!("failed, res 4: corrupt object file of module {name}");
        assert!(answer.contains(&wanted), "{answer}");
    }
}

/// The same object file under another name.
fn renamed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    [to.as_bytes(), &bytes[from.len()..]].concat()
}

/// A damaged file may still load: a turned bit in a constant is nobody's business. What counts is
/// that loading it neither stops nor harms the system. Its body is never the changed part.
#[test]
fn damaged_object_files_never_stop_the_system() {
    let original = ObjectFile::parse(&object("Disks.rsc")).expect("an object file");
    let mut random = Random::new(0x1D05_7A11);
    let mut disk = disk("");
    let mut names = Vec::new();
    for number in 0..120 {
        let mut file = original.clone();
        let name = format!("Bad{number}");
        file.name.clone_from(&name);
        damage(&mut file, &mut random);
        disk.insert(&format!("{name}.rsc"), &file.to_bytes()).expect("room");
        names.push(name);
    }
    let mut station = Station::started(&disk);
    let mut refused = 0;
    for name in names {
        let answer = station.command(&format!("{name}.Nope"));
        assert!(answer.contains(&format!("boot: {name}.Nope failed, res ")), "{answer}");
        refused += usize::from(answer.contains("corrupt object file"));
    }
    assert!(refused > 40, "only {refused} refused");
    station.command("Probe.Echo fine");
}

/// Changes one of the numbers that the loader has to mistrust.
fn damage(file: &mut ObjectFile, random: &mut Random) {
    let wild = match random.next(4) {
        0 => 0xFFFF_FFFF,
        1 => 0x8000_0000,
        2 => random.next(0x1_0000) as u32 * 4,
        _ => random.next(0x10_0000) as u32,
    };
    match random.next(6) {
        0 => file.fix_p = wild,
        1 => file.fix_d = wild,
        2 => file.fix_t = wild,
        3 => {
            let at = random.next(file.entries.len());
            file.entries[at] = wild;
        }
        4 => file.pointers.push(wild),
        _ => file.commands[0].1 = wild,
    }
}

#[test]
fn many_modules_fill_the_table_and_no_more() {
    let original = ObjectFile::parse(&object("Pods.rsc")).expect("an object file");
    let mut disk = disk("");
    for number in 0..60 {
        let mut file = original.clone();
        file.name = format!("Pods{number}");
        disk.insert(&format!("Pods{number}.rsc"), &file.to_bytes()).expect("room");
    }
    let mut station = Station::started(&disk);
    let mut full = None;
    for number in 0..60 {
        let answer = station.command(&format!("Pods{number}.Nope"));
        if answer.contains("failed, res 7: no space for module") {
            full = Some(number);
            break;
        }
    }
    let full = full.expect("the table of 55 modules is full before the 60th");
    assert!(full > 40, "{full}");
    station.command("Probe.Echo fine");
}

#[test]
fn a_module_that_imports_itself_is_refused() {
    let mut file = ObjectFile::parse(&object("Heap.rsc")).expect("an object file");
    file.imports[0] = (file.name.clone(), file.key);
    assert_eq!(
        failure(&with("Heap.rsc", &file.to_bytes()), "Heap.Fill"),
        "boot: Heap.Fill failed, res 4: corrupt object file of module Heap"
    );
}
