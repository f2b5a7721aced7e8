//! What the plane lists for tools, line by line.

use crate::bench::Bench;
use crate::plane::Nodes;
use kube_proto::message::{Body, PodStatus, Reason};

use crate::bench::pods;

/// The lines without the fields that depend on time: these are digits behind a blank.
fn still(answer: &str, fields: &[usize]) -> String {
    let line = |line: &str| {
        let words = line.split(' ').enumerate();
        let word = |(at, word): (usize, &str)| {
            let timed = fields.contains(&at) && word.bytes().all(|byte| byte.is_ascii_digit());
            if timed { "#".to_owned() } else { word.to_owned() }
        };
        words.map(word).collect::<Vec<_>>().join(" ") + "\n"
    };
    answer.lines().map(line).collect()
}

#[test]
fn each_kind_of_object_has_its_line() {
    let mut nodes = Nodes::new("Kube.Ensure web 2 Ticker", &["node1"]);
    nodes.seconds(4);
    nodes.bench.ask("Kube.Label node1 zone=a disk=big");
    nodes.bench.ask("Kube.Cordon node1");
    nodes.bench.ask("Kube.Apply api 1 Nope");
    nodes.bench.ask("Kube.Select api zone=b");
    nodes.bench.ask("Kube.Pause api");
    nodes.bench.run_ms(300);
    let node = pods("node1", &[]).node;
    let (reason, detail, restarts) = (Reason::Trap, 7, 3);
    let status = PodStatus { node, id: 2, reason, detail, restarts, seconds: 9, position: 78 };
    nodes.bench.send(Body::Status(status));
    nodes.bench.run_ms(150);
    let mut list = |kind: &str| nodes.bench.ask(&format!("Objects.List {kind}"));
    assert_eq!(still(&list("nodes"), &[6]), "n node1 ready 2 0 cordoned # zone=a disk=big\n= .\n");
    assert_eq!(
        still(&list("deployments"), &[8]),
        "d web 2 1 Ticker 1 rolling moving # -\nd api 1 0 Nope 1 paused moving # zone=b\n= .\n"
    );
    assert_eq!(list("replicasets"), "s web-rs web 2 Ticker 1\ns api-rs api 1 Nope 1\n= .\n");
    assert_eq!(
        still(&list("pods"), &[11]),
        "p web-rs-0 1 web-rs Ticker node1 running 0 0 0 0 #\n\
         p web-rs-1 2 web-rs Ticker node1 pending 4 7 78 3 #\n\
         p api-rs-2 3 api-rs Nope - pending 0 0 0 0 #\n= .\n"
    );
    let events = still(&list("events"), &[1]);
    for line in [
        "e # web-rs-0 0 0 0 bound to node1\n",
        "e # web-rs-1 4 7 78 \n",
        "e # api 0 0 0 is paused\n",
    ] {
        assert!(events.contains(line), "no {line:?} in\n{events}");
    }
    assert!(events.ends_with("= .\n"), "{events}");
}

#[test]
fn a_long_list_comes_in_parts() {
    let mut bench = Bench::new("Kube.Start local;Kube.Ensure web 90 Ticker");
    bench.expect("store on disk", 5_000);
    bench.run_ms(2_000);
    for kind in ["pods", "events"] {
        let (mut from, mut lines, mut parts) = (0, Vec::new(), 0);
        loop {
            let answer = bench.ask(&format!("Objects.List {kind} {from}"));
            let (part, end) = answer.trim_end().rsplit_once('\n').expect("lines and an end");
            lines.extend(part.lines().map(str::to_owned));
            parts += 1;
            match end.strip_prefix("= ") {
                Some(".") => break,
                Some(next) => from = next.parse().expect("a number"),
                None => panic!("{end}"),
            }
        }
        let (expected, least) = if kind == "pods" { (90, 3) } else { (64, 2) };
        assert_eq!(lines.len(), expected, "{kind}");
        assert!(parts >= least, "{kind} came in {parts} parts");
        lines.dedup();
        assert!(kind == "events" || lines.len() == expected, "{kind} twice");
    }
}

#[test]
fn another_kind_is_answered_by_the_right_form() {
    let mut bench = Bench::new("Kube.Start local");
    bench.expect("store on disk", 5_000);
    let form = "kube: the form is Objects.List nodes|deployments|replicasets|pods|events [from]\n";
    for line in ["Objects.List", "Objects.List services", "Objects.List 7"] {
        assert_eq!(bench.ask(line), form, "{line}");
    }
}
