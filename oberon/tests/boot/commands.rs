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

#[test]
fn system_commands_show_files_modules_and_memory() {
    let mut station = Station::started(&disk("Probe.Echo first"));
    let files = station.command("System.Directory K");
    assert!(files.contains("Kernel.rsc"), "{files}");
    assert!(files.contains("\r\n5 files\r\n"), "Kernel, Keys, Kube, KubeNet, Kubelet: {files}");
    let copied = station.command("System.CopyFiles Boot.Cmd Copy.Cmd");
    assert!(copied.contains("Boot.Cmd copied"), "{copied}");
    assert!(station.command("System.Show Copy.Cmd").contains("\r\nProbe.Echo first\r\n"));
    let gone = station.command("System.DeleteFiles Copy.Cmd Nope.Cmd");
    assert!(gone.contains("Copy.Cmd deleted\r\nNope.Cmd failed, res 2"), "{gone}");
    let modules = station.command("System.ShowModules");
    assert!(modules.contains("bytes, used by"), "{modules}");
    let commands = station.command("System.ShowCommands Probe");
    assert!(commands.contains("Probe.Trap7\r\n"), "{commands}");
    assert!(station.command("System.Watch").contains(" bytes of heap, "));
}

#[test]
fn modules_can_be_unloaded_and_loaded_again() {
    let mut station = Station::started(&disk(""));
    station.command("Heap.Fill");
    let place = |station: &mut Station| -> String {
        let modules = station.command("System.ShowModules");
        let line = modules.lines().find(|line| line.starts_with("Heap ")).unwrap_or_default();
        line.to_owned()
    };
    let before = place(&mut station);
    let used = station.command("System.Free Texts");
    assert!(used.contains("Texts failed, res 6"), "{used}");
    assert!(station.command("System.Free Heap").contains("Heap unloaded"));
    assert_eq!(place(&mut station), "");
    station.run_ms(11_000);
    station.command("Heap.Fill");
    assert_eq!(place(&mut station), before, "the same block, once nothing points into it");
}

#[test]
fn the_clock_runs_across_midnight_and_leap_day() {
    let mut station = Station::started(&disk(""));
    assert!(station.command("System.Date").contains("date not set"));
    station.command("System.Date 28 2 24 23 59 58");
    station.run_ms(3_000);
    let answer = station.command("System.Date");
    assert!(answer.contains(" 29.02.24 00:00:0"), "{answer}");
}

#[test]
fn restart_is_a_cold_start() {
    let mut station = Station::started(&disk(""));
    station.machine.serial_send(b"System.Restart\r");
    station.wait_for("restarting", 1_000);
    station.heard.clear();
    station.wait_for("Kubestation Oberon: ", 10_000);
}
#[test]
fn a_wrong_parameter_is_answered_by_the_right_form() {
    let mut station = Station::started(&disk(""));
    for (command, form) in [
        ("System.Directory Boot Cmd", "Directory [prefix]"),
        ("System.DeleteFiles", "DeleteFiles name ..."),
        ("System.RenameFiles Boot.Cmd", "RenameFiles old new ..."),
        ("System.CopyFiles 1 2", "CopyFiles old new ..."),
        ("System.Show", "Show name"),
        ("System.ShowModules Texts", "ShowModules"),
        ("System.ShowCommands", "ShowCommands module"),
        ("System.Free", "Free module ..."),
        ("System.Date 28 2", "Date [day month year hour minute second]"),
    ] {
        let answer = station.command(command);
        assert!(answer.contains(&format!("system: the form is System.{form}\r\n")), "{answer}");
        assert!(answer.contains("refused, see the log"), "{answer}");
    }
    for (command, form) in [
        ("Radio.Kube five", "Radio.Kube [channel [rate]]"),
        ("Radio.Kube 5 1 1", "Radio.Kube [channel [rate]]"),
        ("Radio.Wirth 5 2", "Radio.Wirth [channel]"),
    ] {
        let answer = station.command(command);
        assert!(answer.contains(&format!("radio: the form is {form}\r\n")), "{answer}");
    }
}
