//! The serial line: transmitter and receiver with FIFO. 8 data bits, no parity, one stop bit.
//!
//! Timing: a bit lasts `divider` cycles. The transmitter takes a byte where `start` meets `ready`; a
//! byte written earlier is lost. The receiver samples bits in their middle, counted from the falling
//! edge of the start bit; a byte is there when its stop bit was sampled.
//!
//! Corner cases: a start bit that is gone in its middle is noise and ignored; a byte whose stop bit is
//! low (framing error, break) is dropped. `limit` is the depth of the FIFO, 1 to 256; a byte
//! that finds it full is dropped, or with `overwrite` takes the place of the oldest, as in the
//! reference, whose depth is 1. Reading an empty FIFO gives 0.
//!
//! Source: Project Oberon, RS232T.v and RS232R.v (rates); [`risc5_isa::io::uart`].

use rust_hdl::prelude::*;

use crate::leaf::{AsyncRam, Reg};

/// Transmitter.
#[derive(LogicBlock, Default)]
pub struct UartTransmitter {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Cycles a bit.
    pub divider: Signal<In, Bits<16>>,
    /// Send a byte.
    pub start: Signal<In, Bit>,
    /// The byte.
    pub data: Signal<In, Bits<8>>,
    /// A byte can be taken.
    pub ready: Signal<Out, Bit>,
    /// The line; high at rest.
    pub tx: Signal<Out, Bit>,
    shift: Reg<Bits<9>>,
    bits_left: Reg<Bits<4>>,
    count: Reg<Bits<16>>,
    busy: Signal<Local, Bit>,
    last: Signal<Local, Bits<16>>,
}

impl Logic for UartTransmitter {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, shift, bits_left, count);
        self.busy.next = self.bits_left.q.val().any();
        self.ready.next = !self.busy.val();
        self.tx.next = self.shift.q.val().get_bit(0) | (!self.busy.val());
        self.last.next = self.divider.val() - 1;
        self.shift.d.next = self.shift.q.val();
        self.bits_left.d.next = self.bits_left.q.val();
        self.count.d.next = 0.into();
        if (!self.busy.val()) & self.start.val() {
            self.shift.d.next = bit_cast::<9, 8>(self.data.val()) << 1;
            self.bits_left.d.next = 10.into();
        } else if self.busy.val() & (self.count.q.val() == self.last.val()) {
            self.shift.d.next = (self.shift.q.val() >> 1) | 0x100;
            self.bits_left.d.next = self.bits_left.q.val() - 1;
        } else if self.busy.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
    }
}

/// Receiver with FIFO.
#[derive(LogicBlock, Default)]
pub struct UartReceiver {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Cycles a bit.
    pub divider: Signal<In, Bits<16>>,
    /// Bytes that the FIFO holds, 1 to 256.
    pub limit: Signal<In, Bits<9>>,
    /// A byte that finds it full takes the oldest one's place.
    pub overwrite: Signal<In, Bit>,
    /// The line.
    pub rx: Signal<In, Bit>,
    /// Take the oldest byte away.
    pub take: Signal<In, Bit>,
    /// A byte waits.
    pub waits: Signal<Out, Bit>,
    /// The oldest byte.
    pub data: Signal<Out, Bits<8>>,
    fifo: AsyncRam<8, 8>,
    first: Reg<Bits<8>>,
    held: Reg<Bits<9>>,
    sync: Reg<Bits<2>>,
    shift: Reg<Bits<8>>,
    /// 0: rest; 1: start bit; 2 to 9: data; 10: stop bit.
    phase: Reg<Bits<4>>,
    count: Reg<Bits<16>>,
    low: Signal<Local, Bit>,
    line: Signal<Local, Bit>,
    last: Signal<Local, Bits<16>>,
    middle: Signal<Local, Bits<16>>,
    sample: Signal<Local, Bit>,
    arrived: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    past: Signal<Local, Bits<8>>,
}

