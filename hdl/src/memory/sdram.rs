//! Controller of an SDRAM of 16 bits: four banks, rows of 512 columns.
//!
//! Purpose: reads lines of eight words, the wanted word first, and writes single words by bytes.
//! The place of a word: column from bits 7..0 (two columns a word), bank from bits 9..8 and 11..10
//! (exclusive or, so that stack, heap and code do not meet in one bank), row from bits 17..10.
//!
//! | port | when |
//! |---|---|
//! | `read_valid`, `read_addr` | stay until `read_taken` |
//! | `word_valid`, `word` | eight times for each read: words n, n + 1, ... modulo 4 of the wanted one's half line, then the same of the other half |
//! | `write_valid`, `write_addr`, `write_lanes`, `write_data` | stay until `write_taken` |
//! | `video_*` | a second reader, with the same rules |
//!
//! Order: as taken. A read goes before the video's, and both before a write that waits: after its line a reader has to
//! wait for the words before it asks again, so neither starves.
//!
//! Timing: `command`, `address`, `bank`, `mask`, `write_data` and `drive` go through the pads' registers; the
//! data pins' levels come back through another. A read whose row is open gives its first word in the eighth
//! cycle after `read_valid`, then one each second cycle. A word is written in two cycles, half of it in one.
//! Rows stay open until another row of the bank is wanted or a refresh is due. CAS latency 2, bursts of
//! eight for reads, single writes.
//!
//! Corner cases: a line is read to its end before a refresh; that makes an interval at most 30 cycles
//! longer, and [`SdramTiming`] leaves room for it. Nothing is written before `enable`, after which the chip
//! gets its 200 us of rest.
//!
//! What it does not do: power down, self refresh, a third megabyte: it takes 18 bits of word address.
//!
//! Source: data sheets of IS42S16160G and W9825G6KH (commands, mode register, the slower of both times).

use rust_hdl::prelude::*;

use crate::leaf::{Reg, RegEn};

/// Cycles between commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdramTiming {
    /// Rest after power-on.
    pub rest: u32,
    /// Precharge to the next command (tRP).
    pub precharge: u32,
    /// Activate to read or write (tRCD).
    pub activate: u32,
    /// Activate to precharge (tRAS).
    pub open: u32,
    /// Last write to precharge (tWR).
    pub recovery: u32,
    /// Refresh to the next command (tRC).
    pub refresh: u32,
    /// Between refreshes (64 ms / 8192), less the longest wait for a line.
    pub interval: u32,
}

impl SdramTiming {
    /// For a clock up to 100 MHz, where a CAS latency of 2 is allowed.
    pub fn new(clock_hz: u32) -> Self {
        let cycles = |ns: u32| (u64::from(ns) * u64::from(clock_hz)).div_ceil(1_000_000_000) as u32;
        Self {
            rest: cycles(200_000),
            precharge: cycles(20),
            activate: cycles(20),
            open: cycles(45),
            recovery: cycles(15).max(2),
            refresh: cycles(66),
            interval: cycles(7_812) - 40,
        }
    }
}

/// The controller.
#[derive(LogicBlock)]
pub struct Sdram {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The clock is stable: begin with the chip's initialisation.
    pub enable: Signal<In, Bit>,

    /// A line is wanted.
    pub read_valid: Signal<In, Bit>,
    /// Word address of its word that is wanted first.
    pub read_addr: Signal<In, Bits<18>>,
    /// The line will come.
    pub read_taken: Signal<Out, Bit>,
    /// A word of the line comes.
    pub word_valid: Signal<Out, Bit>,
    /// The word.
    pub word: Signal<Out, Bits<32>>,

    /// The video wants a line.
    pub video_valid: Signal<In, Bit>,
    /// Word address of its first word.
    pub video_addr: Signal<In, Bits<18>>,
    /// The line will come.
    pub video_taken: Signal<Out, Bit>,
    /// `word` is the video's.
    pub video_word_valid: Signal<Out, Bit>,

    /// A word is to be written.
    pub write_valid: Signal<In, Bit>,
    /// Its word address.
    pub write_addr: Signal<In, Bits<18>>,
    /// Its bytes.
    pub write_lanes: Signal<In, Bits<4>>,
    /// Its value.
    pub write_word: Signal<In, Bits<32>>,
    /// It will be written.
    pub write_taken: Signal<Out, Bit>,

