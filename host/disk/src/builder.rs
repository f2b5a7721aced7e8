//! Makes images from nothing.

use crate::date::Date;
use crate::error::DiskError;
use crate::image::Image;
use crate::name::Name;
use crate::page::Page;
use crate::sector::{FIRST_FILE_SECTOR, MAX_SECTORS, SECTOR_BYTES, Sector};
use crate::store::{Layout, Store};
use std::collections::BTreeMap;

/// Size of an image if nothing else is asked for: 8 MiB.
pub const DEFAULT_BYTES: u64 = 8 << 20;

/// Collects what an image shall hold. The same boot image, files, date, size and layout give the
/// same bytes, in whatever order the files are given.
///
/// ```
/// use kube_disk::{Date, ImageBuilder};
///
/// let image = ImageBuilder::new()
///     .size_bytes(1 << 20)
///     .date(Date::NONE)
///     .file("Kube.Text", b"hello")
///     .build()?;
/// assert_eq!(image.bytes().len(), 1 << 20);
/// # Ok::<(), kube_disk::DiskError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ImageBuilder {
    boot: Vec<u8>,
    files: Vec<(String, Vec<u8>)>,
    date: Date,
    size_bytes: u64,
    layout: Layout,
}

impl Default for ImageBuilder {
    fn default() -> Self {
        ImageBuilder::new()
    }
}

impl ImageBuilder {
    /// An empty image of 8 MiB that starts with the directory root.
    pub fn new() -> ImageBuilder {
        ImageBuilder {
            boot: Vec::new(),
            files: Vec::new(),
            date: Date::NONE,
            size_bytes: DEFAULT_BYTES,
            layout: Layout::Shortened,
        }
    }

    /// Sets the boot image, as the boot linker makes it.
    #[must_use]
    pub fn boot_image(mut self, image: &[u8]) -> Self {
        self.boot = image.to_vec();
        self
    }

    /// Adds a file.
    #[must_use]
    pub fn file(mut self, name: &str, content: &[u8]) -> Self {
        self.files.push((name.to_string(), content.to_vec()));
        self
    }

    /// Adds files, in their order.
    #[must_use]
    pub fn files<'a>(mut self, files: impl IntoIterator<Item = &'a (String, Vec<u8>)>) -> Self {
        self.files.extend(files.into_iter().cloned());
        self
    }

    /// Sets the date of all files; none before.
    #[must_use]
    pub fn date(mut self, date: Date) -> Self {
        self.date = date;
        self
    }

    /// Sets the size of the file system in bytes, counted from sector 1 on. The image is longer
    /// if the files need it, and in the full card layout.
    #[must_use]
    pub fn size_bytes(mut self, bytes: u64) -> Self {
        self.size_bytes = bytes;
        self
    }

    /// Sets the layout; [`Layout::Shortened`] before.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Makes the image.
    ///
    /// # Errors
    ///
    /// [`DiskError::Size`], [`DiskError::BootTooLong`], [`DiskError::Exists`] if a name is given
    /// twice, and those of [`Image::replace`].
    pub fn build(self) -> Result<Image, DiskError> {
        let sector_bytes = SECTOR_BYTES as u64;
        let last = self.size_bytes / sector_bytes;
        let possible = u64::from(FIRST_FILE_SECTOR - 1)..u64::from(MAX_SECTORS);
        let last = match Sector::new(last as u32) {
            Some(s) if possible.contains(&last) && self.size_bytes.is_multiple_of(sector_bytes) => {
                s
            }
            _ => {
                return Err(DiskError::Size { bytes: self.size_bytes });
            }
        };
        let mut files = BTreeMap::new();
        for (name, content) in &self.files {
            if files.insert(Name::new(name)?, content).is_some() {
                return Err(DiskError::Exists { name: name.clone() });
            }
        }
        let mut store = Store::new(Vec::new(), self.layout);
        store.grow(last);
        store.put(Sector::ROOT, &Page::default().to_bytes());
        let mut image = Image::from_store(store);
        image.set_date(self.date);
        image.set_boot_image(&self.boot)?;
        for (name, content) in files {
            image.insert(name.as_str(), content)?;
        }
        Ok(image)
    }
}
