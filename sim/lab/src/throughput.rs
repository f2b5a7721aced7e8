//! How many frames a second the Oberon radio driver broadcasts, and how long it is deaf for each.
//!
//! Two of our machines on an air without loss: one sends packets as fast as its driver takes them,
//! the other reads and drops. Time is machine time.
//!
//! ```no_run
//! use kube_lab::throughput::{Load, broadcast};
//!
//! let load = Load { clock_hz: 25_000_000, mbit: 1, data_bytes: 88 };
//! let figures = broadcast(&load)?;
//! assert!(figures.sent_per_s > 1_000.0);
//! # Ok::<(), kube_lab::throughput::ThroughputError>(())
//! ```

use kube_air::{Air, AirConfig, AirError, Chip, ListenerId, QUANTUM_NS, Timing};
use kube_disk::ImageBuilder;
use kube_emu::{CardImageError, Config, Machine, SdCard, SpiDevice};
use kube_modules::{BuildError, System};
use kube_proto::frame::{Address, Rate};
use obc::Source;

use crate::world::CHANNEL;
use kube_boards::image::BOOT_COMMANDS;

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Clock of both machines.
    pub clock_hz: u32,
    /// Bit rate in Mbit/s, 1 or 2.
    pub mbit: u8,
    /// Data bytes of a packet, 0 to 512. 24 make one frame, 88 three.
    pub data_bytes: u16,
}

