//! The whole machine: time, interrupts, idle waits and the watchdog around the instruction loop,
//! and everything that a harness can see or touch from outside.

use risc5_isa::{Instruction, map};

use crate::bus::Bus;
use crate::cpu::Cpu;
use crate::cycles::CycleTable;
use crate::memory::Memory;
use crate::sd::SdCard;
use crate::spi::SpiDevice;

/// Which machine: with the project's additions or exactly the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Idle word, extension registers, watchdog, UART FIFO, PROM of 2,048 words.
    Ours,
    /// The machine of Project Oberon 2013: PROM of 512 words, none of the additions.
    Compat,
}

/// What a machine is built from.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which machine.
    pub variant: Variant,
    /// Clock in Hz.
    pub clock_hz: u32,
    /// Cycles per instruction class.
    pub cycles: CycleTable,
    /// PROM words from [`map::RESET_PC`] on; cut or filled with zeros to the PROM's size. If empty,
    /// the machine starts at address 0, for programs given by [`Machine::load`].
    pub prom: Vec<u32>,
    /// The eight switches.
    pub switches: u8,
    /// When the machine is switched on, in nanoseconds on the axis of [`Machine::run_until`].
    pub power_on_ns: u64,
    /// Value of the extension register of that name.
    pub build_identity: u32,
    /// Count the rounds of loops that wait for SPI or UART instead of executing each. The run is the
    /// same either way; off for measuring the instruction loop itself.
    pub count_polls: bool,
}

impl Config {
    /// Our machine at 50 MHz.
    #[must_use]
    pub fn ours(prom: Vec<u32>) -> Self {
        Self {
            variant: Variant::Ours,
            clock_hz: 50_000_000,
            cycles: CycleTable::ours(),
            prom,
            switches: 0,
            power_on_ns: 0,
            build_identity: 0,
            count_polls: true,
        }
    }

    /// The reference machine at 25 MHz.
    #[must_use]
    pub fn compat(prom: Vec<u32>) -> Self {
        Self {
            variant: Variant::Compat,
            clock_hz: 25_000_000,
            cycles: CycleTable::reference(),
            ..Self::ours(prom)
        }
    }
}

/// A mouse button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Button {
    Left,
    Middle,
    Right,
}

/// One RISC5 machine with its card and radio.
pub struct Machine<R> {
    cpu: Cpu,
    memory: Memory,
    bus: Bus<R>,
    costs: CycleTable,
    /// Cycles since power-on.
    cycle: u64,
    instructions: u64,
    /// The last instruction wrote the interrupt state; the next one still runs under the old one.
    control_shadow: bool,
    watchdog_expiries: u64,
}

impl<R: SpiDevice> Machine<R> {
    /// A machine that has just been switched on.
    #[must_use]
    pub fn new(config: Config, card: Option<SdCard>, radio: R) -> Self {
        let prom_words = match config.variant {
            Variant::Ours => map::PROM_WORDS,
            Variant::Compat => map::PROM_WORDS_COMPAT,
        };
        let start = if config.prom.is_empty() { 0 } else { map::RESET_PC / 4 };
        let costs = config.cycles.at_least_one();
        Self {
            cpu: Cpu::new(start),
            memory: Memory::new(&config.prom, prom_words, costs),
            bus: Bus::new(&config, card, radio),
            costs,
            cycle: 0,
            instructions: 0,
            control_shadow: false,
            watchdog_expiries: 0,
        }
    }

    /// Runs until [`Machine::now_ns`] has reached an absolute time. The last instruction may end
    /// a little later, but it and all its I/O start before.
    pub fn run_until(&mut self, ns: u64) {
        let target = self.bus.clock.cycle_at_or_after(ns);
        self.settle();
        while self.cycle < target {
            if self.cpu.interrupt.due() && !self.control_shadow {
                self.bus.waiting = None;
                self.cpu.accept_interrupt();
            }
            if let Some(mask) = self.bus.waiting {
                if self.bus.pending(self.cycle) & mask == 0 {
                    let wake = self.wake_cycle(mask).unwrap_or(target);
                    self.cycle = wake.min(target);
                    self.settle();
                    continue;
                }
                self.bus.waiting = None;
            }
            self.execute(target);
            self.settle();
        }
    }

