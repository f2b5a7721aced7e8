//! What is the same in every tool, tried with `kube-flash`: discovery, errors, exit codes, help,
//! completions, other hosts, locks.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod desk;

use desk::{Desk, Disk, Said};
use kube_tools::code::{Exit, all};

#[test]
fn the_order_of_discovery_is_told() {
    let desk = Desk::new();
    let with = |variable: Option<(&str, &str)>, words: &str| -> Said {
        let mut command = desk.program("kube-flash");
        command.args(words.split_whitespace());
        if let Some((name, value)) = variable {
            command.env(name, value);
        }
        command.output().unwrap().into()
    };
    let which = |said: &Said| {
        let line = said.err.lines().find(|line| line.starts_with("board ")).unwrap();
        line.replace(&desk.path("").display().to_string(), "")
    };
    let words = "-v --to a.img";
    let env = Some(("KUBE_BOARD", "plane"));
    // Nobody says it, and there are three.
    with(None, words).fails(3, "kube::board::ambiguous");
    desk.write(
        "fleet.toml",
        [b"[tool]\nboard = \"plane\"\n", &desk.read("fleet.toml")[..]].concat(),
    );
    assert_eq!(which(&with(None, words).done()), "board plane (fleet.toml)");
    desk.write("fleet.local.toml", "[tool]\nboard = \"node2\"\n");
    assert_eq!(which(&with(None, words).done()), "board node2 (fleet.local.toml)");
    assert_eq!(which(&with(env, words).done()), "board plane (environment KUBE_BOARD)");
    let flag = "-v --board node1 --to a.img";
    assert_eq!(which(&with(env, flag).done()), "board node1 (flag --board)");
    // The only board of a fleet needs no name; the fleet file may be named by the environment.
    desk.write(
        "one/f.toml",
        "[cluster]\nname = \"c\"\nkey = \"\"\n[boards.solo]\nrole = \"node\"\n",
    );
    let said = with(Some(("KUBE_FLEET", "one/f.toml")), words).done();
    assert_eq!(which(&said), "board solo (the only board of the fleet)");
    assert!(said.err.contains("fleet one/f.toml (environment KUBE_FLEET)"), "{}", said.err);
    with(Some(("KUBE_FLEET", "nowhere.toml")), words).fails(1, "kube::fleet::read");
}

#[test]
fn several_boards_give_a_menu_on_a_terminal() {
    let desk = Desk::new();
    let program = assert_cmd::cargo::cargo_bin("kube-flash");
    let line = format!("{} --to a.img; echo code $?", program.display());
    let mut command = assert_cmd::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(desk.path(".")).env_remove("KUBE_BOARD");
    let output = command.write_stdin("2\n").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("2  node1 (node)") && said.contains("code 0"), "{said}");
    assert!(said.contains("node1 as node of cluster kube"), "{said}");
}

#[test]
fn without_a_fleet_file_it_is_said_how_to_get_one() {
    let desk = Desk::new();
    std::fs::remove_file(desk.path("fleet.toml")).unwrap();
    let said = desk.flash("--board node1 --to a.img").fails(2, "kube::fleet::missing");
    assert!(said.err.contains("kube-flash init"));
    desk.flash("init").done();
    desk.flash("--board node1 --to a.img").done();
}

#[test]
fn errors_name_code_cause_and_help_and_are_objects_in_json() {
    let desk = Desk::new();
    let said = desk.flash("--board nod1 --to a.img --json").fails(3, "error[kube::board::unknown]");
    assert!(
        said.err.contains("  cause: ") && said.err.contains("  help: did you mean --board node1?")
    );
    let object = said.json();
    assert_eq!(object["kind"], "error");
    assert_eq!((&object["code"], &object["exit"]), (&"kube::board::unknown".into(), &3.into()));
    desk.write("fleet.toml", "[cluster]\nname = \"kube\"\nkey = \"q\"\n");
    let said = desk.flash("--board node1 --to a.img").fails(2, "fleet.toml:3:7:");
    assert!(said.err.contains("key = (not shown)") || said.err.contains("key ="), "{}", said.err);
    assert!(!said.err.contains("\"q\""), "{}", said.err);
    desk.flash("--nonsense").fails(2, "--nonsense");
}

#[test]
fn every_code_is_explained_offline() {
    let desk = Desk::new();
    for code in all() {
        let said = desk.flash(&format!("--explain {}", code.name)).done();
        assert!(said.out.contains(code.explanation), "{}", code.name);
    }
    desk.flash("--explain kube::card::mountd")
        .fails(2, "did you mean --explain kube::card::mounted?");
}

