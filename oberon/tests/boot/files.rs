//! Files written by the system, looked at by the system after a restart and by the disk checker.

use kube_disk::Image;

use crate::station::{Station, disk};

/// Runs commands on a disk, then gives it back checked.
fn session(disk: &Image, commands: &[(&str, &str)]) -> Image {
    let mut station = Station::started(disk);
    for (command, wanted) in commands {
        let answer = station.command(command);
        assert!(answer.contains(wanted), "{command}: {answer}");
    }
    let disk = station.disk();
    let findings = disk.check();
    assert!(findings.is_empty(), "{findings:#?}");
    disk
}

#[test]
fn files_survive_a_restart() {
    let disk = session(
        &disk(""),
        &[
            ("Disks.Check One.Data", "no file One.Data"),
            ("Disks.Write One.Data 5000", "written 5000"),
            ("Disks.Check One.Data", "read 5000 bad 0"),
            ("Disks.Write Empty.Data 0", "written 0"),
            ("Disks.Write Edge.Data 672", "written 672"),
            ("Disks.Write Edge2.Data 673", "written 673"),
            ("Disks.Types", "types bad 0"),
        ],
    );
    let content = disk.read("One.Data").expect("on the disk");
    let wanted: Vec<u8> = (0..5000_u32).map(|i| ((i * 7 + i / 256) % 256) as u8).collect();
    assert_eq!(content, wanted);
    let disk = session(
        &disk,
        &[
            ("Disks.Check One.Data", "read 5000 bad 0"),
            ("Disks.Check Empty.Data", "read 0 bad 0"),
            ("Disks.Check Edge.Data", "read 672 bad 0"),
            ("Disks.Check Edge2.Data", "read 673 bad 0"),
            ("Disks.Overwrite One.Data", "overwritten, bad 0"),
            ("Disks.Check One.Data", "read 5000 bad 0"),
            ("Disks.Rename One.Data Two.Data", "renamed, res 0"),
            ("Disks.Rename One.Data Three.Data", "renamed, res 2"),
            ("Disks.Delete Edge.Data", "deleted, res 0"),
            ("Disks.Delete Edge.Data", "deleted, res 2"),
            ("Disks.Delete \"1bad\"", "deleted, res 3"),
        ],
    );
    session(
        &disk,
        &[
            ("Disks.Check Two.Data", "read 5000 bad 0"),
            ("Disks.Check One.Data", "no file One.Data"),
            ("Disks.Check Edge.Data", "no file Edge.Data"),
        ],
    );
}

#[test]
fn a_large_file_uses_index_sectors() {
    let disk = session(&disk(""), &[("Disks.Write Large.Data 400000", "written 400000")]);
    session(
        &disk,
        &[
            ("Disks.Check Large.Data", "read 400000 bad 0"),
            ("Disks.Write Large.Data 10", "written 10"),
            ("Disks.Check Large.Data", "read 10 bad 0"),
        ],
    );
}

/// Names of 100 files each: more in one command than the heap holds files would not do, since
/// nothing is collected while a command runs.
fn hundreds(command: &str, wanted: impl Fn(u32) -> String) -> Vec<(String, String)> {
    (0..7).map(|i| (format!("{command} x {} {}", i * 100 + 1, i * 100 + 100), wanted(i))).collect()
}

fn run(disk: &Image, commands: &[(String, String)]) -> Image {
    let commands: Vec<_> = commands.iter().map(|(c, w)| (c.as_str(), w.as_str())).collect();
    session(disk, &commands)
}

#[test]
fn many_files_split_directory_pages_and_deletions_join_them() {
    let made = hundreds("Disks.Many", |i| format!("made {}", i * 100 + 100));
    let all = hundreds("Disks.Survey", |_| "found 100 of ".to_owned());
    let third = |i| format!("found {} of ", (i * 100 + 100) / 3 - i * 100 / 3);
    let disk = run(&disk(""), &made);
    let usage = disk.usage().expect("readable");
    assert!(usage.levels >= 3 && usage.pages > 30, "{usage:?}");
    let disk = run(&disk, &all);
    let disk = run(&disk, &[("Disks.Fewer x 700".to_owned(), "gone 467".to_owned())]);
    let disk = run(&disk, &hundreds("Disks.Survey", third));
    let disk = run(&disk, &made);
    run(&disk, &all);
}

#[test]
fn sectors_of_replaced_files_come_back() {
    let mut station = Station::started(&disk(""));
    let sectors = |answer: String| -> u32 {
        let rest = answer.split(" sectors ").nth(1).expect("surveyed").to_owned();
        rest.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
    };
    station.command("Disks.Write One.Data 3000");
    let first = sectors(station.command("Disks.Survey x 1 0"));
    for _ in 0..40 {
        station.command("Disks.Write One.Data 3000");
    }
    station.run_ms(11_000);
    let last = sectors(station.command("Disks.Survey x 1 0"));
    assert!(last <= first + 8, "{first} sectors in use, then {last}");
    assert!(station.disk().check().is_empty());
}
