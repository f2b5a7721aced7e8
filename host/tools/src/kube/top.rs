//! `kube top`: who uses what, heard from the nodes or asked of the plane.

use serde_json::{Value, json};

use super::air::{Air, seconds};
use super::codes;
use super::plane::{Way, done};
use super::reach::Reach;
use super::watch::{self, Table};
use crate::failure::{Failure, Outcome};
use crate::output::Column;
use crate::program::Session;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Frames that radios have sent, heard and dropped.
    #[value(name = "nodes", aliases = ["node", "no"])]
    Nodes,
    /// Time and memory of each pod.
    #[value(name = "pods", aliases = ["pod", "po"])]
    Pods,
}

/// Flags of `top`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// What.
    #[arg(default_value = "nodes")]
    kind: Kind,
    #[command(flatten)]
    watch: watch::Watching,
}

/// Shows it.
pub fn run(session: &Session, reach: &Reach, flags: &Flags) -> Outcome {
    let kind = flags.kind;
    let mut air = reach.air(session)?;
    let mut way = if air.is_none() { Some(reach.plane(session)?) } else { None };
    let look = |air: Option<&Air>| match (air, kind, &mut way) {
        (Some(air), Kind::Nodes, _) => Ok(heard_nodes(air)),
        (Some(air), Kind::Pods, _) => Ok(heard_pods(air)),
        (None, kind, Some(way)) => {
            let told = ask(way.as_mut())?;
            way.rest();
            Ok(if kind == Kind::Nodes { told_nodes(&told) } else { told_pods(&told) })
        }
        (None, _, None) => Err(Failure::new(&codes::AIR_NEEDED, "there is nobody to ask")),
    };
    let (heard, pods) = (air.is_some(), kind == Kind::Pods);
    let none = |_: &str| {
        if heard && pods {
            session
                .talk
                .say("nothing was said of pods so far: a node tells one every 2 s; --listen 10s");
        }
    };
    watch::run(session, reach, &flags.watch, &mut air, look, none)?;
    if let Some(air) = &air {
        session.talk.detail(format!("{} frames were dropped by the source", air.dropped));
    }
    Ok(())
}

fn ask(way: &mut dyn Way) -> Outcome<Vec<Told>> {
    let lines = done(way, "Kube.Top")?;
    lines.iter().map(|line| Told::parse(line)).collect::<Option<Vec<_>>>().ok_or_else(|| {
        Failure::new(&codes::PLANE_VERSION, "what the plane shows has another form")
            .cause(lines.join("; "))
            .help("kube-flash writes an image of this version")
    })
}

/// A line of `Kube.Top`; a number that nobody told is `None`.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Node { name: String, counts: [Option<u64>; 3] },
    Pod { name: String, image: String, ms: Option<u64>, heap: Option<u64> },
}

impl Told {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (kind, name) = (words.next()?, words.next()?.to_owned());
        let mut field =
            |key: &str| words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        let number = |text: &str| -> Option<Option<u64>> {
            if text == "?" { Some(None) } else { text.parse().ok().map(Some) }
        };
        match kind {
            "node" => {
                let mut count = |key| number(field(key)?);
                let counts = [count("sent")?, count("heard")?, count("dropped")?];
                Some(Self::Node { name, counts })
            }
            "pod" => {
                let image = field("image")?.to_owned();
                let (ms, heap) = (number(field("time")?)?, number(field("heap")?)?);
                Some(Self::Pod { name, image, ms, heap })
            }
            _ => None,
        }
    }
}

const NODES: [Column; 11] = [
    Column::new("NAME"),
    Column::new("SENT"),
    Column::new("HEARD"),
    Column::new("DROPPED"),
    Column::new("LAST"),
    Column::new("FROM"),
    Column::wide("PODS"),
    Column::wide("RATE"),
    Column::wide("LOST"),
    Column::wide("LATE"),
    Column::wide("LONGEST"),
];

