//! A running lab heard by the real kube-sniff, and frames sent into labs and relays by kube-inject.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod desk;
#[path = "sniff/mod.rs"]
mod shared;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use desk::{Desk, Said};
use kube_boards::fleet::KeyText;
use kube_lab::attach::Attach;
use kube_lab::lab::Setup;
use kube_lab::scenario::play::{Run, Watcher, play};
use kube_lab::scenario::{Plan, suite};
use kube_lab::world::World;
use kube_proto::datagram::Datagram;
use kube_sniff::decoder::State;
use kube_sniff::observer::Observer;
use kube_sniff::source::udp::payload;
use serde_json::Value;
use shared::{KEY, Relay, everything, message, run};

/// A rollout that others listen to, slow enough for them to come and go.
struct Served {
    attach: Attach,
    step: Duration,
    next_ns: u64,
}

impl Watcher for Served {
    fn time(&mut self, now_ns: u64, _observer: &Observer) {
        if now_ns >= self.next_ns {
            self.next_ns = now_ns + 50_000_000;
            std::thread::sleep(self.step);
        }
    }
    fn world(&mut self, world: &mut World) {
        self.attach.serve(world);
    }
}

/// A lab on a thread; it starts when the first listener is there.
fn lab(desk: &Desk, step_ms: u64) -> (PathBuf, JoinHandle<Run>) {
    let path = desk.path("lab.sock");
    let mut attach = Attach::new(&path).unwrap();
    let step = Duration::from_millis(step_ms);
    let thread = std::thread::spawn(move || {
        attach.wait(&|| false).unwrap();
        let mut served = Served { attach, step, next_ns: 0 };
        let (_, scenario) = suite::load("lab2-rollout").unwrap();
        let plan = &scenario.plans[0];
        let system = kube_modules::build().unwrap();
        let fleet = plan.fleet.clone().with_key(KeyText::new(KEY).unwrap());
        let plan = Plan { fleet, ..plan.clone() };
        let run = play(&system, &plan, &Setup::new(&plan.fleet, 5), &mut served).unwrap();
        served.attach.end();
        run
    });
    (path, thread)
}

fn start(desk: &Desk, program: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin(program));
    command.args(arguments).current_dir(desk.path(".")).env_remove("KUBE_KEY");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn said(child: Child) -> Said {
    child.wait_with_output().unwrap().into()
}

/// HalfSipHash-2-4 with a 32-bit result, written from its description a second time: words of the
/// message padded with zeros, its length in the last byte.
fn second_opinion(key: &[u8; 8], message: &[u8]) -> [u8; 4] {
    let word =
        |bytes: &[u8]| bytes.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte));
    let (k0, k1) = (word(&key[..4]), word(&key[4..]));
    let mut v = [k0, k1, 0x6c79_6765 ^ k0, 0x7465_6462 ^ k1];
    let round = |v: &mut [u32; 4]| {
        v[0] = v[0].wrapping_add(v[1]);
        v[2] = v[2].wrapping_add(v[3]);
        v[1] = v[1].rotate_left(5) ^ v[0];
        v[3] = v[3].rotate_left(8) ^ v[2];
        v[0] = v[0].rotate_left(16);
        v[2] = v[2].wrapping_add(v[1]);
        v[0] = v[0].wrapping_add(v[3]);
        v[1] = v[1].rotate_left(13) ^ v[2];
        v[3] = v[3].rotate_left(7) ^ v[0];
        v[2] = v[2].rotate_left(16);
    };
    let mut padded = message.to_vec();
    padded.resize(message.len() / 4 * 4 + 4, 0);
    *padded.last_mut().unwrap() = message.len() as u8;
    for bytes in padded.chunks(4) {
        v[3] ^= word(bytes);
        round(&mut v);
        round(&mut v);
        v[0] ^= word(bytes);
    }
    v[2] ^= 0xff;
    (0..4).for_each(|_| round(&mut v));
    (v[1] ^ v[3]).to_le_bytes()
}