#[test]
fn help_and_man_page_have_the_exit_codes_and_every_flag() {
    let desk = Desk::new();
    let help = desk.flash("--help").done().out;
    let man = desk.flash("--man").done().out.replace('\\', "");
    for (exit, meaning) in Exit::ALL {
        let line = format!("{:>3}  {meaning}", exit as u8);
        assert!(help.contains(&line), "no {line:?} in the help");
        assert!(man.contains(meaning), "no {meaning:?} in the man page");
    }
    let command = kube_tools::program::command::<kube_tools::flash::Arguments>();
    for flag in command.get_arguments().filter_map(|argument| argument.get_long()) {
        assert!(help.contains(&format!("--{flag}")), "{flag}");
        assert!(man.contains(&format!("--{flag}")), "{flag}");
    }
    for verb in command.get_subcommands() {
        let name = verb.get_name().to_uppercase();
        assert!(man.contains(&format!("KUBE-FLASH {name}")), "{name}");
    }
}

#[test]
fn completions_know_the_boards_of_the_fleet() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = desk.flash(&format!("--completions {shell}")).done().out;
        assert!(script.contains("kube-flash"), "{shell}: {script}");
    }
    desk.flash("--completions tcsh").fails(2, "bash");
    let mut command = desk.program("kube-flash");
    command.env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", "2");
    let said: Said = command.args(["--", "kube-flash", "--board", ""]).output().unwrap().into();
    let names: Vec<_> = said.out.split_whitespace().collect();
    assert_eq!(names, ["plane", "sim:plane", "node1", "sim:node1", "node2", "sim:node2"]);
}

#[test]
fn quiet_colour_and_plain_lines() {
    let desk = Desk::new();
    let said = desk.flash("--board node1 --to a.img").done();
    let words: Vec<_> =
        said.err.lines().map(|line| line.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(words, ["Build done", "Write done", "Verify done"]);
    assert!(!said.err.contains('\u{1b}') && said.out.is_empty());
    let said = desk.flash("--board node1 --to b.img --quiet").done();
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    let said = desk.flash("check nothing.img -q").fails(3, "kube::target::missing");
    assert!(!said.err.contains('\u{1b}'));
    desk.flash("check nothing.img --color always").fails(3, "\u{1b}[");
    let program = assert_cmd::cargo::cargo_bin("kube-flash");
    let line = format!("NO_COLOR=1 {} check nothing.img", program.display());
    let mut command = assert_cmd::Command::new("script");
    let output = command.args(["-qec", &line, "/dev/null"]).current_dir(desk.path(".")).output();
    let said = String::from_utf8_lossy(&output.unwrap().stdout).into_owned();
    assert!(said.contains("error[kube::target::missing]") && !said.contains('\u{1b}'), "{said}");
}

#[test]
fn a_flag_before_a_verb_that_does_not_look_at_it_is_refused() {
    let desk = Desk::new();
    let said = desk.flash("--board node1 --to a.img check b.img").fails(2, "kube::usage");
    assert!(said.err.contains("--to <FILE|CARD> has no meaning before check"), "{}", said.err);
    let run = |program: &str, words: &str| -> Said {
        desk.program(program).args(words.split_whitespace()).output().unwrap().into()
    };
    let said = run("kube-sniff", "-c 3 diff a.pcapng b.pcapng").fails(2, "kube::usage");
    assert!(said.err.contains("kube-sniff diff --help shows the flags of diff"), "{}", said.err);
    run("kube-boot", "--at-start monitor").fails(2, "kube::usage");
    // Flags of every verb stand anywhere, and so do those of commands of the board.
    run("kube-sniff", "--json rules").done();
    run("kube-boot", "--board node1 --at-start --dry-run System.Watch").done();
}

/// A USB device of the simulated host, with a serial line if it has one.
fn usb(desk: &Desk, place: &str, id: &str, serial: &str, tty: Option<&str>) {
    let (vendor, product) = id.split_once(':').unwrap();
    let folder = format!("host/sys/devices/usb/{place}");
    desk.write(&format!("{folder}/idVendor"), vendor);
    desk.write(&format!("{folder}/idProduct"), product);
    desk.write(&format!("{folder}/serial"), serial);
    desk.write(&format!("{folder}/product"), format!("Thing at {place}"));
    let link = |to: std::path::PathBuf, at: &str| {
        let at = desk.path(at);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, at).unwrap();
    };
    link(desk.path(&folder), &format!("host/sys/bus/usb/devices/{place}"));
    if let Some(tty) = tty {
        desk.write(&format!("{folder}/{place}:1.0/bInterfaceClass"), "ff");
        link(
            desk.path(format!("{folder}/{place}:1.0")),
            &format!("host/sys/class/tty/{tty}/device"),
        );
        desk.write(&format!("host/dev/{tty}"), "");
    }
}

