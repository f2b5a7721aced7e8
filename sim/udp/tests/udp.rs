//! Relay, bridge, listener and the program, over real sockets on this host.

use kube_air::{Air, AirConfig, Chip, DropRule, Frames, Outcome, Timing};
use kube_proto::datagram::{Datagram, HELLO};
use kube_proto::frame::Rate;
use kube_proto::pcapng::CaptureReader;
use kube_udp::bridge::{Bridge, MAX_WAITING, Profile};
use kube_udp::listener::Link;
use kube_udp::relay::Relay;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const LOCAL: &str = "127.0.0.1:0";
const MS: u64 = 1_000_000;
const SOON: Duration = Duration::from_secs(5);

/// A relay on a thread of its own until it is dropped.
struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Relay>>,
}

impl Running {
    fn start(address: &str, loss: f64) -> Self {
        let mut relay = Relay::bind(address.parse().expect("an address"), loss, 1).expect("a port");
        let address = relay.address().expect("it is bound");
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                relay.serve(Duration::from_millis(5), &mut |_| {}).expect("the socket lives");
            }
            relay
        });
        Self { address, stop, thread: Some(thread) }
    }

    fn finish(mut self) -> Relay {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().expect("it runs").join().expect("it does not panic")
    }
}

/// A program on another host: a plain socket.
struct Outside(UdpSocket, SocketAddr);

impl Outside {
    fn join(relay: SocketAddr) -> Self {
        let socket = UdpSocket::bind(LOCAL).expect("a port");
        socket.set_read_timeout(Some(Duration::from_millis(50))).expect("it can");
        socket.send_to(&HELLO, relay).expect("sent");
        std::thread::sleep(Duration::from_millis(30));
        Self(socket, relay)
    }

    fn send(&self, bytes: &[u8]) {
        self.0.send_to(bytes, self.1).expect("sent");
    }

    fn receive(&self) -> Option<Vec<u8>> {
        let mut buffer = [0; 100];
        self.0.recv(&mut buffer).ok().map(|bytes| buffer[..bytes].to_vec())
    }
}

fn command(chip: &mut Chip, at_ns: u64, bytes: &[u8]) -> Vec<u8> {
    chip.select(at_ns, true);
    let back = bytes.iter().map(|&byte| chip.transfer(at_ns, byte)).collect();
    chip.select(at_ns, false);
    back
}

/// A station that acknowledges (or not), listening on channel 5.
fn station(en_aa: u8) -> Chip {
    let timing = Timing { power_on_reset_ns: 0, power_up_ns: 0, ..Timing::TYPICAL };
    let mut chip = Chip::new(0, timing);
    for (register, value) in
        [(0x01, en_aa), (0x02, 1), (0x05, 5), (0x06, 0x07), (0x11, 32), (0x00, 0x7f)]
    {
        command(&mut chip, 0, &[0x20 | register, value]);
    }
    chip.enable(0, true);
    chip
}

/// One station and a bridge.
struct Rig {
    air: Air,
    chip: Chip,
    bridge: Bridge,
}

impl Rig {
    fn new(relay: SocketAddr, profile: Profile) -> Self {
        let mut air = Air::new(AirConfig { keep_log: true, ..AirConfig::default() });
        air.add_station();
        assert!(air.is_deterministic());
        let bridge =
            Bridge::new(&mut air, &relay.to_string(), profile, Rate::M1).expect("a known address");
        assert!(!air.is_deterministic(), "a bridged air says so");
        let chip = station(if profile == Profile::Kube { 0x00 } else { 0x3f });
        let mut rig = Self { air, chip, bridge };
        rig.run(MS);
        std::thread::sleep(Duration::from_millis(30));
        rig
    }

