//! The `obc` program itself, each test in a folder of its own.

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
    assert_eq!(obc(&folder, &["build", "None.Mod"]).status.code(), Some(1));
    let missing = obc(&folder, &["disasm", "none.rsc"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("cannot read none.rsc"));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn two_modules(folder: &Path) {
    fs::write(
        folder.join("A.Mod"),
        "MODULE A; VAR x*: INTEGER;\n  PROCEDURE F*(n: INTEGER): INTEGER;\n  \
         BEGIN x := n * 3\n  RETURN x + 1\n  END F;\nEND A.\n",
    )
    .unwrap();
    fs::write(
        folder.join("B.Mod"),
        "MODULE B; IMPORT A;\n  PROCEDURE Run*;\n  BEGIN LED(A.F(5))\n  END Run;\nEND B.\n",
    )
    .unwrap();
}

/// What was compiled, in the words of the build.
fn compiled(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    text(&output.stderr)
        .lines()
        .filter_map(|l| l.strip_prefix("compiled "))
        .map(|l| l.split(':').next().unwrap().to_string())
        .collect()
}

#[test]
fn only_what_changed_is_compiled_again() {
    let folder = folder("obc-incremental");
    two_modules(&folder);
    let build = ["build", "B.Mod", "A.Mod", "-o", "out"];
    assert_eq!(compiled(&obc(&folder, &build)), ["A", "B"]);
    assert_eq!(compiled(&obc(&folder, &build)), Vec::<String>::new());
    let first = fs::read(folder.join("out/B.rsc")).unwrap();
    // Another body, the same interface: the importer stays as it is.
    let a = fs::read_to_string(folder.join("A.Mod")).unwrap();
    fs::write(folder.join("A.Mod"), a.replace("n * 3", "n * 5")).unwrap();
    assert_eq!(compiled(&obc(&folder, &build)), ["A"]);
    // Another interface.
    fs::write(folder.join("A.Mod"), a.replace("x*: INTEGER", "y*, x*: INTEGER")).unwrap();
    assert_eq!(compiled(&obc(&folder, &build)), ["A", "B"]);
    assert_ne!(fs::read(folder.join("out/B.rsc")).unwrap(), first);
    // Other options, a damaged result, a lost one, force.
    assert_eq!(compiled(&obc(&folder, &[&build[..], &["--no-checks"]].concat())), ["A", "B"]);
    assert_eq!(compiled(&obc(&folder, &build)), ["A", "B"]);
    fs::write(folder.join("out/B.rsc"), b"damaged").unwrap();
    assert_eq!(compiled(&obc(&folder, &build)), ["B"]);
    fs::remove_file(folder.join("out/A.smb")).unwrap();
    assert_eq!(compiled(&obc(&folder, &build)), ["A"]);
    assert_eq!(compiled(&obc(&folder, &[&build[..], &["--force"]].concat())), ["A", "B"]);
    fs::write(folder.join("out/obc-build.json"), b"{ damaged").unwrap();
    assert_eq!(compiled(&obc(&folder, &build)), ["A", "B"]);
    // One module alone, its import from the results of the last build.
    assert_eq!(compiled(&obc(&folder, &["build", "B.Mod", "-o", "out"])), Vec::<String>::new());
}

#[test]
fn jobs_change_nothing() {
    let folder = folder("obc-jobs");
    two_modules(&folder);
    for jobs in ["1", "3"] {
        let out = format!("out{jobs}");
        let built = obc(&folder, &["build", "A.Mod", "B.Mod", "-o", &out, "--jobs", jobs]);
        assert!(built.status.success());
    }
    for name in ["A.rsc", "A.smb", "A.pos", "B.rsc", "B.smb", "B.pos"] {
        let one = fs::read(folder.join("out1").join(name)).unwrap();
        assert_eq!(one, fs::read(folder.join("out3").join(name)).unwrap(), "{name}");
    }
}

#[test]
fn check_writes_nothing_and_messages_come_as_json() {
    let folder = folder("obc-check");
    two_modules(&folder);
    let checked = obc(&folder, &["check", "A.Mod", "B.Mod"]);
    assert!(checked.status.success());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    fs::write(folder.join("B.Mod"), "MODULE B; IMPORT A;\nBEGIN A.x := 1; y := 2 END B.").unwrap();
    let arguments = ["check", "A.Mod", "B.Mod", "--message-format", "json"];
    let failed = obc(&folder, &arguments);
    assert_eq!(failed.status.code(), Some(1));
    assert!(failed.stderr.is_empty());
    let out = text(&failed.stdout);
    let lines: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|l| l["schema"] == "obc-message/v1"));
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["kind"], &lines[0]["line"]), (&"diagnostic".into(), &2.into()));
    assert_eq!(lines[1]["message"], "y is not declared");
    assert_eq!(lines[1]["text"], "BEGIN A.x := 1; y := 2 END B.");
    assert_eq!((&lines[2]["ok"], &lines[2]["errors"]), (&false.into(), &2.into()));
    let built = obc(&folder, &["build", "A.Mod", "--message-format", "json"]);
    let first: serde_json::Value =
        serde_json::from_str(text(&built.stdout).lines().next().unwrap()).unwrap();
    assert_eq!((&first["kind"], &first["name"]), (&"module".into(), &"A".into()));
}

