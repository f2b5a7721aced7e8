//! What can be wrong with a symbol file.

/// What is wrong with a symbol file. Offsets are bytes from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolError {
    /// The file ends too early.
    #[error(
        "symbol file of {module} ends at byte {offset} in the middle of an entry; compile {module} again"
    )]
    Truncated {
        /// Module name.
        module: String,
        /// Where more was expected.
        offset: usize,
    },
    /// A value that cannot be true.
    #[error("symbol file of {module} is damaged at byte {offset}: {what}; compile {module} again")]
    Damaged {
        /// Module name.
        module: String,
        /// Where.
        offset: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// Two modules were compiled against different versions of a third.
    #[error(
        "{module} was compiled against {origin} with key {expected:08X}H, but here {origin} has \
         key {found:08X}H; compile {module} again"
    )]
    Key {
        /// The module whose file was read.
        module: String,
        /// The module it refers to.
        origin: String,
        /// The key that the file names.
        expected: u32,
        /// The key known already.
        found: u32,
    },
    /// More modules than an object file can number.
    #[error(
        "more than 15 modules in sight with {module}, those of which only types are used \
         included; an object file cannot number more: split the module"
    )]
    TooManyModules {
        /// The module that is one too many.
        module: String,
    },
}
