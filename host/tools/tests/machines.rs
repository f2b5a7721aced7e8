//! What `kube-flash` makes, on machines: the lab boots its images, the emulator its modules, and
//! genuine images keep what is theirs.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

mod desk;

use std::collections::BTreeMap;

use desk::Desk;
use kube_boards::fleet::Fleet;
use kube_disk::Image;
use kube_lab::engine::EngineKind;
use kube_lab::lab::{Lab, Make, Setup};

/// The committed example: what a person gets from a clean clone.
fn example() -> (Desk, Fleet) {
    let desk = Desk::new();
    let boards = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards/fleet.toml");
    desk.write("fleet.toml", std::fs::read(&boards).unwrap());
    let fleet = kube_boards::file::read(&desk.path("fleet.toml")).unwrap().fleet;
    (desk, fleet)
}

#[test]
fn the_images_of_a_fleet_boot_as_their_boards() {
    let (desk, fleet) = example();
    for name in ["plane", "node1", "node2"] {
        desk.flash(&format!("--board {name} --to {name}.img")).done();
        desk.flash(&format!("check {name}.img")).done();
    }
    let prom = kube_modules::build().unwrap().prom;
    let make = |spec: &kube_boards::fleet::MachineSpec| {
        let image = desk.read(&format!("{}.img", spec.name));
        Ok(Make { engine: EngineKind::Emu, prom: prom.clone(), image })
    };
    let mut cluster = Lab::of(&Setup::new(&fleet, 1), make).unwrap();
    let heard = |cluster: &Lab| ["node1", "node2"].iter().all(|n| cluster.recent(n).is_some());
    cluster.wait("both nodes", 15_000, heard).unwrap();
    cluster.converge(4).unwrap();
    assert_eq!(cluster.observer().statistics().count(kube_sniff::decoder::State::Bad), 0);
}

#[test]
fn the_same_verbs_work_on_stand_ins() {
    let (desk, _) = example();
    let sim = |words: &str| desk.flash(&format!("--board sim:node1 {words}"));
    sim("").done();
    sim("check").done();
    sim("diff").done();
    assert!(sim("info").done().out.contains("node1 of cluster kube"));
    assert!(sim("ls -o name").done().out.contains("Ticker.rsc\n"));
    desk.write("Extra.Mod", "MODULE Extra; END Extra.");
    sim("install Extra.Mod").done();
    let said = sim("diff").fails(1, "kube::different");
    assert_eq!(said.out, "- Extra.rsc\n");
    sim("-n").fails(1, "kube::different");
    sim("").done();
    sim("diff").done();
    // The transcript is that of a file, but for its name.
    let (stand_in, file) =
        (sim("--no-skip").done().err, desk.flash("--board node1 --to a.img").err);
    let place = desk.path("sim/node1.img").display().to_string();
    assert_eq!(stand_in.replace(&place, "a.img"), file);
}

#[test]
fn a_module_is_run_in_one_command() {
    let desk = Desk::new();
    desk.write(
        "Hello.Mod",
        "MODULE Hello; IMPORT Texts, Oberon; VAR W: Texts.Writer; S: Texts.Scanner;\n\
         PROCEDURE Twice*; BEGIN Texts.OpenScanner(S, Oberon.Par.text, Oberon.Par.pos); Texts.Scan(S);\n\
         Texts.WriteString(W, \"twice is\"); Texts.WriteInt(W, 2 * S.i, 3); Texts.WriteLn(W);\n\
         Texts.Append(Oberon.Log, W.buf) END Twice;\n\
         BEGIN Texts.OpenWriter(W) END Hello.\n",
    );
    let run = |words: &str| desk.flash(&format!("--board sim:node1 run {words}"));
    let said = run("--exit-on twice Hello.Mod Twice 21").done();
    assert!(said.out.contains("twice is 42"), "{}", said.out);
    run("--exit-on never --timeout 3 Hello.Mod Twice 21").fails(124, "kube::run::timeout");
    assert!(run("--timeout 2 Hello.Mod").done().out.contains("Hello.Twice"));
    run("Hello.Mod Nothing").fails(1, "kube::run::failed");
    desk.flash("--board node1 run Hello.Mod").fails(2, "--board sim:node1");
    desk.write("Hello.Mod", "MODULE Hello; IMPORT Textz; END Hello.");
    run("Hello.Mod").fails(1, "kube::build");
}

