//! The directory as a B-tree: insert and remove, with the root always at sector 1.

use crate::error::DiskError;
use crate::finding::{Finding, PageFault};
use crate::map::Map;
use crate::name::Name;
use crate::page::{Entry, PAGE_ENTRIES, PAGE_MINIMUM, Page};
use crate::sector::Sector;
use crate::store::Store;

/// A directory that has passed the survey and whose free sectors are known.
pub(crate) struct Tree<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) map: &'a mut Map,
}

/// Reads the page at a sector.
pub(crate) fn read(store: &Store, at: Sector) -> Result<Page, DiskError> {
    let bytes = store.get(at).ok_or_else(|| damaged(at, PageFault::Link { address: at.address() }));
    Page::parse(bytes?).map_err(|fault| damaged(at, fault))
}

fn damaged(page: Sector, fault: PageFault) -> DiskError {
    DiskError::Damaged { finding: Box::new(Finding::Page { page, fault }), more: 0 }
}

impl Tree<'_> {
    /// Adds a file, or gives a file another header sector. One free sector for each level of the
    /// tree and one more must be left.
    pub(crate) fn insert(&mut self, name: Name, header: Sector) -> Result<(), DiskError> {
        let Some(up) = self.insert_at(Sector::ROOT, name, header)? else {
            return Ok(());
        };
        // The root has been split and stays where it is: its left half moves.
        let left = self.read(Sector::ROOT)?;
        let moved = self.allocate(&name)?;
        self.write(moved, &left);
        self.write(Sector::ROOT, &Page { first: Some(moved), entries: vec![up] });
        Ok(())
    }

    /// Gives the entry that a split page sends to its parent.
    fn insert_at(
        &mut self,
        at: Sector,
        name: Name,
        header: Sector,
    ) -> Result<Option<Entry>, DiskError> {
        let mut page = self.read(at)?;
        let place = match page.search(&name) {
            Ok(i) => {
                page.entries[i].header = header;
                self.write(at, &page);
                return Ok(None);
            }
            Err(place) => place,
        };
        let up = match page.child(place) {
            None => Some(Entry { name, header, child: None }),
            Some(child) => self.insert_at(child, name, header)?,
        };
        let Some(up) = up else { return Ok(None) };
        page.entries.insert(place, up);
        if page.entries.len() <= PAGE_ENTRIES {
            self.write(at, &page);
            return Ok(None);
        }
        let entries = page.entries.split_off(PAGE_MINIMUM + 1);
        let Some(mut middle) = page.entries.pop() else {
            return Ok(None);
        };
        let right = self.allocate(&name)?;
        self.write(right, &Page { first: middle.child, entries });
        self.write(at, &page);
        middle.child = Some(right);
        Ok(Some(middle))
    }

    /// Takes a file out of the directory; gives its header sector, or nothing if it is not there.
    pub(crate) fn remove(&mut self, name: &Name) -> Result<Option<Sector>, DiskError> {
        self.lower_root()?;
        let header = self.remove_at(Sector::ROOT, name)?;
        self.lower_root()?;
        Ok(header)
    }

    /// A root without entries takes the content of the only page below. A machine that loses power
    /// between the two writes of this leaves such a root behind.
    fn lower_root(&mut self) -> Result<(), DiskError> {
        let root = self.read(Sector::ROOT)?;
        if let (true, Some(only)) = (root.entries.is_empty(), root.first) {
            let page = self.read(only)?;
            self.write(Sector::ROOT, &page);
            self.release(only);
        }
        Ok(())
    }

    fn remove_at(&mut self, at: Sector, name: &Name) -> Result<Option<Sector>, DiskError> {
        let mut page = self.read(at)?;
        match page.search(name) {
            Ok(i) => {
                let header = page.entries[i].header;
                match page.child(i) {
                    None => {
                        page.entries.remove(i);
                        self.write(at, &page);
                    }
                    Some(below) => {
                        // Its place is taken by the name just before it, from the leaf.
                        let Some(last) = self.take_last(below)? else {
                            return Err(damaged(below, PageFault::Hollow));
                        };
                        page.entries[i].name = last.name;
                        page.entries[i].header = last.header;
                        self.write(at, &page);
                        self.refill(at, i)?;
                    }
                }
                Ok(Some(header))
            }
            Err(i) => {
                let Some(child) = page.child(i) else {
                    return Ok(None);
                };
                let header = self.remove_at(child, name)?;
                self.refill(at, i)?;
                Ok(header)
            }
        }
    }

    /// Takes the last entry out of the leaf at the right edge below a page.
    fn take_last(&mut self, at: Sector) -> Result<Option<Entry>, DiskError> {
        let mut page = self.read(at)?;
        let edge = page.entries.len();
        match page.child(edge) {
            Some(child) => {
                let last = self.take_last(child)?;
                self.refill(at, edge)?;
                Ok(last)
            }
            None => {
                let last = page.entries.pop();
                self.write(at, &page);
                Ok(last)
            }
        }
    }

    /// Fills child `i` of a page from its neighbour, or merges the two, if it has become too
    /// empty.
    fn refill(&mut self, at: Sector, i: usize) -> Result<(), DiskError> {
        let mut page = self.read(at)?;
        let Some(child) = page.child(i) else {
            return Ok(());
        };
        if self.read(child)?.entries.len() >= PAGE_MINIMUM || page.entries.is_empty() {
            return Ok(());
        }
        // Left and right of the entry between the two: the right neighbour, if there is one.
        let between = if i < page.entries.len() { i } else { i - 1 };
        let (Some(left_at), Some(right_at)) = (page.child(between), page.child(between + 1)) else {
            return Err(damaged(at, PageFault::Ragged));
        };
        let mut left = self.read(left_at)?;
        let right = self.read(right_at)?;
        let middle = page.entries[between];
        left.entries.push(Entry { child: right.first, ..middle });
        left.entries.extend(right.entries);
        if left.entries.len() <= PAGE_ENTRIES {
            page.entries.remove(between);
            self.release(right_at);
        } else {
            let entries = left.entries.split_off(left.entries.len().div_ceil(2));
            let Some(up) = left.entries.pop() else {
                return Ok(());
            };
            self.write(right_at, &Page { first: up.child, entries });
            page.entries[between] = Entry { child: Some(right_at), ..up };
        }
        self.write(left_at, &left);
        self.write(at, &page);
        Ok(())
    }

    fn read(&self, at: Sector) -> Result<Page, DiskError> {
        read(self.store, at)
    }

    fn write(&mut self, at: Sector, page: &Page) {
        self.store.put(at, &page.to_bytes());
    }

    fn allocate(&mut self, name: &Name) -> Result<Sector, DiskError> {
        let full = DiskError::Full { name: name.to_string(), needed: 1, free: 0 };
        self.map.allocate().ok_or(full)
    }

    /// Frees a sector and clears it: what is removed does not stay readable.
    pub(crate) fn release(&mut self, sector: Sector) {
        self.map.release(sector);
        self.store.put(sector, &[]);
    }
}
