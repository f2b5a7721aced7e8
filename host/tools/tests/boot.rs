//! `kube-boot` as a program, with a machine in the emulator on a pseudo-terminal.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use assert_cmd::Command;
use kube_lab::attach::Attach;
use kube_lab::lab::{Lab, Setup};
use kube_lab::line::{self, Rig};
use kube_lab::terminal::Terminal;
use tempfile::TempDir;

/// A machine that runs in real time, and a folder for the tool.
struct Board {
    port: PathBuf,
    over: Arc<AtomicBool>,
    machine: Option<JoinHandle<()>>,
    folder: TempDir,
}

struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Board {
    fn new(start: &'static [&'static str]) -> Self {
        Self::with(move || Rig::new(&line::system().unwrap(), start).unwrap())
    }

    /// A machine that waits in its PROM for an image from the line.
    fn in_its_loader() -> Self {
        Self::with(|| {
            let mut rig = Rig::switched_on(&line::system().unwrap(), &[]).unwrap();
            rig.machine.set_switches(1);
            rig
        })
    }

    fn with(rig: impl FnOnce() -> Rig + Send + 'static) -> Self {
        let mut terminal = Terminal::new().unwrap();
        let port = terminal.path().to_owned();
        let over = Arc::new(AtomicBool::new(false));
        let watched = over.clone();
        let machine = std::thread::spawn(move || {
            rig().serve(&mut terminal, || watched.load(Ordering::Relaxed)).unwrap();
        });
        Self { port, over, machine: Some(machine), folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::cargo_bin("kube-boot").unwrap();
        command.current_dir(self.folder.path()).env_remove("KUBE_BOARD").env_remove("KUBE_FLEET");
        command.arg("--port").arg(&self.port);
        command
    }

    /// Runs the tool on the machine's port.
    fn boot(&self, arguments: &[&str]) -> Said {
        said(self.command().args(arguments))
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let machine = self.machine.take().unwrap();
        if machine.join().is_err() {
            assert!(std::thread::panicking(), "the machine's thread ended with a panic");
        }
    }
}

fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    Said { code, out: text(output.stdout), err: text(output.stderr) }
}

#[track_caller]
fn assert_said(said: &Said, code: i32, out: &str, err: &str) {
    assert_eq!(said.code, code, "{}{}", said.out, said.err);
    assert_eq!(said.out, out, "{}", said.err);
    assert!(said.err.contains(err), "no {err:?} in\n{}", said.err);
}

#[test]
fn commands_are_run_and_their_words_are_exit_codes() {
    let board = Board::new(&[]);
    let said = board.boot(&["Counted.Up; Counted.Up"]);
    assert_said(&said, 0, "count 1\ncount 2\n", "Run done: Counted.Up on ");
    let said = board.boot(&["Counted.Refused"]);
    assert_said(&said, 1, "count 3\n", "error[kube::command::failed]: Counted.Refused failed on ");
    let said = board.boot(&["Counted.Upp", "3"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("the form is Module.Command parameters"), "{}", said.err);
    let said = board.boot(&["--json", "Counted.Trap"]);
    let object: serde_json::Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!((&object["word"], &object["output"][0]), (&"failed".into(), &"count 4".into()));
    assert_eq!(object["schema"], "kube/v1");
    // The trap has not cost the rest.
    assert_said(&board.boot(&["Counted.Up"]), 0, "count 5\n", "");
}

#[test]
fn a_slip_is_told_before_anything_is_sent() {
    let board = Board::new(&[]);
    for (arguments, code, err) in [
        (&["mointor"][..], 2, "did you mean kube-boot monitor?"),
        (&[], 2, "no command was given"),
        (&["A.B \u{e4}"], 2, "only printable ASCII"),
        (&["--timeout", "soon", "A.B"], 2, "expected a number of seconds"),
        (&["load", "nope.img"], 1, "nope.img cannot be read"),
        (&["--dry-run", "Counted.Up"], 0, "would run on"),
    ] {
        assert_said(&board.boot(arguments), code, "", err);
    }
    assert_said(&board.boot(&["Counted.Up"]), 0, "count 1\n", "");
}

#[test]
fn ports_that_are_not_there_in_use_or_unknown() {
    let board = Board::new(&[]);
    let boot = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("kube-boot").unwrap();
        command.current_dir(board.folder.path()).env_remove("KUBE_BOARD").env_remove("KUBE_FLEET");
        said(command.args(arguments))
    };
    let said = boot(&["--port", "/dev/nope", "A.B"]);
    assert_said(&said, 3, "", "error[kube::port::missing]: there is no port /dev/nope");
    let said = boot(&["--port", "/dev/null", "A.B"]);
    assert_said(&said, 1, "", "/dev/null cannot be used as a serial port");
    fs::write(board.path("fleet.toml"), FLEET).unwrap();
    let said = boot(&["--board", "node1", "A.B"]);
    assert_said(&said, 3, "", "error[kube::port::unknown]: node1 has no serial port");
    let local = format!("[boards.node1]\nuart = {:?}\n", board.port.display().to_string());
    fs::write(board.path("fleet.local.toml"), local).unwrap();
    assert_said(&boot(&["--board", "node1", "Counted.Up"]), 0, "count 1\n", "on node1");
    let taken = serialport::new(board.port.to_str().unwrap(), 115_200).open().unwrap();
    let said = boot(&["--board", "node1", "A.B"]);
    assert_said(&said, 6, "", "error[kube::port::busy]");
    drop(taken);
}

