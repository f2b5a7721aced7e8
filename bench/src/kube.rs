//! The control plane in trouble: how soon lost pods run elsewhere, and that nothing moves which
//! need not.

use anyhow::Result;
use kube_boards::fleet::{Fleet, Keys};
use kube_lab::intruder;
use kube_lab::rotation;
use kube_lab::scenario::forgery::Forgery;
use kube_lab::scenario::outcome::Outcome;
use kube_lab::scenario::{Action, suite};

use crate::figure::{Figure, Measure, Reference};
use crate::lab;

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 10] = [
    ("kube.failover_ms", failover),
    ("kube.moved_in_outage", outage),
    ("kube.moved_at_30_loss", loss),
    ("kube.store_cuts_survived", || cuts("kube.store_cuts_survived")),
    ("kube.store_cuts_total", || cuts("kube.store_cuts_total")),
    ("kube.replays_accepted", replays),
    ("kube.intrusions_obeyed", intrusions),
    ("kube.moved_in_restore", restore),
    ("kube.moved_in_rotation", in_rotation),
    ("kube.lines", lines),
];

/// Seeds of each scenario, more than CI runs; `KUBE_SEEDS` sets another number.
fn seeds() -> u64 {
    let asked = std::env::var("KUBE_SEEDS").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(200)
}

/// Worst over the seeds.
fn failover() -> Result<Option<Figure>> {
    let (_, scenario) = suite::load("lab3-node-dies")?;
    let all = lab::seeds(&scenario, 0, seeds(), |run| lab::figure(run.run, "failover_ms"))?;
    let worst = all.into_iter().max().unwrap_or(0);
    Ok(Some(Figure {
        name: "kube.failover_ms",
        value: worst as f64,
        unit: "ms",
        reference: Reference::Published(8_000.0, "Kube's author: about 8 s"),
        work: format!(
            "slowest of seeds 1 to {}, from the power cut to four pods on one node",
            seeds()
        ),
    }))
}

fn moved(name: &'static str, work: &str, scenario: &str) -> Result<Option<Figure>> {
    let (_, scenario) = suite::load(scenario)?;
    let figure = name.strip_prefix("kube.").unwrap_or(name);
    let all = lab::seeds(&scenario, 0, seeds(), |run| lab::figure(run.run, figure))?;
    let moved: u64 = all.into_iter().sum();
    Ok(Some(Figure {
        name,
        value: moved as f64,
        unit: "assignments",
        reference: Reference::Target(0.0, "nothing may move"),
        work: format!("{work}, seeds 1 to {}", seeds()),
    }))
}

fn outage() -> Result<Option<Figure>> {
    let work = "changed while the air is gone for 20 s and in the 15 s after";
    moved("kube.moved_in_outage", work, "lab4-air-dies")
}

fn loss() -> Result<Option<Figure>> {
    let work = "changed in a minute in which three of ten receptions fail";
    moved("kube.moved_at_30_loss", work, "recovery-loss")
}

/// Half of the seeds with a key for each node.
fn restore() -> Result<Option<Figure>> {
    let system = kube_modules::build()?;
    let (mut moved, seeds) = (0, seeds());
    for seed in 1..=seeds {
        let keys = if seed % 2 == 0 { Keys::PerNode } else { Keys::Shared };
        moved += kube_lab::restore::moved_in_restore(&system, keys, seed)?;
    }
    Ok(Some(Figure {
        name: "kube.moved_in_restore",
        value: moved as f64,
        unit: "pods",
        reference: Reference::Target(0.0, "none"),
        work: format!(
            "changed when another machine takes the plane's place with its backup, over {seeds} seeds"
        ),
    }))
}

/// Power cut at each block write of several updates, between blocks and within them.
fn cuts(name: &'static str) -> Result<Option<Figure>> {
    let cuts = kube_lab::store::cuts(&kube_modules::build()?)?;
    let total = cuts.whole + cuts.torn;
    let value = if name.ends_with("total") { total } else { cuts.survived };
    Ok(Some(Figure {
        name,
        value: value as f64,
        unit: "cuts",
        reference: Reference::Target(total as f64, "every one"),
        work: format!(
            "{} between blocks and {} within, over {} generations",
            cuts.whole, cuts.torn, cuts.generations
        ),
    }))
}

/// Runs with recordings: some ninety each.
const REPLAY_SEEDS: u64 = 20;

/// Recordings of every age that a machine believed, with a key for each node; beside it what
/// shared keys let through, as published.
fn replays() -> Result<Option<Figure>> {
    let system = kube_modules::build()?;
    let sum = |keys| -> Result<intruder::Replays> {
        let mut fleet = Fleet::new(2, "kube", "0123456789abcdef")?;
        fleet.keys = keys;
        let mut sum = intruder::Replays::default();
        for seed in 1..=REPLAY_SEEDS {
            let found = intruder::replays(&system, &fleet, seed)?;
            sum.tried += found.tried;
            sum.accepted += found.accepted;
        }
        Ok(sum)
    };
    let (each, shared) = (sum(Keys::PerNode)?, sum(Keys::Shared)?);
    Ok(Some(Figure {
        name: "kube.replays_accepted",
        value: each.accepted as f64,
        unit: "frames",
        reference: Reference::SameRun(
            shared.accepted as f64,
            format!("of {} with shared keys, open after 5 s as published", shared.tried),
        ),
        work: format!(
            "of {} recordings, keys per node, to nodes and planes that listen, were deaf, have \
             just started; seeds 1 to {REPLAY_SEEDS}",
            each.tried
        ),
    }))
}

