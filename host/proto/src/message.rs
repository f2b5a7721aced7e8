//! KubeNet's messages as types. Parsing and emitting go by the table in [`crate::layout`].

use crate::key::Tag;
use crate::layout::{ASSIGNMENT, HAIL, HEARTBEAT, QUERY, SPEC, STATUS, TRAFFIC, USAGE, WELCOME};
use crate::layout::{FRAMES_BYTES, USE_BYTES};
use crate::layout::{IMAGE_NAME_BYTES, Layout, LayoutError, MAX_IDS, NODE_NAME_BYTES};
use crate::layout::{MAC_BYTES, NUMBERS_BYTES, REPORT_BYTES};
use crate::packet::{BROADCAST, FIRST_DATA_BYTES, Packet};

/// Up to `N` bytes: a name or a list of pod identities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Short<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

/// A node's name: 1 to 6 characters.
pub type NodeName = Short<NODE_NAME_BYTES>;
/// An image (module) name: up to 15 characters.
pub type ImageName = Short<IMAGE_NAME_BYTES>;
/// Pod identities, up to 10.
pub type Ids = Short<MAX_IDS>;

impl<const N: usize> Default for Short<N> {
    /// Nothing.
    fn default() -> Self {
        Self { bytes: [0; N], len: 0 }
    }
}

impl<const N: usize> Short<N> {
    /// Copies `bytes`; `None` if there are more than `N`.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut short = Self { bytes: [0; N], len: bytes.len() as u8 };
        short.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(short)
    }

    /// The first `N` of `bytes`.
    fn truncated(bytes: &[u8]) -> Self {
        let mut short = Self { bytes: [0; N], len: bytes.len().min(N) as u8 };
        short.bytes.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
        short
    }

    /// A field padded with zeros: ends at the first zero.
    fn from_padded(field: &[u8]) -> Self {
        let len = field.iter().position(|&b| b == 0).unwrap_or(field.len());
        Self::truncated(&field[..len])
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// All `N` bytes, zeros behind the end.
    pub fn padded(&self) -> &[u8; N] {
        &self.bytes
    }
}

impl<const N: usize> core::fmt::Display for Short<N> {
    /// As text; bytes that are not printable ASCII are escaped.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}", self.as_bytes().escape_ascii())
    }
}

impl<const N: usize> core::fmt::Debug for Short<N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// What a heartbeat or an assignment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePods {
    /// The sender (heartbeat) or the node meant (assignment).
    pub node: NodeName,
    /// Pods that run there, or are to run there, in order.
    pub ids: Ids,
}

/// What a spec says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodImage {
    /// Pod identity, 1..255.
    pub id: u8,
    /// The module it runs.
    pub image: ImageName,
}

/// Why a pod does not run. The numbers are those on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// 1: no object file of that name on the node's disk.
    NoModule,
    /// 2: the module was compiled against another version of a module that it imports.
    KeyMismatch,
    /// 3: the module has no command `Start`.
    NoStart,
    /// 4: a trap in Start, in a probe, or in a task of the module.
    Trap,
    /// 5: it did not return within its time.
    Looped,
    /// 6: it was refused memory.
    OutOfMemory,
    /// 7: it is up and says that it is not ready.
    NotReady,
    /// 8: it said several times that it is not alive.
    NotAlive,
    /// 9: its object file cannot be loaded for another reason.
    BadModule,
    /// A number of a newer protocol.
    Other(u8),
}

/// The reasons, by their number less one, with the words that the control plane uses.
pub const REASONS: [(Reason, &str); 9] = [
    (Reason::NoModule, "no module"),
    (Reason::KeyMismatch, "key mismatch"),
    (Reason::NoStart, "no Start"),
    (Reason::Trap, "trap"),
    (Reason::Looped, "did not return"),
    (Reason::OutOfMemory, "out of memory"),
    (Reason::NotReady, "not ready"),
    (Reason::NotAlive, "not alive"),
    (Reason::BadModule, "bad module"),
];

impl Reason {
    /// From the number on the air.
    pub fn of(code: u8) -> Self {
        let known = REASONS.get(usize::from(code).wrapping_sub(1));
        known.map_or(Reason::Other(code), |&(reason, _)| reason)
    }

