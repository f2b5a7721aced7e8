//! The control plane's store when power fails.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_lab::store::cuts;

#[test]
fn every_cut_leaves_the_older_or_the_newer_state() {
    let cuts = cuts(&kube_modules::build().unwrap()).unwrap();
    assert!(cuts.generations >= 8 && cuts.whole >= 30, "{cuts:?}");
    assert!(cuts.torn >= 10 * cuts.whole, "{cuts:?}");
    assert_eq!(cuts.survived, cuts.whole + cuts.torn, "{cuts:?}");
}