#[test]
fn list_shows_everything_in_every_format() {
    let desk = Desk::new();
    desk.disk("sda", &Disk { fixed: true, ..Disk::default() });
    desk.disk("sdb", &Disk { serial: Some("4C53"), ..Disk::default() });
    usb(&desk, "1-1", "0403:6015", "D00123", Some("ttyUSB0"));
    usb(&desk, "1-2", "16c0:27dd", "E660", None);
    usb(&desk, "1-3", "046d:c31c", "KEYBOARD", None);
    desk.write(
        "fleet.local.toml",
        "[boards.node1]\nuart = \"D00123\"\njtag = \"D00123\"\nsd = { serial = \"4C53\" }\n",
    );
    desk.fault("ttyUSB0", "denied");
    let said = desk.flash("list").done();
    let rows: Vec<Vec<&str>> =
        said.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        rows,
        [
            vec!["NAME", "KIND", "USB", "SERIAL", "ACCESS", "BOARD"],
            vec!["/dev/sdb", "card", "-", "4C53", "ok", "node1"],
            vec!["usb:0403:6015", "jtag", "0403:6015", "D00123", "-", "node1"],
            vec!["/dev/ttyUSB0", "uart", "0403:6015", "D00123", "denied", "node1"],
            vec!["usb:16c0:27dd", "radio", "16c0:27dd", "E660", "-", "-"],
        ]
    );
    let json = desk.flash("list --json").done().json();
    assert_eq!((&json["schema"], &json["kind"]), (&"kube/v1".into(), &"devices".into()));
    assert_eq!(json["items"][2]["access"], "denied");
    assert_eq!(json["items"][0]["link"], "/dev/disk/by-id/usb-Generic_sdb");
    assert!(desk.flash("list -o yaml").done().out.contains("  - access: \"ok\""));
    assert!(desk.flash("list -o wide").done().out.contains("Thing at 1-1"));
    let names = desk.flash("list -o name").done().out;
    assert_eq!(names, "/dev/sdb\nusb:0403:6015\n/dev/ttyUSB0\nusb:16c0:27dd\n");
    // Nothing of what is listed has been opened: the port is a file that nobody may read.
    let watched = desk.flash("list --watch --duration 1 --json").done();
    assert_eq!(watched.out.lines().count(), 1, "a list for each change: {}", watched.out);
}

