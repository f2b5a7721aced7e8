//! Delivered share of 20, 50, 100 and 200 machines that each send a frame a second, beside ALOHA.
//! `cargo run --release -p kube-lab --example crowd`
#![allow(clippy::print_stdout, reason = "a program that people run")]

use kube_lab::crowd::{Crowd, delivered};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for mbit in [1, 2] {
        for machines in [20, 50, 100, 200] {
            let crowd = Crowd { machines, mbit, interval_ms: 1_000, seconds: 20, seed: 1 };
            let d = delivered(&crowd)?;
            println!(
                "{machines:>3} machines at {mbit} Mbit/s: {:.4} of {} frames; pure ALOHA {:.4}, slotted {:.4}",
                d.share, d.sent, d.pure, d.slotted
            );
        }
    }
    Ok(())
}
