//! Power fails in the middle of changes to the directory. After the next start no file that was
//! registered is missing, and the disk is in order.

use kube_disk::Image;

use crate::station::{Random, Station, disk};

/// How many cuts: the default, or what `KUBE_TEST_ROUNDS` says.
fn rounds(default: usize) -> usize {
    let given = std::env::var("KUBE_TEST_ROUNDS").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(default)
}

/// Names on the disk.
fn names(disk: &Image) -> Vec<String> {
    disk.list().expect("readable").into_iter().map(|file| file.name).collect()
}

/// Runs a command, fails the power within the given time, starts once more and looks.
fn cut(base: &Image, command: &str, after_ns: u64) -> Image {
    let mut station = Station::started(base);
    station.machine.serial_send(format!("{command}\r").as_bytes());
    station.machine.run_until(station.machine.now_ns() + after_ns);
    let card = station.machine.card_mut().take().expect("a card is in");
    let bytes = card.into_image().into_bytes();
    let cut = Image::open(bytes).expect("the root keeps its mark");
    let mut station = Station::started(&cut);
    station.command("Probe.Echo again");
    let disk = station.disk();
    let findings = disk.check();
    assert!(findings.is_empty(), "{command}, cut after {after_ns} ns: {findings:#?}");
    disk
}

fn all_there(before: &[String], disk: &Image, case: &str) {
    let now = names(disk);
    let lost: Vec<_> = before.iter().filter(|name| !now.contains(name)).collect();
    assert!(lost.is_empty(), "{case}: lost {lost:?}");
}

#[test]
fn creation_of_files_loses_none() {
    let mut station = Station::started(&disk(""));
    station.command("Disks.Many x 1 100");
    let base = station.disk();
    let before = names(&base);
    let mut random = Random::new(0xC07_0FF);
    for round in 0..rounds(10) {
        let after = 20_000_000 + random.next(600_000_000) as u64;
        let disk = cut(&base, "Disks.Many x 101 200", after);
        all_there(&before, &disk, &format!("round {round}"));
    }
}

#[test]
fn deletion_of_files_loses_no_other() {
    let mut station = Station::started(&disk(""));
    station.command("Disks.Many x 1 150");
    let base = station.disk();
    let others: Vec<_> = names(&base).into_iter().filter(|name| !name.ends_with(".File")).collect();
    let mut random = Random::new(0xDE1_E7E);
    for round in 0..rounds(10) {
        let after = 5_000_000 + random.next(900_000_000) as u64;
        let disk = cut(&base, "Disks.Fewer x 150", after);
        all_there(&others, &disk, &format!("round {round}"));
        assert!(disk.list().expect("readable").len() >= others.len() + 50);
    }
}

#[test]
fn a_small_directory_is_as_safe() {
    let base = disk("");
    let before = names(&base);
    let mut random = Random::new(0x5_3A11);
    for round in 0..rounds(8) {
        let after = 2_000_000 + random.next(120_000_000) as u64;
        let disk = cut(&base, "Disks.Many x 1 12", after);
        all_there(&before, &disk, &format!("round {round}"));
    }
}
