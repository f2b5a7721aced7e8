//! `kube-flash` and cards: what it refuses, what it asks, and what an interrupted write leaves.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

mod desk;

use std::os::unix::fs::MetadataExt;
use std::process::Command;

use desk::{CARD_ROOT, Desk, Disk};
use kube_disk::{Image, ImageBuilder, Layout};
use kube_tools::flags::Shared;
use kube_tools::flash::mark::Mark;
use kube_tools::flash::medium::{Fault, Medium};
use kube_tools::flash::write::{Job, plan, write};
use kube_tools::talk::Talk;

const SERIAL: Disk = Disk {
    bytes: None,
    fixed: false,
    sd: false,
    read_only: false,
    serial: Some("4C530001"),
    mount: None,
    swap: false,
    holder: None,
};

fn card_bytes(desk: &Desk, name: &str) -> Vec<u8> {
    let bytes = desk.read(&format!("host/dev/{name}"));
    bytes[CARD_ROOT as usize..].to_vec()
}

/// What a card without a cell written takes on the disk of this computer.
fn untouched(desk: &Desk, name: &str) -> bool {
    std::fs::metadata(desk.path(format!("host/dev/{name}"))).unwrap().blocks() == 0
}

#[test]
fn disks_that_are_no_cards_or_in_use_are_refused() {
    let gb = 1_000_000_000;
    let cases = [
        (Disk { mount: Some("/media/me/PHOTOS"), ..SERIAL }, 4, "kube::card::mounted"),
        (Disk { mount: Some("/"), ..SERIAL }, 4, "kube::card::system"),
        (Disk { mount: Some("/boot/efi"), ..SERIAL }, 4, "kube::card::system"),
        (Disk { swap: true, ..SERIAL }, 4, "kube::card::system"),
        (Disk { holder: Some("dm-0"), ..SERIAL }, 4, "kube::card::member"),
        (Disk { holder: Some("md127"), ..SERIAL }, 4, "kube::card::member"),
        (Disk { fixed: true, ..SERIAL }, 4, "kube::card::fixed"),
        (Disk { bytes: Some(500 * gb), ..SERIAL }, 4, "kube::card::large"),
        (Disk { bytes: Some(200_000_000), ..SERIAL }, 4, "kube::card::small"),
        (Disk { read_only: true, ..SERIAL }, 6, "kube::card::read-only"),
    ];
    for (disk, code, name) in cases {
        let desk = Desk::new();
        desk.disk("sdb", &disk);
        let command = "--board node1 --to /dev/sdb --yes --expect-serial 4C530001";
        let said = desk.flash(command).fails(code, name);
        assert!(said.err.contains("Generic STORAGE DEVICE"), "{}", said.err);
        assert!(untouched(&desk, "sdb"), "{name}");
        // Nor with the override, which is for fixed and large disks only.
        let insists = format!("{command} --i-know-that-this-disk-is-no-card");
        let lets_through = ["kube::card::fixed", "kube::card::large"].contains(&name);
        match lets_through {
            true => desk.flash(&insists).done(),
            false => desk.flash(&insists).fails(code, name),
        };
        assert_eq!(untouched(&desk, "sdb"), !lets_through, "{name}");
    }
}

#[test]
fn disks_with_the_signature_of_a_volume_are_refused() {
    for (at, magic) in
        [(512, &b"LABELONE"[..]), (4096, &[0xFC, 0x4E, 0x2B, 0xA9]), (0, b"LUKS\xBA\xBE")]
    {
        let desk = Desk::new();
        desk.disk("sdb", &SERIAL);
        let device =
            std::fs::OpenOptions::new().write(true).open(desk.path("host/dev/sdb")).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&device, magic, at).unwrap();
        let before = desk.read("host/dev/sdb");
        let command = "--board node1 --to /dev/sdb --yes --expect-serial 4C530001";
        desk.flash(command).fails(4, "kube::card::member");
        assert!(desk.read("host/dev/sdb") == before);
    }
}

#[test]
fn partitions_folders_and_lines_are_no_targets() {
    let desk = Desk::new();
    desk.disk("sdb", &SERIAL);
    desk.write("host/dev/ttyUSB0", "");
    desk.flash("--board node1 --to /dev/sdb1").fails(4, "name the whole disk: /dev/sdb");
    desk.flash("--board node1 --to /dev/ttyUSB0").fails(4, "kube::target::kind");
    desk.flash("--board node1 --to /dev/sdz").fails(3, "kube::target::missing");
    desk.flash("--board node1 --to .").fails(4, "is a folder");
    desk.flash("--board node1 --to nowhere/a.img").fails(3, "kube::target::missing");
    assert!(untouched(&desk, "sdb"));
}

