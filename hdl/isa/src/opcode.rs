//! Register operations and branch conditions: code, mnemonic and meaning in one table each.

/// One row of [`OPERATIONS`].
pub struct OperationRow {
    /// The operation.
    pub op: Op,
    /// Text in the disassembly.
    pub mnemonic: &'static str,
    /// Effect on the destination register.
    pub meaning: &'static str,
    /// Whether the operation writes the flags C and V (all write N and Z).
    pub writes_carry: bool,
}

/// A register operation; the discriminant is the 4-bit code in bits 19..16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "OPERATIONS says what each does")]
pub enum Op {
    Mov = 0,
    Lsl = 1,
    Asr = 2,
    Ror = 3,
    And = 4,
    Ann = 5,
    Ior = 6,
    Xor = 7,
    Add = 8,
    Sub = 9,
    Mul = 10,
    Div = 11,
    Fad = 12,
    Fsb = 13,
    Fml = 14,
    Fdv = 15,
}

const fn row(
    op: Op,
    mnemonic: &'static str,
    meaning: &'static str,
    writes_carry: bool,
) -> OperationRow {
    OperationRow { op, mnemonic, meaning, writes_carry }
}

/// The sixteen operations in the order of their codes.
pub const OPERATIONS: [OperationRow; 16] = [
    row(Op::Mov, "MOV", "n; with u: n shifted left by 16, H, or the flags", false),
    row(Op::Lsl, "LSL", "b shifted left by n mod 32", false),
    row(Op::Asr, "ASR", "b shifted right by n mod 32, sign filled", false),
    row(Op::Ror, "ROR", "b rotated right by n mod 32", false),
    row(Op::And, "AND", "b and n", false),
    row(Op::Ann, "ANN", "b and not n", false),
    row(Op::Ior, "IOR", "b or n", false),
    row(Op::Xor, "XOR", "b exclusive-or n", false),
    row(Op::Add, "ADD", "b + n; with u: + C", true),
    row(Op::Sub, "SUB", "b - n; with u: - C", true),
    row(Op::Mul, "MUL", "low word of b * n, high word in H; with u: unsigned", false),
    row(Op::Div, "DIV", "quotient of b / n, remainder in H; with u: unsigned", false),
    row(Op::Fad, "FAD", "b + n; with u: FLT, with v: FLOOR", false),
    row(Op::Fsb, "FSB", "b - n in single precision", false),
    row(Op::Fml, "FML", "b * n in single precision", false),
    row(Op::Fdv, "FDV", "b / n in single precision", false),
];

impl Op {
    /// The operation with the given code; only the low four bits count.
    #[must_use]
    pub const fn from_code(code: u32) -> Self {
        OPERATIONS[(code & 15) as usize].op
    }

    /// The 4-bit code.
    #[must_use]
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// Text in the disassembly.
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        OPERATIONS[self as usize].mnemonic
    }
}

/// One row of [`CONDITIONS`].
pub struct ConditionRow {
    /// The condition.
    pub cond: Cond,
    /// Suffix of the branch in the disassembly.
    pub mnemonic: &'static str,
    /// The flags that must hold.
    pub meaning: &'static str,
}

/// A branch condition; the discriminant is the 4-bit code in bits 27..24, bit 3 inverts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "CONDITIONS says what each means")]
pub enum Cond {
    Mi = 0,
    Eq = 1,
    Cs = 2,
    Vs = 3,
    Ls = 4,
    Lt = 5,
    Le = 6,
    Always = 7,
    Pl = 8,
    Ne = 9,
    Cc = 10,
    Vc = 11,
    Hi = 12,
    Ge = 13,
    Gt = 14,
    Never = 15,
}

const fn cond(cond: Cond, mnemonic: &'static str, meaning: &'static str) -> ConditionRow {
    ConditionRow { cond, mnemonic, meaning }
}

/// The sixteen conditions in the order of their codes.
pub const CONDITIONS: [ConditionRow; 16] = [
    cond(Cond::Mi, "MI", "N"),
    cond(Cond::Eq, "EQ", "Z"),
    cond(Cond::Cs, "CS", "C"),
    cond(Cond::Vs, "VS", "V"),
    cond(Cond::Ls, "LS", "C or Z"),
    cond(Cond::Lt, "LT", "N # V"),
    cond(Cond::Le, "LE", "(N # V) or Z"),
    cond(Cond::Always, "", "always"),
    cond(Cond::Pl, "PL", "not N"),
    cond(Cond::Ne, "NE", "not Z"),
    cond(Cond::Cc, "CC", "not C"),
    cond(Cond::Vc, "VC", "not V"),
    cond(Cond::Hi, "HI", "not (C or Z)"),
    cond(Cond::Ge, "GE", "N = V"),
    cond(Cond::Gt, "GT", "not ((N # V) or Z)"),
    cond(Cond::Never, "NV", "never"),
];

impl Cond {
    /// The condition with the given code; only the low four bits count.
    #[must_use]
    pub const fn from_code(code: u32) -> Self {
        CONDITIONS[(code & 15) as usize].cond
    }

    /// The 4-bit code.
    #[must_use]
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The condition that holds exactly when this one does not.
    #[must_use]
    pub const fn invert(self) -> Self {
        Self::from_code(self.code() ^ 8)
    }

    /// Suffix of the branch in the disassembly, empty for "always".
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        CONDITIONS[self as usize].mnemonic
    }

    /// Whether the condition holds for the flags.
    #[must_use]
    pub const fn holds(self, n: bool, z: bool, c: bool, v: bool) -> bool {
        let plain = match self.code() & 7 {
            0 => n,
            1 => z,
            2 => c,
            3 => v,
            4 => c | z,
            5 => n != v,
            6 => (n != v) | z,
            _ => true,
        };
        plain != (self.code() & 8 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_their_codes() {
        for code in 0..16 {
            assert_eq!(OPERATIONS[code as usize].op.code(), code);
            assert_eq!(CONDITIONS[code as usize].cond.code(), code);
        }
    }

    #[test]
    fn inverting_a_condition_flips_it_for_every_combination_of_flags() {
        for code in 0..16 {
            let cond = Cond::from_code(code);
            for flags in 0..16 {
                let [n, z, c, v] = [8, 4, 2, 1].map(|bit| flags & bit != 0);
                assert_ne!(cond.holds(n, z, c, v), cond.invert().holds(n, z, c, v));
            }
        }
    }

    #[test]
    fn only_add_and_sub_write_c_and_v() {
        let writers: std::vec::Vec<_> =
            OPERATIONS.iter().filter(|r| r.writes_carry).map(|r| r.op).collect();
        assert_eq!(writers, [Op::Add, Op::Sub]);
    }
}