/// Path of a genuine image, or a line that says what is missing.
fn genuine(what: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("KUBE_GENUINE_IMAGE").map(Into::into);
    if path.is_none() {
        println!("skipped: {what} needs KUBE_GENUINE_IMAGE");
    }
    path
}

/// Content and place of every file.
fn files(bytes: &[u8]) -> BTreeMap<String, (Vec<u8>, u32)> {
    let image = Image::open(bytes.to_vec()).unwrap();
    let listed = image.list().unwrap().into_iter();
    listed.map(|f| (f.name.clone(), (image.read(&f.name).unwrap(), f.header.number()))).collect()
}

#[test]
fn a_genuine_image_keeps_every_other_file() {
    let Some(path) = genuine("a_genuine_image_keeps_every_other_file") else { return };
    let desk = Desk::new();
    desk.write("g.img", std::fs::read(&path).unwrap());
    let before = desk.read("g.img");
    desk.flash("check g.img").done();
    let listed = desk.flash("ls g.img -o name").done().out;
    assert_eq!(listed.lines().count(), files(&before).len());
    desk.flash("get g.img System.Tool Texts.smb").done();
    assert_eq!(desk.read("System.Tool"), files(&before)["System.Tool"].0);
    let info = desk.flash("info g.img").done().out;
    assert!(info.contains("another system"), "{info}");
    assert_eq!(desk.read("g.img"), before, "reading has changed the image");
    desk.write(
        "Hello.Mod",
        "MODULE Hello; IMPORT Texts, Oberon; VAR W: Texts.Writer;\n\
         PROCEDURE Say*; BEGIN Texts.WriteString(W, \"hello\"); Texts.Append(Oberon.Log, W.buf) END Say;\n\
         BEGIN Texts.OpenWriter(W) END Hello.\n",
    );
    desk.flash("install g.img Hello.Mod").done();
    desk.flash("check g.img").done();
    let mut after = files(&desk.read("g.img"));
    assert!(after.remove("Hello.rsc").is_some() && after.remove("Hello.smb").is_some());
    assert!(after == files(&before), "another file has changed or moved");
    // A module made for our system does not fit, and nothing is written.
    let with_hello = desk.read("g.img");
    desk.flash("--board node1 --to ours.img").done();
    desk.flash("get ours.img Kube.rsc").done();
    desk.flash("install g.img Kube.rsc").fails(1, "kube::module");
    assert_eq!(desk.read("g.img"), with_hello);
}

#[test]
fn kube_is_put_onto_a_genuine_image() {
    let Some(path) = genuine("kube_is_put_onto_a_genuine_image") else { return };
    let desk = Desk::new();
    let command = format!("--board node1 --genuine {} --to k.img", path.display());
    desk.flash(&command).done();
    desk.flash("check k.img").done();
    assert!(desk.flash("info k.img").done().out.contains("node1 of cluster kube"));
    let (before, after) = (files(&std::fs::read(&path).unwrap()), files(&desk.read("k.img")));
    let changed: Vec<_> = before
        .iter()
        .filter(|(name, file)| after[*name].0 != file.0)
        .map(|(name, _)| name)
        .collect();
    assert!(changed.contains(&&"System.rsc".to_owned()) && changed.len() <= 6, "{changed:?}");
    assert!(after.contains_key("KubeNet.rsc"));
    let ours = desk.flash("--board node1 --to o.img").done();
    drop(ours);
    desk.flash("--board node1 --genuine o.img --to x.img").fails(1, "kube::image::kind");
}
