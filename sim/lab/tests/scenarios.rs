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

/// The same seed gives the same trace on two threads as it did on one, in each case of a scenario;
/// another seed gives another one.
fn repeats(scenario: &Scenario, traces: Vec<(String, u64, String)>) {
    for plan in &scenario.plans {
        let mut of_case = traces.iter().filter(|(case, ..)| *case == plan.case);
        let (_, seed, trace) = of_case.next().unwrap();
        let what = format!("{} ({}) seed {seed}", scenario.name, plan.case);
        let (engine, loss, threads) = (plan.engine, plan.loss, 2);
        let setup = Setup { engine, loss, threads, ..Setup::new(&plan.fleet, *seed) };
        let again = play(&kube_modules::build().unwrap(), plan, &setup, &mut ()).unwrap();
        assert_eq!(again.trace, *trace, "{what}");
        assert!(of_case.all(|(.., other)| other != trace), "{what}: the seed does nothing");
    }
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
        let (start, mut machine_ns, mut traces) = (Instant::now(), 0, Vec::new());
        batch::run(&system, &jobs, threads, |job, result| {
            let run = result.unwrap();
            machine_ns += run.machine_ns;
            traces.push((job.plan.case.clone(), job.seed, run.trace.clone()));
            let (plan, seed, engine) = (job.plan, job.seed, job.plan.engine);
            let outcome = Outcome { scenario: &scenario, plan, seed, engine, run: &run };
            if !outcome.held() {
                broken.push(outcome.text());
            }
        });
        let (seconds, machine_s) = (start.elapsed().as_secs_f64(), machine_ns / 1_000_000_000);
        repeats(&scenario, traces);
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

/// A recording that lost a part, or has one of another run, is refused with the part's name.
#[test]
fn a_damaged_or_foreign_recording_is_refused() {
    let text = "
title = 'A second'
[[step]]
for = '1s'
[[step]]
for = '1s'
";
    let scenario = of(text);
    let make = |seed| {
        let folder = tempfile::tempdir().unwrap();
        let capture = Some(folder.path().join(record::CAPTURE_FILE));
        let live = run(&scenario, seed, |setup| Setup { capture, ..setup });
        let origin = suite::Origin { path: "own.toml".into(), source: text.to_owned() };
        record::write(folder.path(), &origin, &outcome(&scenario, seed, &live)).unwrap();
        record::replay(folder.path(), None).unwrap();
        folder
    };
    let (own, other) = (make(1), make(2));
    let refused = |folder: &Path| record::replay(folder, None).unwrap_err().to_string();
    let parts = [record::CAPTURE_FILE, record::EVENTS_FILE, record::SCENARIO_FILE];
    for name in parts {
        let path = own.path().join(name);
        let whole = std::fs::read(&path).unwrap();
        // Cut at many places, as by a full disk; cuts at a whole line or block included.
        for cut in (0..whole.len()).step_by((whole.len() / 40).max(1)) {
            if whole[cut..].iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            std::fs::write(&path, &whole[..cut]).unwrap();
            let said = refused(own.path());
            assert!(said.contains(name) || name == record::SCENARIO_FILE, "{name} {cut}: {said}");
        }
        // Bytes of no meaning; nothing at all.
        std::fs::write(&path, [0xff; 300]).unwrap();
        let said = refused(own.path());
        assert!(said.contains(name), "{name}: {said}");
        std::fs::remove_file(&path).unwrap();
        let said = refused(own.path());
        assert!(said.contains(name), "{name}: {said}");
        std::fs::write(&path, whole).unwrap();
    }
    std::fs::copy(other.path().join(parts[0]), own.path().join(parts[0])).unwrap();
    let said = refused(own.path());
    assert!(said.contains("is not the capture of this run"), "{said}");
}

/// Each kind of rule, broken: which kinds of frames are named for it. A word less where it is about
/// frames that did not come.
const BROKEN: [(&str, &str); 16] = [
    ("pods = 5", "heartbeat"),
    ("pods Ticker = 3 within 1s", "heartbeat"),
    ("pods on node1 = 1 always", "heartbeat"),
    ("nodes < 2", "heartbeat"),
    ("spread > 0", "heartbeat"),
    ("agree = 0", "assignment"),
    ("missing >= 1", "assignment"),
    ("silent node1 within 1s", "heartbeat"),
    ("changed heartbeat >= 1", ""),
    ("heartbeat <= 2", "heartbeat"),
    ("frames plane <= 1", "assignment"),
    ("spec >= 100", "spec"),
    ("heartbeat node1 every 100ms±10%", "heartbeat"),
    ("no heartbeat node2 after 1s", "heartbeat"),
    ("no assignment", "assignment"),
    ("changed assignment node1 >= 1", ""),
];

#[test]
fn each_kind_of_rule_names_the_frames_that_break_it() {
    let rules: Vec<_> = BROKEN.iter().map(|(rule, _)| format!("'{rule}'")).collect();
    let scenario = of(&format!(
        "
title = 'All wrong'
[fleet]
start = ['Kube.Ensure web 4 Ticker']
[[step]]
until = ['nodes = 2', 'pods = 4', 'agree']
within = '20s'
[[step]]
for = '500ms'
[[step]]
for = '3s'
expect = [{}]
",
        rules.join(", ")
    ));
    let live = run(&scenario, 3, |setup| setup);
    let told = outcome(&scenario, 3, &live);
    let faults = told.faults();
    assert_eq!(faults.len(), BROKEN.len(), "{}", told.text());
    let step = live.steps[2].begin_ns;
    for (fault, (rule, kind)) in faults.iter().zip(BROKEN) {
        assert_eq!(fault.what, rule);
        assert_eq!(fault.frames.is_empty(), kind.is_empty(), "{}", told.explain(fault));
        let of_kind = |number| told.frame(number).is_some_and(|heard| heard.kind() == kind);
        let named = kind.is_empty() || fault.frames.iter().any(|number| of_kind(*number));
        assert!(named, "{}", told.explain(fault));
        // Evidence is what was last heard: nothing from long before the step.
        for number in &fault.frames {
            assert!(told.frame(*number).unwrap().at_ns + 2_000_000_000 > step, "{fault:?}");
        }
    }
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
