//! One machine with its radio, on the air or switched off.

use kube_air::{Chip, StationId};
use kube_emu::{BlockImage, SdCard};

use crate::engine::{self, Engine, EngineError, EngineKind, RadioPort};
use kube_boards::fleet::MachineSpec;

/// A machine of the lab: what it is, its engine while it has power, and what its serial line said.
pub struct Station {
    /// What it is.
    pub spec: MachineSpec,
    /// Its place on the air.
    pub id: StationId,
    /// What runs it.
    pub engine: EngineKind,
    prom: Vec<u32>,
    power: Power,
    log: String,
}

/// A machine has power, or only its card is left.
enum Power {
    On(Box<dyn Engine>),
    Off(Option<Box<SdCard>>),
}

impl Station {
    /// A machine with its own memory and disk that powers on at `power_on_ns`.
    ///
    /// # Errors
    /// If the card refuses the image, or the engine is not there.
    pub fn new(
        spec: MachineSpec,
        id: StationId,
        engine: EngineKind,
        prom: Vec<u32>,
        image: Vec<u8>,
        power_on_ns: u64,
    ) -> Result<Self, EngineError> {
        let card = Some(SdCard::new(image)?);
        let power = Power::On(engine::start(engine, &prom, card, power_on_ns)?);
        Ok(Self { spec, id, engine, prom, power, log: String::new() })
    }

    /// Cuts the power: what has reached the card stays, a frame under way is lost.
    pub fn power_off(&mut self) {
        self.log();
        let card = match std::mem::replace(&mut self.power, Power::Off(None)) {
            // Its protocol starts over.
            Power::On(engine) => {
                engine.into_card().map(|card| Box::new(SdCard::with(card.into_image())))
            }
            Power::Off(card) => card,
        };
        self.power = Power::Off(card);
    }

    /// Starts again from the card, `now_ns` on the air's clock.
    pub fn power_on(&mut self, now_ns: u64) {
        self.power_off();
        if let Power::Off(card) = &mut self.power {
            let started =
                engine::start(self.engine, &self.prom, card.take().map(|card| *card), now_ns);
            // It has been started before.
            if let Ok(engine) = started {
                self.power = Power::On(engine);
            }
        }
    }

    /// Whether the machine has power.
    #[must_use]
    pub const fn has_power(&self) -> bool {
        matches!(self.power, Power::On(_))
    }

    /// The card's blocks, with or without power; `None` if the card is out.
    #[must_use]
    pub fn card(&self) -> Option<&BlockImage> {
        match &self.power {
            Power::On(engine) => engine.card().map(SdCard::image),
            Power::Off(card) => card.as_ref().map(|card| card.image()),
        }
    }

    /// Takes the card out; the machine loses power.
    pub fn take_card(&mut self) -> Option<BlockImage> {
        self.power_off();
        match &mut self.power {
            Power::Off(card) => card.take().map(|card| card.into_image()),
            Power::On(_) => None,
        }
    }

    /// Puts a card in; a machine that was switched on without one loses power.
    pub fn put_card(&mut self, image: BlockImage) {
        self.power_off();
        self.power = Power::Off(Some(Box::new(SdCard::with(image))));
    }

    /// Lets the machine run alone up to a moment on the air's clock.
    pub fn run_until(&mut self, until_ns: u64) {
        if let Power::On(engine) = &mut self.power {
            engine.run_until(until_ns);
        }
    }

    /// When the machine next has something to do on the air's clock; `u64::MAX`: never, by itself.
    pub fn due_ns(&mut self) -> u64 {
        match &mut self.power {
            Power::On(engine) => engine.next_wake_ns().unwrap_or(u64::MAX),
            Power::Off(_) => u64::MAX,
        }
    }

    /// The radio chip, if it has power.
    pub fn chip(&mut self) -> Option<&mut Chip> {
        match &mut self.power {
            Power::On(engine) => Some(engine.chip()),
            Power::Off(_) => None,
        }
    }

    /// The emulator that runs the machine, for its keyboard, mouse and screen; `None` if something
    /// else does, or the machine has no power.
    pub fn emulator(&mut self) -> Option<&mut kube_emu::Machine<RadioPort>> {
        match &mut self.power {
            Power::On(engine) => engine.emulator(),
            Power::Off(_) => None,
        }
    }

    /// Types a command line on the serial line.
    pub fn type_line(&mut self, line: &str) {
        self.type_bytes(line.as_bytes());
        self.type_bytes(b"\n");
    }

    /// Sends bytes on the serial line.
    pub fn type_bytes(&mut self, bytes: &[u8]) {
        if let Power::On(engine) = &mut self.power {
            engine.serial_send(bytes);
        }
    }

    /// All that the machine has written on its serial line so far.
    pub fn log(&mut self) -> &str {
        if let Power::On(engine) = &mut self.power {
            let bytes = engine.serial_received();
            self.log.push_str(&String::from_utf8_lossy(&bytes));
        }
        &self.log
    }

    /// A difference between circuit and emulator, where they are compared; a broken rule of a memory chip.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        match &self.power {
            Power::On(engine) => engine.fault(),
            Power::Off(_) => None,
        }
    }

    /// Instructions executed since power-on; 0 without power.
    pub fn instructions(&self) -> u64 {
        match &self.power {
            Power::On(engine) => engine.instructions(),
            Power::Off(_) => 0,
        }
    }

    /// Cycles since power-on in which it did not wait in the idle word, and its clock in Hz, where a circuit
    /// runs it.
    #[must_use]
    pub fn cycles_at_work(&self) -> Option<(u64, u64)> {
        match &self.power {
            Power::On(engine) => engine.cycles_at_work(),
            Power::Off(_) => None,
        }
    }
}
