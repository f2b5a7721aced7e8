//! `cargo xtask test`: everything that must pass, in the order of what fails fastest.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{dongle, fuzz, install, run};

/// What a test prints when something it needs is not there.
const SKIP_MARK: &str = "skipped: ";
/// The skips that are no failure: the genuine image may not be in the repository.
const EXPECTED_SKIPS: [&str; 2] = ["KUBE_GENUINE_IMAGE", "loop devices need root"];

/// Flags of `cargo xtask test`.
#[derive(clap::Args)]
pub struct Options {
    /// Seconds of fuzzing per target; 0 leaves the fuzzers out.
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    fuzz: u32,
}

/// Runs every step; stops at the first that fails.
///
/// # Errors
/// Names the step that failed.
pub fn run(options: &Options) -> Result<ExitCode> {
    let start = Instant::now();
    install::for_tests()?;
    step("Format", || run::check(&mut run::cargo(&["fmt", "--all", "--check"])))?;
    step("Lints", || {
        let lint = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
        run::check(&mut run::cargo(&lint))
    })?;
    step("Documents", || {
        let mut doc = run::cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
        run::check(doc.env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    let mut firmware = PathBuf::new();
    step("Dongle", || {
        let manifest = ["fmt", "--check", "--manifest-path", "firmware/dongle/Cargo.toml"];
        run::check(&mut run::cargo(&manifest))?;
        firmware = dongle::for_tests()?;
        Ok(())
    })?;
    let mut skips = Vec::new();
    step("Tests", || {
        let words = ["test", "--workspace", "--quiet", "--no-fail-fast", "--", "--show-output"];
        skips = tests(run::cargo(&words).env("KUBE_DONGLE_FIRMWARE", &firmware))?;
        Ok(())
    })?;
    if options.fuzz > 0 {
        step("Fuzz", || fuzz::all(options.fuzz))?;
    }
    for skip in &skips {
        eprintln!("{SKIP_MARK}{skip}");
    }
    let unexpected: Vec<_> = skips
        .iter()
        .filter(|skip| !EXPECTED_SKIPS.iter().any(|expected| skip.contains(expected)))
        .collect();
    if !unexpected.is_empty() {
        bail!("{} tests were skipped that must run here", unexpected.len());
    }
    eprintln!("All passed in {} s, {} skipped", start.elapsed().as_secs(), skips.len());
    Ok(ExitCode::SUCCESS)
}

fn step(name: &str, body: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("{name} ...");
    let start = Instant::now();
    body().with_context(|| format!("step {name:?}"))?;
    eprintln!("{name} done ({} s)", start.elapsed().as_secs());
    Ok(())
}

/// Runs the tests, passes their output on, and returns what they skipped.
fn tests(command: &mut Command) -> Result<Vec<String>> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let mut skips = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line.context("reading the output of the tests")?;
            match line.trim().strip_prefix(SKIP_MARK) {
                Some(skip) => skips.push(skip.to_owned()),
                None => println!("{line}"),
            }
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("tests failed ({status})");
    }
    Ok(skips)
}
