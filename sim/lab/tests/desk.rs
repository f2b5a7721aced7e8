//! Commands over the air: what the operator's tool says is true, whatever gets lost and whoever plays
//! recordings.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::Keys;
use kube_lab::desk::{Desk, Weather};
use kube_lab::line::{self, sweep::Tally};
use kube_serial::{Outcome, job::Job};

const LIMIT_MS: u64 = 20_000;

fn clean(tally: &Tally) {
    assert!(tally.jobs > 0);
    assert_eq!((tally.doubled, tally.untrue), (0, 0), "{tally:#?}");
}

#[test]
fn a_command_is_done_and_its_output_comes_over_the_air() {
    let system = line::system().unwrap();
    for keys in [Keys::Shared, Keys::PerNode] {
        let mut desk = Desk::new(&system, keys, true, 1).unwrap();
        for machine in ["plane", "node1"] {
            for count in 1..=2 {
                let run = desk.run(machine, "Counted.Up", LIMIT_MS, None).unwrap();
                assert_eq!(run.outcome, Some(Outcome::Done), "{keys:?} {machine}: {run:?}");
                assert_eq!(run.log, ["boot: Counted.Up".to_owned(), format!("count {count}")]);
                assert_eq!(run.counted, 1);
                assert!(run.us < 2_000_000, "{run:?}");
            }
        }
        let longest = format!("Kube.Describe {}", "x".repeat(255 - "Kube.Describe ".len()));
        assert!(Job::command(&longest).is_ok());
        let run = desk.run("plane", &longest, LIMIT_MS, None).unwrap();
        assert_eq!(run.outcome, Some(Outcome::Failed("refused, see the log".to_owned())));
        assert_eq!(
            run.log.last().map(String::as_str),
            Some("kube: the form is Kube.Describe name")
        );
        let run = desk.run("plane", "Kube.Scale web 6", LIMIT_MS, None).unwrap();
        assert_eq!(run.outcome, Some(Outcome::Done));
        assert_eq!(run.log[1..], ["deployment web scaled, replicas=6".to_owned()]);
        desk.lab().converge(6).unwrap();
    }
}

#[test]
fn keys_do_not_go_on_the_air_in_lines_of_the_log() {
    let system = line::system().unwrap();
    let mut desk = Desk::new(&system, Keys::Shared, true, 3).unwrap();
    let run =
        desk.run("node1", "KubeNet.Join node1 kube 0123456789abcdef", LIMIT_MS, None).unwrap();
    assert!(run.log.iter().any(|line| line == "boot: KubeNet.Join"), "{run:?}");
    assert!(!run.log.iter().any(|line| line.contains("abcdef")), "{run:?}");
}

#[test]
fn without_a_key_of_its_own_no_operator_is_heard() {
    let system = line::system().unwrap();
    let mut desk = Desk::new(&system, Keys::PerNode, false, 1).unwrap();
    let run = desk.run("plane", "Counted.Up", 4_000, None).unwrap();
    let never = "the machine has not been asked: it did not answer".to_owned();
    assert_eq!((run.outcome, run.counted), (Some(Outcome::Failed(never)), 0));
}

/// Some commands; `cargo xtask bench boot` gives thousands.
#[test]
fn at_thirty_per_cent_loss_and_with_recordings_every_word_is_true() {
    let system = line::system().unwrap();
    let mut desk = Desk::new(&system, Keys::PerNode, true, 5).unwrap();
    desk.set_weather(Weather { loss: 0.3, replay_ms: 40, cut_every: 6 });
    let tally = desk.orders(24, LIMIT_MS).unwrap();
    clean(&tally);
    assert!(tally.unknown < tally.jobs / 2, "{tally:#?}");
}
