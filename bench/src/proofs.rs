//! Proofs of the circuit's units.

use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow};
use kube_flow::proof::{Prover, load};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 2] = [
    ("rtl.proofs_passed", || figure("rtl.proofs_passed", |counts| counts.passed)),
    ("rtl.proofs_total", || figure("rtl.proofs_total", |counts| counts.total)),
];

#[derive(Clone, Copy)]
struct Counts {
    passed: usize,
    total: usize,
    faults: usize,
}

/// All proofs, long ones too, once for both figures.
fn counts() -> Result<Counts> {
    static COUNTS: OnceLock<Result<Counts, String>> = OnceLock::new();
    let counts = COUNTS.get_or_init(|| run().map_err(|error| format!("{error:#}")));
    counts.clone().map_err(|error| anyhow!(error))
}

fn run() -> Result<Counts> {
    let proofs = load()?;
    let prover = Prover::new(|_| {})?;
    let mut counts = Counts { passed: 0, total: proofs.len(), faults: 0 };
    for proof in &proofs {
        let outcome = prover.prove(proof, true).with_context(|| proof.name.clone())?;
        counts.passed += usize::from(outcome.passed());
        counts.faults += outcome.faults.len();
    }
    Ok(counts)
}

fn figure(name: &'static str, which: fn(&Counts) -> usize) -> Result<Option<Figure>> {
    let counts = counts()?;
    Ok(Some(Figure {
        name,
        value: which(&counts) as f64,
        unit: "proofs",
        reference: Reference::SameRun(counts.total as f64, "all of the table".to_owned()),
        work: format!(
            "units of the exported Verilog; a proof that misses one of {} planted faults fails",
            counts.faults
        ),
    }))
}
