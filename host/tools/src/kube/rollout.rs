//! `kube rollout`: how far it is, back, on, and what was before.

use std::time::{Duration, Instant};

use clap::Subcommand;
use serde_json::json;

use super::air::Air;
use super::answer::{Deployment, Pod, State};
use super::change::{Done, one};
use super::codes;
use super::name;
use super::plane::done;
use super::reach::Reach;
use crate::failure::{Failure, Outcome};
use crate::output::Column;
use crate::program::Session;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// What can be done with a rollout.
#[derive(Subcommand, Clone, Debug)]
pub enum Verb {
    /// Wait until the rollout is over; fails with the pod and its reason when it cannot go on.
    Status(Named),
    /// Back to the last revision with another module, or to the one named.
    Undo(Undo),
    /// The revisions that the plane remembers.
    History(Named),
    /// Let no further pod be exchanged.
    Pause(Named),
    /// Let pods be exchanged again.
    Resume(Named),
}

/// A deployment.
#[derive(clap::Args, Clone, Debug)]
pub struct Named {
    /// The deployment.
    #[arg(value_name = "DEPLOYMENT")]
    name: String,
}

/// Flags of `undo`.
#[derive(clap::Args, Clone, Debug)]
pub struct Undo {
    /// The deployment.
    #[arg(value_name = "DEPLOYMENT")]
    name: String,
    /// Number of a revision, as history shows it.
    #[arg(long, value_name = "NUMBER")]
    to_revision: Option<u32>,
}

/// Does it.
pub fn run(session: &Session, reach: &Reach, verb: &Verb) -> Outcome {
    let simple = |text: &str, command: &str, word| {
        let name = name::of("deployment", text)?;
        let command = format!("Kube.{command} {name}");
        one(session, reach, &command, &Done { kind: "deployment", name: &name, word, more: "" })
    };
    match verb {
        Verb::Status(named) => status(session, reach, &name::of("deployment", &named.name)?),
        Verb::History(named) => history(session, reach, &name::of("deployment", &named.name)?),
        Verb::Pause(named) => simple(&named.name, "Pause", "paused"),
        Verb::Resume(named) => simple(&named.name, "Resume", "resumed"),
        Verb::Undo(undo) => {
            let name = name::of("deployment", &undo.name)?;
            let to = undo.to_revision.map_or(String::new(), |number| format!(" {number}"));
            let command = format!("Kube.Undo {name}{to}");
            let word = "rolled back";
            one(session, reach, &command, &Done { kind: "deployment", name: &name, word, more: "" })
        }
    }
}

/// How a rollout stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Progress {
    /// All pods run and none of an earlier revision is left.
    Complete,
    /// Not yet, and what is waited for.
    Moving(String),
    /// It has stood still for too long.
    Stalled,
}

/// What is heard of the pods, by their numbers: whether they are reported.
type Running<'a> = &'a dyn Fn(&Pod) -> bool;

fn progress(state: &State, deployment: &Deployment, running: Running<'_>) -> Progress {
    let Deployment { name, replicas, image, .. } = deployment;
    let sets: Vec<_> = state.sets.iter().filter(|set| set.owner == *name).collect();
    let pods_of = |wanted: bool| {
        let sets = &sets;
        state.pods.iter().filter(move |pod| {
            sets.iter().any(|set| set.name == pod.owner && (set.image == *image) == wanted)
        })
    };
    let (updated, old) = (pods_of(true).count(), pods_of(false).count());
    let up = pods_of(true).filter(|pod| running(pod)).count();
    if updated == *replicas && up == updated && old == 0 {
        return Progress::Complete;
    }
    if deployment.paused && old > 0 {
        return Progress::Moving(format!("it is paused: kube rollout resume {name} lets it go on"));
    }
    if deployment.stalled {
        return Progress::Stalled;
    }
    Progress::Moving(if old > 0 {
        format!("{up} of {replicas} new pods run, {old} old ones are left")
    } else {
        format!("{up} of {replicas} pods run")
    })
}

