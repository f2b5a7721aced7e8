//! The compiler: against the genuine one, and how fast it is.

use anyhow::Result;
use obc_measure::{genuine, speed};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 4] = [
    ("obc.smb_identical", smb_identical),
    ("obc.insns_ratio", insns_ratio),
    ("obc.code_ratio", code_ratio),
    ("obc.lines_per_s", lines_per_s),
];

/// Symbol files of the genuine system that come out byte for byte.
fn smb_identical() -> Result<Option<Figure>> {
    let Some(image) = genuine::from_environment()? else { return Ok(None) };
    let modules = genuine::modules(&image)?;
    let ours = genuine::compile(&modules)?;
    let differing = genuine::differing_symbols(&modules, &ours);
    Ok(Some(Figure {
        name: "obc.smb_identical",
        value: (modules.len() - differing.len()) as f64,
        unit: "files",
        reference: Reference::SameRun(modules.len() as f64, "the image's own files".to_owned()),
        work: "all modules of the genuine image, from their sources alone".to_owned(),
    }))
}

fn comparison() -> Result<Option<genuine::Comparison>> {
    let Some(image) = genuine::from_environment()? else { return Ok(None) };
    let modules = genuine::modules(&image)?;
    let ours = genuine::compile(&modules)?;
    Ok(Some(genuine::compare(&image, &modules, &ours)?))
}

/// Instructions to the idle loop, ours to genuine.
fn insns_ratio() -> Result<Option<Figure>> {
    Ok(comparison()?.map(|comparison| Figure {
        name: "obc.insns_ratio",
        value: comparison.instructions_ratio(),
        unit: "of genuine",
        reference: Reference::SameRun(1.0, "object files of the image".to_owned()),
        work: format!(
            "boot to idle without PROM and polling of the disk: {} instructions, genuine {}",
            comparison.ours.boot.instructions, comparison.genuine.boot.instructions
        ),
    }))
}

/// Code bytes, ours to genuine.
fn code_ratio() -> Result<Option<Figure>> {
    Ok(comparison()?.map(|comparison| Figure {
        name: "obc.code_ratio",
        value: comparison.code_ratio(),
        unit: "of genuine",
        reference: Reference::SameRun(1.0, "object files of the image".to_owned()),
        work: format!(
            "code of all modules: {} bytes, genuine {}",
            comparison.ours.code_bytes, comparison.genuine.code_bytes
        ),
    }))
}

/// Source lines a second.
fn lines_per_s() -> Result<Option<Figure>> {
    let sources = kube_modules::sources();
    let speed = speed::measure(&sources, 2.0)?;
    Ok(Some(Figure {
        name: "obc.lines_per_s",
        value: speed.lines_per_s,
        unit: "lines/s",
        reference: Reference::Target(1e6, "goal on one core"),
        work: format!("{} lines of this project, fastest run", speed.lines),
    }))
}
