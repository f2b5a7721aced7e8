//! Walks the whole file system once: every page, every file, every sector, each visited at most
//! once however damaged the image is.

use crate::error::DiskError;
use crate::finding::{Finding, HeaderFault, Owner, PageFault};
use crate::header::{DIRECT_SECTORS, Header, INDEX_ENTRIES};
use crate::map::Map;
use crate::name::Name;
use crate::page::{PAGE_MINIMUM, Page};
use crate::sector::{FIRST_FILE_SECTOR, Sector, word};
use crate::store::Store;
use std::collections::HashMap;

/// Levels of pages below which no intact directory reaches.
pub(crate) const MAX_LEVELS: usize = 16;

/// Findings after which the survey gives up listing.
const MAX_FINDINGS: usize = 1000;

pub(crate) struct Survey<'a> {
    store: &'a Store,
    owners: HashMap<Sector, Owner>,
    leaf_level: Option<usize>,
    /// All files in directory order, with their header sectors.
    pub(crate) files: Vec<(Name, Sector)>,
    pub(crate) pages: usize,
    pub(crate) levels: usize,
    pub(crate) map: Map,
    pub(crate) findings: Vec<Finding>,
}

impl<'a> Survey<'a> {
    /// Walks the directory only.
    pub(crate) fn directory(store: &'a Store) -> Survey<'a> {
        let mut survey = Survey {
            store,
            owners: HashMap::new(),
            leaf_level: None,
            files: Vec::new(),
            pages: 0,
            levels: 0,
            map: Map::new(),
            findings: Vec::new(),
        };
        survey.page(Sector::ROOT, 0, None, None);
        survey
    }

    /// Walks the directory and all files.
    pub(crate) fn whole(store: &'a Store) -> Survey<'a> {
        let mut survey = Survey::directory(store);
        for (name, header) in survey.files.clone() {
            if survey.full() {
                break;
            }
            survey.file(name, header);
        }
        survey
    }

    /// The first finding that forbids changes, as an error.
    pub(crate) fn intact(&self) -> Result<(), DiskError> {
        let mut blocking = self.findings.iter().filter(|f| f.blocks_changes());
        match blocking.next() {
            None => Ok(()),
            Some(first) => {
                let finding = Box::new(first.clone());
                Err(DiskError::Damaged { finding, more: blocking.count() })
            }
        }
    }

    fn full(&self) -> bool {
        self.findings.len() > MAX_FINDINGS
    }

    fn report(&mut self, finding: Finding) {
        match self.findings.len() {
            n if n < MAX_FINDINGS => self.findings.push(finding),
            MAX_FINDINGS => self.findings.push(Finding::More),
            _ => {}
        }
    }

    /// Notes who has a sector; false if somebody else had it before.
    fn claim(&mut self, sector: Sector, owner: Owner) -> bool {
        if let Some(&first) = self.owners.get(&sector) {
            self.report(Finding::Shared { sector, first, second: owner });
            return false;
        }
        self.owners.insert(sector, owner);
        self.map.take(sector);
        true
    }

    fn page(&mut self, at: Sector, level: usize, low: Option<Name>, high: Option<Name>) {
        let bytes = if at == Sector::ROOT {
            self.store.get(at).ok_or(Finding::Beyond {
                owner: Owner::Page,
                sector: at,
                end: self.store.end(),
            })
        } else {
            locate(self.store, Owner::Page, at.address())
                .and_then(|_| content(self.store, Owner::Page, at))
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(finding) => return self.report(finding),
        };
        if self.full() || !self.claim(at, Owner::Page) {
            return;
        }
        if level > MAX_LEVELS {
            return self.report(Finding::Page { page: at, fault: PageFault::Depth });
        }
        self.pages += 1;
        self.levels = self.levels.max(level + 1);
        match Page::parse(bytes) {
            Ok(page) => {
                self.shape(at, level, &page);
                self.order(at, &page, low, high);
                self.below(level, &page, low, high);
            }
            Err(fault) => self.report(Finding::Page { page: at, fault }),
        }
    }

    fn shape(&mut self, at: Sector, level: usize, page: &Page) {
        let fault = |fault| Finding::Page { page: at, fault };
        if page.entries.iter().any(|e| e.child.is_some() == page.is_leaf()) {
            self.report(fault(PageFault::Ragged));
        }
        if page.entries.is_empty() && !page.is_leaf() {
            self.report(fault(PageFault::Hollow));
        }
        if level > 0 && page.entries.len() < PAGE_MINIMUM {
            self.report(Finding::Fill { page: at, entries: page.entries.len() });
        }
        if page.is_leaf() {
            let expected = *self.leaf_level.get_or_insert(level);
            if expected != level {
                self.report(fault(PageFault::Level { found: level, expected }));
            }
        }
    }

    fn order(&mut self, at: Sector, page: &Page, low: Option<Name>, high: Option<Name>) {
        let mut before = low;
        for entry in &page.entries {
            let name = entry.name;
            if before.is_some_and(|b| name <= b) || high.is_some_and(|h| name >= h) {
                self.report(Finding::Page { page: at, fault: PageFault::Order { name } });
            }
            before = Some(name);
        }
    }

    fn below(&mut self, level: usize, page: &Page, low: Option<Name>, high: Option<Name>) {
        for i in 0..=page.entries.len() {
            let before = if i == 0 { low } else { Some(page.entries[i - 1].name) };
            let after = page.entries.get(i).map_or(high, |e| Some(e.name));
            if let Some(child) = page.child(i) {
                self.page(child, level + 1, before, after);
            }
            if let Some(entry) = page.entries.get(i) {
                self.files.push((entry.name, entry.header));
            }
        }
    }

    fn file(&mut self, name: Name, sector: Sector) {
        let (header, bytes) = match open_header(self.store, name, sector) {
            Ok(found) => found,
            Err(finding) => return self.report(finding),
        };
        if !self.claim(sector, Owner::Header(name)) {
            return;
        }
        for (owner, address) in sector_addresses(self.store, &header, bytes) {
            match locate(self.store, owner, address) {
                Ok(sector) => {
                    self.claim(sector, owner);
                }
                Err(finding) => self.report(finding),
            }
            if self.full() {
                return;
            }
        }
    }
}

/// Reads a file's header and checks it against the directory.
pub(crate) fn open_header(
    store: &Store,
    name: Name,
    sector: Sector,
) -> Result<(Header, &[u8]), Finding> {
    let owner = Owner::Header(name);
    locate(store, owner, sector.address())?;
    let bytes = content(store, owner, sector)?;
    let fault = |fault| Finding::Header { file: name, sector, fault };
    let header = Header::parse(bytes).map_err(fault)?;
    if header.name != name {
        return Err(fault(HeaderFault::OtherName { found: header.name }));
    }
    let address = Header::direct(bytes, 0);
    if address != sector.address() {
        return Err(fault(HeaderFault::NotItself { address }));
    }
    Ok((header, bytes))
}

/// The disk addresses of a file's sectors after its header, in order; each index sector stands
/// before the data sectors it lists, and alone if it cannot be read.
pub(crate) fn sector_addresses(store: &Store, header: &Header, bytes: &[u8]) -> Vec<(Owner, u32)> {
    let name = header.name;
    let mut found = Vec::with_capacity(header.sectors);
    for i in 1..header.sectors.min(DIRECT_SECTORS) {
        found.push((Owner::Data(name, i), Header::direct(bytes, i)));
    }
    for k in 0..Header::index_count(header.sectors) {
        let address = Header::index(bytes, k);
        let owner = Owner::Index(name, k);
        found.push((owner, address));
        let Some(table) = locate(store, owner, address).ok().and_then(|s| store.get(s)) else {
            continue;
        };
        let first = DIRECT_SECTORS + k * INDEX_ENTRIES;
        for i in first..header.sectors.min(first + INDEX_ENTRIES) {
            found.push((Owner::Data(name, i), word(table, 4 * (i - first))));
        }
    }
    found
}

/// The sector with a disk address, if a file or page may lie there and the image reaches it.
pub(crate) fn locate(store: &Store, owner: Owner, address: u32) -> Result<Sector, Finding> {
    let unusable = |rule| Finding::Address { owner, address, rule };
    let sector = Sector::from_address(address)
        .ok_or_else(|| unusable("not a multiple of 29 below 1900544"))?;
    if sector.number() < FIRST_FILE_SECTOR {
        return Err(unusable("inside of the directory root or boot area"));
    }
    if sector.number() >= store.end() {
        return Err(Finding::Beyond { owner, sector, end: store.end() });
    }
    Ok(sector)
}

fn content(store: &Store, owner: Owner, sector: Sector) -> Result<&[u8], Finding> {
    store.get(sector).ok_or(Finding::Beyond { owner, sector, end: store.end() })
}
