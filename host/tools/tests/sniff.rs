//! kube-sniff as a program: formats, filters, rules, captures, tables, errors.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod desk;
#[path = "sniff/mod.rs"]
mod shared;

use std::process::Stdio;

use kube_proto::datagram::Datagram;
use kube_proto::pcapng::CaptureReader;
use kube_sniff::source::udp::payload;
use shared::{Relay, capture, everything, expect, message, run};

#[test]
fn every_format_is_as_recorded() {
    let desk = shared::desk();
    let said = |words: &str| run(&desk, "kube-sniff", words).done().out;
    expect("plain.txt", &said("-r all.pcapng"));
    expect("hex.txt", &said("-r all.pcapng -x --kind heartbeat -c 2"));
    expect("delta.txt", &said("-r all.pcapng --time delta --channel 15"));
    expect("colour.txt", &said("-r all.pcapng --color always -c 6"));
    expect("frames.ndjson", &said("-r all.pcapng --json"));
    expect("top.txt", &said("top -r all.pcapng"));
    expect("top.json", &said("top -r all.pcapng --json"));
    for line in said("-r all.pcapng --json").lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["schema"], "kube-sniff-frame/v1");
    }
}

#[test]
fn filters_take_what_they_say() {
    let desk = shared::desk();
    let lines = |words: &str| {
        let said = run(&desk, "kube-sniff", &format!("-q -r all.pcapng {words}")).done();
        assert_eq!(said.err, "");
        said.out.lines().count()
    };
    assert_eq!(lines(""), everything().len());
    assert_eq!(lines("--node node1"), 6);
    assert_eq!(lines("--board node1"), 6);
    assert_eq!(lines("--kind heartbeat --state good"), 4);
    assert_eq!(lines("--state bad --state damaged"), 2);
    assert_eq!(lines("--channel 15"), 5);
    assert_eq!(lines("-c 3"), 3);
    assert_eq!(lines("--duration 500ms"), 12);
    assert_eq!(lines("--until-silent 1s"), 14);
    run(&desk, "kube-sniff", "-r all.pcapng --kind hartbeat").fails(2, "did you mean heartbeat?");
    run(&desk, "kube-sniff", "-r all.pcapng --state god").fails(2, "did you mean good?");
}

#[test]
fn keys_come_from_flags_before_the_fleet_and_are_never_shown() {
    let desk = shared::desk();
    let good = |words: &str| {
        let said = run(&desk, "kube-sniff", &format!("-r all.pcapng -v {words}")).done();
        assert!(!said.out.contains(shared::KEY) && !said.err.contains(shared::KEY));
        said.out.lines().filter(|line| line.contains(" good")).count()
    };
    assert_eq!(good(""), 9);
    assert_eq!(good("--key 99"), 1);
    assert_eq!(good("--cluster other"), 0);
    // While the cluster changes its key both count, whichever is called the other.
    assert_eq!(good("--other-key 99"), 10);
    assert_eq!(good("--key 99 --other-key 0011223344556677"), 10);
    assert_eq!(good("--other-key 98 --other-key 99"), 10);
    run(&desk, "kube-sniff", "-r all.pcapng --other-key 9x").fails(2, "--other-key");
    std::fs::remove_file(desk.path("fleet.toml")).unwrap();
    let said = run(&desk, "kube-sniff", "-r all.pcapng").done();
    assert_eq!(said.out.matches(" unchecked").count(), 10);
    assert_eq!(good("--key 0011223344556677"), 9);
}

#[test]
fn passwords_are_masked_unless_they_are_asked_for() {
    let desk = shared::desk();
    for words in ["-r all.pcapng -x", "-r all.pcapng --json"] {
        let said = run(&desk, "kube-sniff", words).done();
        assert!(said.out.contains("**") && !said.out.contains("11223344"), "{}", said.out);
        assert!(!said.out.contains("11 22 33 44"), "{}", said.out);
        let said = run(&desk, "kube-sniff", &format!("{words} --show-secrets")).done();
        assert!(said.out.contains("11223344") || said.out.contains("11 22 33 44"), "{}", said.out);
    }
}

