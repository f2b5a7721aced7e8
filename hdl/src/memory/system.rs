//! Both ports of the core: caches, write buffer, PROM and SDRAM, and the way to the I/O words.
//!
//! Purpose: what the core sees as memory on a board. Instructions and data have a cache each; a miss is filled
//! from the SDRAM, or from the PROM for its window. Stores go to both caches, where they have the word, and
//! through a buffer of sixteen to the SDRAM.
//!
//! | port | what |
//! |---|---|
//! | `i_*`, `d_*`, `s_*` | the core's, with its rules |
//! | `video_*` | lines for a picture, past the caches: they are written through |
//! | `io_*` | an I/O word, in the cycle after its request; `io_wait` holds the core |
//! | the rest | to the pads of the SDRAM, see [`Sdram`] |
//!
//! Timing: a hit answers in the next cycle; a datum only if [`RecentLines`] knows its line, else a cycle
//! later, because the tag leaves the block RAM too late to let the core go on at once; an instruction only if
//! it follows the one before it, else a cycle later. Block RAM is slow behind its clock, so an instruction goes
//! through a register before the core decodes it, and the cache is asked one word ahead. After a miss the
//! wanted word is the answer as soon as it comes; the rest of the line comes behind it, and words of it
//! that are asked for meanwhile are answered as they
//! come. A store is done at once unless the buffer is full or a line is on its way.
//!
//! The caches read at every edge, whether or not the core goes on, so that what holds the core ends at registers and
//! not at the enables of distant block RAMs. What a cache shows for one cycle is kept: the datum in the
//! register that also takes words of a line, the instruction behind the one given to the core in `k_word`.
//!
//! # Coherence
//!
//! - A store is in both caches one edge after its request. A load of that word requested at this very edge gets
//!   the stored bytes from the store's own register, an instruction looked up then, or before and not
//!   yet given to the core, is a miss.
//! - A line is read after every store to it that waits in the buffer: 32 flags say which lines may
//!   have one, by five bits of their address. They are cleared when the buffer is empty.
//! - While a line is on its way a store waits, then looks for its word in both caches.
//!
//! Corner cases: an instruction of the line on its way that has passed already is looked up again behind the
//! line; a data word costs a second fill. A load of an
//! I/O word may start a look into the cache; its result is ignored. Lines of the PROM are cached like others;
//! stores never hit them.
//!
//! What it does not do: write-back, lines ahead of a miss.

use rust_hdl::prelude::*;

use super::{Cache, LanePlace, RecentLines, Sdram, SdramTiming};
use crate::leaf::{AsyncRam, Prom, Reg, RegEn};

