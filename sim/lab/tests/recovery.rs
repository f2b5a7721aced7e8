//! The published recovery table (spec/kube.md 7.3 and 7.4) in machine time, judged from the air.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::{Fleet, Keys};
use kube_lab::recovery::{Cluster, RecoveryError, fleet};
use kube_lab::recovery::{failover_ms, moved_at_30_loss, moved_in_outage};

/// Seeds in CI; `KUBE_SEEDS` asks for more.
fn seeds() -> std::ops::RangeInclusive<u64> {
    let asked = std::env::var("KUBE_SEEDS").ok().and_then(|text| text.parse().ok());
    1..=asked.unwrap_or(20)
}

/// All seeds with shared keys, and some with a key for each node: there a silence costs a session.
fn cases() -> impl Iterator<Item = (Keys, u64)> {
    let each = seeds().take(6).map(|seed| (Keys::PerNode, seed));
    seeds().map(|seed| (Keys::Shared, seed)).chain(each)
}

fn ids(cluster: &Cluster, node: &str) -> Vec<u8> {
    cluster.recent(node).unwrap_or_default().to_vec()
}

/// Rows 0 to 4: form, lose a node, get it back, grow, lose the plane, get it back.
fn lose_and_regain(keys: Keys, seed: u64) -> Result<(), RecoveryError> {
    let system = kube_modules::build().unwrap();
    let mut cluster = Cluster::new(&system, &fleet(keys).unwrap(), seed)?;
    let heard = |cluster: &Cluster| ["node1", "node2"].iter().all(|n| cluster.recent(n).is_some());
    cluster.wait("first heartbeats", 15_000, heard)?;
    cluster.command("plane", "Kube.Apply web 4 Ticker");
    cluster.converge(4)?;
    assert!(!ids(&cluster, "node1").is_empty() && !ids(&cluster, "node2").is_empty());
    cluster.any_moment()?;

    cluster.power_off("node2");
    cluster.wait("four pods on node1", 30_000, |c| ids(c, "node1").len() == 4)?;
    cluster.run_ms(5_000)?;
    assert_eq!(cluster.recent("node2"), None);

    cluster.power_on("node2");
    cluster.wait("node2 back", 15_000, heard)?;
    // The plane may have missed the heartbeat that the listener heard.
    cluster.run_ms(1_500)?;
    cluster.command("plane", "Kube.Apply web 6 Ticker");
    cluster.wait("six pods", 20_000, |c| c.converged(6))?;
    assert_eq!(ids(&cluster, "node2").len(), 2, "running pods are not moved to balance");
    cluster.any_moment()?;

    let before = (ids(&cluster, "node1"), ids(&cluster, "node2"), cluster.assigned().clone());
    let changes = cluster.changes();
    cluster.power_off("plane");
    cluster.run_ms(10_000)?;
    assert_eq!((&ids(&cluster, "node1"), &ids(&cluster, "node2")), (&before.0, &before.1));
    cluster.power_on("plane");
    cluster.run_ms(20_000)?;
    // The plane knows the six from its disk.
    assert!(cluster.converged(6));
    assert_eq!(*cluster.assigned(), before.2);
    assert_eq!(cluster.changes(), changes, "a differing assignment after the plane's return");
    Ok(())
}

/// Rows 8 and 9: a rollout of six pods, and a deployment whose module no node has.
fn roll_out_and_miss(seed: u64) -> Result<(), RecoveryError> {
    let system = kube_modules::build().unwrap();
    let fleet = Fleet::new(2, "kube", "0123456789abcdef").unwrap();
    let mut cluster = Cluster::new(&system, &fleet, seed)?;
    cluster.converge(4)?;
    cluster.command("plane", "Kube.Apply web 6 Ticker");
    cluster.wait("six pods", 20_000, |c| c.converged(6))?;
    cluster.any_moment()?;
    cluster.command("plane", "Kube.Apply web 6 Ticker2");
    let (mut fewest, mut most) = (6, 6);
    for _ in 0..9_000 {
        cluster.run_ms(10)?;
        fewest = fewest.min(cluster.observer().cluster().running(None));
        most = most.max(cluster.observer().cluster().running(None));
        if cluster.converged(6) && cluster.observer().cluster().others("Ticker2") == 0 {
            break;
        }
    }
    assert!(fewest >= 6 && most <= 7, "{fewest} to {most} pods");
    assert_eq!(cluster.observer().cluster().others("Ticker2"), 0, "old pods are left");

    cluster.command("plane", "Kube.Apply ghost 2 Nope");
    cluster.run_ms(8_000)?;
    let reported: Vec<u8> = [ids(&cluster, "node1"), ids(&cluster, "node2")].concat();
    let assigned: Vec<u8> = cluster.assigned().values().flatten().copied().collect();
    let missing: Vec<_> = assigned.iter().filter(|id| !reported.contains(id)).collect();
    assert_eq!((reported.len(), missing.len()), (6, 2), "{assigned:?} {reported:?}");
    assert!(missing.iter().all(|&&id| cluster.reason(id) == Some("no module")));
    cluster.command("plane", "Kube.Apply ghost 0");
    cluster.wait("the ghosts gone", 5_000, |c| c.converged(6))?;
    Ok(())
}

#[test]
fn a_rollout_of_six_and_a_deployment_without_a_module() {
    for seed in seeds().take(5) {
        roll_out_and_miss(seed).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn nodes_and_plane_come_and_go() {
    let cases = seeds().take(5).map(|seed| (Keys::Shared, seed));
    for (keys, seed) in cases.chain([(Keys::PerNode, 1), (Keys::PerNode, 2)]) {
        lose_and_regain(keys, seed).unwrap_or_else(|error| panic!("{keys:?} seed {seed}: {error}"));
    }
}

#[test]
fn the_pods_of_a_lost_node_run_elsewhere_within_eight_seconds() {
    let system = kube_modules::build().unwrap();
    for (keys, seed) in cases() {
        let ms = failover_ms(&system, keys, seed)
            .unwrap_or_else(|error| panic!("{keys:?} seed {seed}: {error}"));
        assert!((5_000..=8_000).contains(&ms), "{keys:?} seed {seed}: {ms} ms");
    }
}

#[test]
fn nothing_moves_while_the_air_is_away() {
    let system = kube_modules::build().unwrap();
    for (keys, seed) in cases() {
        let moved = moved_in_outage(&system, keys, seed);
        assert_eq!(
            moved.unwrap_or_else(|error| panic!("{keys:?} seed {seed}: {error}")),
            0,
            "{keys:?} seed {seed}"
        );
    }
}

#[test]
fn nothing_moves_at_thirty_per_cent_loss() {
    let system = kube_modules::build().unwrap();
    for (keys, seed) in cases() {
        let moved = moved_at_30_loss(&system, keys, seed);
        assert_eq!(
            moved.unwrap_or_else(|error| panic!("{keys:?} seed {seed}: {error}")),
            0,
            "{keys:?} seed {seed}"
        );
    }
}
