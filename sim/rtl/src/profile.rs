//! Cycles per instruction, split by hazard, from the circuit's record of a run.
//!
//! Rounds of loops that wait for the SPI are left out: from a read of the SPI status that says "not ready"
//! up to the next read of it. What remains is the run of a machine whose SPI is ready at once. Cycles in
//! which a memory port was not ready (I/O words) are counted, but beside the rest.

use risc5_isa::{Instruction, Op, io, map};

use crate::Machine;
use crate::ffi::Record;
use crate::radio::RadioPins;

/// Cycles in which a board's caches, buffer and SDRAM held the core; none of I/O words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryWaits {
    /// A datum was on its way.
    pub datum: u64,
    /// The data cache had the word, but only the tag in block RAM said so.
    pub tag: u64,
    /// The buffer of stores was full.
    pub buffer: u64,
    /// A store waited for the end of a line.
    pub store: u64,
    /// An instruction was on its way.
    pub instruction: u64,
    /// The first instruction of a jump came out of block RAM.
    pub jump: u64,
}

impl MemoryWaits {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.datum + self.tag + self.buffer + self.store + self.instruction + self.jump
    }
}

/// Instructions and the cycles that they cost beyond one each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Instructions counted.
    pub instructions: u64,
    /// After a taken branch.
    pub branch: u64,
    /// Waiting for a loaded operand.
    pub load_use: u64,
    /// Waiting for the flags of a load.
    pub load_flags: u64,
    /// Waiting for the result or the flags of a shift.
    pub shift: u64,
    /// Multiplication, division, floating point.
    pub long: u64,
    /// Wait states of I/O words and idle waits.
    pub port: u64,
    /// Held by a board's memory.
    pub memory: MemoryWaits,
    /// Anything else: interrupts, stores into the pipeline.
    pub other: u64,
    last: Option<(u32, u64)>,
    waiting: bool,
}

impl Profile {
    /// Cycles per instruction, wait states of I/O words left out.
    #[must_use]
    pub fn cpi(&self) -> f64 {
        let waits = self.load_use + self.load_flags + self.shift;
        let lost = self.branch + waits + self.long + self.memory.total() + self.other;
        (self.instructions + lost) as f64 / (self.instructions.max(1)) as f64
    }

    /// Runs a machine that has just been switched on until `finished`, or for `limit_ns` of its time.
    ///
    /// `prom` is what its PROM was filled with. The machine's trace stays on.
    pub fn of_boot<R: RadioPins>(
        machine: &mut Machine<R>,
        prom: &[u32],
        limit_ns: u64,
        finished: impl Fn(&Machine<R>) -> bool,
    ) -> Self {
        let (mut profile, mut records) = (Self::default(), Vec::new());
        machine.set_trace(true, 100_000);
        while machine.now_ns() < limit_ns && !finished(machine) {
            machine.run_cycles(50_000);
            machine.take_records(&mut records);
            let ram = machine.ram();
            profile.add(&records, |address| {
                let at = (address.wrapping_sub(map::RESET_PC) / 4) as usize;
                let word = ram.get(address as usize / 4).or_else(|| prom.get(at));
                word.copied().unwrap_or_default()
            });
            records.clear();
        }
        profile
    }

    /// Takes records in, in their order; `fetch` gives the instruction word at a byte address.
    pub fn add(&mut self, records: &[Record], fetch: impl Fn(u32) -> u32) {
        for record in records.iter().filter(|record| record.kind == 0) {
            let word = fetch(record.pc * 4);
            let status =
                record.memory & 1 != 0 && record.addr == io::SPI_STATUS as u32 & map::ADDRESS_MASK;
            if status {
                self.waiting = record.value & io::spi::READY == 0;
            }
            if let Some((previous_pc, previous_cycle)) = self.last
                && !self.waiting
            {
                let lost = record.cycle - previous_cycle - 1;
                self.instructions += 1;
                self.attribute(lost, record, previous_pc, word, &fetch);
            }
            self.last = Some((record.pc, record.cycle));
        }
    }

    fn attribute(
        &mut self,
        lost: u64,
        record: &Record,
        previous_pc: u32,
        word: u32,
        fetch: &impl Fn(u32) -> u32,
    ) {
        let mut lost = lost;
        let mut take = |part: &mut u64, cycles: u64| {
            let taken = cycles.min(lost);
            *part += taken;
            lost -= taken;
        };
        let previous = Instruction::decode(fetch(previous_pc * 4));
        // Waits of an I/O word are one, whatever memory does meanwhile.
        if record.memory == 0 || record.addr < map::IO_BASE {
            let [datum, tag, buffer, store, instruction, jump] = record.waits.map(u64::from);
            take(&mut self.memory.datum, datum);
            take(&mut self.memory.tag, tag);
            take(&mut self.memory.buffer, buffer);
            take(&mut self.memory.store, store);
            take(&mut self.memory.instruction, instruction);
            take(&mut self.memory.jump, jump);
        }
        let after_load = matches!(previous, Instruction::Memory { store: false, .. });
        if record.pc != previous_pc + 1 {
            take(&mut self.branch, 1);
        }
        if matches!(
            previous,
            Instruction::Register { op: Op::Lsl | Op::Asr | Op::Ror, .. }
                | Instruction::Immediate { op: Op::Lsl | Op::Asr | Op::Ror, .. }
        ) {
            take(&mut self.shift, 1);
        }
        match Instruction::decode(word) {
            Instruction::Register { op, .. } | Instruction::Immediate { op, .. } => {
                if matches!(op, Op::Mul | Op::Div | Op::Fad | Op::Fsb | Op::Fml | Op::Fdv) {
                    take(&mut self.long, u64::MAX);
                } else if after_load {
                    take(&mut self.load_use, 1);
                }
            }
            Instruction::Memory { .. } => {
                if after_load {
                    take(&mut self.load_use, 1);
                }
                if record.addr >= map::IO_BASE {
                    take(&mut self.port, u64::MAX);
                }
            }
            Instruction::BranchRegister { .. } | Instruction::BranchRelative { .. } => {
                if after_load {
                    take(&mut self.load_flags, 1);
                }
            }
        }
        take(&mut self.other, u64::MAX);
    }
}
