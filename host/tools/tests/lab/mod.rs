//! A cluster in the emulator that runs beside the tools, faster than the clock on the wall.
#![allow(dead_code, clippy::unwrap_used, reason = "each test program uses its part of the lab")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use kube_boards::fleet::Fleet;
use kube_lab::attach::Attach;
use kube_lab::lab::{self, Setup};
use tempfile::TempDir;

/// Microseconds on the wall that a step of machine time takes at least: a tool's own waits are in wall
/// time.
const FAST_US: u64 = 200;
/// The same where a tool must answer within a fraction of a second of machine time.
pub const SLOW_US: u64 = 8_000;
/// A step.
const STEP_MS: u64 = 2;
const KEY: &str = "00c0ffee00c0ffee";

/// What the lab's thread and the tests share.
#[derive(Default)]
struct Shared {
    over: AtomicBool,
    now_ms: AtomicU64,
    step_us: AtomicU64,
    changes: AtomicUsize,
    switched: Mutex<Vec<(String, bool)>>,
}

/// A running cluster, and a folder with its fleet file.
pub struct Lab {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    folder: TempDir,
}

/// What a program said.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        Self { code, out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Said {
    #[track_caller]
    pub fn done(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self
    }

    /// Asserts the exit code and a part of stderr.
    #[track_caller]
    pub fn fails(self, code: i32, part: &str) -> Self {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        assert!(self.err.contains(part), "no {part:?} in\n{}", self.err);
        self
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let line = self.out.lines().next().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

impl Lab {
    /// A plane and two nodes, the plane with these commands after those of its role.
    pub fn new(start: &[&str]) -> Self {
        Self::of(start, |_| ())
    }

    /// The same with changes of the fleet. A machine named spare is switched off at first.
    pub fn of(start: &[&str], change: impl FnOnce(&mut Fleet)) -> Self {
        let folder = TempDir::new().unwrap();
        let mut fleet = Fleet::new(2, "kube", KEY).unwrap();
        fleet.boards[0].start = start.iter().map(|&line| line.to_owned()).collect();
        change(&mut fleet);
        let mut file = format!("[cluster]\nname = \"kube\"\nkey = \"{KEY}\"\n");
        if let Some(key) = &fleet.operator {
            file.push_str(&format!("operator-key = \"{}\"\n", key.reveal()));
        }
        // A cluster has one plane: who takes its place stands in a fleet file of its own.
        for (name, out) in [("fleet.toml", "spare"), ("spare.toml", "plane")] {
            let mut file = file.clone();
            for board in fleet.boards.iter().filter(|board| board.name != out) {
                file.push_str(&format!("[boards.{}]\nrole = \"{}\"\n", board.name, board.role));
            }
            fs::write(folder.path().join(name), file).unwrap();
        }
        let shared = Arc::new(Shared::default());
        shared.step_us.store(FAST_US, Ordering::Relaxed);
        let thread = std::thread::spawn({
            let (socket, shared) = (folder.path().join("kube-lab.sock"), shared.clone());
            move || run(&socket, &fleet, &shared)
        });
        let lab = Self { shared, thread: Some(thread), folder };
        // The start commands come first.
        lab.pass(3_000);
        lab
    }

    /// Waits until so many milliseconds of machine time have passed.
    pub fn pass(&self, ms: u64) {
        let until = self.shared.now_ms.load(Ordering::Relaxed) + ms;
        while self.shared.now_ms.load(Ordering::Relaxed) < until {
            assert!(!self.thread.as_ref().unwrap().is_finished(), "the lab has ended");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Lets a step take at least so long.
    pub fn pace(&self, step_us: u64) {
        self.shared.step_us.store(step_us, Ordering::Relaxed);
    }

    /// Switches a machine on or off.
    pub fn switch(&self, machine: &str, on: bool) {
        self.shared.switched.lock().unwrap().push((machine.to_owned(), on));
        self.pass(2 * STEP_MS);
    }

    /// Assignments heard so far that differed from the one before.
    pub fn changes(&self) -> usize {
        self.shared.changes.load(Ordering::Relaxed)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// `kube`, at this lab.
    pub fn program(&self) -> Command {
        let mut command = Command::cargo_bin("kube").unwrap();
        at(&mut command, self.folder.path());
        command
    }

    /// Runs `kube` on the lab's plane, with words separated by blanks.
    pub fn kube(&self, words: &str) -> Said {
        let mut command = self.program();
        command.args(["--board", "sim:plane"]).args(words.split_whitespace());
        command.output().unwrap().into()
    }

    /// Runs `kube` with the lab's air as its source and no board.
    pub fn heard(&self, words: &str) -> Said {
        let mut command = self.program();
        command.args(["--source", "sim:"]).args(words.split_whitespace());
        command.output().unwrap().into()
    }

    /// Waits until so many pods of a deployment run.
    pub fn ready(&self, name: &str) {
        self.kube(&format!("rollout status {name} -q")).done();
    }
}

/// The lab's thread.
fn run(socket: &Path, fleet: &Fleet, shared: &Shared) {
    let system = kube_modules::build().unwrap();
    let mut cluster = lab::Lab::new(&system, &Setup::new(fleet, 1)).unwrap();
    cluster.power_off("spare");
    let mut attach = Attach::new(socket).unwrap();
    while !shared.over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        attach.serve(cluster.world());
        for (machine, on) in shared.switched.lock().unwrap().drain(..) {
            if on { cluster.power_on(&machine) } else { cluster.power_off(&machine) }
        }
        cluster.run_ms(STEP_MS).unwrap();
        shared.now_ms.store(cluster.world().now_ns() / 1_000_000, Ordering::Relaxed);
        shared.changes.store(cluster.changes(), Ordering::Relaxed);
        let step = Duration::from_micros(shared.step_us.load(Ordering::Relaxed));
        std::thread::sleep(step.saturating_sub(begun.elapsed()));
    }
}

/// Lets a program work in a folder, and find the lab there.
pub fn at(command: &mut Command, folder: &Path) {
    command.current_dir(folder).env("XDG_RUNTIME_DIR", folder);
    for variable in ["KUBE_BOARD", "KUBE_FLEET", "KUBE_SOURCE", "NO_COLOR"] {
        command.env_remove(variable);
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        let thread = self.thread.take().unwrap();
        if thread.join().is_err() {
            assert!(std::thread::panicking(), "the lab's thread ended with a panic");
        }
    }
}