const FLEET: &str = "[cluster]\nname = \"kube\"\nkey = \"0011223344556677\"\n\n[boards.node1]\nrole = \
                     \"node\"\n";

#[test]
fn a_silent_board_is_named_and_nothing_hangs() {
    // Nobody answers on the other side.
    let terminal = Terminal::new().unwrap();
    let mut command = Command::cargo_bin("kube-boot").unwrap();
    command.arg("--port").arg(terminal.path()).args(["--timeout", "3", "Counted.Up"]);
    let said = said(&mut command);
    assert_said(&said, 124, "", "error[kube::line::silent]");
    assert!(said.err.contains("no reply for 2 s;"), "{}", said.err);
    assert!(said.err.contains("nothing at all has come over the line"), "{}", said.err);
}

#[test]
fn what_is_not_answered_in_time_is_unknown() {
    let board = Board::new(&[]);
    let said = board.boot(&["--timeout", "2", "Counted.Slow"]);
    assert_said(&said, 124, "", "unknown: whether Counted.Slow was done on");
}

#[test]
fn the_monitor_shows_logs_and_ends_when_asked() {
    let board = Board::new(&[]);
    let log = board.path("board.log");
    let mut command = board.command();
    command.args(["--timestamps", "--exit-on", "count 1", "--timeout", "20", "--log"]);
    let monitor = std::thread::spawn({
        let log = log.clone();
        move || said(command.arg(&log).arg("monitor"))
    });
    // Somebody else types: the machine's own line, from the other side of the terminal.
    std::thread::sleep(std::time::Duration::from_millis(700));
    let mut port = fs::OpenOptions::new().write(true).open(&board.port).unwrap();
    std::io::Write::write_all(&mut port, b"Counted.Up\n").unwrap();
    let said = monitor.join().unwrap();
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.lines().any(|line| line.ends_with(" count 1")), "{}", said.out);
    assert_eq!(read(&log), said.out);
    let said = board.boot(&["--timeout", "1", "monitor"]);
    assert_eq!(said.code, 124, "{}", said.err);
}

/// Types a command on the board by hand, from the other side of its terminal.
fn by_hand(board: &Board, line: &str) {
    let mut port = fs::OpenOptions::new().write(true).open(&board.port).unwrap();
    std::io::Write::write_all(&mut port, format!("{line}\n").as_bytes()).unwrap();
}

