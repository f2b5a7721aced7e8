//! `cargo xtask dist`: a folder with everything that a person without this repository needs, and the
//! sums of all its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::run;

/// The package whose programs know `--man` and `--completions`.
const TOOLS: &str = "kube-tools";
/// Packages of which all programs are released.
const PACKAGES: [&str; 4] = [TOOLS, "obc", "kube-udp", "kube-debug"];
const SHELLS: [&str; 3] = ["bash", "fish", "zsh"];
const TEXTS: [&str; 5] =
    ["README.md", "CHANGELOG.md", "LICENSE", "host/tools/README.md", "boards/fleet.toml"];

/// Flags of `cargo xtask dist`.
#[derive(clap::Args)]
pub struct Options {
    /// Folder for the release; replaced if it is there.
    #[arg(long, value_name = "FOLDER", default_value = "target/dist")]
    to: PathBuf,
    /// Profile of the programs; dev is quick to build, to try this command.
    #[arg(long, value_name = "PROFILE", default_value = "release")]
    profile: String,
}

/// Makes the release.
///
/// # Errors
/// Names the step that failed.
pub fn run(options: &Options) -> Result<ExitCode> {
    let name = format!("kubestation-{}", env!("CARGO_PKG_VERSION"));
    let folder = run::root().join(&options.to).join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("clearing {}", folder.display()))?;
    }
    let mut build = run::cargo(&["build", "--bins", "--profile", &options.profile]);
    for package in PACKAGES {
        build.args(["--package", package]);
    }
    run::check(&mut build)?;
    let folder_of = if options.profile == "dev" { "debug" } else { options.profile.as_str() };
    let release = run::target_folder().join(folder_of);
    let programs = folder.join("bin");
    for (package, name) in names_of_programs()? {
        let program = programs.join(&name);
        copy(&release.join(&name), &program)?;
        if package != TOOLS {
            continue;
        }
        let tool = name;
        write(&folder.join(format!("man/{tool}.1")), &output(&program, &["--man"])?)?;
        for shell in SHELLS {
            let script = output(&program, &["--completions", shell])?;
            write(&folder.join(format!("completions/{tool}.{shell}")), &script)?;
        }
    }
    write(
        &folder.join("wireshark/kubenet.lua"),
        &output(&programs.join("kube-sniff"), &["dissector"])?,
    )?;
    images(&programs.join("kube-flash"), &folder.join("images"))?;
    for text in TEXTS {
        copy(&run::root().join(text), &folder.join(text))?;
    }
    let verilog = run::root().join("hdl/verilog");
    copy_folder(&verilog, &folder.join("verilog"))?;
    let count = sums(&folder)?;
    eprintln!("Dist done: {} files with their sums in {}", count, folder.display());
    Ok(ExitCode::SUCCESS)
}

/// The image of every board of the example fleet.
fn images(flash: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let fleet = run::root().join("boards/fleet.toml");
    let fleet = fleet.to_string_lossy();
    let boards = output(flash, &["--fleet", &fleet, "boards", "-o", "name"])?;
    for board in String::from_utf8_lossy(&boards).lines() {
        let image = to.join(format!("{board}.img"));
        let words = ["--fleet", &fleet, "--board", board, "--to", &image.to_string_lossy()];
        run::check(Command::new(flash).args(words))?;
    }
    Ok(())
}

/// Package and name of every program that is released.
fn names_of_programs() -> Result<Vec<(String, String)>> {
    let mut cargo = run::cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let output = cargo.output().context("cannot start cargo")?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut names = Vec::new();
    for package in list(&metadata, "packages") {
        let name = text(&package["name"]);
        if !PACKAGES.contains(&name.as_str()) {
            continue;
        }
        let targets = list(&package, "targets").into_iter();
        let programs = targets.filter(|target| list(target, "kind").contains(&"bin".into()));
        names.extend(programs.map(|target| (name.clone(), text(&target["name"]))));
    }
    Ok(names)
}

fn output(program: &Path, words: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program)
        .args(words)
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        bail!("{} {} failed: {said}", program.display(), words.join(" "));
    }
    Ok(output.stdout)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).with_context(|| format!("copying {}", from.display()))?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &place)?;
        } else {
            copy(&entry.path(), &place)?;
        }
    }
    Ok(())
}

/// Files below a folder, by their path from there, in order.
fn files(folder: &Path, below: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            files(folder, &path, found)?;
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(())
}

/// Writes SHA256SUMS, which `sha256sum -c` checks; gives the number of files.
fn sums(folder: &Path) -> Result<usize> {
    let mut found = Vec::new();
    files(folder, Path::new(""), &mut found)?;
    let sums = Command::new("sha256sum").args(&found).current_dir(folder).output();
    let sums = sums.context("cannot start sha256sum")?;
    if !sums.status.success() {
        bail!("sha256sum failed: {}", String::from_utf8_lossy(&sums.stderr));
    }
    write(&folder.join("SHA256SUMS"), &sums.stdout)?;
    Ok(found.len())
}
