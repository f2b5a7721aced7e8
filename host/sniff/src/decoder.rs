//! From a captured frame to what it says: frame, packet, message, who sent it, and whether the
//! signature fits. One decoder for every source.

use crate::keyring::{Judged, Keyring};
use crate::oberon_net;
use crate::reading::{Reading, Value};
use kube_proto::capture::{Captured, Flags};
use kube_proto::frame::{self, Address, Control, CrcMode, Format, PayloadLength};
use kube_proto::key::{Key, Keys};
use kube_proto::layout::{Kind, Layout, LayoutError, Sender};
use kube_proto::message::{Message, NodeName};
use kube_proto::packet::{HEADER_BYTES, Packet};
use kube_proto::replay::{PLANE, ReplayWindow, Verdict, WINDOW};
use kube_proto::signature::Signature;
use std::collections::BTreeMap;
use std::ops::Range;

/// Name under which the control plane is shown.
pub const PLANE_NAME: &str = "plane";
/// A packet of several frames is given up when its next frame does not come within this time: a
/// sender tries one frame for at most that long.
const CONTINUATION_NS: u64 = 3_000_000_000;
/// Senders whose counters are followed: without a key anybody can invent names.
const MAX_SENDERS: usize = 1_000;
/// Address width where the captor does not say.
const ADDRESS_BYTES: usize = 5;

/// What is known of a frame's checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// It fits.
    Good,
    /// It does not.
    Bad,
    /// The source does not carry it.
    Unchecked,
}

/// What can be said of a frame in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// A message of the cluster whose signature fits.
    Good,
    /// A message of the cluster whose signature does not fit.
    Bad,
    /// A message of another cluster.
    Foreign,
    /// A message, and no key to judge it with.
    Unchecked,
    /// The type of a message, and not its form.
    Malformed,
    /// Cut short, or the checksum does not fit.
    Damaged,
    /// No message of KubeNet.
    Plain,
}

impl State {
    /// All, with the words for them.
    pub const ALL: [(State, &'static str); 7] = [
        (State::Good, "good"),
        (State::Bad, "bad"),
        (State::Foreign, "foreign"),
        (State::Unchecked, "unchecked"),
        (State::Malformed, "malformed"),
        (State::Damaged, "damaged"),
        (State::Plain, "plain"),
    ];

    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("?", |entry| entry.1)
    }
}

/// What a frame is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Too short for its format.
    Cut,
    /// An acknowledgement by the chip.
    Acknowledgement,
    /// A KubeNet message.
    Message(Packet, Reading),
    /// A packet with the type of a message and another form.
    Malformed(Packet, &'static Layout, LayoutError),
    /// Another packet, or the first frame of one.
    Packet(Packet),
    /// A later frame of a packet.
    Continuation {
        /// Which, from 2.
        part: usize,
        /// Of how many.
        of: usize,
    },
    /// None of these.
    Unknown,
}

/// A frame, decoded.
#[derive(Clone, Debug)]
pub struct Heard {
    /// From 1, in the order heard.
    pub number: u64,
    /// Its first bit: nanoseconds since 1970, or since the beginning of a simulation.
    pub at_ns: u64,
    /// Where it was captured.
    pub interface: String,
    /// As captured.
    pub frame: Captured,
    /// Its checksum.
    pub checksum: Checksum,
    /// The address on the air.
    pub address: Option<Address>,
    /// The packet control field.
    pub control: Option<Control>,
    /// The payload.
    pub payload: Vec<u8>,
    /// Bytes of the payload that are a password.
    pub secret: Range<usize>,
    /// Name of the sender, as far as it is known.
    pub from: Option<String>,
    /// What it is.
    pub what: What,
    /// In one word.
    pub state: State,
    /// The same frame again: sent anew by the chip.
    pub repeated: bool,
    /// What a receiver's counter window says of it.
    pub window: Option<Verdict>,
    /// Messages of the same sender that are missing before it.
    pub lost: u16,
}

impl Heard {
    /// Its packet, if it is one.
    #[must_use]
    pub fn packet(&self) -> Option<&Packet> {
        match &self.what {
            What::Message(packet, _) | What::Malformed(packet, ..) | What::Packet(packet) => {
                Some(packet)
            }
            _ => None,
        }
    }

    /// Its message, if it is one.
    #[must_use]
    pub fn reading(&self) -> Option<&Reading> {
        match &self.what {
            What::Message(_, reading) => Some(reading),
            _ => None,
        }
    }

    /// Name of its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.what {
            What::Cut => "cut",
            What::Acknowledgement => "ack",
            What::Message(_, reading) => reading.layout.name,
            What::Malformed(_, layout, _) => layout.name,
            What::Packet(packet) => oberon_net::name(packet.typ).unwrap_or("packet"),
            What::Continuation { .. } => "continued",
            What::Unknown => "unknown",
        }
    }

    /// The node that it is from or about.
    #[must_use]
    pub fn concerns(&self, node: &str) -> bool {
        self.from.as_deref() == Some(node)
            || self.reading().is_some_and(|reading| reading.node() == Some(node))
    }

    /// Whether a receiver would take it for news: neither sent again by the chip nor a recording.
    #[must_use]
    pub fn counts(&self) -> bool {
        !self.repeated && self.window != Some(Verdict::Replayed)
    }

    /// A good message, or one that nobody can judge.
    #[must_use]
    pub fn credible(&self) -> bool {
        matches!(self.state, State::Good | State::Unchecked)
    }
}