#[test]
fn a_card_is_named_and_nobody_writes_to_it_unasked() {
    let desk = Desk::new();
    desk.disk("sdb", &SERIAL);
    let said = desk.flash("--board node1 --to /dev/sdb").fails(4, "kube::question");
    assert!(said.err.contains("Card /dev/sdb: Generic STORAGE DEVICE, 300.0 MB, serial 4C530001"));
    desk.flash("--board node1 --to /dev/sdb --yes").fails(4, "kube::card::unnamed");
    desk.flash("--board node1 --to /dev/sdb --yes --expect-serial 1")
        .fails(4, "kube::card::serial");
    let plan =
        desk.flash("--board node1 --to /dev/sdb -n").fails(1, "/dev/disk/by-id/usb-Generic_sdb");
    assert!(plan.err.contains("on a slow card"));
    assert!(untouched(&desk, "sdb"));
    desk.flash("--board node1 --to /dev/sdb --yes --expect-serial 4C530001").done();
    desk.flash("--board node1 --to a.img").done();
    let short = desk.read("a.img");
    assert!(card_bytes(&desk, "sdb")[..short.len()] == short[..]);
    // The blocks before the file system are those of whoever made the card.
    assert!(desk.read("host/dev/sdb")[..CARD_ROOT as usize - 1024].iter().all(|&byte| byte == 0));
    desk.flash("check /dev/sdb").done();
    desk.flash("--board node1 --to /dev/sdb").done();
}

