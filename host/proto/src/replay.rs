//! The counter window against replayed messages: accept what is newer than the last accepted
//! message of the same sender, and relearn a sender that was silent for a while (it may have
//! restarted with another counter). Source: spec/kube.md 3.4.
//!
//! The check belongs behind length, tag and code: a forged message must not move a counter.
//! Where the published rule overwrites the first entry once 32 senders are known, so that a large
//! cluster forgets the same place again and again, this one overwrites the sender that was silent
//! longest.

use crate::message::NodeName;

/// A sender silent for longer than this is learnt anew, in milliseconds.
pub const RELEARN_MS: u32 = 5_000;
/// Senders remembered.
pub const SENDERS: usize = 32;
/// A counter is newer if it is ahead of the last one by 1 to this many, modulo 65536.
pub const WINDOW: u16 = 32_767;
/// The name under which all messages of the plane are counted. No node can bear it.
pub const PLANE: &[u8; 6] = b"*plane";

/// Judgement of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// First message of an unknown sender: accepted.
    New,
    /// Newer than the last: accepted.
    Newer,
    /// Not newer, but the sender was silent for more than 5 s: accepted.
    Relearned,
    /// Not newer: refused.
    Replayed,
}

impl Verdict {
    /// The message is to be used.
    pub const fn accepted(self) -> bool {
        !matches!(self, Verdict::Replayed)
    }
}

#[derive(Clone, Copy, Debug)]
struct Last {
    name: NodeName,
    last: u16,
    at_ms: u32,
}

/// Last counters of up to [`SENDERS`] senders. Times are a millisecond clock that may wrap.
#[derive(Clone, Debug, Default)]
pub struct ReplayWindow {
    senders: [Option<Last>; SENDERS],
}

impl ReplayWindow {
    /// Knows nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges a counter and, if it is accepted, remembers it with its time.
    pub fn check(&mut self, sender: NodeName, counter: u16, now_ms: u32) -> Verdict {
        let place = self.place(&sender, now_ms);
        let verdict = match self.senders[place] {
            Some(known) if known.name == sender => {
                if (1..=WINDOW).contains(&counter.wrapping_sub(known.last)) {
                    Verdict::Newer
                } else if now_ms.wrapping_sub(known.at_ms) > RELEARN_MS {
                    Verdict::Relearned
                } else {
                    Verdict::Replayed
                }
            }
            _ => Verdict::New,
        };
        if verdict.accepted() {
            self.senders[place] = Some(Last { name: sender, last: counter, at_ms: now_ms });
        }
        verdict
    }

    /// Where `name` stands, or else a free place, or else the one silent longest.
    fn place(&self, name: &NodeName, now_ms: u32) -> usize {
        let found = self.senders.iter().position(|s| s.is_some_and(|s| s.name == *name));
        let free = || self.senders.iter().position(Option::is_none);
        let silent = |s: &Option<Last>| s.map_or(u32::MAX, |s| now_ms.wrapping_sub(s.at_ms));
        let oldest = || (0..SENDERS).rev().max_by_key(|&i| silent(&self.senders[i])).unwrap_or(0);
        found.or_else(free).unwrap_or_else(oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(n: u8) -> NodeName {
        NodeName::new(&[b'n', n]).expect("short")
    }

    #[test]
    fn newer_is_1_to_32767_ahead() {
        for (new, verdict) in [
            (100, Verdict::Replayed),
            (101, Verdict::Newer),
            (100 + 32_767, Verdict::Newer),
            (100 + 32_768, Verdict::Replayed),
            (99, Verdict::Replayed),
        ] {
            let mut window = ReplayWindow::new();
            assert_eq!(window.check(name(1), 100, 0), Verdict::New);
            assert_eq!(window.check(name(1), new, 1), verdict, "{new}");
        }
        let mut window = ReplayWindow::new();
        window.check(name(1), 65_535, 0);
        assert_eq!(window.check(name(1), 0, 1), Verdict::Newer);
    }

    #[test]
    fn a_silent_sender_is_learnt_anew_after_more_than_5_s() {
        let mut window = ReplayWindow::new();
        let start = u32::MAX - 100;
        window.check(name(1), 500, start);
        assert_eq!(window.check(name(1), 7, start.wrapping_add(5_000)), Verdict::Replayed);
        assert_eq!(window.check(name(1), 7, start.wrapping_add(5_001)), Verdict::Relearned);
        assert_eq!(window.check(name(1), 7, start.wrapping_add(5_002)), Verdict::Replayed);
    }

    #[test]
    fn a_refused_message_does_not_prolong_the_memory() {
        let mut window = ReplayWindow::new();
        window.check(name(1), 500, 0);
        for at in (100..=5_000).step_by(100) {
            assert_eq!(window.check(name(1), 400, at), Verdict::Replayed);
        }
        assert_eq!(window.check(name(1), 400, 5_001), Verdict::Relearned);
    }

    #[test]
    fn senders_do_not_mix() {
        let mut window = ReplayWindow::new();
        window.check(name(1), 500, 0);
        assert_eq!(window.check(name(2), 3, 1), Verdict::New);
        assert_eq!(window.check(name(1), 3, 2), Verdict::Replayed);
    }

    #[test]
    fn a_full_table_forgets_the_sender_silent_longest() {
        let mut window = ReplayWindow::new();
        for n in 0..32 {
            window.check(name(n), 10, u32::from(n));
        }
        window.check(name(0), 11, 40);
        assert_eq!(window.check(name(200), 1, 41), Verdict::New);
        assert_eq!(window.check(name(0), 5, 42), Verdict::Replayed, "still known");
        assert_eq!(window.check(name(1), 5, 43), Verdict::New, "the oldest was forgotten");
    }
}
