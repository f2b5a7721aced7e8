//! The compiler: against the genuine one, and how fast it is.

use std::process::Command;

use anyhow::{Context, Result, bail};
use obc_measure::{genuine, speed};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 7] = [
    ("obc.cases_agree", || cases("obc.cases_agree", 0)),
    ("obc.cases_listed", || cases("obc.cases_listed", 1)),
    ("obc.random_programs_differing", random_programs),
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

/// Standard output of a cargo call in the repository.
fn cargo(arguments: &[&str]) -> Result<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let output = Command::new("cargo").args(arguments).current_dir(root).output();
    let output = output.context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The language cases as their test counts them: agreeing, then listed with a reason.
fn cases(name: &'static str, which: usize) -> Result<Option<Figure>> {
    let test = ["test", "-q", "-p", "obc", "--test", "language_cases", "--", "--nocapture"];
    let output = cargo(&test)?;
    let line = output.lines().find(|line| line.contains(" as recorded, "));
    let line = line.context("the test of the language cases prints no count")?;
    let numbers = line.split(|c: char| !c.is_ascii_digit());
    let counts: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
    let [all, agree, better, left_out] = counts[..] else { bail!("cannot read {line:?}") };
    Ok(Some(Figure {
        name,
        value: [agree, better + left_out][which],
        unit: "cases",
        reference: Reference::SameRun(all, "all cases".to_owned()),
        work: line.trim_start_matches('.').trim().to_owned(),
    }))
}

/// Random programs whose output or trap depends on the passes.
fn random_programs() -> Result<Option<Figure>> {
    const PROGRAMS: &str = "10000";
    let example = ["run", "-q", "--release", "-p", "obc", "--example", "random_programs"];
    cargo(&[&example[..], &["--", PROGRAMS]].concat())?;
    Ok(Some(Figure {
        name: "obc.random_programs_differing",
        value: 0.0,
        unit: "programs",
        reference: Reference::Target(0.0, "the example fails if one differs"),
        work: format!("{PROGRAMS} random programs, with and without passes"),
    }))
}
