//! Lines that the data cache has for certain: a hit without asking the block RAM.
//!
//! Purpose: block RAM gives a tag 5.8 ns after the clock, almost half a period. This memory of `2^6` lines is
//! LUT RAM, read with the address's register, and knows nearly all loads that hit. It may forget a line that
//! the cache has; it never knows one that the cache has not. The lines lie in four banks, as deep as one cell,
//! and each bank compares for itself: choosing between them is the last gate, not one before the comparison.
//!
//! | group | what it is for |
//! |---|---|
//! | `addr` to `known` | combinational: the line of this word is in the cache |
//! | `write`, `line`, `present` | at the edge: the line of this word is there, or its place in the cache is given away |
//!
//! Corner cases: a place here has the low bits of the place in the cache, so whatever the cache may throw
//! out with a place is forgotten with it. Hence the cache has at least `2^6` lines.
//!
//! Source: the project's notes; ECP5 Memory Usage Guide FPGA-TN-02204 (distributed RAM).

use rust_hdl::prelude::*;

use crate::leaf::AsyncRam;

/// A memory of lines in the cache.
#[derive(LogicBlock, Default)]
pub struct RecentLines {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A word address.
    pub addr: Signal<In, Bits<18>>,
    /// The cache has its line.
    pub known: Signal<Out, Bit>,
    /// Take the following.
    pub write: Signal<In, Bit>,
    /// A word address.
    pub line: Signal<In, Bits<18>>,
    /// The cache has its line, else its place is given away.
    pub present: Signal<In, Bit>,

    bank0: AsyncRam<10, 4>,
    bank1: AsyncRam<10, 4>,
    bank2: AsyncRam<10, 4>,
    bank3: AsyncRam<10, 4>,
    place: Signal<Local, Bits<4>>,
    bank: Signal<Local, Bits<2>>,
    found0: Signal<Local, Bit>,
    found1: Signal<Local, Bit>,
    found2: Signal<Local, Bit>,
    found3: Signal<Local, Bit>,
    line_place: Signal<Local, Bits<4>>,
    line_bank: Signal<Local, Bits<2>>,
    line_entry: Signal<Local, Bits<10>>,
    upper: Signal<Local, Bits<9>>,
    wanted: Signal<Local, Bits<10>>,
    line_upper: Signal<Local, Bits<9>>,
}

impl Logic for RecentLines {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bank0, bank1, bank2, bank3);
        self.place.next = self.addr.val().get_bits::<4>(3);
        self.bank.next = self.addr.val().get_bits::<2>(7);
        self.upper.next = self.addr.val().get_bits::<9>(9);
        self.wanted.next = (bit_cast::<10, 9>(self.upper.val()) << 1) | 1;
        self.bank0.raddr.next = self.place.val();
        self.bank1.raddr.next = self.place.val();
        self.bank2.raddr.next = self.place.val();
        self.bank3.raddr.next = self.place.val();
        self.found0.next = (self.bank.val() == 0) & (self.bank0.rdata.val() == self.wanted.val());
        self.found1.next = (self.bank.val() == 1) & (self.bank1.rdata.val() == self.wanted.val());
        self.found2.next = (self.bank.val() == 2) & (self.bank2.rdata.val() == self.wanted.val());
        self.found3.next = (self.bank.val() == 3) & (self.bank3.rdata.val() == self.wanted.val());
        self.known.next =
            self.found0.val() | self.found1.val() | self.found2.val() | self.found3.val();

        self.line_place.next = self.line.val().get_bits::<4>(3);
        self.line_bank.next = self.line.val().get_bits::<2>(7);
        self.line_upper.next = self.line.val().get_bits::<9>(9);
        self.line_entry.next = (bit_cast::<10, 9>(self.line_upper.val()) << 1)
            | bit_cast::<10, 1>(self.present.val().into());
        self.bank0.waddr.next = self.line_place.val();
        self.bank1.waddr.next = self.line_place.val();
        self.bank2.waddr.next = self.line_place.val();
        self.bank3.waddr.next = self.line_place.val();
        self.bank0.wdata.next = self.line_entry.val();
        self.bank1.wdata.next = self.line_entry.val();
        self.bank2.wdata.next = self.line_entry.val();
        self.bank3.wdata.next = self.line_entry.val();
        self.bank0.we.next = self.write.val() & (self.line_bank.val() == 0);
        self.bank1.we.next = self.write.val() & (self.line_bank.val() == 1);
        self.bank2.we.next = self.write.val() & (self.line_bank.val() == 2);
        self.bank3.we.next = self.write.val() & (self.line_bank.val() == 3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_until_its_place_is_given_away() {
        let mut uut = RecentLines::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(22);
        // What each of the places holds.
        let mut model = [None; 64];
        let mut known = 0;
        for _ in 0..2000 {
            let [addr, line] = [0; 2].map(|_| words.below(64) << 9 | words.below(4) << 3);
            let [addr, line] = [addr, line].map(|word| (word & 0x3_FE38) | words.below(8));
            let (write, present) = (words.below(2) == 1, words.below(4) != 0);
            uut.addr.next = addr.to_bits();
            uut.line.next = line.to_bits();
            uut.write.next = write;
            uut.present.next = present;
            crate::testing::settle(&mut uut);
            let want = model[(addr >> 3) as usize % 64] == Some(addr >> 9);
            assert_eq!(uut.known.val(), want);
            known += u32::from(want);
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
            if write {
                model[(line >> 3) as usize % 64] = present.then_some(line >> 9);
            }
        }
        assert!(known > 10, "{known}");
    }
}
