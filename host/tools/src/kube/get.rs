//! `kube get`: what there is, heard or asked.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::air::{Air, seconds};
use super::answer::{Deployment, Happening, Node, Object, Pod, ReplicaSet, list};
use super::codes;
use super::plane::Way;
use super::reach::Reach;
use super::watch::{self, Table};
use crate::failure::{Failure, Outcome};
use crate::output::Column;
use crate::program::Session;

/// Restarts from which a pod is said to be in a loop, as the plane says it.
const LOOP: u32 = 2;

/// What can be got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Machines that run pods.
    #[value(name = "nodes", aliases = ["node", "no"])]
    Nodes,
    /// Pods and where they run.
    #[value(name = "pods", aliases = ["pod", "po"])]
    Pods,
    /// Deployments.
    #[value(name = "deployments", aliases = ["deployment", "deploy"])]
    Deployments,
    /// The pods of each revision of a deployment.
    #[value(name = "replicasets", aliases = ["replicaset", "rs"])]
    ReplicaSets,
    /// What happened lately.
    #[value(name = "events", aliases = ["event", "ev"])]
    Events,
}

/// Flags of `get`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// What.
    kind: Kind,
    /// Only the one of that name; of events: those of that object.
    name: Option<String>,
    #[command(flatten)]
    watch: watch::Watching,
}

/// Shows them.
pub fn run(session: &Session, reach: &Reach, flags: &Flags) -> Outcome {
    let heard = matches!(flags.kind, Kind::Nodes | Kind::Pods) && reach.source.is_some();
    let mut air = if heard { reach.air(session)? } else { None };
    let asked = !heard || reach.names_a_plane(session);
    let mut way = asked.then(|| reach.plane(session)).transpose()?;
    let look = |air: Option<&Air>| -> Outcome<Table> {
        let mut table = match &mut way {
            Some(way) => table(flags, air, Some(way.as_mut()))?,
            None => table(flags, air, None)?,
        };
        if let Some(way) = &mut way {
            way.rest();
        }
        only(flags, &mut table)?;
        Ok(table)
    };
    let none = |kind: &str| session.talk.say(format!("no {kind} were found"));
    watch::run(session, reach, &flags.watch, &mut air, look, none)
}

/// Keeps the rows of the name asked for.
fn only(flags: &Flags, table: &mut Table) -> Outcome {
    let Some(name) = &flags.name else { return Ok(()) };
    if flags.kind == Kind::Events {
        table.rows.retain(|row| row[1].as_str().is_some_and(|of| is_of(of, name)));
        return Ok(());
    }
    let names: Vec<String> =
        table.rows.iter().map(|row| row[0].to_string().trim_matches('"').to_owned()).collect();
    let mut each = names.iter();
    table.rows.retain(|_| each.next().is_some_and(|known| known == name));
    if table.rows.is_empty() {
        let kind = table.kind.trim_end_matches('s');
        let failure = Failure::new(&codes::OBJECT_MISSING, format!("there is no {kind} {name}"));
        let there = if names.is_empty() { "none at all".to_owned() } else { names.join(", ") };
        return Err(failure
            .cause(format!("there are: {there}"))
            .help(format!("kube get {} shows them", table.kind)));
    }
    Ok(())
}

/// Whether an event is about an object, or about what a deployment of that name owns.
pub fn is_of(object: &str, name: &str) -> bool {
    object.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("-rs"))
}

fn table(flags: &Flags, air: Option<&Air>, way: Option<&mut (dyn Way + '_)>) -> Outcome<Table> {
    match (flags.kind, way, air) {
        (Kind::Nodes, way, air) => {
            let asked: Option<Vec<Node>> = asked(way)?;
            Ok(nodes(asked.as_deref(), air))
        }
        (Kind::Pods, way, air) => {
            let asked: Option<Vec<Pod>> = asked(way)?;
            Ok(pods(asked.as_deref(), air))
        }
        (Kind::Deployments, Some(way), _) => Ok(deployments(&list(way)?)),
        (Kind::ReplicaSets, Some(way), _) => Ok(sets(&list(way)?)),
        (Kind::Events, Some(way), _) => Ok(events(&list(way)?)),
        (_, None, _) => Err(Failure::new(&codes::AIR_NEEDED, "there is nobody to ask")),
    }
}

fn asked<T: Object>(way: Option<&mut (dyn Way + '_)>) -> Outcome<Option<Vec<T>>> {
    match way {
        Some(way) => list(way).map(Some),
        None => Ok(None),
    }
}

fn text(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text) }
}