    /// Executes up to the next moment at which something is due.
    fn execute(&mut self, target: u64) {
        let shadowed = self.cpu.interrupt.due();
        let mut end = target.min(self.bus.next_tick);
        if let Some(at) = self.bus.watchdog {
            end = end.min(at);
        }
        if shadowed {
            end = self.cycle + 1;
        }
        let budget = end.saturating_sub(self.cycle).max(1);
        let ran = self.cpu.run(&mut self.memory, &mut self.bus, &self.costs, self.cycle, budget);
        self.cycle += ran.cycles;
        self.instructions += ran.instructions;
        self.control_shadow = ran.control && !shadowed;
        if shadowed {
            self.bus.waiting = None;
            self.cpu.accept_interrupt();
        }
    }

    /// Lets happen what is due at the current cycle: the timer's edge, the watchdog.
    fn settle(&mut self) {
        if self.bus.tick(self.cycle) {
            self.cpu.interrupt.pending = true;
        }
        if self.bus.watchdog.is_some_and(|at| at <= self.cycle) {
            self.bus.watchdog = None;
            self.bus.watchdog_cause = true;
            self.bus.watchdog_pc = self.cpu.pc * 4;
            self.bus.waiting = None;
            // Left on, a handler that hangs would be entered again before the abort vector.
            self.cpu.interrupt.clear();
            self.cpu.pc = map::ABORT_VECTOR / 4;
            self.watchdog_expiries += 1;
        }
    }

    /// The next cycle at which a waiting machine may go on, if that depends on nothing outside.
    fn wake_cycle(&self, mask: u32) -> Option<u64> {
        let interrupt = &self.cpu.interrupt;
        let timer = (interrupt.enabled && !interrupt.serving).then_some(self.bus.next_tick);
        [self.bus.next_event(mask, self.cycle), self.bus.watchdog, timer]
            .into_iter()
            .flatten()
            .min()
    }

    /// When the machine next has something to do: now, a later time if it waits in the idle word,
    /// `None` if only a frame, a key or a byte from outside can wake it. Absolute nanoseconds.
    #[must_use]
    pub fn next_wake_ns(&mut self) -> Option<u64> {
        let Some(mask) = self.bus.waiting else {
            return Some(self.now_ns());
        };
        if self.cpu.interrupt.due() || self.bus.pending(self.cycle) & mask != 0 {
            return Some(self.now_ns());
        }
        self.wake_cycle(mask).map(|cycle| self.bus.clock.ns(cycle))
    }

