//! Instructions in the form that the interpreter executes: one flat operation code, operands
//! extracted, constants extended, cost looked up. One takes eight bytes.

use risc5_isa::instruction::{LOW_ENABLE, LOW_RETURN};
use risc5_isa::{Cond, Instruction, Op};

use crate::cycles::CycleTable;

/// What to do. The suffix says where the second operand comes from: `R` a register, `I` a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Not decoded yet, or overwritten since.
    Stale,
    MovR,
    MovI,
    MovH,
    MovFlags,
    LslR,
    LslI,
    AsrR,
    AsrI,
    RorR,
    RorI,
    AndR,
    AndI,
    AnnR,
    IorR,
    IorI,
    XorR,
    XorI,
    AddR,
    AddI,
    AdcR,
    AdcI,
    SubR,
    SubI,
    SbcR,
    SbcI,
    MulR,
    MulI,
    UmlR,
    UmlI,
    DivR,
    DivI,
    UdivR,
    UdivI,
    /// Any floating point operation; `imm` holds the instruction word.
    Float,
    LoadWord,
    LoadByte,
    StoreWord,
    StoreByte,
    /// Relative branches that do not link; `imm` is the distance in words.
    Jump,
    JumpEq,
    JumpNe,
    JumpLt,
    JumpGe,
    JumpGt,
    JumpLe,
    JumpMi,
    JumpPl,
    /// Any other condition, its number in `a`.
    JumpIf,
    Call,
    CallIf,
    /// Branch to the address in register `b`.
    Return,
    ReturnIf,
    CallRegister,
    /// Conditional calls through a register, which run-time checks are made of: NIL, index, others.
    CheckEq,
    CheckCc,
    CallRegisterIf,
    /// Interrupt enable and return from interrupt; `imm` holds the low bits.
    Control,
}

/// One decoded instruction.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    /// Cycles, for a conditional branch those of not taking it.
    pub(crate) cost: u8,
    pub(crate) a: u8,
    pub(crate) b: u8,
    /// Second operand: register number, extended constant, byte offset or word distance.
    pub(crate) imm: u32,
}

impl Operation {
    pub(crate) const STALE: Self = Self { kind: Kind::Stale, cost: 0, a: 0, b: 0, imm: 0 };

    /// Translates an instruction word.
    pub(crate) fn decode(word: u32, costs: &CycleTable) -> Self {
        match Instruction::decode(word) {
            Instruction::Register { op, u, v, a, b, c } => {
                let kind = match (op, u) {
                    (Op::Mov, false) => Kind::MovR,
                    (Op::Mov, true) if v => Kind::MovFlags,
                    (Op::Mov, true) => Kind::MovH,
                    (Op::Lsl, _) => Kind::LslR,
                    (Op::Asr, _) => Kind::AsrR,
                    (Op::Ror, _) => Kind::RorR,
                    (Op::And, _) => Kind::AndR,
                    (Op::Ann, _) => Kind::AnnR,
                    (Op::Ior, _) => Kind::IorR,
                    (Op::Xor, _) => Kind::XorR,
                    (Op::Add, false) => Kind::AddR,
                    (Op::Add, true) => Kind::AdcR,
                    (Op::Sub, false) => Kind::SubR,
                    (Op::Sub, true) => Kind::SbcR,
                    (Op::Mul, false) => Kind::MulR,
                    (Op::Mul, true) => Kind::UmlR,
                    (Op::Div, false) => Kind::DivR,
                    (Op::Div, true) => Kind::UdivR,
                    (Op::Fad | Op::Fsb | Op::Fml | Op::Fdv, _) => Kind::Float,
                };
                let imm = if kind == Kind::Float { word } else { c.into() };
                Self::new(kind, cost_of(op, costs), a, b, imm)
            }
            Instruction::Immediate { op, u, v, a, b, imm } => {
                let n = u32::from(imm) | if v { 0xFFFF_0000 } else { 0 };
                let (kind, n) = match (op, u) {
                    (Op::Mov, false) => (Kind::MovI, n),
                    (Op::Mov, true) => (Kind::MovI, n << 16),
                    (Op::Lsl, _) => (Kind::LslI, n & 31),
                    (Op::Asr, _) => (Kind::AsrI, n & 31),
                    (Op::Ror, _) => (Kind::RorI, n & 31),
                    (Op::And, _) => (Kind::AndI, n),
                    (Op::Ann, _) => (Kind::AndI, !n),
                    (Op::Ior, _) => (Kind::IorI, n),
                    (Op::Xor, _) => (Kind::XorI, n),
                    (Op::Add, false) => (Kind::AddI, n),
                    (Op::Add, true) => (Kind::AdcI, n),
                    (Op::Sub, false) => (Kind::SubI, n),
                    (Op::Sub, true) => (Kind::SbcI, n),
                    (Op::Mul, false) => (Kind::MulI, n),
                    (Op::Mul, true) => (Kind::UmlI, n),
                    (Op::Div, false) => (Kind::DivI, n),
                    (Op::Div, true) => (Kind::UdivI, n),
                    (Op::Fad | Op::Fsb | Op::Fml | Op::Fdv, _) => (Kind::Float, word),
                };
                Self::new(kind, cost_of(op, costs), a, b, n)
            }
            Instruction::Memory { store, byte, a, b, offset } => {
                let (kind, cost) = match (store, byte) {
                    (false, false) => (Kind::LoadWord, costs.load),
                    (false, true) => (Kind::LoadByte, costs.load),
                    (true, false) => (Kind::StoreWord, costs.store),
                    (true, true) => (Kind::StoreByte, costs.store),
                };
                Self::new(kind, cost, a, b, offset as u32)
            }
            Instruction::BranchRelative { link, cond, offset } => {
                let kind = match (link, cond) {
                    (false, Cond::Always) => Kind::Jump,
                    (false, Cond::Eq) => Kind::JumpEq,
                    (false, Cond::Ne) => Kind::JumpNe,
                    (false, Cond::Lt) => Kind::JumpLt,
                    (false, Cond::Ge) => Kind::JumpGe,
                    (false, Cond::Gt) => Kind::JumpGt,
                    (false, Cond::Le) => Kind::JumpLe,
                    (false, Cond::Mi) => Kind::JumpMi,
                    (false, Cond::Pl) => Kind::JumpPl,
                    (false, _) => Kind::JumpIf,
                    (true, Cond::Always) => Kind::Call,
                    (true, _) => Kind::CallIf,
                };
                let cost = branch_cost(cond, costs);
                Self::new(kind, cost, cond as u8, 0, offset as u32)
            }
            Instruction::BranchRegister { link, cond, low } => {
                let control = !link && low & (LOW_ENABLE | LOW_RETURN) != 0;
                let kind = match (link, cond) {
                    _ if control => Kind::Control,
                    (false, Cond::Always) => Kind::Return,
                    (false, _) => Kind::ReturnIf,
                    (true, Cond::Always) => Kind::CallRegister,
                    (true, Cond::Eq) => Kind::CheckEq,
                    (true, Cond::Cc) => Kind::CheckCc,
                    (true, _) => Kind::CallRegisterIf,
                };
                let cost = branch_cost(cond, costs);
                Self::new(kind, cost, cond as u8, (low & 15) as u8, low)
            }
        }
    }

