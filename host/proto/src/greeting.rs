//! How a plane and a node agree upon a session, and what each accepts from the other: the rules of
//! `oberon/kube/Peers.Mod` for one pair (plane and node, or machine and operator), for tools that take part and for tests that play one side.
//! Times are a millisecond clock that may wrap. Source: docs/decisions/0006.

use crate::key::{Key, Tag};
use crate::layout::Sender;
use crate::message::{Body, Greeting, Message, NodeName};
use crate::session::{self, Numbers};
use crate::signature;

/// Who was unheard for longer must agree anew, in milliseconds.
pub const MEMORY_MS: u32 = 5_000;
/// Who was heard within this is there and is not replaced, in milliseconds.
pub const ALIVE_MS: u32 = 1_500;
/// Between two greetings of one's own accord, and between two answers to greetings that answer
/// nothing themselves, in milliseconds.
pub const HUSH_MS: u32 = 250;

/// Judgement of a message of the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// To be used.
    Good,
    /// The code does not fit.
    Unsigned,
    /// Signed, and not ahead of the last one; or a greeting that answers nothing.
    Old,
    /// There is no session, or the other side was unheard for too long.
    Unmet,
    /// A greeting without our number while the other side is there.
    Taken,
    /// Another cluster, another node, or not from the other side.
    Foreign,
}

#[derive(Clone, Copy, Debug)]
struct Session {
    mine: u32,
    theirs: u32,
    key: Key,
    sent: u32,
    heard: u32,
    at_ms: u32,
}

/// One side of a pair.
#[derive(Clone, Debug)]
pub struct Endpoint {
    sender: Sender,
    tag: Tag,
    node: NodeName,
    key: Key,
    session: Option<Session>,
    number: u32,
    next: Option<u32>,
    greeted_ms: Option<u32>,
    answered_ms: Option<u32>,
}

/// Whether the last time is too near; if not, now is the last time.
fn hushed(last_ms: &mut Option<u32>, now_ms: u32) -> bool {
    let hushed = last_ms.is_some_and(|at| now_ms.wrapping_sub(at) < HUSH_MS);
    if !hushed {
        *last_ms = Some(now_ms);
    }
    hushed
}

impl Endpoint {
    /// A side without session. `key` is the node's; numbers are given from `number + 1` on and must
    /// never have been given before under that key.
    #[must_use]
    pub const fn new(sender: Sender, tag: Tag, node: NodeName, key: Key, number: u32) -> Self {
        let (session, next, greeted_ms, answered_ms) = (None, None, None, None);
        Self { sender, tag, node, key, session, number, next, greeted_ms, answered_ms }
    }

    /// Numbers of the session last agreed upon.
    #[must_use]
    pub fn numbers(&self) -> Option<Numbers> {
        let Session { mine, theirs, .. } = self.session?;
        Some(match self.sender {
            Sender::Plane | Sender::Machine => Numbers { plane: mine, node: theirs },
            Sender::Node | Sender::Operator => Numbers { plane: theirs, node: mine },
        })
    }

    fn trusted(&self, now_ms: u32) -> Option<&Session> {
        self.session.as_ref().filter(|s| now_ms.wrapping_sub(s.at_ms) <= MEMORY_MS)
    }

    /// The other side is known to use the session.
    #[must_use]
    pub fn settled(&self, now_ms: u32) -> bool {
        self.trusted(now_ms).is_some_and(|session| session.heard > 0)
    }

    /// A message of this side; `None` before the first session.
    pub fn seal(&mut self, body: Body) -> Option<Message> {
        let session = self.session.as_mut()?;
        session.sent += 1;
        Some(session::sign(self.tag, body, session.sent, &session.key))
    }

    /// Leaves out counts, as if messages had been lost.
    pub fn skip(&mut self, messages: u32) {
        if let Some(session) = &mut self.session {
            session.sent += messages;
        }
    }

    fn greeting(&self, mine: u32, yours: u32) -> Message {
        let greeting = Greeting { node: self.node, mine, yours };
        let body = match self.sender {
            Sender::Plane => Body::Welcome(greeting),
            Sender::Node => Body::Hail(greeting),
            Sender::Operator => Body::Call(greeting),
            Sender::Machine => Body::Reply(greeting),
        };
        signature::sign(self.tag, body, 0, &self.key)
    }

