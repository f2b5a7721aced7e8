//! Random programs do the same with passes as without: same output, same trap at the same place.
//!
//! `OBC_PROGRAMS=1000 OBC_SEED=7 cargo test -p obc --test random_programs` looks at more and others.
//! `OBC_SHOW=12 ...` prints the program of a seed.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

#[path = "random_programs/compare.rs"]
mod compare;
#[path = "random_programs/generator.rs"]
mod generator;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn passes_change_nothing_that_can_be_seen() {
    if let Ok(seed) = std::env::var("OBC_SHOW") {
        println!("{}", generator::program(seed.parse().unwrap()));
        return;
    }
    let (first, count) = (number("OBC_SEED", 1), number("OBC_PROGRAMS", 200));
    println!("seeds {first} to {}", first + count - 1);
    let mut traps = 0;
    for seed in first..first + count {
        match compare::compare(seed) {
            Ok(trapped) => traps += u64::from(trapped),
            Err(what) => panic!("seed {seed}: {what}"),
        }
    }
    println!("{traps} of {count} programs trap");
    // Both kinds must occur, else the programs have become tame.
    assert!(traps * 20 > count && traps < count, "{traps} of {count} programs trap");
}
