//! An SDRAM chip at its pins: four banks, 8192 rows of 512 columns of 16 bits, and its rules.
//!
//! Called with what the pins show at each rising edge of the chip's clock; answers with what it drives
//! until the next. Every rule of the data sheet that a controller can break is checked; the first breach
//! is kept with the rule's name and the cycle.
//!
//! Times are the slower ones of two chips of the kind, IS42S16160G-7 and W9825G6KH-6, at CAS latency 2. Setup,
//! hold and access times are not modelled: that needs the delays of pads and board.
//!
//! Memory is kept in the order of the machine's addresses: see [`word_of`].

use std::collections::VecDeque;

/// What the pins show at an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SdramPins {
    /// RAS, CAS, WE from bit 2 down, active low.
    pub command: u8,
    /// Address.
    pub address: u16,
    /// Bank.
    pub bank: u8,
    /// Byte masks.
    pub mask: u8,
    /// What the controller drives on the data pins.
    pub data: Option<u16>,
}

/// Commands by their code.
pub mod command {
    /// Mode register set.
    pub const MODE: u8 = 0;
    /// Auto refresh.
    pub const REFRESH: u8 = 1;
    /// Precharge; address bit 10: all banks.
    pub const PRECHARGE: u8 = 2;
    /// Open a row.
    pub const ACTIVATE: u8 = 3;
    /// Write.
    pub const WRITE: u8 = 4;
    /// Read.
    pub const READ: u8 = 5;
    /// Ends a burst.
    pub const STOP: u8 = 6;
    /// Nothing.
    pub const NOP: u8 = 7;
}

/// A rule of the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// 200 us of rest before the first command.
    Rest,
    /// Precharge of all banks, eight refreshes and the mode come before the first row.
    Initialisation,
    /// tRCD: from opening a row to its first read or write.
    ActivateToColumn,
    /// tRP: from precharge to opening a row, to a refresh or a mode.
    Precharge,
    /// tRC: from opening a row to opening the next in the same bank.
    RowCycle,
    /// tRFC: from a refresh to the next command.
    RefreshCycle,
    /// tRAS: from opening a row to its precharge.
    RowOpen,
    /// tRRD: from opening a row to opening one in another bank.
    RowToRow,
    /// tWR: from the last word written to precharge.
    WriteRecovery,
    /// tMRD: from the mode to the next command.
    ModeCycle,
    /// 8192 refreshes in 64 ms.
    RefreshInterval,
    /// A row is opened in a bank that has one open.
    RowIsOpen,
    /// A read or write in a bank without an open row.
    NoRowOpen,
    /// A refresh or mode with a row open.
    BanksNotIdle,
    /// Chip and controller drive the data pins at once, or without a cycle between.
    Contention,
    /// Data to write that nobody drives.
    UndrivenData,
    /// A mode or command that this model does not know: other bursts than in order with single
    /// writes, auto precharge, burst stop.
    Unsupported,
}

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the SDRAM's rule {rule:?} is broken in cycle {cycle}, bank {bank}; look at hdl/src/memory/sdram.rs"
)]
pub struct Violation {
    /// Which.
    pub rule: Rule,
    /// Cycle of the clock.
    pub cycle: u64,
    /// Bank that the pins named.
    pub bank: u8,
}

/// Times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdramTimes {
    /// Before the first command.
    pub rest: u64,
    /// tRCD.
    pub activate_to_column: u64,
    /// tRP.
    pub precharge: u64,
    /// tRC, also after a refresh.
    pub row_cycle: u64,
    /// tRAS.
    pub row_open: u64,
    /// tRRD.
    pub row_to_row: u64,
    /// tWR, at least two cycles.
    pub write_recovery: u64,
    /// 64 ms over 8192.
    pub refresh_interval: u64,
}

impl Default for SdramTimes {
    fn default() -> Self {
        Self {
            rest: 200_000,
            activate_to_column: 18,
            precharge: 18,
            row_cycle: 63,
            row_open: 42,
            row_to_row: 14,
            write_recovery: 15,
            refresh_interval: 7_812,
        }
    }
}

/// tMRD in cycles.
const MODE_CYCLES: u64 = 2;
/// Refreshes that may be late at once.
const LATE: u64 = 8;
/// Refreshes before the first row.
const FIRST_REFRESHES: u32 = 8;
/// Words of the chip.
const WORDS: usize = 8 << 20;

/// Place of a column in memory as the machine's controller lays it out: the machine's word address. Banks
/// take turns each 256 words, in another order in each row.
#[must_use]
pub fn word_of(bank: u8, row: u16, column: u16) -> usize {
    let turn = u16::from(bank & 3) ^ row & 3;
    usize::from(row) << 10 | usize::from(turn) << 8 | usize::from(column >> 1 & 0xFF)
}

#[derive(Clone, Copy, Debug, Default)]
struct Bank {
    row: Option<u16>,
    opened: Option<u64>,
    closed: Option<u64>,
    written: Option<u64>,
}

