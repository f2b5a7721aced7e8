//! Ten bits for a byte, or for two control bits, with few edges and no direct current.
//!
//! | port | width | meaning |
//! |---|---|---|
//! | `data` | 8 | the byte |
//! | `control` | 2 | what is sent when `active` is low |
//! | `active` | 1 | send the byte |
//! | `word` | 10 | bit 0 leaves first; 0 at power-on |
//!
//! Timing: two cycles behind the inputs. The count of ones too many starts from 0 behind control bits.
//!
//! Source: Digital Visual Interface 1.0, section 3.3.

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// The encoder of one lane.
#[derive(LogicBlock, Default)]
pub struct TmdsEncoder {
    /// Clock of points.
    pub clock: Signal<In, Clock>,
    /// Byte.
    pub data: Signal<In, Bits<8>>,
    /// Control bits.
    pub control: Signal<In, Bits<2>>,
    /// The byte is sent, not the control bits.
    pub active: Signal<In, Bit>,
    /// Ten bits.
    pub word: Signal<Out, Bits<10>>,

    // First step: few edges.
    chain: Reg<Bits<8>>,
    plain: Reg<Bit>,
    excess: Reg<Bits<5>>,
    active1: Reg<Bit>,
    control1: Reg<Bits<2>>,
    // Second step: as many ones as zeros.
    sent: Reg<Bits<10>>,
    count: Reg<Bits<5>>,

    ones: Signal<Local, Bits<4>>,
    inverts_chain: Signal<Local, Bit>,
    by_one: Signal<Local, Bits<8>>,
    by_two: Signal<Local, Bits<8>>,
    by_four: Signal<Local, Bits<8>>,
    coded: Signal<Local, Bits<8>>,
    coded_ones: Signal<Local, Bits<4>>,
    count_up: Signal<Local, Bit>,
    excess_up: Signal<Local, Bit>,
    level: Signal<Local, Bit>,
    same_side: Signal<Local, Bit>,
    inverts: Signal<Local, Bit>,
    step: Signal<Local, Bits<5>>,
    stepped: Signal<Local, Bits<5>>,
    turned: Signal<Local, Bits<8>>,
}

