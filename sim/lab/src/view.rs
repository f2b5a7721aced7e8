//! The cluster as a table, made only from what is heard.

use comfy_table::{Cell, ContentArrangement, Table, presets};

use crate::observer::{Event, Heard, NodeView, Observer};

/// The table of nodes, as lines of at most `width` columns if there is one.
#[must_use]
pub fn lines(observer: &Observer, width: Option<u16>) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header(["NODE", "REPORTS", "ASSIGNED", "AGREE"]);
    for (name, view) in observer.nodes() {
        table.add_row([
            Cell::new(name),
            Cell::new(pods(observer, view.reported.as_ref())),
            Cell::new(pods(observer, view.assigned.as_ref())),
            Cell::new(agreement(view)),
        ]);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Everything a person watches: counts, then the table.
#[must_use]
pub fn screen(now_ns: u64, observer: &Observer, width: Option<u16>) -> String {
    let head = format!(
        "{}  frames {}  signatures {}",
        time(now_ns),
        observer.frames,
        match (observer.bad_signatures, observer.foreign) {
            (0, 0) => "all good".to_owned(),
            (bad, foreign) => format!("{bad} bad, {foreign} foreign"),
        }
    );
    std::iter::once(head).chain(lines(observer, width)).collect::<Vec<_>>().join("\n")
}

/// A moment of machine time in seconds.
#[must_use]
pub fn time(ns: u64) -> String {
    format!("{:3}.{:03} s", ns / 1_000_000_000, ns / 1_000_000 % 1000)
}

/// One line for a frame, as far as it says something new to a reader.
#[must_use]
pub fn event(event: &Event) -> Option<String> {
    let list = |ids: &[u8]| match ids {
        [] => "none".to_owned(),
        _ => ids.iter().map(u8::to_string).collect::<Vec<_>>().join(" "),
    };
    match event {
        Event::Heartbeat { node, ids } => Some(format!("{node} reports {}", list(ids))),
        Event::Assignment { node, ids } => Some(format!("{node} is assigned {}", list(ids))),
        Event::Spec { id, image } => Some(format!("pod {id} runs {image}")),
        Event::Status(status) => Some(format!(
            "{} does not run pod {}: {}, restarts {}",
            status.node, status.id, status.reason, status.restarts
        )),
        Event::Query { node } => Some(format!("{node} is asked for a heartbeat")),
        Event::Greeting { node } => Some(format!("{node} and the plane agree upon a session")),
        Event::Old => Some("a recording of an earlier frame".to_owned()),
        Event::BadSignature => Some("a frame with a bad signature".to_owned()),
        Event::Foreign => Some("a frame of another cluster".to_owned()),
        Event::Other => None,
    }
}

fn pods(observer: &Observer, heard: Option<&Heard>) -> String {
    let Some(heard) = heard else { return "(not heard)".to_owned() };
    let pod = |id: &u8| format!("{id}:{}", observer.image(*id).unwrap_or("?"));
    match heard.ids.as_slice() {
        [] => "none".to_owned(),
        ids => ids.iter().map(pod).collect::<Vec<_>>().join(" "),
    }
}

fn agreement(view: &NodeView) -> &'static str {
    match (&view.reported, &view.assigned) {
        (Some(reported), Some(assigned)) if reported.set() == assigned.set() => "yes",
        (Some(_), Some(_)) => "no",
        _ => "-",
    }
}
