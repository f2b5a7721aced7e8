//! What one pod does costs that pod and nothing else, and the node says why it does not run. Each
//! test runs a sound pod beside a bad one and judges by the frames that the node sends.

use crate::bench::{Bench, Heard, KEY, pods, spec};
use kube_proto::message::{Body, PodStatus, Reason};

/// A node that runs pod 2 of Ticker and is told to run pod 1 of another image.
fn beside(image: &str) -> Bench {
    let mut bench = Bench::new(&format!("KubeNet.Join node1 kube {KEY}"));
    bench.expect("kubenet: node node1 of kube joined the air", 5_000);
    bench.traps_expected = true;
    bench.send(spec(2, "Ticker"));
    bench.send(Body::Assignment(pods("node1", &[2])));
    bench.expect("Ticker v1: started pod 2", 1_000);
    bench.run_ms(1_100);
    bench.take_heard();
    bench.send(spec(1, image));
    bench.send(Body::Assignment(pods("node1", &[1, 2])));
    bench
}

fn statuses(heard: &[Heard]) -> Vec<PodStatus> {
    let status = |heard: &Heard| match heard.message.body {
        Body::Status(status) => Some(status),
        _ => None,
    };
    heard.iter().filter_map(status).collect()
}

/// No heartbeat is missing or late, and all name the sound pod. Returns how many name the other.
fn judge(heard: &[Heard]) -> usize {
    let mut last: Option<f64> = None;
    let mut both = 0;
    for beat in heard {
        let Body::Heartbeat(list) = beat.message.body else { continue };
        assert!(list.ids.as_bytes().contains(&2), "{list:?}");
        both += usize::from(list.ids.as_bytes().contains(&1));
        if let Some(last) = last {
            let gap = beat.at_ms - last;
            assert!((1.0..1_400.0).contains(&gap), "a gap of {gap} ms");
        }
        last = Some(beat.at_ms);
    }
    both
}

/// Lets it run for ten seconds and returns the first reason given for pod 1.
fn reason_of(image: &str) -> (Bench, PodStatus) {
    let mut bench = beside(image);
    bench.run_ms(10_000);
    let heard = bench.take_heard();
    assert_eq!(bench.strange, 0);
    judge(&heard);
    let statuses = statuses(&heard);
    let first = *statuses.first().unwrap_or_else(|| panic!("no status; log:\n{}", bench.log()));
    assert!(statuses.iter().all(|status| status.id == 1 && status.reason == first.reason));
    let shown = bench.ask("Ticker.Show");
    let age = shown.trim_start_matches("Ticker v1 pod 2: ").trim_end_matches(" s\n");
    assert!(age.parse::<u32>().is_ok_and(|age| age >= 10), "the other pod stood still: {shown}");
    (bench, first)
}

#[test]
fn a_module_that_is_not_there() {
    let (_, status) = reason_of("Nope");
    assert_eq!((status.reason, status.restarts, status.seconds), (Reason::NoModule, 0, 0));
}

#[test]
fn a_module_with_another_key() {
    assert_eq!(reason_of("OldPod").1.reason, Reason::KeyMismatch);
}

#[test]
fn a_module_without_start() {
    assert_eq!(reason_of("Pods").1.reason, Reason::NoStart);
}

#[test]
fn a_trap_in_start() {
    let (_, status) = reason_of("BadPod");
    assert_eq!((status.reason, status.detail), (Reason::Trap, 7));
    let text = include_str!("BadPod.Mod");
    assert!(text[usize::from(status.position)..].starts_with("ASSERT"), "{status:?}");
}

#[test]
fn a_trap_in_a_task() {
    let (_, status) = reason_of("TaskPod");
    assert_eq!((status.reason, status.detail), (Reason::Trap, 1));
}

#[test]
fn a_start_that_does_not_return() {
    assert_eq!(reason_of("LoopPod").1.reason, Reason::Looped);
}

