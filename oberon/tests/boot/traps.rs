//! Every trap names itself, and the system goes on.

use risc5_isa::trap::MEANINGS;

use crate::station::{Station, disk};

#[test]
fn each_trap_is_named_with_its_place_and_the_next_command_runs() {
    let mut station = Station::started(&disk(""));
    for (number, meaning) in MEANINGS.iter().enumerate().skip(1) {
        let answer = station.command(&format!("Probe.Trap{number}"));
        let line = answer
            .lines()
            .find(|line| line.starts_with(&format!("TRAP {number} {meaning}, pos ")))
            .unwrap_or_else(|| panic!("no line for trap {number}:\n{answer}"));
        assert!(line.contains(" in Probe at "), "{line}");
        assert!(line.ends_with('H'), "{line}");
    }
}

#[test]
fn a_task_that_traps_is_removed() {
    let mut station = Station::started(&disk(""));
    let before = station.command("Probe.Up");
    let answer = station.command("Probe.BadTask");
    station.run_ms(100);
    assert_eq!(station.heard.matches("task removed").count(), 1, "{}", station.heard);
    assert_eq!(station.heard.matches("TRAP 7").count(), 1, "{answer}");
    let tasks = |text: &str| text.split(" tasks ").nth(1).map(|rest| rest[..1].to_owned());
    assert_eq!(tasks(&before), tasks(&station.command("Probe.Up")));
}

#[test]
fn a_task_whose_commands_trap_without_end_is_removed_too() {
    let mut station = Station::started(&disk(""));
    station.command("Probe.BadCaller");
    station.run_ms(200);
    assert_eq!(station.heard.matches("TRAP 7").count(), 8, "{}", station.heard);
    assert_eq!(station.heard.matches("task removed").count(), 1, "{}", station.heard);
}

#[test]
fn an_endless_command_is_ended_by_the_watchdog() {
    let mut station = Station::started(&disk(""));
    let answer = station.command("Probe.Hang");
    assert!(answer.contains("WATCHDOG nothing returned in time, in Probe at "), "{answer}");
}

#[test]
fn a_jump_to_zero_is_reported() {
    let mut station = Station::started(&disk(""));
    let answer = station.command("Probe.Jump");
    assert!(answer.contains("ABORT jump to address 0"), "{answer}");
}

#[test]
fn a_module_whose_body_traps_is_gone_and_is_loaded_anew() {
    let mut station = Station::started(&disk(""));
    for _ in 0..3 {
        let answer = station.command("BadBody.Run");
        assert!(answer.contains("TRAP 7 assertion violated, pos "), "{answer}");
        assert!(answer.contains(" in BadBody at "), "{answer}");
    }
    station.run_ms(100);
    assert_eq!(station.heard.matches("TRAP").count(), 3, "{}", station.heard);
}

#[test]
fn recursion_without_end_does_not_silence_the_machine() {
    let mut station = Station::started(&disk(""));
    station.machine.serial_send(b"Probe.Recurse\r");
    station.wait_for("Oberon: stack ran into the modules, restarting\r\n", 30_000);
    station.heard.clear();
    station.wait_for("Kubestation Oberon: ", 10_000);
}
