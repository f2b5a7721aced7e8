//! A USB dongle on the air: its firmware in an emulator of the RP2040, its radio chip here among the
//! others, in one machine time, and its serial port on a pseudo-terminal.
//!
//! The emulator is a program of its own, `firmware/dongle/emulator`, which says on its standard output
//! what the firmware does with pins and USB, and is told on its standard input how long to run and what
//! the pins are. It runs only when something happens: a sleeping processor costs nothing.

mod burst;
mod listening;
mod port;
mod process;

pub use burst::{Burst, Overheard, burst};
pub use listening::{Account, Listening};
pub use port::Port;

use std::path::{Path, PathBuf};

use kube_air::{Chip, Timing};
use serde::Deserialize;

use process::{Heard, Process, Said};

/// Why a dongle cannot run.
#[derive(Debug, thiserror::Error)]
pub enum DongleError {
    /// Node.js or the emulator cannot be started.
    #[error("cannot start node {program}: {source}; sudo apt install nodejs npm")]
    Start {
        /// What was started.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The emulator has gone, or says what it should not.
    #[error("the emulator of the dongle failed: {what}")]
    Emulator {
        /// What it said last.
        what: String,
    },
    /// Its firmware does not come up.
    #[error(
        "the dongle's firmware was not enumerated in {limit_ms} ms: is {firmware} its UF2 file?"
    )]
    Dead {
        /// Time given.
        limit_ms: u64,
        /// The file.
        firmware: PathBuf,
    },
    /// Chips and air fell out of step.
    #[error("the simulation broke its own rule: {0}")]
    Air(#[from] kube_air::AirError),
    /// No pseudo-terminal.
    #[error("no pseudo-terminal for the dongle: {0}")]
    Terminal(#[from] std::io::Error),
    /// Nobody reads it.
    #[error("nobody has read from the dongle for {patience_s} s: kube-sniff serial:{path} would")]
    Unread {
        /// Time waited.
        patience_s: u64,
        /// The pseudo-terminal.
        path: PathBuf,
    },
}

/// What a USB host has learnt of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Enumerated {
    /// USB vendor.
    pub vendor: u16,
    /// USB product.
    pub product: u16,
    /// Maker, product, serial number.
    pub names: Vec<String>,
}

/// Longest time from power to enumeration.
const ENUMERATION_MS: u64 = 2_000;
const MS: u64 = 1_000_000;
/// A chip that should have changed its IRQ pin and has not is looked at again after this.
const LOOK_NS: u64 = 1_000;

/// A dongle that has power.
pub struct Dongle {
    process: Process,
    chip: Chip,
    now_ns: u64,
    /// Where the emulator's clock stands: it is behind while the processor sleeps.
    reached_ns: u64,
    wake_ns: u64,
    /// The IRQ pin as the emulator was told.
    asserted: bool,
    enabled: bool,
    rebooted: bool,
    enumerated: Option<Enumerated>,
    from_usb: Vec<u8>,
    fault: Option<String>,
}

impl Dongle {
    /// Gives power at time 0, and lets it run until a host has enumerated it.
    ///
    /// # Errors
    /// [`DongleError`].
    pub fn new(firmware: &Path) -> Result<Self, DongleError> {
        let mut dongle = Self {
            process: Process::start(firmware)?,
            chip: Chip::new(0, Timing::default()),
            now_ns: 0,
            reached_ns: 0,
            wake_ns: 0,
            asserted: false,
            enabled: false,
            rebooted: false,
            enumerated: None,
            from_usb: Vec::new(),
            fault: None,
        };
        while dongle.enumerated.is_none() && dongle.now_ns < ENUMERATION_MS * MS {
            dongle.try_run(dongle.now_ns + MS)?;
        }
        if dongle.enumerated.is_none() {
            let firmware = firmware.to_owned();
            return Err(DongleError::Dead { limit_ms: ENUMERATION_MS, firmware });
        }
        Ok(dongle)
    }

    /// What the host has learnt.
    #[must_use]
    pub fn enumerated(&self) -> Option<&Enumerated> {
        self.enumerated.as_ref()
    }

    /// Time up to which it has run.
    #[must_use]
    pub const fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Its radio chip.
    pub fn chip(&mut self) -> &mut Chip {
        &mut self.chip
    }