    const fn new(kind: Kind, cost: u8, a: u8, b: u8, imm: u32) -> Self {
        Self { kind, cost, a, b, imm }
    }
}

fn cost_of(op: Op, costs: &CycleTable) -> u8 {
    match op {
        Op::Mul => costs.mul,
        Op::Div => costs.div,
        Op::Fad | Op::Fsb => costs.fadd,
        Op::Fml => costs.fmul,
        Op::Fdv => costs.fdiv,
        _ => costs.alu,
    }
}

fn branch_cost(cond: Cond, costs: &CycleTable) -> u8 {
    match cond {
        Cond::Always => costs.branch_taken,
        _ => costs.branch_not_taken,
    }
}

/// For each condition the set of flag values, NZCV as a 4-bit number, for which it holds.
pub(crate) const HOLDS: [u16; 16] = {
    let mut table = [0_u16; 16];
    let mut cond = 0;
    while cond < 16 {
        let mut flags = 0;
        while flags < 16 {
            let (n, z) = (flags & 8 != 0, flags & 4 != 0);
            let (c, v) = (flags & 2 != 0, flags & 1 != 0);
            if Cond::from_code(cond as u32).holds(n, z, c, v) {
                table[cond] |= 1 << flags;
            }
            flags += 1;
        }
        cond += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_one_double_word() {
        assert_eq!(size_of::<Operation>(), 8);
    }

    #[test]
    fn conditions_as_bit_sets() {
        assert_eq!(HOLDS[Cond::Always as usize], 0xFFFF);
        assert_eq!(HOLDS[Cond::Never as usize], 0);
        for cond in 0..8 {
            assert_eq!(HOLDS[cond], !HOLDS[cond + 8]);
        }
        assert_eq!(HOLDS[Cond::Cs as usize], 0xCCCC);
        assert_eq!(HOLDS[Cond::Lt as usize], 0x55AA);
    }

    #[test]
    fn constants_are_extended_once() {
        let costs = CycleTable::ours();
        let of = |word| Operation::decode(word, &costs);
        let mov_high = of(0x6100_1234);
        assert_eq!((mov_high.kind, mov_high.imm), (Kind::MovI, 0x1234_0000));
        let mov_negative = of(0x5100_FFFE);
        assert_eq!((mov_negative.kind, mov_negative.imm), (Kind::MovI, 0xFFFF_FFFE));
        let load = of(0x80EF_FFFC);
        assert_eq!((load.kind, load.imm as i32), (Kind::LoadWord, -4));
    }
}