/// Ctrl-C ends the monitor with 130; what was shown by then stands in the log. A reader that leaves
/// ends it as well, and is no error. Neither keeps the next program from the board.
#[test]
fn an_interrupted_monitor_leaves_its_log_whole() {
    use rustix::process::{Pid, Signal, kill_process};
    let board = Board::new(&[]);
    let monitor = || {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("kube-boot"));
        command.arg("--port").arg(&board.port).arg("--log").arg(board.path("board.log"));
        command.arg("monitor").env("TERM", "dumb").env("COLUMNS", "20");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stderr.take().unwrap()).lines().next().unwrap().unwrap();
        assert!(said.starts_with("Monitor: "), "{said}");
        child
    };
    let mut child = monitor();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    by_hand(&board, "Counted.Up");
    let mut shown = String::new();
    while !shown.contains("count 1\n") {
        assert!(out.read_line(&mut shown).unwrap() > 0, "{shown}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    std::io::Read::read_to_string(&mut out, &mut shown).unwrap();
    assert_eq!(read(&board.path("board.log")), shown);
    assert!(!shown.contains('\x1b'));

    let mut child = monitor();
    drop(child.stdout.take());
    by_hand(&board, "Counted.Up");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_said(&board.boot(&["Counted.Up"]), 0, "count 3\n", "");
}

/// Ctrl-C in the middle of a load: 130, the board goes on with what it runs, and takes the next one.
#[test]
fn an_interrupted_load_leaves_the_board_as_it_was() {
    use rustix::process::{Pid, Signal, kill_process};
    let board = Board::new(&[]);
    fs::write(board.path("boot.img"), &line::system().unwrap().boot_image).unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("kube-boot"));
    command.arg("--port").arg(&board.port).args(["-v", "load"]).arg(board.path("boot.img"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // At 115200 baud the image takes more than three seconds.
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    assert!(child.try_wait().unwrap().is_none(), "it has ended already");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(!err.contains("Load done"), "{err}");
    assert_said(&board.boot(&["--wait", "10", "Counted.Up"]), 0, "count 1\n", "");
    assert_said(&board.boot(&["load", "boot.img"]), 0, "", "Load done: boot.img");
}

#[test]
fn the_monitor_opens_a_port_again_that_came_back() {
    let folder = TempDir::new().unwrap();
    let port = folder.path().join("port");
    let plug = |board: &Board| std::os::unix::fs::symlink(&board.port, &port).unwrap();
    let board = Board::new(&[]);
    plug(&board);
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("kube-boot"));
    command.args(["--exit-on", "count 1", "--timeout", "60", "--port"]).arg(&port).arg("monitor");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut monitor = command.spawn().unwrap();
    let mut said = BufReader::new(monitor.stderr.take().unwrap()).lines();
    let mut until = |text: &str| said.find(|line| line.as_ref().unwrap().contains(text)).is_some();
    assert!(until("Monitor: "));
    fs::remove_file(&port).unwrap();
    drop(board);
    assert!(until("went away; waiting for it"));
    let board = Board::new(&[]);
    plug(&board);
    assert!(until("is back"));
    let mut line = fs::OpenOptions::new().write(true).open(&board.port).unwrap();
    std::io::Write::write_all(&mut line, b"Counted.Up\n").unwrap();
    let output = monitor.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("count 1"));
}

#[test]
fn the_loader_in_the_prom_takes_an_image() {
    let board = Board::in_its_loader();
    fs::write(board.path("boot.img"), &line::system().unwrap().boot_image).unwrap();
    // The system itself does not answer there.
    let said = board.boot(&["--timeout", "3", "Counted.Up"]);
    assert_said(&said, 124, "", "does not answer");
    drop(board);
    let board = Board::in_its_loader();
    fs::write(board.path("boot.img"), &line::system().unwrap().boot_image).unwrap();
    let said = board.boot(&["load", "--loader", "boot.img"]);
    assert_said(&said, 0, "", "Load done: boot.img");
    assert!(said.err.contains("Reset done: "), "{}", said.err);
    assert_said(&board.boot(&["Counted.Up"]), 0, "count 1\n", "");
}

