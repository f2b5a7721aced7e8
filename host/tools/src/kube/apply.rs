//! `kube apply` and `kube diff`: deployments as a manifest says.

use std::path::PathBuf;

use serde_json::json;

use super::answer::{Deployment, list};
use super::change::{Done, say};
use super::manifest::{self, Wish, ordered};
use super::plane::{Way, done};
use super::reach::Reach;
use crate::failure::{Failure, Outcome};
use crate::flash::codes::DIFFERENT;
use crate::program::Session;

/// Flags of `apply` and `diff`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// The manifest, YAML or (with the ending .toml) TOML; - is standard input.
    #[arg(long, short, value_name = "FILE")]
    file: PathBuf,
}

/// What is to be done about a deployment.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    word: &'static str,
    /// Field, what it is, what it should be.
    changes: Vec<(&'static str, Option<String>, String)>,
    commands: Vec<String>,
}

fn labels(text: &str) -> String {
    ordered(text.split_whitespace().map(str::to_owned))
}

fn plan(wish: &Wish, is: Option<&Deployment>) -> Plan {
    let (name, module, replicas, select) = (&wish.name, &wish.module, wish.replicas, wish.select());
    let mut changes = Vec::new();
    let mut field = |name, was: Option<String>, will: String| {
        if was.as_ref() != Some(&will) {
            changes.push((name, was, will));
            return true;
        }
        false
    };
    let replicas_differ =
        field("replicas", is.map(|d| d.replicas.to_string()), replicas.to_string());
    let module_differs = field("module", is.map(|d| d.image.clone()), module.clone());
    let was = is.map_or(Some(String::new()), |d| Some(labels(&d.select)));
    let select_differs = field("select", was, select.clone());
    let was = is.is_some_and(|d| d.paused);
    let pause_differs = field("paused", Some(was.to_string()), wish.paused.to_string());
    let select = format!("Kube.Select {name} {select}").trim_end().to_owned();
    let mut commands = Vec::new();
    if is.is_none() {
        if select_differs {
            // Before it has pods: these must not be bound to any other node.
            commands.push(format!("Kube.Apply {name} 0 {module}"));
            commands.push(select);
            commands.push(format!("Kube.Scale {name} {replicas}"));
        } else {
            commands.push(format!("Kube.Apply {name} {replicas} {module}"));
        }
        if wish.paused {
            commands.push(format!("Kube.Pause {name}"));
        }
        return Plan { word: "created", changes, commands };
    }
    if pause_differs && wish.paused {
        commands.push(format!("Kube.Pause {name}"));
    }
    if select_differs {
        commands.push(select);
    }
    if replicas_differ || module_differs {
        commands.push(format!("Kube.Apply {name} {replicas} {module}"));
    }
    if pause_differs && !wish.paused {
        commands.push(format!("Kube.Resume {name}"));
    }
    let word = if commands.is_empty() { "unchanged" } else { "configured" };
    Plan { word, changes, commands }
}

fn plans(way: &mut dyn Way, wishes: &[Wish]) -> Outcome<Vec<Plan>> {
    let there: Vec<Deployment> = list(way)?;
    let plan = |wish: &Wish| plan(wish, there.iter().find(|d| d.name == wish.name));
    Ok(wishes.iter().map(plan).collect())
}

/// Makes deployments what the manifest says.
pub fn run(session: &Session, reach: &Reach, flags: &Flags) -> Outcome {
    let wishes = manifest::read(&flags.file)?;
    let mut way = reach.plane(session)?;
    let plans = plans(way.as_mut(), &wishes)?;
    let dry = session.flags.dry_run;
    for (wish, plan) in wishes.iter().zip(&plans) {
        if !dry {
            for command in &plan.commands {
                done(way.as_mut(), command)?;
            }
        }
        say(session, &Done { kind: "deployment", name: &wish.name, word: plan.word, more: "" })?;
    }
    let changed = plans.iter().filter(|plan| plan.word != "unchanged").count();
    if dry && changed > 0 {
        let headline = format!("{changed} of {} deployments would change", plans.len());
        return Err(Failure::new(&DIFFERENT, headline).answered());
    }
    Ok(())
}

