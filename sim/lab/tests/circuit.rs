//! The cluster of three on Verilated machines: the same checks from the air as on the emulator, and
//! the same placement.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};

use kube_boards::fleet::Fleet;
use kube_lab::engine::EngineKind;
use kube_lab::rollout::{Options, PODS, Phase, Summary, Watcher, run};
use kube_sniff::cluster::NodeView;
use kube_sniff::decoder::Heard;
use kube_sniff::observer::Observer;

/// What each node was last assigned, when the cluster had converged and at the end.
#[derive(Default)]
struct Placement {
    now: BTreeMap<String, BTreeSet<u8>>,
    converged: BTreeMap<String, BTreeSet<u8>>,
}

impl Watcher for Placement {
    fn heard(&mut self, _heard: &Heard, observer: &Observer) {
        let assigned = |(name, view): (&String, &NodeView)| {
            Some((name.clone(), view.assigned.as_ref()?.ids.iter().copied().collect()))
        };
        self.now = observer.cluster().nodes().iter().filter_map(assigned).collect();
    }

    fn phase(&mut self, _at_ns: u64, phase: Phase) {
        if phase == Phase::RollingOut {
            self.converged = self.now.clone();
        }
    }
}

fn roll_out(engine: EngineKind, threads: usize) -> (Summary, Placement) {
    let fleet = Fleet::new(2, "kube", "00c0ffee00c0ffee").unwrap();
    let options =
        Options { fleet, engine, seed: 1, threads, loss: 0.0, without: Vec::new(), capture: None };
    let mut placement = Placement::default();
    let summary = run(&kube_modules::build().unwrap(), &options, &mut placement).unwrap();
    (summary, placement)
}

#[test]
fn the_cluster_rolls_out_on_the_circuit_as_on_the_emulator() {
    let (summary, placement) = roll_out(EngineKind::Rtl, 1);
    assert_eq!(summary.engine, "rtl");
    assert_eq!(summary.verdict(), Ok(()), "{summary:?}");
    assert!(summary.converged_ms <= 3_500, "{summary:?}");
    assert_eq!((summary.rollout_min, summary.old_ids_left, summary.bad_signatures), (PODS, 0, 0));
    let (threaded, _) = roll_out(EngineKind::Rtl, 2);
    assert_eq!(summary, threaded, "the trace depends on the threads");
    let (_, emulated) = roll_out(EngineKind::Emu, 1);
    assert_eq!(placement.converged, emulated.converged);
    assert_eq!(placement.now, emulated.now);
}
