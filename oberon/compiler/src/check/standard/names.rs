//! Names of the standard procedures and functions, and how many parameters they take.

/// A standard procedure or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Standard {
    Abs,
    Adc,
    Adr,
    Asr,
    Assert,
    Bit,
    Chr,
    Cond,
    Copy,
    Dec,
    Excl,
    Floor,
    Flt,
    Get,
    High,
    Inc,
    Incl,
    Ldpsr,
    Ldreg,
    Led,
    Len,
    Lsl,
    New,
    Odd,
    Ord,
    Pack,
    Put,
    Reg,
    Ror,
    Sbc,
    Size,
    Uml,
    Unpk,
    Val,
}

/// Names known everywhere.
pub(in crate::check) const UNIVERSE: &[(&str, Standard)] = &[
    ("ABS", Standard::Abs),
    ("ADC", Standard::Adc),
    ("ASR", Standard::Asr),
    ("ASSERT", Standard::Assert),
    ("CHR", Standard::Chr),
    ("DEC", Standard::Dec),
    ("EXCL", Standard::Excl),
    ("FLOOR", Standard::Floor),
    ("FLT", Standard::Flt),
    ("INC", Standard::Inc),
    ("INCL", Standard::Incl),
    ("LED", Standard::Led),
    ("LEN", Standard::Len),
    ("LSL", Standard::Lsl),
    ("NEW", Standard::New),
    ("ODD", Standard::Odd),
    ("ORD", Standard::Ord),
    ("PACK", Standard::Pack),
    ("ROR", Standard::Ror),
    ("SBC", Standard::Sbc),
    ("UML", Standard::Uml),
    ("UNPK", Standard::Unpk),
];

/// Names known as `SYSTEM.name`.
pub(in crate::check) const SYSTEM: &[(&str, Standard)] = &[
    ("ADR", Standard::Adr),
    ("BIT", Standard::Bit),
    ("COND", Standard::Cond),
    ("COPY", Standard::Copy),
    ("GET", Standard::Get),
    ("H", Standard::High),
    ("LDPSR", Standard::Ldpsr),
    ("LDREG", Standard::Ldreg),
    ("PUT", Standard::Put),
    ("REG", Standard::Reg),
    ("SIZE", Standard::Size),
    ("VAL", Standard::Val),
];

impl Standard {
    pub(super) fn name(self) -> &'static str {
        UNIVERSE.iter().chain(SYSTEM).find(|(_, s)| *s == self).map_or("", |(name, _)| name)
    }

    /// Fewest and most parameters.
    pub(super) const fn arity(self) -> (usize, usize) {
        use Standard as S;
        match self {
            S::Inc | S::Dec => (1, 2),
            S::Copy => (3, 3),
            S::Adc
            | S::Asr
            | S::Bit
            | S::Excl
            | S::Get
            | S::Incl
            | S::Ldreg
            | S::Lsl
            | S::Pack
            | S::Put
            | S::Ror
            | S::Sbc
            | S::Uml
            | S::Unpk
            | S::Val => (2, 2),
            _ => (1, 1),
        }
    }
}
