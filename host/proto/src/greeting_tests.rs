//! Two sides on an air that loses and delays, with restarts, and somebody who records everything and plays it
//! again. The machines' own module meets the same in `sim/lab`.

use std::vec::Vec;

use super::*;
use crate::message::{Ids, NodePods};

const TAG: Tag = Tag(20);
const KEY: Key = Key([9; 8]);

fn node() -> NodeName {
    NodeName::new(b"node1").expect("short")
}

/// A list that tells messages apart.
fn body(sender: Sender, serial: u32) -> Body {
    let ids = Ids::new(&serial.to_le_bytes()).expect("short");
    let pods = NodePods { node: node(), ids };
    if sender == Sender::Node { Body::Heartbeat(pods) } else { Body::Assignment(pods) }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % n
    }
}

struct Side {
    end: Endpoint,
    accepted: Vec<Message>,
    due_ms: u32,
}

impl Side {
    fn new(sender: Sender, number: u32) -> Self {
        let end = Endpoint::new(sender, TAG, node(), KEY, number);
        Self { end, accepted: Vec::new(), due_ms: 0 }
    }

    /// Power off and on: the numbers go on behind those reserved, all else is forgotten.
    fn restart(&mut self) {
        self.end = Endpoint::new(self.end.sender, TAG, node(), KEY, self.end.number + 256);
    }
}

/// A run of both sides; returns messages replayed, and of these the ones accepted.
struct Play {
    sides: [Side; 2],
    now_ms: u32,
    /// To whom, when, and what.
    under_way: Vec<(usize, u32, Message)>,
    recorded: Vec<(usize, Message)>,
    serial: u32,
    random: Random,
    loss: u64,
}

impl Play {
    fn new(seed: u64) -> Self {
        let sides = [Side::new(Sender::Plane, 0), Side::new(Sender::Node, 0)];
        let (under_way, recorded) = Default::default();
        Self { sides, now_ms: 0, under_way, recorded, serial: 0, random: Random(seed), loss: 30 }
    }

    fn send(&mut self, from: usize, message: Message) {
        self.recorded.push((1 - from, message));
        if self.random.below(100) >= self.loss {
            let delay_ms = self.random.below(150) as u32;
            self.under_way.push((1 - from, self.now_ms + delay_ms, message));
        }
    }

    fn deliver(&mut self, to: usize, message: &Message) -> Verdict {
        let (verdict, answer) = self.sides[to].end.hear(message, self.now_ms);
        let greeting = matches!(message.body, Body::Hail(_) | Body::Welcome(_));
        if verdict == Verdict::Good && !greeting {
            self.sides[to].accepted.push(*message);
        }
        if let Some(answer) = answer {
            self.send(to, answer);
        }
        verdict
    }

    fn tick(&mut self) {
        self.now_ms += 50;
        for side in 0..2 {
            if self.now_ms >= self.sides[side].due_ms {
                self.sides[side].due_ms = self.now_ms + 500;
                self.serial += 1;
                let sender = self.sides[side].end.sender;
                let sealed = self.sides[side].end.seal(body(sender, self.serial));
                let greeting = if self.sides[side].end.settled(self.now_ms) {
                    None
                } else {
                    self.sides[side].end.greet(self.now_ms)
                };
                sealed.into_iter().chain(greeting).for_each(|message| self.send(side, message));
            }
        }
        let now_ms = self.now_ms;
        let due: Vec<_> = self.under_way.extract_if(.., |&mut (_, at, _)| at <= now_ms).collect();
        for (to, _, message) in due {
            self.deliver(to, &message);
        }
    }
}

#[test]
fn two_sides_agree_within_a_second() {
    for seed in 1..=200 {
        let mut play = Play::new(seed);
        play.loss = 0;
        (0..20).for_each(|_| play.tick());
        let settled = play.sides.iter().all(|side| side.end.settled(play.now_ms));
        assert!(settled, "seed {seed}");
        assert_eq!(play.sides[0].end.numbers(), play.sides[1].end.numbers());
    }
}

/// No message is ever accepted twice, whatever is played again, to whom, and when.
#[test]
fn nothing_counts_twice() {
    let mut replayed = 0;
    for seed in 1..=60 {
        let mut play = Play::new(seed);
        for _ in 0..4_000 {
            match play.random.below(400) {
                0 => play.sides[0].restart(),
                1 => play.sides[1].restart(),
                2 => play.now_ms += 6_000,
                // One of them loses the other for a while: 8 s of the air.
                3 => play.loss = 100 - play.loss,
                4 => play.loss = 30,
                5 => play.sides[0].end.skip(20_000),
                _ => {}
            }
            play.tick();
            for _ in 0..3 {
                if !play.recorded.is_empty() {
                    let at = play.random.below(play.recorded.len() as u64) as usize;
                    let (to, message) = play.recorded[at];
                    replayed += 1;
                    play.deliver(to, &message);
                    play.deliver(1 - to, &message);
                }
            }
        }
        for side in &play.sides {
            let mut macs: Vec<_> = side.accepted.iter().map(|m| m.emit()).collect();
            let all = macs.len();
            macs.sort_by_key(|data| std::format!("{data:?}"));
            macs.dedup();
            assert_eq!(macs.len(), all, "seed {seed}: a message was accepted twice");
            let wrong = side.accepted.iter().any(|m| m.body.layout().from == side.end.sender);
            assert!(!wrong, "seed {seed}: its own message");
        }
        // And it is no use as a disturbance either: quiet again, they agree.
        play.loss = 0;
        (0..160).for_each(|_| play.tick());
        assert!(play.sides.iter().all(|side| side.end.settled(play.now_ms)), "seed {seed}");
    }
    assert!(replayed > 100_000);
}

/// What was sent to a station that did not hear it is not accepted later either.
#[test]
fn what_was_missed_does_not_count_after_five_seconds() {
    let mut play = Play::new(1);
    play.loss = 0;
    (0..40).for_each(|_| play.tick());
    let before = play.recorded.len();
    play.loss = 100;
    (0..110).for_each(|_| play.tick());
    let missed: Vec<_> = play.recorded[before..].to_vec();
    assert!(missed.len() > 20);
    for (to, message) in missed {
        let verdict = play.deliver(to, &message);
        let greeting = matches!(message.body, Body::Hail(_) | Body::Welcome(_));
        assert!(verdict == Verdict::Unmet || greeting, "{verdict:?} {message:?}");
    }
}

#[test]
fn counters_come_round_and_old_messages_stay_old() {
    let mut play = Play::new(1);
    play.loss = 0;
    (0..40).for_each(|_| play.tick());
    let early = play.sides[0].accepted.clone();
    for turn in 0..20 {
        play.sides[1].end.skip(30_000);
        (0..11).for_each(|_| play.tick());
        assert!(play.sides[0].end.settled(play.now_ms), "turn {turn}");
        for message in &early {
            assert_ne!(play.deliver(0, message), Verdict::Good);
        }
    }
}

#[test]
fn a_second_station_of_a_name_is_told_that_it_is_taken() {
    let mut play = Play::new(1);
    play.loss = 0;
    (0..40).for_each(|_| play.tick());
    let mut twin = Endpoint::new(Sender::Node, TAG, node(), KEY, 1_000_000);
    let hail = twin.greet(0).expect("a greeting");
    assert_eq!(play.deliver(0, &hail), Verdict::Taken);
    assert!(play.sides[0].end.settled(play.now_ms));
    play.now_ms += ALIVE_MS + 100;
    assert_eq!(play.deliver(0, &hail), Verdict::Good, "nobody is there any more");
}
