//! A key for each node: sessions, and recordings of every age played again to a node and to the plane.
//! docs/decisions/0006 says why none may be accepted.

use crate::bench::{Bench, key, pods, spec, tag};
use crate::image::image;
use crate::partner::{Pair, join, restarted};
use kube_disk::Image;
use kube_modules::NUMBERS_FILE;
use kube_proto::message::{Body, Greeting, Message};
use kube_proto::packet::Packet;
use kube_proto::session::{self, Numbers};
use kube_proto::signature::sign;

fn greeting(message: &Message) -> Option<Greeting> {
    match message.body {
        Body::Hail(greeting) | Body::Welcome(greeting) => Some(greeting),
        _ => None,
    }
}

/// The numbers that a machine has given, in order.
fn numbers(heard: &[Message]) -> Vec<u32> {
    heard.iter().filter_map(greeting).map(|greeting| greeting.mine).collect()
}

/// Runs pod 1; the list now is empty, and each message that says otherwise is a recording.
fn ordered() -> Pair {
    let mut pair = Pair::node();
    pair.say(spec(1, "Ticker"));
    pair.list(&[1]);
    pair.bench.expect("Ticker v1: started pod 1", 1_000);
    pair.list(&[]);
    pair.bench.expect("Ticker v1: stopped pod 1", 1_000);
    pair
}

/// Plays recordings again and returns how often the node obeyed.
fn replay(bench: &mut Bench, recordings: &[Message]) -> usize {
    let from = bench.log().len();
    for message in recordings {
        bench.send_raw(message);
        bench.run_ms(120);
    }
    bench.log()[from..].matches("kubelet node1:").count()
}

#[test]
fn node_and_plane_agree_and_only_they() {
    let mut pair = ordered();
    let numbers = pair.other.numbers().expect("a session");
    let (own, other) = (key().of_node(b"node1"), key().of_node(b"node2"));
    let assign = Body::Assignment(pods("node1", &[1]));
    let session_keys = [own, other, key()].map(|key| session::session_key(&key, numbers));
    for forger in [own, other, key(), session_keys[1], session_keys[2]] {
        pair.bench.send_raw(&session::sign(tag(), assign, 9, &forger));
        pair.bench.send_raw(&sign(tag(), assign, 9, &forger));
    }
    let foreign = kube_proto::key::Tag(tag().0 + 1);
    pair.bench.send_raw(&session::sign(foreign, assign, 9, &session_keys[0]));
    pair.bench.send_raw(&session::sign(
        tag(),
        Body::Heartbeat(pods("node1", &[1])),
        9,
        &session_keys[0],
    ));
    pair.run_ms(500);
    assert_eq!(pair.refused("unsigned"), 10, "{}", pair.bench.log());
    assert_eq!(pair.refused("foreign"), 1);
    assert_eq!(pair.bench.log().matches("started pod").count(), 1, "{}", pair.bench.log());
    pair.bench.send_raw(&session::sign(tag(), assign, 9, &session_keys[0]));
    pair.bench.expect("Ticker v1: started pod 1", 1_000);
}

#[test]
fn recordings_of_every_age_do_not_move_a_node() {
    let mut pair = ordered();
    let mut recordings = pair.said.clone();
    assert_eq!(replay(&mut pair.bench, &recordings), 0, "at once");
    pair.list(&[]);
    pair.run_ms(2_500);
    assert_eq!(replay(&mut pair.bench, &recordings), 0, "after 2.5 s");
    // What it did not hear, deaf for a while, is a recording like any other.
    let air = pair.listens;
    pair.listens = false;
    for _ in 0..3 {
        let missed = pair.other.seal(Body::Assignment(pods("node1", &[1]))).expect("a session");
        recordings.push(missed);
        pair.bench.run_ms(1_900);
    }
    assert_eq!(replay(&mut pair.bench, &recordings), 0, "after more than 5 s of silence");
    pair.listens = air;
    pair.settle();
    pair.list(&[]);
    assert_eq!(replay(&mut pair.bench, &recordings), 0, "in the session after");
    recordings.extend_from_slice(&pair.said);
    pair.bench = restarted(pair.bench.into_disk());
    pair.bench.expect("joined the air", 5_000);
    pair.bench.run_ms(1_000);
    assert_eq!(replay(&mut pair.bench, &recordings), 0, "after a restart");
    pair.settle();
    assert_eq!(replay(&mut pair.bench, &recordings), 0, "in the session after the restart");
    pair.list(&[1]);
    pair.bench.expect("kubelet node1: 1", 1_000);
}

