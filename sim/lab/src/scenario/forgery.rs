//! What somebody else sends into a cluster (the published table, spec/kube.md 7.3, rows 7 to 7e, and
//! what keys per node add). Made only from what was heard and from the keys that such a one has.

use kube_boards::fleet::{Fleet, Keys};
use kube_proto::key::{Key, Tag};
use kube_proto::layout::Sender;
use kube_proto::message::{Body, Greeting, Ids, Message, NodeName, NodePods};
use kube_proto::packet::Packet;
use kube_proto::{session, signature};
use kube_sniff::decoder::{Heard, State};
use kube_sniff::observer::Observer;

use crate::world::AIR;

const MS: u64 = 1_000_000;
/// After an intrusion: a node that obeys has said so by then, in milliseconds.
pub const REACTION_MS: u64 = 1_500;
/// The plane's next assignment is awaited that long, in milliseconds.
pub const ASSIGNMENT_MS: u64 = 5_000;
/// From an assignment to the last answer of a few nodes to their own.
pub const ANSWERS_MS: u64 = 30;
/// The sender's address of an intruder.
const SADR: u8 = 0x77;

/// What somebody else sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forgery {
    /// Another cluster's tag, the right key (7a).
    ForeignTag,
    /// The right tag, a key of zeros (7b).
    WrongKey,
    /// A genuine assignment of the same node, an earlier one with another list (7c).
    Recording,
    /// A heartbeat that the node sent once.
    Voice,
    /// By another node that poses as the plane. With a key for each node, one has only its own.
    Node,
    /// With a key for each node: with the node's key, but outside the session.
    NoSession,
    /// Another station of the node's name says what it runs.
    NameTaken,
    /// The control: all is right (7d).
    Signed,
    /// These 32 bytes.
    Raw([u8; 32]),
}

impl Forgery {
    /// Those that have a name, with it.
    pub const NAMED: [(Self, &str); 8] = [
        (Self::ForeignTag, "foreign-tag"),
        (Self::WrongKey, "wrong-key"),
        (Self::Recording, "recording"),
        (Self::Voice, "voice"),
        (Self::Node, "node"),
        (Self::NoSession, "no-session"),
        (Self::NameTaken, "name-taken"),
        (Self::Signed, "signed"),
    ];

    /// Whether it takes a key for each node.
    #[must_use]
    pub const fn needs_sessions(&self) -> bool {
        matches!(self, Self::Node | Self::NoSession)
    }

    /// Whether it follows an assignment of the plane at once: it stands until the next one.
    #[must_use]
    pub const fn follows_assignment(&self) -> bool {
        !matches!(self, Self::Voice | Self::Raw(_))
    }

    /// How long one takes at most, in nanoseconds.
    #[must_use]
    pub const fn longest_ns(&self) -> u64 {
        (REACTION_MS + if self.follows_assignment() { ASSIGNMENT_MS + ANSWERS_MS } else { 0 }) * MS
    }

    /// The frame's payload; `None` if there is nothing to play again, or no session yet.
    #[must_use]
    pub fn payload(&self, forger: &Forger<'_>) -> Option<[u8; 32]> {
        let Forger { fleet, victim, .. } = *forger;
        let empty = Body::Assignment(list(victim, &[]));
        let (tag, zeros) = (fleet.tag(), Key::default());
        let made = match self {
            Self::Raw(payload) => return Some(*payload),
            Self::Recording => return forger.differing().pop(),
            Self::Voice => {
                let beats = forger.recordings(|body| matches!(body, Body::Heartbeat(_)));
                return beats.get(beats.len() / 2).map(|(payload, _)| *payload);
            }
            Self::ForeignTag => forger.sign(Tag(tag.0 % 255 + 1), empty, None)?,
            Self::WrongKey => forger.sign(tag, empty, Some(&zeros))?,
            Self::Node => {
                let other = fleet.node_names().find(|name| *name != victim)?;
                forger.sign(tag, empty, Some(&forger.own(other)))?
            }
            Self::NoSession => forger.sign(tag, empty, Some(&forger.own(victim)))?,
            Self::NameTaken if fleet.keys == Keys::PerNode => {
                let greeting = Greeting { node: name(victim), mine: 900_000, yours: 0 };
                signature::sign(tag, Body::Hail(greeting), 0, &forger.own(victim))
            }
            Self::NameTaken => {
                let beats = forger.recordings(|body| matches!(body, Body::Heartbeat(_)));
                let last = beats.last().map_or(0, |(_, message)| message.counter);
                let body = Body::Heartbeat(list(victim, &[]));
                signature::sign(tag, body, last.wrapping_sub(9_000), &fleet.key())
            }
            Self::Signed => forger.sign(tag, empty, None)?,
        };
        Some(made.packet(SADR).emit())
    }
}