#[test]
fn a_question_is_answered_with_the_name_of_the_disk() {
    let desk = Desk::new();
    desk.disk("sdb", &SERIAL);
    let program = assert_cmd::cargo::cargo_bin("kube-flash");
    let answer = |word: &str| {
        // `script` runs the program on a terminal of its own.
        let line = format!("{} --board node1 --to /dev/sdb; echo code $?", program.display());
        let mut command = assert_cmd::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(desk.path("."));
        command.env("KUBE_HOST_ROOT", desk.path("host")).env_remove("KUBE_BOARD");
        let output = command.write_stdin(format!("{word}\n")).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let said = answer("yes");
    assert!(said.contains("kube::declined") && said.contains("code 4"), "{said}");
    assert!(untouched(&desk, "sdb"));
    let said = answer("sdb");
    assert!(said.contains("Verify done") && said.contains("code 0"), "{said}");
}

#[test]
fn the_card_of_a_board_is_found() {
    let desk = Desk::new();
    let fleet = String::from_utf8(desk.read("fleet.toml")).unwrap();
    desk.flash("--board node1").fails(3, "kube::card::none");
    desk.disk("sda", &Disk { fixed: true, mount: Some("/"), ..SERIAL });
    desk.disk("sdb", &Disk { serial: Some("B"), ..SERIAL });
    let said = desk.flash("--board node1 -n -v").fails(1, "kube::different");
    assert!(said.err.contains("card /dev/sdb (the only one)"), "{}", said.err);
    desk.disk("sdc", &Disk { serial: Some("C"), ..SERIAL });
    desk.flash("--board node1").fails(3, "kube::card::several");
    desk.write("fleet.local.toml", "[boards.node1]\nsd = { serial = \"C\" }\n");
    let said = desk.flash("--board node1 --yes -v").done();
    assert!(said.err.contains("card /dev/sdc (serial C)"), "{}", said.err);
    assert!(untouched(&desk, "sdb"));
    desk.write("fleet.local.toml", "[boards.node1]\nsd = { serial = \"D\" }\n");
    desk.flash("--board node1").fails(3, "no disk has serial number D");
    let path = "[boards.node1]\nsd = { path = \"/dev/disk/by-id/usb-Generic_sdb\" }\n";
    desk.write("fleet.local.toml", path);
    desk.flash("--board node1 --yes --expect-serial B").done();
    assert!(!untouched(&desk, "sdb"));
    desk.write("fleet.toml", fleet);
}

const WRITE: &str = "--board node1 --to /dev/sdb --yes --expect-serial 4C530001";

#[test]
fn a_card_that_is_pulled_out_power_that_fails_and_cells_that_lie() {
    let faults = [
        ("unplug 40", 3, "kube::target::gone"),
        ("unplug 0", 3, "kube::target::gone"),
        ("full 100", 1, "kube::target::full"),
        ("power-cut 77 100", 1, "kube::target::io"),
        ("flip 50", 5, "kube::verify::differs"),
        ("busy", 6, "kube::target::busy"),
        ("denied", 6, "kube::target::denied"),
    ];
    for (fault, code, name) in faults {
        let desk = Desk::new();
        desk.disk("sdb", &SERIAL);
        desk.flash(WRITE).done();
        let plane = WRITE.replace("node1", "plane");
        desk.fault("sdb", fault);
        desk.flash(&plane).fails(code, name);
        desk.fault("sdb", "");
        let unfinished = !["busy", "denied", "unplug 0"].contains(&fault);
        if unfinished {
            let said = desk.flash("check /dev/sdb").fails(1, "kube::image::unfinished");
            assert!(said.err.contains("plane was being written"), "{}", said.err);
            desk.flash("ls /dev/sdb").fails(1, "kube::image::unfinished");
        } else {
            desk.flash("check /dev/sdb").done();
        }
        desk.flash(&plane).done();
        desk.flash("check /dev/sdb").done();
        desk.flash("--board plane diff /dev/sdb").done();
    }
}

#[test]
fn a_file_that_may_not_be_written_and_a_file_system_without_room() {
    let desk = Desk::new();
    let program = assert_cmd::cargo::cargo_bin("kube-flash");
    // A limit on the length of files is the nearest to a full disk that needs no rights.
    let line = format!(
        "trap '' XFSZ; ulimit -f 1000; exec {} --board node1 --to a.img",
        program.display()
    );
    let mut command = assert_cmd::Command::new("bash");
    let output = command.args(["-c", &line]).current_dir(desk.path(".")).output().unwrap();
    desk::Said::from(output).fails(1, "kube::target::full");
    assert!(!desk.path("a.img").exists(), "half a file is left");
    // Somebody who is not root, so that modes count.
    use std::os::unix::fs::PermissionsExt;
    desk.flash("--board node1 --to a.img").done();
    let mode = |path: &str, mode| {
        std::fs::set_permissions(desk.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("a.img", 0o444);
    mode(".", 0o755);
    mode("fleet.toml", 0o644);
    let words = ["--board", "plane", "--to", "a.img"];
    let mut command = if rustix::process::geteuid().is_root() {
        let copy = desk.path("kube-flash");
        std::fs::copy(&program, &copy).unwrap();
        let mut command = assert_cmd::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy);
        command
    } else {
        assert_cmd::Command::new(&program)
    };
    let output = command.args(words).current_dir(desk.path(".")).output().unwrap();
    desk::Said::from(output).fails(6, "kube::target::denied");
}

/// A medium with the image of `old`, and what writes `new` to it.
fn rewrite(old: &[u8], new: &[u8], fault: Option<Fault>) -> (std::fs::File, bool) {
    let file = tempfile::tempfile().unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, old, 0).unwrap();
    let quiet = Shared { quiet: true, ..Shared::default() };
    let job = Job { content: new, base: 0, root: 0, whole: true, label: "new", of: "new" };
    let clone = file.try_clone().unwrap();
    let mut medium = Medium::new(clone, old.len() as u64).failing(fault);
    let planned = plan(&medium, &job, false).unwrap();
    let done = write(&mut medium, &job, &planned, true, &Talk::new(&quiet));
    (file, done.is_ok())
}

fn bytes_of(file: &std::fs::File, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    std::os::unix::fs::FileExt::read_exact_at(file, &mut bytes, 0).unwrap();
    bytes
}

/// Boot area and all files, if they can be read.
fn files(bytes: &[u8]) -> Option<std::collections::BTreeMap<String, Vec<u8>>> {
    let image = Image::open(bytes.to_vec()).ok()?;
    let listed = image.list().ok()?;
    let read = |file: kube_disk::FileInfo| Some((file.name.clone(), image.read(&file.name).ok()?));
    let boot = ("boot area".to_owned(), image.boot_area().to_vec());
    listed.into_iter().map(read).chain([Some(boot)]).collect()
}

/// Power fails in every block of a write, at several bytes of it; `KUBE_ALL_CUTS` asks for all.
#[test]
fn a_write_cut_in_any_block_is_found_and_mended() {
    let system = kube_modules::build().unwrap();
    let fleet = kube_boards::fleet::Fleet::new(1, "kube", "00c0ffee").unwrap();
    let [plane, node] = [0, 1].map(|at| {
        let machine = fleet.machine(&fleet.boards[at]);
        kube_boards::image::machine_image(&system, &machine, &[]).unwrap()
    });
    // As much as is in use: the rest is zeros in both.
    let used = 700 * 1024;
    assert!(plane[used..].iter().chain(&node[used..]).all(|&byte| byte == 0));
    let (old, new) = (&node[..used], &plane[..used]);
    let job = Job { content: new, base: 0, root: 0, whole: true, label: "new", of: "new" };
    let file = tempfile::tempfile().unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, old, 0).unwrap();
    let medium = Medium::new(file, used as u64);
    // The mark, the changed blocks, and the root in the end, which is among the changed ones.
    let planned = plan(&medium, &job, false).unwrap();
    assert_eq!(planned.changed[0].start, 0, "the directory changes as well");
    let writes = planned.changes() + 1;
    assert!(writes > 300, "{writes} blocks are written");
    let all = std::env::var_os("KUBE_ALL_CUTS").is_some();
    let mut found = 0;
    for block in 0..writes {
        let edge = block < 2 || block + 2 >= writes;
        let bytes: Vec<usize> = match (all || edge, block % 5 == 0) {
            (true, _) => (0..=512).step_by(if all { 16 } else { 64 }).collect(),
            (false, true) => vec![0, 200],
            (false, false) => continue,
        };
        for bytes in bytes {
            let (file, done) = rewrite(old, new, Some(Fault::PowerCut(block, bytes)));
            assert!(!done, "block {block}");
            let left = bytes_of(&file, used);
            let marked = Mark::find(&left).is_some();
            let sound = || Image::open(left.clone()).is_ok_and(|image| image.check().is_empty());
            // Without a mark the first block is the old one, the new one, or damaged.
            // (Behind the last entry of the directory nothing is read, so it may be cut there.)
            let whole = left == old || files(&left) == files(new);
            assert!(marked || whole || !sound(), "block {block}, {bytes} bytes");
            found += usize::from(marked || !sound());
            let (file, done) = rewrite(&left, new, None);
            assert!(done && bytes_of(&file, used) == new, "block {block} is not mended");
        }
    }
    assert!(found > 100, "{found} cuts found");
    println!("{found} cuts of {writes} writes found and mended");
}

