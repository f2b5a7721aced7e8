//! KubeNet's messages as types. Parsing and emitting go by the table in [`crate::layout`].

mod node;

pub use node::{NodeTraffic, PodStatus, PodUsage, REASONS, Reason};

use crate::key::Tag;
use crate::layout::{ANSWER, CALL, ORDER, PIECE_BYTES, REPLY};
use crate::layout::{ASSIGNMENT, HAIL, HEARTBEAT, QUERY, SPEC, STATUS, TRAFFIC, USAGE, WELCOME};
use crate::layout::{IMAGE_NAME_BYTES, Layout, LayoutError, MAX_IDS, NODE_NAME_BYTES};
use crate::layout::{MAC_BYTES, NUMBERS_BYTES};
use crate::packet::{BROADCAST, FIRST_DATA_BYTES, Packet};
use crate::pieces::{LAST, Piece};

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
    /// 69H, operator to the machine named: we need a session.
    Call(Greeting),
    /// 6AH, machine to its operator: the same.
    Reply(Greeting),
    /// 6BH, operator to a machine: a piece of a line.
    Order(Piece),
    /// 6CH, machine to its operator: the same.
    Answer(Piece),
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
            Body::Call(_) => &CALL,
            Body::Reply(_) => &REPLY,
            Body::Order(_) => &ORDER,
            Body::Answer(_) => &ANSWER,
        }
    }

    /// The node (of an operator's greetings: the machine) that sends it or is meant; a spec and pieces
    /// name none.
    pub const fn node(&self) -> Option<&NodeName> {
        match self {
            Body::Heartbeat(pods) | Body::Assignment(pods) => Some(&pods.node),
            Body::Status(status) => Some(&status.node),
            Body::Query(node) => Some(node),
            Body::Hail(greeting)
            | Body::Welcome(greeting)
            | Body::Call(greeting)
            | Body::Reply(greeting) => Some(&greeting.node),
            Body::Usage(usage) => Some(&usage.node),
            Body::Traffic(traffic) => Some(&traffic.node),
            Body::Spec(_) | Body::Order(_) | Body::Answer(_) => None,
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

/// The field `place` is two bytes wide.
fn piece(place: &[u8], bytes: &[u8]) -> Piece {
    let (line, place) = (place[0], place[1]);
    let bytes: Short<PIECE_BYTES> = Short::truncated(bytes);
    Piece { line, place: place & !LAST, last: place & LAST != 0, bytes }
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
            0x69 => Body::Call(Greeting::parse(Short::from_padded(who), whole(layout, list)?)),
            0x6a => Body::Reply(Greeting::parse(Short::from_padded(who), whole(layout, list)?)),
            0x6b => Body::Order(piece(who, list)),
            0x6c => Body::Answer(piece(who, list)),
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
            Body::Hail(greeting)
            | Body::Welcome(greeting)
            | Body::Call(greeting)
            | Body::Reply(greeting) => {
                data.push(greeting.node.padded());
                numbers = greeting.numbers();
                &numbers
            }
            Body::Order(piece) | Body::Answer(piece) => {
                data.push(&[piece.line, piece.place | if piece.last { LAST } else { 0 }]);
                piece.bytes.as_bytes()
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
        let (hail, welcome) = (Body::Hail(greeting), Body::Welcome(greeting));
        for body in [hail, welcome, Body::Call(greeting), Body::Reply(greeting)] {
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
    fn a_piece_of_a_line_comes_back_as_it_was() {
        for (len, last) in [(0, true), (3, true), (14, false), (14, true)] {
            let bytes = Short::new(&b"0123456789abcd"[..len]).expect("short");
            let piece = Piece { line: 0xfe, place: 23, last, bytes };
            for body in [Body::Order(piece), Body::Answer(piece)] {
                let message = Message { body, ..heartbeat(&[]) };
                let place = if last { 0x97 } else { 23 };
                assert_eq!(message.emit().as_bytes()[..4], [20, 0xfe, place, len as u8]);
                assert_eq!(Message::parse(&message.packet(9)), Ok(message));
            }
        }
    }

    #[test]
    fn what_has_always_all_of_its_bytes_is_whole_or_refused() {
        let mut packet = heartbeat(&[1, 2, 3]).packet(9);
        let whole = [STATUS, QUERY, HAIL, WELCOME, USAGE, TRAFFIC, CALL, REPLY];
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
            (frame[0], frame[3]) = (1, 0x60 + frame[3] % 16);
            let len = frame[4] % 26;
            frame[4..8].copy_from_slice(&[len, 0, 0, 0]);
            if let Ok(message) = Packet::parse(&frame).map(|p| Message::parse(&p)) {
                let _ = message.map(|m| std::format!("{m:?}"));
            }
        }
    }
}