/// The chip.
#[derive(Clone, Debug)]
pub struct Sdram {
    times: SdramTimes,
    clock_mhz: u64,
    words: Vec<u32>,
    banks: [Bank; 4],
    last_opened: Option<u64>,
    last_refresh: Option<u64>,
    last_mode: Option<u64>,
    precharged: bool,
    refreshes: u64,
    /// Cycle from which refreshes are counted, and how many were before.
    counted_from: Option<(u64, u64)>,
    /// Burst length and CAS latency, once the mode is set.
    mode: Option<(u16, u64)>,
    /// Cycle and value of beats to come.
    beats: VecDeque<(u64, u16)>,
    last_beat: Option<u64>,
    masks: [u8; 4],
    violation: Option<Violation>,
    commands: [u64; 8],
}

impl Sdram {
    /// A chip at power-on whose clock has so many megahertz.
    #[must_use]
    pub fn new(times: SdramTimes, clock_mhz: u64) -> Self {
        Self {
            times,
            clock_mhz,
            words: vec![0; WORDS],
            banks: [Bank::default(); 4],
            last_opened: None,
            last_refresh: None,
            last_mode: None,
            precharged: false,
            refreshes: 0,
            counted_from: None,
            mode: None,
            beats: VecDeque::new(),
            last_beat: None,
            masks: [0; 4],
            violation: None,
            commands: [0; 8],
        }
    }

    /// The first broken rule.
    #[must_use]
    pub fn violation(&self) -> Option<Violation> {
        self.violation
    }

    /// How often each command came, by its code.
    #[must_use]
    pub fn commands(&self) -> [u64; 8] {
        self.commands
    }

    /// All words in the order of the machine's addresses.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The same, to be changed.
    pub fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// Whether the chip has to be asked at the next edge, whatever the pins show then.
    #[must_use]
    pub fn busy(&self) -> bool {
        !self.beats.is_empty() || self.last_beat.is_some()
    }

    /// A rising edge, the first has number 0; numbers rise, edges without command or data may be left
    /// out while the chip is not [`Sdram::busy`]. What the chip drives until the next edge.
    pub fn edge(&mut self, cycle: u64, pins: SdramPins) -> Option<u16> {
        self.masks[(cycle & 3) as usize] = pins.mask;
        let bank = usize::from(pins.bank & 3);
        if pins.command != command::NOP {
            self.commands[usize::from(pins.command & 7)] += 1;
            if self.before(0, cycle, self.times.rest) {
                self.breach(Rule::Rest, cycle, pins.bank);
            }
            if self.last_refresh.is_some_and(|at| self.before(at, cycle, self.times.row_cycle)) {
                self.breach(Rule::RefreshCycle, cycle, pins.bank);
            }
            if self.last_mode.is_some_and(|at| cycle - at < MODE_CYCLES) {
                self.breach(Rule::ModeCycle, cycle, pins.bank);
            }
        }
        match pins.command & 7 {
            command::MODE => self.set_mode(cycle, pins),
            command::REFRESH => self.refresh(cycle, pins.bank),
            command::PRECHARGE if pins.address & 0x400 != 0 => {
                (0..4).for_each(|bank| self.precharge(cycle, bank));
                self.precharged = true;
            }
            command::PRECHARGE => self.precharge(cycle, bank),
            command::ACTIVATE => self.activate(cycle, bank, pins),
            command::READ | command::WRITE => self.column(cycle, bank, pins),
            command::STOP => self.breach(Rule::Unsupported, cycle, pins.bank),
            _ => {}
        }
        self.check_interval(cycle, pins.bank);
        let beat = self.beats.pop_front_if(|beat| beat.0 == cycle).map(|(_, value)| value);
        // A masked beat is not driven; masks act two edges later.
        let beat = beat.filter(|_| self.masks[(cycle.wrapping_sub(2) & 3) as usize] != 3);
        if pins.data.is_some() && (beat.is_some() || self.last_beat == Some(cycle.wrapping_sub(1)))
        {
            self.breach(Rule::Contention, cycle, pins.bank);
        }
        self.last_beat = beat.map(|_| cycle);
        beat
    }

    /// Fewer than `ns` have passed from one cycle to the other.
    fn before(&self, from: u64, to: u64, ns: u64) -> bool {
        (to - from) * 1_000 < ns * self.clock_mhz
    }

    fn breach(&mut self, rule: Rule, cycle: u64, bank: u8) {
        self.violation.get_or_insert(Violation { rule, cycle, bank });
    }

    fn set_mode(&mut self, cycle: u64, pins: SdramPins) {
        self.idle(cycle, pins.bank);
        let mode = pins.address;
        let (length, latency) = (1 << (mode & 7), u64::from(mode >> 4 & 7));
        if mode & 7 > 3 || mode & 8 != 0 || !(2..=3).contains(&latency) || mode & 0x200 == 0 {
            self.breach(Rule::Unsupported, cycle, pins.bank);
        }
        self.mode = Some((length, latency));
        self.last_mode = Some(cycle);
    }