#[test]
fn a_capture_goes_through_files_and_pipes_unchanged() {
    let desk = shared::desk();
    run(&desk, "kube-sniff", "-r all.pcapng -w copy.pcapng").done();
    assert_eq!(desk.read("copy.pcapng"), desk.read("all.pcapng"));
    let piped = desk.program("kube-sniff").args(["-r", "all.pcapng", "-w", "-"]).output().unwrap();
    assert_eq!(piped.stdout, desk.read("all.pcapng"), "nothing else on standard output");
    let mut command = desk.program("kube-sniff");
    let read = command.args(["-r", "-"]).write_stdin(piped.stdout).output().unwrap();
    let direct = run(&desk, "kube-sniff", "-r all.pcapng").done();
    assert_eq!(String::from_utf8_lossy(&read.stdout), direct.out);
    // What a killed writer leaves behind can be used.
    let whole = desk.read("all.pcapng");
    desk.write("cut.pcapng", &whole[..whole.len() - 10]);
    let said = run(&desk, "kube-sniff", "-r cut.pcapng").done();
    assert_eq!(said.out.lines().count(), everything().len() - 1);
    assert!(said.err.contains("cut short after 15 records"), "{}", said.err);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let desk = shared::desk();
    let many: Vec<_> = (0..5_000).map(|at| (at, message("heartbeat", "node1", &[], 1))).collect();
    capture(&desk.path("many.pcapng"), &many);
    for words in ["-r many.pcapng", "-r many.pcapng --json", "-r many.pcapng -w -"] {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("kube-sniff"));
        command.args(words.split(' ')).current_dir(desk.path("."));
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut first = [0];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{words}: {talk}");
        assert!(!talk.contains("error"), "{talk}");
    }
}

#[test]
fn an_interrupted_capture_is_readable() {
    let desk = shared::desk();
    for (signal, code) in [("-INT", Some(130)), ("-TERM", Some(130)), ("-KILL", None)] {
        let relay = Relay::new();
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("kube-sniff"));
        command.args([&relay.place(), "-w", "live.pcapng"]).current_dir(desk.path("."));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let listener = relay.hello();
        let frames: Vec<_> = everything().into_iter().take(3).map(|(_, frame)| frame).collect();
        for frame in &frames {
            let datagram = Datagram::frame(frame.channel, &payload(frame).unwrap());
            relay.0.send_to(&datagram, listener).unwrap();
        }
        let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        for _ in 0..3 {
            std::io::BufRead::read_line(&mut lines, &mut text).unwrap();
        }
        assert!(text.contains("node1"), "{text}");
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), code, "{signal}");
        let file = desk.read("live.pcapng");
        let records: Vec<_> = CaptureReader::new(&file).unwrap().map(Result::unwrap).collect();
        let heard: Vec<_> = records.iter().map(|record| record.frame.bits).collect();
        assert_eq!(heard, frames.iter().map(|frame| frame.bits).collect::<Vec<_>>(), "{signal}");
    }
}

#[test]
fn rules_end_the_run_with_an_exit_code() {
    let desk = shared::desk();
    let with = |rules: &str| run(&desk, "kube-sniff", &format!("-r all.pcapng {rules}"));
    let said = with("--expect \"nodes = 1\" --expect \"no foreign\" --json").done();
    let verdicts: Vec<serde_json::Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|object: &serde_json::Value| object["kind"] == "rule")
        .collect();
    assert_eq!(verdicts.len(), 2);
    assert!(verdicts.iter().all(|object| object["verdict"] == "held"), "{verdicts:?}");
    let said = with("--expect \"no bad\"").fails(1, "error[kube::expect::broken]");
    assert!(said.err.contains("no bad: frame 6, heartbeat"), "{}", said.err);
    assert!(said.out.lines().count() <= 6, "it ends where the rule is broken");
    with("--expect \"heartbeat node1 every 1s±20%\"").fails(1, "node1 is silent for 2 s");
    with("--expect \"pods Ticker >= 2 within 1s\"").done();
    with("--expect \"hartbeat every 1s\"").fails(2, "did you mean heartbeat?");
    // A silent air breaks rules, too: it is the clock that tells.
    let relay = Relay::new();
    let words = format!("{} --duration 300ms --expect \"heartbeat within 100ms\"", relay.place());
    run(&desk, "kube-sniff", &words).fails(1, "0 by then");
    assert!(run(&desk, "kube-sniff", "rules").done().out.contains("cadence"));
}