#[test]
fn doctor_says_what_is_wrong_and_what_helps() {
    let desk = Desk::new();
    desk.write("bin/openFPGALoader", "#!/bin/sh\necho openFPGALoader v0.13.1\n");
    std::os::unix::fs::symlink("/bin/sh", desk.path("bin/sh")).unwrap();
    let mode = |file: &str, mode| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(desk.path(file), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("bin/openFPGALoader", 0o755);
    let doctor = |words: &str| -> Said {
        let mut command = desk.program("kube-flash");
        command.env("PATH", desk.path("bin")).args(["doctor", "--json"]);
        command.args(words.split_whitespace()).output().unwrap().into()
    };
    let state = |said: &Said, what: &str| -> String {
        let json = said.json();
        let items = json["items"].as_array().unwrap();
        let found = items.iter().find(|item| item["what"] == what);
        found.map_or(String::new(), |item| format!("{} {}", item["state"], item["help"]))
    };
    let well = doctor("").done();
    assert!(state(&well, "openFPGALoader").starts_with("\"ok\""), "{}", well.out);
    mode("bin/openFPGALoader", 0o644);
    assert!(state(&doctor("").done(), "openFPGALoader").contains("apt install openfpgaloader"));
    usb(&desk, "1-1", "0403:6015", "D00123", Some("ttyUSB0"));
    desk.fault("ttyUSB0", "busy");
    let said = doctor("");
    assert_eq!(said.code, 1);
    assert_eq!(state(&said, "uart /dev/ttyUSB0"), "\"failure\" \"end it: kill 1\"");
    desk.fault("ttyUSB0", "denied");
    assert!(state(&doctor(""), "uart /dev/ttyUSB0").contains("doctor --udev"));
    desk.fault("ttyUSB0", "");
    desk.write("fleet.local.toml", "[boards.node1]\nuart = \"ELSE\"\n");
    assert!(state(&doctor("").done(), "node1").starts_with("\"warning\""));
    let public = String::from_utf8(desk.read("fleet.toml")).unwrap();
    desk.write("fleet.toml", public.replace("0011223344556677", "00c0ffee00c0ffee"));
    assert!(state(&doctor("").done(), "key").starts_with("\"warning\""));
    desk.write("fleet.toml", "[cluster]\n");
    assert!(state(&doctor(""), "fleet").starts_with("\"failure\""));
    let rules = desk.flash("doctor --udev").done().out;
    assert!(
        rules.contains("ATTRS{idVendor}==\"0403\", ATTRS{idProduct}==\"6015\", TAG+=\"uaccess\"")
    );
}

#[test]
fn a_board_is_worked_on_by_one_program_at_a_time() {
    let desk = Desk::new();
    desk.write("run/kube-locks/sim-node1", "");
    let held = std::fs::File::open(desk.path("run/kube-locks/sim-node1")).unwrap();
    held.lock().unwrap();
    desk.flash("--board sim:node1").fails(6, "kube::board::busy");
    desk.flash("--board sim:node2").done();
    desk.flash("--board node1 --to a.img").done();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("kube-flash"));
    command.args(["--board", "sim:node1", "--wait", "60"]);
    command.current_dir(desk.path(".")).env("XDG_RUNTIME_DIR", desk.path("run"));
    let waiting = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(200));
    drop(held);
    let said = Said::from(waiting.wait_with_output().unwrap());
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn another_host_runs_the_same_command() {
    let desk = Desk::new();
    // A stand-in for ssh that shows its words and ends as it is told.
    desk.write(
        "bin/ssh",
        "#!/bin/sh\nfor word in \"$@\"; do echo \"<$word>\"; done\nexit ${END:-0}\n",
    );
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(desk.path("bin/ssh"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", desk.path("bin").display(), std::env::var("PATH").unwrap());
    let there = |end: &str| -> Said {
        let mut command = desk.program("kube-flash");
        command.env("PATH", &path).env("END", end);
        command.args(["--host", "me@bench", "--board", "node1", "--to", "it's.img"]);
        command.output().unwrap().into()
    };
    let said = there("0").done();
    let words: Vec<_> = said.out.lines().collect();
    let quoted = "<'it'\\''s.img'>";
    assert_eq!(
        words,
        ["<-->", "<me@bench>", "<kube-flash>", "<'--board'>", "<'node1'>", "<'--to'>", quoted]
    );
    assert!(!desk.path("it's.img").exists());
    assert_eq!(there("4").code, 4);
    there("255").fails(1, "kube::host");
}

/// A bitstream's head for a part.
fn bitstream(idcode: u32) -> Vec<u8> {
    described(idcode, "Part: LFE5U\0")
}

/// The same with other texts.
fn described(idcode: u32, texts: &str) -> Vec<u8> {
    let mut bytes = [b"\xFF\0", texts.as_bytes()].concat();
    bytes.extend(b"\xFF\xFF\xFF\xBD\xB3\xFF\xFF\xFF\xFF\x3B\0\0\0\xE2\0\0\0");
    bytes.extend(idcode.to_be_bytes());
    bytes.extend([0; 5000]);
    bytes
}

#[test]
fn a_bitstream_for_the_part_is_handed_to_the_loader() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.write("bin/openFPGALoader", "#!/bin/sh\necho \"loader $@\"\nexit ${END:-0}\n");
    std::fs::set_permissions(desk.path("bin/openFPGALoader"), PermissionsExt::from_mode(0o755))
        .unwrap();
    desk.write("fleet.local.toml", "[boards.node1]\njtag = \"D00123\"\n");
    desk.write("85f.bit", bitstream(0x4111_3043));
    desk.write("25f.bit", bitstream(0x4111_1043));
    let path = format!("{}:{}", desk.path("bin").display(), std::env::var("PATH").unwrap());
    let flash = |words: &str, end: &str| -> Said {
        let mut command = desk.program("kube-flash");
        command.env("PATH", &path).env("END", end).args(words.split_whitespace());
        command.output().unwrap().into()
    };
    let load = "--board node1 --to a.img --bitstream 85f.bit";
    let said = flash(&format!("{load} -n"), "0").fails(1, "Would load node1: openFPGALoader");
    assert!(!said.err.contains("loader --board"), "it was started: {}", said.err);
    let said = flash(load, "0").done();
    assert!(
        said.err.contains("loader --board ulx3s --ftdi-serial D00123 85f.bit\n"),
        "{}",
        said.err
    );
    let said = flash(&format!("{load} --persist"), "0").done();
    assert!(said.err.contains("--ftdi-serial D00123 --write-flash 85f.bit\n"), "{}", said.err);
    flash(load, "1").fails(1, "kube::loader");
    // Refused before anything is written.
    let wrong = "--board node1 --to w.img --bitstream 25f.bit";
    let said = flash(wrong, "0").fails(4, "kube::bitstream::part");
    assert!(said.err.contains("it is for LFE5U-25F, the ulx3s-85f has LFE5U-85F"), "{}", said.err);
    assert!(!desk.path("w.img").exists());
    desk.write("no.bit", vec![0; 6000]);
    flash("--board node1 --to w.img --bitstream no.bit", "0").fails(4, "kube::bitstream::kind");
    flash("--board node2 --to w.img --bitstream 85f.bit", "0").fails(2, "kube::bitstream::model");
    let said = flash("info 25f.bit", "0").done();
    assert!(said.out.contains("LFE5U-25F (41111043H)"), "{}", said.out);
}

#[test]
fn a_bitstream_is_for_a_revision_of_the_board() {
    let desk = Desk::new();
    let texts =
        "Design: ulx3s\0Version: v1-3-gabc\0Board: ulx3s-85f 3.0\0Build: 1234abcd\0Seed: 1\0";
    desk.write("new.bit", described(0x4111_3043, texts));
    let load = "--board node1 --to a.img --bitstream new.bit -n";
    let said = desk.flash(load).fails(4, "kube::bitstream::revision");
    assert!(said.err.contains("revision = \"3.0\" in [boards.node1]"), "{}", said.err);
    desk.write("fleet.local.toml", "[boards.node1]\nrevision = \"3.1\"\n");
    let said = desk.flash(load).fails(4, "kube::bitstream::revision");
    assert!(said.err.contains("it is for revision 3.0, node1 has 3.1"), "{}", said.err);
    desk.write("fleet.local.toml", "[boards.node1]\nrevision = \"3.0\"\n");
    desk.flash(load).fails(1, "Would load node1: openFPGALoader --board ulx3s new.bit");
    let info = desk.flash("info new.bit --json").done().json();
    let field = |name: &str| info[name].as_str().unwrap_or_default().to_owned();
    let found = ["design", "version", "revision", "build"].map(field);
    assert_eq!(found, ["ulx3s", "v1-3-gabc", "3.0", "1234abcd"]);
}

#[test]
fn the_self_test_takes_the_place_of_the_system() {
    let desk = Desk::new();
    let said = desk.flash("--board node1 --to test.img --self-test").done();
    assert!(said.err.contains("Build done: node1 with the self-test, "), "{}", said.err);
    let info = desk.flash("info test.img --json").done().json();
    assert_eq!((info["files"].as_u64(), info["board"].as_str()), (Some(0), None), "{info}");
    desk.flash("--board node1 --to x.img --self-test --image test.img").fails(2, "--self-test");
}

#[test]
fn an_interrupt_ends_a_program_with_130() {
    let desk = Desk::new();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("kube-flash"));
    command.args(["list", "--watch"]).current_dir(desk.path("."));
    command.env("KUBE_HOST_ROOT", desk.path("host"));
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    // It has said its first words when the handler is there.
    let mut first = [0; 1];
    std::io::Read::read_exact(child.stderr.as_mut().unwrap(), &mut first).unwrap();
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Files, images, captures and ports that this user may not open: exit code 6, and the command that helps.
#[test]
fn what_may_not_be_opened_is_told_with_what_helps() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let closed = |path: &std::path::Path| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
    };
    desk.write("closed", "nobody's");
    closed(&desk.path("closed"));
    let line = kube_lab::terminal::Terminal::new().unwrap();
    closed(line.path());
    let port = line.path().display().to_string();
    for (program, words, code, help) in [
        ("kube-boot", "--port PORT A.B", "kube::port::denied", "adduser $USER dialout"),
        ("kube-boot", "--port PORT monitor", "kube::port::denied", "doctor --udev"),
        ("kube", "--port PORT get pods", "kube::port::denied", "adduser $USER dialout"),
        ("kube-sniff", "serial:PORT", "kube::source::denied", "doctor --udev"),
        ("kube-sniff", "-r closed", "kube::source::denied", "may you read it?"),
        ("kube-flash", "check closed", "kube::target::denied", "kube-flash doctor"),
        ("kube-boot", "load closed", "kube::file::denied", "chmod a+r closed"),
        ("kube-boot", "write closed", "kube::file::denied", "chmod a+r closed"),
        ("kube", "apply -f closed", "kube::file::denied", "chmod a+r closed"),
        ("kube", "restore closed", "kube::file::denied", "chmod a+r closed"),
    ] {
        let mut command = desk.stranger(program);
        command.args(words.replace("PORT", &port).split(' '));
        let said = Said::from(command.output().unwrap()).fails(6, &format!("error[{code}]: "));
        assert!(said.err.contains("  cause: Permission denied"), "{words}: {}", said.err);
        let last = said.err.lines().find(|line| line.starts_with("  help: "));
        assert!(last.is_some_and(|line| line.contains(help)), "{words}: {}", said.err);
    }
}