    /// All banks must be closed, long enough.
    fn idle(&mut self, cycle: u64, bank: u8) {
        if self.banks.iter().any(|bank| bank.row.is_some()) {
            self.breach(Rule::BanksNotIdle, cycle, bank);
        }
        let closed = self.banks.iter().filter_map(|bank| bank.closed).max();
        if closed.is_some_and(|at| self.before(at, cycle, self.times.precharge)) {
            self.breach(Rule::Precharge, cycle, bank);
        }
    }

    fn refresh(&mut self, cycle: u64, bank: u8) {
        self.idle(cycle, bank);
        self.last_refresh = Some(cycle);
        self.refreshes += 1;
    }

    fn check_interval(&mut self, cycle: u64, bank: u8) {
        if let Some((from, before)) = self.counted_from {
            let due = (cycle - from) * 1_000 / (self.times.refresh_interval * self.clock_mhz);
            if due > self.refreshes - before + LATE {
                self.breach(Rule::RefreshInterval, cycle, bank);
            }
        }
    }

    fn precharge(&mut self, cycle: u64, bank: usize) {
        let state = self.banks[bank];
        if state.row.is_some() {
            if state.opened.is_some_and(|at| self.before(at, cycle, self.times.row_open)) {
                self.breach(Rule::RowOpen, cycle, bank as u8);
            }
            let early = |at| cycle < at + 2 || self.before(at, cycle, self.times.write_recovery);
            if state.written.is_some_and(early) {
                self.breach(Rule::WriteRecovery, cycle, bank as u8);
            }
            // Ends a burst after the CAS latency, whichever bank it reads.
            let latency = self.mode.map_or(0, |(_, latency)| latency);
            self.beats.retain(|(at, _)| *at < cycle + latency);
        }
        self.banks[bank].row = None;
        self.banks[bank].closed = Some(cycle);
    }

    fn activate(&mut self, cycle: u64, bank: usize, pins: SdramPins) {
        let ready = self.precharged && self.mode.is_some();
        if !ready || self.refreshes < u64::from(FIRST_REFRESHES) {
            self.breach(Rule::Initialisation, cycle, pins.bank);
        }
        self.counted_from.get_or_insert((cycle, self.refreshes));
        let state = self.banks[bank];
        let times = self.times;
        if state.row.is_some() {
            self.breach(Rule::RowIsOpen, cycle, pins.bank);
        }
        if state.closed.is_some_and(|at| self.before(at, cycle, times.precharge)) {
            self.breach(Rule::Precharge, cycle, pins.bank);
        }
        if state.opened.is_some_and(|at| self.before(at, cycle, times.row_cycle)) {
            self.breach(Rule::RowCycle, cycle, pins.bank);
        }
        if self.last_opened.is_some_and(|at| self.before(at, cycle, times.row_to_row)) {
            self.breach(Rule::RowToRow, cycle, pins.bank);
        }
        self.last_opened = Some(cycle);
        self.banks[bank] = Bank {
            row: Some(pins.address),
            opened: Some(cycle),
            closed: state.closed,
            written: None,
        };
    }

    fn column(&mut self, cycle: u64, bank: usize, pins: SdramPins) {
        let state = self.banks[bank];
        let Some(row) = state.row else { return self.breach(Rule::NoRowOpen, cycle, pins.bank) };
        if state.opened.is_some_and(|at| self.before(at, cycle, self.times.activate_to_column)) {
            self.breach(Rule::ActivateToColumn, cycle, pins.bank);
        }
        if pins.address & 0x400 != 0 {
            self.breach(Rule::Unsupported, cycle, pins.bank);
        }
        let (length, latency) = self.mode.unwrap_or((1, 2));
        let column = pins.address & 0x1FF;
        if pins.command == command::READ {
            // A read ends the burst before it.
            self.beats.retain(|(at, _)| *at < cycle + latency);
            for beat in 0..length {
                let column = column & !(length - 1) | (column + beat) & (length - 1);
                let word = self.words[word_of(bank as u8, row, column)];
                let half = (word >> (16 * (column & 1))) as u16;
                self.beats.push_back((cycle + latency + u64::from(beat), half));
            }
            return;
        }
        self.beats.retain(|(at, _)| *at <= cycle);
        let Some(data) = pins.data else {
            return self.breach(Rule::UndrivenData, cycle, pins.bank);
        };
        let lanes = [0xFF, 0xFF00].iter().enumerate();
        let kept: u32 = lanes.filter(|(bit, _)| pins.mask >> bit & 1 != 0).map(|(_, m)| m).sum();
        let shift = 16 * (column & 1);
        let word = &mut self.words[word_of(bank as u8, row, column)];
        *word = *word & !((0xFFFF & !kept) << shift) | (u32::from(data) & !kept) << shift;
        self.banks[bank].written = Some(cycle);
    }
}
