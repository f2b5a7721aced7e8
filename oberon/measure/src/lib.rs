//! What the compiler reaches, as figures that tests and benchmarks share.
//!
//! | module | measures |
//! |---|---|
//! | [`genuine`] | the system of a genuine Project Oberon image, compiled from its sources alone |
//! | [`boot`] | instructions from the boot image to the idle loop |
//! | [`speed`] | source lines a second |
//!
//! A genuine image may not be in the repository: [`genuine::from_environment`] opens the one that
//! `KUBE_GENUINE_IMAGE` names.

pub mod boot;
pub mod genuine;
pub mod speed;

/// Why a figure could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The variable names no readable file.
    #[error("KUBE_GENUINE_IMAGE names {path}, which cannot be read: {cause}; name a disk image")]
    Read {
        /// What the variable holds.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// The image is damaged or lacks a file.
    #[error("the genuine image: {0}")]
    Disk(#[from] kube_disk::DiskError),
    /// An object file of the image is damaged.
    #[error("{module}.rsc of the image: {cause}")]
    Object {
        /// Its module.
        module: String,
        /// Why it cannot be read.
        cause: obc::object::ObjectError,
    },
    /// Sources do not compile; each diagnostic names file and line.
    #[error("{} errors, the first: {}", .0.len(), .0.first().map_or_else(String::new, ToString::to_string))]
    Compile(Vec<obc::Diagnostic>),
    /// The inner core cannot be linked.
    #[error("the boot image cannot be linked: {0}")]
    Link(#[from] obc::link::LinkError),
    /// The machine does not take the image.
    #[error("the machine does not take the image: {0}")]
    Card(#[from] kube_emu::CardImageError),
    /// The system did not reach its idle loop.
    #[error(
        "the system did not come to its idle loop within {instructions} instructions, pc {pc:06X}H"
    )]
    NotIdle {
        /// Executed instructions.
        instructions: u64,
        /// Where it was then.
        pc: u32,
    },
    /// A module that a measurement needs is missing.
    #[error("the sources have no module {0}")]
    Missing(&'static str),
}