impl Logic for UartReceiver {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fifo, first, held, sync, shift, phase, count);
        // Kept inverted, so that the power-on value is a line at rest.
        self.low.next = !self.rx.val();
        self.sync.d.next = (self.sync.q.val() << 1) | bit_cast::<2, 1>(self.low.val().into());
        self.line.next = !self.sync.q.val().get_bit(1);
        self.last.next = self.divider.val() - 1;
        self.middle.next = self.divider.val() >> 1;
        self.sample.next = self.count.q.val() == self.middle.val();
        self.shift.d.next = self.shift.q.val();
        self.phase.d.next = self.phase.q.val();
        self.count.d.next = self.count.q.val() + 1;
        if self.count.q.val() == self.last.val() {
            self.count.d.next = 0.into();
        }
        self.arrived.next = false;
        if self.phase.q.val() == 0 {
            self.count.d.next = 0.into();
            if !self.line.val() {
                self.phase.d.next = 1.into();
            }
        } else if self.phase.q.val() == 1 {
            if self.sample.val() & self.line.val() {
                self.phase.d.next = 0.into();
            } else if self.sample.val() {
                self.phase.d.next = 2.into();
            }
        } else if self.sample.val() & (self.phase.q.val() == 10) {
            self.arrived.next = self.line.val();
            self.phase.d.next = 11.into();
        } else if self.sample.val() & (self.phase.q.val() != 11) {
            self.shift.d.next =
                (self.shift.q.val() >> 1) | (bit_cast::<8, 1>(self.line.val().into()) << 7);
            self.phase.d.next = self.phase.q.val() + 1;
        } else if self.phase.q.val() == 11 {
            // After a framing error the line must come to rest first.
            if self.line.val() {
                self.phase.d.next = 0.into();
            }
        }

        self.waits.next = self.held.q.val().any();
        self.full.next = self.held.q.val() == self.limit.val();
        self.push.next = self.arrived.val() & ((!self.full.val()) | self.overwrite.val());
        self.pop.next = (self.take.val() & self.held.q.val().any())
            | (self.arrived.val() & self.full.val() & self.overwrite.val() & (!self.take.val()));
        self.past.next = self.first.q.val() + self.held.q.val().get_bits::<8>(0);
        self.fifo.raddr.next = self.first.q.val();
        self.fifo.waddr.next = self.past.val();
        self.fifo.wdata.next = self.shift.q.val();
        self.fifo.we.next = self.push.val();
        self.data.next = 0.into();
        if self.held.q.val().any() {
            self.data.next = self.fifo.rdata.val();
        }
        self.first.d.next = self.first.q.val();
        if self.pop.val() {
            self.first.d.next = self.first.q.val() + 1;
        }
        self.held.d.next = self.held.q.val();
        if self.push.val() & (!self.pop.val()) {
            self.held.d.next = self.held.q.val() + 1;
        } else if self.pop.val() & (!self.push.val()) {
            self.held.d.next = self.held.q.val() - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(LogicBlock, Default)]
    struct Loop {
        clock: Signal<In, Clock>,
        start: Signal<In, Bit>,
        data: Signal<In, Bits<8>>,
        take: Signal<In, Bit>,
        limit: Signal<In, Bits<9>>,
        overwrite: Signal<In, Bit>,
        ready: Signal<Out, Bit>,
        waits: Signal<Out, Bit>,
        received: Signal<Out, Bits<8>>,
        transmitter: UartTransmitter,
        receiver: UartReceiver,
    }

    impl Logic for Loop {
        #[hdl_gen]
        fn update(&mut self) {
            clock!(self, clock, transmitter, receiver);
            self.transmitter.divider.next = 7.into();
            self.receiver.divider.next = 7.into();
            self.transmitter.start.next = self.start.val();
            self.transmitter.data.next = self.data.val();
            self.receiver.rx.next = self.transmitter.tx.val();
            self.receiver.take.next = self.take.val();
            self.receiver.limit.next = self.limit.val();
            self.receiver.overwrite.next = self.overwrite.val();
            self.ready.next = self.transmitter.ready.val();
            self.waits.next = self.receiver.waits.val();
            self.received.next = self.receiver.data.val();
        }
    }

    fn tick(uut: &mut Loop) {
        crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
    }

    fn run(limit: u32, overwrite: bool, bytes: &[u8]) -> Vec<u8> {
        let mut uut = Loop::default();
        uut.connect_all();
        (uut.limit.next, uut.overwrite.next) = (limit.to_bits(), overwrite);
        crate::testing::settle(&mut uut);
        for byte in bytes {
            (uut.start.next, uut.data.next) = (true, byte.to_bits());
            tick(&mut uut);
            uut.start.next = false;
            let mut cycles = 1;
            while !uut.ready.val() {
                tick(&mut uut);
                cycles += 1;
            }
            assert_eq!(cycles, 71, "one cycle to start, ten bits");
        }
        (0..20).for_each(|_| tick(&mut uut));
        let mut received = Vec::new();
        while uut.waits.val() {
            received.push(uut.received.val().to_u8());
            uut.take.next = true;
            tick(&mut uut);
            uut.take.next = false;
            crate::testing::settle(&mut uut);
        }
        received
    }

    #[test]
    fn what_is_sent_arrives_in_order() {
        assert_eq!(run(256, false, &[0x55, 0, 0xFF, 0x80, 1]), [0x55, 0, 0xFF, 0x80, 1]);
    }

    #[test]
    fn a_full_fifo_keeps_the_first_bytes_or_the_last() {
        assert_eq!(run(2, false, &[1, 2, 3]), [1, 2]);
        assert_eq!(run(1, true, &[1, 2, 3]), [3]);
    }
}
