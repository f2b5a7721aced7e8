//! Extension registers and watchdog, behind the words -16 (select) and -12 (data).
//!
//! | number | register | read | write |
//! |---|---|---|---|
//! | 0 to 3 | identity, features, clock, microseconds | yes | - |
//! | 4, 5 | cycles low (latches the high word), cycles high | yes | - |
//! | 6 | watchdog | milliseconds left, begun ones whole; 0 disarmed | milliseconds until expiry; 0 disarms |
//! | 7, 8 | cause, address of the last expiry | yes | 7: clears |
//! | 9 | build identity | yes | - |
//!
//! Timing: writes count from the next cycle. The watchdog counts from its write, with a divider of its
//! own. At expiry `abort` rises and stays until `aborted`; the counter is disarmed.
//!
//! Corner cases: a number that is no register reads 0. Arming again before expiry starts over.
//!
//! Source: [`risc5_isa::extension`].

use rust_hdl::prelude::*;

use crate::leaf::{Reg, RegEn};

/// Register file of the additions.
#[derive(LogicBlock, Default)]
pub struct Extension {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The select word is written.
    pub select: Signal<In, Bit>,
    /// The data word is written.
    pub write: Signal<In, Bit>,
    /// The data word is read.
    pub read: Signal<In, Bit>,
    /// What is written.
    pub wdata: Signal<In, Bits<32>>,
    /// Selected number.
    pub selected: Signal<Out, Bits<32>>,
    /// Value of the selected register.
    pub value: Signal<Out, Bits<32>>,
    /// Cycles since power-on.
    pub cycles: Signal<In, Bits<64>>,
    /// Microseconds since power-on.
    pub microseconds: Signal<In, Bits<32>>,
    /// Clock in Hz.
    pub clock_hz: Signal<In, Bits<32>>,
    /// Build identity.
    pub build: Signal<In, Bits<32>>,
    /// Cycles a millisecond.
    pub millisecond: Signal<In, Bits<20>>,
    /// Word address of the instruction that an abort keeps from executing.
    pub pc: Signal<In, Bits<22>>,
    /// The core takes the abort.
    pub aborted: Signal<In, Bit>,
    /// The watchdog has expired.
    pub abort: Signal<Out, Bit>,
    number: RegEn<Bits<32>>,
    high: RegEn<Bits<32>>,
    left: Reg<Bits<32>>,
    count: Reg<Bits<20>>,
    expired: Reg<Bit>,
    cause: Reg<Bit>,
    cause_pc: RegEn<Bits<22>>,
    last: Signal<Local, Bits<20>>,
    arm: Signal<Local, Bit>,
}

