//! The one interrupt of the core: pending, enable, nesting, saved state.
//!
//! Purpose: keeps what the reference keeps: a latched edge, the enable flag, "a handler runs", and
//! the program counter and flags to return to. H is not saved.
//!
//! Timing: all registers change at the rising edge. `due` is known from registers.
//!
//! Corner cases: an edge is latched whether or not interrupts are on. After an instruction that wrote
//! the interrupt state one more instruction executes before an interrupt is taken (`shadow`), so a
//! handler's return always makes progress. `abort` (watchdog) clears everything.
//!
//! Source: RISC5.v of 31.8.2018 (intPnd, intEnb, intMd, SPC).

use rust_hdl::prelude::*;

use crate::leaf::{Reg, RegEn};

/// Interrupt state.
#[derive(LogicBlock, Default)]
pub struct Interrupts {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Back to the state after power-on.
    pub reset: Signal<In, Bit>,
    /// An interrupt edge (one cycle).
    pub edge_seen: Signal<In, Bit>,
    /// An instruction leaves the execute stage.
    pub executed: Signal<In, Bit>,
    /// It writes the enable flag with `enable`.
    pub set_enable: Signal<In, Bit>,
    /// New enable flag.
    pub enable: Signal<In, Bit>,
    /// It is a return from interrupt.
    pub return_from: Signal<In, Bit>,
    /// The interrupt is taken now.
    pub accept: Signal<In, Bit>,
    /// Word address to return to.
    pub pc: Signal<In, Bits<22>>,
    /// Flags to return to, N Z C V.
    pub flags: Signal<In, Bits<4>>,
    /// An interrupt may be taken before the instruction in execute.
    pub due: Signal<Out, Bit>,
    /// As `due`, whatever the instruction before.
    pub wakes: Signal<Out, Bit>,
    /// Saved word address.
    pub saved_pc: Signal<Out, Bits<22>>,
    /// Saved flags.
    pub saved_flags: Signal<Out, Bits<4>>,
    pending: Reg<Bit>,
    enabled: Reg<Bit>,
    serving: Reg<Bit>,
    shadow: Reg<Bit>,
    spc: RegEn<Bits<22>>,
    sflags: RegEn<Bits<4>>,
    open: Signal<Local, Bit>,
}

impl Logic for Interrupts {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, pending, enabled, serving, shadow, spc, sflags);
        self.open.next = self.pending.q.val() & self.enabled.q.val() & (!self.serving.q.val());
        self.due.next = self.open.val() & (!self.shadow.q.val());
        self.wakes.next = self.open.val();
        self.spc.en.next = self.accept.val();
        self.spc.d.next = self.pc.val();
        self.sflags.en.next = self.accept.val();
        self.sflags.d.next = self.flags.val();
        self.saved_pc.next = self.spc.q.val();
        self.saved_flags.next = self.sflags.q.val();
        self.pending.d.next = self.pending.q.val() | self.edge_seen.val();
        self.enabled.d.next = self.enabled.q.val();
        self.serving.d.next = self.serving.q.val();
        self.shadow.d.next = self.shadow.q.val();
        if self.executed.val() {
            self.shadow.d.next = self.set_enable.val() | self.return_from.val();
        }
        if self.executed.val() & self.set_enable.val() {
            self.enabled.d.next = self.enable.val();
        }
        if self.executed.val() & self.return_from.val() {
            self.serving.d.next = false;
        }
        if self.accept.val() {
            // An edge in this very cycle stays latched.
            self.pending.d.next = self.edge_seen.val();
            self.serving.d.next = true;
        }
        if self.reset.val() {
            self.pending.d.next = false;
            self.enabled.d.next = false;
            self.serving.d.next = false;
            self.shadow.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(uut: &mut Interrupts) {
        crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
    }

    #[test]
    fn enable_takes_one_instruction_to_count() {
        let mut uut = Interrupts::default();
        uut.connect_all();
        crate::testing::settle(&mut uut);
        uut.edge_seen.next = true;
        step(&mut uut);
        uut.edge_seen.next = false;
        assert!(!uut.due.val(), "interrupts are off");
        (uut.executed.next, uut.set_enable.next, uut.enable.next) = (true, true, true);
        step(&mut uut);
        assert!(!uut.due.val() && uut.wakes.val(), "one instruction of grace");
        uut.set_enable.next = false;
        step(&mut uut);
        assert!(uut.due.val());
        uut.executed.next = false;
        (uut.accept.next, uut.pc.next, uut.flags.next) = (true, 0x123.into(), 9.into());
        step(&mut uut);
        uut.accept.next = false;
        crate::testing::settle(&mut uut);
        assert!(!uut.due.val());
        assert_eq!(uut.saved_pc.val(), Bits::<22>::from(0x123));
        assert_eq!(uut.saved_flags.val(), Bits::<4>::from(9));
        // A second edge waits for the handler's return and one instruction after it.
        uut.edge_seen.next = true;
        step(&mut uut);
        uut.edge_seen.next = false;
        assert!(!uut.wakes.val());
        (uut.executed.next, uut.return_from.next) = (true, true);
        step(&mut uut);
        assert!(!uut.due.val());
        uut.return_from.next = false;
        step(&mut uut);
        assert!(uut.due.val());
        uut.reset.next = true;
        step(&mut uut);
        assert!(!uut.wakes.val());
    }
}
