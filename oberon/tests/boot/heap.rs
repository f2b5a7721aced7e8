//! Allocation and collection.

use crate::station::{Station, disk};

#[test]
fn collections_keep_what_is_reachable_and_free_the_rest() {
    let mut station = Station::started(&disk(""));
    station.command("Heap.Stress");
    station.wait_for(" grown ", 60_000);
    station.run_ms(5);
    let line = station.heard.lines().find(|line| line.starts_with("heap: ")).expect("reported");
    let numbers: Vec<i64> = line
        .split(|c: char| !c.is_ascii_digit() && c != '-')
        .filter_map(|word| word.parse().ok())
        .collect();
    assert!(numbers[0] > 350, "{line}");
    assert!(numbers[1].abs() < 16_384, "{line}");
}

#[test]
fn a_full_heap_gives_nil_and_is_free_again_later() {
    let mut station = Station::started(&disk(""));
    let first = station.command("Heap.Fill");
    let second = station.command("Heap.Fill");
    let count = |text: &str| -> u32 {
        let rest = text.split("heap: full after ").nth(1).expect("reported");
        rest.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
    };
    assert!(count(&first) > 200, "{first}");
    assert!(count(&second).abs_diff(count(&first)) < 10, "{first}{second}");
}
