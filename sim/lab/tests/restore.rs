//! A plane's place is taken by another machine with its backup.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::Keys;
use kube_lab::restore::moved_in_restore;

/// Seeds in CI; `KUBE_SEEDS` asks for more.
fn seeds() -> std::ops::RangeInclusive<u64> {
    let asked = std::env::var("KUBE_SEEDS").ok().and_then(|text| text.parse().ok());
    1..=asked.unwrap_or(3)
}

#[test]
fn the_cluster_goes_on_with_the_same_pods_on_the_same_nodes() {
    let system = kube_modules::build().unwrap();
    for seed in seeds() {
        for keys in [Keys::Shared, Keys::PerNode] {
            let moved = moved_in_restore(&system, keys, seed);
            assert_eq!(moved.unwrap_or_else(|error| panic!("seed {seed} {keys:?}: {error}")), 0);
        }
    }
}
