//! Values of expressions.

use risc5_isa::Instruction;
use risc5_isa::opcode::{Cond, Op};
use risc5_isa::register::{LINK, STACK};
use risc5_isa::trap;

use super::Generator;
use super::emitter::Reference;
use super::places::PROCEDURE_MARK;
use super::registers::Value;
use crate::diagnostic::Span;
use crate::tree::{Binary, Expr, ExprKind, PlaceKind, Unary};
use crate::types::TypeId;

/// Upper half of 2^23 as REAL: the second operand of FLT and FLOOR.
const CONVERSION: u16 = 0x4B00;

impl Generator<'_, '_, '_> {
    /// Computes a scalar.
    pub(super) fn value(&mut self, e: &Expr) -> Value {
        match &e.kind {
            ExprKind::Const(value) => self.constant(*value),
            ExprKind::Load(place) => self.load_place(place),
            ExprKind::Address(place) => {
                let address = self.place(place);
                self.address(address)
            }
            ExprKind::Procedure(index) => self.procedure_value(*index),
            ExprKind::ImportedProcedure { module, entry } => {
                let value = self.alloc();
                let register = self.reg(value);
                let number = PROCEDURE_MARK | u16::from(*entry);
                self.imported_object(register, *module, number);
                value
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, e.span),
            ExprKind::Call(call) => self.call(call).unwrap_or_else(|| self.constant(0)),
            ExprKind::OpenLength(slot) => {
                let value = self.alloc();
                let (register, offset) = (self.reg(value), self.frame(*slot));
                self.out.load(register, STACK, offset);
                value
            }
            ExprKind::Single(element) => self.single(element),
            ExprKind::Range(low, high) => self.range(low, high),
            ExprKind::Register(number) => {
                let value = self.alloc();
                let register = self.reg(value);
                self.out.register(Op::Mov, register, 0, *number);
                value
            }
            ExprKind::High => {
                let value = self.alloc();
                let register = self.reg(value);
                self.out.register_u(Op::Mov, register, 0, 0);
                value
            }
            ExprKind::Not(inner) if matches!(inner.kind, ExprKind::Load(_) | ExprKind::Call(_)) => {
                let value = self.value(inner);
                let register = self.reg(value);
                self.out.immediate(Op::Xor, register, register, 1);
                value
            }
            _ => self.boolean(e),
        }
    }

    pub(super) fn constant(&mut self, constant: i32) -> Value {
        let value = self.alloc();
        let register = self.reg(value);
        self.out.constant(register, constant);
        value
    }

    fn load_place(&mut self, place: &crate::tree::Place) -> Value {
        let byte = self.is_byte(place.ty);
        // A guarded pointer is loaded once, for the check and as the value.
        if let PlaceKind::Guard(inner, record) = &place.kind
            && self.module.types.record(inner.ty).is_none()
        {
            let pointer = self.load_place(inner);
            if self.out.checks {
                self.check_pointer(pointer, *record, place.span);
            }
            return pointer;
        }
        let address = self.place(place);
        self.load_from(address, byte, false)
    }

    pub(super) fn is_byte(&self, ty: TypeId) -> bool {
        self.module.types.size(ty) == 1
    }

    fn procedure_value(&mut self, index: usize) -> Value {
        let value = self.alloc();
        let register = self.reg(value);
        if self.module.standalone {
            // Where the code will stand is not known: ask the processor.
            self.out.put(Instruction::BranchRelative { link: true, cond: Cond::Always, offset: 0 });
            self.out.calls = true;
            let at = self.out.here();
            self.out.references.push((Reference::Relative(at), index));
            self.out.immediate(Op::Add, register, LINK, 0);
            return value;
        }
        self.out.own_base(register);
        if self.data_bytes() as usize + 4 * self.out.here() < 0x8000 {
            let at = self.out.here();
            self.out.immediate(Op::Add, register, register, 0);
            // The emitter may have extended a fix-up chain in between.
            let at = at.max(self.out.here() - 1);
            self.out.references.push((Reference::Short(at), index));
        } else {
            let offset = self.alloc();
            let (ro, rv) = self.regs2(offset, value);
            self.out.put(Instruction::Immediate {
                op: Op::Mov,
                u: true,
                v: false,
                a: ro,
                b: 0,
                imm: 0,
            });
            let at = self.out.here() - 1;
            self.out.immediate(Op::Ior, ro, ro, 0);
            self.out.references.push((Reference::Long(at), index));
            self.out.register(Op::Add, rv, rv, ro);
            self.free(offset);
        }
        value
    }

    fn unary(&mut self, op: Unary, operand: &Expr) -> Value {
        let value = self.value(operand);
        match op {
            Unary::Negate | Unary::NegateReal => {
                let zero = self.alloc();
                let (rz, rv) = self.regs2(zero, value);
                self.out.immediate(Op::Mov, rz, 0, 0);
                let op = if op == Unary::Negate { Op::Sub } else { Op::Fsb };
                self.out.register(op, rv, rz, rv);
                self.free(zero);
            }
            Unary::Complement => {
                let register = self.reg(value);
                self.out.try_immediate(Op::Xor, register, register, -1);
            }
            Unary::Abs => {
                let zero = self.alloc();
                let (rz, rv) = self.regs2(zero, value);
                let positive = self.out.label();
                self.out.test(rv);
                self.out.branch(Cond::Pl, positive);
                self.out.immediate(Op::Mov, rz, 0, 0);
                self.out.register(Op::Sub, rv, rz, rv);
                self.out.bind(positive);
                self.free(zero);
            }
            Unary::AbsReal => {
                let register = self.reg(value);
                self.out.immediate(Op::Lsl, register, register, 1);
                self.out.immediate(Op::Ror, register, register, 1);
            }
            Unary::Floor | Unary::Float => {
                let scale = self.alloc();
                let (rs, rv) = self.regs2(scale, value);
                self.out.put(Instruction::Immediate {
                    op: Op::Mov,
                    u: true,
                    v: false,
                    a: rs,
                    b: 0,
                    imm: CONVERSION,
                });
                self.out.put(Instruction::Register {
                    op: Op::Fad,
                    u: op == Unary::Float,
                    v: op == Unary::Floor,
                    a: rv,
                    b: rv,
                    c: rs,
                });
                self.free(scale);
            }
        }
        value
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr, span: Span) -> Value {
        if let (Some(a), Some(b)) = (left.constant(), right.constant())
            && let Some(folded) = fold_shift(op, a, b)
        {
            return self.constant(folded);
        }
        match op {
            Binary::Add
            | Binary::Mul
            | Binary::Union
            | Binary::Intersection
            | Binary::SymmetricDifference
                if left.constant().is_some() =>
            {
                self.ordered(op, right, left, span)
            }
            _ => self.ordered(op, left, right, span),
        }
    }

    fn ordered(&mut self, op: Binary, left: &Expr, right: &Expr, span: Span) -> Value {
        let a = self.value(left);
        if let Some(constant) = right.constant() {
            let register = self.reg(a);
            if self.with_constant(op, a, register, constant) {
                return a;
            }
        }
        let b = self.value(right);
        let (ra, rb) = self.regs2(a, b);
        match op {
            Binary::Div | Binary::Mod => {
                if self.out.checks && right.constant().is_none() {
                    // A comparison, not a test: the overflow flag must be that of the divisor.
                    self.out.immediate(Op::Sub, rb, rb, 0);
                    self.out.trap(Cond::Le, trap::DIVISOR, span);
                }
                self.out.register(Op::Div, ra, ra, rb);
                if op == Binary::Mod {
                    self.out.register_u(Op::Mov, ra, 0, 0);
                }
            }
            Binary::AddCarry => self.out.register_u(Op::Add, ra, ra, rb),
            Binary::SubCarry => self.out.register_u(Op::Sub, ra, ra, rb),
            Binary::MulUnsigned => self.out.register_u(Op::Mul, ra, ra, rb),
            _ => self.out.register(operation(op), ra, ra, rb),
        }
        self.free(b);
        a
    }

    /// `register := register op constant` in the cheapest way; `false` if there is none.
    fn with_constant(&mut self, op: Binary, value: Value, register: u8, constant: i32) -> bool {
        match op {
            Binary::Add | Binary::Sub | Binary::Union if constant == 0 => true,
            Binary::Mul => {
                self.multiply(value, register, constant);
                true
            }
            Binary::Div | Binary::Mod if constant > 0 && constant & (constant - 1) == 0 => {
                let shift = constant.trailing_zeros() as u16;
                if op == Binary::Div {
                    if shift > 0 {
                        self.out.immediate(Op::Asr, register, register, shift);
                    }
                    return true;
                }
                self.out.try_immediate(Op::And, register, register, constant - 1)
                    || self.mask(value, constant)
            }
            Binary::Div => self.out.try_immediate(Op::Div, register, register, constant),
            Binary::Mod => {
                let done = self.out.try_immediate(Op::Div, register, register, constant);
                if done {
                    self.out.register_u(Op::Mov, register, 0, 0);
                }
                done
            }
            Binary::ShiftLeft | Binary::ShiftRight | Binary::Rotate => {
                let shift = (constant & 31) as u16;
                if shift > 0 {
                    self.out.immediate(operation(op), register, register, shift);
                }
                true
            }
            Binary::Add
            | Binary::Sub
            | Binary::Union
            | Binary::Difference
            | Binary::Intersection
            | Binary::SymmetricDifference => {
                self.out.try_immediate(operation(op), register, register, constant)
            }
            _ => false,
        }
    }

    /// The low bits of a value: `value MOD power`, for a power of 2 above 16 bits.
    fn mask(&mut self, value: Value, power: i32) -> bool {
        let mask = self.alloc();
        let (rm, rv) = self.regs2(mask, value);
        self.out.constant(rm, power - 1);
        self.out.register(Op::And, rv, rv, rm);
        self.free(mask);
        true
    }

    fn single(&mut self, element: &Expr) -> Value {
        let element = self.value(element);
        let one = self.alloc();
        let (ro, re) = self.regs2(one, element);
        self.out.immediate(Op::Mov, ro, 0, 1);
        self.out.register(Op::Lsl, re, ro, re);
        self.free(one);
        element
    }

    /// All bits from `low` on, without those above `high`.
    fn range(&mut self, low: &Expr, high: &Expr) -> Value {
        let low = self.ones_above(low, -1);
        let high = self.ones_above(high, -2);
        let (rl, rh) = self.regs2(low, high);
        self.out.register(Op::Ann, rl, rl, rh);
        self.free(high);
        low
    }

    /// `ones` shifted left by an element.
    fn ones_above(&mut self, element: &Expr, ones: i32) -> Value {
        if let Some(n) = element.constant() {
            return self.constant(ones.wrapping_shl(n as u32));
        }
        let element = self.value(element);
        let all = self.alloc();
        let (ra, re) = self.regs2(all, element);
        self.out.constant(ra, ones);
        self.out.register(Op::Lsl, re, ra, re);
        self.free(all);
        element
    }
}

