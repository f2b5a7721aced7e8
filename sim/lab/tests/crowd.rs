//! Machines that share an air with the Oberon driver lose fewer frames than pure ALOHA predicts.

use kube_lab::crowd::{Crowd, delivered};

/// Four frames a second each, so that chance decides less than the driver.
#[test]
fn fifty_machines_do_better_than_pure_aloha() {
    let crowd = Crowd { machines: 50, mbit: 1, interval_ms: 250, seconds: 15, seed: 1 };
    let delivery = delivered(&crowd).expect("a measurement");
    assert!((2_900..=3_100).contains(&delivery.sent), "{delivery:?}");
    assert!(delivery.share > delivery.pure, "{delivery:?}");
    println!("{delivery:?}");
}
