//! What can keep an image from being read or changed.

use crate::finding::Finding;

/// Why an operation on an image failed. The image is then unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiskError {
    /// No directory root at either place where one can be.
    #[error(
        "not an Oberon disk image ({length} bytes): the directory mark 9B1EA38DH stands neither \
         at its start nor at byte 268436480 (full card){}; give a disk image, or make one",
        first.map_or(String::new(), |w| format!(", it starts with {w:08X}H"))
    )]
    NotAnImage {
        /// Length of what was given, in bytes.
        length: u64,
        /// Its first word, if it holds a sector at all.
        first: Option<u32>,
    },
    /// The directory does not have the file.
    #[error("file {name} is not on the disk: list the files to see what is")]
    NotFound {
        /// The name looked for.
        name: String,
    },
    /// The directory has the file already.
    #[error("file {name} is on the disk already: replace it, or choose another name")]
    Exists {
        /// The name.
        name: String,
    },
    /// Not a file name.
    #[error("{name:?} cannot be a file name: {rule}; choose another name")]
    Name {
        /// What was given.
        name: String,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// Longer than a file can be.
    #[error("file {name} has {bytes} bytes, a file can have 3210912: split it")]
    TooLong {
        /// The file.
        name: String,
        /// Its length.
        bytes: usize,
    },
    /// The file system has no room left.
    #[error(
        "the disk has {free} free sectors of 1024 bytes, file {name} needs {needed}: remove files"
    )]
    Full {
        /// The file to be written.
        name: String,
        /// Sectors it needs, directory pages included.
        needed: usize,
        /// Sectors left.
        free: u32,
    },
    /// The boot image is longer than the boot area.
    #[error(
        "the boot image has {bytes} bytes, the boot area holds 63488: link fewer or smaller modules"
    )]
    BootTooLong {
        /// Length of the boot image.
        bytes: usize,
    },
    /// What was to be put into the boot area is no boot image, or the boot area has none.
    #[error("no usable boot image: {0}")]
    Boot(Box<Finding>),
    /// The size asked for is not that of an image.
    #[error(
        "a file system cannot have {bytes} bytes: its size is a multiple of 1024, at least 64512 and \
         at most 67107840"
    )]
    Size {
        /// The size asked for.
        bytes: u64,
    },
    /// The image is damaged where the operation needs it.
    #[error("the image is damaged: {finding}{}", and_more(*more))]
    Damaged {
        /// The first problem found.
        finding: Box<Finding>,
        /// How many others there are.
        more: usize,
    },
}

fn and_more(more: usize) -> String {
    match more {
        0 => String::new(),
        n => format!(" (and {n} more problems: check the image to see them)"),
    }
}
