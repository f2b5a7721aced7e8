//! A machine's serial line over the air: bytes of a [`Session`](crate::Session) into frames, and
//! frames into bytes, without input and output. The lines are those of the serial line, so what makes
//! a tool's word true there does so here: a number is done at most once per boot, and what is not
//! answered is asked again.
//!
//! Frames are signed with the operator's key, in a session of machine and operator of which no
//! recording counts (docs/decisions/0006); lines are cut into pieces that several copies complete
//! ([`kube_proto::pieces`]). The machine takes them if the fleet has given it that key
//! (`oberon/kube/Operator.Mod`), and does nothing but run commands then: no blocks, no card.
//!
//! Whoever has a radio calls [`Link::hear`] with each payload that is heard, [`Link::write`] with what
//! the session wants to send, and [`Link::poll`] every few milliseconds; it sends the payloads that
//! come out of that, as packets of 32 bytes on the cluster's channel. `kube_sniff::source` has such
//! radios: a running lab (`sim:`) and a relay (`udp:`), each a `Source` and a `Sink`.
//!
//! ```
//! use kube_proto::key::{Key, Tag};
//! use kube_serial::air::{Link, Target};
//! use kube_serial::{Job, Session};
//!
//! let target = Target::plane(Tag::of("kube")?, Key::parse("8d2f61c07be4935a")?);
//! let mut link = Link::new(target, 0x1234_5678); // at random
//! let mut session = Session::new(0x5F3A_91C2); // at random
//! session.begin(Job::command("Kube.Get")?)?;
//!
//! // Every few milliseconds:
//! let (now_us, mut bytes, mut payloads) = (0, Vec::new(), Vec::new());
//! session.poll(now_us, &link.read(), &mut bytes);
//! link.write(&bytes);
//! link.poll(now_us, &mut payloads);
//! assert_eq!(payloads.len(), 1, "it calls the machine first");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, VecDeque};

use kube_proto::greeting::{Endpoint, Verdict};
use kube_proto::key::{Key, Tag};
use kube_proto::layout::Sender;
use kube_proto::message::{Body, Message, NodeName};
use kube_proto::packet::{FRAME_BYTES, Packet};
use kube_proto::pieces::{Joint, Piece, Pieces};
use kube_proto::replay::PLANE;
use kube_proto::serial::sum;

/// Between two frames: a machine's chip holds three, and a machine of the cluster may want to speak.
const PACE_US: u64 = 3_000;
/// Somebody who looks rarely may send as many frames as would have gone meanwhile.
const BEHIND_US: u64 = 12_000;
/// Who is silent for so long while asked may have restarted: it is called again.
const DOUBT_US: u64 = 800_000;
/// Pieces that wait at most; more are dropped, as if they had been lost.
const WAITING_MAX: usize = 128;
/// Station address of an operator; nothing depends on it.
const ADDRESS: u8 = 0xFE;

/// A payload of the cluster's frames.
pub type Payload = [u8; FRAME_BYTES];

/// The machine that is meant, and the key that it knows the operator by.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The cluster's tag.
    pub tag: Tag,
    /// A node's name, or [`PLANE`].
    pub machine: NodeName,
    /// The operator's key.
    pub key: Key,
}

impl Target {
    /// The control plane of a cluster.
    #[must_use]
    pub fn plane(tag: Tag, key: Key) -> Self {
        Self { tag, machine: NodeName::new(PLANE).unwrap_or_default(), key }
    }

    /// A node; `None` if the name is longer than 6 characters.
    #[must_use]
    pub fn node(tag: Tag, name: &str, key: Key) -> Option<Self> {
        Some(Self { tag, machine: NodeName::new(name.as_bytes())?, key })
    }
}

/// The operator's end.
#[derive(Clone, Debug)]
pub struct Link {
    endpoint: Endpoint,
    line: Vec<u8>,
    waiting: VecDeque<Piece>,
    greetings: Vec<Message>,
    joints: BTreeMap<u8, Joint>,
    received: Vec<u8>,
    next_us: u64,
    heard_us: u64,
}

impl Link {
    /// An end that has heard nothing. `number` is drawn at random: numbers of sessions under one key
    /// must differ.
    #[must_use]
    pub fn new(target: Target, number: u32) -> Self {
        let Target { tag, machine, key } = target;
        let endpoint = Endpoint::new(Sender::Operator, tag, machine, key, number);
        let (line, waiting, greetings, joints, received) = Default::default();
        let (next_us, heard_us) = (0, 0);
        Self { endpoint, line, waiting, greetings, joints, received, next_us, heard_us }
    }

    /// Whether machine and operator have agreed upon a session, and the machine was heard in it lately.
    #[must_use]
    pub fn settled(&self, now_us: u64) -> bool {
        self.endpoint.settled(ms(now_us))
    }

    /// Takes what would go onto a serial line. Only lines with a check are sent.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
            } else if let Some(pieces) = Pieces::of(&std::mem::take(&mut self.line))
                && self.waiting.len() < WAITING_MAX
            {
                self.waiting.extend(pieces);
            }
        }
    }

    /// What has come, as it would come from a serial line.
    pub fn read(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.received)
    }

    /// Takes the payload of a frame that was heard; what is not for this end is passed over.
    pub fn hear(&mut self, now_us: u64, payload: &Payload) {
        let message = Packet::parse(payload).ok().and_then(|packet| Message::parse(&packet).ok());
        let Some(message) = message else { return };
        if !matches!(message.body, Body::Reply(_) | Body::Answer(_)) {
            return;
        }
        let (verdict, answer) = self.endpoint.hear(&message, ms(now_us));
        self.greetings.extend(answer);
        if verdict != Verdict::Good {
            return;
        }
        self.heard_us = now_us;
        if let Body::Answer(piece) = message.body
            && let Some(text) = self.joints.entry(piece.line).or_default().take(&piece)
        {
            let line = format!("{text} *{:08x}\n", sum(text.as_bytes()));
            self.received.extend_from_slice(line.as_bytes());
        }
    }

    /// Appends payloads that are to be sent now.
    pub fn poll(&mut self, now_us: u64, out: &mut Vec<Payload>) {
        let now_ms = ms(now_us);
        let speaks = !self.waiting.is_empty();
        let doubtful = now_us.saturating_sub(self.heard_us) > DOUBT_US;
        if speaks && (doubtful || !self.endpoint.settled(now_ms)) {
            self.greetings.extend(self.endpoint.greet(now_ms));
        }
        out.extend(self.greetings.drain(..).map(|message| message.packet(ADDRESS).emit()));
        if !self.endpoint.met(now_ms) {
            // The session says it all again.
            self.waiting.clear();
        }
        while self.next_us <= now_us
            && let Some(piece) = self.waiting.pop_front()
        {
            let message = self.endpoint.seal(Body::Order(piece));
            out.extend(message.map(|message| message.packet(ADDRESS).emit()));
            self.next_us = self.next_us.max(now_us.saturating_sub(BEHIND_US)) + PACE_US;
        }
    }
}

/// The clock of [`Endpoint`].
fn ms(us: u64) -> u32 {
    (us / 1_000) as u32
}
