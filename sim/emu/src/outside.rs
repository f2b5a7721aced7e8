//! The instruction loop's way out of memory: I/O words, the PROM, and waiting loops. All of it is
//! seldom needed and kept out of the loop, which the compiler would else burden with its operands.

use crate::cpu::Registers;
use crate::memory::{Operations, Prom};
use crate::operation::Operation;
use crate::poll;

/// What the loop needs of the I/O words. `now` counts cycles up to the start of the access.
pub(crate) trait Io {
    fn read(&mut self, word: usize, now: u64) -> u32;
    /// The cycle up to which a word keeps the value just read, if it is one that software polls.
    fn steady_until(&self, word: usize, now: u64) -> Option<u64>;
    /// True if the caller has to look at its timers before the next instruction.
    fn write(&mut self, word: usize, value: u32, now: u64) -> bool;
}

/// What the loop seldom needs, out of its way.
pub(crate) struct Outside<'a, I> {
    pub(crate) io: &'a mut I,
    pub(crate) prom: &'a Prom,
    /// Cycle at which the budget is used up.
    pub(crate) end: u64,
    /// What a taken conditional branch costs beyond one not taken.
    pub(crate) taken: i64,
}

/// Rounds of a waiting loop that were counted instead of executed.
#[derive(Default)]
pub(crate) struct Waited {
    pub(crate) cycles: i64,
    pub(crate) instructions: u32,
}

impl<I: Io> Outside<'_, I> {
    /// Cycle at the start of an instruction after which `left` cycles of the budget remain.
    fn start_of(&self, op: Operation, left: i64) -> u64 {
        self.end.wrapping_sub((left + i64::from(op.cost)) as u64)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn read(&mut self, op: Operation, address: u32, left: i64) -> u32 {
        let now = self.start_of(op, left);
        self.io.read(io_word(address), now)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn write(&mut self, op: Operation, address: u32, value: u32, left: i64) -> bool {
        let now = self.start_of(op, left);
        self.io.write(io_word(address), value, now)
    }

    /// Counts rounds after a read of a status word that stays as it is. `at` is the address read and
    /// the word address after the load, `carry` says that C or V is on.
    #[cold]
    #[inline(never)]
    pub(crate) fn wait(
        &self,
        operations: &Operations,
        r: &mut Registers,
        load: Operation,
        at: (u32, u32),
        carry: bool,
        left: i64,
    ) -> Waited {
        let (address, pc) = at;
        let now = self.start_of(load, left);
        let Some(until) = self.io.steady_until(io_word(address), now) else {
            return Waited::default();
        };
        let fetch = |pc| self.prom.fetch(operations, pc);
        let nz = r[load.a as usize];
        let place = poll::Place { registers: &r[..], nz, carry, address, pc };
        let Some(round) = poll::round(fetch, &place, self.taken) else {
            return Waited::default();
        };
        let rounds = round.count(until - now, left);
        if let Some(countdown) = round.countdown {
            r[countdown.register as usize] -= rounds * countdown.step;
        }
        Waited {
            cycles: i64::from(rounds) * round.cycles,
            instructions: rounds * round.instructions,
        }
    }
}

fn io_word(address: u32) -> usize {
    (address >> 2 & 15) as usize
}