#[test]
fn captures_are_compared_without_their_times() {
    let desk = shared::desk();
    let later: Vec<_> = everything().into_iter().map(|(at, frame)| (at * 3, frame)).collect();
    capture(&desk.path("later.pcapng"), &later);
    let said = run(&desk, "kube-sniff", "diff all.pcapng later.pcapng").done();
    assert_eq!(said.out, "16 frames in both, 0 only in a, 0 only in b\n");
    let mut other = later.clone();
    other.remove(4);
    other[0].1 = message("heartbeat", "node1", &[1, 3], 222);
    capture(&desk.path("other.pcapng"), &other);
    let said = run(&desk, "kube-sniff", "diff all.pcapng other.pcapng");
    expect("diff.txt", &said.fails(1, "kube::capture::differs").out);
    let said = run(&desk, "kube-sniff", "diff all.pcapng other.pcapng --json");
    expect(
        "diff.ndjson",
        &said.fails(1, "kube::capture::differs").out.replace(said_error(&desk).as_str(), ""),
    );
    // Another counter is the same content; a missing query is not.
    let said =
        run(&desk, "kube-sniff", "diff all.pcapng other.pcapng --content").fails(1, "differ");
    assert!(said.out.ends_with("15 frames in both, 1 only in a, 0 only in b\n"), "{}", said.out);
}

/// The error object at the end, which is not this test's subject.
fn said_error(desk: &desk::Desk) -> String {
    let said = run(desk, "kube-sniff", "diff all.pcapng other.pcapng --json");
    format!("{}\n", said.out.lines().last().unwrap_or_default())
}

#[test]
fn what_a_source_cannot_show_is_said() {
    let desk = shared::desk();
    let relay = Relay::new();
    let said = run(&desk, "kube-sniff", &format!("{} --duration 10ms", relay.place())).done();
    assert!(said.err.contains("no acknowledgements, repetitions, damaged frames"), "{}", said.err);
    let said = run(&desk, "kube-sniff", "-r all.pcapng -c 1").done();
    assert!(said.err.contains("a capture has what its writer heard"), "{}", said.err);
    assert!(said.err.contains("1 frames") && said.err.contains("0 dropped"), "{}", said.err);
}

