//! `kube-flash` as a program: images, files, and what it says.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod desk;

use desk::Desk;
use kube_disk::Image;

#[test]
fn the_same_inputs_give_the_same_image_and_only_changes_are_written() {
    let desk = Desk::new();
    let first = desk.flash("--board node1 --to a.img --json").done().json();
    desk.flash("--board node1 --to b.img").done();
    assert_eq!(desk.read("a.img"), desk.read("b.img"));
    assert_eq!(first["written_blocks"], 16384);
    let again = desk.flash("--board node1 --to a.img --json").done();
    assert_eq!(again.json()["written_blocks"], 0);
    assert!(again.err.contains("a.img holds node1 already"), "{}", again.err);
    // One byte of one file wrong: one block is written, and the mark in between.
    let mut bytes = desk.read("a.img");
    bytes[100_000] ^= 1;
    desk.write("a.img", &bytes);
    let mended = desk.flash("--board node1 --to a.img --json").done().json();
    assert_eq!(mended["written_blocks"], 1);
    assert_eq!(desk.read("a.img"), desk.read("b.img"));
    let all = desk.flash("--board node1 --to a.img --no-skip --json").done().json();
    assert_eq!(all["written_blocks"], 16384);
}

#[test]
fn a_dry_run_and_diff_tell_and_touch_nothing() {
    let desk = Desk::new();
    let said = desk.flash("--board node1 --to a.img --dry-run").fails(1, "kube::different");
    assert!(said.err.contains("16384 of 16384 blocks"), "{}", said.err);
    assert!(!desk.path("a.img").exists());
    desk.flash("--board node1 --to a.img").done();
    desk.flash("--board node1 --to a.img --dry-run").done();
    desk.flash("--board node1 diff a.img").done();
    let before = desk.read("a.img");
    let said = desk.flash("--board plane diff a.img").fails(1, "differs from plane");
    assert_eq!(said.out, "~ Boot.Cmd\n+ Kube.Store0\n+ Kube.Store1\n");
    let plan = desk.flash("--board plane --to a.img -n --json").json();
    assert!(plan["changed_blocks"].as_u64().unwrap() > 100, "{plan}");
    assert_eq!(desk.read("a.img"), before);
}

#[test]
fn files_are_listed_taken_out_and_put_in() {
    let desk = Desk::new();
    desk.flash("--board node1 --to a.img").done();
    let listed = desk.flash("ls a.img -o json").done().json();
    assert_eq!(listed["schema"], "kube/v1");
    let names = listed["items"].as_array().unwrap().iter().map(|item| &item["name"]);
    assert_eq!(names.filter(|name| *name == "Boot.Cmd").count(), 1);
    let got = desk.flash("get a.img Boot.Cmd --stdout").done();
    assert_eq!(got.out, "KubeNet.Join node1 kube 0011223344556677\n");
    desk.flash("get a.img Ticker.rsc").done();
    desk.flash("get a.img Ticker.rsc").fails(4, "kube::file::exists");
    desk.write("Note.Text", "hello");
    desk.flash("put a.img Note.Text").done();
    desk.flash("put a.img Note.Text --as Other.Text").done();
    assert_eq!(desk.flash("get a.img Other.Text --stdout").out, "hello");
    desk.flash("get a.img Nothing.Text").fails(1, "kube::image::file");
    desk.flash("check a.img").done();
    // On the image of a board the word that names the image is left out.
    desk.flash("--board sim:node1").done();
    let got = desk.flash("--board sim:node1 get Boot.Cmd --stdout").done();
    assert!(got.out.starts_with("KubeNet.Join node1"));
}

#[test]
fn names_that_are_too_long_are_refused() {
    let desk = Desk::new();
    desk.flash("--board node1 --to a.img").done();
    let long = "N".repeat(32);
    desk.write(&long, "x");
    desk.flash(&format!("put a.img {long}")).fails(1, "longer than 31");
    let module = "M".repeat(28);
    desk.write(&format!("{module}.Mod"), format!("MODULE {module}; END {module}."));
    desk.flash(&format!("install a.img {module}.Mod")).fails(1, "error[kube::");
    let fleet = String::from_utf8(desk.read("fleet.toml")).unwrap();
    desk.write("fleet.toml", fleet.replace("boards.node1", "boards.number1"));
    desk.flash("--board plane --to b.img").fails(2, "fleet.toml:8:9");
}

