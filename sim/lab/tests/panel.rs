//! The view of a running cluster: its switches on real machines, and the program on a terminal.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use kube_boards::fleet::{Fleet, Keys};
use kube_lab::lab::{Lab, Setup};
use kube_lab::panel::frames::Mark;
use kube_lab::panel::log::Voice;
use kube_lab::panel::model::{Ending, Panel};
use kube_lab::panel::screen::Screen;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

const MS: u64 = 1_000_000;

/// A cluster and somebody at its keys.
struct Desk {
    panel: Panel,
}

impl Desk {
    fn new(pictures: &Path) -> Self {
        Self::with(pictures, Keys::Shared)
    }

    fn with(pictures: &Path, keys: Keys) -> Self {
        let system = kube_modules::build().unwrap();
        let mut fleet = Fleet::new(2, "kube", "00c0ffee00c0ffee").unwrap();
        fleet.keys = keys;
        Self { panel: Panel::new(&system, &fleet, 1, pictures.to_owned()).unwrap() }
    }

    fn run_ms(&mut self, ms: u64) {
        let end_ns = self.panel.state.now_ns + ms * MS;
        while self.panel.state.now_ns < end_ns {
            let until_ns = end_ns.min(self.panel.state.now_ns + 5 * MS);
            self.panel.advance(until_ns).unwrap();
        }
    }

    /// Waits until something holds.
    #[track_caller]
    fn wait(&mut self, limit_ms: u64, holds: impl Fn(&Panel) -> bool) {
        let end_ns = self.panel.state.now_ns + limit_ms * MS;
        while !holds(&self.panel) {
            assert!(self.panel.state.now_ns < end_ns, "not within {limit_ms} ms");
            self.run_ms(20);
        }
    }

    fn press(&mut self, code: KeyCode) {
        self.panel.key(&KeyEvent::new(code, KeyModifiers::NONE));
    }

    fn keys(&mut self, letters: &str) {
        letters.chars().for_each(|letter| self.press(KeyCode::Char(letter)));
    }

    fn select(&mut self, name: &str) {
        (0..9).for_each(|_| self.press(KeyCode::Up));
        while self.panel.state.machine().name != name {
            self.press(KeyCode::Down);
        }
    }

    fn typed(&mut self, line: &str) {
        self.press(KeyCode::Enter);
        self.keys(line);
        self.press(KeyCode::Enter);
    }

    fn log(&self) -> Vec<String> {
        let log = &self.panel.state.machine().log;
        let shown = |(voice, line): (Voice, &str)| match voice {
            Voice::Typed => format!("> {line}"),
            _ => line.to_owned(),
        };
        log.window(log.len(), 0).map(shown).collect()
    }

    /// Marks of the frames since a moment.
    fn marks(&self, since_ns: u64) -> Vec<Mark> {
        let frames = self.panel.state.frames.iter();
        frames.filter(|passed| passed.at_ns >= since_ns).map(|passed| passed.mark).collect()
    }
}

fn reports(panel: &Panel, node: &str) -> Option<usize> {
    panel.observer().cluster().recent(node).map(<[u8]>::len)
}

fn converged(panel: &Panel) -> bool {
    panel.observer().cluster().converged(4)
}

#[test]
fn every_switch_does_to_the_cluster_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(folder.path());
    desk.wait(20_000, converged);

    desk.select("node1");
    desk.keys("p");
    assert!(!desk.panel.state.machine().power);
    desk.wait(12_000, |panel| reports(panel, "node2") == Some(4));
    desk.run_ms(3_000);
    assert_eq!(reports(&desk.panel, "node1"), None);
    desk.typed("Kubelet.Top");
    assert_eq!(desk.panel.state.notice, "node1 has no power: p switches it on");
    desk.keys("p");
    desk.wait(12_000, |panel| reports(panel, "node1").is_some());
    let log = desk.log().join("\n");
    assert!(log.contains("power off at") && log.contains("power on at"), "{log}");

    desk.select("node2");
    desk.keys("c");
    let since_ns = desk.panel.state.now_ns;
    desk.run_ms(7_000);
    assert_eq!(reports(&desk.panel, "node2"), None);
    let from = |panel: &Panel, mark| {
        let frames = panel.state.frames.iter().filter(|passed| passed.at_ns >= since_ns);
        frames.filter(|passed| passed.from == "node2" && passed.mark == mark).count()
    };
    assert!(from(&desk.panel, Mark::Unheard) > 3 && from(&desk.panel, Mark::Good) == 0);
    desk.keys("c");
    desk.wait(10_000, converged);

    desk.keys("a");
    let since_ns = desk.panel.state.now_ns;
    desk.run_ms(2_000);
    let marks = desk.marks(since_ns);
    assert!(!marks.is_empty() && marks.iter().all(|mark| *mark == Mark::Unheard), "{marks:?}");
    desk.keys("a");
    desk.wait(10_000, converged);

    let collided = desk.panel.state.frames.lost;
    (0..6).for_each(|_| desk.press(KeyCode::Right));
    assert_eq!(desk.panel.state.loss_percent, 30);
    desk.run_ms(10_000);
    let lost = desk.panel.state.frames.lost - collided;
    let frames = desk.panel.state.frames.iter().rev().take(20);
    let fates: Vec<_> = frames.map(|passed| passed.fate()).collect();
    assert!(lost > 10 && fates.iter().any(|fate| fate.contains("lost at ")), "{lost} {fates:?}");
    (0..9).for_each(|_| desk.press(KeyCode::Left));
    assert_eq!(desk.panel.state.loss_percent, 0);
    desk.wait(20_000, converged);
}