#[test]
fn dis_shows_source_lines_and_size_adds_up() {
    let folder = folder("obc-dis");
    two_modules(&folder);
    assert!(obc(&folder, &["build", "A.Mod", "B.Mod", "-o", "out"]).status.success());
    let listing = text(&obc(&folder, &["dis", "out/A.rsc"]).stdout);
    assert!(listing.contains("    3 |   BEGIN x := n * 3"), "{listing}");
    assert!(listing.contains("\nF:\n"), "{listing}");
    let bare = text(&obc(&folder, &["dis", "out/A.rsc", "--no-source"]).stdout);
    assert!(!bare.contains("BEGIN x"), "{bare}");
    let sizes = text(&obc(&folder, &["size", "out/A.rsc", "out/B.rsc"]).stdout);
    assert!(sizes.contains("A: ") && sizes.contains("%  F") && sizes.contains("%  Run"), "{sizes}");
    let json = text(&obc(&folder, &["size", "--json", "out/A.rsc"]).stdout);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let sum: u64 =
        json["procedures"].as_array().unwrap().iter().map(|p| p["bytes"].as_u64().unwrap()).sum();
    assert_eq!(json["code_bytes"], sum);
    // A source that has changed, a table of another build, a damaged one.
    fs::write(folder.join("A.Mod"), "MODULE A; END A.").unwrap();
    let changed = obc(&folder, &["dis", "out/A.rsc"]);
    assert!(changed.status.success());
    assert!(text(&changed.stderr).contains("A.Mod has changed"), "{changed:?}");
    fs::copy(folder.join("out/B.pos"), folder.join("out/A.pos")).unwrap();
    assert!(text(&obc(&folder, &["dis", "out/A.rsc"]).stderr).contains("another object file"));
    fs::write(folder.join("out/A.pos"), "obc-positions 1\nmodule").unwrap();
    let damaged = obc(&folder, &["size", "out/A.rsc"]);
    assert_eq!(damaged.status.code(), Some(1));
    assert!(text(&damaged.stderr).contains("line 2 of the position table"), "{damaged:?}");
}

#[test]
fn sym_reads_folders_files_and_disk_images() {
    let folder = folder("obc-sym");
    two_modules(&folder);
    assert!(obc(&folder, &["build", "A.Mod", "-o", "out"]).status.success());
    let from_file = text(&obc(&folder, &["sym", "out/A.smb"]).stdout);
    assert!(from_file.contains("PROCEDURE F(INTEGER): INTEGER;"), "{from_file}");
    assert_eq!(text(&obc(&folder, &["sym", "A", "--symbols", "out"]).stdout), from_file);
    let image = kube_disk::ImageBuilder::new()
        .file("A.smb", &fs::read(folder.join("out/A.smb")).unwrap())
        .build()
        .unwrap();
    fs::write(folder.join("disk.dsk"), image.bytes()).unwrap();
    assert_eq!(text(&obc(&folder, &["sym", "A", "--symbols", "disk.dsk"]).stdout), from_file);
    // Compiling against the image gives the same importer as compiling with the source.
    for (out, more) in [("x", ["--symbols", "disk.dsk"]), ("y", ["--symbols", "out"])] {
        let built = obc(&folder, &[&["build", "B.Mod", "-o", out][..], &more].concat());
        assert!(built.status.success(), "{built:?}");
    }
    let x = fs::read(folder.join("x/B.rsc")).unwrap();
    assert_eq!(x, fs::read(folder.join("y/B.rsc")).unwrap());
    for (arguments, expected) in [
        (&["sym", "A"][..], "--symbols"),
        (&["sym", "Z", "--symbols", "disk.dsk"], "no Z.smb"),
        (&["sym", "A", "--symbols", "nowhere"], "name a folder"),
        (&["sym", "A", "--symbols", "A.Mod"], "A.Mod"),
        (&["check", "B.Mod"], "no symbol file of module A"),
    ] {
        let failed = obc(&folder, arguments);
        assert_eq!(failed.status.code(), Some(1), "{arguments:?}");
        assert!(text(&failed.stderr).contains(expected), "{failed:?}");
    }
    // A symbol file of another version or cut off says so.
    let file = fs::read(folder.join("out/A.smb")).unwrap();
    fs::write(folder.join("A.smb"), &file[..file.len() / 2]).unwrap();
    let cut = obc(&folder, &["sym", "A.smb"]);
    assert!(text(&cut.stderr).contains("symbol file of A ends at byte"), "{cut:?}");
    let mut other = file;
    other[10] = 7;
    fs::write(folder.join("A.smb"), &other).unwrap();
    let other = obc(&folder, &["check", "B.Mod", "--symbols", "."]);
    assert!(text(&other.stderr).contains("unknown version"), "{other:?}");
}