/// Readers that leave: no panic, whichever of the outputs it is.
#[test]
fn outputs_that_are_closed_are_no_surprise() {
    use std::process::Stdio;
    let desk = Desk::new();
    for (program, words) in [
        ("kube-flash", "--help"),
        ("kube-flash", "--man"),
        ("kube-flash", "boards -v"),
        ("kube-flash", "--board node1 --to a.img -v"),
        ("kube-flash", "check a.img"),
        ("kube-flash", "check nothing.img"),
        ("kube-boot", "--port nothing monitor --json"),
        ("kube-sniff", "rules"),
        ("kube-sniff", "list"),
        ("kube", "--frobnicate"),
        ("kube-inject", "--completions bash"),
    ] {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin(program));
        command.args(words.split(' ')).current_dir(desk.path("."));
        command.env("KUBE_HOST_ROOT", desk.path("host")).env("XDG_RUNTIME_DIR", desk.path("run"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 2 | 3)), "{program} {words}: {code:?}");
    }
}

/// -o means the same everywhere, and a file named there is told where it belongs.
#[test]
fn a_file_behind_the_flag_for_the_form_is_told() {
    let desk = Desk::new();
    let mut command = desk.program("kube");
    let said: Said = command.args(["backup", "-o", "web.backup"]).output().unwrap().into();
    let said = said.fails(2, "tip: -o is the form of what is printed");
    assert!(said.err.contains("possible values: text, wide, json, yaml, name"), "{}", said.err);
}