    fn prepared(&mut self) -> u32 {
        *self.next.get_or_insert_with(|| {
            self.number += 1;
            self.number
        })
    }

    /// A greeting of this side's own accord; `None` so soon after the last one.
    pub fn greet(&mut self, now_ms: u32) -> Option<Message> {
        if hushed(&mut self.greeted_ms, now_ms) {
            return None;
        }
        let trusted = self.trusted(now_ms).map(|session| session.mine);
        let mine = trusted.unwrap_or_else(|| self.prepared());
        Some(self.greeting(mine, self.session.map_or(0, |session| session.theirs)))
    }

    fn agree(&mut self, mine: u32, theirs: u32, now_ms: u32) {
        let numbers = match self.sender {
            Sender::Plane | Sender::Machine => Numbers { plane: mine, node: theirs },
            Sender::Node | Sender::Operator => Numbers { plane: theirs, node: mine },
        };
        let key = session::session_key(&self.key, numbers);
        self.next = None;
        self.session = Some(Session { mine, theirs, key, sent: 0, heard: 0, at_ms: now_ms });
    }

    fn answer(&mut self, heard: Greeting, now_ms: u32) -> (Verdict, Option<Message>) {
        let (theirs, was) = (heard.mine, heard.yours);
        if was != 0 && self.next == Some(was) {
            self.agree(was, theirs, now_ms);
            return (Verdict::Good, Some(self.greeting(was, theirs)));
        }
        let session = self.session;
        if let Some(session) = session.filter(|s| theirs != 0 && s.theirs == theirs) {
            let speak = session.mine != was && !hushed(&mut self.answered_ms, now_ms);
            return (Verdict::Good, speak.then(|| self.greeting(session.mine, theirs)));
        }
        let alive = self.trusted(now_ms).is_some_and(|s| now_ms.wrapping_sub(s.at_ms) < ALIVE_MS);
        if !alive || session.is_some_and(|session| was != 0 && session.mine == was) {
            let speak = !hushed(&mut self.answered_ms, now_ms);
            let answer = speak.then(|| {
                let mine = self.prepared();
                self.greeting(mine, theirs)
            });
            return (Verdict::Good, answer);
        }
        (if was == 0 { Verdict::Taken } else { Verdict::Old }, None)
    }

    /// Whether the other side's messages count.
    #[must_use]
    pub fn met(&self, now_ms: u32) -> bool {
        self.trusted(now_ms).is_some()
    }

    /// The greeting of this side's pair, if it is one.
    fn greeting_of(&self, body: &Body) -> Option<Greeting> {
        match (self.sender, *body) {
            (Sender::Plane, Body::Hail(greeting))
            | (Sender::Node, Body::Welcome(greeting))
            | (Sender::Operator, Body::Reply(greeting))
            | (Sender::Machine, Body::Call(greeting)) => Some(greeting),
            _ => None,
        }
    }

    /// Judges a message and, if it is a greeting, answers it.
    pub fn hear(&mut self, message: &Message, now_ms: u32) -> (Verdict, Option<Message>) {
        let layout = message.body.layout();
        let other = message.body.node().is_some_and(|&node| node != self.node);
        if message.tag != self.tag || other || layout.from == self.sender {
            return (Verdict::Foreign, None);
        }
        if let Some(greeting) = self.greeting_of(&message.body) {
            if signature::code(message, &self.key) != message.mac {
                return (Verdict::Unsigned, None);
            }
            return self.answer(greeting, now_ms);
        }
        if self.trusted(now_ms).is_none() {
            return (Verdict::Unmet, None);
        }
        let Some(session) = &mut self.session else { return (Verdict::Unmet, None) };
        let count = session::nearest(session.heard, message.counter);
        if session::code(message, count, &session.key) != message.mac {
            return (Verdict::Unsigned, None);
        }
        if count.wrapping_sub(session.heard).cast_signed() <= 0 {
            return (Verdict::Old, None);
        }
        (session.heard, session.at_ms) = (count, now_ms);
        (Verdict::Good, None)
    }
}

#[cfg(test)]
#[path = "greeting_tests.rs"]
mod tests;
