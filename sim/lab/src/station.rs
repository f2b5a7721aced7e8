//! One machine with its radio, on the air or switched off.

use kube_air::{Chip, StationId, Timing};
use kube_emu::{CardImageError, Config, Machine, SdCard, SpiDevice};

use kube_boards::fleet::MachineSpec;

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
    prom: Vec<u32>,
    machine: Machine<RadioPort>,
    on: bool,
    log: String,
}

fn machine(prom: &[u32], card: Option<SdCard>, power_on_ns: u64) -> Machine<RadioPort> {
    let config = Config { power_on_ns, ..Config::ours(prom.to_vec()) };
    Machine::new(config, card, RadioPort(Chip::new(power_on_ns, Timing::default())))
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
        let machine = machine(&prom, Some(SdCard::new(image)?), power_on_ns);
        Ok(Self { spec, id, prom, machine, on: true, log: String::new() })
    }

    /// Cuts the power: what has reached the card stays, a frame under way is lost.
    pub fn power_off(&mut self) {
        self.log();
        self.on = false;
    }

    /// Starts again from the card, `now_ns` on the air's clock.
    pub fn power_on(&mut self, now_ns: u64) {
        let image = self.machine.card_mut().take().map(|card| card.into_image().into_bytes());
        let card = image.and_then(|image| SdCard::new(image).ok());
        self.machine = machine(&self.prom, card, now_ns);
        self.on = true;
    }

    /// Lets the machine run alone up to a moment on the air's clock.
    pub fn run_until(&mut self, until_ns: u64) {
        if self.on {
            self.machine.run_until(until_ns);
        }
    }

    /// Whether the machine has something to do before a moment on the air's clock.
    pub fn awake_before(&mut self, until_ns: u64) -> bool {
        self.on && self.machine.next_wake_ns().is_some_and(|wake_ns| wake_ns < until_ns)
    }

    /// The radio chip, if it has power.
    pub fn chip(&mut self) -> Option<&mut Chip> {
        self.on.then_some(&mut self.machine.radio_mut().0)
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
