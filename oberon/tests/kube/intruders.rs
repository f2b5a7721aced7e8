//! Frames from those who should not send them: random ones, half right ones, and a node whose name
//! is taken twice. Nothing may trap or change what runs; what is refused is counted.

use crate::bench::{Bench, KEY, key, pods, spec, tag};
use crate::partner::Pair;
use kube_proto::message::{Body, Message};
use kube_proto::packet::Packet;
use kube_proto::signature::{Signature, judge, sign};

/// Frames a round; the air takes one every millisecond.
const FRAMES: u64 = 3_000;

/// Frames in all: a minute of machine time, or `KUBE_FUZZ_FRAMES`.
fn frames() -> u64 {
    let asked = std::env::var("KUBE_FUZZ_FRAMES").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(60_000)
}

/// Always the same, or `KUBE_FUZZ_SEED`; a failure names it.
fn seed() -> u64 {
    let asked = std::env::var("KUBE_FUZZ_SEED").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(1)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u8 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 56) as u8
    }

    /// A frame of random bytes, or a message of the cluster with a few bytes changed.
    fn bent(&mut self, genuine: &[Message]) -> [u8; 32] {
        let at = usize::from(self.next()) << 8 | usize::from(self.next());
        let mut frame = genuine[at % genuine.len()].packet(self.next()).emit();
        if self.next() < 100 {
            frame.iter_mut().for_each(|byte| *byte = self.next());
            (frame[0], frame[1], frame[3]) = (1, 0xff, 0x60 + self.next() % 8);
            let len = [self.next() % 40, 0, 0, u8::from(self.next() == 0) * self.next()];
            frame[4..8].copy_from_slice(&len);
        }
        for _ in 0..1 + self.next() % 3 {
            let at = 3 + usize::from(self.next()) % 29;
            let before = frame[at];
            while frame[at] == before {
                frame[at] = self.next();
            }
        }
        frame
    }
}

/// A frame changed only where nobody looks is the genuine message again.
fn counts(frame: &[u8; 32]) -> bool {
    let message = Packet::parse(frame).ok().and_then(|packet| Message::parse(&packet).ok());
    message.is_some_and(|message| judge(&message, tag(), Some(&key())) == Signature::Ok)
}

/// Throws frames at a machine; a trap stops the test.
fn throw(bench: &mut Bench, random: &mut Random, genuine: &[Message]) {
    for _ in 0..FRAMES / 100 {
        let frames = (0..100).map(|_| random.bent(genuine)).filter(|frame| !counts(frame));
        let frames: Vec<_> = frames.collect();
        bench.send_frames(&frames, 1_000_000);
    }
}

#[test]
fn random_frames_do_nothing_to_a_node() {
    let mut bench = Bench::new(&format!("KubeNet.Join node1 kube {KEY}"));
    bench.expect("joined the air", 5_000);
    bench.send(spec(1, "Ticker"));
    let genuine = bench.send(Body::Assignment(pods("node1", &[1])));
    bench.expect("Ticker v1: started pod 1", 1_000);
    let (seed, rounds) = (seed(), frames() / 4 / FRAMES);
    let mut random = Random(seed);
    for _ in 0..rounds {
        throw(&mut bench, &mut random, &[genuine]);
        bench.run_ms(1_200);
        assert_eq!(bench.last_ids(false, "node1"), Some(vec![1]), "seed {seed}");
    }
    let lines = bench.log().matches("kubenet: refused").count() as u64;
    assert!((1..=1 + rounds / 2).contains(&lines), "{lines} lines, one in ten seconds at most");
}

#[test]
fn random_frames_do_nothing_to_the_plane() {
    let mut bench = Bench::new(&format!("Kube.Start;KubeNet.Serve kube {KEY}"));
    bench.expect("on the air", 5_000);
    let genuine = bench.send(Body::Heartbeat(pods("node1", &[])));
    bench.expect("kube: node node1 Ready", 1_000);
    let seed = seed();
    let mut random = Random(seed);
    for _ in 0..frames() / 4 / FRAMES {
        throw(&mut bench, &mut random, &[genuine]);
    }
    assert_eq!(bench.log().matches(" Ready\n").count(), 1, "seed {seed}: {}", bench.log());
    assert!(bench.ask("Kube.Get").starts_with("nodes: "));
}

/// With a key for each node, greetings and messages of the session among the frames that are bent.
#[test]
fn random_frames_do_nothing_in_a_session() {
    let seed = seed();
    let mut random = Random(seed);
    for mut pair in [Pair::node(), Pair::plane()] {
        let node = pair.is_node();
        if node {
            pair.say(spec(1, "Ticker"));
        }
        pair.list(&[1]);
        pair.run_ms(1_500);
        let state = |pair: &mut Pair| {
            let log = pair.bench.log();
            let events = ["kubelet node1:", "started pod", "stopped pod", " Ready\n", "NotReady\n"];
            events.map(|event| log.matches(event).count())
        };
        let before = state(&mut pair);
        for _ in 0..frames() / 4 / FRAMES * 6 {
            // Every half second a message keeps the session alive.
            let genuine = [pair.said.clone(), pair.heard.clone()].concat();
            for _ in 0..FRAMES / 600 {
                let frames: Vec<_> = (0..100).map(|_| random.bent(&genuine)).collect();
                pair.bench.send_frames(&frames, 1_000_000);
            }
            pair.list(&[1]);
            pair.run_ms(20);
        }
        assert_eq!(state(&mut pair), before, "seed {seed}: {}", pair.bench.log());
        pair.settle();
        pair.list(if node { &[] } else { &[1, 2] });
        pair.run_ms(1_000);
        if node {
            assert_ne!(state(&mut pair), before, "it is not deaf");
        }
    }
}

/// Two machines of one name: the second one's messages are refused as old, and the log says whose.
#[test]
fn a_name_taken_twice_is_reported() {
    let mut bench = Bench::new(&format!("Kube.Start;KubeNet.Serve kube {KEY}"));
    bench.expect("on the air", 5_000);
    let beat = |counter| sign(tag(), Body::Heartbeat(pods("node1", &[])), counter, &key());
    for round in 0..12 {
        bench.send_raw(&beat(20_000 + round));
        bench.run_ms(500);
        bench.send_raw(&beat(300 + round));
        bench.run_ms(500);
    }
    let line = bench.expect(" taken, the last from node1", 1_000);
    assert!(line.starts_with("kubenet: refused 0 malformed, 0 foreign, 0 unsigned, "), "{line}");
}