impl Logic for TmdsEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, chain, plain, excess, active1, control1, sent, count);

        // Each bit is the exclusive or of the byte's up to there, or of it every second one's complement.
        self.ones.next = bit_cast::<4, 1>(self.data.val().get_bit(0).into())
            + bit_cast::<4, 1>(self.data.val().get_bit(1).into())
            + bit_cast::<4, 1>(self.data.val().get_bit(2).into())
            + bit_cast::<4, 1>(self.data.val().get_bit(3).into())
            + bit_cast::<4, 1>(self.data.val().get_bit(4).into())
            + bit_cast::<4, 1>(self.data.val().get_bit(5).into())
            + bit_cast::<4, 1>(self.data.val().get_bit(6).into())
            + bit_cast::<4, 1>(self.data.val().get_bit(7).into());
        self.inverts_chain.next =
            (self.ones.val() > 4) | ((self.ones.val() == 4) & (!self.data.val().get_bit(0)));
        self.by_one.next = self.data.val() ^ (self.data.val() << 1);
        self.by_two.next = self.by_one.val() ^ (self.by_one.val() << 2);
        self.by_four.next = self.by_two.val() ^ (self.by_two.val() << 4);
        self.coded.next = self.by_four.val();
        if self.inverts_chain.val() {
            self.coded.next = self.by_four.val() ^ 0xAA;
        }
        self.coded_ones.next = bit_cast::<4, 1>(self.coded.val().get_bit(0).into())
            + bit_cast::<4, 1>(self.coded.val().get_bit(1).into())
            + bit_cast::<4, 1>(self.coded.val().get_bit(2).into())
            + bit_cast::<4, 1>(self.coded.val().get_bit(3).into())
            + bit_cast::<4, 1>(self.coded.val().get_bit(4).into())
            + bit_cast::<4, 1>(self.coded.val().get_bit(5).into())
            + bit_cast::<4, 1>(self.coded.val().get_bit(6).into())
            + bit_cast::<4, 1>(self.coded.val().get_bit(7).into());
        self.chain.d.next = self.coded.val();
        self.plain.d.next = !self.inverts_chain.val();
        // Ones less zeros, 2 n - 8.
        self.excess.d.next = (bit_cast::<5, 4>(self.coded_ones.val()) << 1) + 24;
        self.active1.d.next = self.active.val();
        self.control1.d.next = self.control.val();

        self.count_up.next = self.count.q.val().any() & (!self.count.q.val().get_bit(4));
        self.excess_up.next = self.excess.q.val().any() & (!self.excess.q.val().get_bit(4));
        self.level.next = !(self.count.q.val().any() & self.excess.q.val().any());
        self.same_side.next = (self.count_up.val() & self.excess_up.val())
            | (self.count.q.val().get_bit(4) & self.excess.q.val().get_bit(4));
        self.inverts.next = self.same_side.val();
        // Bit 8 weighs as well: two more or less.
        self.step.next = 0.into();
        if self.level.val() {
            self.inverts.next = !self.plain.q.val();
        } else if self.same_side.val() & self.plain.q.val() {
            self.step.next = 2.into();
        } else if (!self.same_side.val()) & (!self.plain.q.val()) {
            self.step.next = 30.into();
        }
        self.turned.next = self.chain.q.val();
        self.stepped.next = self.count.q.val() + self.step.val();
        self.count.d.next = self.stepped.val() + self.excess.q.val();
        if self.inverts.val() {
            self.turned.next = self.chain.q.val() ^ 0xFF;
            self.count.d.next = self.stepped.val() - self.excess.q.val();
        }
        self.sent.d.next = bit_cast::<10, 8>(self.turned.val())
            | (bit_cast::<10, 1>(self.plain.q.val().into()) << 8)
            | (bit_cast::<10, 1>(self.inverts.val().into()) << 9);
        if !self.active1.q.val() {
            self.count.d.next = 0.into();
            self.sent.d.next = 0x354.into();
            if self.control1.q.val() == 1 {
                self.sent.d.next = 0x0AB.into();
            } else if self.control1.q.val() == 2 {
                self.sent.d.next = 0x154.into();
            } else if self.control1.q.val() == 3 {
                self.sent.d.next = 0x2AB.into();
            }
        }
        self.word.next = self.sent.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Words, cycle, settle};

    /// The standard's flow chart in integers; `count` is ones less zeros sent so far.
    fn reference(data: u32, count: &mut i32) -> u32 {
        let bit = |word: u32, n: u32| word >> n & 1;
        let xnor = data.count_ones() > 4 || data.count_ones() == 4 && bit(data, 0) == 0;
        let mut coded = bit(data, 0);
        for n in 1..8 {
            let next = bit(coded, n - 1) ^ bit(data, n) ^ u32::from(xnor);
            coded |= next << n;
        }
        let eighth = u32::from(!xnor);
        let ones = coded.count_ones() as i32;
        let zeros = 8 - ones;
        let inverts = if *count == 0 || ones == zeros {
            xnor
        } else {
            *count > 0 && ones > zeros || *count < 0 && zeros > ones
        };
        let low = if inverts { !coded & 0xFF } else { coded };
        let word = low | eighth << 8 | u32::from(inverts) << 9;
        *count += 2 * word.count_ones() as i32 - 10;
        word
    }

    /// What a receiver makes of it.
    fn decoded(word: u32) -> u32 {
        let low = if word & 0x200 != 0 { !word & 0xFF } else { word & 0xFF };
        let chain = low ^ low << 1;
        (if word & 0x100 != 0 { chain } else { !chain & 0xFE | chain & 1 }) & 0xFF
    }

    fn send(uut: &mut TmdsEncoder, data: u32, control: u32, active: bool) -> u32 {
        uut.data.next = data.to_bits();
        uut.control.next = control.to_bits();
        uut.active.next = active;
        settle(uut);
        cycle(uut, |uut, level| uut.clock.next.clk = level);
        uut.word.val().index() as u32
    }

    #[test]
    fn words_are_those_of_the_standard_and_balanced() {
        const SEED: u64 = 65;
        let mut words = Words::new(SEED);
        let mut uut = TmdsEncoder::default();
        uut.connect_all();
        settle(&mut uut);
        send(&mut uut, 0, 0, false);
        let (mut count, mut before, mut seen) = (0, None, 0_u64);
        let mut data = (0..256).chain([0, 0xFF].repeat(40)).collect::<Vec<_>>();
        data.extend((0..3_000).map(|_| words.below(256)));
        for data in data {
            let sent = send(&mut uut, data, 3, true);
            if let Some(before) = before.replace(data) {
                assert_eq!(sent, reference(before, &mut count), "{before:02X}, seed {SEED}");
                assert_eq!(decoded(sent), before);
                assert!(count.abs() <= 10, "{count} ones too many behind {before:02X}");
                let edges = (sent ^ sent >> 1) & 0xFF;
                seen |= 1 << edges.count_ones();
            }
        }
        // Never more than five edges in the nine bits.
        assert_eq!(seen >> 6, 0, "{seen:b}");
    }

    #[test]
    fn control_bits_are_the_four_words_and_begin_a_new_count() {
        let mut uut = TmdsEncoder::default();
        uut.connect_all();
        settle(&mut uut);
        let sent: Vec<u32> = (0..6).map(|n| send(&mut uut, 0x3C, n.min(3), false)).collect();
        let controls = [0b11_0101_0100, 0b00_1010_1011, 0b01_0101_0100, 0b10_1010_1011];
        assert_eq!(sent[1..5], controls);
        for _ in 0..5 {
            send(&mut uut, 0xFF, 0, true);
        }
        send(&mut uut, 0, 0, false);
        send(&mut uut, 0x10, 0, true);
        assert_eq!(send(&mut uut, 0, 0, false), reference(0x10, &mut 0));
    }
}