    /// Command: RAS, CAS, WE from bit 2 down, active low.
    pub command: Signal<Out, Bits<3>>,
    /// Row, column or mode.
    pub address: Signal<Out, Bits<13>>,
    /// Bank.
    pub bank: Signal<Out, Bits<2>>,
    /// Bytes not to write.
    pub mask: Signal<Out, Bits<2>>,
    /// Half a word to write.
    pub write_data: Signal<Out, Bits<16>>,
    /// Drive it.
    pub drive: Signal<Out, Bit>,
    /// Half a word that was read.
    pub read_data: Signal<In, Bits<16>>,

    /// 0 rest, 1 precharge, 2 and 3 refresh, 4 mode, 5 at work.
    phase: Reg<Bits<3>>,
    count: Reg<Bits<16>>,
    refreshes: Reg<Bits<3>>,
    due: Reg<Bit>,
    pause: Reg<Bits<4>>,
    /// Cycles until a bank may be precharged, until data may be driven.
    hold: Reg<Bits<4>>,
    turn: Reg<Bits<4>>,

    op_valid: Reg<Bit>,
    op_write: RegEn<Bit>,
    op_video: RegEn<Bit>,
    op_addr: RegEn<Bits<18>>,
    op_lanes: RegEn<Bits<4>>,
    op_word: RegEn<Bits<32>>,
    op_second: Reg<Bit>,

    opened: Reg<Bits<4>>,
    row0: RegEn<Bits<8>>,
    row1: RegEn<Bits<8>>,
    row2: RegEn<Bits<8>>,
    row3: RegEn<Bits<8>>,

    launch: Reg<Bits<3>>,
    beats: Reg<Bits<4>>,
    /// Of `launch` and `beats`: what is the video's.
    launch_video: Reg<Bits<3>>,
    beats_video: Reg<Bit>,
    low: Reg<Bits<16>>,

    op_bank: Signal<Local, Bits<2>>,
    op_row: Signal<Local, Bits<8>>,
    op_half: Signal<Local, Bit>,
    bank0: Signal<Local, Bit>,
    bank1: Signal<Local, Bit>,
    bank2: Signal<Local, Bit>,
    bank3: Signal<Local, Bit>,
    bank_bit: Signal<Local, Bits<4>>,
    bank_open: Signal<Local, Bits<4>>,
    row_hit: Signal<Local, Bit>,
    two_halves: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    rested: Signal<Local, Bit>,
    op_done: Signal<Local, Bit>,
    op_free: Signal<Local, Bit>,
    read_video: Signal<Local, Bit>,
    reading: Signal<Local, Bit>,
    activating: Signal<Local, Bit>,
    column: Signal<Local, Bits<9>>,
    block: Signal<Local, Bit>,
    count_end: Signal<Local, Bit>,
    interval_end: Signal<Local, Bit>,

    rest: Constant<Bits<16>>,
    interval: Constant<Bits<16>>,
    precharge_pause: Constant<Bits<4>>,
    activate_pause: Constant<Bits<4>>,
    refresh_pause: Constant<Bits<4>>,
    open_hold: Constant<Bits<4>>,
    recovery_hold: Constant<Bits<4>>,
    mode: Constant<Bits<13>>,
}

impl Sdram {
    /// Bursts of eight, in order, CAS latency 2, single writes.
    pub const MODE: u32 = 0x223;