impl Logic for Extension {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, number, high, left, count, expired, cause, cause_pc);
        self.selected.next = self.number.q.val();
        self.number.en.next = self.select.val();
        self.number.d.next = self.wdata.val();
        self.high.en.next = self.read.val() & (self.number.q.val() == 4);
        self.high.d.next = self.cycles.val().get_bits::<32>(32);
        self.value.next = 0.into();
        if self.number.q.val() == 0 {
            self.value.next = 0x4B53_0001.into();
        } else if self.number.q.val() == 1 {
            self.value.next = 31.into();
        } else if self.number.q.val() == 2 {
            self.value.next = self.clock_hz.val();
        } else if self.number.q.val() == 3 {
            self.value.next = self.microseconds.val();
        } else if self.number.q.val() == 4 {
            self.value.next = self.cycles.val().get_bits::<32>(0);
        } else if self.number.q.val() == 5 {
            self.value.next = self.high.q.val();
        } else if self.number.q.val() == 6 {
            self.value.next = self.left.q.val();
        } else if self.number.q.val() == 7 {
            self.value.next = bit_cast::<32, 1>(self.cause.q.val().into());
        } else if self.number.q.val() == 8 {
            self.value.next = bit_cast::<32, 22>(self.cause_pc.q.val()) << 2;
        } else if self.number.q.val() == 9 {
            self.value.next = self.build.val();
        }
        self.last.next = self.millisecond.val() - 1;
        self.arm.next = self.write.val() & (self.number.q.val() == 6);
        self.left.d.next = self.left.q.val();
        self.count.d.next = self.count.q.val() + 1;
        self.expired.d.next = self.expired.q.val() & (!self.aborted.val());
        if self.count.q.val() == self.last.val() {
            self.count.d.next = 0.into();
            if self.left.q.val().any() {
                self.left.d.next = self.left.q.val() - 1;
            }
            if self.left.q.val() == 1 {
                self.expired.d.next = true;
            }
        }
        if self.arm.val() {
            self.left.d.next = self.wdata.val();
            self.count.d.next = 0.into();
            self.expired.d.next = false;
        }
        self.abort.next = self.expired.q.val();
        self.cause_pc.en.next = self.aborted.val();
        self.cause_pc.d.next = self.pc.val();
        self.cause.d.next = self.cause.q.val();
        if self.aborted.val() {
            self.cause.d.next = true;
        } else if self.write.val() & (self.number.q.val() == 7) {
            self.cause.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use risc5_isa::ext;

    fn tick(uut: &mut Extension) {
        crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
    }

    fn machine() -> Extension {
        let mut uut = Extension::default();
        uut.connect_all();
        uut.clock_hz.next = 50_000_000_u32.to_bits();
        uut.build.next = 0xB01D_u32.to_bits();
        uut.millisecond.next = 10.into();
        uut.microseconds.next = 77.into();
        uut.cycles.next = 0x5_0000_0009_u64.to_bits();
        uut.pc.next = 0x40.into();
        crate::testing::settle(&mut uut);
        uut
    }

    fn select(uut: &mut Extension, number: u32) -> u32 {
        (uut.select.next, uut.wdata.next) = (true, number.to_bits());
        tick(uut);
        (uut.select.next, uut.read.next) = (false, true);
        crate::testing::settle(uut);
        let value = uut.value.val().to_u32();
        tick(uut);
        uut.read.next = false;
        crate::testing::settle(uut);
        value
    }

    fn write(uut: &mut Extension, value: u32) {
        (uut.write.next, uut.wdata.next) = (true, value.to_bits());
        tick(uut);
        uut.write.next = false;
        crate::testing::settle(uut);
    }

    #[test]
    fn registers_hold_what_the_table_says() {
        let mut uut = machine();
        assert_eq!(select(&mut uut, ext::IDENTITY), ext::IDENTITY_VALUE);
        assert_eq!(select(&mut uut, ext::FEATURES), ext::feature::ALL);
        assert_eq!(select(&mut uut, ext::CLOCK_HZ), 50_000_000);
        assert_eq!(select(&mut uut, ext::MICROSECONDS), 77);
        assert_eq!(select(&mut uut, ext::CYCLES_LOW), 9);
        uut.cycles.next = 0x6_0000_0000_u64.to_bits();
        assert_eq!(select(&mut uut, ext::CYCLES_HIGH), 5, "as latched");
        assert_eq!(select(&mut uut, ext::BUILD_IDENTITY), 0xB01D);
        assert_eq!(select(&mut uut, 10), 0);
    }

    #[test]
    fn watchdog_expires_once_and_names_its_victim() {
        let mut uut = machine();
        select(&mut uut, ext::WATCHDOG);
        write(&mut uut, 3);
        (0..29).for_each(|_| tick(&mut uut));
        assert!(!uut.abort.val());
        assert_eq!(uut.value.val().to_u32(), 1, "a begun millisecond is whole");
        tick(&mut uut);
        assert!(uut.abort.val());
        uut.aborted.next = true;
        tick(&mut uut);
        uut.aborted.next = false;
        (0..50).for_each(|_| tick(&mut uut));
        assert!(!uut.abort.val());
        assert_eq!(select(&mut uut, ext::WATCHDOG), 0);
        assert_eq!(select(&mut uut, ext::WATCHDOG_PC), 0x100);
        assert_eq!(select(&mut uut, ext::WATCHDOG_CAUSE), 1);
        write(&mut uut, 5);
        assert_eq!(uut.value.val().to_u32(), 0);
    }

    #[test]
    fn zero_disarms() {
        let mut uut = machine();
        select(&mut uut, ext::WATCHDOG);
        write(&mut uut, 1);
        write(&mut uut, 0);
        (0..50).for_each(|_| tick(&mut uut));
        assert!(!uut.abort.val());
    }
}
