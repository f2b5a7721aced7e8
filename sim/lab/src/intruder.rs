//! Somebody else on the air: forged messages (the published table, spec/kube.md 7.3, rows 7 to 7e)
//! and recordings of every age. Judged from the air: a node that obeys reports another list, and a
//! plane that believes a dead node assigns pods to it.

use kube_boards::fleet::{Fleet, Keys};
use kube_modules::System;
use kube_proto::key::{Key, Tag};
use kube_proto::layout::Role;
use kube_proto::message::{Body, Greeting, Ids, Message, NodeName, NodePods};
use kube_proto::packet::Packet;
use kube_proto::{session, signature};
use kube_sniff::decoder::State;

use crate::recovery::{Cluster, Outcome, RecoveryError, fleet};

/// After an intrusion: a node that obeys has said so by then.
const REACTION_MS: u64 = 1_500;
/// The same for one recording: a changed list is reported at once.
const GLANCE_MS: u64 = 250;
/// Times that each forgery is sent, right after an assignment of the plane.
const ROUNDS: usize = 3;
/// Recordings of a kind that are tried in one situation.
const TRIED: usize = 12;

/// What somebody else sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgery {
    /// 7a: another cluster's tag, the right key.
    ForeignTag,
    /// 7b: the right tag, a key of zeros.
    WrongKey,
    /// 7c: a genuine assignment of the same node, an earlier one with another list.
    Recording,
    /// With a key for each node: by a node that has only its own key.
    OtherNode,
    /// With a key for each node: with the node's key, but outside the session.
    NoSession,
    /// Another station of the node's name says what it runs.
    NameTaken,
    /// 7d, the control: all is right.
    Genuine,
}

impl Forgery {
    /// All that must change nothing.
    pub const REFUSED: [Self; 6] = [
        Self::ForeignTag,
        Self::WrongKey,
        Self::Recording,
        Self::OtherNode,
        Self::NoSession,
        Self::NameTaken,
    ];
}

/// What came of a forgery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intrusion {
    /// What was sent.
    pub forgery: Forgery,
    /// The node reported another list than before.
    pub obeyed: bool,
}

/// What came of a run with an intruder.
#[derive(Clone, Debug, Default)]
pub struct Intrusions {
    /// Each forgery in turn, the control last.
    pub all: Vec<Intrusion>,
    /// Messages of the machines so far without a right signature.
    pub bad: u64,
    /// Milliseconds until the cluster had converged again after the control.
    pub healed_ms: u64,
    /// What the node says of refused messages, by reason.
    pub node_says: String,
    /// The same of the plane.
    pub plane_says: String,
}

struct Intruder<'a> {
    cluster: Cluster,
    fleet: &'a Fleet,
    victim: &'static str,
}

fn name(node: &str) -> NodeName {
    NodeName::new(node.as_bytes()).unwrap_or_default()
}

fn message(payload: &[u8]) -> Option<Message> {
    Message::parse(&Packet::parse(payload).ok()?).ok()
}

fn list(node: &str, ids: &[u8]) -> NodePods {
    NodePods { node: name(node), ids: Ids::new(ids).unwrap_or_default() }
}