    /// Whether CE is high: it listens.
    #[must_use]
    pub const fn listens(&self) -> bool {
        self.enabled
    }

    /// Whether it has gone to its bootloader.
    #[must_use]
    pub const fn rebooted(&self) -> bool {
        self.rebooted
    }

    /// What went wrong with the emulator.
    #[must_use]
    pub fn fault(&self) -> Option<DongleError> {
        self.fault.clone().map(|what| DongleError::Emulator { what })
    }

    /// When it next has something to do.
    pub fn next_wake_ns(&mut self) -> u64 {
        // A frame that ended at the very moment up to which all have lived.
        if self.chip.interrupt(self.now_ns) != self.asserted {
            return self.now_ns;
        }
        self.wake_ns.min(self.chip.next_event_ns().unwrap_or(u64::MAX))
    }

    /// Lets it run up to a moment. A fault stays: [`Dongle::fault`].
    pub fn run_until(&mut self, until_ns: u64) {
        if self.fault.is_none()
            && let Err(error) = self.try_run(until_ns)
        {
            self.fault = Some(error.to_string());
        }
    }

    /// The host sends it bytes, now.
    pub fn usb_send(&mut self, bytes: &[u8]) {
        for bytes in bytes.chunks(usize::from(u16::MAX)) {
            self.tell(&Said::Send(bytes));
        }
    }

    /// The host goes on reading, or stops, as a busy computer does.
    pub fn usb_read(&mut self, reads: bool) {
        self.tell(&Said::Read(reads));
    }

    /// What the host has read.
    pub fn usb_received(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.from_usb)
    }

    fn tell(&mut self, said: &Said<'_>) {
        // Its clock stands where it last woke.
        self.run_until(self.now_ns);
        self.wake_ns = self.now_ns;
        if self.fault.is_none()
            && let Err(error) = self.process.say(said)
        {
            self.fault = Some(error.to_string());
        }
    }

    /// When the IRQ pin may change next, and how it is.
    fn interrupt(&mut self, now_ns: u64) -> (u64, bool) {
        let asserted = self.chip.interrupt(now_ns);
        let event_ns = self.chip.next_event_ns().map_or(u64::MAX, |at| at.max(now_ns + LOOK_NS));
        (event_ns, asserted)
    }

    fn try_run(&mut self, until_ns: u64) -> Result<(), DongleError> {
        let chip_ns = self.chip.now_ns();
        if self.reached_ns < chip_ns && self.chip.interrupt(chip_ns) != self.asserted {
            // The pin has changed just now, and not when the processor went to sleep.
            self.step(chip_ns, u64::MAX, self.asserted)?;
        }
        while self.reached_ns < until_ns && !self.rebooted {
            let (event_ns, asserted) = self.interrupt(self.now_ns.max(self.reached_ns));
            self.step(until_ns, event_ns, asserted)?;
        }
        self.now_ns = self.now_ns.max(until_ns);
        Ok(())
    }

    /// Lets the emulator run up to a moment, at most up to the IRQ pin's next change.
    fn step(&mut self, until_ns: u64, event_ns: u64, asserted: bool) -> Result<(), DongleError> {
        self.asserted = asserted;
        self.process.say(&Said::Run { until_ns, event_ns, asserted })?;
        loop {
            match self.process.hear()? {
                Heard::Select { at_ns, selected } => {
                    self.chip.select(at_ns, selected);
                    if !selected {
                        let (event_ns, asserted) = self.interrupt(at_ns);
                        self.asserted = asserted;
                        self.process.say(&Said::Pins { event_ns, asserted })?;
                    }
                }
                Heard::Transfer { at_ns, byte } => {
                    let answer = self.chip.transfer(at_ns, byte);
                    self.process.say(&Said::Byte(answer))?;
                }
                Heard::Enable { at_ns, level } => {
                    self.chip.enable(at_ns, level);
                    self.enabled = level;
                }
                Heard::Usb(bytes) => self.from_usb.extend_from_slice(&bytes),
                Heard::Enumerated(known) => self.enumerated = Some(known),
                Heard::Done { at_ns, wake_ns, rebooted } => {
                    self.reached_ns = at_ns;
                    self.wake_ns = wake_ns;
                    self.rebooted = rebooted;
                    return Ok(());
                }
            }
        }
    }
}
