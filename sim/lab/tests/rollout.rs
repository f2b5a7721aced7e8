//! The cluster of three machines, whole: what it must show, and what it says when it cannot.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::{Fleet, Keys};
use kube_lab::engine::EngineKind;
use kube_lab::rollout::{LabError, Omission, Options, PODS, Summary, run};

fn options(seed: u64) -> Options {
    let fleet = Fleet::new(2, "kube", "00c0ffee00c0ffee").unwrap();
    Options {
        fleet,
        engine: EngineKind::Emu,
        seed,
        threads: 1,
        loss: 0.0,
        without: Vec::new(),
        capture: None,
    }
}

fn roll_out(options: &Options) -> Result<Summary, LabError> {
    run(&kube_modules::build().unwrap(), options, &mut ())
}

#[test]
fn the_cluster_converges_and_rolls_out_for_every_seed() {
    for seed in 1..=10 {
        let summary = roll_out(&options(seed)).unwrap_or_else(|error| panic!("{seed}: {error}"));
        assert!(summary.converged_ms <= 3_500, "seed {seed}: {summary:?}");
        assert!(summary.rollout_min >= PODS, "seed {seed}: {summary:?}");
        assert!(summary.rollout_max <= PODS + 1, "seed {seed}: {summary:?}");
        assert_eq!((summary.old_ids_left, summary.bad_signatures), (0, 0), "seed {seed}");
    }
}

#[test]
fn the_trace_depends_on_the_seed_and_not_on_the_threads() {
    let first = roll_out(&options(7)).unwrap();
    let again = roll_out(&options(7)).unwrap();
    let threaded = roll_out(&Options { threads: 2, ..options(7) }).unwrap();
    assert_eq!(first, again);
    assert_eq!(first, threaded);
    assert_ne!(first.trace_sha256, roll_out(&options(8)).unwrap().trace_sha256);
}

#[test]
fn a_lossy_air_delays_the_rollout_and_breaks_nothing() {
    let summary = roll_out(&Options { loss: 0.2, ..options(3) }).unwrap();
    assert_eq!(summary.verdict(), Ok(()), "{summary:?}");
}

/// The same layouts under a key for each node; the listener knows the cluster's and makes them.
#[test]
fn a_fleet_with_a_key_for_each_node_rolls_out_as_well() {
    for seed in 1..=3 {
        let mut options = options(seed);
        options.fleet.keys = Keys::PerNode;
        let summary = roll_out(&options).unwrap();
        assert_eq!(summary.verdict(), Ok(()), "{summary:?}");
        assert!(summary.converged_ms <= 3_500, "{summary:?}");
    }
}

/// The machines run only what stands on their own images.
#[test]
fn a_machine_without_kubenet_is_named_with_what_it_lacks() {
    let without = |machine: Option<&str>| Options {
        without: vec![Omission {
            machine: machine.map(str::to_owned),
            file: "KubeNet.rsc".to_owned(),
        }],
        ..options(1)
    };
    let missing = |error: LabError| match error {
        LabError::NotHeard { silent, logs, .. } => {
            for log in &logs {
                assert!(log.tail.contains("KubeNet"), "{} says {}", log.machine, log.tail);
            }
            silent
        }
        other => panic!("expected silence, got {other}"),
    };
    assert_eq!(missing(roll_out(&without(Some("node2"))).unwrap_err()), ["node2"]);
    assert_eq!(missing(roll_out(&without(Some("plane"))).unwrap_err()), ["plane"]);
    assert_eq!(missing(roll_out(&without(None)).unwrap_err()), ["plane", "node1", "node2"]);
}

#[test]
fn a_node_without_the_new_image_keeps_the_rollout_from_ending() {
    let without = vec![Omission { machine: None, file: "Ticker2.rsc".to_owned() }];
    let error = roll_out(&Options { without, ..options(1) }).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, LabError::NotConverged { .. }), "{text}");
    assert!(text.contains("kubelet: no module Ticker2 for pod"), "{text}");
}