/// Nodes: what was heard counts before what the plane says.
fn nodes(asked: Option<&[Node]>, air: Option<&Air>) -> Table {
    let columns = [
        Column::new("NAME"),
        Column::new("STATUS"),
        Column::new("PODS"),
        Column::new("MARK"),
        Column::new("LAST"),
        Column::new("FROM"),
        Column::wide("ASSIGNED"),
        Column::wide("STOPPING"),
        Column::wide("LABELS"),
    ];
    let heard_names = air.map(|air| air.cluster.nodes().keys().cloned().collect::<Vec<_>>());
    let mut names: Vec<String> =
        asked.unwrap_or_default().iter().map(|node| node.name.clone()).collect();
    names.extend(heard_names.unwrap_or_default());
    names.sort();
    names.dedup();
    let row = |name: &String| {
        let told = asked.unwrap_or_default().iter().find(|node| node.name == *name);
        let view = air.and_then(|air| air.cluster.nodes().get(name));
        let said = view.and_then(|view| view.reported.as_ref());
        let mark = told.map_or(Value::Null, |node| text(&node.mark));
        let labels = told.map_or(Value::Null, |node| text(&node.labels));
        let stopping = told.map_or(Value::Null, |node| json!(node.stopping));
        let assigned =
            view.and_then(|view| view.assigned.as_ref()).map(|said| json!(said.ids.len()));
        let (status, count, last, from) = match (air, said, told) {
            (Some(air), Some(said), _) => {
                let status = if air.reported(name).is_some() { "Ready" } else { "NotReady" };
                (status, json!(said.ids.len()), seconds(air.age_ns(said)), "air")
            }
            (Some(_), None, _) => ("Unheard", Value::Null, "-".to_owned(), "air"),
            (None, _, Some(node)) => {
                let status = if node.ready { "Ready" } else { "NotReady" };
                (status, json!(node.pods), seconds(node.heard_ms * 1_000_000), "plane")
            }
            (None, _, None) => ("Unheard", Value::Null, "-".to_owned(), "plane"),
        };
        let assigned = assigned.or(told.map(|node| json!(node.pods))).unwrap_or(Value::Null);
        vec![
            json!(name),
            json!(status),
            count,
            mark,
            json!(last),
            json!(from),
            assigned,
            stopping,
            labels,
        ]
    };
    let rows = names.iter().map(row).collect();
    Table { kind: "nodes", columns: columns.into(), rows, ages: &["LAST"] }
}

/// How a pod is called by its state: as kubectl does.
fn status(running: bool, restarts: u32) -> &'static str {
    match (running, restarts) {
        (true, _) => "Running",
        (false, restarts) if restarts >= LOOP => "CrashLoopBackOff",
        (false, _) => "Pending",
    }
}

/// Pods: names and images from the plane, whether they run from the air.
fn pods(asked: Option<&[Pod]>, air: Option<&Air>) -> Table {
    let columns = [
        Column::new("NAME"),
        Column::new("ID"),
        Column::new("STATUS"),
        Column::new("RESTARTS"),
        Column::new("NODE"),
        Column::new("MODULE"),
        Column::new("LAST"),
        Column::new("FROM"),
        Column::new("REASON"),
    ];
    let row = |pod: &Pod| {
        let restarts = pod.trouble.as_ref().map_or(0, |trouble| trouble.restarts);
        let said = air.and_then(|air| air.reported(&pod.node).map(|said| (air, said)));
        let (running, last, from) = match (air, said) {
            (Some(_), Some((air, said))) => {
                (said.ids.contains(&pod.id), json!(seconds(air.age_ns(said))), "air")
            }
            (Some(_), None) => (false, Value::Null, "air"),
            (None, _) => (pod.running, Value::Null, "plane"),
        };
        let heard = air.and_then(|air| air.trouble(&pod.node, pod.id));
        let told = pod.trouble.as_ref().map(|trouble| trouble.words.as_str());
        vec![
            json!(pod.name),
            json!(pod.id),
            json!(status(running, restarts)),
            json!(restarts),
            text(&pod.node),
            json!(pod.image),
            last,
            json!(from),
            if running { Value::Null } else { json!(heard.or(told)) },
        ]
    };
    if let Some(asked) = asked {
        let rows = asked.iter().map(row).collect();
        return Table { kind: "pods", columns: columns.into(), rows, ages: &["LAST"] };
    }
    // Names and restarts are not on the air.
    let columns: Vec<_> =
        columns.into_iter().filter(|c| !["NAME", "RESTARTS"].contains(&c.name)).collect();
    let rows = air.map_or_else(Vec::new, heard_pods);
    Table { kind: "pods", columns, rows, ages: &["LAST"] }
}