/// What was measured, over one second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// Whole frames on the air a second.
    pub sent_per_s: f64,
    /// Frames a second if they followed each other without a gap.
    pub limit_per_s: f64,
    /// Share of the frames that the other machine received, 0.0..=1.0.
    pub heard_share: f64,
    /// Microseconds in which the receiver could not begin to hear a frame, for each frame received.
    pub receiver_deaf_us_per_frame: f64,
    /// The same of the sender, for each frame sent.
    pub sender_deaf_us_per_frame: f64,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum ThroughputError {
    /// The modules do not compile.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The image cannot be made.
    #[error("the image of a measuring machine cannot be made: {0}")]
    Image(#[from] kube_disk::DiskError),
    /// The card refuses it.
    #[error("the card of a measuring machine cannot be made: {0}")]
    Card(#[from] CardImageError),
    /// Machines and air fell out of step.
    #[error("the simulation broke its own rule: {0}")]
    Air(#[from] AirError),
    /// The sender did not send.
    #[error("no frame was sent in a second; the sender's log:\n{log}")]
    Silent {
        /// Everything it has written.
        log: String,
    },
}

/// From power-on to the first measured frame: boot, chip, a steady stream.
const WARM_UP_NS: u64 = 1_500_000_000;
const SECOND_NS: u64 = 1_000_000_000;
/// CE rising to listening.
const SETTLE_NS: u64 = 130_000;
/// Preamble, address, 32 bytes and checksum of profile `kube`.
const FRAME_BITS: f64 = 320.0;

/// Measures a load.
///
/// # Errors
/// [`ThroughputError`].
pub fn broadcast(load: &Load) -> Result<Throughput, ThroughputError> {
    let system = modules()?;
    let start = format!("Radio.Kube {CHANNEL} {}\nRadio.Start\n", load.mbit);
    let send = format!("{start}Stream.Send {}\n", load.data_bytes);
    let mut pair = Pair::new(&system, load, [&send, &format!("{start}Stream.Hear\n")])?;
    pair.run_until(WARM_UP_NS)?;
    let (_, before) = pair.take(WARM_UP_NS);
    let end_ns = WARM_UP_NS + SECOND_NS;
    pair.run_until(end_ns)?;
    let (sent, after) = pair.take(end_ns);
    if sent == 0 {
        let log = pair.machines[0].serial_received();
        return Err(ThroughputError::Silent { log: String::from_utf8_lossy(&log).into_owned() });
    }
    let deaf_us = |at: usize| (after[at].deaf_ns - before[at].deaf_ns) as f64 / 1e3;
    let heard = after[1].frames_read - before[1].frames_read;
    Ok(Throughput {
        sent_per_s: sent as f64,
        limit_per_s: f64::from(load.mbit) * 1e6 / FRAME_BITS,
        heard_share: heard as f64 / sent as f64,
        receiver_deaf_us_per_frame: deaf_us(1) / heard.max(1) as f64,
        sender_deaf_us_per_frame: deaf_us(0) / sent as f64,
    })
}

/// The system with the module that measures.
pub(crate) fn modules() -> Result<System, BuildError> {
    let source = Source::new("Stream.Mod", include_str!("throughput/Stream.Mod"));
    kube_modules::build_with(&[source])
}

/// A disk with the system and start commands.
pub(crate) fn disk(system: &System, commands: &str) -> Result<Vec<u8>, kube_disk::DiskError> {
    let files = system.objects.iter();
    let builder = ImageBuilder::new().boot_image(&system.boot_image);
    let builder = files.fold(builder, |builder, (name, bytes)| builder.file(name, bytes));
    Ok(builder.file(BOOT_COMMANDS, commands.as_bytes()).build()?.into_bytes())
}

/// The two machines.
struct Pair {
    machines: Vec<Machine<Watched>>,
    air: Air,
    listener: ListenerId,
    now_ns: u64,
}

impl Pair {
    fn new(system: &System, load: &Load, commands: [&str; 2]) -> Result<Self, ThroughputError> {
        let mut air = Air::new(AirConfig::default());
        let rate = if load.mbit == 2 { Rate::M2 } else { Rate::M1 };
        let listener = air.add_listener(CHANNEL, rate, Address::OBERON);
        let mut machines = Vec::new();
        for commands in commands {
            air.add_station();
            let config = Config { clock_hz: load.clock_hz, ..Config::ours(system.prom.clone()) };
            let card = SdCard::new(disk(system, commands)?)?;
            machines.push(Machine::new(config, Some(card), Watched::new()));
        }
        Ok(Self { machines, air, listener, now_ns: 0 })
    }

    fn run_until(&mut self, until_ns: u64) -> Result<(), AirError> {
        while self.now_ns < until_ns {
            let end_ns = self.now_ns + QUANTUM_NS;
            let end_ns = self.air.horizon_ns().clamp(self.now_ns + 1, end_ns).min(until_ns);
            let mut chips = Vec::new();
            for machine in &mut self.machines {
                machine.run_until(end_ns);
                chips.push(Some(&mut machine.radio_mut().chip));
            }
            self.air.step(end_ns, &mut chips)?;
            self.now_ns = end_ns;
        }
        Ok(())
    }

    /// Whole frames since the last call, and each machine's account up to now.
    fn take(&mut self, now_ns: u64) -> (usize, [Account; 2]) {
        let heard = self.air.take_heard(self.listener);
        let account = |machine: &mut Machine<Watched>| machine.radio_mut().account(now_ns);
        let accounts = [account(&mut self.machines[0]), account(&mut self.machines[1])];
        (heard.iter().filter(|frame| frame.crc_ok).count(), accounts)
    }
}

/// What a machine's pins have shown so far.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    deaf_ns: u64,
    frames_read: u64,
}

/// A chip, and what its pins say about when it listens.
struct Watched {
    chip: Chip,
    ce: bool,
    receiver: bool,
    /// Bytes of the command being shifted in.
    command: (u8, usize),
    /// Time up to which `account` is right.
    counted_ns: u64,
    /// Time from which it hears, if CE and role stay as they are.
    hears_ns: u64,
    account: Account,
}

const CONFIG_WRITE: u8 = 0x20;
const PRIM_RX: u8 = 1;
const R_RX_PAYLOAD: u8 = 0x61;

impl Watched {
    fn new() -> Self {
        Self {
            chip: Chip::new(0, Timing::TYPICAL),
            ce: false,
            receiver: false,
            command: (0, 0),
            counted_ns: 0,
            hears_ns: u64::MAX,
            account: Account::default(),
        }
    }

    fn account(&mut self, now_ns: u64) -> Account {
        let deaf_until_ns = self.hears_ns.clamp(self.counted_ns, now_ns.max(self.counted_ns));
        self.account.deaf_ns += deaf_until_ns - self.counted_ns;
        self.counted_ns = self.counted_ns.max(now_ns);
        self.account
    }

    fn changed(&mut self, now_ns: u64) {
        self.account(now_ns);
        let listens = self.ce && self.receiver;
        self.hears_ns = if listens { now_ns + SETTLE_NS } else { u64::MAX };
    }
}

impl SpiDevice for Watched {
    fn select(&mut self, now_ns: u64, selected: bool) {
        if !selected && self.command.0 == R_RX_PAYLOAD && self.command.1 > 1 {
            self.account.frames_read += 1;
        }
        self.command = (0, 0);
        self.chip.select(now_ns, selected);
    }

    fn transfer(&mut self, now_ns: u64, byte: u8) -> u8 {
        match self.command {
            (_, 0) => self.command = (byte, 1),
            (CONFIG_WRITE, 1) => {
                self.receiver = byte & PRIM_RX != 0;
                self.command.1 = 2;
                self.changed(now_ns);
            }
            (_, ref mut count) => *count += 1,
        }
        self.chip.transfer(now_ns, byte)
    }

    fn enable(&mut self, now_ns: u64, level: bool) {
        self.chip.enable(now_ns, level);
        if level != self.ce {
            self.ce = level;
            self.changed(now_ns);
        }
    }

    fn interrupt(&mut self, now_ns: u64) -> bool {
        self.chip.interrupt(now_ns)
    }

    fn next_event_ns(&self) -> Option<u64> {
        self.chip.next_event_ns()
    }
}
