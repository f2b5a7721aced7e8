//! One machine with its radio, on the air or switched off.

use kube_air::{Chip, StationId, Timing};
use kube_emu::{CardImageError, Config, Machine, SdCard, SpiDevice};

use crate::fleet::MachineSpec;

/// The radio chip on the machine's SPI.
pub struct RadioPort(pub Chip);

impl SpiDevice for RadioPort {
    fn select(&mut self, now_ns: u64, selected: bool) {
        self.0.select(now_ns, selected);
    }

    fn transfer(&mut self, now_ns: u64, byte: u8) -> u8 {
        self.0.transfer(now_ns, byte)
    }

    fn enable(&mut self, now_ns: u64, level: bool) {
        self.0.enable(now_ns, level);
    }

    fn interrupt(&mut self, now_ns: u64) -> bool {
        self.0.interrupt(now_ns)
    }

    fn next_event_ns(&self) -> Option<u64> {
        self.0.next_event_ns()
    }
}

/// A machine of the lab: what it is, its engine, and what its serial line said.
pub struct Station {
    /// What it is.
    pub spec: MachineSpec,
    /// Its place on the air.
    pub id: StationId,
    machine: Machine<RadioPort>,
    log: String,
}

impl Station {
    /// A machine with its own memory and disk that powers on at `power_on_ns`.
    ///
    /// # Errors
    /// If the card refuses the image.
    pub fn new(
        spec: MachineSpec,
        id: StationId,
        prom: Vec<u32>,
        image: Vec<u8>,
        power_on_ns: u64,
    ) -> Result<Self, CardImageError> {
        let config = Config { power_on_ns, ..Config::ours(prom) };
        let radio = RadioPort(Chip::new(power_on_ns, Timing::default()));
        let machine = Machine::new(config, Some(SdCard::new(image)?), radio);
        Ok(Self { spec, id, machine, log: String::new() })
    }

    /// Lets the machine run alone up to a moment on the air's clock.
    pub fn run_until(&mut self, until_ns: u64) {
        self.machine.run_until(until_ns);
    }

    /// Whether the machine has something to do before a moment on the air's clock.
    pub fn awake_before(&mut self, until_ns: u64) -> bool {
        self.machine.next_wake_ns().is_some_and(|wake_ns| wake_ns < until_ns)
    }

    /// The radio chip.
    pub fn chip(&mut self) -> &mut Chip {
        &mut self.machine.radio_mut().0
    }

    /// Types a command line on the serial line.
    pub fn type_line(&mut self, line: &str) {
        self.machine.serial_send(line.as_bytes());
        self.machine.serial_send(b"\n");
    }

    /// All that the machine has written on its serial line so far.
    pub fn log(&mut self) -> &str {
        let bytes = self.machine.serial_received();
        self.log.push_str(&String::from_utf8_lossy(&bytes));
        &self.log
    }

    /// Instructions executed since power-on.
    pub fn instructions(&self) -> u64 {
        self.machine.instructions()
    }
}