/// Pods that a node reports or is assigned, without their names.
fn heard_pods(air: &Air) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for (node, view) in air.cluster.nodes() {
        let reported = air.reported(node);
        let last = view.reported.as_ref().map(|said| seconds(air.age_ns(said)));
        let mut ids: Vec<u8> = reported.map_or_else(Vec::new, |said| said.ids.clone());
        ids.extend(view.assigned.iter().flat_map(|said| said.ids.clone()));
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let running = reported.is_some_and(|said| said.ids.contains(&id));
            rows.push(vec![
                json!(id),
                json!(status(running, 0)),
                json!(node),
                json!(air.cluster.image(id)),
                json!(last),
                json!("air"),
                if running { Value::Null } else { json!(air.trouble(node, id)) },
            ]);
        }
    }
    rows.sort_by_key(|row| row[0].as_u64());
    rows
}

/// What a deployment does, in a word.
pub fn phase(deployment: &Deployment) -> &'static str {
    match deployment {
        Deployment { paused: true, .. } => "paused",
        Deployment { stalled: true, .. } => "stalled",
        Deployment { replicas, ready, .. } if replicas == ready => "complete",
        _ => "rolling",
    }
}

fn deployments(deployments: &[Deployment]) -> Table {
    let columns = [
        Column::new("NAME"),
        Column::new("READY"),
        Column::new("REPLICAS"),
        Column::new("MODULE"),
        Column::new("REVISION"),
        Column::new("STATE"),
        Column::wide("PAUSED"),
        Column::wide("SELECT"),
        Column::wide("IDLE"),
    ];
    let row = |deployment: &Deployment| {
        vec![
            json!(deployment.name),
            json!(deployment.ready),
            json!(deployment.replicas),
            json!(deployment.image),
            json!(deployment.revision),
            json!(phase(deployment)),
            json!(deployment.paused),
            text(&deployment.select),
            json!(format!("{} s", deployment.idle_s)),
        ]
    };
    let rows = deployments.iter().map(row).collect();
    Table { kind: "deployments", columns: columns.into(), rows, ages: &["IDLE"] }
}

fn sets(sets: &[ReplicaSet]) -> Table {
    let columns = ["NAME", "DEPLOYMENT", "REPLICAS", "MODULE", "REVISION"].map(Column::new);
    let row = |set: &ReplicaSet| {
        vec![
            json!(set.name),
            json!(set.owner),
            json!(set.replicas),
            json!(set.image),
            json!(set.revision),
        ]
    };
    let rows = sets.iter().map(row).collect();
    Table { kind: "replicasets", columns: columns.into(), rows, ages: &[] }
}

fn events(events: &[Happening]) -> Table {
    let columns = ["LAST", "OBJECT", "TYPE", "EVENT"].map(Column::new);
    let row = |event: &Happening| {
        let kind = if event.failure { "Warning" } else { "Normal" };
        vec![
            json!(format!("{} s", event.ago_s)),
            if event.object.is_empty() { json!("cluster") } else { json!(event.object) },
            json!(kind),
            json!(event.what),
        ]
    };
    let rows = events.iter().map(row).collect();
    Table { kind: "events", columns: columns.into(), rows, ages: &["LAST"] }
}