    /// A controller with these times.
    pub fn new(timing: &SdramTiming) -> Self {
        // A pause or hold of n lets the command n + 1 cycles later.
        let after = |cycles: u32| Constant::new((cycles - 1).to_bits());
        Self {
            clock: Default::default(),
            enable: Default::default(),
            read_valid: Default::default(),
            read_addr: Default::default(),
            read_taken: Default::default(),
            word_valid: Default::default(),
            word: Default::default(),
            video_valid: Default::default(),
            video_addr: Default::default(),
            video_taken: Default::default(),
            video_word_valid: Default::default(),
            write_valid: Default::default(),
            write_addr: Default::default(),
            write_lanes: Default::default(),
            write_word: Default::default(),
            write_taken: Default::default(),
            command: Default::default(),
            address: Default::default(),
            bank: Default::default(),
            mask: Default::default(),
            write_data: Default::default(),
            drive: Default::default(),
            read_data: Default::default(),
            phase: Default::default(),
            count: Default::default(),
            refreshes: Default::default(),
            due: Default::default(),
            pause: Default::default(),
            hold: Default::default(),
            turn: Default::default(),
            op_valid: Default::default(),
            op_write: Default::default(),
            op_video: Default::default(),
            op_addr: Default::default(),
            op_lanes: Default::default(),
            op_word: Default::default(),
            op_second: Default::default(),
            opened: Default::default(),
            row0: Default::default(),
            row1: Default::default(),
            row2: Default::default(),
            row3: Default::default(),
            launch: Default::default(),
            beats: Default::default(),
            launch_video: Default::default(),
            beats_video: Default::default(),
            low: Default::default(),
            op_bank: Default::default(),
            op_row: Default::default(),
            op_half: Default::default(),
            bank0: Default::default(),
            bank1: Default::default(),
            bank2: Default::default(),
            bank3: Default::default(),
            bank_bit: Default::default(),
            bank_open: Default::default(),
            row_hit: Default::default(),
            two_halves: Default::default(),
            may: Default::default(),
            rested: Default::default(),
            op_done: Default::default(),
            op_free: Default::default(),
            read_video: Default::default(),
            reading: Default::default(),
            activating: Default::default(),
            column: Default::default(),
            block: Default::default(),
            count_end: Default::default(),
            interval_end: Default::default(),
            rest: Constant::new(timing.rest.to_bits()),
            interval: Constant::new(timing.interval.to_bits()),
            precharge_pause: after(timing.precharge),
            activate_pause: after(timing.activate),
            refresh_pause: after(timing.refresh),
            open_hold: after(timing.open),
            recovery_hold: after(timing.recovery),
            mode: Constant::new(Self::MODE.to_bits()),
        }
    }
}