/// The pods that do not run, each with its reason.
fn lacking(
    state: &State,
    deployment: &Deployment,
    air: Option<&Air>,
    running: Running<'_>,
) -> Vec<String> {
    let of = |pod: &&Pod| {
        state.sets.iter().any(|set| set.owner == deployment.name && set.name == pod.owner)
    };
    let line = |pod: &Pod| {
        let heard = air.and_then(|air| air.trouble(&pod.node, pod.id)).map(str::to_owned);
        let told = pod.trouble.as_ref().map(|trouble| match trouble.restarts {
            0 => format!("{}, for {} s", trouble.words, trouble.seconds),
            n => format!("{}, {n} restarts, for {} s", trouble.words, trouble.seconds),
        });
        let reason = match told.or(heard) {
            Some(reason) => reason,
            None if pod.node.is_empty() => nowhere(state, deployment),
            None => "its node does not report it and gives no reason".to_owned(),
        };
        let place = if pod.node.is_empty() { String::new() } else { format!(" on {}", pod.node) };
        format!("pod {}{place} ({}): {reason}", pod.name, pod.image)
    };
    state.pods.iter().filter(of).filter(|pod| !running(pod)).map(line).collect()
}

/// Why a pod is bound to no node.
fn nowhere(state: &State, deployment: &Deployment) -> String {
    let ready: Vec<_> = state.nodes.iter().filter(|node| node.ready).collect();
    let suits = |labels: &str| {
        let has = |word| labels.split_whitespace().any(|label| label == word);
        deployment.select.split_whitespace().all(has)
    };
    if ready.is_empty() {
        "it is bound to no node: none is Ready".to_owned()
    } else if !ready.iter().any(|node| suits(&node.labels)) {
        format!("it is bound to no node: none that is Ready has the labels {}", deployment.select)
    } else {
        "it is bound to no node: those that suit are full or cordoned".to_owned()
    }
}

/// Waits for the end of a rollout.
fn status(session: &Session, reach: &Reach, name: &str) -> Outcome {
    let mut air = reach.air(session)?;
    let mut way = reach.plane(session)?;
    let limit = reach.timeout.filter(|&seconds| seconds > 0.0).map(Duration::from_secs_f64);
    let (begun, mut said) = (Instant::now(), String::new());
    if let Some(air) = &mut air {
        air.listen(reach.listen)?;
    }
    loop {
        let state = State::ask(way.as_mut())?;
        way.rest();
        let Some(deployment) = state.deployments.iter().find(|d| d.name == name) else {
            let headline = format!("there is no deployment {name}");
            return Err(Failure::new(&codes::OBJECT_MISSING, headline)
                .help("kube get deployments shows them"));
        };
        let heard = air.as_ref();
        let running = |pod: &Pod| match heard {
            Some(air) => air.reported(&pod.node).is_some_and(|said| said.ids.contains(&pod.id)),
            None => pod.running,
        };
        let lacks = || lacking(&state, deployment, heard, &running);
        let failed = |code, headline: String| {
            lacks().iter().fold(Failure::new(code, headline), Failure::cause)
        };
        match progress(&state, deployment, &running) {
            Progress::Complete => return complete(session, deployment, heard.is_some()),
            Progress::Stalled => {
                let headline = format!("the rollout of {name} stands still");
                let help = format!("kube describe {name}; kube rollout undo {name}");
                return Err(failed(&codes::ROLLOUT_STALLED, headline).help(help));
            }
            Progress::Moving(what) if what != said => {
                session.talk.say(format!("{name}: {what}"));
                said = what;
            }
            Progress::Moving(_) => {}
        }
        if limit.is_some_and(|limit| begun.elapsed() >= limit) {
            let headline = format!("the rollout of {name} was not over in time: {said}");
            return Err(failed(&codes::ROLLOUT_TIMEOUT, headline)
                .help(format!("--timeout gives it more; kube describe {name}")));
        }
        match &mut air {
            Some(air) if !air.over() => air.listen(LOOK.as_nanos() as u64)?,
            _ => std::thread::sleep(LOOK),
        }
    }
}

fn complete(session: &Session, deployment: &Deployment, heard: bool) -> Outcome {
    let Deployment { name, replicas, image, revision, .. } = deployment;
    if session.output.structured() {
        let from = if heard { "air" } else { "plane" };
        let fields = json!({
            "deployment": name, "replicas": replicas, "module": image, "revision": revision,
            "complete": true, "from": from,
        });
        return session.output.object("rollout", fields);
    }
    let by = if heard { "heard on the air" } else { "by the plane's word" };
    session.output.line(&format!(
        "deployment/{name} rolled out: {replicas} pods of {image}, revision {revision}, {by}"
    ))
}

