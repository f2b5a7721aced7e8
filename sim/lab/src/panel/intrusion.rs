//! The intruder at the panel: what it sends, when, and what came of it. As on the published page
//! (spec/kube.md 7.7) it sends right after the next three assignments of the plane to its victim.

use kube_proto::message::{Body, Message};
use kube_proto::packet::Packet;
use kube_sniff::decoder::Heard;
use kube_sniff::reading::Value;

use crate::scenario::forgery::{ANSWERS_MS, ASSIGNMENT_MS, Forgery, REACTION_MS, genuine};

const MS: u64 = 1_000_000;
/// Frames of one intrusion.
pub const TIMES: u32 = 3;

/// Forgeries by their keys: those of the published page, and a node that poses as the plane.
pub const INTRUSIONS: [(char, Forgery); 5] = [
    ('6', Forgery::ForeignTag),
    ('7', Forgery::WrongKey),
    ('8', Forgery::Recording),
    ('9', Forgery::Node),
    ('0', Forgery::Signed),
];

/// What an intruder waits for. Times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The plane's next assignment to the victim.
    Assignment { until_ns: u64 },
    /// The answers to it, which would collide.
    Answers { until_ns: u64 },
    /// What the victim does.
    Reaction { until_ns: u64 },
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A frame goes out.
    Send,
    /// It is over; what came of it.
    Over(String),
}

/// An intruder at work.
#[derive(Clone, Debug)]
pub struct Intrusion {
    /// What it sends.
    pub forgery: Forgery,
    /// The node that is meant.
    pub victim: String,
    phase: Phase,
    sent: u32,
    /// The list that it orders, and the plane's.
    forged: Option<Vec<u8>>,
    assigned: Option<Vec<u8>>,
    obeyed: bool,
}

impl Intrusion {
    /// Begins at a moment.
    #[must_use]
    pub const fn new(forgery: Forgery, victim: String, now_ns: u64) -> Self {
        let phase = Phase::Assignment { until_ns: now_ns + ASSIGNMENT_MS * MS };
        let (sent, forged, assigned, obeyed) = (0, None, None, false);
        Self { forgery, victim, phase, sent, forged, assigned, obeyed }
    }

    /// Takes a frame in.
    pub fn hear(&mut self, heard: &Heard) {
        let Some(reading) = heard.reading().filter(|_| genuine(heard)) else { return };
        let (true, Some(Value::Ids(ids))) =
            (reading.node() == Some(&self.victim), reading.get("ids"))
        else {
            return;
        };
        match (heard.kind(), self.phase) {
            ("assignment", phase) => {
                self.assigned = Some(ids.clone());
                if let Phase::Assignment { .. } = phase {
                    self.phase = Phase::Answers { until_ns: heard.at_ns + ANSWERS_MS * MS };
                }
            }
            ("heartbeat", _) => {
                let forged = self.forged.as_ref() == Some(ids);
                self.obeyed |= forged && self.assigned.as_ref() != Some(ids);
            }
            _ => {}
        }
    }

    /// A frame went out.
    pub fn sent(&mut self, payload: &[u8], now_ns: u64) {
        self.sent += 1;
        self.phase = Phase::Reaction { until_ns: now_ns + REACTION_MS * MS };
        let message = Packet::parse(payload).ok().and_then(|packet| Message::parse(&packet).ok());
        self.forged = message.and_then(|message| match message.body {
            Body::Assignment(pods) => Some(pods.ids.as_bytes().to_vec()),
            _ => None,
        });
    }

    /// What is to be done at a moment.
    pub fn due(&mut self, now_ns: u64) -> Option<Deed> {
        let Self { forgery, victim, sent, .. } = self;
        match self.phase {
            Phase::Assignment { until_ns } if now_ns >= until_ns => {
                Some(Deed::Over(format!("{victim} was assigned nothing for 5 s: is the plane on?")))
            }
            Phase::Answers { until_ns } if now_ns >= until_ns => Some(Deed::Send),
            Phase::Reaction { until_ns } if now_ns >= until_ns && *sent == TIMES => {
                let what = if self.obeyed { "obeyed" } else { "kept its pods" };
                Some(Deed::Over(format!("{victim} {what}: {forgery}, {sent} times")))
            }
            Phase::Reaction { until_ns } if now_ns >= until_ns => {
                self.phase = Phase::Assignment { until_ns: now_ns + ASSIGNMENT_MS * MS };
                None
            }
            _ => None,
        }
    }
}
