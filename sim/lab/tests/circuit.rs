//! Published lab 1 on Verilated machines: the same checks from the air as on the emulator, and the
//! same placement. `cargo xtask bench lab.rtl_held` plays all six.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;

use kube_lab::engine::EngineKind;
use kube_lab::lab::Setup;
use kube_lab::scenario::outcome::Outcome;
use kube_lab::scenario::play::play;
use kube_lab::scenario::suite;
use kube_sniff::reading::Value;

/// The trace of a run, and what each node was assigned last.
fn form(engine: EngineKind, threads: usize) -> (String, BTreeMap<String, Value>) {
    let (_, scenario) = suite::load("lab1-forms").unwrap();
    let plan = &scenario.plans[0];
    let setup = Setup { engine, threads, ..Setup::new(&plan.fleet, 1) };
    let run = play(&kube_modules::build().unwrap(), plan, &setup, &mut ()).unwrap();
    let outcome = Outcome { scenario: &scenario, plan, seed: 1, engine, run: &run };
    assert!(outcome.held(), "{engine}: {}", outcome.text());
    let assignments = run.heard.iter().filter(|heard| heard.kind() == "assignment");
    let readings = assignments.filter_map(|heard| heard.reading());
    let placed = readings
        .filter_map(|reading| Some((reading.node()?.to_owned(), reading.get("ids")?.clone())));
    let placement = placed.collect();
    (run.trace, placement)
}

#[test]
fn a_cluster_forms_on_the_circuit_as_on_the_emulator() {
    let (trace, placement) = form(EngineKind::Rtl, 1);
    assert_eq!(form(EngineKind::Rtl, 2).0, trace, "the trace depends on the threads");
    assert_eq!(form(EngineKind::Emu, 1).1, placement);
}

/// On the board's own top every machine also keeps the rules of its memory chip, or the run ends.
#[test]
fn a_cluster_forms_on_the_ulx3s_as_on_the_emulator() {
    assert_eq!(form(EngineKind::Ulx3s, 1).1, form(EngineKind::Emu, 1).1);
}
