//! One cache: direct mapped, lines of eight words, written through by stores.
//!
//! Purpose: the instruction cache and the data cache are two of these. `2^N` words in `2^K` lines
//! (N = K + 3), tags of `T` = 20 - N bits: the rest of the word address, "this is PROM", "valid".
//!
//! | group | what it is for |
//! |---|---|
//! | `addr`, `prom` to `differs`, `data` | the core's port: asked at every rising edge, answered until the next |
//! | `store_addr` to `update`, `lanes`, `wdata` | a store: its line's tag is read at every edge at which no tag is written; in the next cycle `update` writes the word if the cache has it |
//! | `fill`, `open`, `close` | a line comes: `open` makes its place invalid, each `fill` writes a word, `close` (with the last word) makes it valid |
//!
//! Timing: `differs` and `data` follow the block RAM's outputs, with one gate behind the tag. The rest of the
//! comparison is for a register behind. Who needs them longer than a cycle keeps them: an enable would be late,
//! and block RAM is far away.
//!
//! Corner cases, in which what the RAM shows is not to be trusted and `unknown` is high: the line's place was
//! being filled at the edge of the request; the word was written by a store at that edge (`exact` is set;
//! without it the port around gives the stored word, see [`super::Memory`]).
//!
//! Source: the project's notes; ECP5 Memory Usage Guide FPGA-TN-02204 (ports, collisions).

use rust_hdl::prelude::*;

use crate::leaf::{LaneRam, Reg, RegEn, TagRam};

/// Direct-mapped cache.
#[derive(LogicBlock)]
pub struct Cache<const N: usize, const K: usize, const T: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word address to look up.
    pub addr: Signal<In, Bits<18>>,
    /// It is in the PROM.
    pub prom: Signal<In, Bit>,
    /// Where the tag is another: all 0 if the cache has the word that was asked for, unless `unknown`.
    pub differs: Signal<Out, Bits<T>>,
    /// The word.
    pub data: Signal<Out, Bits<32>>,
    /// The word address that was asked for.
    pub held: Signal<Out, Bits<18>>,
    /// What the RAMs show of that word is not to be trusted.
    pub unknown: Signal<Out, Bit>,
    /// A word written at the edge of the request is a miss.
    pub exact: Signal<In, Bit>,

    /// Word address whose tag the second port reads.
    pub store_addr: Signal<In, Bits<18>>,
    /// Write `lanes` of `wdata` at `update_addr`, the address whose tag was read last, if it is here.
    pub update: Signal<In, Bit>,
    /// Word address of the update.
    pub update_addr: Signal<In, Bits<18>>,
    /// Lanes to write.
    pub lanes: Signal<In, Bits<4>>,
    /// Word to write.
    pub wdata: Signal<In, Bits<32>>,

    /// A line is on its way.
    pub filling: Signal<In, Bit>,
    /// Its place becomes invalid.
    pub open: Signal<In, Bit>,
    /// A word of it comes.
    pub fill: Signal<In, Bit>,
    /// It is the last.
    pub close: Signal<In, Bit>,
    /// Its word address.
    pub fill_addr: Signal<In, Bits<18>>,
    /// It is in the PROM.
    pub fill_prom: Signal<In, Bit>,
    /// The word.
    pub fill_data: Signal<In, Bits<32>>,

    words: LaneRam<N>,
    tags: TagRam<T, K>,
    held_addr: Reg<Bits<18>>,
    held_in_prom: Reg<Bit>,
    /// A fill, an update was under way at the edge of the request; the update's word.
    near_fill: Reg<Bit>,
    near_update: Reg<Bit>,
    updated: Reg<Bits<18>>,
    place: RegEn<Bits<K>>,

    held_upper: Signal<Local, Bits<18>>,
    update_upper: Signal<Local, Bits<18>>,
    fill_upper: Signal<Local, Bits<18>>,
    wanted: Signal<Local, Bits<T>>,
    stored: Signal<Local, Bits<T>>,
    store_hits: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<4>>,
    same_place: Signal<Local, Bit>,
    same_word: Signal<Local, Bit>,
    in_doubt: Signal<Local, Bit>,
    held_place: Signal<Local, Bits<K>>,
    valid: Signal<Local, Bit>,
    index_bits: Constant<Bits<5>>,
}

