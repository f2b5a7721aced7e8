//! A scenario's text: it can be played, or is refused at a place within the text; a rule is read or
//! refused.

#![no_main]

use std::path::Path;

use kube_lab::scenario::file::{ScenarioError, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse(Path::new("fuzz.toml"), text) {
        Ok(scenario) => {
            assert!(!scenario.plans.is_empty());
            for plan in &scenario.plans {
                assert!(!plan.steps.is_empty() && !plan.seeds.is_empty());
                for step in &plan.steps {
                    assert!(step.line <= text.lines().count());
                    let rules = step.expect.iter().map(|expect| expect.rule.latest_ns());
                    assert!(rules.max().unwrap_or(0) <= step.longest_ns());
                }
            }
        }
        Err(ScenarioError::Place(place)) => {
            assert!(place.line <= text.lines().count().max(1) && !place.message.is_empty());
            let _ = place.to_string();
        }
        Err(error) => panic!("{error}"),
    }
    for line in text.lines() {
        let _ = kube_sniff::expect::parse(line);
    }
});
