//! Instruction decoder.
//!
//! Purpose: tells from an instruction word what the pipeline must do with it, and makes the
//! immediate operand. Classes are one-hot so that nothing behind them decodes again.
//!
//! Timing: combinational.
//!
//! Corner cases: every word is some instruction; unused bits of F0 are ignored. A MOV does not read
//! its `b` register, so it never waits for it. Register branches read `c`, relative ones nothing.
//!
//! What it does not do: say which register is read where a field is unused (the number is there).
//!
//! Source: The RISC5 architecture, formats F0 to F3; [`risc5_isa::instruction`].

use rust_hdl::prelude::*;

/// Classes, register uses and immediate operand of an instruction.
#[derive(LogicBlock, Default)]
pub struct Decoder {
    /// Instruction.
    pub ir: Signal<In, Bits<32>>,
    /// F0 or F1: an operation that writes register `a`.
    pub operation: Signal<Out, Bit>,
    /// F2 with u = 0.
    pub load: Signal<Out, Bit>,
    /// F2 with u = 1.
    pub store: Signal<Out, Bit>,
    /// F3.
    pub branch: Signal<Out, Bit>,
    /// The second operand is the immediate one.
    pub immediate: Signal<Out, Bit>,
    /// Sixteen bits of the instruction, extended with bit v.
    pub operand: Signal<Out, Bits<32>>,
    /// Register `b` is read.
    pub reads_b: Signal<Out, Bit>,
    /// Register `c` is read.
    pub reads_c: Signal<Out, Bit>,
    /// MUL.
    pub mul: Signal<Out, Bit>,
    /// DIV.
    pub div: Signal<Out, Bit>,
    /// FAD or FSB.
    pub fad: Signal<Out, Bit>,
    /// FML.
    pub fml: Signal<Out, Bit>,
    /// FDV.
    pub fdv: Signal<Out, Bit>,
    p: Signal<Local, Bit>,
    q: Signal<Local, Bit>,
    u: Signal<Local, Bit>,
    op: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<16>>,
}

impl Logic for Decoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.p.next = self.ir.val().get_bit(31);
        self.q.next = self.ir.val().get_bit(30);
        self.u.next = self.ir.val().get_bit(29);
        self.op.next = self.ir.val().get_bits::<4>(16);
        self.low.next = self.ir.val().get_bits::<16>(0);
        self.operation.next = !self.p.val();
        self.load.next = self.p.val() & (!self.q.val()) & (!self.u.val());
        self.store.next = self.p.val() & (!self.q.val()) & self.u.val();
        self.branch.next = self.p.val() & self.q.val();
        self.immediate.next = self.q.val() & (!self.p.val());
        self.operand.next = bit_cast::<32, 16>(self.low.val());
        if self.ir.val().get_bit(28) {
            self.operand.next = bit_cast::<32, 16>(self.low.val()) | 0xFFFF_0000_u32.to_bits();
        }
        self.reads_b.next = !self.q.val();
        if (!self.p.val()) & (self.op.val() == 0) {
            self.reads_b.next = false;
        } else if !self.p.val() {
            self.reads_b.next = true;
        }
        self.reads_c.next =
            ((!self.p.val()) & (!self.q.val())) | (self.p.val() & self.q.val() & (!self.u.val()));
        self.mul.next = (!self.p.val()) & (self.op.val() == 10);
        self.div.next = (!self.p.val()) & (self.op.val() == 11);
        self.fad.next = (!self.p.val()) & ((self.op.val() == 12) | (self.op.val() == 13));
        self.fml.next = (!self.p.val()) & (self.op.val() == 14);
        self.fdv.next = (!self.p.val()) & (self.op.val() == 15);
    }
}

#[cfg(test)]
mod tests {
    use risc5_isa::{Instruction, Op};

    use super::*;

    /// Against the table of the instruction set.
    #[test]
    fn agrees_with_the_instruction_table() {
        let mut uut = Decoder::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(1);
        for _ in 0..4_000 {
            let word = words.word();
            uut.ir.next = word.to_bits();
            crate::testing::settle(&mut uut);
            let classes = [uut.operation.val(), uut.load.val(), uut.store.val(), uut.branch.val()];
            let units = [uut.mul.val(), uut.div.val(), uut.fad.val(), uut.fml.val(), uut.fdv.val()];
            let reads = [uut.reads_b.val(), uut.reads_c.val()];
            let one_of = |op: Op| {
                [
                    op == Op::Mul,
                    op == Op::Div,
                    matches!(op, Op::Fad | Op::Fsb),
                    op == Op::Fml,
                    op == Op::Fdv,
                ]
            };
            let none = [false; 5];
            let (class, unit, read) = match Instruction::decode(word) {
                Instruction::Register { op, .. } => (0, one_of(op), [op != Op::Mov, true]),
                Instruction::Immediate { op, v, imm, .. } => {
                    let fill = if v { 0xFFFF_0000 } else { 0 };
                    assert_eq!(uut.operand.val().to_u32(), fill | u32::from(imm));
                    (0, one_of(op), [op != Op::Mov, false])
                }
                Instruction::Memory { store, .. } => (1 + usize::from(store), none, [true, false]),
                Instruction::BranchRegister { .. } => (3, none, [false, true]),
                Instruction::BranchRelative { .. } => (3, none, [false, false]),
            };
            assert_eq!(classes, [0, 1, 2, 3].map(|index| index == class), "{word:08X}");
            assert_eq!(units, unit, "{word:08X}");
            assert_eq!(reads, read, "{word:08X}");
            assert_eq!(uut.immediate.val(), word >> 30 == 1, "{word:08X}");
        }
    }
}
