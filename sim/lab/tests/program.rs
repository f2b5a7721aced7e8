//! The program `kube-lab` as its users meet it.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Output, Stdio};

use kube_proto::attach::Record;
use kube_proto::pcapng::CaptureReader;
use rustix::process::{Pid, Signal, kill_process};

fn kube_lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kube-lab")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_last_line_of_stdout_is_one_object() {
    let output = kube_lab(&["run", "--json", "--seed", "5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    let object: serde_json::Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(object["schema"], "kube-scenario/v1");
    assert_eq!(object["engine"], "emu");
    assert_eq!(object["seed"], 5);
    for key in ["converged_ms", "rollout_min", "rollout_max", "old_ids_left", "bad_signatures"] {
        assert!(object[key].is_u64(), "{key} is {}", object[key]);
    }
    assert!(object["frames"].as_u64() > Some(50));
    assert_eq!(object["trace_sha256"].as_str().map(str::len), Some(64));
}

#[test]
fn away_from_a_terminal_every_change_is_a_plain_line() {
    let output = kube_lab(&["run"]);
    let stderr = text(&output.stderr);
    assert!(stderr.contains("node1 reports"), "{stderr}");
    assert!(stderr.contains("roll out ..."), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "escape sequences off a terminal: {stderr:?}");
    assert!(output.stdout.is_empty(), "stdout is data, and none was asked for");
}

#[test]
fn wrong_usage_exits_with_2_and_a_failed_run_with_1() {
    for wrong in [
        &["run", "--threads", "0"][..],
        &["run", "--loss", "1.5"],
        &["run", "--seed", "x"],
        &["run", "no-such-scenario"],
        &["run", "--without", "Nothing.rsc"],
        &["run", "--without", "node9:KubeNet.rsc"],
        &["lines", "--nodes", "0"],
        &["view", "--nodes", "201"],
        &["frobnicate"],
        &[],
    ] {
        let output = kube_lab(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", text(&output.stderr));
    }
    let output = kube_lab(&["run", "--quiet", "--without", "KubeNet.rsc"]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("error: "), "{stderr}");
}

/// What is left off must be there: the error has headline, cause and what helps.
#[test]
fn a_file_or_machine_that_nothing_can_be_left_off_is_wrong_usage() {
    for (without, headline, help) in [
        ("KubeNat.rsc", "--without KubeNat.rsc: no image has such a file", "KubeNet.rsc?"),
        ("nod1:KubeNet.rsc", "no machine is called nod1", "node1?"),
        ("", "no image has such a file", "name one of those"),
    ] {
        let output = kube_lab(&["run", "--quiet", "--json", "--without", without]);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        let lines: Vec<_> = stderr.lines().collect();
        let [first, cause, last] = lines.as_slice() else { panic!("{stderr}") };
        assert!(first.starts_with("error: ") && first.ends_with(headline), "{stderr}");
        assert!(cause.starts_with("  cause: there are "), "{stderr}");
        assert!(last.starts_with("  help: ") && last.ends_with(help), "{stderr}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(object["error"].as_str().unwrap().contains(headline), "{object}");
    }
}

/// Places that cannot be meant are told before a run, and with what is there.
#[test]
fn files_of_another_kind_are_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, here) = (folder.path().join("empty"), folder.path().to_str().unwrap());
    std::fs::write(&empty, "").unwrap();
    let empty = empty.to_str().unwrap();
    for (arguments, code, part) in [
        (&["run", "--dongle", empty][..], 2, "that is no firmware"),
        (&["run", "--dongle", here], 1, "cargo xtask dongle makes it"),
        (&["run", "--attach", empty], 1, "is there already and is no socket"),
        (&["lines", "--attach", here], 1, "is there already and is no socket"),
        (&["run", "--report", here], 1, "cannot be written: Is a directory"),
        (&["record", "forms", "--seed", "1", "--to", empty], 1, "the folder "),
        (&["lines", "--fleet", empty], 2, "help: add [cluster]"),
        (&["view", "--fleet", "nowhere.toml"], 2, "there is no terminal"),
    ] {
        let output = kube_lab(arguments);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(part), "{arguments:?}: {stderr}");
        assert!(!stderr.contains(" ... "), "something ran: {stderr}");
    }
    let page = folder.path().join("page.html");
    let page = page.to_str().unwrap();
    let output = kube_lab(&["run", "no-such-scenario", "--report", page]);
    assert_eq!((output.status.code(), std::path::Path::new(page).exists()), (Some(2), false));
}