    /// The number on the air.
    pub fn code(self) -> u8 {
        match self {
            Reason::Other(code) => code,
            _ => {
                REASONS.iter().position(|&(reason, _)| reason == self).map_or(0, |at| at as u8 + 1)
            }
        }
    }
}

impl core::fmt::Display for Reason {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match REASONS.iter().find(|(reason, _)| reason == self) {
            Some((_, words)) => f.write_str(words),
            None => write!(f, "reason {}", self.code()),
        }
    }
}

/// What a status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodStatus {
    /// The sender.
    pub node: NodeName,
    /// Pod identity, 1..255.
    pub id: u8,
    /// Why it does not run.
    pub reason: Reason,
    /// Number of the trap, or the loader's result.
    pub detail: u8,
    /// Starts after the first.
    pub restarts: u8,
    /// For how long the reason holds, in seconds.
    pub seconds: u16,
    /// Of the trap in the module's text.
    pub position: u16,
}

impl PodStatus {
    fn parse(node: NodeName, report: &[u8; REPORT_BYTES]) -> Self {
        let [id, reason, detail, restarts, s0, s1, p0, p1] = *report;
        let (seconds, position) = (u16::from_le_bytes([s0, s1]), u16::from_le_bytes([p0, p1]));
        Self { node, id, reason: Reason::of(reason), detail, restarts, seconds, position }
    }

    fn report(&self) -> [u8; REPORT_BYTES] {
        let [s0, s1] = self.seconds.to_le_bytes();
        let [p0, p1] = self.position.to_le_bytes();
        [self.id, self.reason.code(), self.detail, self.restarts, s0, s1, p0, p1]
    }
}

/// What a greeting says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The sender (hail) or the node meant (welcome).
    pub node: NodeName,
    /// A number that the sender never gives twice.
    pub mine: u32,
    /// The receiver's number that it answers, 0 for none.
    pub yours: u32,
}

impl Greeting {
    fn parse(node: NodeName, numbers: &[u8; NUMBERS_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h] = *numbers;
        let (mine, yours) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        Self { node, mine, yours }
    }

    fn numbers(&self) -> [u8; NUMBERS_BYTES] {
        let ([a, b, c, d], [e, f, g, h]) = (self.mine.to_le_bytes(), self.yours.to_le_bytes());
        [a, b, c, d, e, f, g, h]
    }
}

/// What a usage says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodUsage {
    /// The sender.
    pub node: NodeName,
    /// Pod identity, 1..255.
    pub id: u8,
    /// Time that it has taken since it was started, in milliseconds.
    pub ms: u32,
    /// Bytes of heap that it holds; `None` where nobody counts them.
    pub heap: Option<u32>,
}

impl PodUsage {
    fn parse(node: NodeName, usage: &[u8; USE_BYTES]) -> Self {
        let [id, a, b, c, d, e, f, g, h] = *usage;
        let heap = u32::from_le_bytes([e, f, g, h]);
        let heap = (heap != u32::MAX).then_some(heap);
        Self { node, id, ms: u32::from_le_bytes([a, b, c, d]), heap }
    }

    fn bytes(&self) -> [u8; USE_BYTES] {
        let ([a, b, c, d], heap) = (self.ms.to_le_bytes(), self.heap.unwrap_or(u32::MAX));
        let [e, f, g, h] = heap.to_le_bytes();
        [self.id, a, b, c, d, e, f, g, h]
    }
}

/// What a traffic says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeTraffic {
    /// The sender.
    pub node: NodeName,
    /// Frames sent since its start.
    pub sent: u32,
    /// Frames heard since its start.
    pub heard: u32,
    /// Times that its chip's queue was full, that a packet did not come whole, and that it had no
    /// room for one of its own; at most 65535.
    pub dropped: u16,
}

impl NodeTraffic {
    fn parse(node: NodeName, frames: &[u8; FRAMES_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j] = *frames;
        let (sent, heard) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        Self { node, sent, heard, dropped: u16::from_le_bytes([i, j]) }
    }

