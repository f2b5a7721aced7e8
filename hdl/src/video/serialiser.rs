//! Ten bits of each lane to five pairs, for pads that send two bits a cycle.
//!
//! | port | width | meaning |
//! |---|---|---|
//! | `beat` | 1 | changes with every point |
//! | `blue`, `others` | 10 | what to send, from the edge at which `beat` changes to the next such edge |
//! | `first`, `second` | 4 | bits of the lanes blue, green, red, clock; `first` leaves first |
//!
//! Timing: five cycles a point. A point's bits begin to leave three or four cycles behind its edge, always the same number:
//! the two clocks come from one PLL.
//!
//! Source: Digital Visual Interface 1.0, section 3.2: bit 0 first; the clock lane has the points' clock.

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// Shift registers of the lanes.
#[derive(LogicBlock)]
pub struct Serialiser {
    /// Clock, five times that of points.
    pub clock: Signal<In, Clock>,
    /// Changes with every point.
    pub beat: Signal<In, Bit>,
    /// Word of lane 0.
    pub blue: Signal<In, Bits<10>>,
    /// Word of lanes 1 and 2.
    pub others: Signal<In, Bits<10>>,
    /// Bits that leave in the first half of the cycle.
    pub first: Signal<Out, Bits<4>>,
    /// Bits that leave in the second half.
    pub second: Signal<Out, Bits<4>>,
    beat1: Reg<Bit>,
    beat2: Reg<Bit>,
    load: Reg<Bit>,
    blue_bits: Reg<Bits<10>>,
    other_bits: Reg<Bits<10>>,
    turn: Reg<Bits<10>>,
    blue_left: Signal<Local, Bits<8>>,
    others_left: Signal<Local, Bits<8>>,
    turn_left: Signal<Local, Bits<8>>,
}

impl Default for Serialiser {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            beat: Default::default(),
            blue: Default::default(),
            others: Default::default(),
            first: Default::default(),
            second: Default::default(),
            beat1: Default::default(),
            beat2: Default::default(),
            load: Default::default(),
            blue_bits: Default::default(),
            other_bits: Default::default(),
            turn: Reg::new(0x1F.into()),
            blue_left: Default::default(),
            others_left: Default::default(),
            turn_left: Default::default(),
        }
    }
}

impl Logic for Serialiser {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, beat1, beat2, load, blue_bits, other_bits, turn);
        self.beat1.d.next = self.beat.val();
        self.beat2.d.next = self.beat1.q.val();
        self.load.d.next = self.beat1.q.val() ^ self.beat2.q.val();
        self.blue_left.next = self.blue_bits.q.val().get_bits::<8>(2);
        self.others_left.next = self.other_bits.q.val().get_bits::<8>(2);
        self.blue_bits.d.next = bit_cast::<10, 8>(self.blue_left.val());
        self.other_bits.d.next = bit_cast::<10, 8>(self.others_left.val());
        if self.load.q.val() {
            self.blue_bits.d.next = self.blue.val();
            self.other_bits.d.next = self.others.val();
        }
        // Five ones, five zeros, for ever.
        self.turn_left.next = self.turn.q.val().get_bits::<8>(2);
        self.turn.d.next = bit_cast::<10, 8>(self.turn_left.val())
            | (bit_cast::<10, 2>(self.turn.q.val().get_bits::<2>(0)) << 8);
        self.first.next = bit_cast::<4, 1>(self.blue_bits.q.val().get_bit(0).into())
            | (bit_cast::<4, 1>(self.other_bits.q.val().get_bit(0).into()) << 1)
            | (bit_cast::<4, 1>(self.other_bits.q.val().get_bit(0).into()) << 2)
            | (bit_cast::<4, 1>(self.turn.q.val().get_bit(0).into()) << 3);
        self.second.next = bit_cast::<4, 1>(self.blue_bits.q.val().get_bit(1).into())
            | (bit_cast::<4, 1>(self.other_bits.q.val().get_bit(1).into()) << 1)
            | (bit_cast::<4, 1>(self.other_bits.q.val().get_bit(1).into()) << 2)
            | (bit_cast::<4, 1>(self.turn.q.val().get_bit(1).into()) << 3);
    }
}
