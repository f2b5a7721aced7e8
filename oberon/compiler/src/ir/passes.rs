//! The passes by name. Each can be switched off alone, to find out which one a fault or a figure comes
//! from; with all of them off the code comes straight from the typed tree.

/// A pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Operations on constants of all types are computed; branches on constants are decided.
    Fold,
    /// Values known within a block, or a block entered from one place only, are not computed again:
    /// expressions, addresses, data bases, loads.
    Cse,
    /// Multiplication, division and remainder by powers of two become shifts and masks.
    Strength,
    /// Index, NIL and other checks that were made already or cannot fail are left out.
    Checks,
    /// Local variables and parameters live in registers.
    Registers,
    /// A procedure knows which registers the procedures of its module leave alone.
    Clobbers,
    /// What a loop needs from the frame is loaded before it.
    Hoist,
    /// Loads move away from the first use of what they load.
    Schedule,
    /// The test of a WHILE loop stands at its end.
    Rotate,
}

impl Pass {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Fold,
        Self::Cse,
        Self::Strength,
        Self::Checks,
        Self::Registers,
        Self::Clobbers,
        Self::Hoist,
        Self::Schedule,
        Self::Rotate,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fold => "fold",
            Self::Cse => "cse",
            Self::Strength => "strength",
            Self::Checks => "checks",
            Self::Registers => "registers",
            Self::Clobbers => "clobbers",
            Self::Hoist => "hoist",
            Self::Schedule => "schedule",
            Self::Rotate => "rotate",
        }
    }

    /// The pass of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pass| pass.name() == name)
    }
}

/// Which passes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes(u16);

impl Default for Passes {
    fn default() -> Self {
        Self::all()
    }
}

impl Passes {
    /// All passes.
    #[must_use]
    pub fn all() -> Self {
        Pass::ALL.into_iter().fold(Self::none(), Self::with)
    }

    /// No pass, and no intermediate form: `-O0`.
    #[must_use]
    pub const fn none() -> Self {
        Self(0)
    }

    /// With a pass.
    #[must_use]
    pub const fn with(self, pass: Pass) -> Self {
        Self(self.0 | 1 << pass as u16)
    }

    /// Without a pass.
    #[must_use]
    pub const fn without(self, pass: Pass) -> Self {
        Self(self.0 & !(1 << pass as u16))
    }

    /// Whether a pass runs.
    #[must_use]
    pub const fn has(self, pass: Pass) -> bool {
        self.0 & 1 << pass as u16 != 0
    }

    /// Whether no pass runs.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}
