//! A file's header sector: name, length, and the tables of its sectors.
//!
//! | byte | content |
//! |---|---|
//! | 0 | mark 9BA71D86H |
//! | 4 | name, 32 bytes, zero-padded |
//! | 36, 40 | whole sectors before the last, and bytes in the last (up to 1024), header included |
//! | 44 | date |
//! | 48 | 12 addresses of index sectors, each with 256 addresses |
//! | 96 | 64 addresses of data sectors; the first is the header itself |
//! | 352 | the file's first bytes |

use crate::date::Date;
use crate::finding::HeaderFault;
use crate::name::Name;
use crate::sector::{SECTOR_BYTES, Sector, put_word, word};

/// Bytes of a header before the file's own bytes.
pub(crate) const HEADER_BYTES: usize = 352;
/// Data sectors listed in the header itself.
pub(crate) const DIRECT_SECTORS: usize = 64;
/// Data sectors listed in one index sector.
pub(crate) const INDEX_ENTRIES: usize = 256;
/// Most index sectors of a file.
pub(crate) const INDEX_SECTORS: usize = 12;

/// Most data sectors of a file, the header's included.
pub const MAX_FILE_SECTORS: usize = DIRECT_SECTORS + INDEX_SECTORS * INDEX_ENTRIES;
/// Longest file, in bytes.
pub const MAX_FILE_BYTES: usize = MAX_FILE_SECTORS * SECTOR_BYTES - HEADER_BYTES;

const HEADER_MARK: u32 = 0x9BA7_1D86;

/// The fixed part of a header, checked; the sector tables are read with [`Header::index`] and
/// [`Header::direct`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) name: Name,
    pub(crate) length: usize,
    pub(crate) date: Date,
    /// Data sectors, the header's own included.
    pub(crate) sectors: usize,
}

impl Header {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Header, HeaderFault> {
        let mark = word(bytes, 0);
        if mark != HEADER_MARK {
            return Err(HeaderFault::Mark { found: mark });
        }
        let name = Name::from_disk(&bytes[4..36]).ok_or(HeaderFault::Name)?;
        let (whole, rest) = (word(bytes, 36), word(bytes, 40));
        let fault = HeaderFault::Length { sectors: whole as i32, bytes: rest as i32 };
        if whole as usize >= MAX_FILE_SECTORS || rest as usize > SECTOR_BYTES {
            return Err(fault);
        }
        let total = whole as usize * SECTOR_BYTES + rest as usize;
        let length = total.checked_sub(HEADER_BYTES).ok_or(fault)?;
        let date = Date(word(bytes, 44));
        Ok(Header { name, length, date, sectors: whole as usize + 1 })
    }

    /// Address of index sector `i`, 0 to 11.
    pub(crate) fn index(bytes: &[u8], i: usize) -> u32 {
        word(bytes, 48 + 4 * i)
    }

    /// Address of data sector `i`, 0 to 63.
    pub(crate) fn direct(bytes: &[u8], i: usize) -> u32 {
        word(bytes, 96 + 4 * i)
    }

    /// How many index sectors a file of so many data sectors has.
    pub(crate) fn index_count(sectors: usize) -> usize {
        sectors.saturating_sub(DIRECT_SECTORS).div_ceil(INDEX_ENTRIES)
    }

    /// How many data sectors a file of so many bytes has. The last is never empty.
    pub(crate) fn sector_count(length: usize) -> usize {
        (HEADER_BYTES + length).div_ceil(SECTOR_BYTES)
    }

    /// The first 352 bytes of the header sector of a new file.
    pub(crate) fn to_bytes(
        name: &Name,
        length: usize,
        date: Date,
        data: &[Sector],
        index: &[Sector],
    ) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        put_word(&mut bytes, 0, HEADER_MARK);
        bytes[4..36].copy_from_slice(name.on_disk());
        let whole = Header::sector_count(length) - 1;
        put_word(&mut bytes, 36, whole as u32);
        put_word(&mut bytes, 40, (HEADER_BYTES + length - whole * SECTOR_BYTES) as u32);
        put_word(&mut bytes, 44, date.0);
        for (i, sector) in index.iter().enumerate().take(INDEX_SECTORS) {
            put_word(&mut bytes, 48 + 4 * i, sector.address());
        }
        for (i, sector) in data.iter().enumerate().take(DIRECT_SECTORS) {
            put_word(&mut bytes, 96 + 4 * i, sector.address());
        }
        bytes
    }
}
