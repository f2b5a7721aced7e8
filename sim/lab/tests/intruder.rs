//! Forgeries and recordings against a running cluster, with shared keys and with a key for each
//! node.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::Keys;
use kube_lab::intruder::{Forgery, intrusions, replays};

/// How often a line of `KubeNet.Show` counts a reason.
fn refused(line: &str, reason: &str) -> u32 {
    let words: Vec<_> = line.split([' ', ',']).collect();
    let at = words.iter().position(|&word| word == reason);
    at.and_then(|at| words[at - 1].parse().ok()).unwrap_or_else(|| panic!("{reason}: {line:?}"))
}

#[test]
fn only_what_is_signed_and_new_is_obeyed() {
    let system = kube_modules::build().unwrap();
    for seed in 1..=20 {
        let keys = if seed % 2 == 0 { Keys::PerNode } else { Keys::Shared };
        let found = intrusions(&system, keys, seed)
            .unwrap_or_else(|error| panic!("{keys:?} seed {seed}: {error}"));
        assert_eq!(found.bad, 0, "{keys:?} seed {seed}: a machine's message is not signed");
        for intrusion in &found.all {
            let control = intrusion.forgery == Forgery::Genuine;
            assert_eq!(intrusion.obeyed, control, "{keys:?} seed {seed}: {intrusion:?}");
        }
        assert!(found.healed_ms < 20_000);
        let (node, plane) = (&found.node_says, &found.plane_says);
        let forged = if keys == Keys::Shared { 1 } else { 3 };
        for (reason, least) in [("foreign", 1), ("unsigned", forged), ("old", 0)] {
            assert!(refused(node, reason) >= least, "{keys:?} seed {seed}: {node}");
        }
        match keys {
            Keys::Shared => assert!(refused(node, "old") + refused(plane, "old") >= 2, "{plane}"),
            Keys::PerNode => assert!(refused(plane, "taken") >= 1, "{plane}"),
        }
    }
}

#[test]
fn no_recording_is_accepted_where_each_node_has_a_key() {
    let system = kube_modules::build().unwrap();
    for seed in 1..=2 {
        let found = replays(&system, Keys::PerNode, seed)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(found.tried >= 60, "seed {seed}: {found:?}");
        assert_eq!(found.accepted, 0, "seed {seed}: {found:?}");
    }
    // The same recordings do count with shared keys, as published: so the test can fail.
    let found = replays(&system, Keys::Shared, 1).unwrap();
    assert!(found.accepted > 5, "{found:?}");
}