impl Intruder<'_> {
    /// Recordings of a body's kind for the victim, or by it, the oldest first.
    fn recordings(&self, wanted: impl Fn(&Body) -> bool) -> Vec<([u8; 32], Message)> {
        let frames = self.cluster.recorded().iter();
        let messages = frames.filter_map(|heard| {
            let payload: [u8; 32] = heard.payload.as_slice().try_into().ok()?;
            Some((payload, message(&payload)?))
        });
        let ours = |message: &Message| {
            wanted(&message.body) && message.body.node() == Some(&name(self.victim))
        };
        messages.filter(|(_, message)| ours(message)).collect()
    }

    /// What the victim said last that it runs.
    fn reported(&self) -> Vec<u8> {
        let view = self.cluster.observer().cluster().nodes().get(self.victim);
        view.and_then(|view| view.reported.as_ref()).map_or(Vec::new(), |said| said.ids.clone())
    }

    /// Assignments that the node was given and that are not the one it has.
    fn differing(&self) -> Vec<[u8; 32]> {
        let now = self.reported();
        let other =
            |body: &Body| matches!(body, Body::Assignment(pods) if pods.ids.as_bytes() != now);
        self.recordings(other).into_iter().map(|(payload, _)| payload).collect()
    }

    /// Key and count with which the plane would sign its next but one message to the node.
    fn next(&self) -> (Option<Key>, u32) {
        if self.fleet.keys == Keys::PerNode {
            let session = self.cluster.observer().keyring().session(&name(self.victim));
            let current = session.and_then(|session| session.current(Role::Plane));
            return current.map_or((None, 0), |(key, count)| (Some(key), count + 2));
        }
        // All messages of the plane count: specs and those to other nodes.
        let frames = self.cluster.recorded().iter().rev();
        let mut messages = frames.filter_map(|frame| message(&frame.payload));
        let last = messages.find(|message| message.body.layout().from == Role::Plane);
        (Some(self.fleet.key()), u32::from(last.map_or(0, |last| last.counter)) + 2)
    }

    fn forged(&self, forgery: Forgery) -> Vec<[u8; 32]> {
        let empty = Body::Assignment(list(self.victim, &[]));
        let (tag, (right, count)) = (self.fleet.tag(), self.next());
        let right = right.unwrap_or_default();
        let sign = |tag, body, key: &Key| match self.fleet.keys {
            Keys::Shared => signature::sign(tag, body, count as u16, key),
            Keys::PerNode => session::sign(tag, body, count, key),
        };
        let own = |node: &str| self.fleet.key().of_node(node.as_bytes());
        let made = match forgery {
            Forgery::ForeignTag => sign(Tag(tag.0 % 255 + 1), empty, &right),
            Forgery::WrongKey => sign(tag, empty, &Key::default()),
            Forgery::Recording => return self.differing().into_iter().rev().take(1).collect(),
            Forgery::OtherNode => sign(tag, empty, &own("node2")),
            Forgery::NoSession => sign(tag, empty, &own(self.victim)),
            Forgery::NameTaken if self.fleet.keys == Keys::PerNode => {
                let greeting = Greeting { node: name(self.victim), mine: 900_000, yours: 0 };
                signature::sign(tag, Body::Hail(greeting), 0, &own(self.victim))
            }
            Forgery::NameTaken => {
                let beats = self.recordings(|body| matches!(body, Body::Heartbeat(_)));
                let last = beats.last().map_or(0, |(_, message)| message.counter);
                let body = Body::Heartbeat(list(self.victim, &[]));
                signature::sign(tag, body, last.wrapping_sub(9_000), &right)
            }
            Forgery::Genuine => sign(tag, empty, &right),
        };
        vec![made.packet(0x77).emit()]
    }

    /// Waits for the plane's next assignment to the victim.
    fn after_assignment(&mut self) -> Outcome<()> {
        let count = |cluster: &Cluster, victim: &str| {
            let heard = cluster.observer().cluster().nodes().get(victim);
            heard.and_then(|view| view.assigned.as_ref()).map_or(0, |heard| heard.at_ns)
        };
        let (before, victim) = (count(&self.cluster, self.victim), self.victim);
        self.cluster.wait("an assignment", 5_000, |c| count(c, victim) != before).map(drop)
    }

    /// Whether the victim says within a time that it runs something else.
    fn moved(&mut self, ms: u64) -> Outcome<bool> {
        let before = self.reported();
        for _ in 0..ms / 50 {
            self.cluster.run_ms(50)?;
            if self.reported() != before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn intrude(&mut self, forgery: Forgery) -> Outcome<bool> {
        let (mut moved, changes) = (false, self.cluster.changes());
        for _ in 0..ROUNDS {
            self.after_assignment()?;
            let frames = self.forged(forgery);
            if frames.is_empty() {
                let (what, limit_ms) = ("a recording with another list", 0);
                return Err(RecoveryError::Late { what, limit_ms, state: String::new() });
            }
            for frame in frames {
                self.cluster.intrude(&frame);
                self.cluster.run_ms(10)?;
            }
            moved |= self.moved(REACTION_MS)?;
        }
        // A name taken twice deceives the plane, not the node.
        Ok(moved || self.cluster.changes() != changes)
    }

    fn says(&mut self, machine: &str) -> Outcome<String> {
        self.cluster.command(machine, "KubeNet.Show");
        self.cluster.run_ms(500)?;
        let station = self.cluster.world().station(machine);
        let log = station.map(|station| station.log().to_owned()).unwrap_or_default();
        let line = log.lines().rev().find(|line| line.contains("kubenet: refused"));
        Ok(line.unwrap_or_default().trim().to_owned())
    }
}

/// Rows 7 to 7e: a cluster with a busy node, six forgeries that must change nothing, one signed order
/// that is obeyed, and the way back.
///
/// # Errors
/// [`RecoveryError`] if the cluster does not form or heal, or there is nothing to play again.
pub fn intrusions(system: &System, keys: Keys, seed: u64) -> Outcome<Intrusions> {
    let fleet = fleet(keys)?;
    let mut cluster = Cluster::formed(system, keys, seed)?;
    for pods in [6, 4] {
        // So that there is something to play again.
        cluster.command("plane", &format!("Kube.Apply web {pods} Ticker"));
        cluster.converge(pods)?;
    }
    cluster.any_moment()?;
    let count = |state| cluster.observer().statistics().count(state);
    let bad = count(State::Bad) + count(State::Foreign);
    let mut intruder = Intruder { cluster, fleet: &fleet, victim: "node1" };
    let mut found = Intrusions { bad, ..Intrusions::default() };
    for forgery in Forgery::REFUSED {
        let known = matches!(forgery, Forgery::OtherNode | Forgery::NoSession);
        if keys == Keys::PerNode || !known {
            let obeyed = intruder.intrude(forgery)?;
            found.all.push(Intrusion { forgery, obeyed });
        }
    }
    (found.node_says, found.plane_says) = (intruder.says("node1")?, intruder.says("plane")?);
    let obeyed = intruder.intrude(Forgery::Genuine)?;
    found.all.push(Intrusion { forgery: Forgery::Genuine, obeyed });
    found.healed_ms = intruder.cluster.converge(4)?;
    Ok(found)
}

/// Recordings played again, and those that were believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replays {
    /// Sent.
    pub tried: usize,
    /// A node obeyed, or the plane took a dead node for alive.
    pub accepted: usize,
}