impl<const N: usize, const K: usize, const T: usize> Default for Cache<N, K, T> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            addr: Default::default(),
            prom: Default::default(),
            differs: Default::default(),
            data: Default::default(),
            held: Default::default(),
            unknown: Default::default(),
            exact: Default::default(),
            store_addr: Default::default(),
            update: Default::default(),
            update_addr: Default::default(),
            lanes: Default::default(),
            wdata: Default::default(),
            filling: Default::default(),
            open: Default::default(),
            fill: Default::default(),
            close: Default::default(),
            fill_addr: Default::default(),
            fill_prom: Default::default(),
            fill_data: Default::default(),
            words: Default::default(),
            tags: Default::default(),
            held_addr: Default::default(),
            held_in_prom: Default::default(),
            near_fill: Default::default(),
            near_update: Default::default(),
            updated: Default::default(),
            place: Default::default(),
            held_upper: Default::default(),
            update_upper: Default::default(),
            fill_upper: Default::default(),
            wanted: Default::default(),
            stored: Default::default(),
            store_hits: Default::default(),
            chosen: Default::default(),
            same_place: Default::default(),
            same_word: Default::default(),
            in_doubt: Default::default(),
            held_place: Default::default(),
            valid: Default::default(),
            index_bits: Constant::new((N as u32).to_bits()),
        }
    }
}

impl<const N: usize, const K: usize, const T: usize> Logic for Cache<N, K, T> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words, tags, held_addr, held_in_prom, near_fill, near_update);
        clock!(self, clock, updated, place);

        // The core's port.
        self.words.raddr.next = self.addr.val().get_bits::<N>(0);
        self.tags.raddr.next = self.addr.val().get_bits::<K>(3);
        self.held_addr.d.next = self.addr.val();
        self.held_in_prom.d.next = self.prom.val();
        self.near_fill.d.next = self.filling.val();
        self.near_update.d.next = self.update.val() & self.exact.val();
        self.held_upper.next = self.held_addr.q.val() >> self.index_bits.val();
        self.wanted.next = (bit_cast::<T, 18>(self.held_upper.val()) << 2)
            | (bit_cast::<T, 1>(self.held_in_prom.q.val().into()) << 1)
            | 1;
        self.differs.next = self.tags.rdata.val() ^ self.wanted.val();
        self.held_place.next = self.held_addr.q.val().get_bits::<K>(3);
        self.same_place.next = self.held_place.val() == self.place.q.val();
        self.same_word.next = self.held_addr.q.val() == self.updated.q.val();
        self.in_doubt.next = (self.near_fill.q.val() & self.same_place.val())
            | (self.near_update.q.val() & self.same_word.val());
        self.unknown.next = self.in_doubt.val();
        self.data.next = self.words.rdata.val();
        self.held.next = self.held_addr.q.val();

        // Stores and fills share the second port.
        self.update_upper.next = self.update_addr.val() >> self.index_bits.val();
        self.stored.next = (bit_cast::<T, 18>(self.update_upper.val()) << 2) | 1;
        self.store_hits.next = self.tags.data.val() == self.stored.val();
        self.updated.d.next = self.update_addr.val();
        self.words.waddr.next = self.update_addr.val().get_bits::<N>(0);
        self.words.wdata.next = self.wdata.val();
        self.chosen.next = 0.into();
        if self.update.val() {
            self.chosen.next = self.lanes.val();
        }
        if self.filling.val() {
            self.words.waddr.next = self.fill_addr.val().get_bits::<N>(0);
            self.words.wdata.next = self.fill_data.val();
            self.chosen.next = 0.into();
            if self.fill.val() {
                self.chosen.next = 15.into();
            }
        }
        // The tag comes last: it is late.
        self.words.lanes.next = 0.into();
        if self.filling.val() | self.store_hits.val() {
            self.words.lanes.next = self.chosen.val();
        }
        self.fill_upper.next = self.fill_addr.val() >> self.index_bits.val();
        self.valid.next = self.close.val();
        self.tags.addr.next = self.store_addr.val().get_bits::<K>(3);
        self.tags.write.next = self.open.val() | self.close.val();
        if self.open.val() | self.close.val() {
            self.tags.addr.next = self.fill_addr.val().get_bits::<K>(3);
        }
        self.tags.wdata.next = (bit_cast::<T, 18>(self.fill_upper.val()) << 2)
            | (bit_cast::<T, 1>(self.fill_prom.val().into()) << 1)
            | bit_cast::<T, 1>(self.valid.val().into());
        self.place.en.next = self.open.val();
        self.place.d.next = self.fill_addr.val().get_bits::<K>(3);
    }
}