/// A packet whose later frames are awaited.
#[derive(Clone, Copy, Debug)]
struct Unfinished {
    at_ns: u64,
    part: usize,
    of: usize,
    /// A password may go on in it.
    hidden: bool,
}

/// Decodes frames in the order in which they were heard.
#[derive(Debug)]
pub struct Decoder {
    keyring: Keyring,
    names: BTreeMap<u8, String>,
    window: ReplayWindow,
    counters: BTreeMap<String, u16>,
    unfinished: BTreeMap<u8, Unfinished>,
    /// Identity and checksum of the last frame with control field on each channel.
    last: BTreeMap<u8, (u8, u16)>,
    heard: u64,
}

impl Decoder {
    /// Judges by `keyring`; knows no station yet.
    #[must_use]
    pub fn new(keyring: Keyring) -> Self {
        Self {
            keyring,
            names: BTreeMap::new(),
            window: ReplayWindow::new(),
            counters: BTreeMap::new(),
            unfinished: BTreeMap::new(),
            last: BTreeMap::new(),
            heard: 0,
        }
    }

    /// What is known of the cluster's secrets.
    #[must_use]
    pub const fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// Believes what is signed with another key of the cluster as well.
    pub fn add_key(&mut self, key: Key) {
        self.keyring.add_key(key);
    }

    /// Decodes a frame that was captured at `interface`.
    pub fn decode(&mut self, at_ns: u64, interface: &str, frame: &Captured) -> Heard {
        self.heard += 1;
        let flags = frame.flags;
        let checksum = if flags.has(Flags::CRC_OK) {
            Checksum::Good
        } else if flags.has(Flags::CRC_BAD) {
            Checksum::Bad
        } else {
            Checksum::Unchecked
        };
        let mut heard = Heard {
            number: self.heard,
            at_ns,
            interface: interface.to_owned(),
            frame: *frame,
            checksum,
            address: None,
            control: None,
            payload: Vec::new(),
            secret: 0..0,
            from: None,
            what: What::Cut,
            state: State::Damaged,
            repeated: false,
            window: None,
            lost: 0,
        };
        let Some(parts) = take_apart(frame) else { return heard };
        heard.address = Some(parts.address);
        heard.control = parts.control;
        heard.payload = parts.payload().to_vec();
        if heard.payload.is_empty() && parts.control.is_some() {
            heard.what = What::Acknowledgement;
            heard.state = if checksum == Checksum::Bad { State::Damaged } else { State::Plain };
            return heard;
        }
        if checksum == Checksum::Bad {
            heard.what = self.what(&mut heard, false);
            return heard;
        }
        if let Some(control) = parts.control {
            let identity = (control.pid, parts.crc);
            heard.repeated = self.last.insert(frame.channel, identity) == Some(identity);
        }
        heard.what = self.what(&mut heard, true);
        self.judge(&mut heard);
        heard
    }

    /// What the payload is. Frames in doubt do not move what is remembered of packets.
    fn what(&mut self, heard: &mut Heard, sure: bool) -> What {
        let channel = heard.frame.channel;
        let awaited = self.unfinished.get(&channel).copied();
        let awaited = awaited.filter(|u| heard.at_ns.saturating_sub(u.at_ns) <= CONTINUATION_NS);
        match Packet::parse(&heard.payload) {
            Ok(packet) if awaited.is_none() || known_type(packet.typ) => {
                let request = oberon_net::has_password(packet.typ)
                    .then(|| oberon_net::file_request(packet.data()).password);
                let mut hidden = false;
                if let Some(password) = request {
                    hidden = password.len() != oberon_net::PASSWORD_BYTES;
                    heard.secret = HEADER_BYTES + password.start..HEADER_BYTES + password.end;
                }
                if sure && !heard.repeated {
                    let unfinished =
                        Unfinished { at_ns: heard.at_ns, part: 1, of: packet.frames(), hidden };
                    self.unfinished.remove(&channel);
                    if packet.frames() > 1 {
                        self.unfinished.insert(channel, unfinished);
                    }
                }
                match Reading::of(&packet) {
                    Some(Ok(reading)) => What::Message(packet, reading),
                    Some(Err(error)) => match Layout::of(packet.typ) {
                        Some(layout) => What::Malformed(packet, layout, error),
                        None => What::Packet(packet),
                    },
                    None => What::Packet(packet),
                }
            }
            _ => match awaited {
                Some(mut unfinished) => {
                    if unfinished.hidden {
                        heard.secret = 0..heard.payload.len();
                    }
                    if !heard.repeated {
                        unfinished.part += 1;
                        unfinished.at_ns = heard.at_ns;
                    }
                    let Unfinished { part, of, .. } = unfinished;
                    if sure && !heard.repeated {
                        self.unfinished.insert(channel, unfinished);
                        if part >= of {
                            self.unfinished.remove(&channel);
                        }
                    }
                    What::Continuation { part, of }
                }
                None => What::Unknown,
            },
        }
    }