#[test]
fn what_is_typed_is_answered_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(folder.path());
    desk.wait(20_000, converged);
    desk.select("plane");
    desk.typed("Kube.Get");
    desk.run_ms(1_500);
    let log = desk.log();
    let asked = log.iter().position(|line| line == "> Kube.Get").unwrap();
    let answer = log[asked..].join("\n");
    assert!(answer.contains("web") && answer.contains("done: Kube.Get"), "{answer}");

    // Apply web 4 Ticker2, and Show on the nodes.
    desk.keys("3");
    desk.wait(60_000, |panel| {
        converged(panel) && panel.observer().cluster().others("Ticker2") == 0
    });
    desk.keys("5");
    desk.run_ms(1_000);
    desk.select("node2");
    let log = desk.log().join("\n");
    assert!(log.contains("> KubeNet.Show\n") && log.contains("done: KubeNet.Show"), "{log}");
    // A longer line than a machine takes is not begun.
    desk.press(KeyCode::Enter);
    desk.keys(&"x".repeat(300));
    assert_eq!(desk.panel.state.input.text().len(), 255);
    desk.press(KeyCode::Esc);
    assert!(!desk.panel.state.typing);
}

/// An intruder at a key, from the first frame until it is known what came of it.
fn intrude(desk: &mut Desk, key: &str) -> String {
    desk.keys(key);
    let asked = desk.panel.state.notice.clone();
    assert!(asked.contains("after its next 3 assignments"), "{key}: {asked}");
    desk.wait(20_000, |panel| panel.state.notice != asked);
    desk.panel.state.notice.clone()
}

#[test]
fn an_intruder_is_kept_out_and_the_control_is_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(folder.path());
    desk.keys("6");
    assert_eq!(desk.panel.state.notice, "no node is heard that could be meant");
    desk.wait(20_000, converged);
    desk.run_ms(1_000);
    desk.select("node1");
    assert_eq!(intrude(&mut desk, "6"), "node1 kept its pods: foreign-tag, 3 times");
    assert_eq!(intrude(&mut desk, "7"), "node1 kept its pods: wrong-key, 3 times");
    let log = desk.log().join("\n");
    assert!(log.matches("intruder: wrong-key at").count() == 3, "{log}");
    // An old list is needed that differs from the one that stands.
    desk.keys("4");
    desk.wait(90_000, |panel| panel.observer().cluster().converged(6));
    desk.keys("3");
    desk.wait(20_000, converged);
    desk.run_ms(1_000);
    assert_eq!(intrude(&mut desk, "8"), "node1 kept its pods: recording, 3 times");
    let since_ns = desk.panel.state.now_ns;
    assert_eq!(intrude(&mut desk, "0"), "node1 obeyed: signed, 3 times");
    assert!(desk.marks(since_ns).contains(&Mark::Good));
    desk.wait(20_000, converged);
    // Every node has the plane's key: there is nothing to try.
    desk.keys("9");
    let said = &desk.panel.state.notice;
    assert!(said.contains("with shared keys"), "{said}");
    // Without a plane nobody is assigned anything.
    desk.select("plane");
    desk.keys("p");
    desk.select("node2");
    let silence = "node2 was assigned nothing for 5 s: is the plane on?";
    assert_eq!(intrude(&mut desk, "7"), silence);
}

#[test]
fn no_node_poses_as_the_plane_where_each_has_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::with(folder.path(), Keys::PerNode);
    desk.wait(20_000, converged);
    desk.run_ms(1_000);
    // The plane is selected: the busiest node is meant.
    for (key, forgery) in [("9", "node"), ("7", "wrong-key"), ("6", "foreign-tag")] {
        let said = intrude(&mut desk, key);
        assert!(said.ends_with(&format!("kept its pods: {forgery}, 3 times")), "{said}");
    }
    let said = intrude(&mut desk, "0");
    assert!(said.ends_with("obeyed: signed, 3 times"), "{said}");
}

