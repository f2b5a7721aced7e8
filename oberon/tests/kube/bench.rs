//! One machine with a radio, alone on an air with a listener, and a place from which the test sends
//! frames of its own.

use crate::image::image;
use kube_air::{
    Air, AirConfig, Chip, Departure, HeardFrame, ListenerId, Outcome, QUANTUM_NS, StationId, Timing,
};
use kube_disk::Image;
use kube_emu::{Config, Machine, NoRadio, SdCard, SpiDevice};
use kube_proto::frame::{Address, CrcMode, Rate, encode};
use kube_proto::key::{Key, Tag};
use kube_proto::message::{Body, Message, NodePods, PodImage, Short};
use kube_proto::packet::Packet;
use kube_proto::signature::{Signature, judge, sign};

/// The cluster of all tests.
pub const KEY: &str = "00c0ffee00c0ffee";
const CHANNEL: u8 = 5;
const MS: u64 = 1_000_000;
/// Long enough for a frame to be announced.
const SOON_NS: u64 = 300_000;

/// What is on the radio's select line.
pub enum Socket {
    /// A chip.
    Chip(Box<Chip>),
    /// Nothing; the line floats to a level.
    Empty(NoRadio),
}

impl SpiDevice for Socket {
    fn select(&mut self, now_ns: u64, selected: bool) {
        match self {
            Socket::Chip(chip) => chip.select(now_ns, selected),
            Socket::Empty(none) => none.select(now_ns, selected),
        }
    }

    fn transfer(&mut self, now_ns: u64, byte: u8) -> u8 {
        match self {
            Socket::Chip(chip) => chip.transfer(now_ns, byte),
            Socket::Empty(none) => none.transfer(now_ns, byte),
        }
    }

    fn enable(&mut self, now_ns: u64, level: bool) {
        match self {
            Socket::Chip(chip) => chip.enable(now_ns, level),
            Socket::Empty(none) => none.enable(now_ns, level),
        }
    }

    fn interrupt(&mut self, now_ns: u64) -> bool {
        match self {
            Socket::Chip(chip) => chip.interrupt(now_ns),
            Socket::Empty(none) => none.interrupt(now_ns),
        }
    }

    fn next_event_ns(&self) -> Option<u64> {
        match self {
            Socket::Chip(chip) => chip.next_event_ns(),
            Socket::Empty(none) => none.next_event_ns(),
        }
    }
}

/// A message as the listener heard it.
#[derive(Clone, Debug)]
pub struct Heard {
    /// First bit, in milliseconds.
    pub at_ms: f64,
    /// The message.
    pub message: Message,
}

/// A machine and what is around it.
pub struct Bench {
    /// The machine.
    pub machine: Machine<Socket>,
    air: Air,
    outside: StationId,
    listener: ListenerId,
    now_ns: u64,
    log: String,
    read: usize,
    heard: Vec<Heard>,
    frames: Vec<HeardFrame>,
    /// Frames heard that are no message of the cluster with a right signature.
    pub strange: usize,
    /// A trap is part of the test.
    pub traps_expected: bool,
    counter: u16,
}

impl Bench {
    /// A machine with a radio, started from a fresh disk with commands.
    pub fn new(commands: &str) -> Self {
        let chip = Chip::new(0, Timing::WORST);
        Self::with(image(commands).1, Socket::Chip(Box::new(chip)))
    }

    /// A machine with a given disk and radio.
    pub fn with(disk: Vec<u8>, socket: Socket) -> Self {
        Self::tuned(disk, socket, 0, CHANNEL)
    }

    /// The same with other switches, and the listener on another channel.
    pub fn tuned(disk: Vec<u8>, socket: Socket, switches: u8, channel: u8) -> Self {
        let config = Config { switches, ..Config::ours(image("").0) };
        let card = SdCard::new(disk).expect("a disk image");
        let mut air = Air::new(AirConfig { keep_log: true, ..AirConfig::default() });
        air.add_station();
        let outside = air.add_station();
        let listener = air.add_listener(channel, Rate::M1, Address::OBERON);
        Self {
            machine: Machine::new(config, Some(card), socket),
            air,
            outside,
            listener,
            now_ns: 0,
            log: String::new(),
            read: 0,
            heard: Vec::new(),
            frames: Vec::new(),
            strange: 0,
            traps_expected: false,
            counter: 0,
        }
    }

    /// Lets time pass.
    pub fn run_ms(&mut self, ms: u64) {
        let end = self.now_ns + ms * MS;
        while self.now_ns < end {
            self.step();
        }
    }

    /// Lets time pass until a block reaches the card, or `end_ns`; true if one did.
    pub fn run_to_write(&mut self, end_ns: u64) -> bool {
        let written = |bench: &Self| bench.machine.card().map_or(0, |card| card.transfers().1);
        let before = written(self);
        while self.now_ns < end_ns && written(self) == before {
            self.step();
        }
        written(self) > before
    }

    /// Lets time pass until the log holds a line with `text`, not read before; returns that line.
    ///
    /// # Panics
    /// If it does not come within `ms`.
    pub fn expect(&mut self, text: &str, ms: u64) -> String {
        let end = self.now_ns + ms * MS;
        loop {
            while let Some(len) = self.log[self.read..].find('\n') {
                let line = self.log[self.read..self.read + len].to_owned();
                self.read += len + 1;
                if line.contains(text) {
                    return line;
                }
            }
            assert!(self.now_ns < end, "no line with {text:?} within {ms} ms; log:\n{}", self.log);
            self.step();
        }
    }

