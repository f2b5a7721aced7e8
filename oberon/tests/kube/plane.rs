//! A control plane on its own: the test plays the nodes.

use crate::bench::{Bench, KEY, pods};
use kube_proto::message::{Body, PodStatus, REASONS, Reason};
use std::collections::BTreeMap;

/// Nodes that do at once what they are told and report it every second.
pub struct Nodes {
    /// The plane.
    pub bench: Bench,
    /// Name and what it reports.
    pub lists: BTreeMap<&'static str, Vec<u8>>,
    /// Of them, those that say nothing.
    pub silent: Vec<&'static str>,
}

impl Nodes {
    /// A plane with commands after those that make it one, and nodes of these names.
    pub fn new(commands: &str, names: &[&'static str]) -> Self {
        let start = format!("Kube.Start;KubeNet.Serve kube {KEY};{commands}");
        let mut bench = Bench::new(&start);
        bench.expect("kubenet: control plane of kube on the air", 5_000);
        let lists = names.iter().map(|&name| (name, Vec::new())).collect();
        Self { bench, lists, silent: Vec::new() }
    }

    /// One second: a heartbeat each, then listen.
    pub fn second(&mut self) {
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

    /// Some seconds.
    pub fn seconds(&mut self, count: usize) {
        (0..count).for_each(|_| self.second());
    }

    /// Pods that are reported.
    pub fn total(&self) -> usize {
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
    let (at_once, round) = lists.split_at(2);
    assert_eq!(at_once, [pods("node1", &[1, 3]), pods("node2", &[2, 4])]);
    assert!(round.chunks(2).all(|again| again == at_once), "later lists say the same: {round:?}");
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
    assert!((18..=40).contains(&urgent), "{urgent} specs in the first second");
    nodes.lists.insert("node1", vec![1, 2, 3]);
    nodes.second();
    nodes.bench.send(Body::Heartbeat(pods("node1", &[1, 2, 3])));
    nodes.bench.run_ms(200);
    specs(&mut nodes);
    nodes.bench.run_ms(3_000);
    assert_eq!(specs(&mut nodes), 3, "one a second when all run");
}

/// The air is not filled with what a node knows already, and a node that starts anew learns it at once.
#[test]
fn a_pod_that_never_starts_is_told_of_less_and_less() {
    let mut nodes = Nodes::new("Kube.Ensure web 1 Ticker", &["node1"]);
    let specs = |nodes: &mut Nodes, running: &[u8], seconds: u32| {
        let mut count = 0;
        for _ in 0..seconds {
            nodes.bench.send(Body::Heartbeat(pods("node1", running)));
            nodes.bench.run_ms(1_000);
            let heard = nodes.bench.take_heard();
            count += heard.iter().filter(|h| matches!(h.message.body, Body::Spec(_))).count();
        }
        count
    };
    let at_first = specs(&mut nodes, &[], 3);
    assert!(at_first >= 8, "{at_first} in the first three seconds");
    specs(&mut nodes, &[], 10);
    // The rest is what is repeated of every pod, one a second.
    let later = specs(&mut nodes, &[], 13);
    assert!((13..=16).contains(&later), "{later} in thirteen seconds");
    specs(&mut nodes, &[1], 3);
    let anew = specs(&mut nodes, &[], 1);
    assert!((3..=8).contains(&anew), "{anew} in the second after it stopped");
}

/// The controllers walk the table a fixed number of times, however many deployments there are.
#[test]
fn eighty_deployments_leave_the_plane_most_of_its_time() {
    let mut nodes = Nodes::new("", &[]);
    for number in 0..80 {
        nodes.bench.ask(&format!("Kube.Apply d{number} 3 Ticker"));
    }
    nodes.bench.run_ms(1_000);
    let before = nodes.bench.machine.instructions();
    nodes.bench.run_ms(1_000);
    let executed = nodes.bench.machine.instructions() - before;
    // Of 40 million or so in a second.
    assert!((100_000..10_000_000).contains(&executed), "{executed} instructions in a second");
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

/// A rollout whose new pod fails stands still; the plane says which pod, why, and since when.
#[test]
fn why_a_pod_does_not_run_is_shown_and_a_rollout_that_stands_still_is_named() {
    let mut nodes = Nodes::new("Kube.Ensure web 2 Ticker", &["node1"]);
    nodes.seconds(4);
    let old = nodes.lists["node1"].clone();
    nodes.bench.command("Kube.Apply web 2 Bad");
    let mut id = 0;
    for _ in 0..3 {
        nodes.second();
        let list = nodes.lists.get_mut("node1").expect("the node");
        id = list.iter().copied().find(|id| !old.contains(id)).unwrap_or(id);
        *list = old.clone();
    }
    assert_ne!(id, 0, "no new pod");
    let node = pods("node1", &[]).node;
    let mut status = PodStatus {
        node,
        id,
        reason: Reason::Trap,
        detail: 7,
        restarts: 1,
        seconds: 5,
        position: 78,
    };
    nodes.bench.send(Body::Status(status));
    nodes.bench.run_ms(150);
    let tree = nodes.bench.ask("Kube.Get");
    assert!(tree.contains(" @node1 Pending: trap 7 at 78, restarts 1\n"), "{tree}");
    for (reason, words) in REASONS.into_iter().filter(|&(reason, _)| reason != Reason::Trap) {
        status = PodStatus { reason, restarts: 3, ..status };
        nodes.bench.send(Body::Status(status));
        nodes.bench.run_ms(150);
        let tree = nodes.bench.ask("Kube.Get");
        let detail = if reason == Reason::BadModule { ", res 7" } else { "" };
        let line = format!(" Pending: {words}{detail}, restarts 3, CrashLoopBackOff\n");
        assert!(tree.contains(&line), "{line}{tree}");
        nodes.second();
        nodes.lists.insert("node1", old.clone());
    }
    for _ in 0..62 {
        nodes.second();
        nodes.lists.insert("node1", old.clone());
    }
    assert!(nodes.bench.log().contains("kube: deployment web stands still, see Kube.Describe\n"));
    nodes.bench.send(Body::Status(status));
    nodes.bench.run_ms(150);
    let told = nodes.bench.ask("Kube.Describe web");
    assert!(told.starts_with("deployment web  replicas=2  image=Bad  stands still\n"), "{told}");
    assert!(told.contains("  running 0, last step 7"), "{told}");
    assert!(told.contains("CrashLoopBackOff\n      for 5 s\n"), "{told}");
    assert!(
        nodes
            .bench
            .ask("Kube.Describe nope")
            .contains("kube: no deployment nope, and no pod or node\n")
    );
}

/// After an outage a node that is still silent counts as there for a while, but gets nothing new.
#[test]
fn a_node_that_stays_silent_after_an_outage_gets_no_new_pods() {
    let mut nodes = Nodes::new("Kube.Ensure web 2 Ticker", &["node1", "node2"]);
    nodes.seconds(5);
    nodes.silent = vec!["node1", "node2"];
    nodes.seconds(12);
    nodes.silent = vec!["node2"];
    nodes.seconds(2);
    assert!(nodes.bench.log().contains("kube: evictions resumed"));
    nodes.bench.command("Kube.Apply web 6");
    nodes.seconds(2);
    assert_eq!(nodes.lists["node2"].len(), 1, "it was told: {:?}", nodes.lists);
    assert_eq!(nodes.lists["node1"].len(), 5, "{:?}", nodes.lists);
}

#[test]
fn a_silent_node_is_asked_before_it_is_given_up() {
    let mut nodes = Nodes::new("Kube.Ensure web 2 Ticker", &["node1", "node2"]);
    nodes.seconds(5);
    nodes.silent.push("node2");
    nodes.bench.take_heard();
    nodes.bench.send(Body::Heartbeat(pods("node1", &[1])));
    nodes.bench.run_ms(400);
    let asked = |nodes: &mut Nodes| {
        let heard = nodes.bench.take_heard();
        let names = heard.iter().filter_map(|h| match h.message.body {
            Body::Query(node) => Some(node.to_string()),
            _ => None,
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(asked(&mut nodes), Vec::<String>::new());
    for _ in 0..12 {
        nodes.bench.send(Body::Heartbeat(pods("node1", &[1])));
        nodes.bench.run_ms(500);
    }
    let names = asked(&mut nodes);
    assert!((12..=24).contains(&names.len()), "{}", names.len());
    assert!(names.iter().all(|name| name == "node2"));
    nodes.bench.send(Body::Heartbeat(pods("node1", &[1])));
    nodes.bench.run_ms(3_000);
    asked(&mut nodes);
    nodes.bench.send(Body::Heartbeat(pods("node1", &[1])));
    nodes.bench.run_ms(1_000);
    assert_eq!(asked(&mut nodes), Vec::<String>::new(), "its pods have moved");
}

#[test]
fn a_hundred_and_fifty_images_are_told_in_two_seconds() {
    let names = [
        "n01", "n02", "n03", "n04", "n05", "n06", "n07", "n08", "n09", "n10", "n11", "n12", "n13",
        "n14", "n15",
    ];
    let mut nodes = Nodes::new("Kube.Ensure web 150 Ticker", &names);
    let mut told = std::collections::BTreeSet::new();
    for &name in &names {
        nodes.bench.send(Body::Heartbeat(pods(name, &[])));
    }
    nodes.bench.run_ms(2_000);
    for heard in nodes.bench.take_heard() {
        if let Body::Spec(pod) = heard.message.body {
            told.insert(pod.id);
        }
    }
    assert_eq!(told.len(), 150);
}

/// With more than 32 senders the published table forgets one place again and again; here a
/// recorded message of any of them stays refused.
#[test]
fn forty_nodes_are_all_remembered() {
    let mut nodes = Nodes::new("", &[]);
    let name = |number: usize| format!("n{number:02}");
    let mut recorded = Vec::new();
    for number in 0..40 {
        recorded.push(nodes.bench.send(Body::Heartbeat(pods(&name(number), &[]))));
        nodes.bench.run_ms(10);
        nodes.bench.send(Body::Heartbeat(pods(&name(number), &[])));
    }
    for message in &recorded {
        nodes.bench.run_ms(10);
        nodes.bench.send_raw(message);
    }
    nodes.bench.run_ms(300);
    let shown = nodes.bench.ask("KubeNet.Show");
    let line = "kubenet: refused 0 malformed, 0 foreign, 0 unsigned, 40 old, 0 unmet, 0 taken, the last from n39\n";
    assert!(shown.contains(line), "{shown}");
}