#[test]
fn modules_are_compiled_and_must_find_what_they_import() {
    let desk = Desk::new();
    desk.flash("--board node1 --to a.img").done();
    let before = Image::open(desk.read("a.img")).unwrap();
    let good = "MODULE Hello; IMPORT Texts, Oberon; VAR W: Texts.Writer;\n\
                PROCEDURE Say*; BEGIN Texts.WriteString(W, \"hi\"); Texts.Append(Oberon.Log, W.buf) END Say;\n\
                BEGIN Texts.OpenWriter(W) END Hello.\n";
    desk.write("Hello.Mod", good);
    desk.write("Bad.Mod", "MODULE Bad; IMPORT Nothing; END Bad.");
    desk.flash("install a.img Hello.Mod").done();
    let said = desk.flash("install a.img Bad.Mod").fails(1, "kube::build");
    assert!(said.err.contains("Bad.Mod"), "{}", said.err);
    // What it brings along is on no image: the loader would refuse it on the machine.
    desk.write("Top.Mod", "MODULE Top; IMPORT Under; BEGIN Under.P END Top.");
    desk.write("Under.Mod", "MODULE Under; PROCEDURE P*; END P; END Under.");
    desk.flash("install a.img Top.Mod Under.Mod").done();
    desk.flash("--board node1 --to b.img").done();
    desk.flash("get a.img Top.rsc").done();
    desk.flash("install b.img Top.rsc").fails(1, "it has no Under");
    let after = Image::open(desk.read("a.img")).unwrap();
    for file in before.list().unwrap() {
        assert_eq!(before.read(&file.name), after.read(&file.name), "{}", file.name);
    }
    assert_eq!(after.check(), vec![]);
}

#[test]
fn info_says_what_an_image_is_and_hides_the_key() {
    let desk = Desk::new();
    desk.flash("--board node1 --to a.img").done();
    let said = desk.flash("info a.img").done();
    assert!(said.out.contains("board        node1 of cluster kube\n"), "{}", said.out);
    assert!(said.out.contains("KubeNet.Join node1 kube (key)"), "{}", said.out);
    assert!(!said.out.contains("00112233"), "{}", said.out);
    let json = desk.flash("info a.img --json").done().json();
    assert_eq!(json["modules"], json["modules_of_this_tool"]);
    let yaml = desk.flash("info a.img -o yaml").done().out;
    assert!(yaml.contains("kind: \"info\"\n"), "{yaml}");
}

#[test]
fn both_forms_of_image_are_known_and_nothing_else() {
    let desk = Desk::new();
    desk.flash("--board node1 --to card.img --layout card").done();
    desk.flash("--board node1 --to short.img").done();
    desk.flash("check card.img").done();
    let (card, short) = (desk.read("card.img"), desk.read("short.img"));
    assert_eq!(card.len() - desk::CARD_ROOT as usize, short.len());
    assert!(card[desk::CARD_ROOT as usize..] == short[..]);
    desk.flash("--board node1 diff card.img").done();
    desk.write("other.img", vec![7; 100_000]);
    desk.flash("check other.img").fails(1, "kube::image::kind");
    desk.flash("ls other.img").fails(1, "9B1EA38DH");
    desk.flash("--image other.img --to x.img").fails(1, "kube::image::kind");
    assert!(!desk.path("x.img").exists());
    let mut broken = short.clone();
    broken[2048..2052].fill(0x55);
    desk.write("broken.img", broken);
}

#[test]
fn damage_is_found() {
    let desk = Desk::new();
    desk.flash("--board node1 --to a.img").done();
    let mut bytes = desk.read("a.img");
    // The first file's header: sector 64, which lies 63 sectors behind the root.
    bytes[63 * 1024..63 * 1024 + 4].fill(0);
    desk.write("a.img", bytes);
    let said = desk.flash("check a.img").fails(1, "kube::image::damaged");
    assert!(said.out.contains("error: "), "{}", said.out);
    desk.flash("check a.img --json").fails(1, "");
    desk.flash("put a.img fleet.toml --as F.T").fails(1, "kube::image::damaged");
    desk.flash("--board node1 --to a.img").done();
    desk.flash("check a.img").done();
}

#[test]
fn init_writes_a_fleet_with_a_fresh_key() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.flash("init a --nodes 3 --cluster lab").done();
    desk.flash("init b").done();
    assert_ne!(desk.read("a/kube.key"), desk.read("b/kube.key"));
    let mode = std::fs::metadata(desk.path("a/kube.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    desk.flash("init a").fails(4, "kube::file::exists");
    desk.flash("init a --nodes 0 --yes").fails(2, "choose 1 to 200");
    desk.flash("--fleet a/fleet.toml --board node3 --to n.img").done();
    let key = String::from_utf8(desk.read("a/kube.key")).unwrap();
    let start = desk.flash("get n.img Boot.Cmd --stdout").out;
    assert_eq!(start, format!("KubeNet.Join node3 lab {key}"));
    std::fs::set_permissions(desk.path("a/kube.key"), PermissionsExt::from_mode(0o644)).unwrap();
    desk.flash("--fleet a/fleet.toml --board node3 --to n.img").fails(4, "kube::fleet::key-mode");
}

#[test]
fn only_the_pods_of_a_board_are_on_its_image() {
    let desk = Desk::new();
    let fleet = String::from_utf8(desk.read("fleet.toml")).unwrap();
    let pods = "[boards.node1]\npods = [\"Ticker\", \"Blink.Mod\"]";
    desk.write("fleet.toml", fleet.replace("[boards.node1]", pods));
    desk.write(
        "Blink.Mod",
        "MODULE Blink; PROCEDURE Start*; END Start; PROCEDURE Stop*; END Stop; END Blink.",
    );
    desk.flash("--board node1 --to a.img").done();
    let names = desk.flash("ls a.img -o name").out;
    assert!(names.contains("Blink.rsc\n") && names.contains("Ticker.rsc\n"), "{names}");
    assert!(!names.contains("Ticker2.rsc"), "{names}");
}