    fn step(&mut self) {
        self.now_ns += QUANTUM_NS;
        self.machine.run_until(self.now_ns);
        let chip = match self.machine.radio_mut() {
            Socket::Chip(chip) => Some(&mut **chip),
            Socket::Empty(_) => None,
        };
        self.air.step(self.now_ns, &mut [chip, None]).expect("steps of one quantum");
        let bytes = self.machine.serial_received();
        self.log.extend(bytes.iter().filter(|&&byte| byte != b'\r').map(|&byte| char::from(byte)));
        assert!(self.traps_expected || !self.log.contains("TRAP"), "trap; log:\n{}", self.log);
        for frame in self.air.take_heard(self.listener) {
            if frame.sender == self.outside {
                continue;
            }
            self.frames.push(frame);
            let packet = Packet::parse(&frame.payload);
            let message = packet.ok().and_then(|packet| Message::parse(&packet).ok());
            match message {
                Some(message) if judge(&message, tag(), Some(&key())) == Signature::Ok => {
                    let at_ms = frame.start_ns as f64 / 1e6;
                    self.heard.push(Heard { at_ms, message });
                }
                _ => self.strange += 1,
            }
        }
    }

    /// Everything the machine has written so far.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Types a command line.
    pub fn command(&mut self, line: &str) {
        self.machine.serial_send(format!("{line}\r").as_bytes());
    }

    /// Types a command and returns what it writes, without the machine's own lines about it.
    pub fn ask(&mut self, line: &str) -> String {
        let from = self.log.len();
        self.command(line);
        self.run_ms(400);
        self.read = self.log.len();
        let own = ["boot", "done", "failed"].map(|word| format!("{word}: {line}"));
        let is_own = |text: &&str| own.iter().any(|own| text.starts_with(own));
        let lines = self.log[from..].lines().filter(|text| !is_own(text));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// What the listener heard since the last call.
    pub fn take_heard(&mut self) -> Vec<Heard> {
        std::mem::take(&mut self.heard)
    }

    /// All frames the machine has sent since the last call.
    pub fn take_frames(&mut self) -> Vec<HeardFrame> {
        std::mem::take(&mut self.frames)
    }

    /// The last heard pod list of a kind: heartbeats or assignments for a node.
    pub fn last_ids(&mut self, assignment: bool, node: &str) -> Option<Vec<u8>> {
        self.take_heard().iter().rev().find_map(|heard| match heard.message.body {
            Body::Heartbeat(pods) if !assignment => ids_of(&pods, node),
            Body::Assignment(pods) if assignment => ids_of(&pods, node),
            _ => None,
        })
    }

    /// Sends a message from outside as it is, as soon as possible.
    pub fn send_raw(&mut self, message: &Message) {
        self.send_packet(&message.packet(0x42));
    }

    /// Sends a packet of one frame from outside, again if the machine was sending or
    /// writing to its card at that moment.
    pub fn send_packet(&mut self, packet: &Packet) {
        for _ in 0..50 {
            self.air.take_log();
            self.send_frames(&[packet.emit()], MS);
            let mut log = self.air.take_log().into_iter();
            if log.any(|record| {
                record.flight.sender == self.outside && record.outcomes[0] == Outcome::Delivered
            }) {
                return;
            }
        }
        panic!("the machine does not hear; log:\n{}", self.log);
    }

    /// Sends frames from outside, one every `period_ns`.
    pub fn send_frames(&mut self, payloads: &[[u8; 32]], period_ns: u64) {
        for (payload, at) in payloads.iter().zip(0..) {
            let bits = encode(&Address::OBERON, None, payload, CrcMode::Crc16).expect("32 bytes");
            let start_ns = self.now_ns + SOON_NS + at * period_ns;
            let (channel, rate, power_dbm) = (CHANNEL, Rate::M1, 0);
            let departure = Departure { start_ns, channel, rate, power_dbm, bits };
            self.air.inject(self.outside, departure);
        }
        self.run_ms(1 + payloads.len() as u64 * period_ns / MS);
    }

    /// Sends a message of the cluster from outside, with the next counter, and returns it.
    pub fn send(&mut self, body: Body) -> Message {
        self.counter = self.counter.wrapping_add(1);
        let message = sign(tag(), body, self.counter, &key());
        self.send_raw(&message);
        message
    }

    /// The counter of the last message sent.
    pub fn counter(&self) -> u16 {
        self.counter
    }

    /// Goes on counting from another value.
    pub fn set_counter(&mut self, counter: u16) {
        self.counter = counter;
    }

    /// Switches off; what has reached the card stays.
    pub fn into_disk(mut self) -> Vec<u8> {
        let card = self.machine.card_mut().take().expect("a card");
        card.into_image().into_bytes()
    }

    /// The disk as it is now.
    pub fn disk(&self) -> Image {
        let card = self.machine.card().expect("a card");
        Image::open(card.image().bytes().to_vec()).expect("an Oberon disk")
    }

    /// The chip.
    pub fn chip(&mut self) -> &mut Chip {
        match self.machine.radio_mut() {
            Socket::Chip(chip) => chip,
            Socket::Empty(_) => panic!("no chip is fitted"),
        }
    }
}

fn ids_of(pods: &NodePods, node: &str) -> Option<Vec<u8>> {
    (pods.node.as_bytes() == node.as_bytes()).then(|| pods.ids.as_bytes().to_vec())
}

/// The tag of all tests.
pub fn tag() -> Tag {
    Tag::of("kube").expect("a name")
}

/// The key of all tests.
pub fn key() -> Key {
    Key::parse(KEY).expect("a key")
}

/// A node's pods.
pub fn pods(node: &str, ids: &[u8]) -> NodePods {
    let node = Short::new(node.as_bytes()).expect("6 characters");
    NodePods { node, ids: Short::new(ids).expect("10 ids") }
}

/// A spec.
pub fn spec(id: u8, image: &str) -> Body {
    Body::Spec(PodImage { id, image: Short::new(image.as_bytes()).expect("15 characters") })
}