/// Shifts of constants: not constant expressions to the language, but known all the same.
fn fold_shift(op: Binary, a: i32, b: i32) -> Option<i32> {
    let shift = b as u32 & 31;
    match op {
        Binary::ShiftLeft => Some(a.wrapping_shl(shift)),
        Binary::ShiftRight => Some(a.wrapping_shr(shift)),
        Binary::Rotate => Some(a.rotate_right(shift)),
        _ => None,
    }
}

/// The instruction of an operation that is one.
const fn operation(op: Binary) -> Op {
    match op {
        Binary::Add | Binary::AddCarry => Op::Add,
        Binary::Sub | Binary::SubCarry => Op::Sub,
        Binary::Mul | Binary::MulUnsigned => Op::Mul,
        Binary::Div | Binary::Mod => Op::Div,
        Binary::AddReal => Op::Fad,
        Binary::SubReal => Op::Fsb,
        Binary::MulReal => Op::Fml,
        Binary::DivReal => Op::Fdv,
        Binary::Union => Op::Ior,
        Binary::Difference => Op::Ann,
        Binary::Intersection => Op::And,
        Binary::SymmetricDifference => Op::Xor,
        Binary::ShiftLeft => Op::Lsl,
        Binary::ShiftRight => Op::Asr,
        Binary::Rotate => Op::Ror,
    }
}
