//! `obc link`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use obc::link::boot_image;

use super::{read_object, write};

/// Links object files into a boot image.
pub fn link(files: &[PathBuf], output: &Path) -> Result<ExitCode> {
    let objects = files.iter().map(|f| read_object(f)).collect::<Result<Vec<_>>>()?;
    write(output, &boot_image(&objects)?)?;
    Ok(ExitCode::SUCCESS)
}
