//! Arithmetic and logic: MOV, ROR by 1, AND, ANN, IOR, XOR, ADD, SUB.
//!
//! Purpose: result and carry/overflow of the operations that take one cycle.
//!
//! Timing: combinational. N and Z are not made here but one stage later, from the registered result.
//!
//! Corner cases: operations 1 to 3 give the first operand rotated right by 1, which is right for
//! the one shift that compilers make most, `ROR a, b, 1` (bit 0 into N, for a branch); the shifter makes the
//! others. With u = 1 ADD and SUB add and subtract the carry; C of a subtraction is the borrow.
//! Carry comes from a sum of 33 bits, so an addend of FFFFFFFFH plus carry gives C = 1. MOV with
//! u = 1 reads H (v = 0), the flags with the core's identity 53H (v = 1), or shifts the
//! immediate up by 16.
//!
//! What it does not do: shift by other distances, multiply, divide, floating point. Their codes give the sum here.
//!
//! Source: The RISC5 architecture, operations 0 to 9; RISC5.v of 31.8.2018 (identity, borrow).

use rust_hdl::prelude::*;

/// One-cycle operations.
#[derive(LogicBlock, Default)]
pub struct Alu {
    /// Operation, bits 19..16 of the instruction.
    pub op: Signal<In, Bits<4>>,
    /// The second operand is immediate (bit 30).
    pub q: Signal<In, Bit>,
    /// Modifier u (bit 29).
    pub u: Signal<In, Bit>,
    /// Modifier v (bit 28).
    pub v: Signal<In, Bit>,
    /// First operand.
    pub b: Signal<In, Bits<32>>,
    /// Second operand.
    pub operand: Signal<In, Bits<32>>,
    /// Register H.
    pub h: Signal<In, Bits<32>>,
    /// Flags N, Z, C, V from bit 3 down.
    pub flags: Signal<In, Bits<4>>,
    /// Result.
    pub result: Signal<Out, Bits<32>>,
    /// Carry of ADD, borrow of SUB.
    pub carry: Signal<Out, Bit>,
    /// Overflow of ADD and SUB.
    pub overflow: Signal<Out, Bit>,
    subtract: Signal<Local, Bit>,
    carry_in: Signal<Local, Bit>,
    addend: Signal<Local, Bits<32>>,
    left: Signal<Local, Bits<34>>,
    right: Signal<Local, Bits<34>>,
    sum: Signal<Local, Bits<34>>,
    sum_word: Signal<Local, Bits<32>>,
    moved: Signal<Local, Bits<32>>,
    rotated: Signal<Local, Bits<32>>,
    bitwise: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<2>>,
    low: Signal<Local, Bits<2>>,
}