/// There is one way to hear: what the view knows is what a lab knows, frame by frame.
#[test]
fn the_view_hears_what_a_lab_hears() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(folder.path());
    desk.run_ms(6_000);
    let system = kube_modules::build().unwrap();
    let fleet = Fleet::new(2, "kube", "00c0ffee00c0ffee").unwrap();
    let mut lab = Lab::new(&system, &Setup::new(&fleet, 1)).unwrap();
    lab.run_ms(6_000).unwrap();
    let frames: Vec<_> = lab.heard().iter().map(|heard| (heard.at_ns, heard.kind())).collect();
    let passed: Vec<_> =
        desk.panel.state.frames.iter().map(|passed| (passed.at_ns, passed.kind)).collect();
    assert!(frames.len() > 20, "{}", frames.len());
    assert_eq!(passed, frames);
    assert_eq!(desk.panel.observer().statistics().frames, lab.observer().statistics().frames);
}

#[test]
fn a_screen_becomes_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(folder.path());
    desk.run_ms(500);
    desk.select("node1");
    // Something to see: the bottom left pixel.
    let station = desk.panel.world().station("node1").unwrap();
    let place = risc5_isa::map::FRAMEBUFFER;
    station.emulator().unwrap().load_words(place, &[1]);
    desk.keys("ss");
    assert!(desk.panel.state.notice.ends_with("node1-2.png"), "{}", desk.panel.state.notice);
    for name in ["node1-1.png", "node1-2.png"] {
        let file = std::io::BufReader::new(File::open(folder.path().join(name)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (1024, 768));
        assert_eq!(pixels[767 * 128] & 0x80, 0, "the pixel is black");
    }
    desk.keys("ps");
    assert!(desk.panel.state.notice.contains("has no screen"), "{}", desk.panel.state.notice);
    std::fs::remove_dir_all(folder.path()).unwrap();
    desk.keys("ps");
    assert!(desk.panel.state.notice.contains("cannot be written"), "{}", desk.panel.state.notice);
}

#[test]
fn it_ends_when_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(folder.path());
    desk.press(KeyCode::Enter);
    desk.keys("q");
    assert_eq!(desk.panel.ending, None, "q was typed");
    desk.press(KeyCode::Esc);
    desk.keys("q");
    assert_eq!(desk.panel.ending, Some(Ending::Quit));
    desk.panel.key(&KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert_eq!(desk.panel.ending, Some(Ending::Interrupted));
}

/// A terminal of a size, and what a program wrote there.
struct Tty {
    ours: File,
    theirs: File,
    written: Vec<u8>,
}

impl Tty {
    fn new(columns: u16, rows: u16) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let path = std::ffi::OsStr::from_bytes(name.to_bytes());
        let theirs = rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        rustix::fs::fcntl_setfl(&ours, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
        let tty = Self { ours: ours.into(), theirs: theirs.into(), written: Vec::new() };
        tty.resize(columns, rows);
        tty
    }

    fn resize(&self, columns: u16, rows: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.theirs, size).unwrap();
    }

    fn start(&self, command: &mut Command) -> Child {
        let end = || Stdio::from(self.theirs.try_clone().unwrap());
        command.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end()).spawn().unwrap()
    }

    fn view(&self, folder: &Path) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kube-lab"));
        self.start(command.args(["view", "--alone", "--pictures"]).arg(folder))
    }

    fn press(&mut self, bytes: &[u8]) {
        self.ours.write_all(bytes).unwrap();
    }

    /// Takes what is written until it holds these bytes.
    #[track_caller]
    fn written(&mut self, text: &str) {
        let patience = Instant::now() + Duration::from_secs(60);
        while !String::from_utf8_lossy(&self.written).contains(text) {
            assert!(Instant::now() < patience, "no {text:?} was written");
            self.read();
        }
    }

    /// Waits until a text stands on the screen.
    #[track_caller]
    fn shows(&mut self, text: &str) {
        let patience = Instant::now() + Duration::from_secs(60);
        while !self.screen().contains(text) {
            assert!(Instant::now() < patience, "no {text:?} on\n{}", self.screen());
            self.read();
        }
    }

    /// What stands on the screen: places, texts and erasing are followed, colours are not.
    fn screen(&self) -> String {
        let all = String::from_utf8_lossy(&self.written).into_owned();
        let mut cells = vec![vec![' '; 200]; 60];
        let (mut row, mut column) = (0, 0);
        let mut letters = all.chars();
        while let Some(letter) = letters.next() {
            if letter == '\x1b' {
                letters.next();
                let mut numbers = String::new();
                let end = letters.find(|&letter| {
                    numbers.push(letter);
                    letter.is_ascii_alphabetic()
                });
                let mut numbers = numbers.split(|c: char| !c.is_ascii_digit()).map(str::parse);
                let mut next = || numbers.next().and_then(Result::ok).unwrap_or(1_usize) - 1;
                match end {
                    Some('H') => (row, column) = (next(), next()),
                    Some('J') => cells.iter_mut().for_each(|row| row.fill(' ')),
                    _ => {}
                }
            } else if let Some(cell) = cells.get_mut(row).and_then(|row| row.get_mut(column)) {
                *cell = letter;
                column += 1;
            }
        }
        let lines = cells.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    fn read(&mut self) {
        let mut bytes = [0; 65_536];
        match self.ours.read(&mut bytes) {
            Ok(len) => self.written.extend_from_slice(&bytes[..len]),
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }

    /// Waits for the end of a program; its terminal must be as it was before.
    #[track_caller]
    fn ends(&mut self, mut child: Child) -> ExitStatus {
        let patience = Instant::now() + Duration::from_secs(60);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < patience, "it does not end");
            self.read();
        };
        self.written("\x1b[?1049l");
        assert!(self.cooked(), "the terminal is still raw");
        status
    }

    fn cooked(&self) -> bool {
        let modes = tcgetattr(&self.theirs).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}

