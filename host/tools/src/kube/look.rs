//! `kube describe` and `kube logs`: an object in the plane's words, a machine in its own.

use serde_json::json;

use kube_serial::{Event, Job};

use kube_sniff::mask::keys;

use super::name;
use super::plane::done;
use super::reach::Reach;
use crate::failure::Outcome;
use crate::interrupt::Hold;
use crate::program::Session;

/// Flags of `describe`.
#[derive(clap::Args, Clone, Debug)]
pub struct Describe {
    /// A deployment, pod or node; its kind may stand before it.
    #[arg(value_name = "KIND NAME", required = true, num_args = 1..=2)]
    object: Vec<String>,
}

/// Shows an object, what it lacks, and what happened to it.
pub fn describe(session: &Session, reach: &Reach, flags: &Describe) -> Outcome {
    let last = flags.object.last().map(String::as_str).unwrap_or_default();
    let kind = last.split_once('/').map_or("", |(kind, _)| kind);
    let kinds = ["deployment", "node", "pod"];
    let kind = kinds.into_iter().find(|known| name::is_kind(known, kind)).unwrap_or("deployment");
    let name = name::of(kind, last)?;
    let mut way = reach.plane(session)?;
    let lines = done(way.as_mut(), &format!("Kube.Describe {name}"))?;
    if session.output.structured() {
        return session.output.object("description", json!({"name": name, "text": lines}));
    }
    lines.iter().try_for_each(|line| session.output.line(line))
}

/// Flags of `logs`.
#[derive(clap::Args, Clone, Debug)]
pub struct Logs {
    /// The machine: a board of the fleet.
    #[arg(value_name = "NODE")]
    node: String,
    /// Go on with what it writes from now on, until Ctrl-C or --timeout.
    #[arg(long, short)]
    follow: bool,
    /// Only the last so many of the lines that it keeps.
    #[arg(long, value_name = "NUMBER")]
    tail: Option<usize>,
}

/// Shows what a machine has written on its log, as far as it keeps it.
pub fn logs(session: &Session, reach: &Reach, flags: &Logs) -> Outcome {
    let mut desk = reach.machine(session, &name::of("node", &flags.node)?)?;
    desk.with_kept_log();
    let mut kept = Vec::new();
    desk.job(Job::log(), |event| {
        if let Event::Log { text, .. } = event {
            kept.push(text.clone());
        }
    })?;
    desk.free();
    let show = |text: &str| {
        let text = keys(text);
        if session.output.structured() {
            return session.output.object("line", json!({"board": flags.node, "text": text}));
        }
        session.output.line(&text)
    };
    let from = flags.tail.map_or(0, |tail| kept.len().saturating_sub(tail));
    kept[from..].iter().try_for_each(|line| show(line))?;
    if !flags.follow {
        return Ok(());
    }
    let hold = Hold::new();
    desk.begin_anew();
    let limited = reach.timeout.is_some();
    while !(limited && desk.out_of_time()) {
        hold.check()?;
        desk.lines()?.iter().try_for_each(|line| show(line))?;
    }
    Ok(())
}
