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
    let output = kube_lab(&["rollout", "--json", "--seed", "5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    let object: serde_json::Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(object["schema"], "kube-lab/v1");
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
    let output = kube_lab(&["rollout"]);
    let stderr = text(&output.stderr);
    assert!(stderr.contains("node1 reports"), "{stderr}");
    assert!(stderr.contains("Rolling out"), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "escape sequences off a terminal: {stderr:?}");
    assert!(output.stdout.is_empty(), "stdout is data, and none was asked for");
}

#[test]
fn wrong_usage_exits_with_2_and_a_failed_run_with_1() {
    for wrong in [
        &["rollout", "--threads", "0"][..],
        &["rollout", "--loss", "1.5"],
        &["rollout", "--seed", "x"],
        &["frobnicate"],
        &[],
    ] {
        let output = kube_lab(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", text(&output.stderr));
    }
    for failing in [
        &["rollout", "--nodes", "0"][..],
        &["rollout", "--without", "Nothing.rsc"],
        &["rollout", "--without", "node9:KubeNet.rsc"],
        &["rollout", "--quiet", "--without", "KubeNet.rsc"],
    ] {
        let output = kube_lab(failing);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{failing:?}: {stderr}");
        assert!(stderr.contains("error: "), "{failing:?}: {stderr}");
    }
}

#[test]
fn a_failed_run_still_gives_one_object() {
    let output = kube_lab(&["rollout", "--json", "--quiet", "--without", "node1:KubeNet.rsc"]);
    let stdout = text(&output.stdout);
    let object: serde_json::Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert!(object["error"].as_str().unwrap().contains("node1"), "{object}");
}

#[test]
fn a_run_is_captured_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("air.pcapng");
    let output = kube_lab(&["rollout", "--quiet", "--json", "--capture", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let records = kube_proto::pcapng::CaptureReader::new(&bytes).unwrap();
    let names: Vec<String> = records.map(|record| record.unwrap().name.to_string()).collect();
    let of = |name: &str| names.iter().filter(|found| *found == name).count() as u64;
    assert_eq!(of("air"), object["frames"].as_u64().unwrap());
    assert!(of("plane") > 0 && of("node1") > 0 && of("node2") > 0);

    let output = kube_lab(&["rollout", "--quiet", "--capture", "/nowhere/air.pcapng"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("capture /nowhere/air.pcapng"));
}
