//! A plane and a node as a listener sees them that has the node's key and says nothing: it takes
//! sessions from greetings and judges what is said under them. A listener that came late needs one
//! greeting; a node repeats its own every 16 heartbeats. It cannot ask, so a recording of a
//! session that it has not heard of deceives it, other than those who take part.

use crate::key::{Key, Tag};
use crate::layout::Sender;
use crate::message::{Body, Message};
use crate::session::{self, Numbers};
use crate::signature;

/// Sessions remembered of one node.
const SESSIONS: usize = 8;
/// Turns of the counter searched for a sender's first message: a year at two a second.
const TURNS: u32 = 1_000;

/// What can be said of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// Signed, and not heard before.
    Ok,
    /// Signed, and not ahead of what was heard: a recording.
    Old,
    /// No session that was heard of has this code; or a greeting is not signed with the node's key.
    Unknown,
    /// No session was heard of yet: nothing can be said.
    Unmet,
    /// A greeting or message of another cluster.
    Foreign,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    numbers: Numbers,
    key: Key,
    /// Last counts of plane and node.
    last: [Option<u32>; 2],
}

/// The sessions of a plane with one node.
#[derive(Clone, Debug)]
pub struct Overheard {
    tag: Tag,
    key: Key,
    /// The newest first.
    known: [Option<Known>; SESSIONS],
}

impl Overheard {
    /// Has heard nothing. `key` is the node's.
    #[must_use]
    pub const fn new(tag: Tag, key: Key) -> Self {
        Self { tag, key, known: [None; SESSIONS] }
    }

    fn learn(&mut self, numbers: Numbers) {
        let known = self.known.iter().flatten().any(|known| known.numbers == numbers);
        if !known && numbers.plane != 0 && numbers.node != 0 {
            self.known.rotate_right(1);
            let key = session::session_key(&self.key, numbers);
            self.known[0] = Some(Known { numbers, key, last: [None; 2] });
        }
    }

    /// Key of the newest session that a side has used, and that side's last count in it.
    #[must_use]
    pub fn current(&self, from: Sender) -> Option<(Key, u32)> {
        let from = usize::from(from == Sender::Node);
        self.known.iter().flatten().find_map(|known| Some((known.key, known.last[from]?)))
    }

    /// Judges a message of this node, or of the plane to it.
    pub fn hear(&mut self, message: &Message) -> Judgement {
        if message.tag != self.tag {
            return Judgement::Foreign;
        }
        if let Body::Hail(greeting) | Body::Welcome(greeting) = message.body {
            if signature::code(message, &self.key) != message.mac {
                return Judgement::Unknown;
            }
            self.learn(match message.body {
                Body::Hail(_) => Numbers { plane: greeting.yours, node: greeting.mine },
                _ => Numbers { plane: greeting.mine, node: greeting.yours },
            });
            return Judgement::Ok;
        }
        let from = usize::from(message.body.layout().from == Sender::Node);
        let mut superseded = false;
        for known in self.known.iter_mut().flatten() {
            if let Some(count) = known.count(message, from) {
                let newer = known.last[from].is_none_or(|last| count > last);
                if superseded || !newer {
                    return Judgement::Old;
                }
                known.last[from] = Some(count);
                return Judgement::Ok;
            }
            superseded |= known.last[from].is_some();
        }
        if self.known[0].is_none() { Judgement::Unmet } else { Judgement::Unknown }
    }
}

impl Known {
    /// The count under which the message is signed in this session.
    fn count(&self, message: &Message, from: usize) -> Option<u32> {
        let fits = |&count: &u32| session::code(message, count, &self.key) == message.mac;
        match self.last[from] {
            Some(last) => Some(session::nearest(last, message.counter)).filter(fits),
            None => {
                (0..TURNS).map(|turn| turn << 16 | u32::from(message.counter)).find(|c| fits(c))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::greeting::Endpoint;
    use crate::message::{Ids, NodeName, NodePods};

    fn pair() -> (Endpoint, Endpoint, Overheard) {
        let (tag, key) = (Tag(20), Key([3; 8]));
        let node = NodeName::new(b"node1").expect("short");
        let side = |sender| Endpoint::new(sender, tag, node, key, 0);
        (side(Sender::Plane), side(Sender::Node), Overheard::new(tag, key))
    }

    /// The node greets, and both agree; the listener hears of it from the greeting `from` on.
    fn agree(pair: &mut (Endpoint, Endpoint, Overheard), now_ms: u32, from: usize) {
        let (plane, node, listener) = pair;
        let mut said = node.greet(now_ms);
        for at in 0..10 {
            let Some(message) = said else { break };
            if at >= from {
                assert_eq!(listener.hear(&message), Judgement::Ok);
            }
            let to = if at % 2 == 0 { &mut *plane } else { &mut *node };
            said = to.hear(&message, now_ms).1;
        }
        assert_eq!(plane.numbers(), node.numbers());
    }

    fn beat(node: &mut Endpoint) -> Message {
        let name = NodeName::new(b"node1").expect("short");
        let pods = NodePods { node: name, ids: Ids::new(&[]).expect("short") };
        node.seal(Body::Heartbeat(pods)).expect("a session")
    }

    #[test]
    fn who_hears_a_greeting_can_judge_and_knows_recordings() {
        let mut pair = pair();
        agree(&mut pair, 0, 0);
        let first = beat(&mut pair.1);
        assert_eq!(pair.2.hear(&first), Judgement::Ok);
        assert_eq!(pair.2.hear(&first), Judgement::Old);
        agree(&mut pair, 10_000, 0);
        assert_eq!(pair.2.hear(&beat(&mut pair.1)), Judgement::Ok);
        assert_eq!(pair.2.hear(&first), Judgement::Old, "of the session before");
        let forged = Message { counter: 9, ..first };
        assert_eq!(pair.2.hear(&forged), Judgement::Unknown);
    }

    #[test]
    fn who_comes_late_waits_for_a_reminder() {
        let mut pair = pair();
        agree(&mut pair, 0, 9);
        pair.1.skip(200_000);
        assert_eq!(pair.2.hear(&beat(&mut pair.1)), Judgement::Unmet);
        let reminder = pair.1.greet(1_000).expect("a greeting");
        assert_eq!(pair.2.hear(&reminder), Judgement::Ok);
        assert_eq!(pair.2.hear(&beat(&mut pair.1)), Judgement::Ok);
    }
}
