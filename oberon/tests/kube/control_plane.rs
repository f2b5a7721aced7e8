//! Commands of Kube with local nodes: outputs to the letter.

use crate::bench::Bench;

const START: &str = "kube: 3 controllers installed (deploy, replicaset, node), store on disk";

fn started(commands: &str) -> Bench {
    let mut bench = Bench::new(commands);
    bench.expect(START, 5_000);
    bench.run_ms(300);
    bench
}

#[test]
fn the_hash_has_the_published_values() {
    let mut bench = Bench::new("Vectors.Run");
    for line in ["5B9F35A9", "972BFE74", "63798F99", "013D3B1F"] {
        bench.expect(line, 5_000);
    }
}

#[test]
fn the_demo_shows_deployments_at_work() {
    let mut bench = Bench::new("Kube.Demo");
    bench.expect("-- roll out Ticker2: done", 5_000);
    bench.run_ms(500);
    let from = bench.log().find("-- apply").expect("a heading");
    let expected = include_str!("demo.expect");
    assert_eq!(&bench.log()[from..], expected);
}

#[test]
fn apply_and_ensure_say_what_they_did() {
    let mut bench = started("Kube.Start local");
    assert_eq!(bench.ask("Kube.Apply web 2 Ticker"), "deployment web applied, replicas=2\n");
    assert_eq!(bench.ask("Kube.Ensure web 5 Ticker"), "deployment web exists, kept as it is\n");
    assert_eq!(bench.ask("Kube.Ensure api 1"), "deployment api created, replicas=1\n");
    let tree = "\
nodes: 3 Ready, 0 NotReady
deployment web  replicas=2  image=Ticker
  replicaset web-rs  desired=2  image=Ticker
    pod web-rs-0 @node-a Running
    pod web-rs-1 @node-b Running
deployment api  replicas=1  image=scratch
  replicaset api-rs  desired=1  image=scratch
    pod api-rs-2 @node-c Running
";
    assert_eq!(bench.ask("Kube.Get"), tree);
}

#[test]
fn scaling_keeps_the_image() {
    let mut bench = started("Kube.Start local;Kube.Apply web 2 Ticker");
    assert_eq!(bench.ask("Kube.Apply web 3"), "deployment web applied, replicas=3\n");
    assert!(bench.ask("Kube.Get").contains("replicaset web-rs  desired=3  image=Ticker\n"));
}

#[test]
fn a_deleted_pod_comes_back_under_a_new_name() {
    let mut bench = started("Kube.Start local;Kube.Apply web 2 Ticker");
    let said = bench.ask("Kube.DeletePod \"web-rs-0\"");
    assert_eq!(said, "pod web-rs-0 deleted (replicaset will recreate)\n");
    assert!(bench.ask("Kube.Get").contains("    pod web-rs-2 @node-a Running\n"));
    assert_eq!(bench.ask("Kube.DeletePod \"web-rs-0\""), "kube: no pod web-rs-0\n");
    let said = bench.ask("Kube.DeletePod web-rs-1");
    assert_eq!(said, "pod web-rs-1 deleted (replicaset will recreate)\n");
}

#[test]
fn bad_parameters_are_answered_by_the_right_form_and_do_nothing() {
    let mut bench = started("Kube.Start local");
    for line in ["Kube.Apply", "Kube.Apply web", "Kube.Apply web -1", "Kube.Apply 3 web"] {
        let said = bench.ask(line);
        assert_eq!(said, "kube: the form is Kube.Apply name count [image]\n", "{line}");
    }
    assert_eq!(bench.ask("Kube.Get"), "nodes: 3 Ready, 0 NotReady\n");
}

#[test]
fn save_run_stop_and_reset_answer() {
    let mut bench = started("Kube.Start local");
    bench.ask("Kube.Apply web 1 Ticker");
    assert_eq!(bench.ask("Kube.Save"), "kube: state saved to Kube.State\n");
    assert_eq!(bench.ask("Kube.Save Other.State"), "kube: state saved to Other.State\n");
    assert_eq!(bench.ask("Kube.Stop"), "kube: controllers removed\n");
    let tree = bench.ask("Kube.Run 2");
    let saved = bench.disk().read("Other.State").expect("a file");
    let saved: String = saved.iter().map(|&byte| char::from(byte)).collect();
    assert_eq!(saved.replace('\r', "\n"), tree);
    assert_eq!(bench.ask("Kube.Reset"), "kube: store cleared\n");
    assert_eq!(bench.ask("Kube.Get"), "nodes: 0 Ready, 0 NotReady\n");
}

#[test]
fn a_rollout_moves_one_pod_at_a_time() {
    let mut bench = started("Kube.Start local;Kube.Apply web 3 Ticker");
    bench.ask("Kube.Stop");
    bench.ask("Kube.Apply web 3 Ticker2");
    let mut done = false;
    for _ in 0..12 {
        let tree = bench.ask("Kube.Run");
        let running = tree.matches(" Running").count();
        assert!((3..=4).contains(&running), "{running} pods:\n{tree}");
        done = tree.contains("web-rs2  desired=3") && !tree.contains("web-rs ");
    }
    assert!(done, "the old replicaset is still there");
}

#[test]
fn more_pods_than_ids_are_not_made() {
    let mut bench = started("Kube.Start local;Kube.Apply big 1000 Ticker");
    bench.run_ms(4_000);
    let log = bench.log().to_owned();
    assert_eq!(log.matches("kube: all pod ids are in use").count(), 1, "{log}");
    assert_eq!(bench.ask("Kube.Apply big 1"), "deployment big applied, replicas=1\n");
    bench.run_ms(2_000);
    assert_eq!(bench.ask("Kube.Get").matches(" pod ").count(), 1);
}

#[test]
fn a_full_table_stops_growing_without_harm() {
    let mut bench = started("Kube.Start;Nodes.Crowd");
    bench.run_ms(3_000);
    let log = bench.log().to_owned();
    assert_eq!(log.matches("kube: the table is full").count(), 1, "{log}");
    assert_eq!(bench.ask("Kube.Get"), "nodes: 512 Ready, 0 NotReady\n");
    bench.ask("Kube.Apply web 2 Ticker");
    assert_eq!(bench.ask("Kube.Get"), "nodes: 512 Ready, 0 NotReady\n");
}
