//! `kube-flash` on the cards of machines in a running lab.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use kube_boards::fleet::Fleet;
use kube_lab::attach::Attach;
use kube_lab::lab::{self, Setup};
use kube_proto::attach::{MAX_RECORD_BYTES, Record, Word};
use tempfile::TempDir;

const FLEET: &str = "[cluster]\nname = \"kube\"\nkey = \"0011223344556677\"\n\n[boards.plane]\nrole = \
                     \"plane\"\n\n[boards.node1]\nrole = \"node\"\n\n[boards.node7]\nrole = \"node\"\n";
/// Number of node1 in the lab.
const NODE1: u8 = 1;

/// A lab of a plane and a node, and a folder with a fleet file that has a node more.
struct Lab {
    folder: TempDir,
    over: Arc<AtomicBool>,
    /// 1 while node1 has power, 2 while not.
    power: Arc<AtomicU8>,
    machines: Option<JoinHandle<()>>,
}

impl Lab {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("fleet.toml"), FLEET).unwrap();
        let (over, power) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU8::new(0)));
        let machines = std::thread::spawn({
            let (socket, over, power) = (socket(folder.path()), over.clone(), power.clone());
            move || {
                let system = kube_modules::build().unwrap();
                let fleet = Fleet::new(1, "kube", "0011223344556677").unwrap();
                let mut cluster = lab::Lab::new(&system, &Setup::new(&fleet, 1)).unwrap();
                let mut attach = Attach::new(&socket).unwrap();
                while !over.load(Ordering::Relaxed) {
                    attach.serve(cluster.world());
                    cluster.run_ms(2).unwrap();
                    let on = cluster.world().station("node1").unwrap().has_power();
                    power.store(if on { 1 } else { 2 }, Ordering::Relaxed);
                }
            }
        });
        while !socket(folder.path()).exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { folder, over, power, machines: Some(machines) }
    }

    fn run(&self, program: &str, words: &str) -> Said {
        let mut command = Command::cargo_bin(program).unwrap();
        command.current_dir(self.folder.path()).env("XDG_RUNTIME_DIR", self.folder.path());
        command.env_remove("KUBE_BOARD").env_remove("KUBE_FLEET").args(words.split(' '));
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        Said { code, out: text(output.stdout), err: text(output.stderr) }
    }

    fn flash(&self, words: &str) -> Said {
        self.run("kube-flash", &format!("--board sim:node1 {words}"))
    }

    #[track_caller]
    fn power_is(&self, on: bool) {
        let until = Instant::now() + Duration::from_secs(30);
        let wanted = if on { 1 } else { 2 };
        while self.power.load(Ordering::Relaxed) != wanted {
            assert!(Instant::now() < until, "node1 should have power: {on}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn end(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(machines) = self.machines.take()
            && machines.join().is_err()
        {
            assert!(std::thread::panicking(), "the lab's thread ended with a panic");
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.end();
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("kube-lab.sock")
}

struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    #[track_caller]
    fn ends(self, code: i32, err: &str) -> Self {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        assert!(self.err.contains(err), "no {err:?} in\n{}", self.err);
        self
    }
}

/// Another program that has the card of node1.
struct Other {
    stream: UnixStream,
    /// What has come and was not looked at yet.
    buffer: Vec<u8>,
}

impl Other {
    fn new(folder: &Path) -> Self {
        let stream = UnixStream::connect(socket(folder)).unwrap();
        let mut other = Self { stream, buffer: Vec::new() };
        other.say(&Record::Hello);
        other
    }

    fn say(&mut self, record: &Record<'_>) {
        let (bytes, len) = record.encode();
        self.stream.write_all(&bytes[..len]).unwrap();
    }

    fn ask(&mut self, record: &Record<'_>) -> Word {
        self.say(record);
        let mut bytes = [0; 4 * MAX_RECORD_BYTES];
        loop {
            while let Some((record, len)) = Record::decode(&self.buffer).unwrap() {
                let word = match record {
                    Record::Answer { word, .. } => Some(word),
                    _ => None,
                };
                self.buffer.drain(..len);
                if let Some(word) = word {
                    return word;
                }
            }
            let read = self.stream.read(&mut bytes).unwrap();
            assert!(read > 0, "the lab has gone");
            self.buffer.extend_from_slice(&bytes[..read]);
        }
    }
}

#[test]
fn a_card_is_read_under_a_running_machine_and_written_without_its_power() {
    let mut lab = Lab::new();
    lab.power_is(true);
    let said = lab.run("kube-boot", "--board sim:node1 --exit-on air monitor").ends(0, "");
    assert!(said.out.contains("joined the air"), "{}", said.out);

    // Reading disturbs nobody.
    let said = lab.flash("get Boot.Cmd --stdout").ends(0, "");
    assert!(said.out.starts_with("KubeNet.Join node1"), "{}", said.out);
    let said = lab.flash("ls").ends(0, "");
    assert!(said.out.contains("Ticker.rsc"), "{}", said.out);
    lab.flash("check").ends(0, "sim:node1 in the lab is in order");
    let said = lab.flash("diff");
    assert!(said.code <= 1, "{}", said.err);
    assert!(!said.out.contains("KubeNet.rsc"), "{}", said.out);
    lab.power_is(true);

    // Nobody loses power unasked.
    fs::write(lab.folder.path().join("Hello.Text"), "hello").unwrap();
    lab.flash("--non-interactive put Hello.Text").ends(4, "loses power");
    lab.flash("get Hello.Text --stdout").ends(1, "kube::image::file");
    lab.power_is(true);
    let said = lab.flash("--yes put Hello.Text");
    let said = said.ends(0, "Power done: sim:node1 in the lab starts from its new card");
    assert!(said.err.contains("Verify done"), "{}", said.err);
    assert_eq!(lab.flash("get Hello.Text --stdout").ends(0, "").out, "hello");
    // It is the same machine, started anew.
    lab.run("kube-boot", "--board sim:node1 Kubelet.Top").ends(0, "Run done: Kubelet.Top");
    lab.power_is(true);
    lab.run("kube-flash", "--board sim:node7 ls").ends(3, "the lab has no machine node7");

    // Where no lab runs, the image beside the fleet file stands in.
    lab.end();
    lab.flash("ls").ends(3, "sim/node1.img");
    let said = lab.flash("-q").ends(0, "");
    assert!(lab.folder.path().join("sim/node1.img").exists(), "{}", said.err);
    lab.flash("get Hello.Text --stdout").ends(1, "kube::image::file");
}

#[test]
fn a_card_in_other_hands_is_waited_for_and_what_is_owed_is_paid() {
    let lab = Lab::new();
    fs::write(lab.folder.path().join("Hello.Text"), "hello").unwrap();
    lab.power_is(true);
    let mut other = Other::new(lab.folder.path());
    let block = Record::Write { index: NODE1, block: 0x9_0000, bytes: &[7; 512] };
    assert_eq!(other.ask(&block), Word::Refused, "it has not taken the card");
    assert_eq!(other.ask(&Record::Give { index: NODE1 }), Word::Refused);
    assert_eq!(other.ask(&Record::Take { index: 99 }), Word::NoCard);
    assert_eq!(other.ask(&Record::Read { index: NODE1, first: 0, count: u32::MAX }), Word::Refused);
    assert_eq!(other.ask(&Record::Take { index: NODE1 }), Word::Done);
    lab.power_is(false);
    assert_eq!(other.ask(&block), Word::Done);
    let low = Record::Write { index: NODE1, block: 1, bytes: &[7; 512] };
    assert_eq!(other.ask(&low), Word::Refused, "below the file system");

    // It can be read, and not taken a second time.
    lab.flash("get Boot.Cmd --stdout").ends(0, "");
    lab.flash("--yes put Hello.Text").ends(6, "kube::target::busy");

    // Who goes away leaves the card in the machine, which stays off until somebody ends it well.
    drop(other);
    std::thread::sleep(Duration::from_millis(200));
    lab.power_is(false);
    lab.flash("put Hello.Text").ends(0, "starts from its new card");
    lab.power_is(true);
    assert_eq!(lab.flash("get Hello.Text --stdout").ends(0, "").out, "hello");
}
