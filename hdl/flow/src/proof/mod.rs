//! Proofs of the exported units: what `hdl/proofs/proofs.toml` claims, by bounded model checking and
//! induction, and that each proof notices what is planted.
//!
//! A property file (`hdl/proofs/*.sv`) instantiates a unit beside an independent statement of what it
//! computes, with free inputs. yosys turns both into one SMT-LIB model, `yosys-smtbmc` asks bitwuzla
//! for a run that breaks an assertion. Where the table gives an `induction` depth, the step from
//! that many cycles to the next holds from any state, so the proof is for any number of cycles.
//! Integer identities are `.smt2` files for z3.
//!
//! Each fault of the table is a text replaced in the unit's Verilog. Under it the same proof must fail
//! with a run from the initial state; a proof that does not has proven nothing.

mod isa;
mod model;
mod run;
mod table;
mod witness;

pub use run::{FaultOutcome, Outcome, Prover, Verdict};
pub use table::{Fault, Proof, TableError, everyday, load};
pub use witness::Counterexample;

use std::path::{Path, PathBuf};

/// Folder of the property files and of their table.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs")
}
