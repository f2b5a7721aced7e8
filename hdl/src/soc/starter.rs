//! Reset after the PLL's lock, and what comes from buttons and switches.
//!
//! Timing: `enable` is `locked`, two cycles later. `reset` is high until 255 cycles behind it, and while the
//! button is pressed and 255 cycles longer. `switches` are `inputs`, two cycles later.
//!
//! What it does not do: no debouncing; software looks at switches seldom.

use rust_hdl::prelude::*;

use crate::leaf::Reg;

/// Start of a board.
#[derive(LogicBlock, Default)]
pub struct Starter {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The clock is stable; not in step with it.
    pub locked: Signal<In, Bit>,
    /// The reset button is pressed; not in step with the clock.
    pub pressed: Signal<In, Bit>,
    /// Switches and buttons; not in step with the clock.
    pub inputs: Signal<In, Bits<12>>,
    /// The clock is stable.
    pub enable: Signal<Out, Bit>,
    /// Reset.
    pub reset: Signal<Out, Bit>,
    /// Switches and buttons.
    pub switches: Signal<Out, Bits<12>>,
    locked1: Reg<Bit>,
    locked2: Reg<Bit>,
    pressed1: Reg<Bit>,
    pressed2: Reg<Bit>,
    inputs1: Reg<Bits<12>>,
    inputs2: Reg<Bits<12>>,
    count: Reg<Bits<8>>,
    up: Reg<Bit>,
}

impl Logic for Starter {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, locked1, locked2, pressed1, pressed2, inputs1, inputs2, count, up);
        self.locked1.d.next = self.locked.val();
        self.locked2.d.next = self.locked1.q.val();
        self.pressed1.d.next = self.pressed.val();
        self.pressed2.d.next = self.pressed1.q.val();
        self.inputs1.d.next = self.inputs.val();
        self.inputs2.d.next = self.inputs1.q.val();
        self.enable.next = self.locked2.q.val();
        self.switches.next = self.inputs2.q.val();
        self.count.d.next = self.count.q.val() + 1;
        self.up.d.next = self.up.q.val();
        if (!self.locked2.q.val()) | self.pressed2.q.val() {
            self.count.d.next = 0.into();
            self.up.d.next = false;
        } else if self.count.q.val().all() {
            self.up.d.next = true;
        }
        self.reset.next = !self.up.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reset_lasts_past_lock_and_button() {
        let mut uut = Starter::default();
        uut.connect_all();
        crate::testing::settle(&mut uut);
        let cycles = |uut: &mut Starter, count: u32| {
            for _ in 0..count {
                crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
            }
        };
        cycles(&mut uut, 300);
        assert!(uut.reset.val() && !uut.enable.val(), "no lock");
        uut.locked.next = true;
        cycles(&mut uut, 250);
        assert!(uut.reset.val() && uut.enable.val());
        cycles(&mut uut, 20);
        assert!(!uut.reset.val());
        uut.pressed.next = true;
        cycles(&mut uut, 3);
        assert!(uut.reset.val());
        uut.pressed.next = false;
        cycles(&mut uut, 250);
        assert!(uut.reset.val());
        cycles(&mut uut, 20);
        assert!(!uut.reset.val());
    }
}
