//! A ULX3S's top with a picture (`ulx3s_hdmi`) under Verilator, with its three clocks: what a screen makes of the
//! four lanes.
//!
//! Memory and PROM are filled beforehand; the machine runs what is in its PROM while a frame is taken from the
//! lanes bit by bit. Verilator and a C++ compiler are called at run time, for few want this.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::gates::{GatesError, run, verilog_of};

const FILES: [(&str, &str); 3] = [
    ("cells.v", include_str!("picture/cells.v")),
    ("bench.sv", include_str!("picture/bench.sv")),
    ("main.cpp", include_str!("picture/main.cpp")),
];

/// A frame as a screen sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Visible points, 32 a word from the upper left corner, bit 0 leftmost, 1 = black.
    pub words: Vec<u32>,
    /// Visible lines.
    pub lines: u64,
    /// Points of each.
    pub columns: u64,
    /// Points of the frame, blanking included.
    pub total: u64,
    /// Points in which the horizontal synchronisation was low.
    pub low_h: u64,
    /// Points in which the vertical synchronisation was low.
    pub low_v: u64,
    /// Most ones less zeros that a lane had sent since its last control word, or zeros less ones.
    pub balance: u64,
    /// Lines of eight words that the memory was asked for.
    pub lines_read: u64,
    /// Half words that were written.
    pub writes: u64,
    /// What no screen expects: a colour, control bits out of place, lines of different lengths. Empty if all
    /// is well.
    pub wrong: String,
}

impl Picture {
    /// The words in the order of the machine's framebuffer, bottom row first.
    #[must_use]
    pub fn framebuffer(&self) -> Vec<u32> {
        let row = (self.columns as usize / 32).max(1);
        self.words.chunks(row).rev().flatten().copied().collect()
    }
}

/// Takes a frame, in a folder that is made anew. `sources` is the folder of the top's Verilog, `memory` the words
/// from address 0, `prom` the words of the PROM.
///
/// # Errors
/// If Verilator or the C++ compiler is missing or refuses a file.
pub fn take(
    sources: &Path,
    folder: &Path,
    memory: &[u32],
    prom: &[u32],
) -> Result<Picture, GatesError> {
    let file = |path: &Path| {
        let path = path.to_owned();
        move |source| GatesError::File { path, source }
    };
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(file(folder))?;
    }
    fs::create_dir_all(folder).map_err(file(folder))?;
    for (name, text) in FILES {
        let path = folder.join(name);
        fs::write(&path, text).map_err(file(&path))?;
    }
    for (name, words) in [("memory", memory), ("prom", prom)] {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(file(&path))?;
    }
    let verilog: Vec<PathBuf> = verilog_of(sources)?
        .into_iter()
        .filter(|path| path.file_name().is_none_or(|name| name != "ulx3s.v"))
        .collect();
    let mut verilator = Command::new("verilator");
    verilator
        .current_dir(folder)
        .args(["--cc", "--exe", "-O3", "--x-assign", "fast", "--x-initial", "fast"])
        .args(["--default-language", "1364-2005", "+1800-2017ext+sv", "-Wno-fatal", "-Wno-lint"])
        .args(["-Wno-WIDTH", "-Wno-MULTIDRIVEN", "-Wno-UNOPTFLAT"])
        .args(["--top-module", "bench", "--Mdir", "made", "bench.sv", "cells.v"])
        .args(&verilog)
        .arg("main.cpp");
    run("verilator", &mut verilator, folder)?;
    let mut make = Command::new("make");
    make.current_dir(folder).args(["-s", "-C", "made", "-f", "Vbench.mk"]);
    make.args(["OPT_FAST=-O1", "OPT_SLOW=-O0"]);
    run("make", &mut make, folder)?;
    let mut bench = Command::new(folder.join("made/Vbench"));
    let megahertz = crate::machine::ULX3S_CLOCK_HZ / 1_000_000;
    bench.current_dir(folder).args(["memory", "prom", "picture"]).arg(megahertz.to_string());
    let said = run("the bench", &mut bench, folder)?;
    let path = folder.join("picture");
    let bytes = fs::read(&path).map_err(file(&path))?;
    let words =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    understood(&said, words.collect()).ok_or(GatesError::Words(said))
}

fn understood(said: &str, words: Vec<u32>) -> Option<Picture> {
    let all: Vec<&str> = said.split_whitespace().collect();
    let number = |name: &str| {
        let at = all.iter().position(|word| *word == name)?;
        all.get(at + 1)?.parse().ok()
    };
    Some(Picture {
        words,
        lines: number("lines")?,
        columns: number("columns")?,
        total: number("total")?,
        low_h: number("low_h")?,
        low_v: number("low_v")?,
        balance: number("balance")?,
        lines_read: number("read")?,
        writes: number("written")?,
        wrong: all.get(16..)?.join(" "),
    })
}