impl Intruder<'_> {
    /// Lists that the node has taken, as its log says: one that has not found the plane yet cannot
    /// say so on the air.
    fn orders(&mut self) -> usize {
        let station = self.cluster.world().station(self.victim);
        station.map_or(0, |station| station.log().matches("kubelet node1:").count())
    }

    /// Plays assignments again one by one, from all ages.
    fn replay_to_node(&mut self, found: &mut Replays) -> Outcome<()> {
        let all = self.differing();
        for frame in all.iter().step_by((all.len() / TRIED).max(1)) {
            self.cluster.intrude(frame);
            found.tried += 1;
            let orders = self.orders();
            let moved = self.moved(GLANCE_MS)?;
            found.accepted += usize::from(moved || self.orders() != orders);
        }
        Ok(())
    }

    /// Plays what the victim said again while it is off; each run of the plane counts once.
    fn replay_to_plane(&mut self, found: &mut Replays) -> Outcome<()> {
        let said = self.recordings(|body| body.layout().from == Role::Node);
        let assigned = |cluster: &Cluster, victim: &str| {
            let view = cluster.observer().cluster().nodes().get(victim);
            view.and_then(|view| view.assigned.as_ref()).map_or(0, |heard| heard.at_ns)
        };
        for (frame, _) in said.iter().step_by((said.len() / TRIED).max(1)) {
            let before = assigned(&self.cluster, self.victim);
            self.cluster.intrude(frame);
            self.cluster.run_ms(GLANCE_MS)?;
            found.tried += 1;
            found.accepted += usize::from(assigned(&self.cluster, self.victim) != before);
        }
        Ok(())
    }

    fn cut_off(&mut self, machine: &str, cut_off: bool) {
        let world = self.cluster.world();
        if let Some(id) = world.station(machine).map(|station| station.id) {
            world.air_mut().set_cut_off(id, cut_off);
        }
    }

    fn restart(&mut self, machine: &str) -> Outcome<()> {
        self.cluster.power_off(machine);
        self.cluster.run_ms(500)?;
        self.cluster.power_on(machine);
        self.cluster.run_ms(3_000)
    }
}

/// Plays recordings of every age: to a node and a plane that hear each other, that have not heard
/// each other for a while, and that have just started, alone or both.
///
/// # Errors
/// [`RecoveryError`] if the cluster does not form or heal.
pub fn replays(system: &System, keys: Keys, seed: u64) -> Outcome<Replays> {
    let fleet = fleet(keys)?;
    let cluster = Cluster::formed(system, keys, seed)?;
    let mut intruder = Intruder { cluster, fleet: &fleet, victim: "node1" };
    let mut found = Replays::default();
    for pods in [2, 6, 4] {
        // Lists of several kinds, some seconds old.
        intruder.cluster.command("plane", &format!("Kube.Apply web {pods} Ticker"));
        intruder.cluster.run_ms(3_000)?;
    }
    intruder.cluster.converge(4)?;
    intruder.replay_to_node(&mut found)?;
    // The plane falls silent.
    intruder.cut_off("plane", true);
    intruder.cluster.run_ms(6_000)?;
    intruder.replay_to_node(&mut found)?;
    intruder.restart("node1")?;
    intruder.replay_to_node(&mut found)?;
    intruder.restart("plane")?;
    intruder.replay_to_node(&mut found)?;
    intruder.cut_off("plane", false);
    intruder.cluster.converge(4)?;
    intruder.restart("node1")?;
    intruder.cluster.converge(4)?;
    intruder.replay_to_node(&mut found)?;
    // The node dies, and its voice goes on.
    intruder.cluster.power_off("node1");
    intruder.cluster.run_ms(9_000)?;
    intruder.replay_to_plane(&mut found)?;
    intruder.restart("plane")?;
    intruder.cluster.run_ms(8_000)?;
    intruder.replay_to_plane(&mut found)?;
    intruder.cluster.power_on("node1");
    intruder.cluster.run_ms(8_000)?;
    intruder.cluster.converge(4)?;
    Ok(found)
}
