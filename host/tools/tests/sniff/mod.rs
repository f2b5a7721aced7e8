//! What the tests of listening and sending share: frames, captures, a relay.
#![allow(dead_code, clippy::unwrap_used, reason = "each test program uses its part")]

use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use kube_proto::capture::{Captured, Flags};
use kube_proto::frame::{self, Address, Control, CrcMode, Rate, STATIC_LENGTH};
use kube_proto::key::{Key, Keys, Tag};
use kube_proto::message::{Body, NodeName, PodStatus, Reason};
use kube_proto::pcapng::CaptureWriter;
use kube_proto::signature;
use kube_sniff::forge::{self, Order};
use kube_sniff::source::udp::of_payload;

use crate::desk::{Desk, Said};

/// The key of the desk's fleet.
pub const KEY: &str = "0011223344556677";

pub fn order(kind: &str, node: &str, ids: &[u8], counter: u16) -> Order {
    Order {
        kind: kind.to_owned(),
        node: Some(node.to_owned()),
        ids: ids.to_vec(),
        id: ids.first().copied(),
        image: Some("Ticker".to_owned()),
        counter: counter.into(),
        session: None,
        sadr: if kind == "heartbeat" { 0x42 } else { 0x17 },
        channel: 5,
    }
}

pub fn message(kind: &str, node: &str, ids: &[u8], counter: u16) -> Captured {
    signed(kind, node, ids, counter, KEY)
}

pub fn signed(kind: &str, node: &str, ids: &[u8], counter: u16, key: &str) -> Captured {
    let key = Key::parse(key).unwrap();
    let order = order(kind, node, ids, counter);
    let frame = forge::message(&order, Tag::of("kube").unwrap(), &key, Keys::Shared).unwrap();
    Captured { flags: frame.flags.and(Flags::CRC_OK), level_dbm: Some(-57), ..frame }
}

/// Why a pod of node1 does not run.
pub fn status(counter: u16) -> Captured {
    let status = PodStatus {
        node: NodeName::new(b"node1").unwrap(),
        id: 3,
        reason: Reason::Trap,
        detail: 4,
        restarts: 2,
        seconds: 300,
        position: 1_234,
    };
    let (tag, key) = (Tag::of("kube").unwrap(), Key::parse(KEY).unwrap());
    let packet = signature::sign(tag, Body::Status(status), counter, &key).packet(0x42);
    of_payload(5, &packet.emit(), Flags::CONTROL_KNOWN.and(Flags::CRC_OK))
}

/// A frame as a genuine station sends it.
pub fn genuine(payload: &[u8], pid: u8) -> Captured {
    let control = Control { length: STATIC_LENGTH, pid, no_ack: false };
    let bits = frame::encode(&Address::OBERON, Some(control), payload, CrcMode::Crc16).unwrap();
    Captured {
        flags: Flags::CRC_OK.and(Flags::CONTROL).and(Flags::CONTROL_KNOWN),
        channel: 15,
        rate: Rate::M1,
        level_dbm: None,
        address_bytes: None,
        bits: Captured::without_preamble(&bits),
    }
}

pub fn packet(typ: u8, data: &[u8]) -> [u8; 32] {
    let mut payload = [0; 32];
    payload[..5].copy_from_slice(&[1, 0xff, 0x33, typ, data.len() as u8]);
    payload[8..8 + data.len()].copy_from_slice(data);
    payload
}

/// One of everything, with times in milliseconds.
pub fn everything() -> Vec<(u64, Captured)> {
    let damaged = message("heartbeat", "node2", &[2], 8);
    let password = b"Wirth\0\x11\x22\x33\x44Test.Mod\0";
    vec![
        (1_000, message("heartbeat", "node1", &[1, 3], 100)),
        (1_010, message("assignment", "node1", &[1, 3], 500)),
        (1_020, message("spec", "node1", &[1], 501)),
        (1_030, message("spec", "node1", &[3], 502)),
        (1_100, message("query", "node2", &[], 503)),
        (1_150, signed("heartbeat", "node2", &[2], 7, "99")),
        (1_200, Captured { flags: Flags::CRC_BAD.and(Flags::COLLISION), ..damaged }),
        (1_300, genuine(&packet(0x34, b"Oberon\0\0"), 1)),
        (1_301, genuine(&[], 1)),
        (1_400, genuine(&packet(0x41, password), 2)),
        (1_401, genuine(&packet(0x41, password), 2)),
        (1_500, genuine(&packet(0x60, b"\x14node"), 3)),
        (2_000, message("heartbeat", "node1", &[1, 3], 103)),
        (2_050, message("heartbeat", "node1", &[1, 3], 103)),
        (4_000, message("heartbeat", "node1", &[1], 104)),
        (4_001, status(105)),
    ]
}

pub fn capture(path: &Path, frames: &[(u64, Captured)]) {
    let mut writer = CaptureWriter::new(std::fs::File::create(path).unwrap()).unwrap();
    let interface = writer.add_interface("air").unwrap();
    for (at_ms, frame) in frames {
        writer.write(interface, at_ms * 1_000_000, frame).unwrap();
    }
}

/// A desk with a capture of everything.
pub fn desk() -> Desk {
    let desk = Desk::new();
    capture(&desk.path("all.pcapng"), &everything());
    desk
}

/// Runs a program with words separated by blanks; what stands in quotes is one word.
pub fn run(desk: &Desk, program: &str, words: &str) -> Said {
    let mut list = Vec::new();
    for (at, part) in words.split('"').enumerate() {
        match at % 2 {
            0 => list.extend(part.split_whitespace()),
            _ => list.push(part),
        }
    }
    desk.program(program).args(list).env_remove("KUBE_KEY").output().unwrap().into()
}

/// Compares with a file beside the tests; `UPDATE_EXPECT=1` writes it.
#[track_caller]
pub fn expect(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sniff").join(file);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{} is another:\n{text}", path.display());
}

/// A relay with one listener: a plain socket.
pub struct Relay(pub UdpSocket);

impl Relay {
    pub fn new() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Self(socket)
    }

    pub fn place(&self) -> String {
        format!("udp:{}", self.0.local_addr().unwrap())
    }

    /// The next datagram and who sent it.
    pub fn receive(&self) -> (Vec<u8>, SocketAddr) {
        let mut bytes = [0; 100];
        let (len, from) = self.0.recv_from(&mut bytes).unwrap();
        (bytes[..len].to_vec(), from)
    }

    /// Waits for somebody's hello.
    pub fn hello(&self) -> SocketAddr {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            if let (hello, from) = self.receive()
                && hello == [0xff]
            {
                return from;
            }
        }
        panic!("nobody says hello");
    }
}
