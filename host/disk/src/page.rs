//! A directory page: up to 24 files in order, and the pages between them.
//!
//! | byte | content |
//! |---|---|
//! | 0 | mark 9B1EA38DH |
//! | 4 | number of entries, 0 to 24 (12 to 24 except in the root) |
//! | 8 | address of the page with the names before the first entry; 0 in a leaf |
//! | 64 + 40 i | name (32 bytes, zero-padded), header sector, page with the names after it |

use crate::finding::PageFault;
use crate::name::Name;
use crate::sector::{SECTOR_BYTES, Sector, put_word, word};

/// First word of every directory page.
pub(crate) const PAGE_MARK: u32 = 0x9B1E_A38D;
/// Most entries of a page.
pub(crate) const PAGE_ENTRIES: usize = 24;
/// Fewest entries of a page other than the root.
pub(crate) const PAGE_MINIMUM: usize = 12;

const ENTRIES_AT: usize = 64;
const ENTRY_BYTES: usize = 40;

/// One file's row: its name, its header sector, and the page with the names behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: Name,
    pub(crate) header: Sector,
    pub(crate) child: Option<Sector>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Page {
    pub(crate) first: Option<Sector>,
    pub(crate) entries: Vec<Entry>,
}

impl Page {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Page, PageFault> {
        let mark = word(bytes, 0);
        if mark != PAGE_MARK {
            return Err(PageFault::Mark { found: mark });
        }
        let count = word(bytes, 4);
        if count as usize > PAGE_ENTRIES {
            return Err(PageFault::Count { found: count as i32 });
        }
        let first = link(word(bytes, 8))?;
        let rows = bytes[ENTRIES_AT..].chunks_exact(ENTRY_BYTES).take(count as usize);
        let entries = rows.enumerate().map(|(i, row)| entry(i, row)).collect::<Result<_, _>>()?;
        Ok(Page { first, entries })
    }

    pub(crate) fn to_bytes(&self) -> [u8; SECTOR_BYTES] {
        let mut bytes = [0; SECTOR_BYTES];
        put_word(&mut bytes, 0, PAGE_MARK);
        put_word(&mut bytes, 4, self.entries.len() as u32);
        put_word(&mut bytes, 8, address(self.first));
        for (row, entry) in bytes[ENTRIES_AT..].chunks_exact_mut(ENTRY_BYTES).zip(&self.entries) {
            row[..32].copy_from_slice(entry.name.on_disk());
            put_word(row, 32, entry.header.address());
            put_word(row, 36, address(entry.child));
        }
        bytes
    }

    /// A leaf has no pages below it.
    pub(crate) fn is_leaf(&self) -> bool {
        self.first.is_none()
    }

    /// The page below, left of entry `i` (0 to the number of entries).
    pub(crate) fn child(&self, i: usize) -> Option<Sector> {
        if i == 0 { self.first } else { self.entries.get(i - 1)?.child }
    }

    /// `Ok` with the entry's index, or `Err` with the index at which it would stand.
    pub(crate) fn search(&self, name: &Name) -> Result<usize, usize> {
        self.entries.binary_search_by(|e| e.name.cmp(name))
    }
}

fn entry(index: usize, row: &[u8]) -> Result<Entry, PageFault> {
    let name = Name::from_disk(&row[..32]).ok_or(PageFault::Name { index })?;
    let address = word(row, 32);
    let header = Sector::from_address(address).ok_or(PageFault::Header { name, address })?;
    Ok(Entry { name, header, child: link(word(row, 36))? })
}

fn link(address: u32) -> Result<Option<Sector>, PageFault> {
    match address {
        0 => Ok(None),
        a => Sector::from_address(a).map(Some).ok_or(PageFault::Link { address: a }),
    }
}

fn address(page: Option<Sector>) -> u32 {
    page.map_or(0, Sector::address)
}