#[test]
fn recordings_of_every_age_do_not_move_the_plane() {
    let mut pair = Pair::plane();
    pair.list(&[]);
    pair.bench.expect("kube: node node1 Ready", 2_000);
    pair.list(&[77]);
    let mut recordings = pair.said.clone();
    pair.run_ms(8_000);
    assert!(pair.bench.log().contains("kube: node node1 NotReady"));
    assert!(pair.heard.iter().any(|m| matches!(m.body, Body::Query(_))), "it was asked");
    let ready = |bench: &Bench| bench.log().matches("node1 Ready").count();
    assert_eq!(ready(&pair.bench), 1);
    replay(&mut pair.bench, &recordings);
    assert_eq!(ready(&pair.bench), 1, "after 8 s of silence");
    pair.settle();
    pair.list(&[]);
    pair.bench.expect("kube: node node1 Ready", 2_000);
    recordings.extend_from_slice(&pair.said);
    pair.bench.run_ms(2_000);
    pair.bench = restarted(pair.bench.into_disk());
    pair.bench.expect("on the air", 5_000);
    pair.bench.run_ms(7_000);
    let before = ready(&pair.bench);
    replay(&mut pair.bench, &recordings);
    assert_eq!(ready(&pair.bench), before, "after a restart");
    // The other side may still believe in the session of before: its first word is answered by a
    // greeting.
    pair.settle();
    pair.list(&[]);
    pair.run_ms(1_000);
    pair.list(&[]);
    pair.bench.expect("kube: node node1 Ready", 2_000);
}

/// The 16 bits on the air come round; what is signed does not.
#[test]
fn when_the_counter_comes_round_old_messages_stay_old() {
    let mut pair = ordered();
    let recordings = pair.said.clone();
    let mut last = 0u16;
    let mut turns = 0;
    for round in 0..9u8 {
        pair.other.skip(29_000);
        let message = pair.list(&[round % 2]);
        turns += u32::from(message.counter < last);
        last = message.counter;
        pair.bench.expect(&format!("kubelet node1: {}", round % 2), 1_000);
        assert_eq!(replay(&mut pair.bench, &recordings), 0, "round {round}");
    }
    assert!(turns >= 3, "{turns} turns");
}

#[test]
fn a_second_node_of_a_name_is_refused_while_the_first_is_there() {
    let mut pair = Pair::plane();
    let own = key().of_node(b"node1");
    for round in 0..4 {
        pair.list(&[]);
        let twin = Greeting { node: pods("node1", &[]).node, mine: 900_000 + round, yours: 0 };
        pair.bench.send_raw(&sign(tag(), Body::Hail(twin), 0, &own));
        pair.run_ms(900);
    }
    assert_eq!(pair.refused("taken"), 4);
    let line = pair.bench.expect(" 4 taken, the last from node1", 12_000);
    assert!(line.starts_with("kubenet: refused "), "{line}");
    let numbers = pair.other.numbers().expect("a session");
    assert_eq!(
        pair.heard.iter().filter_map(greeting).next_back().map(|g| g.mine),
        Some(numbers.plane)
    );
}

/// Garbage and recordings do not make a station greet more often than four times a second.
#[test]
fn greetings_are_bounded() {
    let mut pair = Pair::node();
    let own = key().of_node(b"node1");
    pair.run_ms(2_000);
    pair.heard.clear();
    let garbage = |n: u32| {
        let greeting = Greeting { node: pods("node1", &[]).node, mine: 50_000 + n, yours: n % 2 };
        sign(tag(), Body::Welcome(greeting), 0, &own).packet(9).emit()
    };
    // With pauses in which a frame of the node fits.
    let frames: Vec<_> = (0..2_000).map(garbage).collect();
    pair.bench.send_frames(&frames, 1_500_000);
    pair.listens = false;
    pair.run_ms(10);
    let greetings = pair.heard.iter().filter_map(greeting).count();
    assert!((1..=3 * 8).contains(&greetings), "{greetings} in 3 s");
    pair.listens = true;
    pair.settle();
}

