//! An image and what can be done with it.

use crate::boot;
use crate::date::Date;
use crate::error::DiskError;
use crate::finding::{BootFault, Finding, Owner, PageFault};
use crate::header::{DIRECT_SECTORS, HEADER_BYTES, Header, INDEX_ENTRIES, MAX_FILE_BYTES};
use crate::map::Map;
use crate::name::Name;
use crate::sector::{BOOT_AREA_BYTES, SECTOR_BYTES, Sector, put_word};
use crate::store::{Layout, Store};
use crate::survey::{MAX_LEVELS, Survey, locate, open_header, sector_addresses};
use crate::tree::{self, Tree};

/// A disk image in memory. It grows when files need room behind its end, up to 64 MiB.
#[derive(Debug, Clone)]
pub struct Image {
    store: Store,
    date: Date,
    /// Known once the image has been surveyed for a change.
    free: Option<Free>,
}

#[derive(Debug, Clone)]
struct Free {
    map: Map,
    levels: usize,
}

/// A file as the directory shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileInfo {
    /// Its name.
    pub name: String,
    /// Its length in bytes.
    pub length: usize,
    /// Its date.
    pub date: Date,
    /// Where its header lies.
    pub header: Sector,
    /// Sectors it takes: header, data and index sectors.
    pub sectors: usize,
}

/// How an image is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Files in the directory.
    pub files: usize,
    /// Directory pages, the root included.
    pub pages: usize,
    /// Levels of directory pages.
    pub levels: usize,
    /// Sectors that can still be used, of the 65,472 behind the boot area.
    pub free_sectors: u32,
    /// One more than the last sector that the image holds.
    pub image_end: u32,
}

impl Image {
    /// Opens an image: one that starts with the directory root, or one of a whole card. Only the
    /// directory mark is looked at; use [`Image::check`] for the rest.
    ///
    /// # Errors
    ///
    /// [`DiskError::NotAnImage`] if there is no directory mark.
    pub fn open(bytes: Vec<u8>) -> Result<Image, DiskError> {
        Ok(Image::from_store(Store::detect(bytes)?))
    }

    pub(crate) fn from_store(store: Store) -> Image {
        Image { store, date: Date::NONE, free: None }
    }

    /// Sets the date that files written from now on carry; [`Date::NONE`] before.
    pub fn set_date(&mut self, date: Date) {
        self.date = date;
    }

    /// How the image maps to the card.
    pub fn layout(&self) -> Layout {
        self.store.layout()
    }

    /// The image's bytes.
    pub fn bytes(&self) -> &[u8] {
        self.store.bytes()
    }

