//! The store on disk, read by an independent reader, and what a power cut leaves.

use crate::bench::{Bench, Socket};
use kube_disk::Image;
use kube_emu::NoRadio;

const MAGIC: u32 = 0x4b55_4231;

fn no_radio() -> Socket {
    Socket::Empty(NoRadio { level: true })
}

fn mix(h: i32, x: i32) -> i32 {
    h.wrapping_mul(31).wrapping_add(x).rem_euclid(1_000_000_007)
}

/// Generation and names of a store file, or `None` if it is not whole.
fn read(file: &[u8]) -> Option<(i32, Vec<String>)> {
    let mut at = 0;
    let word = |at: &mut usize| {
        let bytes = file.get(*at..*at + 4)?;
        *at += 4;
        Some(i32::from_le_bytes(bytes.try_into().ok()?))
    };
    if word(&mut at)? as u32 != MAGIC {
        return None;
    }
    let generation = word(&mut at)?;
    let mut sum = mix(1, word(&mut at)?);
    let mut names = Vec::new();
    for _ in 0..word(&mut at)? {
        for _ in 0..4 {
            sum = mix(sum, word(&mut at)?);
        }
        sum = mix(sum, i32::from(*file.get(at)?));
        at += 1;
        for string in 0..4 {
            let len = file.get(at..)?.iter().position(|&byte| byte == 0)?;
            let text = &file[at..at + len];
            sum = text.iter().fold(sum, |sum, &byte| mix(sum, i32::from(byte)));
            sum = mix(sum, 0);
            if string == 0 {
                names.push(String::from_utf8_lossy(text).into_owned());
            }
            at += len + 1;
        }
    }
    (word(&mut at)? == sum && word(&mut at)? == generation).then_some((generation, names))
}

fn slot(disk: &Image, number: u8) -> Option<(i32, Vec<String>)> {
    read(&disk.read(&format!("Kube.Store{number}")).ok()?)
}

fn newest(disk: &Image) -> Option<(i32, Vec<String>)> {
    slot(disk, 0).into_iter().chain(slot(disk, 1)).max_by_key(|&(generation, _)| generation)
}

#[test]
fn the_checksum_is_the_published_one() {
    assert_eq!(mix(1, 0), 31);
}

#[test]
fn objects_reach_the_disk_within_half_a_second_and_alternate() {
    let mut bench = Bench::new("Kube.Start local");
    bench.expect("store on disk", 5_000);
    bench.run_ms(1_200);
    let first = slot(&bench.disk(), 1).expect("the first write goes to slot 1");
    assert_eq!(first, (1, vec!["node-a".into(), "node-b".into(), "node-c".into()]));
    assert_eq!(slot(&bench.disk(), 0), None);
    bench.command("Kube.Apply web 1 Ticker");
    bench.run_ms(1_500);
    let (generation, names) = newest(&bench.disk()).expect("a whole slot");
    assert!(generation >= 2);
    assert_eq!(names[3..], ["web", "web-rs", "web-rs-0"]);
    bench.run_ms(3_000);
    let later = newest(&bench.disk()).expect("a whole slot");
    assert_eq!(later.0, generation, "nothing changed, nothing is written");
    assert!(bench.disk().check().is_empty(), "{:?}", bench.disk().check());
}

#[test]
fn a_restart_finds_what_was_there() {
    let mut bench = Bench::new("Kube.Start local;Kube.Ensure web 2 Ticker");
    bench.expect("deployment web created", 5_000);
    bench.run_ms(2_000);
    let tree = bench.ask("Kube.Get");
    let mut bench = Bench::with(bench.into_disk(), no_radio());
    let line = bench.expect("restored", 5_000);
    assert_eq!(line, "kube: 7 objects restored from the disk");
    bench.expect("deployment web exists, kept as it is", 1_000);
    bench.run_ms(300);
    assert_eq!(bench.ask("Kube.Get"), tree);
}

#[test]
fn the_largest_cluster_is_found_again() {
    let mut bench = Bench::new("Kube.Start;Kube.Ensure web 240 Ticker;Nodes.Fleet");
    bench.run_ms(6_000);
    let disk = bench.disk();
    assert_eq!(newest(&disk).map(|(_, names)| names.len()), Some(200 + 240 + 2));
    assert!(disk.check().is_empty(), "{:?}", disk.check());
    let mut bench = Bench::with(bench.into_disk(), no_radio());
    let line = bench.expect("restored", 5_000);
    assert_eq!(line, "kube: 442 objects restored from the disk");
}

#[test]
fn a_damaged_newer_slot_leaves_the_older_one() {
    let mut bench = Bench::new("Kube.Start local");
    bench.expect("store on disk", 5_000);
    bench.run_ms(1_200);
    bench.command("Kube.Apply web 1 Ticker");
    bench.run_ms(1_500);
    let mut disk = bench.disk();
    let generations = [0, 1].map(|number| slot(&disk, number).map_or(0, |slot| slot.0));
    let newer = u8::from(generations[1] > generations[0]);
    let older = slot(&disk, 1 - newer).expect("two whole slots").1;
    let name = format!("Kube.Store{newer}");
    let mut bytes = disk.read(&name).expect("the file");
    bytes[40] ^= 1;
    disk.replace(&name, &bytes).expect("room");
    let mut bench = Bench::with(disk.into_bytes(), no_radio());
    let line = bench.expect("restored", 5_000);
    assert_eq!(line, format!("kube: {} objects restored from the disk", older.len()));
}

#[test]
fn a_power_cut_at_any_moment_leaves_a_whole_store() {
    let mut bench = Bench::new("Kube.Start local");
    bench.expect("store on disk", 5_000);
    bench.run_ms(1_200);
    let (mut last, mut states) = (0, 0);
    for count in [1, 12, 30, 2] {
        bench.command(&format!("Kube.Apply web {count} Ticker"));
        // Every state that the card goes through counts, not only those between two writes.
        let end_ns = bench.machine.now_ns() + 800_000_000;
        while bench.machine.now_ns() < end_ns {
            if !bench.run_to_write(end_ns) {
                break;
            }
            let (generation, names) = newest(&bench.disk()).expect("a whole slot");
            assert!(generation >= last, "{generation} after {last}");
            assert!(names.len() >= 3);
            last = generation;
            states += 1;
        }
    }
    assert!(last > 4 && states >= 12, "generation {last}, {states} states");
    let (_, names) = newest(&bench.disk()).expect("a whole slot");
    let mut bench = Bench::with(bench.into_disk(), no_radio());
    let line = bench.expect("restored", 5_000);
    assert_eq!(line, format!("kube: {} objects restored from the disk", names.len()));
}

#[test]
fn reset_removes_both_files() {
    let mut bench = Bench::new("Kube.Start local");
    bench.expect("store on disk", 5_000);
    bench.run_ms(1_200);
    bench.command("Kube.Apply web 1 Ticker");
    bench.run_ms(1_500);
    bench.command("Kube.Reset");
    bench.run_ms(1_200);
    let disk = bench.disk();
    for name in ["Kube.Store0", "Kube.Store1"] {
        assert!(disk.find(name).expect("a whole directory").is_none(), "{name} is still there");
    }
}
