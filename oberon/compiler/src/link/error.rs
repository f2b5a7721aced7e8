//! What can keep modules from being linked.

/// Why modules cannot be linked into a boot image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// No module was given.
    #[error("no modules to link: give the object files of the inner core")]
    Empty,
    /// Two object files carry the same module name.
    #[error("module {module} is given twice: give each object file once")]
    Duplicate {
        /// The module.
        module: String,
    },
    /// A standalone module has no place in a boot image.
    #[error(
        "module {module} is standalone (MODULE*) and cannot be linked: compile it without the \
         asterisk or leave it out"
    )]
    Standalone {
        /// The module.
        module: String,
    },
    /// A module or command name does not fit its place.
    #[error(
        "module {module} has the name {name}, longer than 31 characters: give it a shorter one"
    )]
    Name {
        /// The module.
        module: String,
        /// The name, of the module or of a command.
        name: String,
    },
    /// An imported module is not among the given ones.
    #[error("module {importer} imports {module}, which is not given: add {module}.rsc")]
    Missing {
        /// The module with the import.
        importer: String,
        /// The module that is not there.
        module: String,
    },
    /// A module was compiled against another interface of an import.
    #[error(
        "module {importer} was compiled with {module} of key {wanted:08X}H, given is {module} of \
         key {found:08X}H: compile {importer} again after {module}"
    )]
    Key {
        /// The module with the import.
        importer: String,
        /// The imported module.
        module: String,
        /// Key in the importer's list.
        wanted: u32,
        /// Key of the given module.
        found: u32,
    },
    /// Modules import each other in a circle.
    #[error("modules import each other in a circle: {}; break the circle", path.join(" -> "))]
    Cycle {
        /// The circle; its last member is its first.
        path: Vec<String>,
    },
    /// More than one module is imported by nobody.
    #[error(
        "the image can start only one module, but nobody imports any of {}: give only one of \
         them and what it imports",
        tops.join(", ")
    )]
    Tops {
        /// The candidates, by name.
        tops: Vec<String>,
    },
    /// More modules than the module table has room for.
    #[error("{count} modules are given, the module table holds 55: link fewer modules")]
    TooMany {
        /// How many were given.
        count: usize,
    },
    /// The modules reach into the stack.
    #[error(
        "module {module} would end at {end:X}H, module space ends at 78000H: link fewer or \
         smaller modules"
    )]
    TooLarge {
        /// The first module that does not fit.
        module: String,
        /// Its end address.
        end: u64,
    },
    /// An offset in the object file points outside the module.
    #[error(
        "module {module} has {what} at {offset:X}H, outside of its {bytes:X}H bytes: the object \
         file is damaged, compile {module} again"
    )]
    Outside {
        /// The module.
        module: String,
        /// What points outside.
        what: &'static str,
        /// The offset.
        offset: u32,
        /// Size of the part it should point into.
        bytes: u32,
    },
    /// A fix-up chain is broken.
    #[error(
        "module {module} has a broken {chain} chain at word {word}: {fault}; the object file is \
         damaged, compile {module} again"
    )]
    Chain {
        /// The module.
        module: String,
        /// Which chain: call, data or descriptor.
        chain: &'static str,
        /// Word index of the bad link.
        word: u32,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// A fix-up names an entry that the imported module does not have.
    #[error(
        "module {module} uses entry {entry} of {import}, which has {entries}: compile {module} \
         again after {import}"
    )]
    Entry {
        /// The module with the reference.
        module: String,
        /// The imported module.
        import: String,
        /// The entry number.
        entry: u32,
        /// How many entries there are.
        entries: usize,
    },
    /// An offset does not fit into its instruction.
    #[error(
        "module {module} needs offset {offset:X}H into {import}, more than the 16 bits of its \
         instruction at word {word}: make the variables of {import} smaller"
    )]
    Distance {
        /// The module with the reference.
        module: String,
        /// The module referred to.
        import: String,
        /// Word index of the instruction.
        word: u32,
        /// The offset.
        offset: u32,
    },
}