#[test]
fn the_program_starts_obeys_keys_is_resized_and_quits() {
    let folder = tempfile::tempdir().unwrap();
    let mut tty = Tty::new(80, 24);
    let child = tty.view(folder.path());
    tty.written("\x1b[?1049h");
    tty.shows(" NAME  POWER AIR HEARD     SINCE     PODS");
    assert!(!tty.cooked());
    tty.press(b"?");
    tty.shows("\u{2191}\u{2193}    select a machine");
    tty.press(b"\x1b");
    tty.shows("frames");
    tty.resize(60, 18);
    tty.shows(" NAME  POW AIR HEARD   PODS");
    tty.press(b"9");
    tty.shows("with shared keys a node");
    tty.press(b"s");
    tty.shows("plane-1.png");
    assert!(folder.path().join("plane-1.png").exists());
    tty.press(b"q");
    assert_eq!(tty.ends(child).code(), Some(0));
}

#[test]
fn twenty_columns_are_enough_and_a_dumb_terminal_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut tty = Tty::new(20, 8);
    let child = tty.view(folder.path());
    tty.shows(">plane");
    tty.press(b"?");
    tty.shows("select");
    tty.press(b"q");
    assert_eq!(tty.ends(child).code(), Some(0));

    let mut tty = Tty::new(80, 24);
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-lab"));
    let end = || Stdio::from(tty.theirs.try_clone().unwrap());
    command.args(["view", "--alone"]).env("TERM", "dumb").stdin(end()).stdout(end()).stderr(end());
    assert_eq!(command.status().unwrap().code(), Some(2));
    tty.written("error: the terminal can show lines only (TERM=dumb)");
    // A run is told line by line there.
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-lab"));
    command.arg("run").env("TERM", "dumb").stdout(Stdio::null());
    let mut child = command.stderr(tty.theirs.try_clone().unwrap()).spawn().unwrap();
    tty.written("node1 reports");
    assert!(!String::from_utf8_lossy(&tty.written).contains('\x1b'));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn control_c_and_signals_give_the_terminal_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut tty = Tty::new(80, 24);
    let child = tty.view(folder.path());
    tty.shows("frames");
    tty.press(b"\x03");
    assert_eq!(tty.ends(child).code(), Some(130));

    let mut tty = Tty::new(80, 24);
    let child = tty.view(folder.path());
    tty.shows("frames");
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(tty.ends(child).code(), Some(130));
}

/// Set for the program that is to panic.
const PANIC: &str = "KUBE_PANIC_ON_A_TERMINAL";

#[test]
fn a_panic_gives_the_terminal_back() {
    if std::env::var_os(PANIC).is_some() {
        let _screen = Screen::begin().unwrap();
        panic!("planted");
    }
    let mut tty = Tty::new(80, 24);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_panic_gives_the_terminal_back", "--nocapture"]).env(PANIC, "1");
    let child = tty.start(&mut command);
    tty.written("\x1b[?1049h");
    assert!(!tty.ends(child).success());
    tty.written("planted");
}

#[test]
fn without_a_terminal_it_says_what_else_there_is() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-lab"));
    let output = command.arg("view").stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("error: there is no terminal"), "{said}");
    assert!(said.contains("kube-lab lines"), "{said}");
    assert!(output.stdout.is_empty());
}
