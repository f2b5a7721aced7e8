//! A control plane on its own: the test plays the nodes.

use crate::bench::{Bench, KEY, pods};
use kube_proto::message::Body;
use std::collections::BTreeMap;

/// Nodes that do at once what they are told and report it every second.
struct Nodes {
    bench: Bench,
    /// Name and what it reports.
    lists: BTreeMap<&'static str, Vec<u8>>,
    silent: Vec<&'static str>,
}

impl Nodes {
    fn new(commands: &str, names: &[&'static str]) -> Self {
        let start = format!("Kube.Start;KubeNet.Serve kube {KEY};{commands}");
        let mut bench = Bench::new(&start);
        bench.expect("kubenet: control plane of kube on the air", 5_000);
        let lists = names.iter().map(|&name| (name, Vec::new())).collect();
        Self { bench, lists, silent: Vec::new() }
    }

    /// One second: a heartbeat each, then listen.
    fn second(&mut self) {
        for (&name, ids) in &self.lists {
            if !self.silent.contains(&name) {
                self.bench.send(Body::Heartbeat(pods(name, ids)));
                self.bench.run_ms(3);
            }
        }
        self.bench.run_ms(1_000 - 4 * self.lists.len() as u64);
        for heard in self.bench.take_heard() {
            if let Body::Assignment(list) = heard.message.body
                && let Some((_, ids)) =
                    self.lists.iter_mut().find(|(name, _)| name.as_bytes() == list.node.as_bytes())
            {
                *ids = list.ids.as_bytes().to_vec();
            }
        }
        assert_eq!(self.bench.strange, 0);
    }

    fn seconds(&mut self, count: usize) {
        (0..count).for_each(|_| self.second());
    }

    fn total(&self) -> usize {
        let heard = self.lists.iter().filter(|(name, _)| !self.silent.contains(name));
        heard.map(|(_, ids)| ids.len()).sum()
    }
}

#[test]
fn pods_spread_over_the_nodes_that_report() {
    let mut nodes = Nodes::new("Kube.Ensure web 4 Ticker", &["node1", "node2"]);
    nodes.bench.expect("deployment web created, replicas=4", 1_000);
    nodes.seconds(4);
    assert!(nodes.bench.log().contains("kube: node node1 Ready\n"));
    assert!(nodes.bench.log().contains("kube: node node2 Ready\n"));
    assert_eq!(nodes.total(), 4);
    let tree = nodes.bench.ask("Kube.Get");
    assert_eq!(tree.matches(" Running").count(), 4, "{tree}");
}

/// Without this the first node to report would take all pods and keep them.
#[test]
fn pods_wait_for_the_nodes_that_start_a_little_later() {
    let mut nodes = Nodes::new("Kube.Ensure web 4 Ticker", &[]);
    nodes.bench.send(Body::Heartbeat(pods("node1", &[])));
    nodes.bench.run_ms(500);
    nodes.bench.send(Body::Heartbeat(pods("node2", &[])));
    nodes.bench.run_ms(600);
    let heard = nodes.bench.take_heard();
    let lists: Vec<_> = heard
        .iter()
        .filter_map(|heard| match heard.message.body {
            Body::Assignment(list) => Some(list),
            _ => None,
        })
        .collect();
    assert_eq!(lists, [pods("node1", &[1, 3]), pods("node2", &[2, 4])]);
    let specs = heard.iter().filter(|heard| matches!(heard.message.body, Body::Spec(_)));
    assert!(specs.count() >= 8, "images are known before the lists come");
}

#[test]
fn specs_of_pods_that_do_not_run_go_first_and_the_rest_is_repeated() {
    let mut nodes = Nodes::new("Kube.Ensure web 3 Ticker", &["node1"]);
    nodes.bench.send(Body::Heartbeat(pods("node1", &[])));
    nodes.bench.run_ms(1_200);
    let specs = |nodes: &mut Nodes| {
        let heard = nodes.bench.take_heard();
        heard.iter().filter(|h| matches!(h.message.body, Body::Spec(_))).count()
    };
    let urgent = specs(&mut nodes);
    assert!((8..=12).contains(&urgent), "{urgent} specs in the first second");
    nodes.lists.insert("node1", vec![1, 2, 3]);
    nodes.second();
    nodes.bench.send(Body::Heartbeat(pods("node1", &[1, 2, 3])));
    nodes.bench.run_ms(200);
    specs(&mut nodes);
    nodes.bench.run_ms(3_000);
    assert_eq!(specs(&mut nodes), 3, "one a second when all run");
}

#[test]
fn a_silent_node_loses_its_pods_after_seven_seconds() {
    let mut nodes = Nodes::new("Kube.Ensure web 4 Ticker", &["node1", "node2", "node3"]);
    nodes.seconds(5);
    assert_eq!(nodes.total(), 4);
    nodes.silent.push("node1");
    nodes.seconds(4);
    assert!(!nodes.bench.log().contains("NotReady"), "four heartbeats may be missing");
    nodes.seconds(2);
    assert!(nodes.bench.log().contains("kube: node node1 NotReady\n"));
    assert!(nodes.total() < 4, "pods wait two seconds more");
    nodes.seconds(3);
    assert_eq!(nodes.total(), 4);
}

#[test]
fn when_most_nodes_fall_silent_nothing_moves() {
    let mut nodes = Nodes::new("Kube.Ensure web 4 Ticker", &["node1", "node2"]);
    nodes.seconds(5);
    let before = nodes.lists.clone();
    nodes.silent = vec!["node1", "node2"];
    nodes.seconds(20);
    let log = nodes.bench.log();
    assert!(log.contains("kube: too many nodes NotReady, evictions paused\n"));
    nodes.silent = vec!["node2"];
    nodes.seconds(4);
    assert!(nodes.bench.log().contains("kube: evictions resumed, silent nodes get a grace\n"));
    nodes.silent.clear();
    nodes.seconds(6);
    assert_eq!(nodes.lists, before);
}

#[test]
fn a_rollout_never_has_fewer_pods_or_more_than_one_extra() {
    let mut nodes = Nodes::new("Kube.Ensure web 4 Ticker", &["node1", "node2"]);
    nodes.seconds(5);
    let old: Vec<u8> = nodes.lists.values().flatten().copied().collect();
    nodes.bench.command("Kube.Apply web 4 Ticker2");
    for second in 0..40 {
        nodes.second();
        let total = nodes.total();
        assert!((4..=5).contains(&total), "{total} pods after {second} s");
    }
    let new: Vec<u8> = nodes.lists.values().flatten().copied().collect();
    assert_eq!(new.len(), 4);
    assert!(new.iter().all(|id| !old.contains(id)), "old {old:?}, new {new:?}");
    let tree = nodes.bench.ask("Kube.Get");
    assert_eq!(tree.matches("replicaset ").count(), 1, "{tree}");
}

#[test]
fn a_rollout_waits_for_a_pod_that_never_starts() {
    let mut nodes = Nodes::new("Kube.Ensure web 2 Ticker", &["node1"]);
    nodes.seconds(4);
    let old = nodes.lists["node1"].clone();
    nodes.bench.command("Kube.Apply web 2 Ticker2");
    let mut assigned = 0;
    for _ in 0..10 {
        nodes.second();
        // The node has no such module: it goes on reporting the old ones.
        let list = nodes.lists.get_mut("node1").expect("the node");
        assigned = list.len();
        list.retain(|id| old.contains(id));
        assert_eq!(*list, old, "an old pod was taken away");
    }
    assert_eq!(assigned, 3, "one new pod, and no more than one");
}

#[test]
fn a_plane_that_starts_again_changes_no_assignment() {
    let mut nodes = Nodes::new("Kube.Ensure web 4 Ticker", &["node1", "node2"]);
    nodes.seconds(5);
    let before = nodes.lists.clone();
    let counter = nodes.bench.counter();
    let chip = kube_air::Chip::new(0, kube_air::Timing::WORST);
    let disk = nodes.bench.into_disk();
    let bench = Bench::with(disk, crate::bench::Socket::Chip(Box::new(chip)));
    let mut nodes = Nodes { bench, lists: before.clone(), silent: vec!["node1", "node2"] };
    let restored = nodes.bench.expect("objects restored", 5_000);
    assert_eq!(restored, "kube: 8 objects restored from the disk");
    nodes.bench.expect("deployment web exists, kept as it is", 1_000);
    nodes.bench.set_counter(counter.wrapping_add(100));
    nodes.seconds(3);
    nodes.silent.clear();
    for _ in 0..8 {
        nodes.second();
        assert_eq!(nodes.lists, before);
    }
}