#[test]
fn the_second_opinion_gives_the_published_vectors() {
    let key = [0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(second_opinion(&key, &[]), [0xa9, 0x35, 0x9f, 0x5b]);
    let message: Vec<u8> = (0..15).collect();
    assert_eq!(second_opinion(&key, &message), [0x74, 0xfe, 0x2b, 0x97]);
}

#[test]
fn a_lab_is_heard_whole_and_every_good_signature_is_recomputed() {
    let desk = Desk::new();
    let (path, thread) = lab(&desk, 0);
    let place = format!("sim:{}", path.display());
    let rules = ["no bad", "nodes = 2 within 5s", "pods Ticker2 = 4 within 60s"];
    let mut arguments = vec![place.as_str(), "--json", "--serial", "-w", "lab.pcapng"];
    rules.iter().for_each(|rule| arguments.extend(["--expect", *rule]));
    let said = said(start(&desk, "kube-sniff", &arguments)).done();
    let lab = thread.join().unwrap();
    let objects: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let key = u64::from_str_radix(KEY, 16).unwrap().to_be_bytes();
    let (mut checked, mut good) = ([0; 2], 0);
    for object in objects.iter().filter(|object| object["state"] == "good") {
        good += 1;
        let typ = object["typ"].as_u64().unwrap() as u8;
        let Some(count) = checked.get_mut(usize::from(typ).wrapping_sub(0x60)) else { continue };
        let raw = object["raw"].as_str().unwrap();
        let bytes: Vec<u8> = (0..raw.len() / 2)
            .map(|at| u8::from_str_radix(&raw[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        // Channel, header of 8 bytes, then the data as spec/kube.md 3.1 gives them.
        let (data, n) = (&bytes[9..], usize::from(bytes[16]));
        let signed = 1 + 6 + 1 + n + 2;
        assert_eq!(u64::try_from(signed + 4).ok(), object["len"].as_u64());
        let message = [&[typ], &data[..signed]].concat();
        assert_eq!(data[signed..signed + 4], second_opinion(&key, &message), "{object}");
        *count += 1;
    }
    let heard = lab.heard.iter().filter(|heard| heard.state == State::Good).count() as u64;
    assert_eq!(good, heard, "every good frame that the lab's own listener heard");
    assert!(checked[0] >= 20 && checked[1] >= 20, "{checked:?}");
    let text = said.out;
    assert!(text.contains("KubeNet.Serve kube ****") && !text.contains(KEY), "keys are masked");
    // The capture says the same again.
    let words = "-r lab.pcapng --state good -q";
    let lines = run(&desk, "kube-sniff", words).done().out.lines().count();
    assert_eq!(lines as u64, good);
}

#[test]
fn a_forged_frame_reaches_a_lab_and_is_seen_there() {
    let desk = Desk::new();
    let (path, thread) = lab(&desk, 15);
    let place = format!("sim:{}", path.display());
    let sniff = start(&desk, "kube-sniff", &[&place, "--state", "bad", "--json"]);
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let after = ["--after", "heartbeat:node1", "--ahead", "2"];
    let forge = ["message", &place, "heartbeat", "--node", "node1", "--ids", "9", "--key", "99"];
    let sent = said(start(&desk, "kube-inject", &[&forge[..], &after[..]].concat())).done();
    assert!(sent.err.contains("Send    1 frames"), "{}", sent.err);
    let heard = said(sniff).done();
    let object: Value = serde_json::from_str(heard.out.trim()).unwrap();
    assert_eq!((&object["node"], &object["ids"]), (&"node1".into(), &serde_json::json!([9])));
    let heard = thread.join().unwrap().heard;
    assert_eq!(heard.iter().filter(|heard| heard.state == State::Bad).count(), 1);
}

#[test]
fn nothing_is_sent_on_real_air_unless_it_is_said_to_be_ones_own() {
    let desk = shared::desk();
    let inject = |words: &str| run(&desk, "kube-inject", words);
    let said = inject("replay usb: -r all.pcapng").fails(4, "kube::air::real");
    assert!(said.err.contains("--i-own-this-air"), "{}", said.err);
    inject("replay usb: -r all.pcapng --i-own-this-air").fails(3, "kube::air::passive");
    inject("replay pcap:all.pcapng -r all.pcapng").fails(3, "kube::air::passive");
    inject("replay -r all.pcapng").fails(2, "TARGET");
    // kube-sniff says hello to a relay and nothing else.
    let relay = Relay::new();
    run(&desk, "kube-sniff", &format!("{} --duration 200ms", relay.place())).done();
    relay.0.set_nonblocking(true).unwrap();
    let mut bytes = [0; 100];
    while let Ok(len) = relay.0.recv(&mut bytes) {
        assert_eq!(bytes[..len], [0xff]);
    }
}

#[test]
fn built_recorded_and_given_frames_reach_a_relay() {
    let desk = shared::desk();
    let relay = Relay::new();
    let place = relay.place();
    let inject = |words: &str| run(&desk, "kube-inject", &words.replace("RELAY", &place));
    let next = || loop {
        let (bytes, _) = relay.receive();
        if bytes != [0xff] {
            return bytes;
        }
    };
    let expected = |kind: &str, ids: &[u8], counter| {
        Datagram::frame(5, &payload(&message(kind, "node1", ids, counter)).unwrap()).to_vec()
    };
    let words = "message RELAY heartbeat --node node1 --ids 1,3 --counter 9 --sadr 66";
    let dry = inject(&format!("{words} --dry-run")).done();
    assert!(dry.err.contains("Would send 1 frames") && dry.out.contains("good"), "{}", dry.out);
    let live = inject(words).done();
    assert_eq!(live.out, dry.out);
    assert_eq!(next(), expected("heartbeat", &[1, 3], 9), "the dry run sent nothing");
    inject("replay RELAY -r all.pcapng --node node1 --kind spec --kind assignment --spacing 1ms")
        .done();
    assert_eq!(next(), expected("assignment", &[1, 3], 500));
    let digits: String =
        expected("query", &[], 1).iter().map(|byte| format!("{byte:02x}")).collect();
    inject(&format!("raw RELAY {digits} --rounds 2 --spacing 1ms")).done();
    assert_eq!([next(), next()], [expected("query", &[], 1), expected("query", &[], 1)]);
    // Damaged frames of a capture cannot be sent as they were meant.
    let sendable = everything().len() - 2;
    let said = inject("replay RELAY -r all.pcapng --speed 1000 --dry-run -q --json").done();
    assert!(said.out.lines().count() >= sendable, "{}", said.out);
    inject("message RELAY status --counter 1").fails(2, "kube::frame::form");
    inject("message RELAY heartbeat --node node1").fails(2, "--counter");
    inject("raw RELAY 00").fails(2, "are no frame");
    inject("message RELAY query --node node1 --counter 1 --after heartbeat --within 50ms")
        .fails(124, "kube::air::not-heard");
}
