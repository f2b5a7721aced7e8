//! A dongle's firmware in an emulator on a lab's air, heard by the real kube-sniff over its serial port.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

mod desk;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};

use desk::{Desk, Said};
use kube_air::{AirConfig, Departure, StationId};
use kube_boards::fleet::Fleet;
use kube_lab::dongle::Listening;
use kube_lab::lab::{Lab, Setup};
use kube_lab::scenario::play::{Watcher, play};
use kube_lab::scenario::suite;
use kube_lab::terminal::Terminal;
use kube_lab::world::{AIR, World};
use kube_proto::capture::Captured;
use kube_proto::frame::{Address, CrcMode, Rate, encode};
use kube_proto::pcapng::CaptureReader;
use kube_sniff::decoder::{Heard, State};

const KEY: &str = "00c0ffee00c0ffee";

/// Puts a dongle into a lab before its first step, and serves it.
struct Served {
    firmware: PathBuf,
    tell: Sender<PathBuf>,
    dongle: Option<Listening>,
}

impl Watcher for Served {
    fn world(&mut self, world: &mut World) {
        if let Some(dongle) = &mut self.dongle {
            dongle.serve(world).unwrap();
            return;
        }
        let dongle = self.dongle.insert(Listening::new(world, &self.firmware).unwrap());
        self.tell.send(dongle.path().to_owned()).unwrap();
        dongle.await_program(world, &|| false).unwrap();
    }
}

fn sniff(desk: &Desk, arguments: &[&str]) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("kube-sniff"));
    command.args(arguments).current_dir(desk.path(".")).env_remove("KUBE_KEY");
    // Whoever reads a pipe too late stops the writer.
    let lines = std::fs::File::create(desk.path("lines.txt")).unwrap();
    command.stdout(lines).stderr(Stdio::piped()).spawn().unwrap()
}

/// Frames of one interface of a capture, with their times.
fn frames(bytes: &[u8], interface: &str) -> Vec<(u64, Captured)> {
    let records = CaptureReader::new(bytes).unwrap().map(|record| record.unwrap());
    let of_it = records.filter(|record| record.name == interface);
    of_it.map(|record| (record.at_ns, record.frame)).collect()
}

#[test]
fn a_whole_lab_is_heard_by_way_of_the_firmware_and_nothing_is_sent() {
    let Some(firmware) = std::env::var_os("KUBE_DONGLE_FIRMWARE").map(PathBuf::from) else {
        println!("skipped: needs KUBE_DONGLE_FIRMWARE, a file of cargo xtask dongle");
        return;
    };
    let desk = Desk::new();
    let (tell, told) = channel();
    // The rollout alone has about a hundred frames, too few.
    let (_, scenario) = suite::load("lab3-node-dies").unwrap();
    let fleet = &scenario.plans[0].fleet;
    let word = fleet.given_key(&fleet.boards[0]);
    let lab = std::thread::spawn(move || {
        let plan = &scenario.plans[0];
        let system = kube_modules::build().unwrap();
        let mut served = Served { firmware, tell, dongle: None };
        let run = play(&system, plan, &Setup::new(&plan.fleet, 5), &mut served).unwrap();
        assert!(run.held(plan));
        (run, served.dongle.unwrap().account())
    });
    let port = told.recv().unwrap();
    let source = format!("serial:{}", port.display());
    let key = ["--cluster", "kube", "--key", &word];
    let listening = sniff(&desk, &[&[source.as_str(), "-w", "heard.pcapng"], &key[..]].concat());
    let (run, account) = lab.join().unwrap();
    // The lab ends, its port goes: to kube-sniff the dongle was pulled out.
    let said: Said = listening.wait_with_output().unwrap().into();
    let said = said.fails(3, "it was pulled out");
    assert!(said.err.contains("kube::source::none") && said.err.contains("kube-sniff list"));
    assert_eq!((account.transmissions, account.spoilt), (0, 0), "passive stays passive");

    let on_air: Vec<_> = run.heard.iter().map(|heard| (heard.at_ns, heard.frame)).collect();
    let heard = frames(&desk.read("heard.pcapng"), &source);
    assert!(heard.len() > 100, "{}", heard.len());
    // What ends with the lab may still be on its way.
    assert!(heard.len() <= on_air.len() && heard.len() + 2 >= on_air.len(), "{}", said.err);
    for ((_, heard), (_, sent)) in heard.iter().zip(&on_air) {
        assert_eq!((heard.bits, heard.channel, heard.rate), (sent.bits, sent.channel, sent.rate));
    }
    // The beginnings of the two clocks differ, and nothing else.
    let offset = |at: usize| i128::from(heard[at].0) - i128::from(on_air[at].0);
    let worst = (0..heard.len()).map(|at| (offset(at) - offset(0)).abs()).max().unwrap();
    assert!(worst <= 2_000, "{worst} ns");
    let lines = String::from_utf8(desk.read("lines.txt")).unwrap();
    assert!(lines.lines().filter(|line| line.contains(" good")).count() > 100, "{lines}");
}

