//! Time and memory of pods, by pods whose cost is known.

use crate::bench::{Bench, KEY, pods, spec};
use crate::plane::Nodes;
use kube_proto::message::{Body, NodeTraffic, PodUsage};

/// A line of `Kubelet.Top`.
#[derive(Debug, PartialEq, Eq)]
struct Use {
    id: u8,
    image: String,
    ms: i32,
    heap: i32,
}

fn top(bench: &mut Bench) -> Vec<Use> {
    let shown = bench.ask("Kubelet.Top");
    let line = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, id, image, time, _, heap] = words[..] else { panic!("{line:?}") };
        let number = |text: &str, name: &str| text.strip_prefix(name)?.parse().ok();
        Some(Use {
            id: id.parse().ok()?,
            image: image.to_owned(),
            ms: number(time, "time=")?,
            heap: number(heap, "heap=")?,
        })
    };
    let parsed = |text: &str| line(text).unwrap_or_else(|| panic!("{text:?}"));
    shown.lines().filter(|line| line.starts_with("pod ")).map(parsed).collect()
}

/// A node that runs these images, pod 1 the first.
fn node(images: &[&str]) -> Bench {
    let mut bench = Bench::new(&format!("KubeNet.Join node1 kube {KEY}"));
    bench.expect("kubenet: node node1 of kube joined the air", 5_000);
    let ids: Vec<u8> = (1..).take(images.len()).collect();
    for (&id, image) in ids.iter().zip(images) {
        bench.send(spec(id, image));
    }
    bench.send(Body::Assignment(pods("node1", &ids)));
    bench
}

#[test]
fn the_time_of_tasks_is_that_of_the_image_that_made_them() {
    let mut bench = node(&["BurnPod", "Ticker"]);
    bench.run_ms(1_000);
    let before = top(&mut bench);
    bench.run_ms(10_000 - 400);
    let after = top(&mut bench);
    let spent = |at: usize| after[at].ms - before[at].ms;
    // A hundred turns of 10 ms.
    assert!((985..=1_020).contains(&spent(0)), "{before:?} {after:?}");
    assert!((0..=2).contains(&spent(1)), "{before:?} {after:?}");
}

#[test]
fn pods_of_an_image_share_what_its_tasks_and_variables_cost() {
    let mut bench = node(&["BurnPod", "BurnPod", "HoldPod", "Ticker"]);
    bench.run_ms(1_000);
    let before = top(&mut bench);
    bench.run_ms(10_000 - 400);
    let after = top(&mut bench);
    for at in 0..2 {
        let spent = after[at].ms - before[at].ms;
        assert!((490..=512).contains(&spent), "{before:?} {after:?}");
    }
}

/// Start takes 20 ms; the half of what it allocates is waste, which the next collection finds.
#[test]
fn a_pod_is_charged_with_its_calls_and_with_what_it_holds() {
    let mut bench = node(&["HoldPod", "Ticker"]);
    bench.run_ms(1_000);
    let first = top(&mut bench);
    // And the time in which the modules were read from the disk.
    assert!((20..=40).contains(&first[0].ms) && first[1].ms <= 15, "{first:?}");
    bench.ask("System.Collect");
    let held = top(&mut bench);
    assert!((25_600..25_900).contains(&held[0].heap), "{held:?}");
    assert!(held[1].heap < 600, "{held:?}");

    // Another pod of the same image: both hold, and each has its part.
    bench.send(spec(3, "HoldPod"));
    bench.send(Body::Assignment(pods("node1", &[1, 2, 3])));
    bench.run_ms(1_000);
    bench.ask("System.Collect");
    let both = top(&mut bench);
    assert!((25_600..25_900).contains(&both[0].heap) && both[0].heap == both[2].heap, "{both:?}");

    // What a stopped pod held is given back.
    bench.send(Body::Assignment(pods("node1", &[2, 3])));
    bench.run_ms(1_000);
    bench.ask("System.Collect");
    let left = top(&mut bench);
    assert_eq!((left.len(), left[1].id), (2, 3));
    assert!((25_600..25_900).contains(&left[1].heap), "{left:?}");
}

/// What a call costs that does not come back is the pod's all the same.
#[test]
fn a_loop_that_is_ended_is_charged() {
    let mut bench = node(&["LoopPod", "SpinPod", "Ticker"]);
    bench.traps_expected = true;
    bench.run_ms(1_500);
    let used = top(&mut bench);
    assert!((300..=1_000).contains(&used[0].ms), "a call: {used:?}");
    assert!((300..=1_000).contains(&used[1].ms), "a task: {used:?}");
    assert!(used[2].ms <= 15, "{used:?}");
}

/// A node tells one pod after the other, and then what its radio did.
#[test]
fn a_node_tells_what_its_pods_use_and_what_its_radio_did() {
    let mut bench = node(&["HoldPod", "BurnPod"]);
    bench.run_ms(1_000);
    bench.take_heard();
    bench.run_ms(6_000);
    let mut told = Vec::new();
    let all = bench.take_heard();
    let shown = top(&mut bench);
    for heard in all {
        match heard.message.body {
            Body::Usage(usage) => {
                let by_top = &shown[usize::from(usage.id) - 1];
                // The pod may have gone on since.
                assert!((0..=800).contains(&(by_top.ms - usage.ms as i32)), "{usage:?} {shown:?}");
                assert_eq!(usage.heap, Some(by_top.heap as u32));
                told.push(usage.id);
            }
            Body::Traffic(traffic) => {
                assert!(traffic.sent >= 6 && traffic.heard == 3, "{traffic:?}");
                assert_eq!(traffic.dropped, 0);
                told.push(0);
            }
            _ => {}
        }
    }
    told.sort_unstable();
    assert_eq!(told, [0, 1, 2]);
}

/// The plane shows what it was told; what nobody told is a question mark.
#[test]
fn the_plane_shows_what_pods_use() {
    let mut nodes = Nodes::new("Kube.Ensure web-2 2 Ticker", &["node1"]);
    nodes.seconds(4);
    let list = nodes.lists["node1"].clone();
    let top = nodes.bench.ask("Kube.Top");
    let line = "node node1  sent=?  heard=?  dropped=?\n  pod web-2-rs-0  image=Ticker  time=? ms  heap=?\n";
    assert!(top.contains(line), "{top}");
    let name = pods("node1", &[]).node;
    let usage = PodUsage { node: name, id: list[1], ms: 70_000, heap: None };
    nodes.bench.send(Body::Usage(usage));
    nodes.bench.run_ms(150);
    let usage = PodUsage { id: list[0], heap: Some(4_711), ..usage };
    nodes.bench.send(Body::Usage(usage));
    nodes.bench.run_ms(150);
    // Of a pod that is not there.
    nodes.bench.send(Body::Usage(PodUsage { id: 99, ms: 1, ..usage }));
    nodes.bench.run_ms(150);
    let traffic = NodeTraffic { node: name, sent: 100_000, heard: 7, dropped: 65_535 };
    nodes.bench.send(Body::Traffic(traffic));
    nodes.bench.run_ms(150);
    let top = nodes.bench.ask("Kube.Top");
    let lines = "node node1  sent=100000  heard=7  dropped=65535\n\
        \x20 pod web-2-rs-0  image=Ticker  time=70000 ms  heap=4711\n\
        \x20 pod web-2-rs-1  image=Ticker  time=70000 ms  heap=?\n";
    assert!(top.contains(lines), "{top}");
    assert!(nodes.bench.ask("Kube.Top now").contains("kube: the form is Kube.Top\n"));
}
