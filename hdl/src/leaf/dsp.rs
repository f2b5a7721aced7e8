//! One hardware multiplier: 18 x 18 bits, both signed, with a register behind it.
//!
//! Timing: `p` is the product of the operands at the last rising edge. Maps to a MULT18X18D with
//! output register on ECP5 (one DSP48 elsewhere).

use rust_hdl::prelude::*;

/// `p <= a * b`, signed.
#[derive(LogicBlock, Default)]
pub struct DspProduct {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// First operand, two's complement.
    pub a: Signal<In, Bits<18>>,
    /// Second operand, two's complement.
    pub b: Signal<In, Bits<18>>,
    /// Product, two's complement.
    pub p: Signal<Out, Bits<36>>,
}

/// The value of an 18-bit field in two's complement.
fn signed(field: Bits<18>) -> i64 {
    i64::from((field.to_u32() << 14) as i32 >> 14)
}

impl Logic for DspProduct {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let product = signed(self.a.val()) * signed(self.b.val());
            self.p.next = (product as u64 & 0xF_FFFF_FFFF).to_bits();
        }
    }
    fn connect(&mut self) {
        self.p.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "// cell: dsp_product\ninitial p = 0;\n\
             always @(posedge clock) p <= $signed(a) * $signed(b);\n"
                .into(),
        )
    }
}