/// The log stays whole although the loop is ended in the middle of writing to it.
#[test]
fn a_task_that_does_not_return() {
    let (mut bench, status) = reason_of("SpinPod");
    assert_eq!(status.reason, Reason::Looped);
    bench.send(Body::Assignment(pods("node1", &[2])));
    bench.run_ms(4_000);
    assert!(bench.ask("Ticker.Show").ends_with(" s\n"));
}

/// What it held is given back: it fills memory several times in a row.
#[test]
fn memory_filled() {
    let (mut bench, status) = reason_of("FullPod");
    assert_eq!(status.reason, Reason::OutOfMemory);
    bench.run_ms(10_000);
    judge(&bench.take_heard());
    assert!(!bench.log().contains("restarting"), "{}", bench.log());
}

#[test]
fn a_pod_that_is_not_ready_yet() {
    let mut bench = beside("SlowPod");
    bench.run_ms(4_000);
    let heard = bench.take_heard();
    assert_eq!(judge(&heard), 0, "reported before it was ready");
    assert!(statuses(&heard).iter().all(|status| status.reason == Reason::NotReady));
    assert!(!statuses(&heard).is_empty());
    bench.run_ms(4_000);
    assert!(judge(&bench.take_heard()) >= 2);
}

#[test]
fn a_pod_that_is_no_longer_alive_is_started_again() {
    let mut bench = beside("SickPod");
    bench.run_ms(20_000);
    let heard = bench.take_heard();
    assert!(judge(&heard) >= 6, "it ran in between");
    let statuses = statuses(&heard);
    assert!(statuses.iter().all(|status| status.reason == Reason::NotAlive));
    assert!(statuses.iter().any(|status| status.restarts >= 1));
}

#[test]
fn a_trap_in_stop_ends_the_pod_all_the_same() {
    let mut bench = beside("StopPod");
    bench.run_ms(2_000);
    bench.send(Body::Assignment(pods("node1", &[2])));
    bench.expect("TRAP 7", 1_000);
    bench.run_ms(2_000);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![2]));
}

#[test]
fn a_failed_pod_is_tried_again_after_pauses_that_grow() {
    let mut bench = beside("BadPod");
    let mut at = Vec::new();
    for _ in 0..5 {
        bench.expect("TRAP 7", 20_000);
        at.push(bench.machine.now_ns() / 1_000_000);
    }
    for (pair, pause) in at.windows(2).zip([1_000, 2_000, 4_000, 8_000]) {
        let gap = pair[1] - pair[0];
        assert!((pause..pause + 300).contains(&gap), "{gap} ms instead of {pause}");
    }
}

#[test]
fn a_node_that_joins_again_keeps_its_pods() {
    let mut bench = beside("Ticker2");
    bench.run_ms(1_500);
    bench.command(&format!("KubeNet.Join node1 kube {KEY}"));
    bench.run_ms(5_000);
    assert!(!bench.log().contains("stopped pod"), "{}", bench.log());
    let heard = bench.take_heard();
    assert!(heard.iter().filter(|h| matches!(h.message.body, Body::Heartbeat(_))).count() >= 4);
    assert_eq!(bench.last_ids(false, "node1"), None);
    bench.command(&format!("KubeNet.Join node2 kube {KEY}"));
    bench.expect("stopped pod 1", 1_000);
    bench.expect("stopped pod 2", 1_000);
}

#[test]
fn a_node_that_is_asked_answers_at_once() {
    let mut bench = beside("Ticker2");
    bench.run_ms(2_000);
    bench.take_heard();
    let node = pods("node1", &[]).node;
    for _ in 0..4 {
        bench.send(Body::Query(node));
        bench.run_ms(250);
    }
    let heard = bench.take_heard();
    let beats = heard.iter().filter(|h| matches!(h.message.body, Body::Heartbeat(_)));
    assert!((4..=5).contains(&beats.count()));
}
