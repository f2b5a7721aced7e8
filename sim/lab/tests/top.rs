//! What pods and radios use, as the plane shows it and as it is heard on the air.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::{Fleet, Keys};
use kube_lab::lab::{Lab, Setup};

/// The number behind a name in a line.
fn number(line: &str, name: &str) -> u64 {
    let word = line.split_whitespace().find_map(|word| word.strip_prefix(name));
    word.and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("no {name} in {line:?}"))
}

#[test]
fn the_plane_knows_what_every_pod_and_every_radio_used() {
    let system = kube_modules::build().unwrap();
    for (keys, seed) in [(Keys::Shared, 1), (Keys::PerNode, 2)] {
        let mut fleet = Fleet::new(2, "kube", "0123456789abcdef").unwrap();
        fleet.keys = keys;
        let mut cluster = Lab::new(&system, &Setup::new(&fleet, seed)).unwrap();
        cluster.converge(4).unwrap();
        cluster.run_ms(10_000).unwrap();
        let before = cluster.world().station("plane").unwrap().log().len();
        cluster.command("plane", "Kube.Top");
        cluster.run_ms(1_000).unwrap();
        let log = cluster.world().station("plane").unwrap().log()[before..].to_owned();
        let lines = |mark: &str| log.lines().filter(|line| line.trim().starts_with(mark)).count();
        assert_eq!((lines("node node"), lines("pod web-rs-")), (2, 4), "{keys:?}: {log}");
        for line in log.lines().filter(|line| line.trim().starts_with("node node")) {
            assert!(number(line, "sent=") >= 10 && number(line, "heard=") >= 10, "{line}");
            assert!(number(line, "dropped=") <= 2, "{line}");
        }
        let mut ms = 0;
        for line in log.lines().filter(|line| line.trim().starts_with("pod web")) {
            // The first of a node pays for the loading of the module; a ticker takes next to nothing.
            assert!(number(line, "time=") <= 60, "{line}");
            ms += number(line, "time=");
            assert!(number(line, "heap=") < 4_000, "{line}");
        }
        assert!(ms >= 2, "{log}");
    }
}
