//! The Oberon radio driver reaches its speed, and the receiver is never deaf.

use kube_lab::throughput::{Load, broadcast};

#[test]
fn one_sender_reaches_its_goals_at_25_mhz() {
    for (mbit, goal) in [(1, 1_000.0), (2, 1_500.0)] {
        for data_bytes in [24, 88, 512] {
            let load = Load { clock_hz: 25_000_000, mbit, data_bytes };
            let figures = broadcast(&load).expect("a measurement");
            println!("{load:?}: {figures:?}");
            assert!(figures.sent_per_s >= goal, "{load:?}: {figures:?}");
            assert!(figures.heard_share > 0.99, "{load:?}: {figures:?}");
            assert_eq!(figures.receiver_deaf_us_per_frame, 0.0);
        }
    }
}
