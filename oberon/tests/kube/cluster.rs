//! Three machines on one air that loses frames: what must hold whatever is lost.

use crate::bench::{KEY, Socket, key, tag};
use crate::image::image;
use kube_air::{Air, AirConfig, Chip, ListenerId, QUANTUM_NS, Timing};
use kube_emu::{Config, Machine, SdCard};
use kube_proto::frame::{Address, Rate};
use kube_proto::message::{Body, Message};
use kube_proto::packet::Packet;
use kube_proto::signature::{Signature, judge};
use std::collections::BTreeMap;

const NODES: [&str; 2] = ["node1", "node2"];

/// Plane and nodes, and what the last message of each kind said about each node.
struct Cluster {
    machines: Vec<Machine<Socket>>,
    air: Air,
    listener: ListenerId,
    now_ns: u64,
    reported: BTreeMap<Vec<u8>, Vec<u8>>,
    assigned: BTreeMap<Vec<u8>, Vec<u8>>,
    images: BTreeMap<u8, Vec<u8>>,
    /// Fewest and most pods reported since the last look.
    range: (usize, usize),
}

impl Cluster {
    fn new(loss: f64, seed: u64) -> Self {
        let plane = format!("Kube.Start;KubeNet.Serve kube {KEY};Kube.Ensure web 4 Ticker");
        let nodes = NODES.map(|name| format!("KubeNet.Join {name} kube {KEY}"));
        let mut air = Air::new(AirConfig { loss, seed, ..AirConfig::default() });
        let machines = std::iter::once(plane).chain(nodes).map(|commands| {
            air.add_station();
            let (prom, disk) = image(&commands);
            let card = SdCard::new(disk).expect("a disk image");
            let chip = Box::new(Chip::new(0, Timing::TYPICAL));
            Machine::new(Config::ours(prom), Some(card), Socket::Chip(chip))
        });
        let machines = machines.collect();
        let listener = air.add_listener(5, Rate::M1, Address::OBERON);
        let (reported, assigned, images) = Default::default();
        let (now_ns, range) = (0, (usize::MAX, 0));
        Self { machines, air, listener, now_ns, reported, assigned, images, range }
    }

    fn step(&mut self) {
        self.now_ns += QUANTUM_NS;
        let mut chips = Vec::new();
        for machine in &mut self.machines {
            machine.run_until(self.now_ns);
            chips.push(match machine.radio_mut() {
                Socket::Chip(chip) => Some(&mut **chip),
                Socket::Empty(_) => None,
            });
        }
        self.air.step(self.now_ns, &mut chips).expect("steps of one quantum");
        for frame in self.air.take_heard(self.listener) {
            let packet = Packet::parse(&frame.payload).expect("a packet");
            let message = Message::parse(&packet).expect("a message");
            assert_eq!(judge(&message, tag(), Some(&key())), Signature::Ok);
            self.hear(&message);
        }
    }

    fn hear(&mut self, message: &Message) {
        match message.body {
            Body::Heartbeat(pods) => {
                let ids = pods.ids.as_bytes().to_vec();
                self.reported.insert(pods.node.as_bytes().to_vec(), ids);
                let total = self.reported.values().map(Vec::len).sum();
                self.range = (self.range.0.min(total), self.range.1.max(total));
            }
            Body::Assignment(pods) => {
                let ids = pods.ids.as_bytes().to_vec();
                self.assigned.insert(pods.node.as_bytes().to_vec(), ids);
            }
            Body::Spec(pod) => {
                self.images.insert(pod.id, pod.image.as_bytes().to_vec());
            }
            _ => {}
        }
    }

    /// Four different pods of an image run where they were assigned.
    fn converged(&self, image: &str) -> bool {
        let mut ids: Vec<u8> = self.reported.values().flatten().copied().collect();
        ids.sort_unstable();
        ids.dedup();
        let fits = |id| self.images.get(id).is_some_and(|name| name == image.as_bytes());
        ids.len() == 4
            && self.reported.values().map(Vec::len).sum::<usize>() == 4
            && self.reported.len() == NODES.len()
            && self.reported == self.assigned
            && ids.iter().all(fits)
    }

    /// Time until four pods of an image run, in milliseconds.
    fn converge(&mut self, image: &str, limit_ms: u64) -> u64 {
        let begin = self.now_ns;
        while !self.converged(image) {
            self.step();
            let ms = (self.now_ns - begin) / 1_000_000;
            let state = (&self.reported, &self.assigned, &self.images);
            assert!(ms < limit_ms, "not converged after {ms} ms: {state:?}");
        }
        (self.now_ns - begin) / 1_000_000
    }
}

#[test]
fn four_pods_run_within_three_and_a_half_seconds_of_the_first_heartbeats() {
    let mut cluster = Cluster::new(0.0, 1);
    while cluster.reported.len() < NODES.len() {
        cluster.step();
        assert!(cluster.now_ns < 5_000_000_000, "no heartbeats");
    }
    cluster.converge("Ticker", 3_500);
    assert!(cluster.reported.values().all(|ids| ids.len() == 2), "{:?}", cluster.reported);
}

#[test]
fn a_rollout_keeps_its_bounds_whatever_is_lost() {
    for (loss, seed) in [(0.0, 1), (0.1, 2), (0.3, 3), (0.3, 4), (0.3, 5)] {
        let mut cluster = Cluster::new(loss, seed);
        cluster.converge("Ticker", 20_000);
        // A heartbeat of before the last start may still be the latest one heard of its node.
        cluster.range = (4, 4);
        cluster.machines[0].serial_send(b"Kube.Apply web 4 Ticker2\r");
        let ms = cluster.converge("Ticker2", 60_000);
        assert_eq!(cluster.range, (4, 5), "loss {loss}, seed {seed}, {ms} ms");
        assert!(cluster.reported.values().flatten().all(|&id| id > 4), "an old pod is left");
    }
}
