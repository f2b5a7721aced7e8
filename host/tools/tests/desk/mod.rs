//! A desk for the tests of the real programs: a folder with a fleet file, and a simulated host with
//! disks made of files.
#![allow(dead_code, clippy::unwrap_used, reason = "each test program uses its part of the desk")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

/// Where on a card the directory root lies.
pub const CARD_ROOT: u64 = 256 * 1024 * 1024 + 1024;

/// A folder with everything that a tool may find.
pub struct Desk {
    folder: TempDir,
}

/// How a simulated disk differs from a card of 300 MB in a USB reader.
#[derive(Clone, Default)]
pub struct Disk {
    pub bytes: Option<u64>,
    pub fixed: bool,
    pub sd: bool,
    pub read_only: bool,
    pub serial: Option<&'static str>,
    pub mount: Option<&'static str>,
    pub swap: bool,
    pub holder: Option<&'static str>,
}

/// What a program said.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    /// Asserts the exit code and a part of stderr.
    #[track_caller]
    pub fn fails(self, code: i32, part: &str) -> Self {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        assert!(self.err.contains(part), "no {part:?} in\n{}", self.err);
        self
    }

    #[track_caller]
    pub fn done(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self
    }

    /// stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        Self { code, out: text(output.stdout), err: text(output.stderr) }
    }
}

const FLEET: &str = r#"[cluster]
name = "kube"
key = "0011223344556677"

[boards.plane]
role = "plane"

[boards.node1]
model = "ulx3s-85f"
role = "node"

[boards.node2]
role = "node"
"#;

impl Desk {
    pub fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        desk.write("fleet.toml", FLEET);
        for folder in ["host/sys/block", "host/dev/disk/by-id", "host/proc/self", "host/faults"] {
            fs::create_dir_all(desk.path(folder)).unwrap();
        }
        desk
    }

    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, relative: &str) -> Vec<u8> {
        fs::read(self.path(relative)).unwrap()
    }

    /// A program that runs at this desk.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::cargo_bin(name).unwrap();
        command.current_dir(self.folder.path()).env("KUBE_HOST_ROOT", self.path("host"));
        command.env("XDG_RUNTIME_DIR", self.path("run"));
        for variable in ["KUBE_FLEET", "KUBE_BOARD", "NO_COLOR"] {
            command.env_remove(variable);
        }
        command
    }

    /// A program of somebody who may open only what is open to all: root becomes nobody.
    pub fn stranger(&self, name: &str) -> std::process::Command {
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::process::CommandExt;
        let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755));
        open(self.folder.path()).unwrap();
        let (program, here) = (assert_cmd::cargo::cargo_bin(name), self.path(name));
        if !here.exists() && fs::hard_link(&program, &here).is_err() {
            fs::copy(&program, &here).unwrap();
        }
        let mut command = std::process::Command::new(here);
        command.current_dir(self.folder.path()).env("XDG_RUNTIME_DIR", "/nowhere");
        if rustix::process::geteuid().is_root() {
            command.uid(65_534).gid(65_534);
        }
        command
    }

    /// Runs kube-flash with words separated by blanks.
    pub fn flash(&self, words: &str) -> Said {
        self.program("kube-flash").args(words.split_whitespace()).output().unwrap().into()
    }

    /// Puts a disk into the simulated host.
    pub fn disk(&self, name: &str, disk: &Disk) {
        let bytes = disk.bytes.unwrap_or(300_000_256);
        let bytes = bytes / 512 * 512;
        let sys =
            |file: &str, text: &str| self.write(&format!("host/sys/block/{name}/{file}"), text);
        let flag = |on: bool| if on { "1\n" } else { "0\n" };
        sys("size", &format!("{}\n", bytes / 512));
        sys("removable", flag(!disk.fixed && !disk.sd));
        sys("ro", flag(disk.read_only));
        sys("device/vendor", "Generic \n");
        sys("device/model", "STORAGE DEVICE  \n");
        if disk.sd {
            sys("device/type", "SD\n");
        }
        if let Some(serial) = disk.serial {
            sys("device/serial", serial);
        }
        sys(&format!("{name}1/partition"), "1\n");
        if let Some(holder) = disk.holder {
            sys(&format!("{name}1/holders/{holder}/dev"), "");
        }
        let device = self.path(format!("host/dev/{name}"));
        fs::File::create(&device).unwrap().set_len(bytes.min(1 << 30)).unwrap();
        fs::File::create(self.path(format!("host/dev/{name}1"))).unwrap();
        let link = self.path(format!("host/dev/disk/by-id/usb-Generic_{name}"));
        let _ = fs::remove_file(&link);
        symlink(format!("../../{name}"), link).unwrap();
        let mounts =
            disk.mount.map_or(String::new(), |to| format!("/dev/{name}1 {to} vfat rw 0 0\n"));
        self.write("host/proc/self/mounts", mounts);
        let swap =
            if disk.swap { format!("/dev/{name}1 partition 1 0 -2\n") } else { String::new() };
        self.write("host/proc/swaps", format!("Filename Type Size Used Priority\n{swap}"));
    }

    /// Lets a disk fail.
    pub fn fault(&self, disk: &str, fault: &str) {
        self.write(&format!("host/faults/{disk}"), fault);
    }
}
