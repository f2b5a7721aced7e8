//! Starting programs of the workspace and of the machine.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

/// Root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Where cargo puts what it builds.
pub fn target_folder() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// A cargo call in the repository.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command to its end.
///
/// # Errors
/// Names the command if it cannot be started or fails.
pub fn check(command: &mut Command) -> Result<()> {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let status = command.status().with_context(|| format!("cannot start {}", words[0]))?;
    if !status.success() {
        bail!("{} failed ({status})", words.join(" "));
    }
    Ok(())
}

/// Builds a program of the workspace, with features as cargo takes them, and hands the arguments on.
///
/// # Errors
/// If cargo cannot be started.
pub fn program(
    package: &str,
    features: &str,
    first: &[&str],
    arguments: &[String],
) -> Result<ExitCode> {
    program_with(package, features, first, arguments, &[])
}

/// As [`program`], with variables of its environment.
///
/// # Errors
/// As there.
pub fn program_with(
    package: &str,
    features: &str,
    first: &[&str],
    arguments: &[String],
    variables: &[(&str, PathBuf)],
) -> Result<ExitCode> {
    let status = Command::new("cargo")
        .args(["run", "--quiet", "--release", "--package", package, "--features", features])
        .arg("--manifest-path")
        .arg(root().join("Cargo.toml"))
        .arg("--")
        .args(first)
        .args(arguments)
        .envs(variables.iter().map(|(name, value)| (*name, value.as_os_str())))
        .status()
        .context("cannot start cargo")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
