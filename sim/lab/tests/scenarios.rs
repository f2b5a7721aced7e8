//! The scenarios of the project, whole: all of them hold, and what does not hold is named.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

use std::path::Path;
use std::time::Instant;

use kube_lab::engine::EngineKind;
use kube_lab::lab::{Omission, Setup};
use kube_lab::scenario::outcome::Outcome;
use kube_lab::scenario::play::{Run, play};
use kube_lab::scenario::{Scenario, batch, file, record, report, suite};

/// Plays the first case of a scenario, as `change` has its lab.
fn run(scenario: &Scenario, seed: u64, change: impl FnOnce(Setup) -> Setup) -> Run {
    let plan = &scenario.plans[0];
    let setup = change(Setup::new(&plan.fleet, seed));
    play(&kube_modules::build().unwrap(), plan, &setup, &mut ()).unwrap()
}

fn outcome<'a>(scenario: &'a Scenario, seed: u64, run: &'a Run) -> Outcome<'a> {
    let plan = &scenario.plans[0];
    Outcome { scenario, plan, seed, engine: EngineKind::Emu, run }
}

fn of(text: &str) -> Scenario {
    file::parse(Path::new("own.toml"), text).unwrap_or_else(|error| panic!("{error}"))
}

/// The six published labs, the recovery table and the load table, with all their cases and seeds.
#[test]
fn every_scenario_holds_with_every_seed() {
    let system = kube_modules::build().unwrap();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut broken = Vec::new();
    for name in suite::names() {
        let (_, scenario) = suite::load(name).unwrap();
        let jobs: Vec<_> = batch::jobs(&scenario).collect();
        let (start, mut machine_ns) = (Instant::now(), 0);
        batch::run(&system, &jobs, threads, |job, result| {
            let run = result.unwrap();
            machine_ns += run.machine_ns;
            let (plan, seed, engine) = (job.plan, job.seed, job.plan.engine);
            let outcome = Outcome { scenario: &scenario, plan, seed, engine, run: &run };
            if !outcome.held() {
                broken.push(outcome.text());
            }
        });
        let (seconds, machine_s) = (start.elapsed().as_secs_f64(), machine_ns / 1_000_000_000);
        println!("{name}: {} runs, {machine_s} s of machine time in {seconds:.1} s", jobs.len());
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_trace_depends_on_the_seed_and_not_on_the_threads() {
    let (_, scenario) = suite::load("lab2-rollout").unwrap();
    let one = run(&scenario, 7, |setup| setup);
    let two = run(&scenario, 7, |setup| Setup { threads: 2, ..setup });
    let object = |run| outcome(&scenario, 7, run).object();
    assert_eq!(object(&one), object(&two));
    assert_ne!(one.trace, run(&scenario, 8, |setup| setup).trace);
}

/// A scenario that cannot hold: what is said of it, live and from its recording.
const TOO_MANY: &str = "
title = 'Five of four'
expect = ['pods <= 3 always']
[fleet]
start = ['Kube.Ensure web 4 Ticker']
[[step]]
name = 'form'
until = ['nodes = 2', 'pods = 4', 'agree']
within = '20s'
[[step]]
name = 'silence'
air = 'off'
for = '4s'
expect = ['unheard heartbeat <= 2', 'frames = 0', 'changed assignment = 0']
[[step]]
name = 'five'
air = 'on'
until = ['pods = 5']
within = '3s'
[[step]]
name = 'never begun'
for = '1s'
";

#[test]
fn what_does_not_hold_is_named_with_the_frames_live_and_from_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = of(TOO_MANY);
    let capture = folder.path().join(record::CAPTURE_FILE);
    let live = run(&scenario, 1, |setup| Setup { capture: Some(capture), ..setup });
    let told = outcome(&scenario, 1, &live);
    let faults = told.faults();
    let whats: Vec<_> = faults.iter().map(|fault| (fault.step, fault.what.as_str())).collect();
    let expected =
        [(Some(1), "unheard heartbeat <= 2"), (Some(2), "five"), (None, "pods <= 3 always")];
    assert_eq!(whats, expected, "{}", told.text());
    assert!(faults[1].reason.contains("pods = 5 (there are 4)"), "{}", faults[1].reason);
    for fault in &faults {
        assert!(fault.frames.len() >= 2, "{fault:?}");
        for number in &fault.frames {
            assert!(told.line(*number).contains("heartbeat"), "{}", told.line(*number));
        }
    }
    assert!(faults[0].frames.iter().all(|number| number.unheard));
    assert_eq!(told.object()["steps"][3]["verdict"], "not run");

    let origin = suite::Origin { path: "own.toml".into(), source: TOO_MANY.to_owned() };
    record::write(folder.path(), &origin, &told).unwrap();
    let replayed = record::replay(folder.path(), None).unwrap();
    assert_eq!(replayed.run.steps, live.steps);
    assert_eq!(replayed.run.rules, live.rules);
    assert_eq!(replayed.run.trace, live.trace);
    // The numbers are those that a reader of the capture counts.
    let line = told.line(faults[1].frames[0]);
    assert_eq!(line, replayed.outcome().line(faults[1].frames[0]));
    // Other expectations, the same recording.
    let patient = folder.path().join("patient.toml");
    std::fs::write(&patient, TOO_MANY.replace("<= 3 always", "<= 4 always")).unwrap();
    let replayed = record::replay(folder.path(), Some(&patient)).unwrap();
    assert_eq!(replayed.outcome().faults().len(), 2);
    let other = folder.path().join("other.toml");
    std::fs::write(&other, "title = 'x'\n[[step]]\nfor = '1s'\n").unwrap();
    let refused = record::replay(folder.path(), Some(&other)).unwrap_err().to_string();
    assert!(refused.contains("with 3 steps"), "{refused}");
    std::fs::write(folder.path().join(record::EVENTS_FILE), "{}\n").unwrap();
    let refused = record::replay(folder.path(), None).unwrap_err().to_string();
    assert!(refused.contains("events.jsonl:1"), "{refused}");
}

/// The page is whole in itself and says the same.
#[test]
fn the_report_is_one_page_that_needs_nothing_else() {
    let scenario = of(TOO_MANY);
    let live = run(&scenario, 1, |setup| setup);
    let page = report::page(&outcome(&scenario, 1, &live));
    for foreign in ["http:", "https:", "<script", "src=", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for part in ["<svg", "viewport", "@media", "broken", "pods = 5 (there are 4)", "node2"] {
        assert!(page.contains(part), "{part}");
    }
    let count = |tag: &str| page.matches(tag).count();
    for tag in ["html", "body", "table", "svg", "section", "tr", "td", "g"] {
        let (open, close) =
            (count(&format!("<{tag}>")) + count(&format!("<{tag} ")), count(&format!("</{tag}>")));
        assert_eq!(open, close, "{tag}");
    }
    let dots = live.heard.len();
    assert_eq!(count("class=\"frame "), dots, "a mark for each frame");
}

/// The machines run only what stands on their own images.
#[test]
fn a_machine_without_kubenet_is_named_with_what_it_lacks() {
    let (_, scenario) = suite::load("lab1-forms").unwrap();
    let without = |machine: Option<&str>| {
        let file = "KubeNet.rsc".to_owned();
        let without = vec![Omission { machine: machine.map(str::to_owned), file }];
        let run = run(&scenario, 1, |setup| Setup { without, ..setup });
        assert!(run.steps[0].failed.is_some(), "{machine:?}");
        for log in &run.logs {
            assert!(log.tail.join("\n").contains("KubeNet"), "{} says {:?}", log.machine, log.tail);
        }
        run.logs.into_iter().map(|log| log.machine).collect::<Vec<_>>()
    };
    assert_eq!(without(Some("node2")), ["node2"]);
    assert_eq!(without(Some("plane")), ["plane"]);
    assert_eq!(without(None), ["plane", "node1", "node2"]);
}

#[test]
fn a_brown_out_and_a_cut_off_machine_are_survived() {
    let scenario = of("
title = 'Radio trouble'
expect = ['no bad']
[fleet]
start = ['Kube.Ensure web 2 Ticker']
[[step]]
until = ['nodes = 2', 'pods = 2', 'agree']
within = '20s'
[[step]]
brown-out = 'node1'
for = '6s'
expect = ['pods = 2 after 4s', 'changed assignment = 0']
[[step]]
cut-off = ['node2']
until = ['silent node2', 'pods on node1 = 2']
within = '9s'
expect = ['unheard heartbeat node2 >= 4']
[[step]]
reconnect = 'node2'
until = ['nodes = 2', 'agree']
within = '10s'
");
    let run = run(&scenario, 1, |setup| setup);
    let outcome = outcome(&scenario, 1, &run);
    assert!(outcome.held(), "{}", outcome.text());
}