/// Shows what `apply` would change.
pub fn diff(session: &Session, reach: &Reach, flags: &Flags) -> Outcome {
    let wishes = manifest::read(&flags.file)?;
    let mut way = reach.plane(session)?;
    let plans = plans(way.as_mut(), &wishes)?;
    let mut different = 0;
    for (wish, Plan { changes, .. }) in wishes.iter().zip(&plans) {
        if changes.is_empty() {
            continue;
        }
        different += 1;
        if session.output.structured() {
            let fields: Vec<_> = changes
                .iter()
                .map(|(field, was, will)| json!({"field": field, "is": was, "will_be": will}))
                .collect();
            let name = &wish.name;
            session.output.object("difference", json!({"deployment": name, "changes": fields}))?;
            continue;
        }
        session.output.line(&format!("deployment/{}", wish.name))?;
        for (field, was, will) in changes {
            if let Some(was) = was.as_ref().filter(|was| !was.is_empty()) {
                session.output.line(&format!("- {field}: {was}"))?;
            }
            if !will.is_empty() {
                session.output.line(&format!("+ {field}: {will}"))?;
            }
        }
    }
    if different == 0 {
        return Ok(());
    }
    let headline = format!("{different} of {} deployments differ", plans.len());
    Err(Failure::new(&DIFFERENT, headline)
        .help("kube apply -f makes them what the manifest says")
        .answered())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(yaml: &str) -> Wish {
        serde_saphyr::from_str(yaml).expect(yaml)
    }

    fn web() -> Deployment {
        Deployment {
            name: "web".into(),
            replicas: 4,
            ready: 4,
            image: "Ticker".into(),
            revision: 1,
            paused: false,
            stalled: false,
            idle_s: 0,
            select: "zone=a disk=big".into(),
        }
    }

    #[test]
    fn only_what_differs_is_commanded_and_in_an_order_that_moves_nothing_twice() {
        let is = web();
        for (yaml, is, word, commands) in [
            (
                "{name: web, replicas: 4, module: Ticker, select: disk=big zone=a}",
                Some(&is),
                "unchanged",
                &[][..],
            ),
            (
                "{name: web, replicas: 6, module: Ticker, select: disk=big zone=a}",
                Some(&is),
                "configured",
                &["Kube.Apply web 6 Ticker"],
            ),
            (
                "{name: web, replicas: 4, module: Ticker2, paused: true}",
                Some(&is),
                "configured",
                &["Kube.Pause web", "Kube.Select web", "Kube.Apply web 4 Ticker2"],
            ),
            (
                "{name: api, replicas: 2, module: Ticker}",
                None,
                "created",
                &["Kube.Apply api 2 Ticker"],
            ),
            (
                "{name: api, replicas: 2, module: Ticker, select: {zone: b}, paused: true}",
                None,
                "created",
                &[
                    "Kube.Apply api 0 Ticker",
                    "Kube.Select api zone=b",
                    "Kube.Scale api 2",
                    "Kube.Pause api",
                ],
            ),
        ] {
            let plan = plan(&wish(yaml), is);
            assert_eq!(
                (plan.word, plan.commands.as_slice()),
                (
                    word,
                    &commands.iter().map(|command| (*command).to_owned()).collect::<Vec<_>>()[..]
                ),
                "{yaml}"
            );
            assert_eq!(plan.changes.is_empty(), word == "unchanged");
        }
        let paused = Deployment { paused: true, ..web() };
        let plan = plan(
            &wish("{name: web, replicas: 5, module: Ticker, select: disk=big zone=a}"),
            Some(&paused),
        );
        assert_eq!(plan.commands, ["Kube.Apply web 5 Ticker", "Kube.Resume web"]);
    }
}
