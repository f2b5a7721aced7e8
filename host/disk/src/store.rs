//! The bytes of an image, seen as sectors.

use crate::error::DiskError;
use crate::page::PAGE_MARK;
use crate::sector::{CARD_FIRST_BLOCK, MAX_SECTORS, SECTOR_BYTES, Sector, word};

/// How an image file maps to the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Starts with the directory root (sector 1): the file system and nothing else.
    Shortened,
    /// A whole card: the file system lies 256 MiB from its start.
    FullCard,
}

impl Layout {
    /// Byte in the image of a sector; sector 0 of a shortened image is not there.
    fn offset(self, sector: Sector) -> Option<usize> {
        let number = sector.number() as usize;
        match self {
            Layout::Shortened => Some(number.checked_sub(1)? * SECTOR_BYTES),
            Layout::FullCard => Some(CARD_FIRST_BLOCK as usize * 512 + number * SECTOR_BYTES),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Store {
    bytes: Vec<u8>,
    layout: Layout,
}

impl Store {
    pub(crate) fn new(bytes: Vec<u8>, layout: Layout) -> Store {
        Store { bytes, layout }
    }

    /// Finds the directory mark that tells the layouts apart.
    pub(crate) fn detect(bytes: Vec<u8>) -> Result<Store, DiskError> {
        let root_mark = |layout: Layout| {
            let at = layout.offset(Sector::ROOT)?;
            bytes.get(at..at + SECTOR_BYTES).map(|root| word(root, 0))
        };
        let shortened = root_mark(Layout::Shortened);
        let layout = if shortened == Some(PAGE_MARK) {
            Layout::Shortened
        } else if root_mark(Layout::FullCard) == Some(PAGE_MARK) {
            Layout::FullCard
        } else {
            let length = bytes.len() as u64;
            return Err(DiskError::NotAnImage { length, first: shortened });
        };
        Ok(Store { bytes, layout })
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// One more than the highest sector number that the image holds whole.
    pub(crate) fn end(&self) -> u32 {
        let start = self.layout.offset(Sector::ROOT).unwrap_or(0);
        let whole = self.bytes.len().saturating_sub(start) / SECTOR_BYTES;
        (whole as u64 + 1).min(u64::from(MAX_SECTORS)) as u32
    }

    /// The bytes of a sector; `None` if the image does not hold it.
    pub(crate) fn get(&self, sector: Sector) -> Option<&[u8]> {
        let at = self.layout.offset(sector)?;
        self.bytes.get(at..at + SECTOR_BYTES)
    }

    /// Writes the start of a sector and clears the rest; the image grows if it must.
    pub(crate) fn put(&mut self, sector: Sector, content: &[u8]) {
        let Some(at) = self.layout.offset(sector) else {
            return;
        };
        self.grow(sector);
        let n = content.len().min(SECTOR_BYTES);
        self.bytes[at..at + n].copy_from_slice(&content[..n]);
        self.bytes[at + n..at + SECTOR_BYTES].fill(0);
    }

    /// Makes the image long enough to hold `last`.
    pub(crate) fn grow(&mut self, last: Sector) {
        let end = self.layout.offset(last).map_or(0, |at| at + SECTOR_BYTES);
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
    }

    /// Bytes from the start of a sector on, at most `n`: fewer where the image ends.
    pub(crate) fn run(&self, sector: Sector, n: usize) -> &[u8] {
        let end = self.bytes.len();
        let at = self.layout.offset(sector).unwrap_or(0).min(end);
        &self.bytes[at..end.min(at + n)]
    }
}