#[test]
fn the_table_fits_a_narrow_terminal_and_ends_with_a_key() {
    let desk = shared::desk();
    let program = assert_cmd::cargo::cargo_bin("kube-sniff");
    let on = |terminal: &str, columns: u32, key: &[u8]| {
        let line = format!(
            "stty cols {columns} rows 20; {} top -r all.pcapng; echo code $?; stty -a",
            program.display()
        );
        let mut command = std::process::Command::new("script");
        command
            .args(["-qec", &line, "/dev/null"])
            .current_dir(desk.path("."))
            .env("TERM", terminal);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (mut text, mut chunk) = (String::new(), [0; 4096]);
        let mut pressed = false;
        loop {
            let len = std::io::Read::read(&mut screen, &mut chunk).unwrap();
            text.push_str(&String::from_utf8_lossy(&chunk[..len]));
            if len == 0 {
                break;
            }
            // Blanks are jumped over: the word is drawn in pieces.
            if text.contains("over:") && text.contains("quits") && !pressed {
                std::io::Write::write_all(&mut keys, key).unwrap();
                pressed = true;
            }
        }
        child.wait().unwrap();
        text
    };
    let screen = |columns| on("xterm", columns, b"q");
    let wide = screen(120);
    assert!(wide.contains("node1") && wide.contains("LONGEST"), "{wide}");
    assert!(wide.contains("code 0"), "{wide}");
    let narrow = screen(34);
    assert!(narrow.contains("node1") && !narrow.contains("LONGEST"), "{narrow}");
    assert!(narrow.contains("code 0"), "{narrow}");
    // The keys are told on the narrowest as well. Ctrl-C is a key there; the terminal is as before.
    let ended = on("xterm", 20, b"\x03");
    assert!(ended.contains("node1") && ended.contains("code 130"), "{ended}");
    let (_, after) = ended.rsplit_once("\x1b[?1049l").unwrap();
    let words = |word: &&str| ["icanon", "echo", "isig"].contains(word);
    let modes = after.split([' ', ';', '\r', '\n']).filter(words);
    assert_eq!(modes.count(), 3, "{after}");
    // Where nothing can be drawn the table comes as lines.
    let dumb = on("dumb", 80, b"");
    assert!(dumb.contains("node1") && dumb.contains("code 0"), "{dumb}");
    assert!(!dumb.contains('\x1b'), "{dumb}");
}

/// A capture on standard input that goes on: Ctrl-C ends it, and what came by then is kept.
#[test]
fn an_interrupt_keeps_what_was_read_of_a_capture() {
    let desk = shared::desk();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("kube-sniff"));
    command.args(["-r", "-", "-w", "copy.pcapng"]).current_dir(desk.path("."));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut writer = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut writer, &desk.read("all.pcapng")).unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..everything().len() {
        std::io::BufRead::read_line(&mut lines, &mut text).unwrap();
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let said: desk::Said = child.wait_with_output().unwrap().into();
    said.fails(130, "error[kube::interrupted]: interrupted");
    drop(writer);
    assert_eq!(desk.read("copy.pcapng"), desk.read("all.pcapng"));
}

/// However short the time to listen: what a capture says is known when all of it was read.
#[test]
fn a_capture_is_read_to_its_end_before_something_is_said_of_it() {
    let desk = shared::desk();
    let said = run(&desk, "kube", "--source pcap:all.pcapng --listen 0s get nodes").done();
    let first = said.out.lines().nth(1).unwrap_or_default();
    let words: Vec<_> = first.split_whitespace().take(3).collect();
    assert_eq!(words, ["node1", "Ready", "1"], "the last heartbeat counts: {}", said.out);
    run(&desk, "kube", "--source pcap:fleet.toml --listen 0s get nodes")
        .fails(1, "kube::source::damaged");
}

#[test]
fn sources_that_are_not_there_have_their_codes() {
    let desk = shared::desk();
    let sniff = |words: &str| run(&desk, "kube-sniff", words);
    sniff("-r none.pcapng").fails(3, "kube::source::none");
    sniff("sim:none.sock").fails(3, "kube-lab run --attach");
    sniff("usb:no-such-serial").fails(3, "kube::source::usb");
    sniff("udp:no.such.host.invalid").fails(1, "kube::source::io");
    sniff("tcp:somewhere").fails(2, "is no source");
    sniff("udp:localhost:99999").fails(2, "is no source");
    sniff("-r .").fails(1, "cannot read the capture .");
    sniff("-r all.pcapng -c 0").fails(2, "--count");
    sniff("serial:fleet.toml").fails(3, "it is no serial port");
    sniff("-r fleet.toml").fails(1, "kube::source::damaged");
    sniff("-r all.pcapng -w none/x.pcapng").fails(1, "kube::capture::write");
    sniff("-r all.pcapng sim:").fails(2, "cannot be used with");
    // Somebody else's socket.
    let listener = std::os::unix::net::UnixListener::bind(desk.path("other.sock")).unwrap();
    let answer = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    sniff("sim:other.sock").fails(1, "does not speak as a lab does");
    answer.join().unwrap();
}
