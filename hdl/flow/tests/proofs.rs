//! The everyday proofs hold, and each notices what is planted.
#![allow(clippy::print_stdout, reason = "a test that says what it skips")]

use std::fs;

use kube_flow::proof::{Fault, Prover, Verdict, everyday, load};
use kube_flow::verilog_folder;

/// A prover, or a word why the test is left out.
fn prover() -> Option<Prover> {
    Prover::new(|_| {})
        .inspect_err(|error| println!("skipped: yosys is not to be had: {error}"))
        .ok()
}

#[test]
fn everyday_proofs_pass() {
    let Some(prover) = prover() else { return };
    let failed: Vec<_> = everyday(load().expect("table"))
        .iter()
        .map(|proof| prover.prove(proof, true).expect("run"))
        .filter(|outcome| !outcome.passed())
        .collect();
    assert!(failed.is_empty(), "see cargo xtask prove: {failed:#?}");
}

/// A change that is none must not count as noticed, nor one that does not apply as planted.
#[test]
fn a_fault_that_is_none_fails_the_proof() {
    let Some(prover) = prover() else { return };
    let proofs = load().expect("table");
    let mut proof = proofs.into_iter().find(|proof| proof.name == "condition").expect("condition");
    let fault = Fault {
        what: "nothing".into(),
        file: "condition.v".into(),
        from: "less = n ^ v;".into(),
        to: "less = v ^ n;".into(),
        step: None,
        given: Vec::new(),
    };
    proof.faults = vec![fault.clone()];
    let outcome = prover.prove(&proof, true).expect("run");
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert_eq!(outcome.faults[0].verdict, Verdict::Holds);
    assert!(!outcome.passed());
    proof.faults = vec![Fault { from: "less = n & v;".into(), ..fault }];
    let error = prover.prove(&proof, true).expect_err("does not apply").to_string();
    assert!(error.contains("0 times"), "{error}");
}

/// What is proven of one machine's units holds for the other's: they are the same text.
#[test]
fn both_machines_have_the_same_units() {
    let body = |top: &str, unit: &str| {
        let path = verilog_folder().join(top).join(unit);
        let text = fs::read_to_string(path).expect(unit);
        text.lines().filter(|line| !line.starts_with("//")).map(str::to_owned).collect::<Vec<_>>()
    };
    let proofs = load().expect("table").into_iter().filter(|proof| proof.top == "sim");
    let faults = proofs.flat_map(|proof| proof.faults);
    for unit in faults.map(|fault| fault.file).filter(|file| file.ends_with(".v")) {
        assert_eq!(body("sim", &unit), body("sim_compat", &unit), "{unit}");
    }
}