/// Forgeries that were obeyed, in both modes; the signed control must be obeyed each time.
fn intrusions() -> Result<Option<Figure>> {
    let (mut forged, mut obeyed, mut controls) = (0, 0, 0);
    for name in ["lab5-intruder", "recovery-intruder"] {
        let (_, scenario) = suite::load(name)?;
        let tell = |run: &Outcome<'_>| {
            if !run.held() {
                eprintln!("{}", run.text());
            }
            let steps = run.plan.steps.iter().zip(&run.run.steps);
            let injected = steps.filter_map(|(step, record)| match &step.action {
                Some(Action::Inject { forgery, .. }) => Some((forgery.clone(), record.held())),
                _ => None,
            });
            Ok(injected.collect::<Vec<_>>())
        };
        for (forgery, held) in lab::seeds(&scenario, 0, seeds() / 2, tell)?.into_iter().flatten() {
            let control = forgery == Forgery::Signed;
            controls += usize::from(control && held);
            forged += usize::from(!control);
            obeyed += usize::from(!control && !held);
        }
    }
    Ok(Some(Figure {
        name: "kube.intrusions_obeyed",
        value: obeyed as f64,
        unit: "forgeries",
        reference: Reference::Target(0.0, "none"),
        work: format!(
            "of {forged}, seeds 1 to {}; the signed control was obeyed {controls} times",
            seeds()
        ),
    }))
}

/// The key of a running cluster is changed, with shared keys and with a key for each node.
fn in_rotation() -> Result<Option<Figure>> {
    let system = kube_modules::build()?;
    let (mut moved, mut cuts, mut old, mut new) = (0, 0, 0, 0);
    for seed in 1..=seeds() {
        let keys = if seed % 2 == 0 { Keys::PerNode } else { Keys::Shared };
        let found = rotation::rotation(&system, keys, seed)?;
        moved += found.moved;
        cuts += found.cuts;
        old += found.old + usize::from(found.old_obeyed);
        new += found.new;
    }
    Ok(Some(Figure {
        name: "kube.moved_in_rotation",
        value: moved as f64,
        unit: "assignments",
        reference: Reference::Target(0.0, "nothing may move"),
        work: format!(
            "changed while plane and nodes take a new key, seeds 1 to {}, {cuts} power cuts; afterwards \
             {new} messages of the new key and {old} of the old one",
            seeds()
        ),
    }))
}

/// Where commands stand: an operator's matter, which a reader of the plane can leave out.
const COMMANDS: [&str; 5] = ["Kube", "Objects", "Params", "Operator", "Keys"];

/// What a reader has before him.
fn lines() -> Result<Option<Figure>> {
    let sources = kube_modules::sources();
    let ours: Vec<_> = sources.iter().filter(|s| s.name.starts_with("oberon/kube/")).collect();
    let count = |commands: bool| -> usize {
        let of_commands =
            |name: &str| COMMANDS.iter().any(|module| name == format!("oberon/kube/{module}.Mod"));
        let part = ours.iter().filter(|source| of_commands(&source.name) == commands);
        part.map(|source| source.text.lines().count()).sum()
    };
    let (lines, commands) = (count(false), count(true));
    let all = ours.iter().flat_map(|source| source.text.lines());
    let longest = all.map(|line| line.chars().count()).max().unwrap_or(0);
    let mut procedures: Vec<_> = ours.iter().flat_map(|s| procedure_lines(&s.text)).collect();
    procedures.sort_unstable();
    let at = |share: usize| procedures.get(procedures.len() * share / 100).copied().unwrap_or(0);
    let (median, ninth) = (at(50), at(90));
    Ok(Some(Figure {
        name: "kube.lines",
        value: lines as f64,
        unit: "lines",
        reference: Reference::Target(2_000.0, "an evening's reading"),
        work: format!(
            "modules of oberon/kube without the {commands} of its commands; longest line {longest} \
             characters; procedures of {median} lines at the median, {ninth} at the 90th percentile"
        ),
    }))
}

/// Lines of each procedure, from its heading to its end.
fn procedure_lines(text: &str) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut open: Option<(String, usize)> = None;
    for (at, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("  PROCEDURE ") {
            let name: String = heading.chars().take_while(char::is_ascii_alphanumeric).collect();
            open = Some((format!("  END {name};"), at));
        } else if let Some((end, start)) = &open
            && line.starts_with(end)
        {
            lengths.push(at - start + 1);
            open = None;
        }
    }
    lengths
}
