//! The `kube-debug` program on a small program of its own: breakpoints, steps, variables, the call
//! chain, a trap. Everything it reads has been written by the real compiler and linker.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use obc::ir::passes::Passes;
use obc::{NoSymbols, Options, SymbolSource, compile_with_table, link};

const LOW: &str = "MODULE Low;
  TYPE
    Node* = POINTER TO NodeDesc;
    NodeDesc* = RECORD next*: Node; key*: INTEGER; name*: ARRAY 8 OF CHAR END;
  VAR calls*: INTEGER; table: ARRAY 5 OF INTEGER; first*: NodeDesc;

  PROCEDURE Leaf(n: INTEGER): INTEGER;
  RETURN n * n
  END Leaf;

  PROCEDURE Store*(i: INTEGER; VAR sum: INTEGER);
    VAR square: INTEGER;
  BEGIN INC(calls);
    square := Leaf(i);
    table[i] := square;
    sum := sum + square
  END Store;

  PROCEDURE Init*;
  BEGIN first.name := \"one\"; first.key := 7
  END Init;

END Low.
";

const TOP: &str = "MODULE Top;
  IMPORT Low;
  VAR total: INTEGER;

  PROCEDURE Fill(limit: INTEGER);
    VAR i: INTEGER;
  BEGIN
    FOR i := 0 TO limit DO
      Low.Store(i, total)
    END
  END Fill;

BEGIN
  total := 0; Low.Init;
  Fill(3);
  Fill(9)
END Top.
";

/// The program with every variable in memory.
fn folder(name: &str) -> PathBuf {
    folder_with(name, Passes::none())
}

fn folder_with(name: &str, passes: Passes) -> PathBuf {
    let options = Options { passes, ..Options::default() };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut symbols = std::collections::BTreeMap::new();
    let mut objects = Vec::new();
    for (name, text) in [("Low", LOW), ("Top", TOP)] {
        let path = folder.join(format!("{name}.Mod"));
        fs::write(&path, text).unwrap();
        let source = obc::Source::new(path.display().to_string(), text);
        let known: &dyn SymbolSource = if name == "Low" { &NoSymbols } else { &symbols };
        let (compiled, table) = compile_with_table(&source, known, &options).unwrap();
        fs::write(folder.join(format!("{name}.pos")), table.to_string()).unwrap();
        symbols.insert(name.to_string(), compiled.symbol_file.clone());
        objects.push(compiled.object);
    }
    fs::write(folder.join("core"), link::boot_image(&objects).unwrap()).unwrap();
    folder
}

fn debug(folder: &Path, commands: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kube-debug"))
        .args(["--core", "core", "--tables", "."])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The answers; every command must succeed.
fn answers(folder: &Path, commands: &str) -> String {
    let output = debug(folder, commands);
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}\n{errors}");
    text
}

/// Every part, in this order.
fn assert_parts(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => panic!("{part:?} is missing in this order in\n{text}"),
        }
    }
}

#[test]
fn a_trap_names_line_and_call_chain() {
    let folder = folder("debug-trap");
    let text = answers(&folder, "continue\nwhere\nprint i\nframe 1\nprint i\nprint Low.calls\n");
    assert_parts(
        &text,
        &[
            "trap 1: array index out of range\n",
            "0 in Low.Store ",
            "Low.Mod:15:",
            "   15 |     table[i] := square;",
            "1 called from Top.Fill ",
            "Top.Mod:9:",
            "2 called from Top ",
            "Top.Mod:16:",
            "i = 5\n",
            "Top.Fill ",
            "i = 5\n",
            "Low.calls = 10\n",
        ],
    );
}

#[test]
fn breakpoints_steps_and_variables() {
    let folder = folder("debug-steps");
    let text = answers(
        &folder,
        "break Top.Mod:15\nbreak Low.Store\nbreaks\ncontinue\nprint total\ncontinue\nwhere\n\
         locals\ndelete 2\nnext\nnext\nprint square\nnext\nfinish\nprint i\nlist\n",
    );
    assert_parts(
        &text,
        &[
            "breakpoint 1 at Top.Mod:15\n",
            "breakpoint 2 at Low.Store\n",
            "1 ",
            "2 Low.Store (",
            "breakpoint 1: Top ",
            "   15 |   Fill(3);",
            "total = 0\n",
            "breakpoint 2: Low.Store ",
            "   13 |   BEGIN INC(calls);",
            "0 in Low.Store ",
            "1 called from Top.Fill ",
            "2 called from Top ",
            "i = 0\n",
            "sum = 0\n",
            "square = ",
            "   14 |     square := Leaf(i);",
            "   15 |     table[i] := square;",
            "square = 0\n",
            "   16 |     sum := sum + square",
            "Top.Fill ",
            "i = 0\n",
            ">    8 |     FOR i := 0 TO limit DO",
        ],
    );
    assert!(!text.contains("Low.Leaf"), "next must not go into calls\n{text}");
}

