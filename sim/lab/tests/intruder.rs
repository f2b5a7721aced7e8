//! Recordings against a running cluster, with shared keys and with a key for each node. Forgeries are
//! scenarios.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::{Fleet, Keys};
use kube_lab::intruder::replays;

#[test]
fn no_recording_is_accepted_where_each_node_has_a_key() {
    let system = kube_modules::build().unwrap();
    let shared = Fleet::new(2, "kube", "0123456789abcdef").unwrap();
    let mut fleet = shared.clone();
    fleet.keys = Keys::PerNode;
    let found = replays(&system, &fleet, 1).unwrap();
    assert!(found.tried >= 60, "{found:?}");
    assert_eq!(found.accepted, 0, "{found:?}");
    // The same recordings do count with shared keys, as published: so the test can fail.
    let found = replays(&system, &shared, 1).unwrap();
    assert!(found.accepted > 5, "{found:?}");
}
