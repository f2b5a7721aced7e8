//! Sector numbers and where sectors lie on a card.

use std::fmt;

/// Bytes of a sector.
pub const SECTOR_BYTES: usize = 1024;
/// The file system ends before this sector number (64 MiB).
pub const MAX_SECTORS: u32 = 65_536;
/// First sector that the file system hands out; before it lie root and boot area.
pub const FIRST_FILE_SECTOR: u32 = 64;
/// Bytes of the boot area, sectors 2 to 63.
pub const BOOT_AREA_BYTES: usize = 62 * SECTOR_BYTES;
/// Block (512 bytes) of a card at which sector 0 lies.
pub const CARD_FIRST_BLOCK: u32 = 0x8_0000;

/// Disk addresses are multiples of this, which catches most words that are none.
const ADDRESS_FACTOR: u32 = 29;

/// Number of a sector, below [`MAX_SECTORS`].
///
/// ```
/// use kube_disk::Sector;
/// assert_eq!(Sector::ROOT.address(), 29);
/// assert_eq!(Sector::from_address(64 * 29), Sector::new(64));
/// assert_eq!(Sector::from_address(30), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sector(u32);

impl Sector {
    /// The directory root.
    pub const ROOT: Sector = Sector(1);
    /// First sector of the boot area.
    pub const BOOT: Sector = Sector(2);

    /// The sector with this number; `None` from [`MAX_SECTORS`] on.
    pub fn new(number: u32) -> Option<Sector> {
        (number < MAX_SECTORS).then_some(Sector(number))
    }

    /// The sector with this disk address; `None` if it is no multiple of 29 or too large.
    pub fn from_address(address: u32) -> Option<Sector> {
        if address.is_multiple_of(ADDRESS_FACTOR) {
            Sector::new(address / ADDRESS_FACTOR)
        } else {
            None
        }
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Its disk address, as directory and files hold it.
    pub fn address(self) -> u32 {
        self.0 * ADDRESS_FACTOR
    }

    /// The first of its two blocks of 512 bytes on a card.
    pub fn card_block(self) -> u32 {
        CARD_FIRST_BLOCK + 2 * self.0
    }
}

impl fmt::Display for Sector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sector {}", self.0)
    }
}

/// The little-endian word at a byte offset of a sector, which holds it.
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(crate) fn put_word(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}