#[test]
fn three_hundred_megabytes_with_progress() {
    let desk = Desk::new();
    desk.disk("sdb", &Disk { bytes: Some(320_000_000), ..SERIAL });
    let image = ImageBuilder::new()
        .size_bytes(44 << 20)
        .layout(Layout::FullCard)
        .file("Big.Data", &vec![0xA5; 3_000_000])
        .build()
        .unwrap();
    assert!(image.bytes().len() > 300_000_000);
    desk.write("card.img", image.bytes());
    let program = assert_cmd::cargo::cargo_bin("kube-flash");
    let words = "--image card.img --to /dev/sdb --yes --expect-serial 4C530001 --no-skip";
    let line = format!("stty cols 120; {} {words}; echo code $?", program.display());
    let mut command = assert_cmd::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(desk.path("."));
    let output = command.env("KUBE_HOST_ROOT", desk.path("host")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("code 0"), "{said}");
    assert!(said.contains("Write █") && said.contains("Verify █"), "no bars in {said}");
    let blocks = image.bytes().len() / 512;
    assert!(said.contains(&format!("Verify done: {blocks} of {blocks} blocks, sha256 ")), "{said}");
    assert!(desk.read("host/dev/sdb")[..image.bytes().len()] == *image.bytes());
}

/// A loop device of this computer, gone when dropped.
struct Loop(String);

impl Loop {
    fn new(file: &std::path::Path) -> Option<Self> {
        let output = Command::new("losetup").args(["--find", "--show"]).arg(file).output().ok()?;
        let name = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !name.is_empty()).then_some(Self(name))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

#[test]
fn a_loop_device_is_written_as_a_card_is() {
    let desk = Desk::new();
    let file = desk.path("card");
    std::fs::File::create(&file).unwrap().set_len(300_000_256).unwrap();
    let Some(device) = Loop::new(&file) else {
        println!("skipped: loop devices need root");
        return;
    };
    let flash = |words: &str| {
        let mut command = desk.program("kube-flash");
        command.env_remove("KUBE_HOST_ROOT").args(words.split_whitespace());
        desk::Said::from(command.output().unwrap())
    };
    let to = &device.0;
    let said = flash(&format!("--board node1 --to {to} --yes --json")).done();
    assert!(said.err.contains("loop device of"), "{}", said.err);
    flash(&format!("check {to}")).done();
    flash(&format!("--board node1 diff {to}")).done();
    let again = flash(&format!("--board node1 --to {to} --yes --json")).done().json();
    assert_eq!(again["written_blocks"], 0);
    // Held by somebody else for themselves.
    let held = std::os::unix::fs::OpenOptionsExt::custom_flags(
        std::fs::OpenOptions::new().read(true),
        rustix::fs::OFlags::EXCL.bits() as i32,
    )
    .open(to)
    .unwrap();
    flash(&format!("--board plane --to {to} --yes")).fails(6, "kube::target::busy");
    drop(held);
    flash(&format!("--board node1 diff {to}")).done();
}
