//! Circuit against emulator, instruction by instruction.
//!
//! The circuit runs ahead and records; the emulator's processor ([`Stepper`]) follows the record.
//! Compared are the instruction's address, the register it writes, flags, H, and every store. Values
//! read from I/O words and the moments of interrupts come from the circuit.
//!
//! [`check`] runs a scenario, and once more with a waveform around the place where it failed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kube_emu::SdCard;
use kube_emu::stepper::{IoAccess, Stepper};
use risc5_isa::{Instruction, map};

use crate::ffi::Record;
use crate::machine::Machine;
use crate::radio::RadioPins;
use crate::variant::Variant;

/// Instructions shown with a mismatch.
const SHOWN: usize = 20;
const BATCH: usize = 20_000;
/// Cycles between two looks at the record.
const LOOK: u64 = 50_000;
/// Cycles in a waveform before and after a mismatch.
const BEFORE: u64 = 3_000;
const AFTER: u64 = 200;

/// Where circuit and emulator differ.
#[derive(Debug, thiserror::Error)]
#[error(
    "circuit and emulator differ in cycle {cycle}, after {instructions} instructions: {what}\n\
     {state}{}", waveform_line(.waveform)
)]
pub struct Mismatch {
    /// Instructions that agreed before.
    pub instructions: u64,
    /// Cycle in which the instruction left the circuit's pipeline.
    pub cycle: u64,
    /// What differs.
    pub what: String,
    /// Both states and the last instructions.
    pub state: String,
    /// A waveform around the place, if one was written.
    pub waveform: Option<PathBuf>,
}

fn waveform_line(path: &Option<PathBuf>) -> String {
    path.as_ref().map_or_else(String::new, |path| format!("waveform: {}", path.display()))
}

/// How the machine of a scenario is built: fast, or with a waveform around a cycle.
#[derive(Clone, Debug, Default)]
pub struct Start {
    waveform: Option<(PathBuf, u64)>,
}

/// Runs a scenario, which has to do the same each time. If it fails, it is run again on a machine
/// that draws, and the waveform around the mismatch is written to `waveform`.
///
/// # Errors
/// The first difference.
pub fn check<T>(
    waveform: &Path,
    scenario: impl Fn(&Start) -> Result<T, Box<Mismatch>>,
) -> Result<T, Box<Mismatch>> {
    scenario(&Start::default()).map_err(|mut mismatch| {
        let start = Start { waveform: Some((waveform.to_owned(), mismatch.cycle)) };
        if scenario(&start).is_err_and(|again| again.cycle == mismatch.cycle) && waveform.is_file()
        {
            mismatch.waveform = Some(waveform.to_owned());
        }
        mismatch
    })
}

/// A pair under comparison.
pub struct Lockstep<R: RadioPins> {
    /// The circuit.
    pub machine: Machine<R>,
    stepper: Stepper,
    /// The circuit's registers, as its record tells them.
    registers: [u32; 16],
    records: Vec<Record>,
    history: Vec<(Record, u32)>,
    instructions: u64,
    events: u64,
    start: Start,
}

impl<R: RadioPins> Lockstep<R> {
    /// Pairs a machine that is switched on at `power_on_ns` with a processor; both get `prom`.
    #[must_use]
    pub fn new(
        start: &Start,
        card: Option<SdCard>,
        radio: R,
        power_on_ns: u64,
        prom: &[u32],
    ) -> Self {
        let build = if start.waveform.is_some() { Machine::traced } else { Machine::new };
        Self::of(build(card, radio, power_on_ns), start, prom)
    }

    /// The same with the top of a ULX3S; a broken rule of its SDRAM is a difference. Waveforms of it are
    /// not drawn.
    #[must_use]
    pub fn ulx3s(card: Option<SdCard>, radio: R, power_on_ns: u64, prom: &[u32]) -> Self {
        Self::of(Machine::ulx3s(card, radio, power_on_ns), &Start::default(), prom)
    }

    /// As [`Lockstep::ulx3s`], of a top that was compiled before; none if its library cannot be loaded.
    #[must_use]
    pub fn variant(
        variant: &Variant,
        card: Option<SdCard>,
        radio: R,
        power_on_ns: u64,
        prom: &[u32],
    ) -> Option<Self> {
        let machine = Machine::variant(variant, card, radio, power_on_ns)?;
        Some(Self::of(machine, &Start::default(), prom))
    }

