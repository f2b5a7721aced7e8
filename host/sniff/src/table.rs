//! Statistics and cluster as text and as one JSON object.

use crate::cluster::{Cluster, NodeView, Said};
use crate::decoder::State;
use crate::statistics::{StationStatistics, Statistics};
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::json;

/// One line about the air.
#[must_use]
pub fn head(statistics: &Statistics, dropped: u64) -> String {
    let mut parts = vec![
        format!("{:.1} s", statistics.span_ns() as f64 / 1e9),
        format!("{} frames", statistics.frames),
        format!("{:.1}/s", statistics.rate()),
    ];
    for (state, word) in State::ALL {
        match statistics.count(state) {
            0 => {}
            count => parts.push(format!("{count} {word}")),
        }
    }
    parts.push(format!("{dropped} dropped"));
    parts.join("  ")
}

fn plain(header: &[&str], rows: Vec<Vec<String>>, width: Option<u16>) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header(header.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    table.lines().map(|line| line.trim().to_owned()).collect()
}

/// Column heads of [`station_row`].
pub const STATION_HEADER: [&str; 10] =
    ["STATION", "ADDR", "SENT", "LOST", "REPLAYED", "BAD", "HEARTBEATS", "LATE", "LONGEST", "LAST"];

/// One station as cells.
#[must_use]
pub fn station_row(name: &str, station: &StationStatistics, now_ns: u64) -> Vec<String> {
    let seconds = |ns: u64| format!("{:.2} s", ns as f64 / 1e9);
    let or_none = |count: u64, text: String| if count == 0 { "-".to_owned() } else { text };
    vec![
        name.to_owned(),
        station.sadr.map_or("-".to_owned(), |sadr| format!("{sadr:02x}")),
        station.frames.to_string(),
        station.lost.to_string(),
        station.replayed.to_string(),
        station.bad.to_string(),
        or_none(station.heartbeats, station.heartbeats.to_string()),
        or_none(station.heartbeats, station.late.to_string()),
        or_none(station.longest_ns, seconds(station.longest_ns)),
        or_none(station.frames, format!("{} ago", seconds(now_ns.saturating_sub(station.at_ns)))),
    ]
}

/// Column heads of [`node_row`].
pub const NODE_HEADER: [&str; 6] = ["NODE", "REPORTS", "ASSIGNED", "AGREE", "ANSWER", "TROUBLE"];

/// One node as cells.
#[must_use]
pub fn node_row(name: &str, view: &NodeView, cluster: &Cluster) -> Vec<String> {
    let pods = |said: &Option<Said>| match said {
        None => "(not heard)".to_owned(),
        Some(said) if said.ids.is_empty() => "none".to_owned(),
        Some(said) => {
            let pod = |id: &u8| format!("{id}:{}", cluster.image(*id).unwrap_or("?"));
            said.ids.iter().map(pod).collect::<Vec<_>>().join(" ")
        }
    };
    let agree = match (&view.reported, &view.assigned) {
        (Some(reported), Some(assigned)) if reported.set() == assigned.set() => "yes",
        (Some(_), Some(_)) => "no",
        _ => "-",
    };
    vec![
        name.to_owned(),
        pods(&view.reported),
        pods(&view.assigned),
        agree.to_owned(),
        view.answer_ns.map_or("-".to_owned(), |ns| format!("{:.2} s", ns as f64 / 1e9)),
        view.trouble().map_or("-".to_owned(), |(id, reason)| format!("{id}: {reason}")),
    ]
}

/// The nodes as lines of at most `width` columns, if there is one.
#[must_use]
pub fn nodes(cluster: &Cluster, width: Option<u16>) -> Vec<String> {
    let rows = cluster.nodes().iter().map(|(name, view)| node_row(name, view, cluster));
    plain(&NODE_HEADER, rows.collect(), width)
}

/// Everything as lines.
#[must_use]
pub fn snapshot(
    statistics: &Statistics,
    cluster: &Cluster,
    dropped: u64,
    width: Option<u16>,
) -> String {
    let stations = statistics.stations();
    let rows = stations.iter().map(|(name, s)| station_row(name, s, statistics.now_ns)).collect();
    let mut lines = vec![head(statistics, dropped)];
    lines.extend(plain(&STATION_HEADER, rows, width));
    if !cluster.nodes().is_empty() {
        lines.push(String::new());
        lines.extend(nodes(cluster, width));
    }
    lines.join("\n")
}

/// Everything as the fields of one object.
#[must_use]
pub fn object(statistics: &Statistics, cluster: &Cluster, dropped: u64) -> serde_json::Value {
    let stations: Vec<_> = statistics
        .stations()
        .iter()
        .map(|(name, station)| {
            json!({
                "name": name,
                "sadr": station.sadr,
                "frames": station.frames,
                "repeated": station.repeated,
                "lost": station.lost,
                "replayed": station.replayed,
                "bad": station.bad,
                "heartbeats": station.heartbeats,
                "late": station.late,
                "longest_ns": station.longest_ns,
                "last_ns": station.at_ns,
            })
        })
        .collect();
    let said = |said: &Option<Said>| said.as_ref().map(|said| said.ids.clone());
    let nodes: Vec<_> = cluster
        .nodes()
        .iter()
        .map(|(name, view)| {
            json!({
                "name": name,
                "reports": said(&view.reported),
                "assigned": said(&view.assigned),
                "answer_ns": view.answer_ns,
                "trouble": view.trouble().map(|(id, reason)| json!({"id": id, "reason": reason})),
            })
        })
        .collect();
    let states: serde_json::Map<_, _> = State::ALL
        .iter()
        .map(|(state, word)| ((*word).to_owned(), statistics.count(*state).into()))
        .collect();
    json!({
        "now_ns": statistics.now_ns,
        "span_ns": statistics.span_ns(),
        "frames": statistics.frames,
        "acknowledgements": statistics.acknowledgements,
        "dropped": dropped,
        "states": states,
        "stations": stations,
        "nodes": nodes,
    })
}