    /// The image's bytes, to be written to a file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.store.into_bytes()
    }

    /// The 1024 bytes of a sector; `None` if the image ends before it.
    pub fn sector(&self, sector: Sector) -> Option<&[u8]> {
        self.store.get(sector)
    }

    /// Sectors in which this image differs from another, in order: what has to be written to
    /// turn a card with `base` into one with this image. Sectors that one image lacks count as
    /// zeros.
    pub fn changed_sectors(&self, base: &Image) -> Vec<Sector> {
        const ZEROS: &[u8] = &[0; SECTOR_BYTES];
        let end = self.store.end().max(base.store.end());
        (Sector::ROOT.number()..end)
            .filter_map(Sector::new)
            .filter(|&s| self.sector(s).unwrap_or(ZEROS) != base.sector(s).unwrap_or(ZEROS))
            .collect()
    }

    /// All files, in order of their names (by bytes, capital letters first).
    ///
    /// # Errors
    ///
    /// [`DiskError::Damaged`] if the directory or a file header is.
    pub fn list(&self) -> Result<Vec<FileInfo>, DiskError> {
        let survey = Survey::directory(&self.store);
        survey.intact()?;
        survey.files.iter().map(|&(name, header)| self.info(name, header)).collect()
    }

    /// Looks a file up.
    ///
    /// # Errors
    ///
    /// [`DiskError::Damaged`] if the directory is damaged on the way to the file, or its header.
    pub fn find(&self, name: &str) -> Result<Option<FileInfo>, DiskError> {
        let name = Name::new(name)?;
        self.lookup(&name)?.map(|header| self.info(name, header)).transpose()
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`DiskError::NotFound`], or [`DiskError::Damaged`] if the file or the way to it is.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, DiskError> {
        let name = Name::new(name)?;
        let sector = self.lookup(&name)?.ok_or_else(|| not_found(&name))?;
        let (header, first) = open_header(&self.store, name, sector).map_err(damaged)?;
        let mut bytes = Vec::with_capacity(header.sectors * SECTOR_BYTES);
        bytes.extend_from_slice(first);
        for (owner, address) in sector_addresses(&self.store, &header, first) {
            let sector = locate(&self.store, owner, address).map_err(damaged)?;
            if let (Owner::Data(..), Some(content)) = (owner, self.store.get(sector)) {
                bytes.extend_from_slice(content);
            }
        }
        bytes.drain(..HEADER_BYTES);
        bytes.truncate(header.length);
        Ok(bytes)
    }

    /// Writes a new file.
    ///
    /// # Errors
    ///
    /// [`DiskError::Exists`] if the name is taken, and those of [`Image::replace`].
    pub fn insert(&mut self, name: &str, content: &[u8]) -> Result<(), DiskError> {
        let known = Name::new(name)?;
        if self.lookup(&known)?.is_some() {
            return Err(DiskError::Exists { name: name.to_string() });
        }
        self.replace(name, content)
    }

    /// Writes a file, in place of the one of this name if there is one. A file of the same size
    /// keeps its sectors.
    ///
    /// # Errors
    ///
    /// [`DiskError::Name`], [`DiskError::TooLong`], [`DiskError::Full`], or
    /// [`DiskError::Damaged`] if the image has any damage that makes changing it dangerous.
    pub fn replace(&mut self, name: &str, content: &[u8]) -> Result<(), DiskError> {
        let name = Name::new(name)?;
        let bytes = content.len();
        if bytes > MAX_FILE_BYTES {
            return Err(DiskError::TooLong { name: name.to_string(), bytes });
        }
        let (data, index) = file_shape(bytes);
        let old = self.sectors_of(&name)?;
        let mut free = self.free()?;
        let needed = data + index + if old.is_empty() { free.levels + 1 } else { 0 };
        let available = free.map.free() + old.len() as u32;
        if needed > available as usize {
            let name = name.to_string();
            return Err(DiskError::Full { name, needed, free: available });
        }
        let mut tree = Tree { store: &mut self.store, map: &mut free.map };
        for sector in old {
            tree.release(sector);
        }
        let data: Vec<Sector> = (0..data).filter_map(|_| tree.map.allocate()).collect();
        let index: Vec<Sector> = (0..index).filter_map(|_| tree.map.allocate()).collect();
        let outcome = tree.insert(name, data[0]);
        write_file(&mut self.store, &name, self.date, content, &data, &index);
        self.settle(free, outcome)
    }

    /// Removes a file; its sectors are cleared.
    ///
    /// # Errors
    ///
    /// [`DiskError::NotFound`], or [`DiskError::Damaged`] as for [`Image::replace`].
    pub fn remove(&mut self, name: &str) -> Result<(), DiskError> {
        let name = Name::new(name)?;
        let sectors = self.sectors_of(&name)?;
        if sectors.is_empty() {
            return Err(not_found(&name));
        }
        let mut free = self.free()?;
        let mut tree = Tree { store: &mut self.store, map: &mut free.map };
        let outcome = tree.remove(&name).map(|_| ());
        for sector in sectors {
            tree.release(sector);
        }
        self.settle(free, outcome)
    }

    /// How full the image is.
    ///
    /// # Errors
    ///
    /// [`DiskError::Damaged`] as for [`Image::replace`].
    pub fn usage(&self) -> Result<Usage, DiskError> {
        let survey = Survey::whole(&self.store);
        survey.intact()?;
        Ok(Usage {
            files: survey.files.len(),
            pages: survey.pages,
            levels: survey.levels,
            free_sectors: survey.map.free(),
            image_end: self.store.end(),
        })
    }

    /// The boot area, sectors 2 to 63 as far as the image holds them.
    pub fn boot_area(&self) -> &[u8] {
        self.store.run(Sector::BOOT, BOOT_AREA_BYTES)
    }

    /// The boot image: the boot area up to the end that its word at byte 16 gives.
    ///
    /// # Errors
    ///
    /// [`DiskError::Boot`] if the boot area is empty or that end is impossible.
    pub fn boot_image(&self) -> Result<&[u8], DiskError> {
        let area = self.boot_area();
        let fault = |fault: BootFault| DiskError::Boot(Box::new(Finding::Boot(fault)));
        boot::length(area).map(|n| &area[..n]).map_err(fault)
    }

    /// Writes a boot image, as the boot linker makes it; the rest of the boot area is cleared.
    ///
    /// # Errors
    ///
    /// [`DiskError::BootTooLong`]. Whether the image can start a machine is left to
    /// [`Image::check`].
    pub fn set_boot_image(&mut self, image: &[u8]) -> Result<(), DiskError> {
        if image.len() > BOOT_AREA_BYTES {
            return Err(DiskError::BootTooLong { bytes: image.len() });
        }
        let mut area = image.to_vec();
        area.resize(BOOT_AREA_BYTES, 0);
        for (content, number) in area.chunks_exact(SECTOR_BYTES).zip(Sector::BOOT.number()..) {
            if let Some(sector) = Sector::new(number) {
                self.store.put(sector, content);
            }
        }
        Ok(())
    }

    /// Checks the whole image: boot area, directory, files, and that each sector has one owner.
    /// An intact image gives no findings; a disk without a boot image gives a warning. Sectors
    /// that nobody owns are free, not lost: the machine builds its map of them at every start.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> =
            boot::check(self.boot_area()).into_iter().map(Finding::Boot).collect();
        let extra = self.store.bytes().len() % 512;
        if extra != 0 {
            findings.push(Finding::Length { extra });
        }
        findings.extend(Survey::whole(&self.store).findings);
        findings
    }

    fn lookup(&self, name: &Name) -> Result<Option<Sector>, DiskError> {
        let mut at = Sector::ROOT;
        for _ in 0..=MAX_LEVELS {
            let page = tree::read(&self.store, at)?;
            match page.search(name) {
                Ok(i) => return Ok(Some(page.entries[i].header)),
                Err(i) => match page.child(i) {
                    Some(child) => at = child,
                    None => return Ok(None),
                },
            }
        }
        let fault = PageFault::Depth;
        Err(damaged(Finding::Page { page: at, fault }))
    }

    fn info(&self, name: Name, sector: Sector) -> Result<FileInfo, DiskError> {
        let (header, _) = open_header(&self.store, name, sector).map_err(damaged)?;
        Ok(FileInfo {
            name: name.to_string(),
            length: header.length,
            date: header.date,
            header: sector,
            sectors: header.sectors + Header::index_count(header.sectors),
        })
    }

    /// Header, data and index sectors of a file; none if there is no such file.
    fn sectors_of(&self, name: &Name) -> Result<Vec<Sector>, DiskError> {
        let Some(sector) = self.lookup(name)? else {
            return Ok(Vec::new());
        };
        let (header, bytes) = open_header(&self.store, *name, sector).map_err(damaged)?;
        let mut sectors = vec![sector];
        for (owner, address) in sector_addresses(&self.store, &header, bytes) {
            sectors.push(locate(&self.store, owner, address).map_err(damaged)?);
        }
        Ok(sectors)
    }

    /// The free sectors, taken out for a change; [`Image::settle`] puts them back.
    fn free(&mut self) -> Result<Free, DiskError> {
        if let Some(free) = self.free.take() {
            return Ok(free);
        }
        let survey = Survey::whole(&self.store);
        survey.intact()?;
        Ok(Free { levels: survey.levels, map: survey.map })
    }

    fn settle(&mut self, mut free: Free, outcome: Result<(), DiskError>) -> Result<(), DiskError> {
        outcome?;
        free.levels = 0;
        let mut at = Some(Sector::ROOT);
        while let (Some(page), true) = (at, free.levels <= MAX_LEVELS) {
            free.levels += 1;
            at = tree::read(&self.store, page)?.first;
        }
        self.free = Some(free);
        Ok(())
    }
}

/// Data and index sectors of a file of so many bytes.
fn file_shape(bytes: usize) -> (usize, usize) {
    let data = Header::sector_count(bytes);
    (data, Header::index_count(data))
}

fn write_file(
    store: &mut Store,
    name: &Name,
    date: Date,
    content: &[u8],
    data: &[Sector],
    index: &[Sector],
) {
    let mut bytes = Header::to_bytes(name, content.len(), date, data, index).to_vec();
    bytes.extend_from_slice(content);
    for (chunk, &sector) in bytes.chunks(SECTOR_BYTES).zip(data) {
        store.put(sector, chunk);
    }
    let behind = data.get(DIRECT_SECTORS..).unwrap_or(&[]);
    for (listed, &sector) in behind.chunks(INDEX_ENTRIES).zip(index) {
        let mut table = [0; SECTOR_BYTES];
        for (i, s) in listed.iter().enumerate() {
            put_word(&mut table, 4 * i, s.address());
        }
        store.put(sector, &table);
    }
}

fn not_found(name: &Name) -> DiskError {
    DiskError::NotFound { name: name.to_string() }
}

fn damaged(finding: Finding) -> DiskError {
    DiskError::Damaged { finding: Box::new(finding), more: 0 }
}