#[test]
fn steps_go_into_calls_and_values_have_their_types() {
    let folder = folder("debug-values");
    let text = answers(
        &folder,
        "break Low.Mod:14\ncontinue\nstep\nwhere\nfinish\nglobals Low\nprint Low.first.name\n\
         print Low.first.name[1]\nprint Low.table[2]\nregisters\nmemory 20H 4\nmodules\ndis\n",
    );
    assert_parts(
        &text,
        &[
            "0 in Low.Leaf ",
            "1 called from Low.Store ",
            "2 called from Top.Fill ",
            "Low.Store ",
            "calls = 1\n",
            "table = [0, 0, 0, 0, 0]\n",
            "first = NodeDesc {next = NIL, key = 7, name = \"one\"}\n",
            "Low.first.name = \"one\"\n",
            "= \"n\" (06EX)\n",
            "Low.table[2] = 0\n",
            "R0 ",
            "PC ",
            "00020 ",
            " 1 Low ",
            " 2 Top ",
        ],
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = folder("debug-errors");
    for (commands, expected) in [
        ("nonsense\n", "unknown command nonsense"),
        ("break Nowhere.Mod:3\n", "no position table knows Nowhere.Mod:3"),
        ("break Low.Mod:x\n", "x is no line number"),
        ("break Low.None\n", "no position table knows Low.None"),
        ("delete 4\n", "there is no breakpoint 4"),
        ("print none\n", "there is no variable none here"),
        ("break Low.Store\ncontinue\nprint Low.table[9]\n", "index 9 is not within the 5 elements"),
        ("break Low.Store\ncontinue\nprint Low.first.next^\n", "the pointer is NIL"),
        ("break Low.Store\ncontinue\nprint Low.first.x\n", "the record has no field x"),
        ("memory xyz\n", "xyz is no address"),
        ("frame 9\n", "there is no frame 9"),
    ] {
        let output = debug(&folder, commands);
        assert_eq!(output.status.code(), Some(1), "{commands}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{commands}: {said}");
    }
    let usage = Command::new(env!("CARGO_BIN_EXE_kube-debug")).output().unwrap();
    assert_eq!(usage.status.code(), Some(2));
    fs::write(folder.join("Low.pos"), "obc-positions 1\nwhat").unwrap();
    let damaged = debug(&folder, "");
    assert_eq!(damaged.status.code(), Some(1));
    assert!(String::from_utf8(damaged.stderr).unwrap().contains("Low.pos"));
}

/// A table of another compilation must not lie about lines.
#[test]
fn a_table_of_another_object_file_is_not_used() {
    let folder = folder("debug-stale");
    let table = fs::read_to_string(folder.join("Low.pos")).unwrap();
    let at = table.find("key ").unwrap() + 4;
    let stale = format!("{}00000001{}", &table[..at], &table[at + 8..]);
    fs::write(folder.join("Low.pos"), stale).unwrap();
    let text = answers(&folder, "continue\nmodules\n");
    assert!(text.contains("no position table)") && text.contains("H  no position table"), "{text}");
    assert!(text.contains("called from Top.Fill"), "{text}");
}

/// Chain and lines of optimised code are as good; what is in a register is not shown wrongly.
#[test]
fn optimised_code_names_line_and_callers_too() {
    let folder = folder_with("debug-optimised", Passes::all());
    let text = answers(&folder, "continue\nlocals\nprint Low.calls\n");
    assert_parts(
        &text,
        &[
            "trap 1: array index out of range\n",
            "0 in Low.Store ",
            "Low.Mod:15:",
            "1 called from Top.Fill ",
            "2 called from Top ",
            "Top.Mod:16:",
            "i: in registers\n",
            "Low.calls = 10\n",
        ],
    );
    let output = debug(&folder, "continue\nprint i\n");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("i is kept in registers: build with -O 0"), "{said}");
}
