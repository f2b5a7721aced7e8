//! Milliseconds and microseconds since power-on, and the cycle counter.
//!
//! Timing: `tick` is high in the last cycle of a millisecond; the counter changes at its end. The
//! divisors are cycles a unit, so the clock must be a whole number of megahertz.
//!
//! Source: Project Oberon, RISC5Top.v (counter of milliseconds); [`risc5_isa::extension`].

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// Free-running counters.
#[derive(LogicBlock, Default)]
pub struct Timer {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Cycles a millisecond.
    pub millisecond: Signal<In, Bits<20>>,
    /// Cycles a microsecond.
    pub microsecond: Signal<In, Bits<10>>,
    /// A millisecond ends with this cycle.
    pub tick: Signal<Out, Bit>,
    /// Milliseconds since power-on.
    pub milliseconds: Signal<Out, Bits<32>>,
    /// Microseconds since power-on.
    pub microseconds: Signal<Out, Bits<32>>,
    /// Cycles since power-on.
    pub cycles: Signal<Out, Bits<64>>,
    ms_count: Reg<Bits<20>>,
    us_count: Reg<Bits<10>>,
    ms: Reg<Bits<32>>,
    us: Reg<Bits<32>>,
    cycle: Reg<Bits<64>>,
    ms_last: Signal<Local, Bits<20>>,
    us_last: Signal<Local, Bits<10>>,
}

impl Logic for Timer {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ms_count, us_count, ms, us, cycle);
        self.ms_last.next = self.millisecond.val() - 1;
        self.us_last.next = self.microsecond.val() - 1;
        self.tick.next = self.ms_count.q.val() == self.ms_last.val();
        self.ms_count.d.next = self.ms_count.q.val() + 1;
        self.ms.d.next = self.ms.q.val();
        if self.ms_count.q.val() == self.ms_last.val() {
            self.ms_count.d.next = 0.into();
            self.ms.d.next = self.ms.q.val() + 1;
        }
        self.us_count.d.next = self.us_count.q.val() + 1;
        self.us.d.next = self.us.q.val();
        if self.us_count.q.val() == self.us_last.val() {
            self.us_count.d.next = 0.into();
            self.us.d.next = self.us.q.val() + 1;
        }
        self.cycle.d.next = self.cycle.q.val() + 1;
        self.milliseconds.next = self.ms.q.val();
        self.microseconds.next = self.us.q.val();
        self.cycles.next = self.cycle.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_cycles() {
        let mut uut = Timer::default();
        uut.connect_all();
        (uut.millisecond.next, uut.microsecond.next) = (30.into(), 3.into());
        crate::testing::settle(&mut uut);
        for cycle in 0..200_u64 {
            assert_eq!(uut.cycles.val().to_u64(), cycle);
            assert_eq!(u64::from(uut.milliseconds.val().to_u32()), cycle / 30);
            assert_eq!(u64::from(uut.microseconds.val().to_u32()), cycle / 3);
            assert_eq!(uut.tick.val(), cycle % 30 == 29);
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
        }
    }
}
