//! The other side of a machine that has a key for each node: the test plays node1 or the plane, by
//! the rules as the host side has them.

use crate::bench::{Bench, KEY, Socket, key, pods, tag};
use crate::image::image;
use kube_air::{Chip, Timing};
use kube_proto::greeting::Endpoint;
use kube_proto::layout::Sender;
use kube_proto::message::{Body, Message};
use kube_proto::packet::Packet;

/// Machine and other side.
pub struct Pair {
    /// The machine and the air.
    pub bench: Bench,
    /// The side played by the test.
    pub other: Endpoint,
    /// The other side hears and answers.
    pub listens: bool,
    /// All messages of the machine, heard by the other side or not.
    pub heard: Vec<Message>,
    /// All messages of the other side.
    pub said: Vec<Message>,
}

/// What starts a machine as node1.
pub fn join() -> String {
    let own: String = key().of_node(b"node1").0.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("KubeNet.Join node1 kube {own} per-node")
}

/// What starts a machine as the plane.
pub fn serve() -> String {
    format!("Kube.Start;KubeNet.Serve kube {KEY} per-node")
}

/// A machine that goes on from a disk.
pub fn restarted(disk: Vec<u8>) -> Bench {
    Bench::with(disk, Socket::Chip(Box::new(Chip::new(0, Timing::WORST))))
}

impl Pair {
    fn new(bench: Bench, role: Sender) -> Self {
        let own = key().of_node(b"node1");
        let other = Endpoint::new(role, tag(), pods("node1", &[]).node, own, 7_000);
        Self { bench, other, listens: true, heard: Vec::new(), said: Vec::new() }
    }

    /// The machine is node1, and has a session with the plane that the test plays.
    pub fn node() -> Self {
        let mut pair = Self::new(restarted(image(&join()).1), Sender::Plane);
        pair.settle();
        pair
    }

    /// The machine is the plane, and has a session with the node that the test plays.
    pub fn plane() -> Self {
        let mut pair = Self::new(restarted(image(&serve()).1), Sender::Node);
        pair.bench.run_ms(1_500);
        pair.settle();
        pair
    }

    fn now_ms(&self) -> u32 {
        (self.bench.machine.now_ns() / 1_000_000) as u32
    }

    /// A message from outside that is the other side's.
    pub fn send(&mut self, message: Message) {
        self.said.push(message);
        self.bench.send_raw(&message);
    }

    /// Says something in the session.
    pub fn say(&mut self, body: Body) -> Message {
        let message = self.other.seal(body).expect("a session");
        self.send(message);
        message
    }

    /// A list of the other side: what node1 is to run, or what it runs.
    pub fn list(&mut self, ids: &[u8]) -> Message {
        let list = pods("node1", ids);
        let machine_is_node = self.other.numbers().is_some() && self.is_node();
        self.say(if machine_is_node { Body::Assignment(list) } else { Body::Heartbeat(list) })
    }

    /// The machine is a node.
    pub fn is_node(&self) -> bool {
        !self.bench.log().contains("control plane")
    }

    /// Lets time pass; the other side answers greetings.
    pub fn run_ms(&mut self, ms: u64) {
        let end = self.bench.machine.now_ns() + ms * 1_000_000;
        while self.bench.machine.now_ns() < end {
            self.bench.run_ms(10);
            self.listen();
        }
    }

    fn listen(&mut self) {
        for frame in self.bench.take_frames() {
            let packet = Packet::parse(&frame.payload).expect("a packet");
            let message = Message::parse(&packet).expect("a message");
            self.heard.push(message);
            let now_ms = self.now_ms();
            if self.listens
                && let (_, Some(answer)) = self.other.hear(&message, now_ms)
            {
                self.send(answer);
            }
        }
    }

    /// Runs until both sides know that they share a session.
    pub fn settle(&mut self) {
        for _ in 0..60 {
            self.run_ms(100);
            let now_ms = self.now_ms();
            if self.other.settled(now_ms) {
                return;
            }
            if !self.is_node() {
                // Its own greetings are what makes the plane know it.
                if let Some(greeting) = self.other.greet(now_ms) {
                    self.send(greeting);
                }
                if self.other.numbers().is_some() {
                    self.list(&[]);
                }
            }
        }
        panic!("no session within 6 s; log:\n{}", self.bench.log());
    }

    /// Refused messages of a kind, as the machine counts them.
    pub fn refused(&mut self, kind: &str) -> u32 {
        let shown = self.bench.ask("KubeNet.Show");
        let line = shown.lines().last().unwrap_or_default().to_owned();
        let words: Vec<_> = line.split([' ', ',']).collect();
        let at = words.iter().position(|&word| word == kind).unwrap_or_else(|| panic!("{line}"));
        words[at - 1].parse().unwrap_or_else(|_| panic!("{line}"))
    }
}
