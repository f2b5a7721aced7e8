//! The program `kube-lab` as its users meet it.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::process::{Command, Output};

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
        &["frobnicate"],
        &[],
    ] {
        let output = kube_lab(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", text(&output.stderr));
    }
    for failing in [
        &["run", "--without", "Nothing.rsc"][..],
        &["run", "--without", "node9:KubeNet.rsc"],
        &["run", "--quiet", "--without", "KubeNet.rsc"],
    ] {
        let output = kube_lab(failing);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{failing:?}: {stderr}");
        assert!(stderr.contains("error: "), "{failing:?}: {stderr}");
    }
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
    let records = kube_proto::pcapng::CaptureReader::new(&bytes).unwrap();
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
