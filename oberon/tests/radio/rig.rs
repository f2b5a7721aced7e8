//! Machines on one air, each with its log.

use kube_air::{Air, AirConfig, Chip, ChipConfig, HeardFrame, ListenerId, QUANTUM_NS, Timing};
use kube_disk::ImageBuilder;
use kube_emu::{Config, Machine, NoRadio, SdCard, SpiDevice};
use kube_modules::{System, build_with};
use kube_proto::frame::{Address, Rate};
use obc::Source;
use std::sync::OnceLock;

pub const MS: u64 = 1_000_000;

/// The system with the partner module.
pub fn system() -> &'static System {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        let partner = Source::new("Partner.Mod", include_str!("Partner.Mod"));
        build_with(&[partner]).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// A disk with the system and commands for the start.
pub fn disk(commands: &str) -> Vec<u8> {
    let files = system().objects.iter();
    let disk = files
        .fold(ImageBuilder::new(), |disk, (name, bytes)| disk.file(name, bytes))
        .boot_image(&system().boot_image)
        .file("Boot.Cmd", commands.as_bytes())
        .build();
    disk.expect("everything fits on the disk").into_bytes()
}

/// What is on the radio's select line.
pub struct Port {
    pub chip: Option<Box<Chip>>,
    /// Level of the data line without a chip, or with one whose answers do not get through.
    pub level: Option<bool>,
    /// Bytes of the fast clock come back spoilt.
    pub slow_only: bool,
    last_ns: u64,
}

impl Port {
    /// A genuine chip with the slowest crystal.
    pub fn chip() -> Self {
        Self::of(ChipConfig { timing: Timing::WORST, ..ChipConfig::default() })
    }

    /// Any chip.
    pub fn of(config: ChipConfig) -> Self {
        let chip = Some(Box::new(Chip::with(0, config)));
        Self { chip, level: None, slow_only: false, last_ns: 0 }
    }

    /// No chip; the data line floats to a level.
    pub fn empty(level: bool) -> Self {
        Self { chip: None, level: Some(level), slow_only: false, last_ns: 0 }
    }
}

impl SpiDevice for Port {
    fn select(&mut self, now_ns: u64, selected: bool) {
        if let Some(chip) = &mut self.chip {
            chip.select(now_ns, selected);
        }
    }

    fn transfer(&mut self, now_ns: u64, byte: u8) -> u8 {
        let mut floating = NoRadio { level: self.level.unwrap_or(true) };
        let back = match &mut self.chip {
            Some(chip) => chip.transfer(now_ns, byte),
            None => floating.transfer(now_ns, byte),
        };
        // The four bytes of a fast word come at one moment.
        let spoilt = self.slow_only && now_ns == self.last_ns;
        self.last_ns = now_ns;
        match self.level {
            Some(_) => floating.transfer(now_ns, byte),
            None if spoilt => back | 0x44,
            None => back,
        }
    }

    fn enable(&mut self, now_ns: u64, level: bool) {
        if let Some(chip) = &mut self.chip {
            chip.enable(now_ns, level);
        }
    }

    fn interrupt(&mut self, now_ns: u64) -> bool {
        self.chip.as_mut().is_some_and(|chip| chip.interrupt(now_ns))
    }

    fn next_event_ns(&self) -> Option<u64> {
        self.chip.as_ref().and_then(|chip| chip.next_event_ns())
    }
}

/// A machine, what it has written, and how far the test has read that.
pub struct Station {
    pub machine: Machine<Port>,
    pub log: String,
    read: usize,
}

/// Machines on one air.
pub struct Rig {
    pub air: Air,
    pub stations: Vec<Station>,
    tap: ListenerId,
    now_ns: u64,
}

impl Rig {
    /// An air without machines; its listener is on channel 5 at 1 Mbit/s.
    pub fn new() -> Self {
        let mut air = Air::new(AirConfig::default());
        let tap = air.add_listener(5, Rate::M1, Address::OBERON);
        Self { air, stations: Vec::new(), tap, now_ns: 0 }
    }