#[test]
fn fmt_checks_writes_and_refuses() {
    let folder = folder("obc-fmt");
    fs::write(folder.join("A.Mod"), "MODULE A ;\nVAR x:INTEGER ;\nEND A.\n").unwrap();
    let check = obc(&folder, &["fmt", "--check", "A.Mod"]);
    assert_eq!((check.status.code(), text(&check.stdout).as_str()), (Some(5), "A.Mod\n"));
    let shown = text(&obc(&folder, &["fmt", "--stdout", "A.Mod"]).stdout);
    assert_eq!(shown, "MODULE A;\n  VAR x: INTEGER;\nEND A.\n");
    assert!(obc(&folder, &["fmt", "A.Mod"]).status.success());
    assert_eq!(fs::read_to_string(folder.join("A.Mod")).unwrap(), shown);
    assert!(obc(&folder, &["fmt", "--check", "A.Mod"]).status.success());
    fs::write(folder.join("B.Mod"), "MODULE B; VAR x INTEGER; END B.").unwrap();
    let refused = obc(&folder, &["fmt", "B.Mod"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("B.Mod:1:17"), "{refused:?}");
    fs::write(folder.join("C.Mod"), b"MODULE C; (*\xE9*) END C.").unwrap();
    assert!(text(&obc(&folder, &["fmt", "C.Mod"]).stderr).contains("no UTF-8"));
}

#[test]
fn trap_lines_of_a_log_get_file_and_line() {
    let folder = folder("obc-trap");
    two_modules(&folder);
    assert!(obc(&folder, &["build", "A.Mod", "B.Mod", "-o", "out"]).status.success());
    let position = fs::read_to_string(folder.join("A.Mod")).unwrap().find("n * 3").unwrap();
    let log = format!(
        "ready\nTRAP 1 array index out of range, pos {position} in A at 0001A2B4H\n\
         TRAP 7 assertion violated, pos 1 in None at 0001A2B4H\n"
    );
    fs::write(folder.join("log"), log).unwrap();
    let explained = Command::new(env!("CARGO_BIN_EXE_obc"))
        .current_dir(&folder)
        .args(["trap", "--tables", "out"])
        .stdin(fs::File::open(folder.join("log")).unwrap())
        .output()
        .unwrap();
    let said = text(&explained.stdout);
    assert!(said.contains("  A.Mod:3:14: BEGIN x := n * 3\n"), "{said}");
    assert!(said.contains("  no position table of None\n"), "{said}");
    let missing = obc(&folder, &["trap", "--tables", "nowhere"]);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn extensions_are_asked_for_by_name() {
    let folder = folder("obc-ext");
    fs::write(
        folder.join("A.Mod"),
        "MODULE A; VAR i: INTEGER; BEGIN CASE i OF 0: i := 1 END END A.",
    )
    .unwrap();
    let refused = obc(&folder, &["check", "A.Mod"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--ext case"), "{refused:?}");
    assert!(obc(&folder, &["check", "A.Mod", "--ext", "strings,case"]).status.success());
    assert_eq!(obc(&folder, &["check", "A.Mod", "--ext", "loops"]).status.code(), Some(2));
}
