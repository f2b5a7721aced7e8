//! Kube on a genuine Project Oberon 2013, compiled by our compiler against the symbol files of its
//! disk: as a node of our plane, and as the plane of our nodes. Judged from the air.
//!
//! The image may not be in the repository; `KUBE_GENUINE_IMAGE` names the file (2020-08-18).
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::Fleet;
use kube_boards::image::{genuine_image, machine_image};
use kube_disk::Image;
use kube_emu::{Button, Machine, loader};
use kube_lab::engine::{EngineKind, RadioPort};
use kube_lab::lab::{Lab, LabError, Make, Setup};
use kube_modules::genuine;
use obc::{Source, SymbolSource};

/// Lines of the tool viewer; the first is the topmost.
const TOOL: &str = "Kube.Apply web 4 Ticker\rKube.Apply web 4 Ticker2\r";
/// Where the first line is, and how far apart lines are, in pixels from the lower left corner.
const LINE: (u32, u32, u32) = (675, 486, 12);

/// The symbol files on the disk.
struct Symbols(Image);

impl SymbolSource for Symbols {
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>> {
        self.0.read(&format!("{module}.smb")).ok()
    }
}

/// The genuine disk, and Kube's files for it.
struct Genuine {
    image: Vec<u8>,
    files: Vec<(String, Vec<u8>)>,
}

impl Genuine {
    /// `None`, and a line that says so, without the image.
    fn open(what: &str) -> Option<Self> {
        let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
            use std::io::Write as _;
            let line = format!("skipped: {what} needs KUBE_GENUINE_IMAGE (path of an image)");
            writeln!(std::io::stdout(), "{line}").expect("standard output");
            return None;
        };
        let image = std::fs::read(&path).unwrap();
        let symbols = Symbols(Image::open(image.clone()).unwrap());
        let system = String::from_utf8(symbols.0.read("System.Mod").unwrap()).unwrap();
        let pods = [
            ("BadPod.Mod", include_str!("../../../oberon/tests/kube/BadPod.Mod")),
            ("TaskPod.Mod", include_str!("../../../oberon/tests/kube/pods/TaskPod.Mod")),
            ("FullPod.Mod", include_str!("../../../oberon/tests/kube/pods/FullPod.Mod")),
        ];
        let pods = pods.map(|(name, text)| Source::new(name, text));
        let files = genuine::build(&symbols, &system, &pods).unwrap_or_else(|e| panic!("{e}"));
        Some(Self { image, files })
    }

    /// A cluster in which the machines of a role are genuine.
    fn cluster(&self, fleet: &Fleet, genuine: &[&str]) -> Lab {
        let ours = kube_modules::build().unwrap();
        let cluster = Lab::of(&Setup::new(fleet, 1), |spec| {
            if genuine.contains(&spec.name.as_str()) {
                let mut image = Image::open(self.image.clone())?;
                image.replace("System.Tool", TOOL.as_bytes())?;
                let disk = genuine_image(image, &self.files, spec)?;
                Ok(Make { engine: EngineKind::Compat, prom: loader::words(), image: disk })
            } else {
                let image = machine_image(&ours, spec, &[])?;
                Ok(Make { engine: EngineKind::Emu, prom: ours.prom.clone(), image })
            }
        });
        cluster.unwrap()
    }
}

/// Clicks a line of the tool viewer with the middle button.
fn click(cluster: &mut Lab, line: u32) {
    let (x, first_y, height) = LINE;
    let at = |cluster: &mut Lab, act: &dyn Fn(&mut Machine<RadioPort>)| {
        act(cluster.world().station("plane").unwrap().emulator().unwrap());
        cluster.run_ms(100).unwrap();
    };
    at(cluster, &|machine| machine.move_mouse(x, first_y - line * height));
    at(cluster, &|machine| machine.set_button(Button::Middle, true));
    at(cluster, &|machine| machine.set_button(Button::Middle, false));
}

/// A fleet whose plane waits for commands.
fn fleet(nodes: usize) -> Fleet {
    let mut fleet = Fleet::new(nodes, "kube", "0123456789abcdef").unwrap();
    fleet.boards[0].start.clear();
    fleet
}

/// What a test does, and the logs of all machines if it does not come true.
fn check(cluster: &mut Lab, steps: impl FnOnce(&mut Lab) -> Result<(), LabError>) {
    if let Err(error) = steps(cluster) {
        let logs = cluster.world().stations().iter_mut().map(|station| {
            let name = station.spec.name.clone();
            format!("--- {name}\n{}", station.log())
        });
        panic!("{error}\n{}", logs.collect::<String>());
    }
}

fn pods(cluster: &Lab, node: &str) -> Vec<u8> {
    cluster.recent(node).unwrap_or_default().to_vec()
}

