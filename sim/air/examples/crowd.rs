//! Prints how many frames of crowds of 20 to 200 stations arrive, beside ALOHA's predictions.
#![allow(clippy::print_stdout, reason = "a program that people run")]

use kube_air::bench::{Access, Crowd, delivered};
use kube_proto::frame::Rate;

fn main() -> Result<(), kube_air::AirError> {
    println!("stations  rate  blind %  listening %  wait us  pure ALOHA %  slotted ALOHA %");
    for rate in [Rate::M1, Rate::M2] {
        for stations in [20, 50, 100, 200] {
            let crowd = |access| Crowd { stations, rate, access, seconds: 60, seed: 1 };
            let blind = delivered(&crowd(Access::Blind))?;
            let listen = delivered(&crowd(Access::Listen))?;
            println!(
                "{stations:>8}  {rate:?}  {:>8.2} {:>12.2} {:>8} {:>13.2} {:>16.2}",
                blind.share * 100.0,
                listen.share * 100.0,
                listen.wait_ns / 1_000,
                blind.pure * 100.0,
                blind.slotted * 100.0
            );
        }
    }
    Ok(())
}
