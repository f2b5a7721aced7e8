//! Time and memory of pods, by pods whose cost is known.

use crate::bench::{Bench, KEY, pods, spec};
use kube_proto::message::Body;

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