/// Rolls out with the bounds of a rollout; returns when the last old pod is gone.
fn roll_out(cluster: &mut Lab, pods: usize) -> Result<(), LabError> {
    let (mut fewest, mut most) = (pods, pods);
    for _ in 0..9_000 {
        cluster.run_ms(10)?;
        fewest = fewest.min(cluster.cluster().running(None));
        most = most.max(cluster.cluster().running(None));
        if cluster.cluster().converged(pods) && cluster.cluster().others("Ticker2") == 0 {
            break;
        }
    }
    assert!(fewest >= pods && most <= pods + 1, "{fewest} to {most} pods");
    assert_eq!(cluster.cluster().others("Ticker2"), 0, "old pods are left");
    Ok(())
}

#[test]
fn a_genuine_node_joins_our_plane() {
    let Some(genuine) = Genuine::open("a genuine node") else { return };
    let mut cluster = genuine.cluster(&fleet(2), &["node1"]);
    check(&mut cluster, |cluster| {
        let heard = |c: &Lab| ["node1", "node2"].iter().all(|n| c.recent(n).is_some());
        cluster.wait("first heartbeats", 15_000, heard)?;
        cluster.command("plane", "Kube.Apply web 4 Ticker");
        cluster.converge(4)?;
        assert_eq!((pods(cluster, "node1").len(), pods(cluster, "node2").len()), (2, 2));
        cluster.any_moment()?;
        cluster.command("plane", "Kube.Apply web 4 Ticker2");
        roll_out(cluster, 4)?;

        cluster.power_off("node2");
        cluster.wait("four pods on the genuine node", 10_000, |c| pods(c, "node1").len() == 4)?;
        cluster.power_on("node2");
        cluster.wait("node2 back", 15_000, heard)?;
        cluster.power_off("node1");
        cluster.wait("four pods on ours", 10_000, |c| pods(c, "node2").len() == 4)?;
        cluster.power_on("node1");
        cluster.wait("node1 back", 30_000, heard)?;
        Ok(())
    });
}

/// What holds a pod there: traps, in a command or a task, and memory. Nothing holds a loop.
#[test]
fn what_a_pod_does_on_a_genuine_node_costs_that_pod() {
    let Some(genuine) = Genuine::open("bad pods on a genuine node") else { return };
    let mut cluster = genuine.cluster(&fleet(1), &["node1"]);
    check(&mut cluster, |cluster| {
        cluster.wait("a heartbeat", 15_000, |c| c.recent("node1").is_some())?;
        cluster.command("plane", "Kube.Apply web 2 Ticker");
        cluster.converge(2)?;
        for (image, reason) in [
            ("BadPod", "trap"),
            ("TaskPod", "trap"),
            ("FullPod", "out of memory"),
            ("Nope", "no module"),
        ] {
            cluster.command("plane", &format!("Kube.Apply {image} 1 {image}"));
            cluster.wait("a reason", 5_000, |cluster| {
                let id = (1..=255).find(|&id| cluster.cluster().image(id) == Some(image));
                let views = || cluster.cluster().nodes().values();
                let mut troubles = views().flat_map(|view| &view.troubles);
                id.is_some_and(|id| troubles.any(|trouble| *trouble == (id, reason.to_owned())))
            })?;
            cluster.run_ms(3_000)?;
            assert!(pods(cluster, "node1").starts_with(&[1, 2]), "{image}");
        }
        let silence = cluster.longest_silence_ms();
        assert!(silence < 1_500, "silent for {silence} ms");
        Ok(())
    });
}

#[test]
fn a_genuine_plane_serves_our_nodes() {
    let Some(genuine) = Genuine::open("a genuine plane") else { return };
    let mut cluster = genuine.cluster(&fleet(2), &["plane"]);
    check(&mut cluster, |cluster| {
        cluster.wait("assignments", 30_000, |c| c.assigned().len() == 2)?;
        click(cluster, 0);
        cluster.converge(4)?;
        assert_eq!((pods(cluster, "node1").len(), pods(cluster, "node2").len()), (2, 2));
        cluster.any_moment()?;
        cluster.power_off("node2");
        let ms = cluster.wait("failover", 20_000, |c| pods(c, "node1").len() == 4)?;
        assert!((5_000..=8_000).contains(&ms), "{ms} ms");

        cluster.run_ms(2_000)?; // all of it has reached the disk
        let changes = cluster.changes();
        cluster.power_off("plane");
        cluster.run_ms(5_000)?;
        cluster.power_on("plane");
        cluster.run_ms(20_000)?;
        assert!(cluster.cluster().converged(4));
        assert_eq!(cluster.changes(), changes, "it knows the four from its disk");

        cluster.power_on("node2");
        cluster.wait("node2 back", 15_000, |c| c.recent("node2").is_some())?;
        click(cluster, 1);
        roll_out(cluster, 4)
    });
}
