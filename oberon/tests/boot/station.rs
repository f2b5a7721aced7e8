//! A whole machine for the tests: our PROM and modules, a card, a serial line, no radio.

use std::sync::OnceLock;

use kube_disk::{Image, ImageBuilder};
use kube_emu::{Config, Machine, NoRadio, SdCard, Variant};
use kube_modules::System;
use obc::Source;

const MODULES: [(&str, &str); 4] = [
    ("Probe.Mod", include_str!("modules/Probe.Mod")),
    ("Disks.Mod", include_str!("modules/Disks.Mod")),
    ("Heap.Mod", include_str!("modules/Heap.Mod")),
    ("BadBody.Mod", include_str!("modules/BadBody.Mod")),
];

/// The system with the test modules, compiled once for all tests of a program.
pub fn system() -> &'static System {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        let extra = MODULES.map(|(name, text)| Source {
            name: format!("oberon/tests/boot/modules/{name}"),
            text: text.to_owned(),
        });
        kube_modules::build_with(&extra).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// A disk with the system on it, and the start commands if there are any.
pub fn disk(commands: &str) -> Image {
    let system = system();
    let mut builder = ImageBuilder::new().boot_image(&system.boot_image).files(&system.objects);
    if !commands.is_empty() {
        builder = builder.file("Boot.Cmd", commands.as_bytes());
    }
    builder.build().expect("the system fits on the disk")
}

/// A machine, and everything it has sent so far.
pub struct Station {
    pub machine: Machine<NoRadio>,
    pub heard: String,
    commands: u32,
}

impl Station {
    /// Switched on with this disk.
    pub fn new(disk: &Image) -> Station {
        Station::with(Config::ours(system().prom.clone()), Some(card(disk)))
    }

    /// The reference machine, without the additions, with this disk.
    pub fn compat(disk: &Image) -> Station {
        Station::with(Config::compat(system().prom.clone()), Some(card(disk)))
    }

    /// Switched on as described.
    pub fn with(config: Config, card: Option<SdCard>) -> Station {
        if config.variant == Variant::Compat {
            assert!(config.prom.len() <= 512, "the loader has {} words", config.prom.len());
        }
        let machine = Machine::new(config, card, NoRadio { level: true });
        Station { machine, heard: String::new(), commands: 0 }
    }

    /// Runs for some machine time.
    pub fn run_ms(&mut self, ms: u64) {
        self.machine.run_until(self.machine.now_ns() + ms * 1_000_000);
        let bytes = self.machine.serial_received();
        self.heard.extend(bytes.into_iter().map(char::from));
    }

    /// Runs until the text has been sent, at most so long. Panics with the whole log otherwise.
    pub fn wait_for(&mut self, text: &str, ms: u64) {
        self.wait_from(0, text, ms);
    }

    /// The same, but what was sent before that byte does not count.
    fn wait_from(&mut self, start: usize, text: &str, ms: u64) {
        let mut searched = None;
        for _ in 0..ms {
            if searched != Some(self.heard.len()) && self.heard[start..].contains(text) {
                return;
            }
            searched = Some(self.heard.len());
            self.run_ms(1);
        }
        panic!("no {text:?} within {ms} ms; heard:\n{}", self.heard);
    }

    /// Up, that is through with the start commands and listening to the line.
    pub fn started(disk: &Image) -> Station {
        let mut station = Station::new(disk);
        station.wait_for("Kubestation Oberon", 2_000);
        station.command("Probe.Echo up");
        station
    }

    /// Types a command and returns what was logged until the next one was through, which a second
    /// command, an echo, tells.
    pub fn command(&mut self, line: &str) -> String {
        let before = self.heard.len();
        self.commands += 1;
        let end = format!("echo end{}", self.commands);
        let typed = format!("{line}\rProbe.Echo end{}\r", self.commands);
        self.machine.serial_send(typed.as_bytes());
        self.wait_from(before, &end, 120_000);
        self.heard[before..].to_owned()
    }

    /// Switched off and its disk taken out.
    pub fn disk(self) -> Image {
        let Station { mut machine, .. } = self;
        let card = machine.card_mut().take().expect("a card is in");
        Image::open(card.into_image().into_bytes()).expect("still an image")
    }
}

/// A card with the image.
pub fn card(disk: &Image) -> SdCard {
    SdCard::new(disk.bytes().to_vec()).expect("an Oberon image")
}

/// Small reproducible random numbers (xorshift). The seed is printed, and `KUBE_TEST_SEED` takes
/// another one back.
pub struct Random(u32);

impl Random {
    #[expect(clippy::print_stdout, reason = "a failing test shows its seed")]
    pub fn new(seed: u32) -> Random {
        let given = std::env::var("KUBE_TEST_SEED").ok().and_then(|text| text.parse().ok());
        let seed = given.unwrap_or(seed).max(1);
        println!("seed {seed}, KUBE_TEST_SEED sets another");
        Random(seed)
    }

    /// A number below the limit.
    pub fn next(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % limit
    }
}
