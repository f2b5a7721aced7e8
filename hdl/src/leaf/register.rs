//! D registers with a power-up value, without and with clock enable.
//!
//! rust-hdl's own `DFF` feeds its reset back through XOR gates, which keeps synthesis from packing
//! it; these map to plain flip-flops. There is no reset: logic that needs one puts it before `d`.
//!
//! Timing: `q` follows `d` at the rising edge of `clock`, for [`RegEn`] only where `en` is high.

use rust_hdl::prelude::*;

/// A register that takes its input at every clock.
#[derive(LogicBlock, Default)]
pub struct Reg<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Next value.
    pub d: Signal<In, T>,
    /// Value.
    pub q: Signal<Out, T>,
    _init: T,
}

/// A register that takes its input where `en` is high.
#[derive(LogicBlock, Default)]
pub struct RegEn<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock enable.
    pub en: Signal<In, Bit>,
    /// Next value.
    pub d: Signal<In, T>,
    /// Value.
    pub q: Signal<Out, T>,
    _init: T,
}

impl<T: Synth> Reg<T> {
    /// A register with the given value at power-on.
    pub fn new(init: T) -> Self {
        Self { _init: init, ..Self::default() }
    }
}

impl<T: Synth> RegEn<T> {
    /// A register with the given value at power-on.
    pub fn new(init: T) -> Self {
        Self { _init: init, ..Self::default() }
    }
}

impl<T: Synth> Logic for Reg<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self.d.val();
        }
    }
    fn connect(&mut self) {
        self.q.connect();
        self.q.next = self._init;
    }
    fn hdl(&self) -> Verilog {
        let (width, init) = (T::BITS, self._init.verilog());
        Verilog::Custom(format!(
            "// cell: reg{width}{}\ninitial q = {init};\nalways @(posedge clock) q <= d;\n",
            suffix(&init)
        ))
    }
}

impl<T: Synth> Logic for RegEn<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.en.val() {
            self.q.next = self.d.val();
        }
    }
    fn connect(&mut self) {
        self.q.connect();
        self.q.next = self._init;
    }
    fn hdl(&self) -> Verilog {
        let (width, init) = (T::BITS, self._init.verilog());
        Verilog::Custom(format!(
            "// cell: reg_en{width}{}\ninitial q = {init};\n\
             always @(posedge clock) if (en) q <= d;\n",
            suffix(&init)
        ))
    }
}

/// Registers of one width share a module if they start with the same value; 0 needs no mention.
fn suffix(init: &VerilogLiteral) -> String {
    let text = init.to_string();
    let digits = text.rsplit(['h', 'b', 'd']).next().unwrap_or(&text);
    if digits.chars().all(|digit| digit == '0') { String::new() } else { format!("_from_{digits}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(LogicBlock, Default)]
    struct Pair {
        clock: Signal<In, Clock>,
        plain: Reg<Bits<8>>,
        enabled: RegEn<Bits<8>>,
        en: Signal<In, Bit>,
        d: Signal<In, Bits<8>>,
        sum: Signal<Out, Bits<8>>,
    }

    impl Logic for Pair {
        #[hdl_gen]
        fn update(&mut self) {
            clock!(self, clock, plain, enabled);
            self.plain.d.next = self.d.val();
            self.enabled.d.next = self.d.val();
            self.enabled.en.next = self.en.val();
            self.sum.next = self.plain.q.val() + self.enabled.q.val();
        }
    }

    #[test]
    fn enable_holds_and_power_on_value_counts() {
        let mut uut = Pair { enabled: RegEn::new(7.into()), ..Pair::default() };
        uut.connect_all();
        crate::testing::settle(&mut uut);
        assert_eq!(uut.sum.val(), Bits::<8>::from(7));
        uut.d.next = 5.into();
        crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
        assert_eq!(uut.sum.val(), Bits::<8>::from(12));
        uut.en.next = true;
        crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
        assert_eq!(uut.sum.val(), Bits::<8>::from(10));
    }
}