/// PROM of `2^P` words, an instruction cache of `2^IN` and a data cache of `2^DN`; see [`Cache`] for the other
/// sizes.
#[derive(LogicBlock)]
pub struct Memory<
    const P: usize,
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The clock is stable.
    pub enable: Signal<In, Bit>,

    /// See the core.
    pub i_valid: Signal<In, Bit>,
    /// See the core.
    pub i_turn: Signal<In, Bit>,
    /// See the core.
    pub i_target: Signal<In, Bits<22>>,
    /// See the core.
    pub i_ready: Signal<Out, Bit>,
    /// See the core.
    pub i_data: Signal<Out, Bits<32>>,
    /// See the core.
    pub d_valid: Signal<In, Bit>,
    /// See the core.
    pub d_addr: Signal<In, Bits<24>>,
    /// See the core.
    pub d_write: Signal<In, Bit>,
    /// See the core.
    pub d_lanes: Signal<In, Bits<4>>,
    /// See the core.
    pub d_ready: Signal<Out, Bit>,
    /// See the core.
    pub d_rdata: Signal<Out, Bits<32>>,
    /// The address of a store, without the address of a load in its way.
    pub s_addr: Signal<In, Bits<24>>,
    /// See the core. A byte gets into its lane behind the register: it may come late.
    pub s_value: Signal<In, Bits<32>>,

    /// An I/O word is read or written in this cycle.
    pub io_access: Signal<Out, Bit>,
    /// It is written.
    pub io_write: Signal<Out, Bit>,
    /// Number of the word.
    pub io_word: Signal<Out, Bits<4>>,
    /// What is written.
    pub io_wdata: Signal<Out, Bits<32>>,
    /// What is read.
    pub io_rdata: Signal<In, Bits<32>>,
    /// The core has to wait.
    pub io_wait: Signal<In, Bit>,

    /// See [`Sdram::video_valid`].
    pub video_valid: Signal<In, Bit>,
    /// See [`Sdram::video_addr`].
    pub video_addr: Signal<In, Bits<18>>,
    /// See [`Sdram::video_taken`].
    pub video_taken: Signal<Out, Bit>,
    /// See [`Sdram::video_word_valid`].
    pub video_word_valid: Signal<Out, Bit>,
    /// A word of the video's line.
    pub video_word: Signal<Out, Bits<32>>,

    /// See [`Sdram::command`].
    pub command: Signal<Out, Bits<3>>,
    /// See [`Sdram::address`].
    pub address: Signal<Out, Bits<13>>,
    /// See [`Sdram::bank`].
    pub bank: Signal<Out, Bits<2>>,
    /// See [`Sdram::mask`].
    pub mask: Signal<Out, Bits<2>>,
    /// See [`Sdram::write_data`].
    pub write_data: Signal<Out, Bits<16>>,
    /// See [`Sdram::drive`].
    pub drive: Signal<Out, Bit>,
    /// See [`Sdram::read_data`].
    pub read_data: Signal<In, Bits<16>>,

    i_cache: Cache<IN, IK, IT>,
    d_cache: Cache<DN, DK, DT>,
    recent: RecentLines,
    s_place: LanePlace,
    io_place: LanePlace,
    prom: Prom<P>,
    sdram: Sdram,
    buffer: AsyncRam<54, 4>,

    // Instructions: what the core wants, the word given to it, and whether the word behind is stale.
    i_live: RegEn<Bit>,
    i_want: RegEn<Bits<22>>,
    q_valid: Reg<Bit>,
    q_differs: RegEn<Bits<IT>>,
    q_doubt: RegEn<Bit>,
    q_word: RegEn<Bits<32>>,
    // The word behind it, kept while the core stands still.
    k_valid: Reg<Bit>,
    k_differs: RegEn<Bits<IT>>,
    k_doubt: Reg<Bit>,
    k_word: RegEn<Bits<32>>,
    relook: Reg<Bit>,

    // The load at hand: whether it was asked for at the last edge, so that the cache shows its word.
    d_fresh: Reg<Bit>,
    d_word: RegEn<Bits<18>>,
    d_load: RegEn<Bit>,
    d_answered: Reg<Bit>,
    d_answer: RegEn<Bits<32>>,
    d_missed: Reg<Bit>,
    d_second: Reg<Bit>,
    d_differs: Reg<Bits<DT>>,
    d_doubt: Reg<Bit>,
    io_now: Reg<Bit>,
    io_writes: RegEn<Bit>,
    io_number: RegEn<Bits<4>>,
    io_value: RegEn<Bits<32>>,
    io_lanes: RegEn<Bits<4>>,

    // The store at hand: not yet in caches and buffer, or the last one.
    s_waits: Reg<Bit>,
    s_fresh: Reg<Bit>,
    s_word: RegEn<Bits<18>>,
    s_lanes: RegEn<Bits<4>>,
    s_raw: RegEn<Bits<32>>,

    // The line on its way.
    f_busy: Reg<Bit>,
    f_opens: Reg<Bit>,
    f_asks: Reg<Bit>,
    f_data: RegEn<Bit>,
    f_word: RegEn<Bits<18>>,
    f_prom: RegEn<Bit>,
    f_count: Reg<Bits<3>>,
    p_busy: Reg<Bit>,
    p_valid: Reg<Bit>,
    p_count: Reg<Bits<3>>,

    // The buffer.
    first: Reg<Bits<4>>,
    held: Reg<Bits<5>>,
    flags: Reg<Bits<32>>,

    is_io: Signal<Local, Bit>,
    s_is_io: Signal<Local, Bit>,
    s_new: Signal<Local, Bit>,
    s_goes: Signal<Local, Bit>,
    s_stuck: Signal<Local, Bit>,
    s_looks: Signal<Local, Bits<18>>,
    full: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    past: Signal<Local, Bits<4>>,
    oldest: Signal<Local, Bits<54>>,
    i_have: Signal<Local, Bit>,
    i_misses: Signal<Local, Bit>,
    i_follows: Signal<Local, Bits<22>>,
    i_step: Signal<Local, Bits<22>>,
    ahead: Signal<Local, Bits<22>>,
    wanted: Signal<Local, Bits<18>>,
    wanted_prom: Signal<Local, Bit>,
    stale: Signal<Local, Bit>,
    k_stale: Signal<Local, Bit>,
    q_takes: Signal<Local, Bit>,
    q_hit: Signal<Local, Bit>,
    next_differs: Signal<Local, Bits<IT>>,
    next_doubt: Signal<Local, Bit>,
    next_word: Signal<Local, Bits<32>>,
    d_have: Signal<Local, Bit>,
    d_looked: Signal<Local, Bit>,
    d_decides: Signal<Local, Bit>,
    d_same: Signal<Local, Bit>,
    d_hit: Signal<Local, Bit>,
    d_miss: Signal<Local, Bit>,
    d_known: Signal<Local, Bit>,
    d_opens: Signal<Local, Bit>,
    d_closes: Signal<Local, Bit>,
    i_starts: Signal<Local, Bit>,
    d_starts: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    start_word: Signal<Local, Bits<18>>,
    start_prom: Signal<Local, Bit>,
    f_index: Signal<Local, Bits<3>>,
    f_low: Signal<Local, Bits<2>>,
    f_high: Signal<Local, Bit>,
    f_addr: Signal<Local, Bits<18>>,
    p_index: Signal<Local, Bits<3>>,
    p_low: Signal<Local, Bits<2>>,
    p_high: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    value: Signal<Local, Bits<32>>,
    last: Signal<Local, Bit>,
    i_answers: Signal<Local, Bit>,
    d_answers: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    bypass: Signal<Local, Bits<4>>,
    placed: Signal<Local, Bits<32>>,
    d_other: Signal<Local, Bits<32>>,
    d_from_other: Signal<Local, Bits<4>>,
    d_value: Signal<Local, Bits<32>>,
    lane0: Signal<Local, Bits<8>>,
    lane1: Signal<Local, Bits<8>>,
    lane2: Signal<Local, Bits<8>>,
    lane3: Signal<Local, Bits<8>>,
    flag: Signal<Local, Bits<32>>,
    flag_number: Signal<Local, Bits<5>>,
    asked_number: Signal<Local, Bits<5>>,
    asked_flags: Signal<Local, Bits<32>>,
    kept: Signal<Local, Bits<32>>,
    blocked: Signal<Local, Bit>,
    one: Constant<Bits<32>>,
}