/// A listener that comes late hears a greeting within 16 heartbeats.
#[test]
fn a_node_says_now_and_then_which_session_it_is_in() {
    let mut pair = Pair::node();
    pair.run_ms(1_000);
    pair.heard.clear();
    for _ in 0..18 {
        pair.list(&[]);
        pair.run_ms(1_000);
    }
    let Numbers { plane, node } = pair.other.numbers().expect("a session");
    let reminders: Vec<_> = pair.heard.iter().filter_map(greeting).collect();
    assert!((1..=2).contains(&reminders.len()), "{reminders:?}");
    assert!(reminders.iter().all(|g| (g.mine, g.yours) == (node, plane)));
}

/// What the machine calls this start.
fn start_of(log: &str) -> u32 {
    let mark = "boot number ";
    let digits = log.split(mark).nth(1).unwrap_or_else(|| panic!("no {mark:?} in {log}"));
    let digits = digits.split(|c: char| !c.is_ascii_digit()).next().expect("a first part");
    digits.parse().expect("a number")
}

/// Power is cut at every block write of a start, whole and torn: no number is given twice, neither
/// to sessions nor to starts, and the disk is in order.
#[test]
fn a_power_cut_never_brings_a_number_back() {
    let heard = |bench: &mut Bench, ms| {
        bench.run_ms(ms);
        let frames = bench.take_frames();
        let packets = frames.iter().filter_map(|frame| Packet::parse(&frame.payload).ok());
        let messages: Vec<_> = packets.filter_map(|packet| Message::parse(&packet).ok()).collect();
        numbers(&messages)
    };
    let (mut disk, mut last, mut starts, mut states) = (image(&join()).1, 0, 0, 0);
    for _ in 0..3 {
        let mut cuts = Vec::new();
        let mut bench = restarted(disk.clone());
        while bench.run_to_write(2_500_000_000) {
            let after = bench.machine.card().expect("a card").image().bytes().to_vec();
            cuts.extend(torn(&disk, &after));
            disk = after;
        }
        for cut in &cuts {
            let findings = Image::open(cut.clone()).expect("a disk").check();
            assert!(findings.is_empty(), "{findings:?}");
            let mut bench = restarted(cut.clone());
            let found = heard(&mut bench, 2_500);
            let start = start_of(bench.log());
            assert!(start > starts, "start {start} after {starts}");
            let fresh = found.iter().all(|&number| number > last);
            assert!(!found.is_empty() && fresh, "{found:?} after {last}: {}", bench.log());
        }
        states += cuts.len();
        starts = start_of(bench.log());
        last = *heard(&mut bench, 600).iter().max().expect("a greeting");
    }
    assert!(states >= 20, "{states} states");
    // A place that is damaged does not count, whatever it says.
    let mut damaged = Image::open(disk).expect("a disk");
    let mut file = damaged.read(NUMBERS_FILE).expect("the file");
    let newer = usize::from(file[0] < file[1024]) * 1024;
    file[newer + 3] = 0x7f;
    damaged.replace(NUMBERS_FILE, &file).expect("room");
    let found = heard(&mut restarted(damaged.into_bytes()), 2_500);
    assert!(found.iter().all(|&number| number < 2_000), "{found:?}");
}

/// The disk with the block that changed, and with each beginning and end of its change.
fn torn(before: &[u8], after: &[u8]) -> Vec<Vec<u8>> {
    let changed: Vec<_> = (0..after.len()).filter(|&at| before[at] != after[at]).collect();
    assert!(changed.iter().all(|at| at / 512 == changed[0] / 512), "one block at a time");
    let mut cuts = vec![after.to_vec()];
    for parts in 1..changed.len() {
        let (first, second) = changed.split_at(parts);
        for new in [first, second] {
            let mut cut = before.to_vec();
            new.iter().for_each(|&at| cut[at] = after[at]);
            cuts.push(cut);
        }
    }
    cuts
}