impl Logic for Sdram {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, phase, count, refreshes, due, pause, hold, turn, op_valid, op_write);
        clock!(self, clock, op_addr, op_lanes, op_word, op_second, opened, row0, row1, row2, row3);
        clock!(self, clock, launch, beats, low, op_video, launch_video, beats_video);

        // The operation at hand.
        self.op_bank.next =
            self.op_addr.q.val().get_bits::<2>(8) ^ self.op_addr.q.val().get_bits::<2>(10);
        self.op_row.next = self.op_addr.q.val().get_bits::<8>(10);
        self.two_halves.next = self.op_lanes.q.val().get_bits::<2>(0).any()
            & self.op_lanes.q.val().get_bits::<2>(2).any();
        self.op_half.next =
            self.op_second.q.val() | (!self.op_lanes.q.val().get_bits::<2>(0).any());
        // Each bank's row is compared for itself; the bank at hand only chooses.
        self.bank0.next = self.op_bank.val() == 0;
        self.bank1.next = self.op_bank.val() == 1;
        self.bank2.next = self.op_bank.val() == 2;
        self.bank3.next = self.op_bank.val() == 3;
        self.bank_bit.next = bit_cast::<4, 1>(self.bank0.val().into())
            | (bit_cast::<4, 1>(self.bank1.val().into()) << 1)
            | (bit_cast::<4, 1>(self.bank2.val().into()) << 2)
            | (bit_cast::<4, 1>(self.bank3.val().into()) << 3);
        self.bank_open.next = self.opened.q.val() & self.bank_bit.val();
        self.row_hit.next = (self.bank0.val() & (self.row0.q.val() == self.op_row.val()))
            | (self.bank1.val() & (self.row1.q.val() == self.op_row.val()))
            | (self.bank2.val() & (self.row2.q.val() == self.op_row.val()))
            | (self.bank3.val() & (self.row3.q.val() == self.op_row.val()));
        self.may.next = !self.pause.q.val().any();
        self.rested.next = !self.hold.q.val().any();

        // Counters.
        self.pause.d.next = 0.into();
        if self.pause.q.val().any() {
            self.pause.d.next = self.pause.q.val() - 1;
        }
        self.hold.d.next = 0.into();
        if self.hold.q.val().any() {
            self.hold.d.next = self.hold.q.val() - 1;
        }
        self.turn.d.next = 0.into();
        if self.turn.q.val().any() {
            self.turn.d.next = self.turn.q.val() - 1;
        }
        self.count_end.next = self.count.q.val() == self.rest.val();
        self.interval_end.next = self.count.q.val() == self.interval.val();
        self.count.d.next = self.count.q.val() + 1;
        self.due.d.next = self.due.q.val();
        if self.interval_end.val() & (self.phase.q.val() == 5) {
            self.count.d.next = 0.into();
            self.due.d.next = true;
        }

        // Commands; 7 does nothing.
        self.command.next = 7.into();
        self.address.next = 0.into();
        self.bank.next = self.op_bank.val();
        self.mask.next = 0.into();
        self.drive.next = false;
        self.phase.d.next = self.phase.q.val();
        self.refreshes.d.next = self.refreshes.q.val();
        self.opened.d.next = self.opened.q.val();
        self.op_second.d.next = self.op_second.q.val();
        self.op_done.next = false;
        self.reading.next = false;
        self.activating.next = false;

        // Columns: a half word for a write; for a read the wanted word, then the same of the other block.
        self.block.next = self.op_addr.q.val().get_bit(2) ^ self.op_second.q.val();
        self.column.next = bit_cast::<9, 1>(self.op_half.val().into())
            | (bit_cast::<9, 8>(self.op_addr.q.val().get_bits::<8>(0)) << 1);
        if !self.op_write.q.val() {
            self.column.next = (bit_cast::<9, 2>(self.op_addr.q.val().get_bits::<2>(0)) << 1)
                | (bit_cast::<9, 1>(self.block.val().into()) << 3)
                | (bit_cast::<9, 5>(self.op_addr.q.val().get_bits::<5>(3)) << 4);
        }

        if self.phase.q.val() == 0 {
            if !self.enable.val() {
                self.count.d.next = 0.into();
            } else if self.count_end.val() {
                self.phase.d.next = 1.into();
            }
        } else if !self.may.val() {
            self.mask.next = 0.into();
        } else if self.phase.q.val() == 1 {
            self.command.next = 2.into();
            self.address.next = 0x400.into();
            self.pause.d.next = self.precharge_pause.val();
            self.phase.d.next = 2.into();
        } else if self.phase.q.val() == 2 {
            // Eight refreshes.
            self.command.next = 1.into();
            self.pause.d.next = self.refresh_pause.val();
            self.refreshes.d.next = self.refreshes.q.val() + 1;
            if self.refreshes.q.val().all() {
                self.phase.d.next = 4.into();
            }
        } else if self.phase.q.val() == 4 {
            self.command.next = 0.into();
            self.bank.next = 0.into();
            self.address.next = self.mode.val();
            self.pause.d.next = 2.into();
            self.phase.d.next = 5.into();
            self.count.d.next = 0.into();
        } else if self.due.q.val() & (!self.op_second.q.val()) {
            if self.opened.q.val().any() {
                if self.rested.val() {
                    self.command.next = 2.into();
                    self.address.next = 0x400.into();
                    self.opened.d.next = 0.into();
                    self.pause.d.next = self.precharge_pause.val();
                }
            } else {
                self.command.next = 1.into();
                self.due.d.next = false;
                self.pause.d.next = self.refresh_pause.val();
            }
        } else if self.op_valid.q.val() {
            if self.bank_open.val().any() & self.row_hit.val() {
                self.address.next = bit_cast::<13, 9>(self.column.val());
                if !self.op_write.q.val() {
                    self.command.next = 5.into();
                    self.reading.next = true;
                    self.pause.d.next = 7.into();
                    self.turn.d.next = 10.into();
                    self.op_second.d.next = !self.op_second.q.val();
                    self.op_done.next = self.op_second.q.val();
                } else if !self.turn.q.val().any() {
                    self.command.next = 4.into();
                    self.drive.next = true;
                    self.mask.next = !self.op_lanes.q.val().get_bits::<2>(0);
                    if self.op_half.val() {
                        self.mask.next = !self.op_lanes.q.val().get_bits::<2>(2);
                    }
                    if self.hold.q.val() <= self.recovery_hold.val() {
                        self.hold.d.next = self.recovery_hold.val();
                    }
                    self.op_second.d.next = self.two_halves.val() & (!self.op_second.q.val());
                    self.op_done.next = self.op_second.q.val() | (!self.two_halves.val());
                }
            } else if self.bank_open.val().any() {
                if self.rested.val() {
                    self.command.next = 2.into();
                    self.opened.d.next = self.opened.q.val() & (!self.bank_bit.val());
                    self.pause.d.next = self.precharge_pause.val();
                }
            } else {
                self.command.next = 3.into();
                self.activating.next = true;
                self.address.next = bit_cast::<13, 8>(self.op_row.val());
                self.opened.d.next = self.opened.q.val() | self.bank_bit.val();
                self.pause.d.next = self.activate_pause.val();
                self.hold.d.next = self.open_hold.val();
            }
        }
        self.write_data.next = self.op_word.q.val().get_bits::<16>(0);
        if self.op_half.val() {
            self.write_data.next = self.op_word.q.val().get_bits::<16>(16);
        }
        self.row0.en.next = self.activating.val() & self.bank0.val();
        self.row1.en.next = self.activating.val() & self.bank1.val();
        self.row2.en.next = self.activating.val() & self.bank2.val();
        self.row3.en.next = self.activating.val() & self.bank3.val();
        self.row0.d.next = self.op_row.val();
        self.row1.d.next = self.op_row.val();
        self.row2.d.next = self.op_row.val();
        self.row3.d.next = self.op_row.val();

        // The next operation.
        self.op_free.next = (!self.op_valid.q.val()) | self.op_done.val();
        self.read_taken.next = self.op_free.val() & self.read_valid.val();
        self.video_taken.next =
            self.op_free.val() & self.video_valid.val() & (!self.read_valid.val());
        self.write_taken.next = self.op_free.val()
            & self.write_valid.val()
            & (!self.read_valid.val())
            & (!self.video_valid.val());
        self.op_valid.d.next = self.op_valid.q.val();
        if self.op_free.val() {
            self.op_valid.d.next =
                self.read_valid.val() | self.video_valid.val() | self.write_valid.val();
        }
        self.op_write.en.next = self.op_free.val();
        self.op_write.d.next = (!self.read_valid.val()) & (!self.video_valid.val());
        self.op_video.en.next = self.op_free.val();
        self.op_video.d.next = self.video_valid.val() & (!self.read_valid.val());
        self.op_addr.en.next = self.op_free.val();
        self.op_addr.d.next = self.write_addr.val();
        if self.video_valid.val() & (!self.read_valid.val()) {
            self.op_addr.d.next = self.video_addr.val();
        }
        if self.read_valid.val() {
            self.op_addr.d.next = self.read_addr.val();
        }
        self.op_lanes.en.next = self.op_free.val();
        self.op_lanes.d.next = self.write_lanes.val();
        self.op_word.en.next = self.op_free.val();
        self.op_word.d.next = self.write_word.val();

        // Data that comes back: the first beat is in the pads' register in the fourth cycle after its read.
        self.launch.d.next =
            (self.launch.q.val() << 1) | bit_cast::<3, 1>(self.reading.val().into());
        self.read_video.next = self.reading.val() & self.op_video.q.val();
        self.launch_video.d.next =
            (self.launch_video.q.val() << 1) | bit_cast::<3, 1>(self.read_video.val().into());
        self.beats_video.d.next = self.beats_video.q.val();
        if self.launch.q.val().get_bit(2) {
            self.beats_video.d.next = self.launch_video.q.val().get_bit(2);
        }
        self.beats.d.next = 0.into();
        if self.launch.q.val().get_bit(2) {
            self.beats.d.next = 8.into();
        } else if self.beats.q.val().any() {
            self.beats.d.next = self.beats.q.val() - 1;
        }
        self.low.d.next = self.read_data.val();
        self.word_valid.next = self.beats.q.val().get_bit(0) & (!self.beats_video.q.val());
        self.video_word_valid.next = self.beats.q.val().get_bit(0) & self.beats_video.q.val();
        self.word.next =
            bit_cast::<32, 16>(self.low.q.val()) | (bit_cast::<32, 16>(self.read_data.val()) << 16);
    }
}