    fn run(&mut self, for_ns: u64) {
        let until_ns = self.air.now_ns() + for_ns;
        while self.air.now_ns() < until_ns {
            let next_ns = self.air.horizon_ns().min(until_ns);
            let mut chips = [Some(&mut self.chip), self.bridge.chip_mut()];
            self.air.step(next_ns, &mut chips).expect("steps are short");
            self.bridge.exchange(&mut self.air).expect("the socket lives");
        }
    }

    fn send(&mut self, payload: &[u8; 32]) {
        let now_ns = self.air.now_ns();
        self.chip.enable(now_ns, false);
        command(&mut self.chip, now_ns, &[0x20, 0x7e]);
        command(&mut self.chip, now_ns, &[&[0xa0], &payload[..]].concat());
        self.chip.enable(now_ns, true);
        self.chip.enable(now_ns + 10_000, false);
        self.run(2 * MS);
        let now_ns = self.air.now_ns();
        command(&mut self.chip, now_ns, &[0x20, 0x7f]);
        self.chip.enable(now_ns, true);
        self.run(MS);
    }

    /// Lets time pass until the station has a payload.
    fn fetch(&mut self) -> Option<Vec<u8>> {
        let give_up = Instant::now() + SOON;
        while Instant::now() < give_up {
            self.run(MS);
            let now_ns = self.air.now_ns();
            if command(&mut self.chip, now_ns, &[0x17, 0xff])[1] & 1 == 0 {
                let mut read = [0xff; 33];
                read[0] = 0x61;
                return Some(command(&mut self.chip, now_ns, &read).split_off(1));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }
}

#[test]
fn a_frame_crosses_the_bridge_in_both_directions_in_both_profiles() {
    for profile in [Profile::Kube, Profile::Wirth { channel: 5 }] {
        let relay = Running::start(LOCAL, 0.0);
        let outside = Outside::join(relay.address);
        let mut rig = Rig::new(relay.address, profile);
        rig.send(&[7; 32]);
        assert_eq!(outside.receive(), Some(Datagram::frame(5, &[7; 32]).to_vec()), "{profile:?}");
        assert_eq!(outside.receive(), None, "once");
        let now_ns = rig.air.now_ns();
        let status = command(&mut rig.chip, now_ns, &[0xff])[0];
        assert_eq!(status & 0x30, 0x20, "sent, {profile:?}");
        outside.send(&Datagram::frame(5, &[9; 32]));
        assert_eq!(rig.fetch(), Some(vec![9; 32]), "{profile:?}");
        let counts = rig.bridge.counts();
        assert_eq!((counts.link.sent, counts.link.received, counts.sent_on_air), (1, 1, 1));
        assert_eq!(relay.finish().counts().delivered, 2);
    }
}

#[test]
fn a_repetition_goes_out_once() {
    let relay = Running::start(LOCAL, 0.0);
    let outside = Outside::join(relay.address);
    let mut rig = Rig::new(relay.address, Profile::Wirth { channel: 5 });
    rig.air.drop(DropRule { frames: Frames::Acknowledgements, ..DropRule::default() });
    rig.send(&[7; 32]);
    rig.send(&[8; 32]);
    // Twice: the first retry meets a receiver that still turns back.
    assert_eq!(rig.bridge.counts().repeated, 2);
    for payload in [7, 8] {
        assert_eq!(outside.receive(), Some(Datagram::frame(5, &[payload; 32]).to_vec()));
    }
    assert_eq!(outside.receive(), None);
}

#[test]
fn two_airs_on_one_relay_hear_each_other() {
    let relay = Running::start(LOCAL, 0.0);
    let mut one = Rig::new(relay.address, Profile::Kube);
    let mut two = Rig::new(relay.address, Profile::Kube);
    one.send(&[1; 32]);
    assert_eq!(two.fetch(), Some(vec![1; 32]));
    two.send(&[2; 32]);
    assert_eq!(one.fetch(), Some(vec![2; 32]));
}

#[test]
fn a_burst_from_outside_is_sent_frame_by_frame_and_what_does_not_fit_is_counted() {
    let relay = Running::start(LOCAL, 0.0);
    let outside = Outside::join(relay.address);
    let mut rig = Rig::new(relay.address, Profile::Kube);
    for at in 0..100 {
        outside.send(&Datagram::frame(5, &[at; 32]));
    }
    outside.send(&Datagram::frame(126, &[0; 32]));
    std::thread::sleep(Duration::from_millis(100));
    for _ in 0..100 {
        rig.run(MS);
        let now_ns = rig.air.now_ns();
        command(&mut rig.chip, now_ns, &[0xe2]);
    }
    let counts = rig.bridge.counts();
    assert_eq!(counts.link.received, 101, "{counts:?}");
    assert_eq!((counts.sent_on_air, counts.overflow), (MAX_WAITING as u64, 36), "{counts:?}");
    assert_eq!(counts.bad_channel, 1);
    let log = rig.air.take_log();
    assert!(log.iter().all(|r| r.outcomes[0] == Outcome::Delivered), "they do not collide");
}

#[test]
fn datagrams_of_a_wrong_size_are_counted_and_harm_nothing() {
    let relay = Running::start(LOCAL, 0.0);
    let outside = Outside::join(relay.address);
    let mut rig = Rig::new(relay.address, Profile::Kube);
    for bytes in [0, 2, 32, 34, 1_400] {
        outside.send(&vec![5; bytes]);
    }
    outside.send(&Datagram::frame(5, &[3; 32]));
    assert_eq!(rig.fetch(), Some(vec![3; 32]));
    assert_eq!(relay.finish().counts().malformed, 5);
    // The same straight to a link, also from somebody who is not its relay.
    let fake = UdpSocket::bind(LOCAL).expect("a port");
    let mut link = Link::new(&fake.local_addr().expect("bound").to_string()).expect("an address");
    link.greet();
    let (_, back) = fake.recv_from(&mut [0; 10]).expect("the hello");
    fake.send_to(&[1; 32], back).expect("sent");
    let stranger = UdpSocket::bind(LOCAL).expect("a port");
    stranger.send_to(&Datagram::frame(5, &[1; 32]), back).expect("sent");
    fake.send_to(&Datagram::frame(6, &[2; 32]), back).expect("sent");
    let heard = link.receive(SOON).expect("the socket lives").expect("a frame");
    assert_eq!(heard.channel, 6);
    assert_eq!(link.counts().malformed, 2);
    assert!(link.take_error().is_some());
}

#[test]
fn peers_and_relays_that_vanish_are_survived() {
    let relay = Running::start(LOCAL, 0.0);
    let address = relay.address;
    let vanished = Outside::join(address);
    let mut rig = Rig::new(address, Profile::Kube);
    drop(vanished);
    (0..5).for_each(|at| rig.send(&[at; 32]));
    let outside = Outside::join(address);
    rig.send(&[8; 32]);
    assert_eq!(outside.receive(), Some(Datagram::frame(5, &[8; 32]).to_vec()));
    // The relay goes; sending and receiving stay without error; it comes back.
    relay.finish();
    (0..5).for_each(|at| rig.send(&[at; 32]));
    let relay = Running::start(&address.to_string(), 0.0);
    let outside = Outside::join(relay.address);
    rig.send(&[4; 32]);
    assert_eq!(outside.receive(), Some(Datagram::frame(5, &[4; 32]).to_vec()));
    outside.send(&Datagram::frame(5, &[6; 32]));
    assert_eq!(rig.fetch(), Some(vec![6; 32]), "the frame made the bridge a peer again");
}

#[test]
fn frames_that_a_datagram_cannot_carry_are_counted() {
    let relay = Running::start(LOCAL, 0.0);
    let outside = Outside::join(relay.address);
    let mut rig = Rig::new(relay.address, Profile::Kube);
    let now_ns = rig.air.now_ns();
    rig.chip.enable(now_ns, false);
    command(&mut rig.chip, now_ns, &[0x30, 1, 2, 3, 4, 5]);
    rig.send(&[1; 32]);
    assert_eq!(outside.receive(), None);
    assert_eq!(rig.bridge.counts().not_carried, 1);
}

#[test]
fn the_program_relays_listens_and_captures() {
    let program = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kube-air"));
        command.args(arguments);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().expect("it starts")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("heard.pcapng");
    let free = UdpSocket::bind(LOCAL).and_then(|socket| socket.local_addr()).expect("a port");
    let port = free.port().to_string();
    let relay =
        program(&["relay", "--bind", "127.0.0.1", "--port", &port, "--json", "--seconds", "2.5"]);
    std::thread::sleep(Duration::from_millis(300));
    let path = file.to_str().expect("text");
    let key = ["--key", "00c0ffee00c0ffee"];
    let arguments = ["listen", "--port", &port, "--json", "--count", "2", "--capture", path];
    let listen = program(&[&arguments[..], &key[..]].concat());
    std::thread::sleep(Duration::from_millis(500));
    let outside = Outside::join(free);
    let mut payload = [0; 32];
    payload[..24].copy_from_slice(
        b"\x01\xff\x07\x60\x10\0\0\0\x14node1\0\x02\x01\x03\x34\x12\x99\x8f\x79\x63",
    );
    outside.send(&[0; 32]);
    outside.send(&Datagram::frame(5, &payload));
    outside.send(&Datagram::frame(15, &[1; 32]));
    let heard = listen.wait_with_output().expect("it ends after two frames");
    let text = String::from_utf8(heard.stdout).expect("text");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!((&lines[0]["kind"], &lines[0]["auth"]), (&"heartbeat".into(), &true.into()));
    assert_eq!(lines[1]["ch"], 15);
    let bytes = std::fs::read(&file).expect("the capture");
    let records: Vec<_> = CaptureReader::new(&bytes).expect("pcapng").flatten().collect();
    assert_eq!(records.iter().map(|r| r.frame.channel).collect::<Vec<_>>(), [5, 15]);
    let relay = relay.wait_with_output().expect("it ends after its time");
    assert!(relay.status.success());
    let counts: serde_json::Value = serde_json::from_slice(&relay.stdout).expect("JSON");
    assert_eq!((&counts["frames"], &counts["malformed"]), (&2.into(), &1.into()));
    let talk = String::from_utf8(relay.stderr).expect("text");
    assert!(talk.contains("dropped: datagram of 32 bytes"), "{talk}");
}

/// A relay outlives whoever looked at what it says.
#[test]
fn a_closed_stderr_is_no_surprise() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kube-air"));
    command.args(["relay", "--bind", "127.0.0.1", "--port", "0", "--seconds", "0.2"]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("it starts");
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn wrong_usage_is_2() {
    let status = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("kube-air").expect("it is built");
        command.args(arguments).output().expect("it runs").status.code()
    };
    assert_eq!(status(&["relay", "--loss", "1.5"]), Some(2));
    assert_eq!(status(&["listen", "--key", "xyz"]), Some(2));
    assert_eq!(status(&[]), Some(2));
}

#[test]
fn a_port_in_use_is_6_and_an_unknown_host_is_1() {
    let taken = UdpSocket::bind(LOCAL).expect("a port");
    let port = taken.local_addr().expect("bound").port().to_string();
    let run = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("kube-air").expect("it is built");
        let output = command.args(arguments).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, talk) = run(&["relay", "--bind", "127.0.0.1", "--port", &port]);
    assert_eq!(code, Some(6), "{talk}");
    assert!(talk.contains("--port"), "it says what to do: {talk}");
    let (code, talk) = run(&["listen", "no.such.host.invalid"]);
    assert_eq!(code, Some(1), "{talk}");
    assert!(talk.contains("kube-air relay"), "it says what to do: {talk}");
}
