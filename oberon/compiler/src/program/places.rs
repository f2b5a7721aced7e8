//! Where symbol files are found: in folders, and on Oberon disk images.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use kube_disk::{DiskError, Image};
use obc::SymbolSource;

enum Place {
    Folder(PathBuf),
    Image(Box<Image>),
}

/// Places in the order in which they are searched.
pub struct Places(Vec<Place>);

impl Places {
    /// Opens folders and disk images.
    ///
    /// # Errors
    ///
    /// A path that is neither.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        paths.iter().map(|path| Self::place(path)).collect::<Result<Vec<_>>>().map(Self)
    }

    fn place(path: &Path) -> Result<Place> {
        let there = fs::metadata(path).with_context(|| {
            format!("--symbols {}: name a folder with .smb files or a disk image", path.display())
        })?;
        if there.is_dir() {
            return Ok(Place::Folder(path.to_path_buf()));
        }
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        match Image::open(bytes) {
            Ok(image) => Ok(Place::Image(Box::new(image))),
            Err(error) => bail!("--symbols {}: {error}", path.display()),
        }
    }

    /// Adds a folder that need not exist, searched last.
    pub fn and_folder(mut self, folder: &Path) -> Self {
        self.0.push(Place::Folder(folder.to_path_buf()));
        self
    }
}

impl SymbolSource for Places {
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>> {
        let name = format!("{module}.smb");
        self.0.iter().find_map(|place| match place {
            Place::Folder(folder) => fs::read(folder.join(&name)).ok(),
            Place::Image(image) => match image.read(&name) {
                Ok(bytes) => Some(bytes),
                Err(DiskError::NotFound { .. }) => None,
                Err(error) => {
                    super::say(&format!("warning: {name} of the disk image: {error}"));
                    None
                }
            },
        })
    }
}