#[test]
fn a_thousand_frames_in_a_row_are_heard_each_with_its_time() {
    let Some(firmware) = std::env::var_os("KUBE_DONGLE_FIRMWARE").map(PathBuf::from) else {
        println!("skipped: needs KUBE_DONGLE_FIRMWARE, a file of cargo xtask dongle");
        return;
    };
    const FRAMES: u32 = 1_000;
    let desk = Desk::new();
    let mut world = World::new(AirConfig::default(), 1).unwrap();
    let mut dongle = Listening::new(&mut world, &firmware).unwrap();
    let sender = world.add_outsider();
    let source = format!("serial:{}", dongle.path().display());
    let listening = sniff(&desk, &[&source, "-w", "heard.pcapng", "-q", "-c", "1000"]);
    dongle.await_program(&mut world, &|| false).unwrap();
    let (mut start_ns, mut sent) = (world.now_ns() + 2_000_000, Vec::new());
    for number in 0..FRAMES {
        let mut payload = [0x5a; 32];
        payload[..4].copy_from_slice(&number.to_le_bytes());
        let bits = encode(&Address::OBERON, None, &payload, CrcMode::Crc16).unwrap();
        let departure = Departure { start_ns, channel: 5, rate: Rate::M1, power_dbm: 0, bits };
        world.air_mut().inject(sender, departure);
        sent.push((start_ns, Captured::without_preamble(&bits)));
        // Nothing is between the end of one and the beginning of the next.
        start_ns = departure.end_ns();
        world.run_until(start_ns - 1_000_000).unwrap();
        dongle.serve(&mut world).unwrap();
    }
    world.run_until(start_ns).unwrap();
    dongle.serve(&mut world).unwrap();
    let account = dongle.end(&mut world).unwrap();
    assert_eq!((account.transmissions, account.good), (0, u64::from(FRAMES)));
    let said: Said = listening.wait_with_output().unwrap().into();
    assert_eq!(said.done().err, "", "nothing was lost, nothing damaged");
    let heard = frames(&desk.read("heard.pcapng"), &source);
    assert_eq!(heard.len(), sent.len());
    let first_ns = (heard[0].0, sent[0].0);
    for ((at_ns, frame), (sent_ns, bits)) in heard.iter().zip(&sent) {
        assert_eq!(frame.bits, *bits);
        let error_ns = (at_ns - first_ns.0).abs_diff(sent_ns - first_ns.1);
        assert!(error_ns <= 2_000, "{error_ns} ns");
    }
}

