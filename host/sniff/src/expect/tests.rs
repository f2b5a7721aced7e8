use super::*;
use crate::decoder::Decoder;
use crate::forge::{self, Order};
use crate::keyring::Keyring;
use kube_proto::key::{Key, Keys, Tag};

const MS: u64 = 1_000_000;

/// Frames as kind, node, pods, counter and time in milliseconds.
type Sent<'a> = (&'a str, &'a str, &'a [u8], u16, u64);

/// How rules stand after these frames, the last moment and the end.
fn verdicts(rules: &[&str], sent: &[Sent<'_>], until_ms: u64) -> Vec<Verdict> {
    let key = Key([7; 8]);
    let mut decoder = Decoder::new(Keyring::new(Some(Tag(20)), Some(key), Keys::Shared));
    let parsed = rules.iter().map(|text| ((*text).to_owned(), parse(text).expect(text)));
    let mut judge = Judge::new(parsed);
    judge.pass(0);
    for &(kind, node, ids, counter, at_ms) in sent {
        let (kind, key) = match kind.strip_prefix("bad ") {
            Some(kind) => (kind, Key([8; 8])),
            None => (kind, key),
        };
        let order = Order {
            kind: kind.to_owned(),
            node: Some(node.to_owned()),
            ids: ids.to_vec(),
            id: ids.first().copied(),
            image: Some("Ticker".to_owned()),
            counter: counter.into(),
            session: None,
            sadr: node.as_bytes()[node.len() - 1],
            channel: 5,
        };
        let frame = forge::message(&order, Tag(20), &key, Keys::Shared).expect("complete");
        judge.hear(&decoder.decode(at_ms * MS, "air", &frame));
    }
    judge.pass(until_ms * MS);
    judge.finish();
    judge.findings().iter().map(|finding| finding.verdict.clone()).collect()
}

fn holds(rule: &str, sent: &[Sent<'_>], until_ms: u64) -> bool {
    verdicts(&[rule], sent, until_ms) == [Verdict::Held]
}

#[test]
fn time_is_kept_by_every_gap_and_by_the_silence_at_the_end() {
    let beat = |counter, at_ms| ("heartbeat", "node1", &[1][..], counter, at_ms);
    let steady = [beat(1, 500), beat(2, 1_500), beat(3, 2_600)];
    for (rule, until_ms, held) in [
        ("heartbeat node1 every 1s±20%", 3_000, true),
        ("heartbeat node1 every 1s±20%", 3_900, false),
        ("heartbeat node1 every 1s±5%", 3_000, false),
        ("heartbeat every 1s+-20%", 3_000, true),
        ("heartbeat node2 every 1s±20%", 3_000, false),
        ("heartbeat node1 every 2s±20%", 3_000, false),
        ("heartbeat node1 every 2s+20%", 3_000, true),
        ("heartbeat node1 every 1s±5% after 1s", 2_000, false),
    ] {
        assert_eq!(holds(rule, &steady, until_ms), held, "{rule} until {until_ms}");
    }
    // A replayed heartbeat keeps nobody alive.
    let replayed = [beat(1, 500), beat(2, 1_500), beat(2, 2_500), beat(2, 3_400)];
    assert!(!holds("heartbeat node1 every 1s±20%", &replayed, 3_500));
    // Each node keeps its own time.
    let two = [beat(1, 500), ("heartbeat", "node2", &[2][..], 1, 600), beat(2, 1_500)];
    assert!(!holds("heartbeat every 1s±20%", &two, 1_900));
}

#[test]
fn what_must_not_be_breaks_a_rule_at_once() {
    let sent = [
        ("heartbeat", "node1", &[1][..], 1, 500),
        ("bad heartbeat", "node1", &[1][..], 2, 1_000),
        ("query", "node1", &[][..], 9, 2_000),
        ("heartbeat", "node1", &[1][..], 5, 4_000),
    ];
    for (rule, held) in [
        ("no bad", false),
        ("no bad after 1500ms", true),
        ("no foreign", true),
        ("no query", false),
        ("no query node2", true),
        ("no query node1 after 3s", true),
        ("no lost", false),
        ("no late", false),
        ("no late node2", true),
        ("no replayed", true),
        ("no bad after 10s", false),
    ] {
        assert_eq!(holds(rule, &sent, 5_000), held, "{rule}");
    }
}

#[test]
fn counts_are_taken_within_after_and_at_the_end() {
    let sent = [
        ("spec", "plane", &[1][..], 1, 100),
        ("heartbeat", "node1", &[1, 2][..], 1, 1_000),
        ("heartbeat", "node2", &[3][..], 1, 2_000),
        ("bad heartbeat", "node3", &[9][..], 1, 2_500),
        ("heartbeat", "node1", &[][..], 2, 3_000),
    ];
    for (rule, held) in [
        ("pods >= 3 within 2s", true),
        ("pods >= 3 within 1s", false),
        ("pods >= 3", false),
        ("pods = 1", true),
        ("pods Ticker = 1 within 1s", true),
        ("pods Other = 0", true),
        ("pods >= 1 after 1s", true),
        ("pods >= 2 after 1s", false),
        ("pods >= 1 after 60s", false),
        ("nodes = 2", true),
        ("heartbeat node1 = 2", true),
        ("heartbeat node3", false),
        ("frames > 4", true),
        ("spec within 1s", true),
        ("assignment", false),
    ] {
        assert_eq!(holds(rule, &sent, 4_000), held, "{rule}");
    }
}

#[test]
fn a_run_is_decided_when_no_frame_can_change_it() {
    let rules = |texts: &[&str]| {
        Judge::new(texts.iter().map(|text| ((*text).to_owned(), parse(text).expect(text))))
    };
    assert!(!rules(&[]).decided(), "without rules there is nothing to decide");
    let mut judge = rules(&["frames >= 1 within 1s", "no bad"]);
    judge.pass(0);
    assert!(!judge.decided());
    judge.pass(2_000 * MS);
    assert!(judge.decided() && judge.broken());
}
