//! What an operator does to deployments and nodes. Where pods move, the lists on the air are judged.

use crate::bench::{Bench, Socket};
use crate::plane::Nodes;
use kube_emu::NoRadio;

/// Commands and the form that a wrong parameter is answered by.
const FORMS: [(&str, &str); 24] = [
    ("Kube.Start remote", "Kube.Start [local]"),
    ("Kube.Run many", "Kube.Run [steps]"),
    ("Kube.Apply web 1 2x", "Kube.Apply name count [image]"),
    ("Kube.Apply web 1 AnImageOf16Chars", "Kube.Apply name count [image]"),
    ("Kube.Apply web 10000", "Kube.Apply name count [image]"),
    ("Kube.Apply web 1 Ticker more", "Kube.Apply name count [image]"),
    ("Kube.Apply -web 1", "Kube.Apply name count [image]"),
    ("Kube.Ensure a-name-of-more-than-31-characters 1", "Kube.Ensure name count [image]"),
    ("Kube.Scale web", "Kube.Scale deployment count"),
    ("Kube.Delete", "Kube.Delete deployment"),
    ("Kube.DeletePod", "Kube.DeletePod pod"),
    ("Kube.Pause web now", "Kube.Pause deployment"),
    ("Kube.Undo web last", "Kube.Undo deployment [revision]"),
    ("Kube.Select web zone", "Kube.Select deployment key=value ..."),
    ("Kube.Cordon", "Kube.Cordon node"),
    ("Kube.Label node-a =b", "Kube.Label node key=value ..."),
    ("Kube.Describe", "Kube.Describe name"),
    ("Kube.Get web", "Kube.Get"),
    ("Kube.Nodes node-a", "Kube.Nodes"),
    ("Kube.Local node-d", "Kube.Local"),
    ("Kube.Reset web", "Kube.Reset"),
    ("Kube.Stop web", "Kube.Stop"),
    ("Kube.Demo fast", "Kube.Demo"),
    ("Kube.Top 10", "Kube.Top"),
];

fn local(commands: &str) -> Bench {
    let mut bench = Bench::new(&format!("Kube.Start local;{commands}"));
    bench.expect("store on disk", 5_000);
    bench.run_ms(600);
    bench
}

#[test]
fn a_wrong_parameter_is_answered_by_the_right_form() {
    let mut bench = local("Kube.Ensure web 1 Ticker");
    let tree = bench.ask("Kube.Get");
    for (line, form) in FORMS {
        assert_eq!(bench.ask(line), format!("kube: the form is {form}\n"), "{line}");
    }
    for line in ["Scale nope 1", "Delete nope", "Pause nope", "Undo nope", "Select nope a=b"] {
        assert_eq!(bench.ask(&format!("Kube.{line}")), "kube: no deployment nope\n", "{line}");
    }
    for line in ["Cordon nope", "Uncordon nope", "Drain nope", "DeleteNode nope", "Label nope"] {
        assert_eq!(bench.ask(&format!("Kube.{line}")), "kube: no node nope\n", "{line}");
    }
    assert_eq!(bench.ask("Kube.Get"), tree);
}

#[test]
fn names_have_hyphens_and_digits() {
    let mut bench = local("Kube.Ensure web-2 1 Ticker");
    assert_eq!(bench.ask("Kube.Apply 2nd-web.1 1"), "deployment 2nd-web.1 applied, replicas=1\n");
    bench.run_ms(300);
    let tree = bench.ask("Kube.Get");
    assert!(tree.contains("    pod web-2-rs-0 @node-a Running\n"), "{tree}");
    assert!(tree.contains("    pod 2nd-web.1-rs-1 @node-b Running\n"), "{tree}");
    let said = bench.ask("Kube.DeletePod web-2-rs-0");
    assert_eq!(said, "pod web-2-rs-0 deleted (replicaset will recreate)\n");
}

#[test]
fn a_deployment_is_scaled_and_deleted() {
    let mut bench = local("Kube.Ensure web 1 Ticker;Kube.Ensure api 1 Ticker");
    assert_eq!(bench.ask("Kube.Scale web 3"), "deployment web scaled, replicas=3\n");
    bench.run_ms(300);
    assert!(bench.ask("Kube.Get").contains("replicaset web-rs  desired=3  image=Ticker\n"));
    assert_eq!(bench.ask("Kube.Delete web"), "deployment web deleted\n");
    bench.run_ms(300);
    let tree = bench.ask("Kube.Get");
    assert!(!tree.contains("web") && tree.contains("pod api-rs-"), "{tree}");
}

