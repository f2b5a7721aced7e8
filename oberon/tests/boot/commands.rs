//! Commands, their parameters, the log.

use crate::station::{Station, disk};

#[test]
fn parameters_are_scanned_as_programs_expect() {
    let mut station = Station::started(&disk(""));
    let answer = station.command("Probe.Scan web.1 \"two words\" -12 0FFH 1.5 2.5E1 a-b ~");
    let wanted = "name web.1|string two words|int -12|int 255|real 1.500|real 25.000|name a|char -|name b|char ~|";
    assert!(answer.contains(wanted), "{answer}");
}

#[test]
fn numbers_are_written_right() {
    let mut station = Station::started(&disk(""));
    let answer = station.command("Probe.Numbers");
    let wanted = "-2147483648  -10   1234567-120 0BADCAFE   1.23457E+04  -1.56250E-02   -3.14";
    assert!(answer.contains(wanted), "{answer}");
}

#[test]
fn unknown_commands_are_named() {
    let mut station = Station::started(&disk(""));
    let answer = station.command("Probe.Nope");
    let wanted = "boot: Probe.Nope failed, res 5: no such command in module Probe";
    assert!(answer.contains(wanted), "{answer}");
    let answer = station.command("Probe");
    assert!(answer.contains("boot: Probe failed, res 5"), "{answer}");
}

#[test]
fn too_long_a_line_is_reported_and_not_run() {
    let mut station = Station::started(&disk(""));
    let answer = station.command(&format!("Probe.Echo x{}", "y".repeat(300)));
    assert!(answer.contains("boot: line too long, not run"), "{answer}");
    assert!(!answer.contains("xyyy"), "{answer}");
}

#[test]
fn the_log_does_not_grow_without_bound() {
    let mut station = Station::started(&disk(""));
    let allocated = |answer: &str| -> i64 {
        let text = answer.split("allocated ").nth(1).expect("Probe.Up answers");
        text.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
    };
    let fill = |station: &mut Station| {
        for _ in 0..300 {
            station.command(&format!("Probe.Echo {}", "z".repeat(30)));
        }
        station.run_ms(21_000);
        allocated(&station.command("Probe.Up"))
    };
    let first = fill(&mut station);
    let second = fill(&mut station);
    assert!((first - second).abs() < 8_192, "{first} bytes, then {second}");
}
