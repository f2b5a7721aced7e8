//! `cargo xtask dongle`: the firmware of the USB dongle as a UF2 file.
//!
//! The target is thumbv6m-none-eabi. Where the ordinary toolchain has it, or rustup may bring it, that one
//! builds the firmware. Elsewhere Debian's does, whose package of sources builds `core` as well.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};

use crate::{install, run, uf2};

const TARGET: &str = "thumbv6m-none-eabi";
/// Debian's cargo and rustc, whatever else is on the path.
const DEBIAN: &str = "/usr/bin:/bin";

/// Flags of `cargo xtask dongle`.
#[derive(clap::Args)]
pub struct Options {
    /// Name of the dongle: its USB serial number, as kube-sniff usb:NAME takes it. Give each of several
    /// dongles its own.
    #[arg(long, value_name = "NAME", default_value = "kube", value_parser = name)]
    name: String,
    /// File for the firmware.
    #[arg(long, value_name = "FILE", default_value = "kube-dongle.uf2")]
    to: PathBuf,
}

fn name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if (1..=24).contains(&text.len()) && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("expected 1 to 24 letters, digits and hyphens".to_owned())
    }
}

/// Builds the firmware.
///
/// # Errors
/// Names the step that failed.
pub fn run(options: &Options) -> Result<ExitCode> {
    let to = std::env::current_dir()?.join(&options.to);
    build(&options.name, &to)?;
    eprintln!("Dongle done: {}", to.display());
    eprintln!(
        "Hold BOOTSEL, plug the Pico in, copy the file onto the drive RPI-RP2 (docs/dongle.md)"
    );
    Ok(ExitCode::SUCCESS)
}

/// The firmware, built under a name, and the emulator that can run it.
///
/// # Errors
/// Names the step that failed.
pub fn for_tests() -> Result<PathBuf> {
    let to = run::target_folder().join("kube-dongle.uf2");
    build("kube", &to)?;
    install::for_emulator()?;
    Ok(to)
}

fn build(name: &str, to: &Path) -> Result<()> {
    let folder = run::root().join("firmware/dongle");
    let built = run::target_folder().join("dongle");
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--release", "--quiet", "--locked", "--target", TARGET, "--target-dir"])
        .arg(&built)
        .current_dir(&folder)
        .env("KUBE_DONGLE_NAME", name)
        .env_remove("CARGO_BUILD_TARGET");
    if !has_target() {
        install::for_firmware()?;
        cargo.args(["-Z", "build-std=core"]);
        cargo.env("PATH", DEBIAN).env("RUSTC_BOOTSTRAP", "1");
        cargo.env("CARGO_TARGET_THUMBV6M_NONE_EABI_LINKER", "ld.lld");
        // Those of the toolchain that runs this program.
        for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"] {
            cargo.env_remove(variable);
        }
    }
    run::check(&mut cargo)?;
    let elf = built.join(TARGET).join("release/kube-dongle");
    let elf = std::fs::read(&elf).with_context(|| format!("reading {}", elf.display()))?;
    let file = uf2::from_elf(&elf).context("the firmware")?;
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(to, file).with_context(|| format!("writing {}", to.display()))
}

/// Whether the ordinary toolchain has the target, or rustup may and does bring it.
fn has_target() -> bool {
    let there = || {
        let mut rustc = Command::new("rustc");
        let said = rustc.args(["--print", "target-libdir", "--target", TARGET]).output();
        said.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_dir())
    };
    if there() {
        return true;
    }
    // Set to 0 where a toolchain is to stay as it is.
    if std::env::var_os("RUSTUP_AUTO_INSTALL").is_some_and(|value| value == "0") {
        return false;
    }
    let mut rustup = Command::new("rustup");
    let added = rustup.args(["target", "add", TARGET]).stderr(Stdio::null()).status();
    added.is_ok_and(|status| status.success()) && there()
}