    fn of(mut machine: Machine<R>, start: &Start, prom: &[u32]) -> Self {
        machine.set_prom(prom);
        machine.set_trace(true, BATCH);
        Self {
            machine,
            stepper: Stepper::new(prom, map::PROM_WORDS, map::RESET_PC),
            registers: [0; 16],
            records: Vec::new(),
            history: Vec::new(),
            instructions: 0,
            events: 0,
            start: start.clone(),
        }
    }

    /// Copies words into both memories.
    pub fn load_words(&mut self, address: u32, words: &[u32]) {
        self.machine.load_words(address, words);
        self.stepper.load_words(address, words);
    }

    /// Runs both through every cycle that ends before an absolute time.
    ///
    /// # Errors
    /// The first difference.
    pub fn run_until(&mut self, ns: u64) -> Result<(), Box<Mismatch>> {
        self.run_cycles(self.machine.cycles_before(ns))
    }

    /// Runs both for so many cycles of the circuit.
    ///
    /// # Errors
    /// The first difference.
    pub fn run_cycles(&mut self, cycles: u64) -> Result<(), Box<Mismatch>> {
        let end = self.machine.cycles() + cycles;
        while self.machine.cycles() < end {
            self.draw();
            let left = end - self.machine.cycles();
            self.machine.run_cycles(left.min(self.to_window()));
            let mut records = std::mem::take(&mut self.records);
            self.machine.take_records(&mut records);
            let followed = records.iter().try_for_each(|record| self.follow(record));
            records.clear();
            self.records = records;
            let broken = self.machine.violation();
            let followed = match broken {
                Some(violation) => followed.and(Err(self.mismatch(violation.to_string()))),
                None => followed,
            };
            if let Err(mismatch) = followed {
                self.end_drawing();
                return Err(mismatch);
            }
        }
        Ok(())
    }

    /// Cycles to the next look, at most to an end of the waveform.
    fn to_window(&self) -> u64 {
        let now = self.machine.cycles();
        let ends =
            self.start.waveform.iter().flat_map(|&(_, at)| [at.saturating_sub(BEFORE), at + AFTER]);
        ends.filter(|&end| end > now).map(|end| end - now).fold(LOOK, u64::min)
    }

    /// Begins or ends the waveform where its window does.
    fn draw(&mut self) {
        let now = self.machine.cycles();
        if let Some((path, at)) = &self.start.waveform {
            // A file that cannot be written is missed at the end.
            if now == at.saturating_sub(BEFORE) {
                let _ = self.machine.set_waveform(Some(path));
            } else if now == at + AFTER {
                let _ = self.machine.set_waveform(None);
            }
        }
    }

    /// Lets the circuit run on to the end of the window.
    fn end_drawing(&mut self) {
        if let Some((_, at)) = self.start.waveform {
            self.machine.set_trace(false, BATCH);
            self.machine.run_cycles((at + AFTER).saturating_sub(self.machine.cycles()));
            let _ = self.machine.set_waveform(None);
        }
    }

    /// Compares all of RAM. Only meaningful after a run whose last store has retired.
    ///
    /// # Errors
    /// The first word that differs.
    pub fn compare_memory(&self) -> Result<(), Box<Mismatch>> {
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

    fn follow(&mut self, record: &Record) -> Result<(), Box<Mismatch>> {
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

    fn instruction(&mut self, record: &Record) -> Result<(), Box<Mismatch>> {
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
        if record.write != 0 {
            self.registers[number % 16] = record.value;
        }
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

    fn store(&self, record: &Record, access: Option<IoAccess>) -> Result<(), Box<Mismatch>> {
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

    fn mismatch(&self, what: String) -> Box<Mismatch> {
        let mut state = String::new();
        let last = self.history.last().map(|(record, _)| *record).unwrap_or_default();
        let mut show = |name, pc, flags, h, registers: [u32; 16]| {
            let _ = write!(state, "{name}: pc {pc:06X} NZCV {flags:04b} H {h:08X}\n ");
            for (number, value) in registers.iter().enumerate() {
                let _ = write!(state, " R{number} {value:08X}");
            }
            state.push('\n');
        };
        let stepper = &self.stepper;
        let registers = std::array::from_fn(|number| stepper.register(number));
        show("emulator", stepper.pc(), stepper.flags(), stepper.h(), registers);
        show("circuit ", last.pc * 4, last.flags.into(), last.h, self.registers);
        let _ =
            writeln!(state, "circuit, last instructions (cycle, address, instruction, result):");
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
        let (instructions, cycle) = (self.instructions, last.cycle);
        Box::new(Mismatch { instructions, cycle, what, state, waveform: None })
    }
}