    /// Signature, sender, counter.
    fn judge(&mut self, heard: &mut Heard) {
        heard.state = State::Plain;
        let sadr = heard.packet().map(|packet| packet.sadr);
        heard.from = sadr.and_then(|sadr| self.names.get(&sadr).cloned());
        let (packet, reading) = match &heard.what {
            What::Message(packet, reading) => (*packet, reading.clone()),
            What::Malformed(..) => {
                heard.state = State::Malformed;
                return;
            }
            _ => return,
        };
        let Ok(message) = Message::parse(&packet) else {
            heard.state = State::Malformed;
            return;
        };
        let judged = self.keyring.judge(&message);
        heard.state = match judged.signature {
            Signature::Ok => State::Good,
            Signature::BadMac => State::Bad,
            Signature::ForeignTag => State::Foreign,
            Signature::NoKey => State::Unchecked,
        };
        let sender = match (reading.layout.from, reading.node()) {
            (Sender::Plane, _) => Some(PLANE_NAME.to_owned()),
            (Sender::Node, Some(node)) => Some(node.to_owned()),
            (Sender::Node | Sender::Machine, None) => heard.from.clone(),
            (Sender::Machine, Some(machine)) if machine.as_bytes() == PLANE => {
                Some(PLANE_NAME.to_owned())
            }
            (Sender::Machine, Some(machine)) => Some(machine.to_owned()),
            (Sender::Operator, _) => Some(Sender::Operator.name().to_owned()),
        };
        if !heard.credible() {
            // Whoever forges a message can take an address as well.
            heard.from = None;
            return;
        }
        let Some(sender) = sender else { return };
        self.names.insert(packet.sadr, sender.clone());
        heard.from = Some(sender.clone());
        let Some(Value::Number(counter)) = reading.of_kind(Kind::Counter) else { return };
        let counter = *counter as u16;
        if self.keyring.keys() == Keys::PerNode {
            self.count_in_session(heard, sender, counter, &judged);
            return;
        }
        let name = match reading.layout.from {
            Sender::Plane => NodeName::new(PLANE),
            Sender::Node => NodeName::new(sender.as_bytes()),
            // Counted in sessions of their own, of which nothing is known here.
            Sender::Operator | Sender::Machine => None,
        };
        let Some(name) = name else { return };
        let verdict = self.window.check(name, counter, (heard.at_ns / 1_000_000) as u32);
        heard.window = Some(verdict);
        if verdict.accepted()
            && let Some(last) = self.count(sender, counter)
            && verdict == Verdict::Newer
        {
            heard.lost = counter.wrapping_sub(last).saturating_sub(1);
        }
    }

    /// In a session each direction has a counter of its own, and the session tells what is old.
    fn count_in_session(
        &mut self,
        heard: &mut Heard,
        sender: String,
        counter: u16,
        judged: &Judged,
    ) {
        let (Some(old), Some(node)) = (judged.old, judged.node) else { return };
        heard.window = Some(if old { Verdict::Replayed } else { Verdict::Newer });
        if old {
            return;
        }
        if let Some(last) = self.count(format!("{sender} {node}"), counter) {
            let ahead = counter.wrapping_sub(last);
            // A new session begins anew.
            heard.lost = if ahead <= WINDOW { ahead.saturating_sub(1) } else { 0 };
        }
    }

    /// Notes a counter and gives the last one.
    fn count(&mut self, sender: String, counter: u16) -> Option<u16> {
        let room = self.counters.len() < MAX_SENDERS || self.counters.contains_key(&sender);
        if room { self.counters.insert(sender, counter) } else { None }
    }
}

/// A first frame may well be mistaken for a later one: only types that exist break a packet off.
fn known_type(typ: u8) -> bool {
    Layout::of(typ).is_some() || oberon_net::name(typ).is_some_and(|_| typ > 7)
}

fn take_apart(frame: &Captured) -> Option<frame::Decoded> {
    if frame.flags.has(Flags::TRUNCATED) {
        return None;
    }
    let address_bytes = frame.address_bytes.map_or(ADDRESS_BYTES, usize::from);
    let control = if frame.flags.has(Flags::CONTROL_KNOWN) {
        frame.flags.has(Flags::CONTROL)
    } else {
        frame.bits.len() % 8 == 1
    };
    let around = address_bytes * 8 + if control { 9 } else { 0 } + CrcMode::Crc16.bits();
    let payload_bits = frame.bits.len().checked_sub(around)?;
    if payload_bits % 8 != 0 {
        return None;
    }
    let payload = PayloadLength::Static(payload_bits / 8);
    let format = Format { address_bytes, control, payload, crc: CrcMode::Crc16 };
    frame::decode(&frame.frame_bits(), &format).ok()
}

#[cfg(test)]
mod tests;