impl std::fmt::Display for Forgery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = Self::NAMED.iter().find(|entry| entry.0 == *self);
        f.write_str(name.map_or("raw", |entry| entry.1))
    }
}

/// Somebody who has listened from the beginning.
#[derive(Clone, Copy)]
pub struct Forger<'a> {
    /// What it has heard, the oldest first.
    pub heard: &'a [Heard],
    /// What is known from that.
    pub observer: &'a Observer,
    /// The cluster.
    pub fleet: &'a Fleet,
    /// The node that is meant.
    pub victim: &'a str,
}

/// Whether it was news when it was heard, and of the cluster itself.
#[must_use]
pub fn genuine(heard: &Heard) -> bool {
    heard.state == State::Good
        && heard.counts()
        && heard.interface == AIR
        && heard.packet().is_some_and(|packet| packet.sadr != SADR)
}

pub(crate) fn name(node: &str) -> NodeName {
    NodeName::new(node.as_bytes()).unwrap_or_default()
}

fn message(heard: &Heard) -> Option<([u8; 32], Message)> {
    let payload: [u8; 32] = heard.payload.as_slice().try_into().ok()?;
    Some((payload, Message::parse(&Packet::parse(&payload).ok()?).ok()?))
}

fn list(node: &str, ids: &[u8]) -> NodePods {
    NodePods { node: name(node), ids: Ids::new(ids).unwrap_or_default() }
}

impl Forger<'_> {
    /// What was news when it was heard, the oldest first.
    fn genuine(&self) -> impl DoubleEndedIterator<Item = ([u8; 32], Message)> {
        self.heard.iter().filter(|heard| genuine(heard)).filter_map(message)
    }

    /// Recordings of a body's kind for the victim, or by it, the oldest first.
    pub fn recordings(&self, wanted: impl Fn(&Body) -> bool) -> Vec<([u8; 32], Message)> {
        let victim = name(self.victim);
        let ours =
            |message: &Message| wanted(&message.body) && message.body.node() == Some(&victim);
        self.genuine().filter(|(_, message)| ours(message)).collect()
    }

    /// What the victim said last that it runs.
    pub fn reported(&self) -> Vec<u8> {
        let view = self.observer.cluster().nodes().get(self.victim);
        view.and_then(|view| view.reported.as_ref()).map_or(Vec::new(), |said| said.ids.clone())
    }

    /// Assignments that the node was given and that are not the one it has, the oldest first.
    pub fn differing(&self) -> Vec<[u8; 32]> {
        let now = self.reported();
        let other =
            |body: &Body| matches!(body, Body::Assignment(pods) if pods.ids.as_bytes() != now);
        self.recordings(other).into_iter().map(|(payload, _)| payload).collect()
    }

    fn own(&self, node: &str) -> Key {
        self.fleet.key().of_node(node.as_bytes())
    }

    /// Signed as the plane would sign its next but one message to the node; with another key, if one
    /// is given.
    fn sign(&self, tag: Tag, body: Body, key: Option<&Key>) -> Option<Message> {
        if self.fleet.keys == Keys::PerNode {
            let session = self.observer.keyring().session(&name(self.victim));
            let (right, count) = session.and_then(|session| session.current(Sender::Plane))?;
            return Some(session::sign(tag, body, count + 2, key.unwrap_or(&right)));
        }
        // All messages of the plane count: specs and those to other nodes.
        let mut messages = self.genuine().rev().map(|(_, message)| message);
        let last = messages.find(|message| message.body.layout().from == Sender::Plane)?;
        let right = self.fleet.key();
        Some(signature::sign(tag, body, last.counter.wrapping_add(2), key.unwrap_or(&right)))
    }
}
