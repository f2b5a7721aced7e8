//! Oberon disk images: make, read, change and check.
//!
//! The format is that of Project Oberon 2013: sectors of 1024 bytes, a boot area, a directory kept
//! as a B-tree, and files as lists of sectors. Nothing here panics or hangs on a damaged image;
//! [`Image::check`] says what is wrong with it.
//!
//! | sector | content |
//! |---|---|
//! | 0 | unused |
//! | 1 | directory root |
//! | 2 to 63 | boot area: the memory image that the boot PROM loads |
//! | 64 to 65535 | directory pages, file headers, index and data sectors |
//!
//! # Examples
//!
//! ```
//! use kube_disk::{Image, ImageBuilder};
//!
//! let image = ImageBuilder::new().file("Boot.Cmd", b"Kube.Start").build()?;
//! let mut image = Image::open(image.into_bytes())?;
//! image.replace("Boot.Cmd", b"KubeNet.Join node-a")?;
//! assert_eq!(image.read("Boot.Cmd")?, b"KubeNet.Join node-a");
//! assert_eq!(image.list()?.len(), 1);
//! # Ok::<(), kube_disk::DiskError>(())
//! ```

mod boot;
mod builder;
mod date;
mod error;
mod finding;
mod header;
mod image;
mod map;
mod name;
mod page;
mod sector;
mod store;
mod survey;
mod tree;

pub use builder::{DEFAULT_BYTES, ImageBuilder};
pub use date::Date;
pub use error::DiskError;
pub use finding::{BootFault, Finding, HeaderFault, Owner, PageFault, Severity};
pub use header::{MAX_FILE_BYTES, MAX_FILE_SECTORS};
pub use image::{FileInfo, Image, Usage};
pub use name::{MAX_NAME, Name};
pub use sector::{
    BOOT_AREA_BYTES, CARD_FIRST_BLOCK, FIRST_FILE_SECTOR, MAX_SECTORS, SECTOR_BYTES, Sector,
};
pub use store::Layout;
