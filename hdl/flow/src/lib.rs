//! Synthesis, placement and proof tools in a pinned environment, and what they say of the exported
//! Verilog.
//!
//! - [`environment`]: yosys, nextpnr, ecppack and an SMT solver, installed from PyPI on first use;
//! - [`bitstream`]: a top on a board: constraints, place and route, bitstream, report;
//! - [`fit`]: the bare core on an FPGA, with clock, area and longest path;
//! - [`proof`]: proofs of the units, and the faults that each must notice;
//! - [`read`]: does yosys read a top, and is it free of latches.

pub mod bitstream;
pub mod environment;
pub mod fit;
pub mod proof;
pub mod read;
pub mod timing;
pub mod tool;
pub mod top;

pub use environment::{Environment, EnvironmentError};
pub use tool::ToolError;

use std::path::{Path, PathBuf};

/// Folder of the exported Verilog, with one folder for each top.
#[must_use]
pub fn verilog_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog")
}