    fn bytes(&self) -> [u8; FRAMES_BYTES] {
        let ([a, b, c, d], [e, f, g, h]) = (self.sent.to_le_bytes(), self.heard.to_le_bytes());
        let [i, j] = self.dropped.to_le_bytes();
        [a, b, c, d, e, f, g, h, i, j]
    }
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// 60H, node to all: what I run.
    Heartbeat(NodePods),
    /// 61H, plane to all: what a node is to run.
    Assignment(NodePods),
    /// 62H, plane to all: which image a pod runs.
    Spec(PodImage),
    /// 63H, node to all: why a pod does not run.
    Status(PodStatus),
    /// 64H, plane to all: the node named is to send a heartbeat at once.
    Query(NodeName),
    /// 65H, node to all: the plane and I need a session.
    Hail(Greeting),
    /// 66H, plane to all: the same, to the node named.
    Welcome(Greeting),
    /// 67H, node to all: what one of my pods uses.
    Usage(PodUsage),
    /// 68H, node to all: what my radio did.
    Traffic(NodeTraffic),
}

impl Body {
    /// The table entry.
    pub const fn layout(&self) -> &'static Layout {
        match self {
            Body::Heartbeat(_) => &HEARTBEAT,
            Body::Assignment(_) => &ASSIGNMENT,
            Body::Spec(_) => &SPEC,
            Body::Status(_) => &STATUS,
            Body::Query(_) => &QUERY,
            Body::Hail(_) => &HAIL,
            Body::Welcome(_) => &WELCOME,
            Body::Usage(_) => &USAGE,
            Body::Traffic(_) => &TRAFFIC,
        }
    }

    /// The node that sends it or is meant; a spec names none.
    pub const fn node(&self) -> Option<&NodeName> {
        match self {
            Body::Heartbeat(pods) | Body::Assignment(pods) => Some(&pods.node),
            Body::Status(status) => Some(&status.node),
            Body::Query(node) => Some(node),
            Body::Hail(greeting) | Body::Welcome(greeting) => Some(&greeting.node),
            Body::Usage(usage) => Some(&usage.node),
            Body::Traffic(traffic) => Some(&traffic.node),
            Body::Spec(_) => None,
        }
    }
}

/// A message with the fields that all have in common. The signature is not judged here: see
/// [`crate::signature`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Cluster tag.
    pub tag: Tag,
    /// What it says.
    pub body: Body,
    /// The sender's counter.
    pub counter: u16,
    /// Message authentication code.
    pub mac: [u8; MAC_BYTES],
}

/// Why a packet is not a KubeNet message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// Another type of packet.
    #[error("packet type {typ:#04x} is not KubeNet's: skip it")]
    Type {
        /// The type.
        typ: u8,
    },
    /// Wrong length or count.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// Data bytes of a message: at most 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    bytes: [u8; FIRST_DATA_BYTES],
    len: usize,
}

impl Data {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The bytes before the mac: what is signed, together with the type.
    pub fn signed(&self) -> &[u8] {
        &self.bytes[..self.len - MAC_BYTES]
    }

    fn push(&mut self, bytes: &[u8]) {
        for (at, &byte) in self.bytes[self.len..].iter_mut().zip(bytes) {
            *at = byte;
            self.len += 1;
        }
    }
}

/// A list that has always all of its bytes.
fn whole<'a, const N: usize>(
    layout: &'static Layout,
    list: &'a [u8],
) -> Result<&'a [u8; N], LayoutError> {
    let n = list.len() as u8;
    list.try_into().map_err(|_| LayoutError::Count { name: layout.name, n, counted: N })
}

