//! A ULX3S's top that is not the committed one, such as one with other caches: Verilated, compiled and loaded
//! when it is asked for, so that only who asks pays.
//!
//! Its modules and the signals that the shim reads are those of `hdl/verilog/ulx3s`. Verilator and a C++ compiler
//! are called at run time; the result is a library that stays loaded until the program ends.

use std::ffi::CString;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::gates::{GatesError, run, verilog_of};
use crate::verilate::{FLAGS, OPTIONS, constant};

const SHIM: [(&str, &str); 7] = [
    ("board.v", include_str!("shim/board.v")),
    ("cells.v", include_str!("shim/cells.v")),
    ("machine.h", include_str!("shim/machine.h")),
    ("model.h", include_str!("shim/model.h")),
    ("timers.h", include_str!("shim/timers.h")),
    ("machine.cpp", include_str!("shim/machine.cpp")),
    ("ulx3s.cpp", include_str!("shim/ulx3s.cpp")),
];

/// A compiled top; [`crate::Machine::variant`] makes machines of it.
#[derive(Clone, Debug)]
pub struct Variant {
    pub(crate) library: CString,
    pub(crate) clock_hz: u64,
}

impl Variant {
    /// Compiles the Verilog of a folder with an optimisation of 0 to 3, in another folder that is made anew. Takes a
    /// core for half a minute at 2.
    ///
    /// # Errors
    /// If Verilator or the C++ compiler is missing or refuses a file, or the Verilog is not that of such a top.
    pub fn build(verilog: &Path, folder: &Path, optimisation: u8) -> Result<Self, GatesError> {
        let file = |path: &Path| {
            let path = path.to_owned();
            move |source| GatesError::File { path, source }
        };
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(file(folder))?;
        }
        fs::create_dir_all(folder).map_err(file(folder))?;
        for (name, text) in SHIM {
            let path = folder.join(name);
            fs::write(&path, text).map_err(file(&path))?;
        }
        let number = |module: &str, name: &str| {
            let path = verilog.join(module);
            let text = fs::read_to_string(&path).map_err(file(&path))?;
            let missing = || GatesError::Words(format!("{} without {name}", path.display()));
            constant(&text, name).ok_or_else(missing)
        };
        let clock_hz = number("bus.v", "clock_hz")?;
        let interval = number("sdram.v", "interval")?;

        let mut verilator = Command::new("verilator");
        verilator
            .current_dir(folder)
            .args(OPTIONS)
            .args(["--top-module", "board", "--prefix", "Vulx3s", "--Mdir", "."])
            .args(["board.v", "cells.v"])
            .args(verilog_of(verilog)?);
        run("verilator", &mut verilator, folder)?;

        let mut root = Command::new("verilator");
        let root = run("verilator", root.args(["--getenv", "VERILATOR_ROOT"]), folder)?;
        let include = Path::new(root.trim()).join("include");
        let mut sources = Vec::new();
        for entry in fs::read_dir(folder).map_err(file(folder))? {
            let path = entry.map_err(file(folder))?.path();
            if path.extension().is_some_and(|extension| extension == "cpp") {
                sources.push(path);
            }
        }
        sources.sort();
        let library = folder.join("libulx3s.so");
        let mut compiler = Command::new("c++");
        compiler
            .current_dir(folder)
            .args(["-std=c++17", "-w", "-fPIC", "-shared", &format!("-O{optimisation}")])
            // Nothing of it is to be shared with the models in the program.
            .args(["-Wl,-Bsymbolic", "-fno-gnu-unique"])
            .args(FLAGS)
            .args(["-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0"])
            .arg(format!("-DREFRESH_INTERVAL={interval}"))
            .args(["-I."])
            .arg("-I")
            .arg(&include)
            .arg("-I")
            .arg(include.join("vltstd"))
            .args(&sources)
            .arg(include.join("verilated.cpp"))
            .arg(include.join("verilated_threads.cpp"))
            .arg("-o")
            .arg(&library);
        run("c++", &mut compiler, folder)?;
        let library = CString::new(library.as_os_str().as_encoded_bytes());
        let library = library.map_err(|error| GatesError::Words(error.to_string()))?;
        Ok(Self { library, clock_hz })
    }
}
