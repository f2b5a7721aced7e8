//! Coverage-guided fuzzing with libFuzzer on the ordinary toolchain.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::run;

/// What libFuzzer needs of the compiler, a flag a line.
const RUSTFLAGS: &str = include_str!("../../fuzz/rustflags.txt");

/// Flags of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub struct Options {
    /// Seconds per target.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// One target of fuzz/fuzz_targets only.
    target: Option<String>,
    /// Seed of the fuzzer's random numbers; printed, to repeat a run.
    #[arg(long)]
    seed: Option<u32>,
}

/// Builds and runs targets.
///
/// # Errors
/// Names the target that found a fault.
pub fn run(options: &Options) -> Result<ExitCode> {
    let mut chosen = targets()?;
    if let Some(wanted) = &options.target {
        let known = chosen.join(", ");
        chosen.retain(|target| target == wanted);
        if chosen.is_empty() {
            bail!("no fuzz target is called {wanted:?}; there are {known}");
        }
    }
    fuzz(&chosen, options.seconds, options.seed.unwrap_or_else(std::process::id))?;
    Ok(ExitCode::SUCCESS)
}

/// Seed of the everyday run: the same inputs first on every machine. `cargo xtask fuzz` draws one.
const EVERYDAY_SEED: u32 = 1;

/// All targets, each for the given seconds.
///
/// # Errors
/// Names the target that found a fault.
pub fn all(seconds: u32) -> Result<()> {
    fuzz(&targets()?, seconds, EVERYDAY_SEED)
}

/// Names of the files in `fuzz/fuzz_targets`.
fn targets() -> Result<Vec<String>> {
    let folder = run::root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn fuzz(targets: &[String], seconds: u32, seed: u32) -> Result<()> {
    let folder = run::root().join("fuzz");
    let triple = host_triple()?;
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--quiet", "--target", &triple, "--target-dir", "target"]);
    build.current_dir(&folder).env_remove("RUSTFLAGS");
    let flags: Vec<&str> = RUSTFLAGS.split_whitespace().collect();
    run::check(build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")))?;
    eprintln!("Fuzz {} for {seconds} s each, seed {seed}", targets.join(", "));
    let mut running = Vec::new();
    for target in targets {
        let found = folder.join("target/found").join(target);
        let corpus = folder.join("target/corpus").join(target);
        std::fs::create_dir_all(&found)?;
        std::fs::create_dir_all(&corpus)?;
        let log = std::fs::File::create(found.join("log.txt"))?;
        let child = Command::new(folder.join("target").join(&triple).join("release").join(target))
            .arg(&corpus)
            .arg(folder.join("corpus").join(target))
            .arg(format!("-artifact_prefix={}/", found.display()))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-seed={}", seed.max(1)))
            .args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"])
            .stderr(log.try_clone()?)
            .stdout(log)
            .spawn()
            .with_context(|| format!("cannot start the fuzz target {target}"))?;
        running.push((target, found, child));
    }
    let mut failed = Vec::new();
    for (target, found, mut child) in running {
        let status = child.wait()?;
        let log = std::fs::read_to_string(found.join("log.txt")).unwrap_or_default();
        let runs =
            log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        eprintln!("  {target}: {} inputs, {status}", runs.map_or("?", str::trim));
        if !status.success() {
            let tail: Vec<&str> = log.lines().rev().take(25).collect();
            eprintln!("{}", tail.into_iter().rev().collect::<Vec<_>>().join("\n"));
            failed.push(format!("{target} (input in {})", found.display()));
        }
    }
    if !failed.is_empty() {
        bail!("fuzzing found a fault in {}", failed.join(", "));
    }
    Ok(())
}

fn host_triple() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host")
}