impl Message {
    /// Reads a message from a packet.
    ///
    /// # Errors
    /// [`MessageError`] if the type is not KubeNet's or length and count do not fit exactly.
    pub fn parse(packet: &Packet) -> Result<Self, MessageError> {
        let typ = packet.typ;
        let layout = Layout::of(typ).ok_or(MessageError::Type { typ })?;
        if usize::from(packet.len) > FIRST_DATA_BYTES {
            let (len, min) = (usize::from(packet.len), layout.fixed_bytes());
            let max = min + layout.max_counted();
            return Err(LayoutError::Length { name: layout.name, len, min, max }.into());
        }
        let [tag, who, _, list, counter, mac] = layout.split(packet.data())?;
        // The table bounds the list, so it always fits.
        let pods = || NodePods { node: Short::from_padded(who), ids: Short::truncated(list) };
        let body = match typ {
            0x60 => Body::Heartbeat(pods()),
            0x61 => Body::Assignment(pods()),
            0x62 => Body::Spec(PodImage { id: who[0], image: Short::from_padded(list) }),
            0x63 => Body::Status(PodStatus::parse(Short::from_padded(who), whole(layout, list)?)),
            0x65 => Body::Hail(Greeting::parse(Short::from_padded(who), whole(layout, list)?)),
            0x66 => Body::Welcome(Greeting::parse(Short::from_padded(who), whole(layout, list)?)),
            0x67 => Body::Usage(PodUsage::parse(Short::from_padded(who), whole(layout, list)?)),
            0x68 => {
                Body::Traffic(NodeTraffic::parse(Short::from_padded(who), whole(layout, list)?))
            }
            _ => Body::Query(Short::from_padded(who)),
        };
        Ok(Self {
            tag: Tag(tag[0]),
            body,
            counter: u16::from_le_bytes([counter[0], counter[1]]),
            mac: [mac[0], mac[1], mac[2], mac[3]],
        })
    }

    /// The data bytes of the packet.
    pub fn emit(&self) -> Data {
        let mut data = Data { bytes: [0; FIRST_DATA_BYTES], len: 0 };
        data.push(&[self.tag.0]);
        let (report, numbers, usage, frames);
        let list = match &self.body {
            Body::Heartbeat(pods) | Body::Assignment(pods) => {
                data.push(pods.node.padded());
                pods.ids.as_bytes()
            }
            Body::Spec(spec) => {
                data.push(&[spec.id]);
                spec.image.as_bytes()
            }
            Body::Status(status) => {
                data.push(status.node.padded());
                report = status.report();
                &report
            }
            Body::Query(node) => {
                data.push(node.padded());
                &[]
            }
            Body::Hail(greeting) | Body::Welcome(greeting) => {
                data.push(greeting.node.padded());
                numbers = greeting.numbers();
                &numbers
            }
            Body::Usage(pod) => {
                data.push(pod.node.padded());
                usage = pod.bytes();
                &usage
            }
            Body::Traffic(traffic) => {
                data.push(traffic.node.padded());
                frames = traffic.bytes();
                &frames
            }
        };
        data.push(&[list.len() as u8]);
        data.push(list);
        data.push(&self.counter.to_le_bytes());
        data.push(&self.mac);
        data
    }

