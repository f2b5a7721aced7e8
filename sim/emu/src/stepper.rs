//! The processor alone, one instruction at a time: the reference that a circuit is compared with.
//!
//! What a load from an I/O word gives and when an interrupt comes is told from outside, so that the
//! circuit's peripherals and its time do not have to be the emulator's.
//!
//! ```
//! use kube_emu::stepper::{IoAccess, Stepper};
//!
//! // R0 := 81H; LED := R0.
//! let mut stepper = Stepper::new(&[], 512, 0);
//! stepper.load_words(0, &[0x4000_0081, 0x5100_FFC4, 0xA010_0000]);
//! stepper.step(0);
//! stepper.step(0);
//! assert_eq!(stepper.step(0), Some(IoAccess::Write { word: 1, value: 0x81 }));
//! assert_eq!(stepper.pc(), 12);
//! ```

use risc5_isa::map;

use crate::cpu::Cpu;
use crate::cycles::CycleTable;
use crate::memory::Memory;
use crate::outside::Io;

/// What an instruction did with an I/O word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoAccess {
    /// It read the word of this number and got the value given to [`Stepper::step`].
    Read {
        /// Number of the word, 0..=15.
        word: usize,
    },
    /// It wrote the word of this number.
    Write {
        /// Number of the word, 0..=15.
        word: usize,
        /// What was written; a byte is in its lane.
        value: u32,
    },
}

/// Processor, RAM and PROM.
pub struct Stepper {
    cpu: Cpu,
    memory: Memory,
}

/// I/O words that give one value and remember the access.
struct Scripted {
    value: u32,
    access: Option<IoAccess>,
}

impl Io for Scripted {
    fn read(&mut self, word: usize, _now: u64) -> u32 {
        self.access = Some(IoAccess::Read { word });
        self.value
    }

    fn steady_until(&self, _word: usize, _now: u64) -> Option<u64> {
        None
    }

    fn write(&mut self, word: usize, value: u32, _now: u64) -> bool {
        self.access = Some(IoAccess::Write { word, value });
        false
    }
}

impl Stepper {
    /// A processor with cleared RAM and a PROM of `prom_words` words (a power of two) that starts at
    /// a byte address.
    #[must_use]
    pub fn new(prom: &[u32], prom_words: usize, start: u32) -> Self {
        let memory = Memory::new(prom, prom_words, CycleTable::ours().at_least_one());
        Self { cpu: Cpu::new(start / 4), memory }
    }

    /// Copies words into RAM from a byte address on; addresses wrap at its end.
    pub fn load_words(&mut self, address: u32, words: &[u32]) {
        for (index, word) in (0..).zip(words) {
            self.memory.store(address.wrapping_add(4 * index), *word);
        }
    }

    /// Executes one instruction; a load from an I/O word gives `io_value`.
    pub fn step(&mut self, io_value: u32) -> Option<IoAccess> {
        let mut io = Scripted { value: io_value, access: None };
        let costs = CycleTable::ours().at_least_one();
        self.cpu.run(&mut self.memory, &mut io, &costs, 0, 1);
        io.access
    }

    /// Takes the interrupt before the next instruction.
    pub fn interrupt(&mut self) {
        self.cpu.accept_interrupt();
    }

    /// The watchdog's abort: on at address 0, interrupts as after reset.
    pub fn abort(&mut self) {
        self.cpu.interrupt.clear();
        self.cpu.pc = map::ABORT_VECTOR / 4;
    }

    /// Whether interrupts are on and no handler runs.
    #[must_use]
    pub fn interruptible(&self) -> bool {
        self.cpu.interrupt.enabled && !self.cpu.interrupt.serving
    }

    /// Byte address of the next instruction.
    #[must_use]
    pub fn pc(&self) -> u32 {
        self.cpu.pc * 4
    }

    /// Register 0..=15; higher numbers wrap.
    #[must_use]
    pub fn register(&self, number: usize) -> u32 {
        self.cpu.r[number % 16]
    }

    /// N, Z, C, V from bit 3 down.
    #[must_use]
    pub fn flags(&self) -> u32 {
        self.cpu.flags()
    }

    /// H.
    #[must_use]
    pub fn h(&self) -> u32 {
        self.cpu.h
    }

    /// The RAM word at a byte address, whose low two bits are ignored.
    #[must_use]
    pub fn word(&self, address: u32) -> u32 {
        self.memory.load(address)
    }

    /// All of RAM.
    #[must_use]
    pub fn ram(&self) -> &[u32] {
        &self.memory.ram[..]
    }
}