    /// Absolute time of the machine in nanoseconds.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.bus.clock.ns(self.cycle)
    }

    /// Cycles since power-on, those of idle waits included.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.cycle
    }

    /// Executed instructions since power-on.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Whether the machine waits in the idle word.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.bus.waiting.is_some()
    }

    /// Whether the program has come to its end: a branch to itself that nothing can interrupt.
    #[must_use]
    pub fn halted(&self) -> bool {
        let interrupt = &self.cpu.interrupt;
        let stuck =
            Instruction::BranchRelative { link: false, cond: risc5_isa::Cond::Always, offset: -1 };
        let in_ram = (self.cpu.pc as usize) < map::RAM_WORDS;
        in_ram
            && self.memory.load(self.cpu.pc * 4) == stuck.encode()
            && (!interrupt.enabled || interrupt.serving)
            && self.bus.watchdog.is_none()
    }

    /// The reset button: program counter, interrupt state and control registers start over; the
    /// sixteen registers, memory and time go on, by which the boot loader knows a warm start.
    pub fn reset(&mut self) {
        self.cpu.pc = map::RESET_PC / 4;
        self.cpu.interrupt.clear();
        self.bus.reset(self.cycle);
    }

    /// Copies bytes into RAM; addresses wrap at its end.
    pub fn load(&mut self, address: u32, bytes: &[u8]) {
        for (offset, byte) in (0..).zip(bytes) {
            self.memory.store_byte(address.wrapping_add(offset), *byte);
        }
    }

    /// Copies words into RAM from a byte address on; addresses wrap at its end.
    pub fn load_words(&mut self, address: u32, words: &[u32]) {
        for (index, word) in (0..).zip(words) {
            self.memory.store(address.wrapping_add(4 * index), *word);
        }
    }

    /// The RAM word at a byte address, whose low two bits are ignored.
    #[must_use]
    pub fn word(&self, address: u32) -> u32 {
        self.memory.load(address)
    }

    /// Register 0..=15; higher numbers wrap.
    #[must_use]
    pub fn register(&self, number: usize) -> u32 {
        self.cpu.r[number % 16]
    }

    /// Sets a register, for programs that run without a boot loader.
    pub fn set_register(&mut self, number: usize, value: u32) {
        self.cpu.r[number % 16] = value;
    }

    /// H, the high word of products and the remainder of divisions.
    #[must_use]
    pub fn h(&self) -> u32 {
        self.cpu.h
    }

    /// N, Z, C, V from bit 3 down.
    #[must_use]
    pub fn flags(&self) -> u32 {
        self.cpu.flags()
    }

    /// Byte address of the next instruction.
    #[must_use]
    pub fn pc(&self) -> u32 {
        self.cpu.pc * 4
    }

    /// Continues at a byte address.
    pub fn set_pc(&mut self, address: u32) {
        self.cpu.pc = (address / 4) & map::PC_MASK;
        self.bus.waiting = None;
    }

    /// Puts bytes on the serial line toward the machine; they arrive at the rate it has set.
    pub fn serial_send(&mut self, bytes: &[u8]) {
        self.bus.uart.send(bytes, self.cycle);
    }

    /// Takes what the machine has sent on the serial line, whole characters.
    pub fn serial_received(&mut self) -> Vec<u8> {
        self.bus.uart.take_sent(self.cycle)
    }

    /// Received characters that software was too late to fetch.
    #[must_use]
    pub fn serial_overruns(&self) -> u64 {
        self.bus.uart.overruns()
    }

    /// Characters that software wrote before the transmitter was free, and which are lost.
    #[must_use]
    pub fn serial_sent_too_early(&self) -> u64 {
        self.bus.uart.sent_too_early()
    }

    /// The eight LEDs.
    #[must_use]
    pub fn leds(&self) -> u8 {
        self.bus.leds
    }

    /// Sets the eight switches.
    pub fn set_switches(&mut self, switches: u8) {
        self.bus.switches = switches;
    }

    /// Queues PS/2 codes of one key; false if the queue of 16 has no room for all of them.
    pub fn press(&mut self, codes: &[u8]) -> bool {
        self.bus.press(codes)
    }

    /// Moves the mouse; the origin is the lower left corner. Coordinates keep 12 bits.
    pub fn move_mouse(&mut self, x: u32, y: u32) {
        let position = x & 0xFFF | (y & 0xFFF) << 12;
        self.bus.mouse = self.bus.mouse & !0xFF_FFFF | position;
    }

    /// Presses or releases a mouse button.
    pub fn set_button(&mut self, button: Button, down: bool) {
        let bit = match button {
            Button::Left => 1 << 26,
            Button::Middle => 1 << 25,
            Button::Right => 1 << 24,
        };
        self.bus.mouse = self.bus.mouse & !bit | if down { bit } else { 0 };
    }

    /// Levels that the outside drives onto the general-purpose pins.
    pub fn set_gpio(&mut self, levels: u8) {
        self.bus.gpio_in = levels;
    }

    /// What the machine drives onto the general-purpose pins: levels, and which pins it drives.
    #[must_use]
    pub fn gpio(&self) -> (u8, u8) {
        (self.bus.gpio_out, self.bus.gpio_direction)
    }

    /// The radio.
    #[must_use]
    pub fn radio(&self) -> &R {
        &self.bus.radio
    }

    /// The radio.
    pub fn radio_mut(&mut self) -> &mut R {
        &mut self.bus.radio
    }

    /// The card, if one is fitted.
    #[must_use]
    pub fn card(&self) -> Option<&SdCard> {
        self.bus.card.as_ref()
    }

    /// The card slot: the card can be changed, taken out or put in.
    pub fn card_mut(&mut self) -> &mut Option<SdCard> {
        &mut self.bus.card
    }

    /// How often the watchdog has expired.
    #[must_use]
    pub fn watchdog_expiries(&self) -> u64 {
        self.watchdog_expiries
    }

    /// Byte address that the last watchdog expiry kept from executing; 0 before the first.
    #[must_use]
    pub fn watchdog_pc(&self) -> u32 {
        self.bus.watchdog_pc
    }

    /// The framebuffer's words, 32 a row, rows bottom-up, bit 0 leftmost, 1 = black.
    #[must_use]
    pub fn framebuffer(&self) -> &[u32] {
        let first = map::FRAMEBUFFER as usize / 4;
        &self.memory.ram[first..first + map::FRAMEBUFFER_BYTES as usize / 4]
    }

    /// [`crate::framebuffer::hash`] of the framebuffer.
    #[must_use]
    pub fn framebuffer_hash(&self) -> u32 {
        crate::framebuffer::hash(self.framebuffer())
    }

    /// The framebuffer as a PNG file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_png(&self, out: impl std::io::Write) -> Result<(), std::io::Error> {
        crate::framebuffer::write_png(self.framebuffer(), out)
    }
}