fn begun(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-lab"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// Ctrl-C in the middle: what was captured by then is whole, and the program says how far it came.
#[test]
fn an_interrupted_run_leaves_its_capture_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("air.pcapng");
    let file = file.to_str().unwrap();
    let mut child = begun(&["run", "--json", "--pace", "2", "--capture", file]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line.contains("node1 reports")));
    interrupt(&child);
    let rest: Vec<_> = lines.collect();
    let last = rest.last().unwrap();
    assert!(last.starts_with("error: interrupted after ") && last.contains(" s of "), "{rest:?}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(object["error"].as_str().unwrap().starts_with("interrupted"), "{object}");
    let bytes = std::fs::read(file).unwrap();
    let frames = CaptureReader::new(&bytes).unwrap().map(Result::unwrap).count();
    assert!(frames > 2, "{frames} frames");
}

/// Ctrl-C while nobody listens yet, and while a cluster runs without end: the socket goes, and whoever
/// is attached hears that it is over.
#[test]
fn an_interrupt_ends_waiting_and_lines_and_takes_the_socket_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lab.sock");
    let socket = path.to_str().unwrap();
    let mut child = begun(&["run", "--attach", socket]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line.starts_with("Wait for a listener")));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130), "{:?}", lines.collect::<Vec<_>>());
    assert!(!path.exists());

    let mut child = begun(&["lines", "--nodes", "1", "--attach", socket]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with("plane /dev/pts/"));
    assert!(lines.next().unwrap().starts_with("node1 /dev/pts/"));
    let mut attached = UnixStream::connect(&path).unwrap();
    let mut first = [0; 1];
    attached.read_exact(&mut first).unwrap();
    interrupt(&child);
    let mut all = first.to_vec();
    attached.read_to_end(&mut all).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (mut at, mut over) = (0, false);
    while let Some((record, len)) = Record::decode(&all[at..]).unwrap() {
        over = matches!(record, Record::End);
        at += len;
    }
    assert!(over, "no word of the end in {} bytes", all.len());
    assert!(!path.exists());
}

/// Readers that leave: no panic, whichever of the outputs it is.
#[test]
fn outputs_that_are_closed_are_no_surprise() {
    for arguments in [
        &["run", "--json"][..],
        &["list"],
        &["list", "--json"],
        &["run", "no-such-scenario"],
        &["load", "--nodes", "2", "--seconds", "1"],
    ] {
        let mut child = begun(arguments);
        drop((child.stdout.take(), child.stderr.take()));
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 2)), "{arguments:?}: {code:?}");
    }
    // A full disk is another thing.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-lab"));
    let output = command.arg("list").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("error: standard output cannot be written"), "{stderr}");
}

#[test]
fn a_failed_run_still_gives_one_object() {
    let output = kube_lab(&["run", "--json", "--quiet", "--without", "node1:KubeNet.rsc"]);
    let stdout = text(&output.stdout);
    let object: serde_json::Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(object["verdict"], "broken");
    assert_eq!(object["logs"][0]["machine"], "node1", "{object}");
}