    /// The broadcast packet that carries it, from station `sadr`.
    pub fn packet(&self, sadr: u8) -> Packet {
        let data = self.emit();
        Packet::single(BROADCAST, sadr, self.body.layout().typ, data.bytes, data.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn heartbeat(ids: &[u8]) -> Message {
        Message {
            tag: Tag(20),
            body: Body::Heartbeat(NodePods {
                node: NodeName::new(b"node1").expect("short"),
                ids: Ids::new(ids).expect("ten at most"),
            }),
            counter: 0x1234,
            mac: [0x99, 0x8f, 0x79, 0x63],
        }
    }

    #[test]
    fn published_examples() {
        let data = heartbeat(&[1, 3]).emit();
        assert_eq!(
            data.as_bytes(),
            b"\x14node1\0\x02\x01\x03\x34\x12\x99\x8f\x79\x63",
            "spec/kube.md 3.3"
        );
        let spec = Message {
            tag: Tag(20),
            body: Body::Spec(PodImage { id: 1, image: ImageName::new(b"Ticker").expect("short") }),
            counter: 0x1235,
            mac: [0x1f, 0x3b, 0x3d, 0x01],
        };
        assert_eq!(spec.emit().as_bytes(), b"\x14\x01\x06Ticker\x35\x12\x1f\x3b\x3d\x01");
        assert_eq!(Message::parse(&spec.packet(7)), Ok(spec));
    }

    #[test]
    fn parse_returns_what_was_emitted() {
        let all: Vec<u8> = (1..=10).collect();
        for count in 0..=10 {
            let message = heartbeat(&all[..count]);
            assert_eq!(Message::parse(&message.packet(9)), Ok(message));
            let Body::Heartbeat(pods) = message.body else { unreachable!() };
            let assignment = Message { body: Body::Assignment(pods), ..message };
            assert_eq!(Message::parse(&assignment.packet(9)), Ok(assignment));
        }
    }

    #[test]
    fn a_status_and_a_query_come_back_as_they_were() {
        let node = NodeName::new(b"node1").expect("short");
        for code in 0..=255 {
            let status = PodStatus {
                node,
                id: 7,
                reason: Reason::of(code),
                detail: 4,
                restarts: 255,
                seconds: 0x1234,
                position: 0xfedc,
            };
            assert_eq!(status.reason.code(), code);
            let message = Message { body: Body::Status(status), ..heartbeat(&[]) };
            assert_eq!(message.emit().as_bytes()[7..11], [8, 7, code, 4]);
            assert_eq!(Message::parse(&message.packet(9)), Ok(message));
        }
        let message = Message { body: Body::Query(node), ..heartbeat(&[]) };
        assert_eq!(Message::parse(&message.packet(9)), Ok(message));
    }

    #[test]
    fn a_greeting_comes_back_as_it_was() {
        let node = NodeName::new(b"node1").expect("short");
        let greeting = Greeting { node, mine: 0x0403_0201, yours: 0xfffe_0000 };
        for body in [Body::Hail(greeting), Body::Welcome(greeting)] {
            let message = Message { body, ..heartbeat(&[]) };
            assert_eq!(message.emit().as_bytes()[7..16], [8, 1, 2, 3, 4, 0, 0, 0xfe, 0xff]);
            assert_eq!(Message::parse(&message.packet(9)), Ok(message));
        }
    }

    #[test]
    fn a_usage_and_a_traffic_come_back_as_they_were() {
        let node = NodeName::new(b"node1").expect("short");
        for heap in [None, Some(0), Some(0x0102_0304)] {
            let usage = PodUsage { node, id: 9, ms: 0xfeff_0001, heap };
            let message = Message { body: Body::Usage(usage), ..heartbeat(&[]) };
            assert_eq!(message.emit().as_bytes()[7..13], [9, 9, 1, 0, 0xff, 0xfe]);
            assert_eq!(Message::parse(&message.packet(9)), Ok(message));
        }
        let traffic = NodeTraffic { node, sent: 7, heard: 0x0403_0201, dropped: 0xfffe };
        let message = Message { body: Body::Traffic(traffic), ..heartbeat(&[]) };
        let bytes = [10, 7, 0, 0, 0, 1, 2, 3, 4, 0xfe, 0xff];
        assert_eq!(message.emit().as_bytes()[7..18], bytes);
        assert_eq!(Message::parse(&message.packet(9)), Ok(message));
    }

    #[test]
    fn what_has_always_all_of_its_bytes_is_whole_or_refused() {
        let mut packet = heartbeat(&[1, 2, 3]).packet(9);
        let whole = [STATUS, QUERY, HAIL, WELCOME, USAGE, TRAFFIC];
        for typ in whole.map(|layout| layout.typ) {
            packet.typ = typ;
            assert!(matches!(Message::parse(&packet), Err(MessageError::Layout(_))), "{typ:#x}");
        }
    }

    #[test]
    fn a_packet_of_several_frames_is_no_message() {
        let mut frame = heartbeat(&[1]).packet(1).emit();
        frame[4] = 25;
        let packet = Packet::parse(&frame).expect("a header");
        assert!(matches!(Message::parse(&packet), Err(MessageError::Layout(_))));
    }

    #[test]
    fn other_types_are_not_messages() {
        let packet = Packet::new(BROADCAST, 1, 0x34, b"Oberon\0\0").expect("8 bytes");
        assert_eq!(Message::parse(&packet), Err(MessageError::Type { typ: 0x34 }));
    }

    #[test]
    fn no_bytes_make_the_parser_panic() {
        let mut state = 1u32;
        for _ in 0..20_000 {
            let mut frame = [0; 32];
            for byte in &mut frame {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *byte = (state >> 24) as u8;
            }
            (frame[0], frame[3]) = (1, 0x60 + frame[3] % 12);
            let len = frame[4] % 26;
            frame[4..8].copy_from_slice(&[len, 0, 0, 0]);
            if let Ok(message) = Packet::parse(&frame).map(|p| Message::parse(&p)) {
                let _ = message.map(|m| std::format!("{m:?}"));
            }
        }
    }
}
