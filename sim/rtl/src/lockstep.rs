//! Circuit against emulator, instruction by instruction.
//!
//! The circuit runs ahead and records; the emulator's processor ([`Stepper`]) follows the record.
//! Compared are the instruction's address, the register it writes, flags, H, and every store. Values
//! read from I/O words and the moments of interrupts come from the circuit.

use std::fmt::Write as _;

use kube_emu::stepper::{IoAccess, Stepper};
use risc5_isa::{Instruction, map};

use crate::ffi::Record;
use crate::machine::Machine;
use crate::radio::RadioPins;

/// Instructions shown with a mismatch.
const SHOWN: usize = 20;
const BATCH: usize = 20_000;

/// Where circuit and emulator differ.
#[derive(Debug, thiserror::Error)]
#[error("circuit and emulator differ after {instructions} instructions: {what}\n{state}")]
pub struct Mismatch {
    /// Instructions that agreed before.
    pub instructions: u64,
    /// What differs.
    pub what: String,
    /// Both states and the last instructions.
    pub state: String,
}

/// A pair under comparison.
pub struct Lockstep<R: RadioPins> {
    /// The circuit.
    pub machine: Machine<R>,
    stepper: Stepper,
    records: Vec<Record>,
    history: Vec<(Record, u32)>,
    instructions: u64,
    events: u64,
}

impl<R: RadioPins> Lockstep<R> {
    /// Pairs a machine at power-on with a processor; both get `prom`.
    #[must_use]
    pub fn new(mut machine: Machine<R>, prom: &[u32]) -> Self {
        machine.set_prom(prom);
        machine.set_trace(true, BATCH);
        let stepper = Stepper::new(prom, map::PROM_WORDS, map::RESET_PC);
        let (records, history) = (Vec::new(), Vec::new());
        Self { machine, stepper, records, history, instructions: 0, events: 0 }
    }

    /// Copies words into both memories.
    pub fn load_words(&mut self, address: u32, words: &[u32]) {
        self.machine.load_words(address, words);
        self.stepper.load_words(address, words);
    }

    /// Runs both for so many cycles of the circuit.
    ///
    /// # Errors
    /// The first difference.
    pub fn run_cycles(&mut self, cycles: u64) -> Result<(), Mismatch> {
        let end = self.machine.cycles() + cycles;
        while self.machine.cycles() < end {
            let left = end - self.machine.cycles();
            self.machine.run_cycles(left.min(50_000));
            let mut records = std::mem::take(&mut self.records);
            self.machine.take_records(&mut records);
            for record in &records {
                self.follow(record)?;
            }
            records.clear();
            self.records = records;
        }
        Ok(())
    }

    /// Compares all of RAM. Only meaningful after a run whose last store has retired.
    ///
    /// # Errors
    /// The first word that differs.
    pub fn compare_memory(&self) -> Result<(), Mismatch> {
        let pairs = self.machine.ram().iter().zip(self.stepper.ram());
        match pairs.enumerate().find(|(_, (circuit, emulator))| circuit != emulator) {
            None => Ok(()),
            Some((index, (circuit, emulator))) => Err(self.mismatch(format!(
                "memory at {:06X}: circuit {circuit:08X}, emulator {emulator:08X}",
                index * 4
            ))),
        }
    }

    /// Instructions that agreed.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Interrupts and aborts taken.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The emulator's processor.
    #[must_use]
    pub fn stepper(&self) -> &Stepper {
        &self.stepper
    }

    fn follow(&mut self, record: &Record) -> Result<(), Mismatch> {
        match record.kind {
            0 => self.instruction(record),
            1 => {
                self.events += 1;
                if !self.stepper.interruptible() {
                    return Err(self.mismatch("interrupt taken while off or nested".into()));
                }
                self.stepper.interrupt();
                Ok(())
            }
            _ => {
                self.events += 1;
                self.stepper.abort();
                Ok(())
            }
        }
    }

    fn instruction(&mut self, record: &Record) -> Result<(), Mismatch> {
        if self.history.len() == 4 * SHOWN {
            self.history.drain(..3 * SHOWN);
        }
        let pc = self.stepper.pc();
        self.history.push((*record, if pc < map::RAM_BYTES { self.stepper.word(pc) } else { 0 }));
        if record.pc * 4 != pc {
            return Err(
                self.mismatch(format!("pc: circuit {:06X}, emulator {pc:06X}", record.pc * 4))
            );
        }
        // A byte was taken from its lane: put it back there.
        let lane = 8 * (record.addr & 3);
        let access =
            self.stepper.step(if record.value < 256 { record.value << lane } else { record.value });
        let (number, h) = (usize::from(record.number), record.h);
        let checks = [
            (record.write != 0, "register", record.value, self.stepper.register(number)),
            (true, "flags", record.flags.into(), self.stepper.flags()),
            (true, "H", h, self.stepper.h()),
        ];
        for (applies, name, circuit, emulator) in checks {
            if applies && circuit != emulator {
                let what =
                    format!("{name} ({number}): circuit {circuit:08X}, emulator {emulator:08X}");
                return Err(self.mismatch(what));
            }
        }
        if record.memory & 2 != 0 {
            self.store(record, access)?;
        } else if let Some(IoAccess::Write { .. }) = access {
            return Err(self.mismatch("the emulator stored, the circuit did not".into()));
        }
        self.instructions += 1;
        Ok(())
    }

    fn store(&self, record: &Record, access: Option<IoAccess>) -> Result<(), Mismatch> {
        let (circuit, emulator) = match access {
            Some(IoAccess::Write { value, .. }) => (record.store_value, value),
            Some(IoAccess::Read { .. }) => (0, 1),
            None => {
                let mask = (0..4)
                    .filter(|lane| record.store_lanes >> lane & 1 != 0)
                    .fold(0_u32, |mask, lane| mask | 0xFF << (8 * lane));
                (record.store_value & mask, self.stepper.word(record.addr) & mask)
            }
        };
        if record.store_addr != record.addr || circuit != emulator {
            return Err(self.mismatch(format!(
                "store at {:06X}: circuit {circuit:08X}, emulator {emulator:08X}",
                record.store_addr
            )));
        }
        Ok(())
    }

    fn mismatch(&self, what: String) -> Mismatch {
        let mut state = String::new();
        let _ = write!(
            state,
            "emulator: pc {:06X} flags {:04b} H {:08X}\n ",
            self.stepper.pc(),
            self.stepper.flags(),
            self.stepper.h()
        );
        for number in 0..16 {
            let _ = write!(state, " R{number} {:08X}", self.stepper.register(number));
        }
        let _ =
            writeln!(state, "\ncircuit, last instructions (cycle, address, instruction, result):");
        for (record, word) in self.history.iter().rev().take(SHOWN).rev() {
            let _ = writeln!(
                state,
                "{:10} {:06X} {word:08X} {:32} R{} {} {:08X} NZCV {:04b} H {:08X}",
                record.cycle,
                record.pc * 4,
                Instruction::decode(*word).to_string(),
                record.number,
                if record.write != 0 { ":=" } else { "  " },
                record.value,
                record.flags,
                record.h,
            );
        }
        Mismatch { instructions: self.instructions, what, state }
    }
}
