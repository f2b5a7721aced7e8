//! Which sectors are in use.

use crate::sector::{FIRST_FILE_SECTOR, MAX_SECTORS, Sector};

/// One flag for each sector the file system can have. Kept while an image is changed, and built
/// anew from the directory when it is opened, as the machine does at its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Map {
    used: Vec<bool>,
    free: u32,
    /// No free sector lies before this one.
    next: u32,
}

impl Map {
    /// Root and boot area in use, all else free.
    pub(crate) fn new() -> Map {
        let used = (0..MAX_SECTORS).map(|n| n < FIRST_FILE_SECTOR).collect();
        Map { used, free: MAX_SECTORS - FIRST_FILE_SECTOR, next: FIRST_FILE_SECTOR }
    }

    pub(crate) fn take(&mut self, sector: Sector) {
        let used = &mut self.used[sector.number() as usize];
        if !*used {
            *used = true;
            self.free -= 1;
        }
    }

    pub(crate) fn release(&mut self, sector: Sector) {
        let number = sector.number();
        let used = &mut self.used[number as usize];
        if *used && number >= FIRST_FILE_SECTOR {
            *used = false;
            self.free += 1;
            self.next = self.next.min(number);
        }
    }

    /// Takes the free sector with the lowest number.
    pub(crate) fn allocate(&mut self) -> Option<Sector> {
        let found = (self.next..MAX_SECTORS).find(|&n| !self.used[n as usize])?;
        self.next = found + 1;
        let sector = Sector::new(found)?;
        self.take(sector);
        Some(sector)
    }

    pub(crate) fn free(&self) -> u32 {
        self.free
    }
}
