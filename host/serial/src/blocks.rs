//! The window over blocks: few are on the way at a time, each is answered by itself, and what got
//! lost is sent again as soon as that is known.
//!
//! The line keeps the order. So when a block is answered, blocks sent before it and not answered
//! were lost, or their answers were: they are sent again at once. The last blocks have none behind
//! them, so there is a time as well, from the moment the line has taken them.

use kube_proto::serial::block::Block;
use kube_proto::serial::{BLOCK_BYTES, FRAME_MAX};

use crate::job::Numbered;
use crate::line_us;

/// Blocks on the way at a time: the next waits in the port's queue while one is on the line and one
/// is served. The machine's ring keeps all of them.
const WINDOW: usize = 3;
/// How long an answer may take once the line has taken the block: a card may be busy for 250 ms.
const PATIENCE_US: u64 = 600_000;
/// Tries for a block that the machine says it cannot put there.
const BAD_MAX: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Sent { order: u64, until_us: u64 },
    There,
}

/// Blocks on their way.
#[derive(Clone, Debug)]
pub struct Blocks {
    blocks: Vec<Numbered>,
    states: Vec<State>,
    order: u64,
    there: usize,
    bad: u32,
}

impl Blocks {
    /// Nothing sent so far.
    #[must_use]
    pub fn new(blocks: Vec<Numbered>) -> Self {
        let states = vec![State::Waiting; blocks.len()];
        Self { blocks, states, order: 0, there: 0, bad: 0 }
    }

    /// Blocks that the machine has, and all of them.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.there, self.blocks.len())
    }

    /// Appends frames while the window has room. `line_free_us` is when the line has taken all that
    /// was sent so far, and is moved on.
    pub fn send(&mut self, session: u32, now_us: u64, line_free_us: &mut u64, out: &mut Vec<u8>) {
        for state in &mut self.states {
            if matches!(state, State::Sent { until_us, .. } if *until_us <= now_us) {
                *state = State::Waiting;
            }
        }
        let on_the_way = self.states.iter().filter(|s| matches!(s, State::Sent { .. })).count();
        let waiting = (self.states.iter_mut().zip(&self.blocks))
            .filter(|(state, _)| **state == State::Waiting);
        for (state, (index, data)) in waiting.take(WINDOW.saturating_sub(on_the_way)) {
            let mut frame = [0; FRAME_MAX];
            let len = Block { session, index: *index, data: **data }.emit(&mut frame);
            // A line end before it ends whatever noise has begun.
            out.push(b'\n');
            out.extend_from_slice(&frame[..len]);
            *line_free_us = (*line_free_us).max(now_us) + line_us(len + 1);
            let until_us = *line_free_us + PATIENCE_US;
            *state = State::Sent { order: self.order, until_us };
            self.order += 1;
        }
    }

    fn place(&self, index: u32) -> Option<usize> {
        self.blocks.iter().position(|(i, _)| *i == index)
    }

    /// The machine has a block.
    pub fn got(&mut self, index: u32) {
        let Some(place) = self.place(index) else { return };
        if let State::Sent { order: answered, .. } = self.states[place] {
            for state in &mut self.states {
                if matches!(state, State::Sent { order, .. } if *order < answered) {
                    *state = State::Waiting;
                }
            }
        }
        if self.states[place] != State::There {
            self.states[place] = State::There;
            self.there += 1;
        }
    }

    /// The machine cannot put a block there; whether it is worth another try.
    pub fn bad(&mut self, index: u32) -> bool {
        self.bad += 1;
        if let Some(place) = self.place(index)
            && self.states[place] != State::There
        {
            self.states[place] = State::Waiting;
        }
        self.bad < BAD_MAX
    }

    /// Data bytes of all blocks.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(blocks: &mut Blocks, now_us: u64, free_us: &mut u64) -> Vec<u32> {
        let mut out = Vec::new();
        blocks.send(1, now_us, free_us, &mut out);
        out.split(|&b| b == b'\n').filter_map(Block::parse).map(|block| block.index).collect()
    }

    #[test]
    fn a_lost_block_is_sent_again_when_a_later_one_is_answered() {
        let data = || Box::new([0; BLOCK_BYTES]);
        let mut blocks = Blocks::new((0..6).map(|i| (i, data())).collect());
        let mut free_us = 0;
        assert_eq!(sent(&mut blocks, 0, &mut free_us), [0, 1, 2]);
        assert_eq!(sent(&mut blocks, 1, &mut free_us), []);
        blocks.got(1);
        assert_eq!(sent(&mut blocks, 90_000, &mut free_us), [0, 3]);
        blocks.got(2);
        assert_eq!(sent(&mut blocks, 180_000, &mut free_us), [4]);
        // Nothing more is answered: after the line's time and patience all three go again.
        assert_eq!(sent(&mut blocks, free_us + PATIENCE_US, &mut free_us.clone()), [0, 3, 4]);
        for index in [0, 3, 4, 4, 9] {
            blocks.got(index);
        }
        assert_eq!(blocks.progress(), (5, 6));
        assert!(blocks.bad(5) && blocks.bad(5) && !blocks.bad(5));
    }
}
