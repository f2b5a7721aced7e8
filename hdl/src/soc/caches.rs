//! Sizes of a board's caches: the one that is built, and those that it was chosen from.
//!
//! A size of a circuit is a constant in its type, so each one that can be exported stands in a list here.
//! docs/decisions/0010 has them in a table with their speed and area.

use std::fmt;
use std::str::FromStr;

/// Sizes of the instruction cache and the data cache, each a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// Instructions, in KB.
    pub instructions_kb: u32,
    /// Data, in KB.
    pub data_kb: u32,
}

/// Sizes that the export does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no top has caches of {0:?}; say KB of instructions and data, one of: {all}; more with --features sizes", all = Caches::list())]
pub struct UnknownCaches(pub String);

impl Caches {
    /// What a board has.
    pub const BOARD: Self = Self::new(16, 16);

    /// Sizes in KB.
    pub const fn new(instructions_kb: u32, data_kb: u32) -> Self {
        Self { instructions_kb, data_kb }
    }

    /// Words of the instruction cache as a power of two.
    pub const fn instruction_bits(self) -> usize {
        word_bits(self.instructions_kb)
    }

    /// Words of the data cache as a power of two.
    pub const fn data_bits(self) -> usize {
        word_bits(self.data_kb)
    }

    fn list() -> String {
        let all: Vec<_> = Self::ALL.iter().map(Self::to_string).collect();
        all.join(" ")
    }
}

/// Words of so many KB as a power of two.
const fn word_bits(kb: u32) -> usize {
    kb.ilog2() as usize + 8
}

impl fmt::Display for Caches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.instructions_kb, self.data_kb)
    }
}

impl FromStr for Caches {
    type Err = UnknownCaches;

    /// `16,8`: 16 KB of instructions, 8 KB of data.
    fn from_str(text: &str) -> Result<Self, UnknownCaches> {
        let known = Self::ALL.iter().find(|caches| caches.to_string() == text).copied();
        known.ok_or_else(|| UnknownCaches(text.to_owned()))
    }
}

/// Hands each size that can be exported, in KB of instructions and data, to a macro. Each costs seconds of
/// compiling: the ones that nobody builds are there with feature `sizes`.
#[cfg(not(feature = "sizes"))]
macro_rules! every_size {
    ($take:ident) => {
        $take! { (8, 4) (16, 16) }
    };
}
#[cfg(feature = "sizes")]
macro_rules! every_size {
    ($take:ident) => {
        $take! { (4, 4) (8, 4) (8, 8) (8, 16) (16, 8) (16, 16) (16, 32) (32, 16) (32, 32) }
    };
}
pub(crate) use every_size;

macro_rules! all {
    ($(($instructions:literal, $data:literal))*) => {
        impl Caches {
            /// The sizes that can be exported.
            pub const ALL: &[Self] = &[$(Self::new($instructions, $data)),*];
        }
    };
}
every_size! { all }

/// The type of a ULX3S's top with constant sizes.
macro_rules! sized {
    ($top:ident, $caches:expr) => {
        $top<
            { $caches.instruction_bits() },
            { $caches.instruction_bits() - 3 },
            { 20 - $caches.instruction_bits() },
            { $caches.data_bits() },
            { $caches.data_bits() - 3 },
            { 20 - $caches.data_bits() },
        >
    };
}
pub(crate) use sized;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_unknown_ones_refused() {
        assert_eq!("8,4".parse(), Ok(Caches::new(8, 4)));
        assert!(Caches::ALL.contains(&Caches::BOARD));
        let error = Caches::from_str("16,7").expect_err("no such size");
        assert!(error.to_string().contains("\"16,7\"") && error.to_string().contains(" 8,4 "));
    }
}
