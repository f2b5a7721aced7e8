//! SPI master, mode 0: bytes at a slow rate, 32-bit words at a fast one.
//!
//! Purpose: SD card and radio. A word goes out least significant byte first, each byte most
//! significant bit first.
//!
//! Timing: `start` loads and begins; `ready` is low for 8 or 32 bits of `divider` cycles each. A bit
//! begins with the clock low and the data out; the clock rises in the middle; at the end the data
//! in is sampled. `divider` and `fast` must not change during an exchange; at least 2.
//!
//! Corner cases: a start during an exchange begins anew. After power-on `data` reads all ones.
//!
//! What it does not do: select lines; those are bits of the control word.
//!
//! Source: Project Oberon, SPI.v; SD Physical Layer Simplified Specification 6.00, chapter 7.

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// Shift register and bit clock.
#[derive(LogicBlock)]
pub struct SpiMaster {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Begin an exchange.
    pub start: Signal<In, Bit>,
    /// Exchange 32 bits, else 8.
    pub fast: Signal<In, Bit>,
    /// Clock cycles a bit.
    pub divider: Signal<In, Bits<16>>,
    /// What goes out.
    pub data_out: Signal<In, Bits<32>>,
    /// What came in.
    pub data: Signal<Out, Bits<32>>,
    /// No exchange is under way.
    pub ready: Signal<Out, Bit>,
    /// Serial clock.
    pub sck: Signal<Out, Bit>,
    /// Data to the chip.
    pub mosi: Signal<Out, Bit>,
    /// Data from the chip.
    pub miso: Signal<In, Bit>,
    shift: Reg<Bits<32>>,
    bits_left: Reg<Bits<6>>,
    count: Reg<Bits<16>>,
    high: Reg<Bit>,
    busy: Signal<Local, Bit>,
    next: Signal<Local, Bits<16>>,
    half: Signal<Local, Bits<16>>,
    at_end: Signal<Local, Bit>,
    last: Signal<Local, Bits<16>>,
    moved: Signal<Local, Bits<32>>,
    carried: Signal<Local, Bits<32>>,
}

impl Default for SpiMaster {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            start: Default::default(),
            fast: Default::default(),
            divider: Default::default(),
            data_out: Default::default(),
            data: Default::default(),
            ready: Default::default(),
            sck: Default::default(),
            mosi: Default::default(),
            miso: Default::default(),
            shift: Reg::new(0xFFFF_FFFF_u32.to_bits()),
            bits_left: Default::default(),
            count: Default::default(),
            high: Default::default(),
            busy: Default::default(),
            next: Default::default(),
            half: Default::default(),
            at_end: Default::default(),
            last: Default::default(),
            moved: Default::default(),
            carried: Default::default(),
        }
    }
}

impl Logic for SpiMaster {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, shift, bits_left, count, high);
        self.busy.next = self.bits_left.q.val().any();
        self.ready.next = !self.busy.val();
        self.sck.next = self.high.q.val();
        self.mosi.next = self.shift.q.val().get_bit(7) | (!self.busy.val());
        self.data.next = self.shift.q.val();
        if !self.fast.val() {
            self.data.next = self.shift.q.val() & 0xFF;
        }
        self.last.next = self.divider.val() - 1;
        self.half.next = self.divider.val() >> 1;
        self.at_end.next = self.count.q.val() == self.last.val();
        self.next.next = self.count.q.val() + 1;
        // Every byte moves up by one bit and takes in the top bit of the byte that follows.
        self.moved.next = (self.shift.q.val() << 1) & 0xFEFE_FEFE_u32.to_bits();
        self.carried.next = bit_cast::<32, 1>(self.miso.val().into());
        if self.fast.val() {
            self.carried.next = (bit_cast::<32, 1>(self.miso.val().into()) << 24)
                | (bit_cast::<32, 1>(self.shift.q.val().get_bits::<1>(31)) << 16)
                | (bit_cast::<32, 1>(self.shift.q.val().get_bits::<1>(23)) << 8)
                | bit_cast::<32, 1>(self.shift.q.val().get_bits::<1>(15));
        }
        self.shift.d.next = self.shift.q.val();
        self.bits_left.d.next = self.bits_left.q.val();
        self.count.d.next = 0.into();
        self.high.d.next = false;
        if self.start.val() {
            self.shift.d.next = self.data_out.val();
            self.bits_left.d.next = 8.into();
            if self.fast.val() {
                self.bits_left.d.next = 32.into();
            }
        } else if self.busy.val() & self.at_end.val() {
            self.shift.d.next = self.moved.val() | self.carried.val();
            self.bits_left.d.next = self.bits_left.q.val() - 1;
        } else if self.busy.val() {
            self.count.d.next = self.next.val();
            self.high.d.next = self.next.val() >= self.half.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One exchange with a chip that answers with `answer`, first bit first; what the chip heard,
    /// what the master has, and how many cycles it took.
    fn exchange(uut: &mut SpiMaster, out: u32, answer: &[bool]) -> (Vec<bool>, u32, u32) {
        uut.data_out.next = out.to_bits();
        uut.start.next = true;
        uut.miso.next = answer[0];
        crate::testing::settle(uut);
        crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
        uut.start.next = false;
        let (mut heard, mut cycles, mut before) = (Vec::new(), 0, false);
        crate::testing::settle(uut);
        while !uut.ready.val() {
            crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
            cycles += 1;
            let sck = uut.sck.val();
            if sck && !before {
                heard.push(uut.mosi.val());
            }
            if !sck && before {
                // Mode 0: the chip changes its data at the falling edge.
                uut.miso.next = answer.get(heard.len()).copied().unwrap_or(true);
                crate::testing::settle(uut);
            }
            before = sck;
            assert!(cycles < 10_000);
        }
        (heard, uut.data.val().to_u32(), cycles)
    }

    /// The bits of a word in the order of the wire.
    fn wire(word: u32, bytes: usize) -> Vec<bool> {
        word.to_le_bytes()[..bytes]
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 != 0))
            .collect()
    }

    #[test]
    fn bytes_and_words_travel_in_wire_order() {
        let mut uut = SpiMaster::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(10);
        for round in 0..40 {
            let (fast, bytes, divider) = if round % 2 == 0 { (true, 4, 5) } else { (false, 1, 8) };
            uut.fast.next = fast;
            uut.divider.next = divider.to_bits();
            let (out, answer) = (words.word(), words.word());
            let (heard, data, cycles) = exchange(&mut uut, out, &wire(answer, bytes));
            assert_eq!(heard, wire(out, bytes));
            assert_eq!(data, if fast { answer } else { answer & 0xFF });
            assert_eq!(cycles, divider * 8 * bytes as u32);
        }
    }
}
