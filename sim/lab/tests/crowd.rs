//! Machines that share an air with the Oberon driver lose fewer frames than pure ALOHA predicts.

use kube_lab::crowd::{Crowd, delivered};

#[test]
fn fifty_machines_do_better_than_pure_aloha() {
    let crowd = Crowd { machines: 50, mbit: 1, seconds: 10, seed: 1 };
    let delivery = delivered(&crowd).expect("a measurement");
    assert!((485..=515).contains(&delivery.sent), "{delivery:?}");
    assert!(delivery.share > delivery.pure, "{delivery:?}");
}
