//! Compares random programs as compiled with and without passes.
//!
//! ```text
//! cargo run --release -p obc --example random_programs -- [COUNT] [FIRST_SEED]
//! ```
//!
//! Prints one JSON line; `obc.random_programs_differing` must be 0.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool")]

#[path = "../tests/random_programs/compare.rs"]
mod compare;
#[path = "../tests/random_programs/generator.rs"]
mod generator;

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let count = numbers.first().copied().unwrap_or(10_000);
    let first = numbers.get(1).copied().unwrap_or(1);
    let (mut differing, mut traps) = (0, 0);
    for seed in first..first + count {
        match compare::compare(seed) {
            Ok(trapped) => traps += u64::from(trapped),
            Err(what) => {
                differing += 1;
                eprintln!("seed {seed}: {what}");
            }
        }
    }
    println!(
        "{{\"schema\":\"obc-random-programs/1\",\"programs\":{count},\"first_seed\":{first},\
         \"trapped\":{traps},\"obc.random_programs_differing\":{differing}}}"
    );
    if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
