//! Beside a genuine Project Oberon system: its own SCC, and its Net compiled from the source on its
//! disk against its own symbol files, on a reference machine.
//!
//! The image may not be in the repository; `KUBE_GENUINE_IMAGE` names the file (2020-08-18). The copy
//! in memory gets Net's object file and another text in the tool viewer; the test clicks its lines.

use crate::rig::{Port, Rig, disk, system};
use kube_air::ChipConfig;
use kube_disk::Image;
use kube_emu::{Button, Config, loader};
use kube_proto::packet::Packet;
use obc::{Options, Source, SymbolSource, compile};

/// Lines of the tool viewer; the first is the topmost.
const TOOL: &str = "Net.StartServer\rNet.SendMsg kube Good day to you\r";
/// Where the first line is, and how far apart lines are, in pixels from the lower left corner.
const LINE: (u32, u32, u32) = (675, 486, 12);

/// The symbol files on the disk.
struct Symbols(Image);

impl SymbolSource for Symbols {
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>> {
        self.0.read(&format!("{module}.smb")).ok()
    }
}

/// The image with Net and our tool text.
fn prepared(bytes: Vec<u8>) -> Vec<u8> {
    let mut image = Image::open(bytes).expect("an Oberon image");
    let text = String::from_utf8(image.read("Net.Mod").expect("Net's source")).expect("plain text");
    // In the image of 2020-08-18 a long line was broken inside a string.
    let breaks = [" changed\r\nSystem.Date", " changed\rSystem.Date", " changed\nSystem.Date"];
    let text =
        breaks.iter().fold(text, |text, broken| text.replace(broken, " changed System.Date"));
    let symbols = Symbols(Image::open(image.bytes().to_vec()).expect("the same image"));
    let source = Source { name: "Net.Mod".to_owned(), text };
    let net = compile(&source, &symbols, &Options::default());
    let net = net.unwrap_or_else(|errors| {
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        panic!("Net does not compile:\n{}", errors.join("\n"))
    });
    image.insert("Net.rsc", &net.object.to_bytes()).expect("room on the disk");
    image.replace("System.Tool", TOOL.as_bytes()).expect("room on the disk");
    image.into_bytes()
}

/// Clicks a line of the tool viewer with the middle button.
fn click(rig: &mut Rig, line: u32) {
    let (x, first_y, height) = LINE;
    let genuine = &mut rig.stations[0].machine;
    genuine.move_mouse(x, first_y - line * height);
    rig.run_ms(50);
    rig.stations[0].machine.set_button(Button::Middle, true);
    rig.run_ms(100);
    rig.stations[0].machine.set_button(Button::Middle, false);
}

/// Whether CE going low ends an acknowledgement is not known: both ways.
#[test]
fn a_genuine_station_and_a_wirth_station_of_ours_exchange_packets() {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
        use std::io::Write as _;
        let line = "skipped: genuine radio exchange needs KUBE_GENUINE_IMAGE (path of an image)";
        writeln!(std::io::stdout(), "{line}").expect("standard output");
        return;
    };
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let image = prepared(bytes);
    for ce_low_aborts_ack in [false, true] {
        exchange(&image, ChipConfig { ce_low_aborts_ack, ..ChipConfig::default() });
    }
}

fn exchange(image: &[u8], chips: ChipConfig) {
    let mut rig = Rig::new();
    rig.add(Config::compat(loader::words()), image.to_vec(), Port::of(chips));
    let ours = disk("Radio.Wirth;Radio.Start;Partner.Start 1");
    rig.add(Config::ours(system().prom.clone()), ours, Port::of(chips));
    rig.expect(1, "partner up", 3_000);
    rig.run_ms(3_000);
    click(&mut rig, 0);
    rig.run_ms(2_000);
    rig.heard();

    // Net shows the message in its log and acknowledges it.
    let before = rig.stations[0].machine.framebuffer_hash();
    rig.command(1, "Partner.Say Hello from Kubestation");
    rig.expect(1, "heard 16 len 0", 3_000);
    rig.run_ms(500);
    assert_ne!(rig.stations[0].machine.framebuffer_hash(), before, "the log shows it");

    // It tells the time: four bytes.
    rig.command(1, "Partner.Send 70 0");
    rig.expect(1, "heard 71 len 4", 3_000);

    // Its SCC takes the longest packet there is, frame by frame.
    let sent = rig.count(1, "sent");
    rig.command(1, "Partner.Send 99 512");
    rig.run_ms(2_000);
    assert_eq!(rig.count(1, "sent"), sent + 17);
    assert_eq!(rig.count(1, "abandoned"), 0);

    // And it speaks first: asks for the name, gets the answer, sends the message.
    rig.heard();
    click(&mut rig, 1);
    rig.expect(1, "heard 52 len 5", 3_000);
    let line = rig.expect(1, "heard 68", 3_000);
    assert!(line.starts_with("heard 68 len 15: Good day to you sum "), "{line}");
    rig.run_ms(1_000);
    let packets = rig.heard();
    let packets: Vec<_> =
        packets.iter().filter_map(|frame| Packet::parse(&frame.payload[..]).ok()).collect();
    let mut types: Vec<u8> = packets.iter().map(|packet| packet.typ).collect();
    // What was not acknowledged in time is repeated, and received once.
    types.dedup();
    assert_eq!(types, [0x34, 0x35, 0x44, 0x10], "request, response, message, acknowledgement");
}