fn told_nodes(told: &[Told]) -> Table {
    let row = |told: &Told| match told {
        Told::Node { name, counts: [sent, heard, dropped] } => {
            let mut row = vec![json!(name), json!(sent), json!(heard), json!(dropped)];
            row.extend([Value::Null, json!("plane")]);
            row.resize(NODES.len(), Value::Null);
            Some(row)
        }
        Told::Pod { .. } => None,
    };
    nodes(told.iter().filter_map(row).collect())
}

fn nodes(rows: Vec<Vec<Value>>) -> Table {
    Table { kind: "top-nodes", columns: NODES.into(), rows, ages: &["LAST", "RATE"] }
}

/// What each station sends and says of its radio.
fn heard_nodes(air: &Air) -> Table {
    let span_s = (air.statistics.span_ns() as f64 / 1e9).max(0.001);
    let rows: Vec<Vec<Value>> = air
        .statistics
        .stations()
        .iter()
        .map(|(name, station)| {
            let pods = air.reported(name).map(|said| said.ids.len());
            let beats = station.heartbeats > 0;
            let counts = air.uses.radios.get(name);
            let count = |at: usize| json!(counts.map(|counts| counts[at]));
            vec![
                json!(name),
                count(0),
                count(1),
                count(2),
                json!(seconds(air.now_ns().saturating_sub(station.at_ns))),
                json!("air"),
                json!(pods),
                json!(format!("{:.1}/s", station.frames as f64 / span_s)),
                json!(station.lost),
                if beats { json!(station.late) } else { Value::Null },
                if beats { json!(seconds(station.longest_ns)) } else { Value::Null },
            ]
        })
        .collect();
    nodes(rows)
}

fn told_pods(told: &[Told]) -> Table {
    let columns = ["NAME", "NODE", "MODULE", "TIME", "HEAP", "FROM"].map(Column::new);
    let (mut rows, mut node) = (Vec::new(), "");
    for told in told {
        match told {
            Told::Node { name, .. } => node = name,
            Told::Pod { name, image, ms, heap } => rows.push(vec![
                json!(name),
                json!(node),
                json!(image),
                json!(ms.map(|ms| format!("{ms} ms"))),
                json!(heap),
                json!("plane"),
            ]),
        }
    }
    Table { kind: "top-pods", columns: columns.into(), rows, ages: &[] }
}

/// Names of pods are not on the air.
fn heard_pods(air: &Air) -> Table {
    let columns = ["ID", "NODE", "MODULE", "TIME", "HEAP", "LAST", "FROM"].map(Column::new);
    let row = |(id, used): (&u8, &super::air::Used)| {
        vec![
            json!(id),
            json!(used.node),
            json!(air.cluster.image(*id)),
            json!(format!("{} ms", used.ms)),
            json!(used.heap),
            json!(seconds(air.now_ns().saturating_sub(used.at_ns))),
            json!("air"),
        ]
    };
    let rows = air.uses.pods.iter().map(row).collect();
    Table { kind: "top-pods", columns: columns.into(), rows, ages: &["LAST"] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_plane_shows_is_read_and_nothing_else() {
        let node = Told::parse("node node1  sent=10  heard=20  dropped=?");
        let counts = [Some(10), Some(20), None];
        assert_eq!(node, Some(Told::Node { name: "node1".into(), counts }));
        let pod = Told::parse("  pod web-rs-0  image=Ticker  time=12 ms  heap=480");
        let (name, image) = ("web-rs-0".into(), "Ticker".into());
        let (ms, heap) = (Some(12), Some(480));
        assert_eq!(pod, Some(Told::Pod { name, image, ms, heap }));
        for line in
            ["", "node", "node node1  sent=10", "pod a  time=1 ms", "node n  sent=x heard=1"]
        {
            assert_eq!(Told::parse(line), None, "{line}");
        }
    }
}
