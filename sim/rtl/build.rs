//! Turns the committed Verilog of the simulated machine into C++ with Verilator and compiles it with
//! the shim.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let verilog = Path::new("../../hdl/verilog/sim");
    println!("cargo:rerun-if-changed={}", verilog.display());
    println!("cargo:rerun-if-changed=src/shim.cpp");
    let mut sources = with_extension(verilog, "v")?;
    sources.sort();
    let made = PathBuf::from(env::var("OUT_DIR")?).join("verilated");
    if made.exists() {
        fs::remove_dir_all(&made)?;
    }
    let status = Command::new("verilator")
        .args(["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast"])
        // Widths differ on purpose (Rust cuts, Verilog extends); unused ports are the trace's.
        .args(["-Wall", "-Wno-WIDTH", "-Wno-UNUSEDPARAM", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME"])
        .args(["--top-module", "sim", "--prefix", "Vsim", "--Mdir"])
        .arg(&made)
        .args(&sources)
        .status()
        .map_err(|error| {
            format!("cannot start verilator ({error}); run: sudo apt-get install -y verilator")
        })?;
    if !status.success() {
        return Err("verilator refused hdl/verilog/sim".into());
    }
    let include = include_folder()?;
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .warnings(false)
        .include(&include)
        .include(include.join("vltstd"))
        .include(&made)
        .define("VM_COVERAGE", "0")
        .define("VM_SC", "0")
        .define("VM_TRACE", "0")
        .files(with_extension(&made, "cpp")?)
        .file(include.join("verilated.cpp"))
        .file(include.join("verilated_threads.cpp"))
        .file("src/shim.cpp")
        .compile("vsim");
    Ok(())
}

fn with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let paths: Vec<PathBuf> = paths.collect::<Result<_, std::io::Error>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == extension)).collect())
}

fn include_folder() -> Result<PathBuf, Box<dyn Error>> {
    let output = Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"]).output()?;
    Ok(Path::new(String::from_utf8(output.stdout)?.trim()).join("include"))
}