    /// Our machines with these start commands, switched on one after the other as by hand.
    pub fn of(commands: &[&str]) -> Self {
        Self::with(commands, Port::chip)
    }

    /// The same with other chips.
    pub fn with(commands: &[&str], port: impl Fn() -> Port) -> Self {
        let mut rig = Self::new();
        for (commands, at) in commands.iter().zip(0..) {
            let power_on_ns = at * 7_310_000;
            let config = Config { power_on_ns, ..Config::ours(system().prom.clone()) };
            let commands = commands.replace("Partner.Start", &format!("Partner.Start {at}"));
            rig.add(config, disk(&commands), port());
        }
        rig
    }

    pub fn add(&mut self, config: Config, disk: Vec<u8>, port: Port) {
        self.air.add_station();
        let card = SdCard::new(disk).expect("a disk image");
        let machine = Machine::new(config, Some(card), port);
        self.stations.push(Station { machine, log: String::new(), read: 0 });
    }

    pub fn now_ms(&self) -> u64 {
        self.now_ns / MS
    }

    pub fn run_ms(&mut self, ms: u64) {
        let end_ns = self.now_ns + ms * MS;
        while self.now_ns < end_ns {
            self.step();
        }
    }

    fn step(&mut self) {
        self.now_ns = self.air.horizon_ns().clamp(self.now_ns + 1, self.now_ns + QUANTUM_NS);
        for station in &mut self.stations {
            station.machine.run_until(self.now_ns);
            let bytes = station.machine.serial_received();
            let text = bytes.iter().filter(|&&byte| byte != b'\r').map(|&byte| char::from(byte));
            station.log.extend(text);
            assert!(!station.log.contains("TRAP"), "trap; log:\n{}", station.log);
        }
        let mut chips: Vec<_> =
            self.stations.iter_mut().map(|s| s.machine.radio_mut().chip.as_deref_mut()).collect();
        self.air.step(self.now_ns, &mut chips).expect("steps of one quantum");
    }

    /// Lets time pass until a station writes a line with `text`, not read before; that line.
    pub fn expect(&mut self, at: usize, text: &str, ms: u64) -> String {
        let end_ns = self.now_ns + ms * MS;
        loop {
            let station = &mut self.stations[at];
            while let Some(len) = station.log[station.read..].find('\n') {
                let line = station.log[station.read..station.read + len].to_owned();
                station.read += len + 1;
                if line.contains(text) {
                    return line;
                }
            }
            let logs: Vec<_> = self.stations.iter().map(|station| &station.log).collect();
            assert!(self.now_ns < end_ns, "station {at}: no {text:?} within {ms} ms; {logs:#?}");
            self.step();
        }
    }

    /// Types a command line.
    pub fn command(&mut self, at: usize, line: &str) {
        self.stations[at].machine.serial_send(format!("{line}\r").as_bytes());
    }

    /// Types as a person does: the reference machine holds one byte and no more.
    pub fn command_slowly(&mut self, at: usize, line: &str) {
        for byte in format!("{line}\r").bytes() {
            self.stations[at].machine.serial_send(&[byte]);
            self.run_ms(4);
        }
    }

    /// A number of `Radio.Show`, by its name there.
    pub fn count(&mut self, at: usize, name: &str) -> u32 {
        let from = self.stations[at].log.len();
        self.command(at, "Radio.Show");
        self.run_ms(60);
        let shown = &self.stations[at].log[from..];
        let wanted = format!("{name} ");
        let number =
            shown.split([',', '\n', ':']).find_map(|part| part.trim().strip_prefix(&wanted));
        let number = number.and_then(|text| text.trim().parse().ok());
        number.unwrap_or_else(|| panic!("no {name:?} in\n{shown}"))
    }

    /// Frames on channel 5 at 1 Mbit/s since the last call, data and acknowledgements.
    pub fn heard(&mut self) -> Vec<HeardFrame> {
        self.air.take_heard(self.tap)
    }
}

/// The sum that the partner writes for the data it sends.
pub fn sum(typ: u32, len: u32) -> u32 {
    (0..len).fold(0, |sum, i| (sum + (i * 7 + typ) % 256 * (i + 1)) % 100_000)
}