/// Revisions, the newest first.
fn history(session: &Session, reach: &Reach, name: &str) -> Outcome {
    let mut way = reach.plane(session)?;
    let lines = done(way.as_mut(), &format!("Kube.History {name}"))?;
    let row = |line: &String| {
        let (number, image) = line.strip_prefix("revision ")?.split_once("  image=")?;
        Some(vec![json!(number.parse::<u32>().ok()?), json!(image)])
    };
    let Some(rows) = lines.iter().map(row).collect::<Option<Vec<_>>>() else {
        return Err(Failure::new(&codes::PLANE_VERSION, "the history has another form")
            .cause(lines.join("; ")));
    };
    let columns = ["REVISION", "MODULE"].map(Column::new);
    session.output.rows("revisions", &columns, &rows)
}

#[cfg(test)]
mod tests {
    use super::super::answer::{Node, ReplicaSet, Trouble};
    use super::*;

    fn state() -> State {
        let set = |name: &str, image: &str, revision| ReplicaSet {
            name: name.into(),
            owner: "web".into(),
            replicas: 1,
            image: image.into(),
            revision,
        };
        let pod = |name: &str, owner: &str, image: &str, id, running| Pod {
            name: name.into(),
            id,
            owner: owner.into(),
            image: image.into(),
            node: "node1".into(),
            running,
            trouble: None,
        };
        State {
            deployments: vec![Deployment {
                name: "web".into(),
                replicas: 1,
                ready: 0,
                image: "Ticker2".into(),
                revision: 2,
                paused: false,
                stalled: false,
                idle_s: 0,
                select: "zone=a".into(),
            }],
            sets: vec![set("web-rs", "Ticker", 1), set("web-rs2", "Ticker2", 2)],
            pods: vec![
                pod("web-rs-0", "web-rs", "Ticker", 1, true),
                pod("web-rs2-1", "web-rs2", "Ticker2", 2, false),
            ],
            nodes: Vec::new(),
        }
    }

    fn look(state: &State) -> Progress {
        progress(state, &state.deployments[0], &|pod| pod.running)
    }

    #[test]
    fn a_rollout_is_over_when_all_new_pods_run_and_no_old_one_is_left() {
        let mut state = state();
        assert_eq!(
            look(&state),
            Progress::Moving("0 of 1 new pods run, 1 old ones are left".into())
        );
        state.deployments[0].stalled = true;
        assert_eq!(look(&state), Progress::Stalled);
        state.pods[1].running = true;
        state.deployments[0].stalled = false;
        assert!(matches!(look(&state), Progress::Moving(_)), "the old one is left");
        state.pods.remove(0);
        assert_eq!(look(&state), Progress::Complete);
        // The plane believes it; the air does not say so.
        let unheard = progress(&state, &state.deployments[0], &|_| false);
        assert_eq!(unheard, Progress::Moving("0 of 1 pods run".into()));
    }

    #[test]
    fn what_lacks_is_named_with_its_reason() {
        let mut state = state();
        let trouble = Trouble { words: "trap 7 at 78".into(), restarts: 3, seconds: 9 };
        state.pods[1].trouble = Some(trouble);
        let lacks = |state: &State| lacking(state, &state.deployments[0], None, &|pod| pod.running);
        let line = "pod web-rs2-1 on node1 (Ticker2): trap 7 at 78, 3 restarts, for 9 s";
        assert_eq!(lacks(&state), [line]);
        state.pods[1].trouble = None;
        state.pods[1].node.clear();
        assert!(lacks(&state)[0].ends_with("none is Ready"));
        state.nodes.push(Node {
            name: "node1".into(),
            ready: true,
            pods: 1,
            stopping: 0,
            mark: String::new(),
            heard_ms: 0,
            labels: "zone=b".into(),
        });
        assert!(lacks(&state)[0].ends_with("has the labels zone=a"));
        state.nodes[0].labels = "disk=big zone=a".into();
        assert!(lacks(&state)[0].ends_with("full or cordoned"));
    }
}
