//! Clusters of several sizes on one air, short; longer runs and larger clusters are figures of
//! `cargo xtask bench lab`.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_lab::load::{Load, LoadError, Report, run};

fn check(load: &Load) -> Report {
    run(&kube_modules::build().unwrap(), load).unwrap().0
}

#[test]
fn clusters_of_two_to_twenty_nodes_converge_in_time_and_lose_none() {
    for (nodes, seed) in [(2, 11), (4, 12), (6, 13), (8, 14), (20, 15), (20, 16)] {
        let report = check(&Load { seconds: 6, ..Load::of(nodes, seed) });
        assert_eq!(report.verdict(), Ok(()), "seed {seed}: {report:?}");
        // A list and an answer for each node, and what is told now and then.
        let frames = report.frames_per_s / nodes as f64;
        assert!((2.0..3.5).contains(&frames), "seed {seed}: {report:?}");
    }
}

/// Nodes speak when they are spoken to, so that more of them do not mean more collisions.
#[test]
fn fifty_nodes_hardly_collide() {
    let report = check(&Load { seconds: 3, threads: 2, ..Load::of(50, 17) });
    assert_eq!(report.verdict(), Ok(()), "{report:?}");
    assert!(report.collided < 5.0 && report.heartbeats_heard > 90.0, "{report:?}");
}

#[test]
fn a_large_cluster_gives_the_same_trace_on_one_thread_and_on_two() {
    let load = Load { seconds: 1, ..Load::of(12, 18) };
    let alone = check(&load);
    assert_eq!(check(&Load { threads: 2, ..load }), alone);
    let other = check(&Load { seed: 19, ..load });
    assert_ne!(other.trace_sha256, alone.trace_sha256);
}

#[test]
fn both_rates_carry_a_cluster() {
    let report = check(&Load { mbit: 2, seconds: 3, ..Load::of(8, 20) });
    assert_eq!(report.verdict(), Ok(()), "{report:?}");
}

/// More pods than the nodes take, ten each, do not all run: that is said, not passed over.
#[test]
fn a_cluster_that_cannot_converge_is_named() {
    let error = run(&kube_modules::build().unwrap(), &Load { pods: 25, ..Load::of(2, 21) });
    let Err(LoadError::Late { nodes: 2, seed: 21, .. }) = &error else {
        panic!("{error:?}");
    };
    let text = error.unwrap_err().to_string();
    assert!(text.contains("\"converge\": not within 60.000 s"), "{text}");
    assert!(text.contains("pods = 25 (there are 20)"), "{text}");
    assert!(text.contains("heartbeat"), "no frame is named: {text}");
}
