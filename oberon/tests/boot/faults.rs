//! Broken cards and disks: each is named on the serial line, none stops the machine silently.

use kube_disk::ImageBuilder;
use kube_emu::Config;

use crate::station::{Random, Station, card, disk, system};

fn config() -> Config {
    Config::ours(system().prom.clone())
}

#[test]
fn no_card_is_named_and_tried_again() {
    let mut station = Station::with(config(), None);
    station.wait_for("boot: card failed\r\n", 1_000);
    assert_eq!(station.machine.leds(), b'c');
    station.heard.clear();
    station.wait_for("boot: card failed\r\n", 2_000);
    *station.machine.card_mut() = Some(card(&disk("")));
    station.wait_for("Kubestation Oberon: ", 3_000);
}

#[test]
fn a_card_that_never_gets_ready_is_named() {
    let mut card = card(&disk(""));
    card.faults_mut().never_ready = true;
    let mut station = Station::with(config(), Some(card));
    station.wait_for("boot: wake failed\r\n", 10_000);
}

#[test]
fn an_unreadable_boot_area_is_named() {
    let mut card = card(&disk(""));
    card.faults_mut().read_error = Some(0x8_0006);
    let mut station = Station::with(config(), Some(card));
    station.wait_for("boot: read failed\r\n", 3_000);
}

#[test]
fn a_disk_without_a_boot_image_is_named() {
    let empty = ImageBuilder::new().build().expect("an empty disk");
    let mut station = Station::with(config(), Some(card(&empty)));
    station.wait_for("boot: area failed\r\n", 1_000);
}

#[test]
fn a_serial_line_that_falls_silent_is_named() {
    let mut config = config();
    config.switches = 1;
    let mut station = Station::with(config, None);
    station.machine.serial_send(&[0, 1, 0, 0, 0]);
    station.wait_for("boot: line failed\r\n", 20_000);
}

#[test]
fn a_damaged_directory_is_named_and_the_disk_locked() {
    let mut bytes = disk("").bytes().to_vec();
    let first_child = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
    let file = if first_child == 0 {
        64 + 40 * (bytes[4] as usize - 1) + 32
    } else {
        let page = (first_child as usize / 29 - 1) * 1024;
        page + 64 + 32
    };
    // A file's header where no sector is. It is not one of those that starting needs.
    bytes[file..file + 4].copy_from_slice(&30_u32.to_le_bytes());
    let card = kube_emu::SdCard::new(bytes).expect("the mark is still there");
    let mut station = Station::with(config(), Some(card));
    station.wait_for("FileDir: directory damaged at sector 0000001EH, disk locked\r\n", 2_000);
    station.wait_for("directory damaged at sector 0000001EH", 2_000);
    let answer = station.command("Disks.Write New.Data 10");
    assert!(answer.contains("disk: directory damaged"), "{answer}");
}

/// Whatever stands in directory pages and file headers: the machine comes up, or says why not and
/// tries again. It is never silent.
#[test]
fn no_damage_to_the_directory_silences_the_machine() {
    let sound = disk("");
    let mut sectors: Vec<usize> = vec![0];
    sectors.extend(
        sound.list().expect("readable").iter().map(|file| file.header.number() as usize - 1),
    );
    let mut random = Random::new(0x0DD_B175);
    for round in 0..60 {
        let mut bytes = sound.bytes().to_vec();
        for _ in 0..=random.next(4) {
            let sector = if round % 2 == 0 { 0 } else { sectors[random.next(sectors.len())] };
            // Behind a header the file's contents begin: damaged code may do anything.
            let at = sector * 1024 + 4 + random.next(if sector == 0 { 600 } else { 352 - 4 });
            bytes[at] = u8::try_from(random.next(256)).expect("a byte");
        }
        let card = kube_emu::SdCard::new(bytes).expect("the root's mark is untouched");
        let mut station = Station::with(config(), Some(card));
        station.run_ms(4_000);
        let heard = &station.heard;
        let up = heard.contains("Kubestation Oberon: ");
        assert!(up || heard.contains("restarting\r\n"), "round {round}: {heard:?}");
    }
}

#[test]
fn a_missing_oberon_is_named() {
    let mut disk = disk("");
    disk.remove("Oberon.rsc").expect("removed");
    let mut station = Station::new(&disk);
    station.wait_for("Modules: no object file of module Oberon, restarting", 2_000);
    station.heard.clear();
    station.wait_for("Modules: no object file of module Oberon, restarting", 10_000);
}

#[test]
fn a_card_pulled_out_is_reported_by_the_command_that_needs_it() {
    let mut station = Station::started(&disk(""));
    station.machine.card_mut().as_mut().expect("in").faults_mut().absent = true;
    let answer = station.command("Disks.Check One.Data");
    assert!(answer.contains("disk: card does not answer"), "{answer}");
    station.machine.card_mut().as_mut().expect("in").faults_mut().absent = false;
    let answer = station.command("Disks.Check One.Data");
    assert!(answer.contains("no file One.Data"), "{answer}");
}

#[test]
fn a_card_that_stays_busy_is_reported() {
    let mut station = Station::started(&disk(""));
    station.command("Disks.Check One.Data");
    station.machine.card_mut().as_mut().expect("in").faults_mut().busy_forever = true;
    let answer = station.command("Disks.Write One.Data 10");
    assert!(answer.contains("disk: card "), "{answer}");
}

#[test]
fn a_read_error_is_reported_with_its_sector() {
    let mut disk = disk("");
    disk.insert("One.Data", &[1; 5000]).expect("room");
    let info = disk.find("One.Data").expect("readable").expect("there");
    let mut station = Station::started(&disk);
    let block = info.header.card_block();
    station.machine.card_mut().as_mut().expect("in").faults_mut().read_error = Some(block);
    let answer = station.command("Disks.Check One.Data");
    assert!(answer.contains("disk: card reports a read error, sector"), "{answer}");
}
