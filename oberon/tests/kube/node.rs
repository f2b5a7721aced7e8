//! A node on its own: the test plays the control plane, and others who would like to.

use crate::bench::{Bench, KEY, key, pods, spec, tag};
use kube_proto::key::{Key, Tag};
use kube_proto::message::{Body, Message};
use kube_proto::signature::sign;

fn joined() -> Bench {
    let mut bench = Bench::new(&format!("KubeNet.Join node1 kube {KEY}"));
    bench.expect("kubenet: node node1 of kube joined the air", 5_000);
    bench
}

fn assign(ids: &[u8]) -> Body {
    Body::Assignment(pods("node1", ids))
}

/// A node that runs pod 1, and the message that made it so.
fn running() -> (Bench, Message) {
    let mut bench = joined();
    bench.send(spec(1, "Ticker"));
    let message = bench.send(assign(&[1]));
    bench.expect("Ticker v1: started pod 1", 1_000);
    bench.run_ms(1_100);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![1]));
    (bench, message)
}

#[test]
fn a_lone_node_reports_an_empty_list_every_second() {
    let mut bench = joined();
    bench.run_ms(6_000);
    let heard = bench.take_heard();
    assert_eq!(bench.strange, 0);
    for pair in heard.windows(2) {
        assert_eq!(pair[1].message.counter, pair[0].message.counter.wrapping_add(1));
    }
    let (beats, rest): (Vec<_>, Vec<_>) =
        heard.iter().partition(|h| h.message.body == Body::Heartbeat(pods("node1", &[])));
    assert!(beats.len() >= 5, "{} heartbeats", beats.len());
    for pair in beats.windows(2) {
        let gap = pair[1].at_ms - pair[0].at_ms;
        assert!((990.0..1_010.0).contains(&gap), "gap of {gap} ms");
    }
    assert!(rest.iter().all(|h| matches!(h.message.body, Body::Traffic(_))), "{rest:?}");
}

#[test]
fn heartbeats_do_not_drift() {
    let mut bench = joined();
    bench.run_ms(3_000);
    let mut beats = || {
        let mut heard = bench.take_heard();
        heard.retain(|heard| matches!(heard.message.body, Body::Heartbeat(_)));
        bench.run_ms(60_000);
        heard
    };
    let first = beats().last().expect("a heartbeat").at_ms;
    let heard = beats();
    assert_eq!(heard.len(), 60);
    let drift = heard.last().expect("60 heartbeats").at_ms - first - 60_000.0;
    assert!(drift.abs() < 10.0, "{drift} ms in a minute");
}

#[test]
fn the_chip_is_used_as_its_specification_says() {
    let (mut bench, _) = running();
    bench.run_ms(2_000);
    let broken: Vec<_> = bench.chip().lints().broken().collect();
    assert_eq!(broken, []);
}

#[test]
fn pods_start_and_stop_as_assigned() {
    let mut bench = joined();
    bench.send(assign(&[3, 1]));
    assert_eq!(bench.expect("kubelet node1", 1_000), "kubelet node1: 3 1");
    bench.send(spec(1, "Ticker"));
    bench.expect("Ticker v1: started pod 1", 1_000);
    bench.send(spec(3, "Ticker2"));
    bench.expect("Ticker2 v2: started pod 3", 1_000);
    bench.run_ms(1_100);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![3, 1]));
    bench.run_ms(1_000);
    let shown = bench.ask("Ticker.Show");
    assert!(shown.starts_with("Ticker v1 pod 1: ") && shown.ends_with(" s\n"), "{shown}");
    bench.send(assign(&[3]));
    bench.expect("Ticker v1: stopped pod 1", 1_000);
    bench.send(assign(&[]));
    assert_eq!(bench.expect("kubelet node1", 1_000), "kubelet node1:");
    bench.expect("Ticker2 v2: stopped pod 3", 1_000);
}

#[test]
fn a_pod_with_another_image_is_restarted() {
    let (mut bench, _) = running();
    bench.send(spec(1, "Ticker2"));
    bench.expect("Ticker v1: stopped pod 1", 1_000);
    bench.expect("Ticker2 v2: started pod 1", 1_000);
}

#[test]
fn a_missing_module_is_named_once_and_not_reported() {
    let mut bench = joined();
    bench.send(spec(2, "Nope"));
    bench.send(assign(&[2]));
    assert_eq!(bench.expect("no module", 1_000), "kubelet: no module Nope for pod 2");
    bench.run_ms(2_500);
    assert_eq!(bench.log().matches("no module Nope").count(), 1);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![]));
    bench.send(spec(2, "Ticker"));
    bench.expect("Ticker v1: started pod 2", 1_000);
}