#[test]
fn a_cluster_of_thirteen_and_bursts_between_are_heard_frame_by_frame() {
    let Some(firmware) = std::env::var_os("KUBE_DONGLE_FIRMWARE").map(PathBuf::from) else {
        println!("skipped: needs KUBE_DONGLE_FIRMWARE, a file of cargo xtask dongle");
        return;
    };
    const WANTED: usize = 1_200;
    let desk = Desk::new();
    let (tell, told) = channel();
    let lab = std::thread::spawn(move || {
        let fleet = Fleet::new(12, "kube", KEY).unwrap();
        let system = kube_modules::build().unwrap();
        let mut lab = Lab::new(&system, &Setup::new(&fleet, 3)).unwrap();
        let mut dongle = Listening::new(lab.world(), &firmware).unwrap();
        let sender = lab.world().add_outsider();
        tell.send(dongle.path().to_owned()).unwrap();
        dongle.await_program(lab.world(), &|| false).unwrap();
        let mut turns = 0;
        while lab.heard().len() < WANTED {
            if turns == 250 {
                lab.command("plane", "Kube.Ensure web 24 Ticker");
            }
            // Fifty frames without a gap, whatever the cluster has to say meanwhile.
            if turns % 200 == 199 {
                burst(lab.world(), sender, 50);
            }
            lab.run_ms(20).unwrap();
            dongle.serve(lab.world()).unwrap();
            turns += 1;
        }
        // Nobody can be heard any more: what is on its way arrives.
        for board in &fleet.boards {
            lab.cut_off(&board.name, true);
        }
        lab.run_ms(60).unwrap();
        dongle.serve(lab.world()).unwrap();
        let machine_ms = lab.now_ns() / 1_000_000;
        (lab.heard().to_vec(), dongle.account(), machine_ms)
    });
    let port = told.recv().unwrap();
    let source = format!("serial:{}", port.display());
    let arguments = [&source, "-w", "heard.pcapng", "--cluster", "kube", "--key", KEY];
    let listening = sniff(&desk, &arguments);
    let (on_air, account, machine_ms) = lab.join().unwrap();
    let said: Said = listening.wait_with_output().unwrap().into();
    let said = said.fails(3, "it was pulled out");
    assert_eq!((account.transmissions, said.err.matches("were lost").count()), (0, 0));

    // What collided or nobody could hear is not handed on by a chip.
    let whole = |heard: &&Heard| heard.interface == AIR && heard.state != State::Damaged;
    let on_air: Vec<_> = on_air.iter().filter(whole).map(|h| (h.at_ns, h.frame)).collect();
    let heard = frames(&desk.read("heard.pcapng"), &source);
    println!("{} of {} frames in {machine_ms} ms of machine time", heard.len(), on_air.len());
    assert!(on_air.len() > 1_000, "{}", on_air.len());
    let differs =
        heard.iter().zip(&on_air).position(|((_, heard), (_, sent))| heard.bits != sent.bits);
    assert_eq!((differs, heard.len()), (None, on_air.len()), "the first that differs; frames");
    let offset = |at: usize| i128::from(heard[at].0) - i128::from(on_air[at].0);
    let worst = (0..heard.len()).map(|at| (offset(at) - offset(0)).abs()).max().unwrap();
    assert!(worst <= 2_000, "{worst} ns");
}

/// Frames one behind the other.
fn burst(world: &mut World, sender: StationId, frames: u8) {
    let mut start_ns = world.now_ns() + 2_000_000;
    for number in 0..frames {
        let bits = encode(&Address::OBERON, None, &[number; 32], CrcMode::Crc16).unwrap();
        let departure = Departure { start_ns, channel: 5, rate: Rate::M1, power_dbm: 0, bits };
        world.air_mut().inject(sender, departure);
        start_ns = departure.end_ns();
    }
}

#[test]
fn what_is_no_dongle_is_told_with_cause_and_remedy() {
    let desk = Desk::new();
    let said =
        |source: &str| -> Said { sniff(&desk, &[source]).wait_with_output().unwrap().into() };
    let missing = said("serial:/dev/kube-no-such-port").fails(3, "the dongle serial:/dev/kube-no");
    assert!(missing.err.contains("kube-sniff list"), "{}", missing.err);
    // A line on which nobody answers, and one on which something else talks.
    let mut quiet = Terminal::new().unwrap();
    let source = format!("serial:{}", quiet.path().display());
    let silent = said(&source).fails(3, "nothing answers there in 3 s");
    assert!(silent.err.contains("cargo xtask dongle"), "{}", silent.err);
    quiet.send(&b"login: \r\n".repeat(200)).unwrap();
    let garbage = said(&source).fails(1, "something else talks there");
    assert!(garbage.err.contains("kube::source::damaged"), "{}", garbage.err);
}