#[test]
fn a_run_is_captured_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("air.pcapng");
    let output = kube_lab(&["run", "--quiet", "--json", "--capture", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let records = CaptureReader::new(&bytes).unwrap();
    let names: Vec<String> = records.map(|record| record.unwrap().name.to_string()).collect();
    let of = |name: &str| names.iter().filter(|found| *found == name).count() as u64;
    assert_eq!(of("air"), object["frames"].as_u64().unwrap());
    assert!(of("plane") > 0 && of("node1") > 0 && of("node2") > 0);

    let output = kube_lab(&["run", "--quiet", "--capture", "/nowhere/air.pcapng"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("capture /nowhere/air.pcapng"));
}

#[test]
fn a_wrong_scenario_is_refused_with_its_place_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    std::fs::write(&file, "title = 'x'\n[[step]]\npower-off = 'node3'\nfor = '2s'\n").unwrap();
    let output = kube_lab(&["run", file.to_str().unwrap()]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("own.toml:3:13: the fleet has no machine \"node3\""), "{stderr}");
    assert!(stderr.contains("did you mean \"node"), "{stderr}");
    assert!(!stderr.contains("Compile"), "{stderr}");
}

#[test]
fn scenarios_are_listed_recorded_and_judged_again() {
    let output = kube_lab(&["list"]);
    let list = text(&output.stdout);
    assert!(output.status.success() && list.contains("lab2-rollout"), "{list}");
    let folder = tempfile::tempdir().unwrap();
    let (to, page) = (folder.path().join("run"), folder.path().join("run.html"));
    let to = to.to_str().unwrap();
    let output = kube_lab(&["record", "forms", "--seed", "2", "--to", to, "--json", "--quiet"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let again = kube_lab(&["replay", to, "--json", "--quiet", "--report", page.to_str().unwrap()]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(text(&output.stdout), text(&again.stdout));
    assert!(std::fs::read_to_string(page).unwrap().starts_with("<!doctype html>"));
}

#[test]
fn whoever_wants_objects_gets_one_for_an_error_too() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.toml");
    std::fs::write(&empty, "").unwrap();
    let (empty, nowhere) = (empty.to_str().unwrap(), folder.path().join("none"));
    let nowhere = nowhere.to_str().unwrap();
    for (arguments, code, schema) in [
        (&["run", empty, "--json"][..], 2, "kube-scenario/v1"),
        (&["list", empty, "--json"], 2, "kube-scenario-list/v1"),
        (&["record", empty, "--json", "--to", nowhere], 2, "kube-scenario/v1"),
        (&["record", "lab3", "--json", "--to", nowhere], 2, "kube-scenario/v1"),
        (&["replay", nowhere, "--json"], 2, "kube-scenario/v1"),
        (&["run", "lab1", "--case", "none", "--json"], 2, "kube-scenario/v1"),
    ] {
        let output = kube_lab(arguments);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("error: "), "{arguments:?}: {stderr}");
        let object: serde_json::Value = serde_json::from_str(stdout.trim()).unwrap();
        assert_eq!(object["schema"], schema, "{arguments:?}");
        let said = object["error"].as_str().unwrap();
        assert!(said.matches("os error").count() <= 1, "{arguments:?}: {said}");
    }
    for wrong in [
        &["load", "--nodes", "0"][..],
        &["load", "--nodes", "1"],
        &["load", "--pods", "241"],
        &["load", "--loss", "2"],
        &["load", "--mbit", "3"],
        &["load", "--seconds", "0"],
        &["bench", "--nodes", "1000"],
        &["view", "--nodes", "x"],
        &["replay"],
    ] {
        let output = kube_lab(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", text(&output.stderr));
    }
}

/// The load check is a thin command over the scenario: its object has the published keys.
#[test]
fn a_load_check_is_one_object() {
    let output = kube_lab(&["load", "--nodes", "2", "--seconds", "4", "--loss", "0.05", "--json"]);
    let stdout = text(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", text(&output.stderr));
    let object: serde_json::Value = serde_json::from_str(stdout.trim()).unwrap();
    assert_eq!(object["schema"], "kube-lab-load/v2");
    assert_eq!(
        (&object["nodes"], &object["pods"], &object["loss"]),
        (&2.into(), &6.into(), &0.05.into())
    );
    assert_eq!(
        object["per_node"]["node1"].as_u64().unwrap()
            + object["per_node"]["node2"].as_u64().unwrap(),
        6
    );
    for key in ["heartbeats_per_node_s", "assigns_per_node_s"] {
        let [least, most] = [0, 1].map(|at| object[key][at].as_f64().unwrap());
        assert!(0.5 < least && least <= most && most < 2.0, "{key}: {object}");
    }
    assert!((5_000..8_000).contains(&object["failover_ms"].as_u64().unwrap()), "{object}");
    assert_eq!((&object["flaps"], &object["unassigned_nodes"]), (&0.into(), &0.into()));
}
