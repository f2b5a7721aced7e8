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
//! `shift` leaves out ROR by an immediate 1, which the ALU does. `jump_relative` and `jump_register` are
//! the branches that need no flags, write nothing but the link and touch no interrupt state: decode can
//! follow them itself.
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
    /// LSL, ASR or ROR, apart from ROR by an immediate 1.
    pub shift: Signal<Out, Bit>,
    /// Relative branch that is always taken, with or without link.
    pub jump_relative: Signal<Out, Bit>,
    /// Branch to a register that is always taken, without link, no return from interrupt.
    pub jump_register: Signal<Out, Bit>,
    p: Signal<Local, Bit>,
    q: Signal<Local, Bit>,
    u: Signal<Local, Bit>,
    op: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<16>>,
    code: Signal<Local, Bits<4>>,
    control: Signal<Local, Bits<2>>,
    by_one: Signal<Local, Bit>,
    shifts: Signal<Local, Bit>,
    unconditional: Signal<Local, Bit>,
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
        self.by_one.next =
            self.q.val() & (self.op.val() == 3) & (self.ir.val().get_bits::<5>(0) == 1);
        self.shifts.next = (self.op.val() == 1) | (self.op.val() == 2) | (self.op.val() == 3);
        self.shift.next = (!self.p.val()) & self.shifts.val() & (!self.by_one.val());
        self.code.next = self.ir.val().get_bits::<4>(24);
        self.control.next = self.ir.val().get_bits::<2>(4);
        self.unconditional.next = self.p.val() & self.q.val() & (self.code.val() == 7);
        self.jump_relative.next = self.unconditional.val() & self.u.val();
        self.jump_register.next = self.unconditional.val()
            & (!self.u.val())
            & (!self.ir.val().get_bit(28))
            & (self.control.val() == 0);
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
        for round in 0..8_000 {
            // Every other word is a branch, most of them always taken.
            let any = words.word();
            let word = if round % 2 == 0 { any } else { any | 0xC700_0000 };
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
            let by_one = word >> 30 == 1 && word >> 16 & 15 == 3 && word & 31 == 1;
            let shift = word >> 31 == 0 && (1..4).contains(&(word >> 16 & 15)) && !by_one;
            assert_eq!(uut.shift.val(), shift, "{word:08X}");
            let always = word >> 30 == 3 && word >> 24 & 15 == 7;
            let jumps = [uut.jump_relative.val(), uut.jump_register.val()];
            let plain = word >> 28 & 3 == 0 && word & 0x30 == 0;
            assert_eq!(jumps, [always && word >> 29 & 1 == 1, always && plain], "{word:08X}");
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
