//! Reads a scan line out of the framebuffer into one half of the line buffer.
//!
//! | port | width | meaning |
//! |---|---|---|
//! | `flip`, `wanted` | 1, 10 | of the other clock: `flip` changes when the line `wanted` is to be read |
//! | `valid`, `addr`, `taken`, `word_valid` | 1, 18, 1, 1 | to the memory, see [`crate::memory::Sdram::video_valid`] |
//! | `place` | 6 | where the word that comes goes: half of the buffer, word |
//!
//! Timing: four reads of eight words, one behind the other; the first is asked for four cycles behind `flip`.
//!
//! Corner cases: a line that is asked for before the one before it is there (before the memory's initialisation has
//! ended) mixes the two; the next one is whole again.
//!
//! Source: Project Oberon's VID.v: the bottom row stands first; [`risc5_isa::map::FRAMEBUFFER`].

use risc5_isa::map;
use rust_hdl::prelude::*;

use crate::leaf::{Reg, RegEn};

/// Rows of the picture.
const ROWS: u32 = 768;
/// The row of line 0, counted in rows of 32 words from address 0.
const TOP_ROW: u32 = map::FRAMEBUFFER / 128 + ROWS - 1;

/// The reader of lines.
#[derive(LogicBlock)]
pub struct Fetcher {
    /// The machine's clock.
    pub clock: Signal<In, Clock>,
    /// Changes when a line is wanted; not in step with the clock.
    pub flip: Signal<In, Bit>,
    /// That line; stays long enough.
    pub wanted: Signal<In, Bits<10>>,
    /// Eight words are wanted.
    pub valid: Signal<Out, Bit>,
    /// Word address of the first.
    pub addr: Signal<Out, Bits<18>>,
    /// They will come.
    pub taken: Signal<In, Bit>,
    /// One comes.
    pub word_valid: Signal<In, Bit>,
    /// Its place in the line buffer.
    pub place: Signal<Out, Bits<6>>,
    flip1: Reg<Bit>,
    flip2: Reg<Bit>,
    flip3: Reg<Bit>,
    row: RegEn<Bits<13>>,
    half: RegEn<Bit>,
    count: Reg<Bits<5>>,
    asks: Reg<Bit>,
    begins: Signal<Local, Bit>,
    part_ends: Signal<Local, Bit>,
    top_row: Constant<Bits<13>>,
}

impl Default for Fetcher {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            flip: Default::default(),
            wanted: Default::default(),
            valid: Default::default(),
            addr: Default::default(),
            taken: Default::default(),
            word_valid: Default::default(),
            place: Default::default(),
            flip1: Default::default(),
            flip2: Default::default(),
            flip3: Default::default(),
            row: Default::default(),
            half: Default::default(),
            count: Default::default(),
            asks: Default::default(),
            begins: Default::default(),
            part_ends: Default::default(),
            top_row: Constant::new(TOP_ROW.to_bits()),
        }
    }
}

impl Logic for Fetcher {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, flip1, flip2, flip3, row, half, count, asks);
        self.flip1.d.next = self.flip.val();
        self.flip2.d.next = self.flip1.q.val();
        self.flip3.d.next = self.flip2.q.val();
        self.begins.next = self.flip2.q.val() ^ self.flip3.q.val();
        self.row.en.next = self.begins.val();
        self.row.d.next = self.top_row.val() - bit_cast::<13, 10>(self.wanted.val());
        self.half.en.next = self.begins.val();
        self.half.d.next = self.wanted.val().get_bit(0);

        self.part_ends.next = self.word_valid.val() & self.count.q.val().get_bits::<3>(0).all();
        self.count.d.next = self.count.q.val();
        self.asks.d.next = self.asks.q.val() & (!self.taken.val());
        if self.word_valid.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.part_ends.val() & (!self.count.q.val().all()) {
            self.asks.d.next = true;
        }
        if self.begins.val() {
            self.count.d.next = 0.into();
            self.asks.d.next = true;
        }
        self.valid.next = self.asks.q.val();
        self.addr.next = (bit_cast::<18, 13>(self.row.q.val()) << 5)
            | (bit_cast::<18, 2>(self.count.q.val().get_bits::<2>(3)) << 3);
        self.place.next = (bit_cast::<6, 1>(self.half.q.val().into()) << 5)
            | bit_cast::<6, 5>(self.count.q.val());
    }
}