#[test]
fn a_workload_that_traps_at_start_costs_the_node_nothing_else() {
    let mut bench = joined();
    bench.traps_expected = true;
    bench.send(spec(1, "BadPod"));
    bench.send(spec(2, "Ticker"));
    bench.send(assign(&[1, 2]));
    bench.expect("TRAP 7", 1_000);
    bench.expect("Ticker v1: started pod 2", 1_000);
    bench.run_ms(2_500);
    assert_eq!(bench.log().matches("TRAP").count(), 2, "tried again: {}", bench.log());
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![2]));
}

#[test]
fn an_order_for_another_node_changes_nothing() {
    let (mut bench, _) = running();
    bench.send(Body::Assignment(pods("node2", &[])));
    bench.run_ms(1_200);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![1]));
}

#[test]
fn forgeries_change_nothing_and_a_signed_order_does() {
    let (mut bench, genuine) = running();
    bench.send(assign(&[1, 2]));
    let next = bench.counter().wrapping_add(2);
    let foreign = sign(Tag(tag().0 + 1), assign(&[]), next, &key());
    let unsigned = sign(tag(), assign(&[]), next, &Key::default());
    for forged in [foreign, unsigned, genuine] {
        bench.run_ms(300);
        bench.take_heard();
        bench.send_raw(&forged);
        bench.run_ms(1_300);
        assert_eq!(bench.last_ids(false, "node1"), Some(vec![1]), "{forged:?}");
        assert!(!bench.log().contains("kubelet node1: 1\nkubelet node1: 1 2\nkubelet node1: 1\n"));
    }
    bench.send_raw(&sign(tag(), assign(&[]), next, &key()));
    bench.run_ms(1_300);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![]));
}

#[test]
fn a_repeated_counter_counts_again_after_five_silent_seconds() {
    let (mut bench, genuine) = running();
    bench.send(assign(&[]));
    bench.expect("kubelet node1:", 1_000);
    bench.run_ms(4_500);
    bench.send_raw(&genuine);
    bench.run_ms(1_200);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![]), "too early");
    bench.send_raw(&genuine);
    bench.run_ms(1_200);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![1]), "a plane that began anew");
}

#[test]
fn lengths_that_do_not_fit_are_dropped() {
    let (mut bench, _) = running();
    let mut message = bench.send(spec(9, "Ticker"));
    // A list of ten in a packet for two: the frame says 24 bytes, the count says otherwise.
    message.body = Body::Assignment(pods("node1", &[9; 10]));
    let mut packet = message.packet(1);
    packet.len = 16;
    bench.send_packet(&packet);
    bench.run_ms(1_200);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![1]));
}

#[test]
fn names_and_keys_are_checked() {
    let mut bench = Bench::new("");
    bench.run_ms(1_500);
    let form = "kubenet: the form is KubeNet.Join name [cluster [key [per-node]]]\n";
    let name = "kubenet: a node name of up to 6 characters is needed\n".to_owned() + form;
    let why = "kubenet: the cluster name is up to 8 characters, the key up to 16 hex digits\n";
    let key = why.to_owned() + form;
    for parameters in ["", "seven77", "*plane", "node.1.x", "\"node 1\""] {
        assert_eq!(bench.ask(&format!("KubeNet.Join {parameters}")), name, "{parameters}");
    }
    for parameters in ["kube 00 per-nod", "kube 00 per-node more", "kube 00 yes"] {
        assert_eq!(bench.ask(&format!("KubeNet.Join node1 {parameters}")), key, "{parameters}");
    }
    assert_eq!(bench.ask("KubeNet.Join node1 ninechars"), key);
    assert_eq!(bench.ask("KubeNet.Join node1 kube 00c0ffee00c0ffee0"), key);
    assert_eq!(bench.ask("KubeNet.Join node1 kube xyz"), key);
    let form = "kubenet: the form is KubeNet.Serve [cluster [key [per-node]]]\n";
    assert_eq!(bench.ask("KubeNet.Serve ninechars"), why.to_owned() + form);
    let joined = bench.ask("KubeNet.Join node-a");
    assert_eq!(joined, "kubenet: node node-a of kube joined the air\n");
    assert_eq!(bench.ask("KubeNet.Stop"), "kubenet: stopped\n");
}