impl Logic for Alu {
    #[hdl_gen]
    fn update(&mut self) {
        self.high.next = self.op.val().get_bits::<2>(2);
        self.low.next = self.op.val().get_bits::<2>(0);
        self.subtract.next = self.op.val().get_bit(0);
        self.carry_in.next = self.subtract.val() ^ (self.u.val() & self.flags.val().get_bit(1));
        self.addend.next = self.operand.val();
        if self.subtract.val() {
            self.addend.next = !self.operand.val();
        }
        // One bit below the operands carries in; one above carries out.
        self.left.next = (bit_cast::<34, 32>(self.b.val()) << 1) | 1;
        self.right.next = bit_cast::<34, 32>(self.addend.val()) << 1;
        if self.carry_in.val() {
            self.right.next = (bit_cast::<34, 32>(self.addend.val()) << 1) | 1;
        }
        self.sum.next = self.left.val() + self.right.val();
        self.sum_word.next = self.sum.val().get_bits::<32>(1);
        self.carry.next = self.sum.val().get_bit(33) ^ self.subtract.val();
        self.overflow.next = (self.sum.val().get_bit(32) ^ self.b.val().get_bit(31))
            & (self.sum.val().get_bit(32) ^ self.addend.val().get_bit(31));
        self.moved.next = self.operand.val();
        if self.u.val() & self.q.val() {
            self.moved.next = self.operand.val() << 16;
        } else if self.u.val() & self.v.val() {
            self.moved.next = (bit_cast::<32, 4>(self.flags.val()) << 28) | 0x53;
        } else if self.u.val() {
            self.moved.next = self.h.val();
        }
        self.bitwise.next = self.b.val() ^ self.operand.val();
        if self.low.val() == 0 {
            self.bitwise.next = self.b.val() & self.operand.val();
        } else if self.low.val() == 1 {
            self.bitwise.next = self.b.val() & (!self.operand.val());
        } else if self.low.val() == 2 {
            self.bitwise.next = self.b.val() | self.operand.val();
        }
        self.rotated.next = (self.b.val() >> 1) | (self.b.val() << 31);
        self.result.next = self.sum_word.val();
        if (self.high.val() == 0) & (self.low.val() == 0) {
            self.result.next = self.moved.val();
        } else if self.high.val() == 0 {
            self.result.next = self.rotated.val();
        } else if self.high.val() == 1 {
            self.result.next = self.bitwise.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Outcome {
        result: u32,
        carry: bool,
        overflow: bool,
    }

    /// The published definitions, in 64-bit arithmetic.
    fn model(op: u32, u: bool, [b, n]: [u32; 2], c: bool) -> Outcome {
        let carry = u64::from(u && c);
        let (wide, signed) = match op {
            8 => (
                u64::from(b) + u64::from(n) + carry,
                i64::from(b as i32) + i64::from(n as i32) + carry as i64,
            ),
            _ => (
                u64::from(b).wrapping_sub(u64::from(n)).wrapping_sub(carry),
                i64::from(b as i32) - i64::from(n as i32) - carry as i64,
            ),
        };
        Outcome {
            result: wide as u32,
            carry: wide >> 32 != 0,
            overflow: i64::from(signed as i32) != signed,
        }
    }

    #[test]
    fn sums_and_flags() {
        let mut uut = Alu::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(3);
        for _ in 0..4_000 {
            let (b, n) = (words.word(), words.word());
            let (op, u, c) = (8 + words.below(2), words.below(2) == 1, words.below(2) == 1);
            uut.op.next = op.to_bits();
            uut.u.next = u;
            uut.b.next = b.to_bits();
            uut.operand.next = n.to_bits();
            uut.flags.next = if c { 2_u32 } else { 0 }.to_bits();
            crate::testing::settle(&mut uut);
            let want = model(op, u, [b, n], c);
            let got = (uut.result.val().to_u32(), uut.carry.val(), uut.overflow.val());
            assert_eq!(
                got,
                (want.result, want.carry, want.overflow),
                "op {op} u {u} {b:08X} {n:08X} C {c}"
            );
        }
    }

    #[test]
    fn moves_and_logic() {
        let mut uut = Alu::default();
        uut.connect_all();
        let (b, n, h) = (0x1234_5678_u32, 0xFFFF_00FF_u32, 0xCAFE_0001_u32);
        let flags = 0xA_u32;
        let cases = [
            (0_u32, false, false, false, n),
            (0, true, true, false, n << 16),
            (0, true, true, true, n << 16),
            (0, false, true, false, h),
            (0, false, true, true, 0xA000_0053),
            (3, false, false, false, b.rotate_right(1)),
            (4, false, false, false, b & n),
            (5, false, false, false, b & !n),
            (6, false, false, false, b | n),
            (7, false, false, false, b ^ n),
        ];
        for (op, q, u, v, want) in cases {
            uut.op.next = op.to_bits();
            (uut.q.next, uut.u.next, uut.v.next) = (q, u, v);
            uut.b.next = b.to_bits();
            uut.operand.next = n.to_bits();
            uut.h.next = h.to_bits();
            uut.flags.next = flags.to_bits();
            crate::testing::settle(&mut uut);
            assert_eq!(uut.result.val().to_u32(), want, "op {op} q {q} u {u} v {v}");
        }
    }
}
