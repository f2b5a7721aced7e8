//! A cluster in the emulator that runs beside the tools, faster than the clock on the wall.
#![allow(dead_code, clippy::unwrap_used, reason = "each test program uses its part of the lab")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use kube_boards::fleet::Fleet;
use kube_lab::attach::Attach;
use kube_lab::lab::{self, Setup};
use tempfile::TempDir;

/// Machine time passes so much faster at most: a tool's own waits are in wall time.
const PACE: u32 = 10;
const KEY: &str = "00c0ffee00c0ffee";

/// A running cluster, and a folder with its fleet file.
pub struct Lab {
    over: Arc<AtomicBool>,
    now_ms: Arc<AtomicU64>,
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
        Self::in_folder(TempDir::new().unwrap(), start)
    }

    /// The same, with its socket in a folder that there is.
    pub fn in_folder(folder: TempDir, start: &[&str]) -> Self {
        let mut fleet = Fleet::new(2, "kube", KEY).unwrap();
        fleet.boards[0].start = start.iter().map(|&line| line.to_owned()).collect();
        let file = format!(
            "[cluster]\nname = \"kube\"\nkey = \"{KEY}\"\n[boards.plane]\nrole = \"plane\"\n\
             [boards.node1]\nrole = \"node\"\n[boards.node2]\nrole = \"node\"\n"
        );
        fs::write(folder.path().join("fleet.toml"), file).unwrap();
        let (over, now_ms) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let thread = std::thread::spawn({
            let (socket, over) = (folder.path().join("kube-lab.sock"), over.clone());
            let now_ms = now_ms.clone();
            move || {
                let system = kube_modules::build().unwrap();
                let mut cluster = lab::Lab::new(&system, &Setup::new(&fleet, 1)).unwrap();
                let mut attach = Attach::new(&socket).unwrap();
                let begun = Instant::now();
                while !over.load(Ordering::Relaxed) {
                    attach.serve(cluster.world());
                    cluster.run_ms(2).unwrap();
                    let now = Duration::from_nanos(cluster.world().now_ns());
                    now_ms.store(now.as_millis() as u64, Ordering::Relaxed);
                    std::thread::sleep((now / PACE).saturating_sub(begun.elapsed()));
                }
            }
        });
        let lab = Self { over, now_ms, thread: Some(thread), folder };
        // The start commands come first.
        lab.pass(3_000);
        lab
    }

    /// Waits until so many milliseconds of machine time have passed.
    pub fn pass(&self, ms: u64) {
        let until = self.now_ms.load(Ordering::Relaxed) + ms;
        while self.now_ms.load(Ordering::Relaxed) < until {
            assert!(!self.thread.as_ref().unwrap().is_finished(), "the lab has ended");
            std::thread::sleep(Duration::from_millis(5));
        }
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

/// Lets a program work in a folder, and find the lab there.
pub fn at(command: &mut Command, folder: &Path) {
    command.current_dir(folder).env("XDG_RUNTIME_DIR", folder);
    for variable in ["KUBE_BOARD", "KUBE_FLEET", "KUBE_SOURCE", "NO_COLOR"] {
        command.env_remove(variable);
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let thread = self.thread.take().unwrap();
        if thread.join().is_err() {
            assert!(std::thread::panicking(), "the lab's thread ended with a panic");
        }
    }
}
