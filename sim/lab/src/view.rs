//! The cluster as text for people who watch a run, made only from what is heard.

use kube_sniff::decoder::{Heard, State};
use kube_sniff::observer::Observer;
use kube_sniff::reading::Value;
use kube_sniff::table;

/// Everything a person watches: counts, then the table.
#[must_use]
pub fn screen(now_ns: u64, observer: &Observer, width: Option<u16>) -> String {
    let statistics = observer.statistics();
    let head = format!(
        "{}  frames {}  signatures {}",
        time(now_ns),
        statistics.frames,
        match (statistics.count(State::Bad), statistics.count(State::Foreign)) {
            (0, 0) => "all good".to_owned(),
            (bad, foreign) => format!("{bad} bad, {foreign} foreign"),
        }
    );
    let nodes = table::nodes(observer.cluster(), width);
    std::iter::once(head).chain(nodes).collect::<Vec<_>>().join("\n")
}

/// A moment of machine time in seconds.
#[must_use]
pub fn time(ns: u64) -> String {
    format!("{:3}.{:03} s", ns / 1_000_000_000, ns / 1_000_000 % 1000)
}

/// One line for a frame, as far as it says something new to a reader.
#[must_use]
pub fn event(heard: &Heard) -> Option<String> {
    match heard.state {
        State::Bad => return Some("a frame with a bad signature".to_owned()),
        State::Foreign => return Some("a frame of another cluster".to_owned()),
        State::Damaged => return Some("frames that collided".to_owned()),
        _ if !heard.counts() => return Some("a recording of an earlier frame".to_owned()),
        _ => {}
    }
    let reading = heard.reading()?;
    let node = reading.node().unwrap_or_default();
    let list = || match reading.get("ids") {
        Some(Value::Ids(ids)) if !ids.is_empty() => {
            ids.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
        }
        _ => "none".to_owned(),
    };
    let text = |name| match reading.get(name) {
        Some(Value::Text(text)) => text.as_str(),
        _ => "?",
    };
    let number = |name| reading.number(name).unwrap_or_default();
    Some(match heard.kind() {
        "heartbeat" => format!("{node} reports {}", list()),
        "assignment" => format!("{node} is assigned {}", list()),
        "spec" => format!("pod {} runs {}", number("id"), text("image")),
        "status" => format!(
            "{node} does not run pod {}: {}, restarts {}",
            number("id"),
            text("reason"),
            number("restarts")
        ),
        "query" => format!("{node} is asked for a heartbeat"),
        "hail" | "welcome" => format!("{node} and the plane agree upon a session"),
        _ => return None,
    })
}