impl<
    const P: usize,
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> Memory<P, IN, IK, IT, DN, DK, DT>
{
    /// A memory with the given PROM, cut to its size, and an SDRAM with these times.
    pub fn new(timing: &SdramTiming, prom: &[u32]) -> Self {
        Self {
            clock: Default::default(),
            enable: Default::default(),
            i_valid: Default::default(),
            i_turn: Default::default(),
            i_target: Default::default(),
            i_follows: Default::default(),
            i_ready: Default::default(),
            i_data: Default::default(),
            d_valid: Default::default(),
            d_addr: Default::default(),
            d_write: Default::default(),
            d_lanes: Default::default(),
            d_ready: Default::default(),
            d_rdata: Default::default(),
            s_addr: Default::default(),
            s_value: Default::default(),
            io_access: Default::default(),
            io_write: Default::default(),
            io_word: Default::default(),
            io_wdata: Default::default(),
            io_rdata: Default::default(),
            io_wait: Default::default(),
            video_valid: Default::default(),
            video_addr: Default::default(),
            video_taken: Default::default(),
            video_word_valid: Default::default(),
            video_word: Default::default(),
            command: Default::default(),
            address: Default::default(),
            bank: Default::default(),
            mask: Default::default(),
            write_data: Default::default(),
            drive: Default::default(),
            read_data: Default::default(),
            i_cache: Default::default(),
            d_cache: Default::default(),
            recent: Default::default(),
            s_place: Default::default(),
            io_place: Default::default(),
            buffer: Default::default(),
            i_live: Default::default(),
            i_want: Default::default(),
            q_valid: Default::default(),
            q_differs: Default::default(),
            q_doubt: Default::default(),
            q_word: Default::default(),
            k_valid: Default::default(),
            k_differs: Default::default(),
            k_doubt: Default::default(),
            k_word: Default::default(),
            k_stale: Default::default(),
            q_takes: Default::default(),
            q_hit: Default::default(),
            next_differs: Default::default(),
            next_doubt: Default::default(),
            next_word: Default::default(),
            relook: Default::default(),
            d_fresh: Default::default(),
            d_word: Default::default(),
            d_load: Default::default(),
            d_answered: Default::default(),
            d_answer: Default::default(),
            d_missed: Default::default(),
            d_second: Default::default(),
            d_differs: Default::default(),
            d_doubt: Default::default(),
            d_decides: Default::default(),
            d_same: Default::default(),
            d_miss: Default::default(),
            io_now: Default::default(),
            io_writes: Default::default(),
            io_number: Default::default(),
            io_value: Default::default(),
            io_lanes: Default::default(),
            s_waits: Default::default(),
            s_fresh: Default::default(),
            s_word: Default::default(),
            s_lanes: Default::default(),
            s_raw: Default::default(),
            f_busy: Default::default(),
            f_opens: Default::default(),
            f_asks: Default::default(),
            f_data: Default::default(),
            f_word: Default::default(),
            f_prom: Default::default(),
            f_count: Default::default(),
            p_busy: Default::default(),
            p_valid: Default::default(),
            p_count: Default::default(),
            first: Default::default(),
            held: Default::default(),
            flags: Default::default(),
            is_io: Default::default(),
            s_is_io: Default::default(),
            s_new: Default::default(),
            s_goes: Default::default(),
            s_stuck: Default::default(),
            s_looks: Default::default(),
            full: Default::default(),
            empty: Default::default(),
            past: Default::default(),
            oldest: Default::default(),
            i_have: Default::default(),
            i_misses: Default::default(),
            i_step: Default::default(),
            ahead: Default::default(),
            wanted: Default::default(),
            wanted_prom: Default::default(),
            stale: Default::default(),
            d_have: Default::default(),
            d_looked: Default::default(),
            d_hit: Default::default(),
            d_known: Default::default(),
            d_opens: Default::default(),
            d_closes: Default::default(),
            i_starts: Default::default(),
            d_starts: Default::default(),
            starts: Default::default(),
            start_word: Default::default(),
            start_prom: Default::default(),
            f_index: Default::default(),
            f_low: Default::default(),
            f_high: Default::default(),
            f_addr: Default::default(),
            p_index: Default::default(),
            p_low: Default::default(),
            p_high: Default::default(),
            arrives: Default::default(),
            value: Default::default(),
            last: Default::default(),
            i_answers: Default::default(),
            d_answers: Default::default(),
            same: Default::default(),
            bypass: Default::default(),
            placed: Default::default(),
            d_other: Default::default(),
            d_from_other: Default::default(),
            d_value: Default::default(),
            lane0: Default::default(),
            lane1: Default::default(),
            lane2: Default::default(),
            lane3: Default::default(),
            flag: Default::default(),
            flag_number: Default::default(),
            asked_number: Default::default(),
            asked_flags: Default::default(),
            kept: Default::default(),
            blocked: Default::default(),
            prom: Prom::new(prom),
            sdram: Sdram::new(timing),
            one: Constant::new(1.into()),
        }
    }
}

