//! Wireshark's own programs with the generated dissector and the capture interface.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![allow(clippy::print_stdout, reason = "a test says what it skips")]

mod desk;
#[path = "sniff/mod.rs"]
mod shared;

use std::process::{Command, Stdio};

use kube_proto::datagram::Datagram;
use kube_proto::layout::{Field, Layout, MESSAGES};
use kube_sniff::source::udp::payload;
use serde_json::Value;
use shared::{Relay, everything, run};

/// Fields of a message; those that a list consists of stand in its place.
fn values(layout: &Layout) -> impl Iterator<Item = &Field> {
    layout.fields.iter().flat_map(|field| match field.kind.parts() {
        None => std::slice::from_ref(field).iter(),
        Some(parts) => parts.iter(),
    })
}

/// tshark, if it is there.
fn tshark() -> Option<Command> {
    let found = Command::new("tshark").arg("--version").stderr(Stdio::null()).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(Command::new("tshark"));
    }
    println!("skipped: tshark is not installed (package tshark)");
    None
}

#[test]
fn tshark_shows_what_kube_sniff_shows() {
    let Some(mut tshark) = tshark() else { return };
    let desk = shared::desk();
    let script = run(&desk, "kube-sniff", "dissector").done().out;
    desk.write("kubestation.lua", script);
    let script = format!("lua_script:{}", desk.path("kubestation.lua").display());
    tshark.args(["-X", &script, "-r"]).arg(desk.path("all.pcapng")).args(["-T", "fields"]);
    // Every field of every message, and those around them.
    let around = ["kind", "header.channel", "pid", "sadr", "payload", "flag.collision"];
    let mut fields: Vec<String> = around.map(str::to_owned).to_vec();
    for layout in MESSAGES {
        let names = values(layout).map(|field| format!("{}.{}", layout.name, field.name));
        fields.extend(names);
    }
    for field in &fields {
        tshark.args(["-e", &format!("kube.{field}")]);
    }
    let output = tshark.output().unwrap();
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !talk.contains("Lua"), "{talk}");
    let text = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let said = run(&desk, "kube-sniff", "-r all.pcapng --json --show-secrets").done();
    let objects: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), objects.len(), "{text}");
    let mut compared = 0;
    for (row, object) in rows.iter().zip(&objects) {
        let shown = |name: &str| {
            let at = fields.iter().position(|field| field == name).unwrap();
            row.get(at).copied().unwrap_or_default()
        };
        let kind = object["kind"].as_str().unwrap();
        match kind {
            "name request" | "send file" => {
                assert!(shown("kind").starts_with("packet "), "{row:?}")
            }
            kind => assert_eq!(shown("kind"), kind),
        }
        assert_eq!(shown("header.channel"), object["ch"].to_string());
        assert_eq!(
            shown("pid"),
            object["pid"].as_u64().map_or(String::new(), |pid| pid.to_string())
        );
        let raw = object["raw"].as_str().unwrap();
        assert_eq!(shown("payload").replace(':', ""), raw[2..], "{row:?}");
        let Some(layout) = MESSAGES.iter().find(|layout| layout.name == kind) else { continue };
        if object["state"] == "malformed" {
            continue;
        }
        for field in values(layout) {
            let named = if field.name == "tag" { "cluster" } else { field.name };
            let expected = match &object[named] {
                Value::String(text) => text.clone(),
                Value::Array(ids) => ids.iter().map(Value::to_string).collect::<Vec<_>>().join(","),
                value => value.to_string(),
            };
            // Wireshark gives the number of a reason.
            let expected = match expected.as_str() {
                "trap" => "4".to_owned(),
                _ => expected,
            };
            let shown = shown(&format!("{kind}.{}", field.name)).replace(':', "");
            assert_eq!(shown, expected, "{kind}.{} in {row:?}", field.name);
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared} values compared");
}

#[test]
fn wireshark_captures_by_the_installed_interface() {
    let Some(mut list) = tshark() else { return };
    let desk = shared::desk();
    // Wireshark of a person whose home is the desk.
    let home = desk.path(".");
    let sniff = |words: &str| -> desk::Said {
        let mut command = desk.program("kube-sniff");
        command.env("HOME", &home).env_remove("XDG_CONFIG_HOME");
        command.args(words.split(' ')).output().unwrap().into()
    };
    let program = desk.path(".config/wireshark/extcap/kube-sniff");
    let said = sniff("extcap install --dry-run").done();
    assert!(said.err.contains("Would write") && !program.exists(), "{}", said.err);
    sniff("extcap install").done();
    assert!(sniff("extcap install").done().err.contains("Same"));
    list.arg("-D").env("HOME", &home).env_remove("XDG_CONFIG_HOME");
    let text = String::from_utf8_lossy(&list.output().unwrap().stdout).into_owned();
    assert!(text.contains("kube-udp") && text.contains("kube-sim"), "{text}");
    let relay = Relay::new();
    let address = relay.0.local_addr().unwrap();
    let mut capture = Command::new("tshark");
    capture.env("HOME", &home).env_remove("XDG_CONFIG_HOME");
    capture.args(["-i", "kube-udp", "-c", "3", "-Q"]);
    capture.arg("-o").arg(format!("extcap.kube_udp.relay:{address}"));
    capture.arg("-w").arg(desk.path("wireshark.pcapng"));
    let mut child = capture.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let listener = relay.hello();
    for (_, frame) in everything().iter().take(3) {
        let datagram = Datagram::frame(frame.channel, &payload(frame).unwrap());
        relay.0.send_to(&datagram, listener).unwrap();
    }
    assert!(child.wait().unwrap().success());
    let said = run(&desk, "kube-sniff", "-r wireshark.pcapng").done();
    let kinds: Vec<_> =
        said.out.lines().filter_map(|line| line.split_whitespace().nth(5)).collect();
    assert_eq!(kinds, ["heartbeat", "assignment", "spec"], "{}", said.out);
    let said = sniff("extcap remove").done();
    assert!(said.err.contains("Remove") && !program.exists(), "{}", said.err);
    run(&desk, "kube-sniff", "extcap run --extcap-interface eth0 --capture")
        .fails(2, "kube::wireshark::ask");
}