#[test]
fn a_rollout_is_paused_resumed_and_undone() {
    let mut bench = local("Kube.Ensure web 2 Ticker");
    assert_eq!(bench.ask("Kube.Undo web"), "kube: no such revision of web, see Kube.History\n");
    assert_eq!(bench.ask("Kube.Pause web"), "deployment web paused\n");
    bench.ask("Kube.Apply web 3 Ticker2");
    bench.run_ms(1_000);
    assert!(!bench.ask("Kube.Get").contains("web-rs2"), "a paused deployment rolls out");
    assert!(bench.ask("Kube.Describe web").contains("\n  paused\n"));
    assert_eq!(bench.ask("Kube.Resume web"), "deployment web resumed\n");
    bench.run_ms(2_000);
    let tree = bench.ask("Kube.Get");
    assert!(tree.contains("replicaset web-rs2  desired=3  image=Ticker2\n"), "{tree}");
    let history = "revision 2  image=Ticker2\nrevision 1  image=Ticker\n";
    assert_eq!(bench.ask("Kube.History web"), history);
    let said = bench.ask("Kube.Undo web");
    assert_eq!(said, "deployment web rolls back to revision 1, image=Ticker\n");
    bench.run_ms(2_000);
    let tree = bench.ask("Kube.Get");
    assert!(tree.contains("replicaset web-rs3  desired=3  image=Ticker\n"), "{tree}");
    let said = bench.ask("Kube.Undo web 2");
    assert_eq!(said, "deployment web rolls back to revision 2, image=Ticker2\n");
    assert_eq!(bench.ask("Kube.Undo web 9"), "kube: no such revision of web, see Kube.History\n");
}

/// The images of earlier revisions have 39 characters in the store; older ones are forgotten.
#[test]
fn the_history_keeps_what_fits() {
    let mut bench = local("Kube.Ensure web 1 ImageOfFifteen0");
    for revision in 1..6 {
        bench.ask(&format!("Kube.Apply web 1 ImageOfFifteen{revision}"));
        bench.run_ms(1_000);
    }
    let history = "revision 6  image=ImageOfFifteen5\nrevision 5  image=ImageOfFifteen4\n";
    assert_eq!(bench.ask("Kube.History web"), history);
    assert_eq!(bench.ask("Kube.Undo web 4"), "kube: no such revision of web, see Kube.History\n");
}

#[test]
fn a_cordoned_node_gets_nothing_new() {
    let mut nodes = Nodes::new("Kube.Ensure web 2 Ticker", &["node1", "node2"]);
    nodes.seconds(4);
    assert_eq!(nodes.bench.ask("Kube.Cordon node2"), "node node2 cordoned\n");
    nodes.bench.ask("Kube.Scale web 5");
    nodes.seconds(3);
    assert_eq!((nodes.lists["node1"].len(), nodes.lists["node2"].len()), (4, 1));
    assert_eq!(nodes.bench.ask("Kube.Uncordon node2"), "node node2 uncordoned\n");
    nodes.bench.ask("Kube.Scale web 6");
    nodes.seconds(3);
    assert_eq!((nodes.lists["node1"].len(), nodes.lists["node2"].len()), (4, 2));
}

/// At every moment all pods but one run somewhere.
#[test]
fn a_drained_node_gives_its_pods_away_one_by_one() {
    let mut nodes = Nodes::new("Kube.Ensure web 6 Ticker", &["node1", "node2"]);
    nodes.seconds(5);
    let before = nodes.lists.clone();
    assert_eq!((before["node1"].len(), before["node2"].len()), (3, 3));
    assert_eq!(nodes.bench.ask("Kube.Drain node2"), "node node2 draining\n");
    let mut fewest = 6;
    for _ in 0..12 {
        nodes.second();
        fewest = fewest.min(nodes.total());
    }
    assert_eq!((nodes.lists["node1"].len(), nodes.lists["node2"].len()), (6, 0));
    assert!(fewest >= 5, "{fewest} pods");
    assert!(nodes.bench.log().contains("kube: node node2 drained\n"));
    for id in &before["node2"] {
        assert!(nodes.lists["node1"].contains(id), "it is the same pod");
    }

    let ready = "kube: node node2 is Ready: drain it and switch it off first\n";
    assert_eq!(nodes.bench.ask("Kube.DeleteNode node2"), ready);
    nodes.silent.push("node2");
    nodes.seconds(7);
    assert_eq!(nodes.bench.ask("Kube.DeleteNode node2"), "node node2 deleted\n");
    assert_eq!(nodes.bench.ask("Kube.Nodes"), "node node1 Ready  pods=6\n");
    nodes.silent.clear();
    nodes.seconds(2);
    assert!(nodes.bench.ask("Kube.Nodes").contains("node node2 Ready  pods=0\n"));
}

