//! Machines that share an air with the Oberon driver lose fewer frames than pure ALOHA predicts.

use kube_lab::crowd::{Crowd, delivered};

#[test]
fn twenty_machines_do_better_than_pure_aloha() {
    let crowd = Crowd { machines: 20, mbit: 1, seconds: 10, seed: 1 };
    let delivery = delivered(&crowd).expect("a measurement");
    assert!((195..=205).contains(&delivery.sent), "{delivery:?}");
    assert!(delivery.share > delivery.pure, "{delivery:?}");
}