#[test]
fn a_board_is_watched_after_it_has_been_written() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    // A stand-in for kube-boot beside a copy of kube-flash.
    let copy = desk.path("bin/kube-flash");
    desk.write("bin/kube-boot", "#!/bin/sh\necho \"kube-boot $@\"\nexit ${END:-0}\n");
    std::fs::copy(assert_cmd::cargo::cargo_bin("kube-flash"), &copy).unwrap();
    std::fs::set_permissions(desk.path("bin/kube-boot"), PermissionsExt::from_mode(0o755)).unwrap();
    let flash = |end: &str| -> Said {
        let mut command = assert_cmd::Command::new(&copy);
        command
            .current_dir(desk.path("."))
            .env("END", end)
            .env("XDG_RUNTIME_DIR", desk.path("run"));
        command.args(["--board", "sim:node1", "--monitor"]).output().unwrap().into()
    };
    let said = flash("0").done();
    assert!(said.err.contains("Verify done"), "{}", said.err);
    assert_eq!(said.out, "kube-boot --board sim:node1 monitor\n");
    assert_eq!(flash("124").code, 124);
    std::fs::remove_file(desk.path("bin/kube-boot")).unwrap();
    let mut command = assert_cmd::Command::new(&copy);
    command
        .current_dir(desk.path("."))
        .env("PATH", "/nowhere")
        .env("XDG_RUNTIME_DIR", desk.path("run"));
    let said: Said = command.args(["--board", "sim:node1", "--monitor"]).output().unwrap().into();
    said.fails(1, "kube::monitor");
}

#[test]
fn the_boards_of_the_fleet_are_listed() {
    let desk = Desk::new();
    assert_eq!(desk.flash("boards -o name").done().out, "plane\nnode1\nnode2\n");
    let json = desk.flash("boards --json").done().json();
    assert_eq!(json["items"][1]["model"], "ulx3s-85f");
    assert!(!desk.flash("boards -o yaml").done().out.contains("00112233"));
}
