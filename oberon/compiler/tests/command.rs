//! The `obc` program itself, in a folder of its own.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn obc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_obc")).current_dir(folder).args(arguments).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn build_link_and_disasm_work_together() {
    let folder = folder("obc-works");
    fs::write(folder.join("A.Mod"), "MODULE A; VAR x*: INTEGER; END A.").unwrap();
    fs::write(folder.join("B.Mod"), "MODULE B; IMPORT A; BEGIN LED(A.x) END B.").unwrap();
    fs::write(folder.join("C.Mod"), "MODULE C; IMPORT A; END C.").unwrap();
    let built = obc(&folder, &["build", "B.Mod", "A.Mod", "-o", "out"]);
    assert!(built.status.success(), "{built:?}");
    assert!(built.stdout.is_empty());
    // A is not given this time: its symbol file stands in the folder.
    assert!(obc(&folder, &["build", "C.Mod", "--symbols", "out"]).status.success());
    let linked = obc(&folder, &["link", "out/A.rsc", "out/B.rsc", "-o", "core"]);
    assert!(linked.status.success(), "{linked:?}");
    assert_eq!(fs::read(folder.join("core")).unwrap()[3], 0xE7);
    let listing = obc(&folder, &["disasm", "out/B.rsc"]);
    assert!(String::from_utf8(listing.stdout).unwrap().contains("data of A"));
}

#[test]
fn errors_go_to_stderr_and_nothing_is_written() {
    let folder = folder("obc-errors");
    fs::write(folder.join("A.Mod"), "MODULE A; BEGIN x := 1 END A.").unwrap();
    let failed = obc(&folder, &["build", "A.Mod"]);
    assert_eq!(failed.status.code(), Some(1));
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(said.contains("A.Mod:1:17") && said.contains('^'), "{said}");
    assert!(!folder.join("A.rsc").exists());
    assert_eq!(obc(&folder, &["build"]).status.code(), Some(2));
    let missing = obc(&folder, &["disasm", "none.rsc"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("cannot read none.rsc"));
}