#[test]
fn info_says_what_circuit_runs_on_the_board() {
    let board = Board::new(&[]);
    let said = board.boot(&["info"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let lines: Vec<_> = said.out.lines().skip(1).collect();
    let expected = [
        "boot number  1",
        "circuit      Kubestation, extension registers version 1",
        "build        00000000H",
        "clock        50000000 Hz",
        "features     idle word, watchdog, cycle counter, radio interrupt, receive FIFO",
    ];
    assert_eq!(lines, expected);
    let said = board.boot(&["--json", "info"]);
    let object: serde_json::Value = serde_json::from_str(said.out.trim()).unwrap();
    assert_eq!(object["circuit"]["clock_hz"], 50_000_000);
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn an_image_is_loaded_into_memory_and_started() {
    let board = Board::new(&[]);
    let system = line::system().unwrap();
    fs::write(board.path("boot.img"), &system.boot_image).unwrap();
    let said = board.boot(&["load", "boot.img"]);
    assert_said(&said, 0, "", "Load done: boot.img");
    assert!(said.err.contains("Reset done: "), "{}", said.err);
    assert_said(&board.boot(&["Counted.Up"]), 0, "count 1\n", "");
    fs::write(board.path("short.img"), &system.boot_image[..20_000]).unwrap();
    let said = board.boot(&["load", "short.img"]);
    assert_said(&said, 2, "", "error[kube::load::image]: short.img is no boot image");
}

#[test]
fn a_disk_image_is_written_through_the_running_board() {
    let board = Board::new(&["Counted.Load"]);
    let system = line::system().unwrap();
    let builder = kube_disk::ImageBuilder::new().boot_image(&system.boot_image);
    let builder = builder.files(&system.objects);
    let image = builder.file("Boot.Cmd", b"Counted.Up\n").build().unwrap();
    fs::write(board.path("new.img"), image.bytes()).unwrap();
    let said = board.boot(&["write", "new.img", "--dry-run"]);
    assert_eq!(said.code, 1, "{}", said.err);
    assert_said(&board.boot(&["--non-interactive", "write", "new.img"]), 4, "", "kube::question");
    let said = board.boot(&["--yes", "write", "new.img"]);
    assert_said(&said, 0, "", "each read back there");
    assert!(said.err.contains("runs from its new card"), "{}", said.err);
    // Its new Boot.Cmd has counted once.
    std::thread::sleep(std::time::Duration::from_millis(800));
    assert_said(&board.boot(&["Counted.Up"]), 0, "count 2\n", "");
}

#[test]
fn a_machine_of_a_running_lab_answers_like_a_board() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("fleet.toml"), FLEET).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let lab = std::thread::spawn({
        let (socket, over) = (folder.path().join("kube-lab.sock"), over.clone());
        move || {
            let system = line::system().unwrap();
            let fleet = kube_boards::fleet::Fleet::new(1, "kube", "0011223344556677").unwrap();
            let mut cluster = Lab::new(&system, &Setup::new(&fleet, 1)).unwrap();
            let mut attach = Attach::new(&socket).unwrap();
            while !over.load(Ordering::Relaxed) {
                attach.serve(cluster.world());
                cluster.run_ms(2).unwrap();
            }
        }
    });
    let boot = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("kube-boot").unwrap();
        command.current_dir(folder.path()).env("XDG_RUNTIME_DIR", folder.path());
        command.env_remove("KUBE_BOARD").env_remove("KUBE_FLEET");
        said(command.arg("--board").args(arguments))
    };
    while !folder.path().join("kube-lab.sock").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let said = boot(&["sim:node1", "--exit-on", "joined the air", "monitor"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_said(&boot(&["sim:node1", "Counted.Up"]), 0, "count 1\n", "Counted.Up on sim:node1");
    assert_eq!(boot(&["sim:node1", "Kube.Nope"]).code, 1);
    over.store(true, Ordering::Relaxed);
    lab.join().unwrap();
    assert_said(&boot(&["sim:node1", "Counted.Up"]), 3, "", "no lab runs at");
}
