//! What a fresh machine lacks: looked for, and installed where we may.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::run;

/// Something that some step needs.
struct Tool {
    /// File name looked for on the path and among the C headers, or a whole path.
    program: &'static str,
    /// For Python: the module that it must be able to import.
    module: Option<&'static str>,
    /// Debian package that brings it.
    package: &'static str,
    /// What for.
    reason: &'static str,
}

/// What the tests need beyond Rust and its linker.
const FOR_TESTS: [Tool; 6] = [CXX, MAKE, VERILATOR, ZLIB, VENV, TSHARK];

/// What Verilated machines need.
const FOR_CIRCUIT: [Tool; 5] = [CXX, MAKE, VERILATOR, ZLIB, VENV];

/// What proofs need.
const FOR_PROOFS: [Tool; 1] = [VENV];

/// What builds the firmware where rustup has no target for it.
const FOR_FIRMWARE: [Tool; 4] = [RUSTC, CARGO, RUST_SRC, LLD];

/// What runs the emulator of the dongle.
const FOR_EMULATOR: [Tool; 2] = [NODE, NPM];

const RUSTC: Tool = Tool {
    program: "/usr/bin/rustc",
    module: None,
    package: "rustc-web",
    reason: "it builds the firmware, whose target this Rust toolchain lacks",
};
const CARGO: Tool = Tool {
    program: "/usr/bin/cargo",
    module: None,
    package: "cargo-web",
    reason: "it builds the firmware with that compiler",
};
const RUST_SRC: Tool = Tool {
    program: "/usr/lib/rustlib/src/rust/library/core/Cargo.toml",
    module: None,
    package: "rust-web-src",
    reason: "the firmware needs `core` for its processor",
};
const LLD: Tool =
    Tool { program: "ld.lld", module: None, package: "lld", reason: "it links the firmware" };
const NODE: Tool = Tool {
    program: "node",
    module: None,
    package: "nodejs",
    reason: "the emulator of the dongle's processor is JavaScript",
};
const NPM: Tool = Tool {
    program: "npm",
    module: None,
    package: "npm",
    reason: "the emulator of the dongle's processor comes from it",
};

const CXX: Tool = Tool {
    program: "g++",
    module: None,
    package: "g++",
    reason: "libFuzzer and the Verilated machine are C++",
};
const MAKE: Tool = Tool {
    program: "make",
    module: None,
    package: "make",
    reason: "Verilator's makefiles build the netlist's simulation",
};
const VERILATOR: Tool = Tool {
    program: "verilator",
    module: None,
    package: "verilator",
    reason: "the circuit is simulated",
};
const ZLIB: Tool = Tool {
    program: "zlib.h",
    module: None,
    package: "zlib1g-dev",
    reason: "waveforms are compressed",
};
const VENV: Tool = Tool {
    program: "python3",
    module: Some("ensurepip"),
    package: "python3-venv",
    reason: "yosys and the solvers are Python packages",
};

const TSHARK: Tool = Tool {
    program: "tshark",
    module: None,
    package: "tshark",
    reason: "it reads captures as Wireshark does",
};

/// Rust components that the tests need: subcommand and component.
const COMPONENTS: [(&str, &str); 2] = [("clippy", "clippy"), ("fmt", "rustfmt")];

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let headers = PathBuf::from("/usr/include");
    let mut folders = std::env::split_paths(&path).chain([headers]);
    folders.find_map(|folder| Some(folder.join(program)).filter(|file| file.is_file()))
}

fn is_there(tool: &Tool) -> bool {
    let imports = |module: &str| {
        let output = Command::new(tool.program).args(["-c", &format!("import {module}")]).output();
        output.is_ok_and(|output| output.status.success())
    };
    on_path(tool.program).is_some() && tool.module.is_none_or(imports)
}

/// Makes sure that everything `cargo xtask test` needs is there.
///
/// # Errors
/// Says which line to run where a package is missing and we may not install it.
pub fn for_tests() -> Result<()> {
    packages(&FOR_TESTS)?;
    for (subcommand, component) in COMPONENTS {
        let found = Command::new("cargo").args([subcommand, "--version"]).output();
        if !found.is_ok_and(|output| output.status.success()) {
            eprintln!("Installing the Rust component {component}");
            let status = Command::new("rustup").args(["component", "add", component]).status();
            if !status.is_ok_and(|status| status.success()) {
                bail!("cargo {subcommand} is missing; run: rustup component add {component}");
            }
        }
    }
    Ok(())
}

/// Makes sure that Verilated machines can be built.
///
/// # Errors
/// Says which line to run where a package is missing and we may not install it.
pub fn for_circuit() -> Result<()> {
    packages(&FOR_CIRCUIT)
}

/// Makes sure that the environment of the proofs can be made.
///
/// # Errors
/// Says which line to run where a package is missing and we may not install it.
pub fn for_proofs() -> Result<()> {
    packages(&FOR_PROOFS)
}

/// Makes sure that the firmware of the dongle can be built without rustup's help.
///
/// # Errors
/// Says which line to run where a package is missing and we may not install it.
pub fn for_firmware() -> Result<()> {
    packages(&FOR_FIRMWARE)
}

/// Makes sure that the dongle can run in its emulator, at the version of its lock file.
///
/// # Errors
/// Says which line to run where a package is missing and we may not install it.
pub fn for_emulator() -> Result<()> {
    packages(&FOR_EMULATOR)?;
    let folder = run::root().join("firmware/dongle/emulator");
    let newer = |file: &str| std::fs::metadata(folder.join(file)).and_then(|data| data.modified());
    let installed = newer("node_modules/.package-lock.json");
    if installed.is_ok_and(|at| newer("package-lock.json").is_ok_and(|lock| lock <= at)) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&folder);
    run::check(&mut npm)
}

fn packages(tools: &[Tool]) -> Result<()> {
    let missing: Vec<&Tool> = tools.iter().filter(|tool| !is_there(tool)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for tool in &missing {
        eprintln!("Missing {} (package {}): {}", tool.program, tool.package, tool.reason);
    }
    let names: Vec<&str> = missing.iter().map(|tool| tool.package).collect();
    let Some(prefix) = privilege() else {
        bail!("no rights to install packages; run: sudo apt-get install -y {}", names.join(" "));
    };
    apt(prefix, &["update"])?;
    apt(prefix, &[&["install", "-y", "--no-install-recommends"], names.as_slice()].concat())
}

/// How to become root: not at all, by sudo without a password, or no way.
fn privilege() -> Option<&'static [&'static str]> {
    let prints = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if prints("id", &["-u"]).as_deref() == Some("0") {
        return Some(&[]);
    }
    prints("sudo", &["-n", "id", "-u"]).map(|_| ["sudo", "-n"].as_slice())
}

fn apt(prefix: &[&str], arguments: &[&str]) -> Result<()> {
    let words = [prefix, &["apt-get"], arguments].concat();
    eprintln!("Running {}", words.join(" "));
    let status = Command::new(words[0])
        .args(&words[1..])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status()
        .with_context(|| format!("cannot start {}", words[0]))?;
    if !status.success() {
        bail!("{} failed; run it by hand to see why", words.join(" "));
    }
    Ok(())
}