#[test]
fn a_selector_chooses_nodes_by_their_labels() {
    let mut nodes = Nodes::new("", &["node1", "node2", "node3"]);
    nodes.seconds(3);
    let said = nodes.bench.ask("Kube.Label node2 zone=a disk=sd");
    assert_eq!(said, "node node2 labelled zone=a disk=sd\n");
    nodes.bench.ask("Kube.Label node3 zone=ab");
    nodes.bench.ask("Kube.Apply web 0 Ticker");
    let said = nodes.bench.ask("Kube.Select web disk=sd zone=a");
    assert_eq!(said, "deployment web selects nodes with disk=sd zone=a\n");
    nodes.bench.ask("Kube.Scale web 4");
    nodes.seconds(4);
    let count = |nodes: &Nodes| ["node1", "node2", "node3"].map(|name| nodes.lists[name].len());
    assert_eq!(count(&nodes), [0, 4, 0]);
    nodes.bench.ask("Kube.Select web");
    nodes.bench.ask("Kube.Scale web 6");
    nodes.seconds(4);
    assert_eq!(count(&nodes), [1, 4, 1], "where pods run they stay");
}

#[test]
fn marks_labels_pauses_and_revisions_are_on_the_disk() {
    let mut bench = local("Kube.Ensure web 2 Ticker");
    for line in [
        "Kube.Cordon node-a",
        "Kube.Label node-b zone=a",
        "Kube.Select web zone=a",
        "Kube.Apply web 2 Ticker2",
    ] {
        bench.ask(line);
    }
    bench.run_ms(2_000);
    bench.ask("Kube.Pause web");
    bench.run_ms(1_000);
    let shown = ["Kube.Nodes", "Kube.History web"].map(|line| bench.ask(line));
    let without_events = |text: String| text.split("    ").next().map(str::to_owned);
    let described = without_events(bench.ask("Kube.Describe web"));
    let mut bench = Bench::with(bench.into_disk(), Socket::Empty(NoRadio { level: true }));
    bench.expect("restored", 5_000);
    bench.run_ms(600);
    assert_eq!(["Kube.Nodes", "Kube.History web"].map(|line| bench.ask(line)), shown);
    let again = without_events(bench.ask("Kube.Describe web"));
    let lines = |text: &Option<String>| text.as_ref().map(|text| text.replace("step 1", "step 0"));
    assert_eq!(lines(&again), lines(&described));
    assert!(shown[0].contains("node node-a Ready  pods=0  cordoned\n"), "{}", shown[0]);
    assert!(shown[0].contains("node node-b Ready  pods=2  zone=a\n"), "{}", shown[0]);
}

#[test]
fn describe_tells_what_happened() {
    let mut nodes = Nodes::new("Kube.Ensure web 1 Ticker", &["node1"]);
    nodes.seconds(4);
    let told = nodes.bench.ask("Kube.Describe web");
    for event in [
        " s ago: web rolls out Ticker\n",
        " s ago: web-rs-0 created\n",
        " s ago: web-rs-0 bound to node1\n",
        " s ago: web-rs-0 runs on node1\n",
        " s ago: web has all its pods\n",
    ] {
        assert!(told.contains(event), "{event}{told}");
    }
    let told = nodes.bench.ask("Kube.Describe node1");
    assert!(told.starts_with("node node1 Ready  pods=1\n"), "{told}");
    assert!(told.contains(" s ago: node1 is Ready\n"), "{told}");
    nodes.silent.push("node1");
    nodes.seconds(7);
    assert!(nodes.bench.ask("Kube.Describe node1").contains(" s ago: node1 is NotReady\n"));
    let told = nodes.bench.ask("Kube.Describe web-rs-0");
    assert!(told.contains("pod web-rs-0 @node1 Running\n") && told.contains("runs on"), "{told}");
}
