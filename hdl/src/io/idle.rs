//! The idle word: waits for events.
//!
//! Purpose: a write with an event mask stops the core (it sees a data port that is not ready) until
//! one of the masked events is pending, or an enabled interrupt or the watchdog wants it.
//!
//! Timing: `waiting` rises in the cycle after the write and falls in the cycle after an event: it comes from
//! registers only, because it holds the whole core. A wait lasts one cycle even if there is an event already. A
//! mask of 0 never waits.
//!
//! Corner cases: the millisecond event is an edge, cleared by the write itself; the others are levels
//! and cannot be cleared here.
//!
//! Source: [`risc5_isa::io::event`].

use rust_hdl::prelude::*;

use crate::leaf::{Reg, RegEn};

/// Event mask and wait.
#[derive(LogicBlock, Default)]
pub struct Idle {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The word is written.
    pub write: Signal<In, Bit>,
    /// The mask.
    pub mask: Signal<In, Bits<5>>,
    /// A millisecond ends.
    pub tick: Signal<In, Bit>,
    /// The other events, levels, from bit 1: UART, radio, card, key.
    pub levels: Signal<In, Bits<4>>,
    /// An interrupt or the watchdog wants the core.
    pub wake: Signal<In, Bit>,
    /// Pending events.
    pub pending: Signal<Out, Bits<5>>,
    /// The core has to wait.
    pub waiting: Signal<Out, Bit>,
    tick_seen: Reg<Bit>,
    active: Reg<Bit>,
    ended: Reg<Bit>,
    kept_mask: RegEn<Bits<5>>,
    matched: Signal<Local, Bits<5>>,
    ends: Signal<Local, Bit>,
}

impl Logic for Idle {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tick_seen, active, ended, kept_mask);
        self.pending.next = (bit_cast::<5, 4>(self.levels.val()) << 1)
            | bit_cast::<5, 1>(self.tick_seen.q.val().into());
        self.matched.next = self.pending.val() & self.kept_mask.q.val();
        self.ends.next = self.wake.val() | self.matched.val().any();
        self.waiting.next = self.active.q.val() & (!self.ended.q.val());
        self.kept_mask.en.next = self.write.val();
        self.kept_mask.d.next = self.mask.val();
        self.tick_seen.d.next = self.tick_seen.q.val() | self.tick.val();
        self.active.d.next = self.waiting.val();
        self.ended.d.next = self.ends.val();
        if self.write.val() {
            self.ended.d.next = false;
            self.tick_seen.d.next = self.tick.val();
            self.active.d.next = self.mask.val().any();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(uut: &mut Idle) {
        crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
    }

    #[test]
    fn waits_for_what_the_mask_names() {
        let mut uut = Idle::default();
        uut.connect_all();
        crate::testing::settle(&mut uut);
        for (mask, event, ends) in
            [(1_u32, 0_u32, false), (2, 1, true), (2, 2, false), (16, 8, true)]
        {
            (uut.write.next, uut.mask.next, uut.levels.next) = (true, mask.to_bits(), 0.into());
            tick(&mut uut);
            uut.write.next = false;
            crate::testing::settle(&mut uut);
            assert!(uut.waiting.val(), "mask {mask}");
            uut.levels.next = event.to_bits();
            tick(&mut uut);
            assert_eq!(uut.waiting.val(), !ends, "mask {mask} event {event}");
            uut.wake.next = true;
            tick(&mut uut);
            uut.wake.next = false;
            crate::testing::settle(&mut uut);
            assert!(!uut.waiting.val());
        }
    }

    #[test]
    fn an_event_from_before_ends_the_wait_after_a_cycle() {
        let mut uut = Idle::default();
        uut.connect_all();
        uut.levels.next = 1.into();
        crate::testing::settle(&mut uut);
        for _ in 0..3 {
            (uut.write.next, uut.mask.next) = (true, 2.into());
            tick(&mut uut);
            uut.write.next = false;
            crate::testing::settle(&mut uut);
            assert!(uut.waiting.val());
            tick(&mut uut);
            assert!(!uut.waiting.val());
        }
    }

    #[test]
    fn the_tick_is_an_edge() {
        let mut uut = Idle::default();
        uut.connect_all();
        uut.tick.next = true;
        crate::testing::settle(&mut uut);
        tick(&mut uut);
        uut.tick.next = false;
        crate::testing::settle(&mut uut);
        assert_eq!(uut.pending.val().to_u8(), 1);
        (uut.write.next, uut.mask.next) = (true, 1.into());
        tick(&mut uut);
        uut.write.next = false;
        crate::testing::settle(&mut uut);
        assert!(uut.waiting.val(), "the old tick does not count");
        uut.tick.next = true;
        tick(&mut uut);
        uut.tick.next = false;
        tick(&mut uut);
        assert!(!uut.waiting.val());
    }
}
