//! The key of a running cluster is changed.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::Keys;
use kube_lab::rotation::rotation;

#[test]
fn no_pod_moves_while_the_key_is_changed_and_the_old_one_counts_no_more() {
    let system = kube_modules::build().unwrap();
    let mut cuts = 0;
    for (keys, seed) in
        [(Keys::Shared, 1), (Keys::PerNode, 2), (Keys::Shared, 3), (Keys::PerNode, 4)]
    {
        let found = rotation(&system, keys, seed)
            .unwrap_or_else(|error| panic!("{keys:?} seed {seed}: {error}"));
        assert_eq!(found.moved, 0, "{keys:?} seed {seed}: {found:?}");
        assert_eq!((found.old, found.old_obeyed), (0, false), "{keys:?} seed {seed}: {found:?}");
        assert!(found.new >= 20, "{keys:?} seed {seed}: {found:?}");
        cuts += found.cuts;
    }
    assert!(cuts >= 4, "{cuts} power cuts");
}
