//! What a check can find in an image.

use crate::name::Name;
use crate::sector::Sector;
use std::fmt;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Files are intact; the image can be used and changed.
    Warning,
    /// Files or the start of the machine are in danger; the file system is not changed in this
    /// state.
    Error,
}

/// One thing that is wrong with an image: where, what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// A directory page is damaged.
    #[error("directory page at {page}: {fault}; {RESCUE}")]
    Page {
        /// Where the page lies.
        page: Sector,
        /// What is wrong with it.
        fault: PageFault,
    },
    /// A page other than the root has fewer than 12 entries.
    #[error(
        "directory page at {page} has {entries} entries, 12 to 24 are usual: it can be read; \
         copy the files into a fresh image to put it in order"
    )]
    Fill {
        /// Where the page lies.
        page: Sector,
        /// How many entries it has.
        entries: usize,
    },
    /// A file's header is damaged.
    #[error("file {file}, header at {sector}: {fault}; replace the file")]
    Header {
        /// The file, as the directory names it.
        file: Name,
        /// Where the header lies.
        sector: Sector,
        /// What is wrong with it.
        fault: HeaderFault,
    },
    /// The directory or a file's sector table holds a word that is no usable disk address.
    #[error("{owner} has disk address {address}, {rule}; {}", owner.remedy())]
    Address {
        /// To whom the sector should belong.
        owner: Owner,
        /// The word found.
        address: u32,
        /// Why it is not usable.
        rule: &'static str,
    },
    /// A sector that is in use lies behind the end of the image.
    #[error(
        "{owner} lies at {sector}, the image ends before sector {end}: the image was cut off; \
         take a complete copy"
    )]
    Beyond {
        /// To whom the sector belongs.
        owner: Owner,
        /// The sector.
        sector: Sector,
        /// Where the image ends.
        end: u32,
    },
    /// A sector belongs to two owners.
    #[error("{sector} belongs to {first} and to {second}: at least one is damaged; {RESCUE}")]
    Shared {
        /// The sector.
        sector: Sector,
        /// Who was met first.
        first: Owner,
        /// Who was met second.
        second: Owner,
    },
    /// The boot area does not hold a boot image that can start.
    #[error("boot area: {0}; link the inner core and write the boot area again")]
    Boot(BootFault),
    /// The image ends inside a block.
    #[error(
        "the image has {extra} bytes after its last whole block of 512: it was cut off or padded; \
         they are ignored"
    )]
    Length {
        /// How many bytes follow the last whole block.
        extra: usize,
    },
    /// The check stopped counting.
    #[error("more problems were found than are listed: this is no intact image; {RESCUE}")]
    More,
}

const RESCUE: &str = "read out the files that can be read and make a fresh image";

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match self {
            Finding::Fill { .. } | Finding::Length { .. } | Finding::Boot(BootFault::Empty) => {
                Severity::Warning
            }
            // What a power cut may leave; the machine mends it at its next start.
            Finding::Page { page: Sector::ROOT, fault: PageFault::Hollow } => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// Whether the file system itself is affected, and not only the boot area.
    pub(crate) fn blocks_changes(&self) -> bool {
        self.severity() == Severity::Error && !matches!(self, Finding::Boot(_))
    }
}

/// What is wrong with a directory page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are the values found, named in the message")]
pub enum PageFault {
    #[error("its first word is {found:08X}H, not the directory mark 9B1EA38DH")]
    Mark { found: u32 },
    #[error("it claims {found} entries, possible are 0 to 24")]
    Count { found: i32 },
    #[error("entry {index} has no valid file name")]
    Name { index: usize },
    #[error("file {name} has header address {address}, no disk address of a sector")]
    Header { name: Name, address: u32 },
    #[error("it leads to the page at disk address {address}, which is none")]
    Link { address: u32 },
    #[error("file {name} is out of order: it does not belong between its neighbours")]
    Order { name: Name },
    #[error("only some of its entries lead to pages below")]
    Ragged,
    #[error("it is empty, but leads to a page below")]
    Hollow,
    #[error("it is a leaf on level {found}, other leaves are on level {expected}")]
    Level { found: usize, expected: usize },
    #[error("it lies more than 16 levels below the root")]
    Depth,
}

/// What is wrong with a file header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are the values found, named in the message")]
pub enum HeaderFault {
    #[error("its first word is {found:08X}H, not the file mark 9BA71D86H")]
    Mark { found: u32 },
    #[error("it holds no valid file name")]
    Name,
    #[error("it holds the name {found}")]
    OtherName { found: Name },
    #[error("its length of {sectors} sectors and {bytes} bytes is impossible")]
    Length { sectors: i32, bytes: i32 },
    #[error("its first data sector is disk address {address}, not itself")]
    NotItself { address: u32 },
}

/// What is wrong with the boot area.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are the values found, named in the message")]
pub enum BootFault {
    #[error("it is empty, the disk holds files but cannot start a machine")]
    Empty,
    #[error("it ends at {end:X}H (word at byte 16), possible is 150H to {limit:X}H")]
    End { end: u32, limit: usize },
    #[error("word 0 is {word:08X}H, not a branch (E7......H)")]
    NoBranch { word: u32 },
    #[error("word 0 branches to {target:X}H, outside of every module's code")]
    Branch { target: u32 },
    #[error("module descriptor at {at:X}H is not between 100H and the one before it")]
    Descriptor { at: u32 },
    #[error("module descriptor at {at:X}H has no valid name")]
    ModuleName { at: u32 },
    #[error("module {module} has number {number}, expected is {expected}")]
    Number { module: String, number: u32, expected: u32 },
    #[error("module {module} ends at {end:X}H, the next begins at {next:X}H")]
    Block { module: String, end: u32, next: u32 },
    #[error("module {module} has its {part} at {at:X}H, out of order or outside of its block")]
    Part { module: String, part: &'static str, at: u32 },
    #[error("the module table has data of {module} at {found:X}H, its descriptor at {data:X}H")]
    Table { module: String, found: u32, data: u32 },
}

/// To whom a sector belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A directory page.
    Page,
    /// The header of a file.
    Header(Name),
    /// An index sector of a file, counted from 0.
    Index(Name, usize),
    /// A data sector of a file, counted from 0 (the header).
    Data(Name, usize),
}

impl Owner {
    fn remedy(&self) -> &'static str {
        match self {
            Owner::Page => RESCUE,
            _ => "replace the file",
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Page => write!(f, "a directory page"),
            Owner::Header(name) => write!(f, "the header of file {name}"),
            Owner::Index(name, i) => write!(f, "index sector {i} of file {name}"),
            Owner::Data(name, i) => write!(f, "data sector {i} of file {name}"),
        }
    }
}
