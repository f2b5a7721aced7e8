//! A frame as one JSON object. The keys of the published listener (spec/kube.md 2.4) keep their
//! names and meaning; `t` is in seconds and `raw` has channel and payload.

use crate::decoder::{Checksum, Heard, State, What};
use crate::reading::Value;
use kube_proto::capture::Flags;
use kube_proto::frame::Rate;
use kube_proto::layout::Kind;
use kube_proto::replay::Verdict;
use serde_json::{Map, json};

/// Name of the schema of frames.
pub const SCHEMA: &str = "kube-sniff-frame/v1";

/// One object. Passwords are stars unless `secrets`.
#[must_use]
pub fn frame(heard: &Heard, secrets: bool) -> serde_json::Value {
    let mut raw = format!("{:02x}", heard.frame.channel);
    for (at, byte) in heard.payload.iter().enumerate() {
        match !secrets && heard.secret.contains(&at) {
            true => raw.push_str("**"),
            false => raw.push_str(&format!("{byte:02x}")),
        }
    }
    let kbps = match heard.frame.rate {
        Rate::K250 => 250,
        Rate::M1 => 1_000,
        Rate::M2 => 2_000,
    };
    let remarks: Vec<_> = [
        (Flags::COLLISION, "collision"),
        (Flags::TRUNCATED, "truncated"),
        (Flags::WEAK, "weak"),
        (Flags::SENT, "sent"),
    ]
    .iter()
    .filter(|(flag, _)| heard.frame.flags.has(*flag))
    .map(|(_, word)| *word)
    .collect();
    let mut object = json!({
        "schema": SCHEMA,
        "number": heard.number,
        "t": heard.at_ns as f64 / 1e9,
        "at_ns": heard.at_ns,
        "interface": heard.interface,
        "ch": heard.frame.channel,
        "rate_kbps": kbps,
        "level_dbm": heard.frame.level_dbm,
        "crc": match heard.checksum {
            Checksum::Good => "good",
            Checksum::Bad => "bad",
            Checksum::Unchecked => "unchecked",
        },
        "flags": remarks,
        "pid": heard.control.map(|control| control.pid),
        "address": heard.address.map(|address| format!("{address:?}")),
        "from": heard.from,
        "kind": heard.kind(),
        "state": heard.state.word(),
        "repeated": heard.repeated,
        "raw": raw,
    });
    let Some(object_map) = object.as_object_mut() else { return object };
    if let Some(packet) = heard.packet() {
        object_map.insert("dadr".to_owned(), packet.dadr.into());
        object_map.insert("sadr".to_owned(), packet.sadr.into());
        object_map.insert("typ".to_owned(), packet.typ.into());
        object_map.insert("len".to_owned(), packet.len.into());
    }
    match &heard.what {
        What::Message(_, reading) => {
            for (field, value) in &reading.values {
                let name = if field.kind == Kind::Tag { "cluster" } else { field.name };
                object_map.insert(name.to_owned(), plain(value));
            }
            judged(heard, object_map);
        }
        What::Malformed(_, _, error) => {
            object_map.insert("error".to_owned(), error.to_string().into());
        }
        What::Continuation { part, of } => {
            object_map.insert("part".to_owned(), (*part).into());
            object_map.insert("of".to_owned(), (*of).into());
        }
        _ => {}
    }
    object
}

fn judged(heard: &Heard, object: &mut Map<String, serde_json::Value>) {
    if let State::Good | State::Bad = heard.state {
        object.insert("auth".to_owned(), (heard.state == State::Good).into());
    }
    if let Some(verdict) = heard.window {
        object.insert("replayed".to_owned(), (verdict == Verdict::Replayed).into());
        object.insert("lost".to_owned(), heard.lost.into());
    }
}

fn plain(value: &Value) -> serde_json::Value {
    match value {
        Value::Number(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::Ids(ids) => json!(ids),
        Value::Bytes(bytes) => json!(crate::line::hex(bytes)),
    }
}
