//! Turns the committed Verilog of the simulated machines into C++ with Verilator and compiles it with
//! the shim: our machine, the compatible one, ours with waveforms, a board's top, and the core's units by
//! themselves.

#[path = "src/verilate.rs"]
mod verilate;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// One Verilated model: `V<name>`, from hdl/verilog/<machine> under the module src/shim/<top>.v,
/// compiled with src/shim/<name>.cpp.
struct Model {
    name: &'static str,
    top: &'static str,
    machine: &'static str,
    /// Its waveforms can be written.
    traced: bool,
    /// What is seldom run is compiled quickly.
    optimisation: u32,
}

const MODELS: [Model; 5] = [
    Model { name: "ours", top: "harness", machine: "sim", traced: false, optimisation: 2 },
    Model { name: "compat", top: "harness", machine: "sim_compat", traced: false, optimisation: 2 },
    Model { name: "traced", top: "harness", machine: "sim", traced: true, optimisation: 1 },
    Model { name: "ulx3s", top: "board", machine: "ulx3s", traced: false, optimisation: 2 },
    Model { name: "units", top: "units", machine: "sim", traced: false, optimisation: 1 },
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=src/shim");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let include = include_folder()?;
    let board = Path::new("../../hdl/verilog/ulx3s");
    println!("cargo:rustc-env=ULX3S_CLOCK_HZ={}", constant(&board.join("bus.v"), "clock_hz")?);
    let interval = constant(&board.join("sdram.v"), "interval")?.to_string();
    for model in &MODELS {
        let made = out.join(model.name);
        verilate(model, &made)?;
        compiler(&include)
            .opt_level(model.optimisation)
            .include(&made)
            .define("REFRESH_INTERVAL", interval.as_str())
            .files(with_extension(&made, "cpp")?)
            .file(format!("src/shim/{}.cpp", model.name))
            .compile(model.name);
    }
    compiler(&include)
        .opt_level(2)
        .file(include.join("verilated.cpp"))
        .file(include.join("verilated_fst_c.cpp"))
        .file(include.join("verilated_threads.cpp"))
        .file("src/shim/machine.cpp")
        .file("src/shim/boundary.cpp")
        .compile("shim");
    println!("cargo:rustc-link-lib=z");
    Ok(())
}

/// A constant of an exported module, `localparam name = 16'h222;`.
fn constant(module: &Path, name: &str) -> Result<u64, Box<dyn Error>> {
    let text = fs::read_to_string(module)?;
    let number = verilate::constant(&text, name);
    number.ok_or_else(|| format!("{} has no hexadecimal {name}", module.display()).into())
}

fn compiler(include: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .warnings(false)
        .include("src/shim")
        .include(include)
        .include(include.join("vltstd"))
        .define("VM_COVERAGE", "0")
        .define("VM_SC", "0")
        .define("VM_TRACE", "1")
        .define("VM_TRACE_FST", "1")
        .flags(verilate::FLAGS);
    build
}

fn verilate(model: &Model, made: &Path) -> Result<(), Box<dyn Error>> {
    let verilog = Path::new("../../hdl/verilog").join(model.machine);
    println!("cargo:rerun-if-changed={}", verilog.display());
    let mut sources = with_extension(&verilog, "v")?;
    sources.sort();
    if made.exists() {
        fs::remove_dir_all(made)?;
    }
    let mut command = Command::new("verilator");
    command
        .args(verilate::OPTIONS)
        .args(["--top-module", model.top, "--prefix", &format!("V{}", model.name)])
        .arg(format!("+define+MACHINE={}", model.machine))
        .arg("--Mdir")
        .arg(made)
        .arg(format!("src/shim/{}.v", model.top))
        .args(&sources);
    if model.top == "board" {
        command.arg("src/shim/cells.v");
    }
    if model.traced {
        command.arg("--trace-fst");
    }
    let status = command.status().map_err(|error| {
        format!("cannot start verilator ({error}); run: sudo apt-get install -y verilator")
    })?;
    if !status.success() {
        return Err(format!("verilator refused hdl/verilog/{}", model.machine).into());
    }
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