impl<
    const P: usize,
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> Logic for Memory<P, IN, IK, IT, DN, DK, DT>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, i_cache, d_cache, recent, prom, sdram, buffer, i_live, i_want, q_valid);
        clock!(
            self, clock, io_lanes, q_differs, q_doubt, q_word, k_valid, k_differs, k_doubt, k_word,
            relook, d_fresh, d_word, d_load, d_second, d_differs, d_doubt, d_answered, d_answer,
            d_missed, io_now
        );
        clock!(self, clock, io_writes, io_number, io_value, s_waits, s_fresh, s_word, s_lanes);
        clock!(self, clock, s_raw, f_busy, f_opens, f_asks, f_data, f_word, f_prom, f_count);
        clock!(self, clock, p_busy, p_valid, p_count, first, held, flags);

        // ---- The line on its way: which of its words comes ----
        self.f_low.next =
            self.f_word.q.val().get_bits::<2>(0) + self.f_count.q.val().get_bits::<2>(0);
        self.f_high.next = self.f_word.q.val().get_bit(2) ^ self.f_count.q.val().get_bit(2);
        self.f_index.next =
            (bit_cast::<3, 1>(self.f_high.val().into()) << 2) | bit_cast::<3, 2>(self.f_low.val());
        self.f_addr.next = (self.f_word.q.val() & 0x3_FFF8) | bit_cast::<18, 3>(self.f_index.val());
        self.p_low.next =
            self.f_word.q.val().get_bits::<2>(0) + self.p_count.q.val().get_bits::<2>(0);
        self.p_high.next = self.f_word.q.val().get_bit(2) ^ self.p_count.q.val().get_bit(2);
        self.p_index.next =
            (bit_cast::<3, 1>(self.p_high.val().into()) << 2) | bit_cast::<3, 2>(self.p_low.val());
        self.prom.en.next = self.p_busy.q.val();
        self.prom.addr.next = ((bit_cast::<P, 15>(self.f_word.q.val().get_bits::<15>(3))) << 3)
            | bit_cast::<P, 3>(self.p_index.val());
        self.p_valid.d.next = self.p_busy.q.val();
        self.arrives.next = self.sdram.word_valid.val() | self.p_valid.q.val();
        self.value.next = self.sdram.word.val();
        if self.p_valid.q.val() {
            self.value.next = self.prom.data.val();
        }
        self.last.next = self.arrives.val() & self.f_count.q.val().all();

        // ---- Instruction port: the cache is asked for the word behind the one that the core gets ----
        self.i_live.en.next = self.i_valid.val();
        self.i_live.d.next = true;
        self.i_want.en.next = self.i_valid.val();
        self.i_follows.next = self.i_want.q.val() + 1;
        self.i_want.d.next = self.i_follows.val();
        if self.i_turn.val() {
            self.i_want.d.next = self.i_target.val();
        }
        self.wanted.next = self.i_want.q.val().get_bits::<18>(0);
        self.wanted_prom.next = self.i_want.q.val().get_bits::<10>(12).all();
        self.q_hit.next = !(self.q_differs.q.val().any() | self.q_doubt.q.val());
        self.i_have.next = (!self.i_live.q.val()) | (self.q_valid.q.val() & self.q_hit.val());
        self.i_misses.next = self.q_valid.q.val() & (!self.i_have.val());
        self.i_step.next = 1.into();
        if self.i_have.val() {
            self.i_step.next = 2.into();
        } else if self.relook.q.val() & self.q_valid.q.val() {
            self.i_step.next = 0.into();
        }
        self.ahead.next = self.i_want.q.val() + self.i_step.val();
        if self.i_have.val() & self.i_turn.val() {
            self.ahead.next = self.i_target.val();
        }
        self.i_cache.addr.next = self.ahead.val().get_bits::<18>(0);
        self.i_cache.prom.next = self.ahead.val().get_bits::<10>(12).all();
        self.i_cache.exact.next = true;
        self.stale.next = self.s_waits.q.val() & (self.s_word.q.val() == self.i_cache.held.val());
        // While the core stands still the cache already looks behind; the word before is kept.
        self.k_stale.next =
            self.s_waits.q.val() & (self.s_word.q.val() == self.i_follows.val().get_bits::<18>(0));
        self.next_differs.next = self.i_cache.differs.val();
        self.next_doubt.next = self.i_cache.unknown.val() | self.stale.val();
        self.next_word.next = self.i_cache.data.val();
        if self.k_valid.q.val() {
            self.next_differs.next = self.k_differs.q.val();
            self.next_doubt.next = self.k_doubt.q.val() | self.k_stale.val();
            self.next_word.next = self.k_word.q.val();
        }
        self.k_valid.d.next = self.i_have.val() & (!self.i_valid.val());
        self.k_doubt.d.next = self.next_doubt.val();
        self.k_differs.en.next = !self.k_valid.q.val();
        self.k_differs.d.next = self.i_cache.differs.val();
        self.k_word.en.next = !self.k_valid.q.val();
        self.k_word.d.next = self.i_cache.data.val();
        self.i_answers.next = self.arrives.val()
            & (!self.i_have.val())
            & (!self.f_data.q.val())
            & (self.wanted.val() == self.f_addr.val())
            & (self.wanted_prom.val() == self.f_prom.q.val());
        self.q_valid.d.next = self.q_valid.q.val();
        if self.i_have.val() {
            if self.i_valid.val() {
                self.q_valid.d.next = !self.i_turn.val();
            }
        } else {
            // What the core waits for has just come, is not there, or may have passed meanwhile.
            self.q_valid.d.next =
                self.i_answers.val() | (!self.q_valid.q.val()) | (!self.relook.q.val());
        }
        self.q_takes.next = self.i_valid.val() | (!self.q_valid.q.val()) | self.i_answers.val();
        self.q_differs.en.next = self.q_takes.val();
        self.q_differs.d.next = self.next_differs.val();
        self.q_doubt.en.next = self.q_takes.val();
        self.q_doubt.d.next = self.next_doubt.val();
        self.q_word.en.next = self.q_takes.val();
        self.q_word.d.next = self.next_word.val();
        if self.i_answers.val() {
            self.q_differs.d.next = 0.into();
            self.q_doubt.d.next = false;
            self.q_word.d.next = self.value.val();
        }
        self.i_ready.next = self.i_have.val();
        self.i_data.next = self.q_word.q.val();
        self.relook.d.next = self.last.val() & (!self.f_data.q.val());

        // ---- Stores ----
        self.full.next = self.held.q.val().get_bit(4);
        self.empty.next = !self.held.q.val().any();
        self.s_is_io.next = self.s_addr.val().get_bits::<18>(6).all();
        self.s_new.next = self.d_valid.val() & self.d_write.val() & (!self.s_is_io.val());
        self.s_goes.next = self.s_waits.q.val()
            & self.s_fresh.q.val()
            & (!self.f_busy.q.val())
            & (!self.full.val());
        self.s_stuck.next = self.s_waits.q.val() & (!self.s_goes.val());
        self.s_waits.d.next = self.s_new.val() | self.s_stuck.val();
        self.s_fresh.d.next = !(self.f_opens.q.val() | self.last.val());
        self.s_word.en.next = self.s_new.val();
        self.s_word.d.next = self.s_addr.val().get_bits::<18>(2);
        self.s_lanes.en.next = self.s_new.val();
        self.s_lanes.d.next = self.d_lanes.val();
        self.s_raw.en.next = self.s_new.val();
        self.s_raw.d.next = self.s_value.val();
        self.s_place.value.next = self.s_raw.q.val();
        self.s_place.lanes.next = self.s_lanes.q.val();
        self.placed.next = self.s_place.placed.val();
        self.s_looks.next = self.s_addr.val().get_bits::<18>(2);
        if self.s_stuck.val() {
            self.s_looks.next = self.s_word.q.val();
        }
        self.i_cache.store_addr.next = self.s_looks.val();
        self.i_cache.update.next = self.s_goes.val();
        self.i_cache.update_addr.next = self.s_word.q.val();
        self.i_cache.lanes.next = self.s_lanes.q.val();
        self.i_cache.wdata.next = self.placed.val();
        self.d_cache.store_addr.next = self.s_looks.val();
        self.d_cache.update.next = self.s_goes.val();
        self.d_cache.update_addr.next = self.s_word.q.val();
        self.d_cache.lanes.next = self.s_lanes.q.val();
        self.d_cache.wdata.next = self.placed.val();

        // ---- Data port ----
        self.is_io.next = self.d_addr.val().get_bits::<18>(6).all();
        self.d_cache.addr.next = self.d_addr.val().get_bits::<18>(2);
        self.d_cache.prom.next = false;
        self.d_cache.exact.next = false;
        self.d_fresh.d.next = self.d_valid.val();
        self.d_word.en.next = self.d_valid.val();
        self.d_word.d.next = self.d_addr.val().get_bits::<18>(2);
        self.d_load.en.next = self.d_valid.val();
        self.d_load.d.next = !(self.d_write.val() | self.is_io.val());
        self.io_now.d.next = self.d_valid.val() & self.is_io.val();
        self.io_writes.en.next = self.d_valid.val();
        self.io_writes.d.next = self.d_write.val();
        self.io_number.en.next = self.d_valid.val();
        self.io_number.d.next = self.d_addr.val().get_bits::<4>(2);
        self.io_lanes.en.next = self.d_valid.val();
        self.io_lanes.d.next = self.d_lanes.val();
        self.io_value.en.next = self.d_valid.val();
        self.io_value.d.next = self.s_value.val();
        self.io_access.next = self.io_now.q.val();
        self.io_write.next = self.io_writes.q.val();
        self.io_word.next = self.io_number.q.val();
        self.io_place.value.next = self.io_value.q.val();
        self.io_place.lanes.next = self.io_lanes.q.val();
        self.io_wdata.next = self.io_place.placed.val();
        // Not for an I/O word: cut to a megabyte, its address is one of memory.
        self.d_answers.next = self.arrives.val()
            & self.f_data.q.val()
            & self.d_load.q.val()
            & (self.d_word.q.val() == self.f_addr.val());
        // The tag out of block RAM comes too late to let the core go on in this cycle. It decides in the
        // next, about going on and about a line to fill.
        self.d_looked.next = self.d_fresh.q.val() & self.d_load.q.val();
        self.d_known.next =
            self.d_fresh.q.val() & self.recent.known.val() & (!self.d_cache.unknown.val());
        self.d_second.d.next = self.d_looked.val() & (!self.d_answers.val());
        self.d_differs.d.next = self.d_cache.differs.val();
        self.d_doubt.d.next = self.d_cache.unknown.val();
        self.d_decides.next = self.d_second.q.val() & (!self.d_fresh.q.val());
        self.d_same.next = !(self.d_differs.q.val().any() | self.d_doubt.q.val());
        self.d_hit.next = self.d_decides.val() & self.d_same.val();
        self.d_miss.next = self.d_missed.q.val() | (self.d_decides.val() & (!self.d_same.val()));
        self.d_missed.d.next = self.d_miss.val() & (!self.d_answers.val());
        self.d_answered.d.next =
            (self.d_answered.q.val() | self.d_answers.val() | self.d_hit.val())
                & (!self.d_valid.val());
        self.d_have.next = (!self.d_load.q.val())
            | self.d_answered.q.val()
            | self.d_hit.val()
            | self.d_known.val();
        self.d_ready.next = self.d_have.val()
            & (!self.s_stuck.val())
            & (!self.io_now.q.val())
            & (!self.io_wait.val());
        self.same.next = self.d_word.q.val() == self.s_word.q.val();
        self.bypass.next = 0.into();
        if self.same.val() {
            self.bypass.next = self.s_lanes.q.val();
        }
        // What is in registers is chosen first, the block RAM's word comes last.
        self.d_other.next = self.d_answer.q.val();
        self.d_from_other.next = 15.into();
        if self.d_fresh.q.val() {
            self.d_other.next = self.placed.val();
            self.d_from_other.next = self.bypass.val();
        }
        self.lane0.next = self.d_cache.data.val().get_bits::<8>(0);
        if self.d_from_other.val().get_bit(0) {
            self.lane0.next = self.d_other.val().get_bits::<8>(0);
        }
        self.lane1.next = self.d_cache.data.val().get_bits::<8>(8);
        if self.d_from_other.val().get_bit(1) {
            self.lane1.next = self.d_other.val().get_bits::<8>(8);
        }
        self.lane2.next = self.d_cache.data.val().get_bits::<8>(16);
        if self.d_from_other.val().get_bit(2) {
            self.lane2.next = self.d_other.val().get_bits::<8>(16);
        }
        self.lane3.next = self.d_cache.data.val().get_bits::<8>(24);
        if self.d_from_other.val().get_bit(3) {
            self.lane3.next = self.d_other.val().get_bits::<8>(24);
        }
        self.d_value.next = (bit_cast::<32, 8>(self.lane3.val()) << 24)
            | (bit_cast::<32, 8>(self.lane2.val()) << 16)
            | (bit_cast::<32, 8>(self.lane1.val()) << 8)
            | bit_cast::<32, 8>(self.lane0.val());
        self.d_rdata.next = self.d_value.val();
        // The cache shows its word for a cycle; then it is here.
        self.d_answer.en.next = self.d_fresh.q.val() | self.d_answers.val() | self.io_now.q.val();
        self.d_answer.d.next = self.d_value.val();
        if self.io_now.q.val() {
            self.d_answer.d.next = self.io_rdata.val();
        } else if self.d_answers.val() {
            self.d_answer.d.next = self.value.val();
        }

        // ---- Fills ----
        self.d_starts.next = self.d_miss.val() & (!self.f_busy.q.val());
        self.i_starts.next = self.i_misses.val() & (!self.relook.q.val()) & (!self.f_busy.q.val());
        self.starts.next = self.d_starts.val() | self.i_starts.val();
        self.start_word.next = self.wanted.val();
        self.start_prom.next = self.wanted_prom.val();
        if self.d_starts.val() {
            self.start_word.next = self.d_word.q.val();
            self.start_prom.next = false;
        }
        self.f_word.en.next = self.starts.val();
        self.f_word.d.next = self.start_word.val();
        self.f_prom.en.next = self.starts.val();
        self.f_prom.d.next = self.start_prom.val();
        self.f_data.en.next = self.starts.val();
        self.f_data.d.next = self.d_starts.val();
        self.f_busy.d.next = (self.f_busy.q.val() | self.starts.val()) & (!self.last.val());
        self.f_opens.d.next = self.starts.val();
        self.f_asks.d.next = self.f_asks.q.val() & (!self.sdram.read_taken.val());
        self.f_count.d.next = self.f_count.q.val();
        self.p_busy.d.next = self.p_busy.q.val();
        self.p_count.d.next = self.p_count.q.val();
        if self.starts.val() {
            self.f_asks.d.next = !self.start_prom.val();
            self.p_busy.d.next = self.start_prom.val();
            self.p_count.d.next = 0.into();
            self.f_count.d.next = 0.into();
        } else {
            if self.arrives.val() {
                self.f_count.d.next = self.f_count.q.val() + 1;
            }
            if self.p_busy.q.val() {
                self.p_count.d.next = self.p_count.q.val() + 1;
                self.p_busy.d.next = !self.p_count.q.val().all();
            }
        }
        self.i_cache.filling.next = self.f_busy.q.val() & (!self.f_data.q.val());
        self.i_cache.open.next = self.f_opens.q.val() & (!self.f_data.q.val());
        self.i_cache.fill.next = self.arrives.val() & (!self.f_data.q.val());
        self.i_cache.close.next = self.last.val() & (!self.f_data.q.val());
        self.i_cache.fill_addr.next = self.f_addr.val();
        self.i_cache.fill_prom.next = self.f_prom.q.val();
        self.i_cache.fill_data.next = self.value.val();
        self.d_cache.filling.next = self.f_busy.q.val() & self.f_data.q.val();
        self.d_opens.next = self.f_opens.q.val() & self.f_data.q.val();
        self.d_closes.next = self.last.val() & self.f_data.q.val();
        self.d_cache.open.next = self.d_opens.val();
        self.d_cache.fill.next = self.arrives.val() & self.f_data.q.val();
        self.d_cache.close.next = self.d_closes.val();
        self.d_cache.fill_addr.next = self.f_addr.val();
        self.d_cache.fill_prom.next = false;
        self.d_cache.fill_data.next = self.value.val();
        self.recent.addr.next = self.d_word.q.val();
        self.recent.write.next = self.d_opens.val() | self.d_closes.val() | self.d_hit.val();
        self.recent.present.next = !self.d_opens.val();
        self.recent.line.next = self.d_word.q.val();
        if self.d_opens.val() | self.d_closes.val() {
            self.recent.line.next = self.f_addr.val();
        }

        // ---- Write buffer ----
        self.past.next = self.first.q.val() + self.held.q.val().get_bits::<4>(0);
        self.buffer.raddr.next = self.first.q.val();
        self.buffer.waddr.next = self.past.val();
        self.buffer.we.next = self.s_goes.val();
        self.buffer.wdata.next = bit_cast::<54, 32>(self.placed.val())
            | (bit_cast::<54, 4>(self.s_lanes.q.val()) << 32)
            | (bit_cast::<54, 18>(self.s_word.q.val()) << 36);
        self.oldest.next = self.buffer.rdata.val();
        self.first.d.next = self.first.q.val();
        self.held.d.next = self.held.q.val();
        if self.sdram.write_taken.val() {
            self.first.d.next = self.first.q.val() + 1;
        }
        if self.s_goes.val() & (!self.sdram.write_taken.val()) {
            self.held.d.next = self.held.q.val() + 1;
        } else if self.sdram.write_taken.val() & (!self.s_goes.val()) {
            self.held.d.next = self.held.q.val() - 1;
        }
        self.flag_number.next = self.s_word.q.val().get_bits::<5>(3);
        self.flag.next = self.one.val() << self.flag_number.val();
        self.kept.next = self.flags.q.val();
        if self.empty.val() {
            self.kept.next = 0.into();
        }
        self.flags.d.next = self.kept.val();
        if self.s_goes.val() {
            self.flags.d.next = self.kept.val() | self.flag.val();
        }
        self.asked_number.next = self.f_word.q.val().get_bits::<5>(3);
        self.asked_flags.next = self.flags.q.val() >> self.asked_number.val();
        self.blocked.next = self.asked_flags.val().get_bit(0) & (!self.empty.val());

        // ---- SDRAM ----
        self.sdram.enable.next = self.enable.val();
        self.sdram.read_valid.next = self.f_asks.q.val() & (!self.blocked.val());
        self.sdram.read_addr.next = self.f_word.q.val();
        self.sdram.write_valid.next = !self.empty.val();
        self.sdram.write_addr.next = self.oldest.val().get_bits::<18>(36);
        self.sdram.write_lanes.next = self.oldest.val().get_bits::<4>(32);
        self.sdram.write_word.next = self.oldest.val().get_bits::<32>(0);
        self.sdram.video_valid.next = self.video_valid.val();
        self.sdram.video_addr.next = self.video_addr.val();
        self.video_taken.next = self.sdram.video_taken.val();
        self.video_word_valid.next = self.sdram.video_word_valid.val();
        self.video_word.next = self.sdram.word.val();
        self.sdram.read_data.next = self.read_data.val();
        self.command.next = self.sdram.command.val();
        self.address.next = self.sdram.address.val();
        self.bank.next = self.sdram.bank.val();
        self.mask.next = self.sdram.mask.val();
        self.write_data.next = self.sdram.write_data.val();
        self.drive.next = self.sdram.drive.val();
    }
}
