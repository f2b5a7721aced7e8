//! What runs a machine: the emulator, or the exported circuit under Verilator.
//!
//! Both end at the same two places, the pins of a radio chip and a disk image, so that a fleet can
//! choose for each machine. The circuit needs Verilator to build and stands behind the feature `rtl`.

use std::fmt;
use std::str::FromStr;

use kube_air::{Chip, Timing};
use kube_emu::{Config, SdCard, SpiDevice};

/// The engines that a machine can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// The emulator, instruction by instruction.
    #[default]
    Emu,
    /// The reference machine in the emulator, without the additions of ours.
    Compat,
    /// The exported Verilog under Verilator, cycle by cycle, with its radio on SPI pins.
    Rtl,
    /// The same, each instruction compared with the emulator's processor.
    Lockstep,
    /// The ULX3S's own top under Verilator: caches, SDRAM controller and a memory chip whose rules are
    /// checked.
    Ulx3s,
}

impl EngineKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Emu, Self::Compat, Self::Rtl, Self::Lockstep, Self::Ulx3s];

    /// Name in flags and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Emu => "emu",
            Self::Compat => "compat",
            Self::Rtl => "rtl",
            Self::Lockstep => "lockstep",
            Self::Ulx3s => "ulx3s",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("expected one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Why a machine cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The card refuses the image.
    #[error(transparent)]
    Card(#[from] kube_emu::CardImageError),
    /// Built without Verilated machines.
    #[error(
        "this lab was built without Verilated machines; run: cargo xtask lab --engine rtl, or build \
         kube-lab with --features rtl"
    )]
    NoCircuit,
}

/// A machine that is switched on, as a station sees it. Times are absolute nanoseconds.
pub trait Engine: Send {
    /// Lets the machine run alone up to a moment.
    fn run_until(&mut self, until_ns: u64);
    /// When it next has something to do; `None` if only something from outside can wake it.
    fn next_wake_ns(&mut self) -> Option<u64>;
    /// Its radio chip.
    fn chip(&mut self) -> &mut Chip;
    /// Puts bytes on the serial line toward it.
    fn serial_send(&mut self, bytes: &[u8]);
    /// Takes what it has sent on the serial line.
    fn serial_received(&mut self) -> Vec<u8>;
    /// Instructions executed since power-on.
    fn instructions(&self) -> u64;
    /// Cycles since power-on in which it did not wait in the idle word, and the clock in Hz; `None` where
    /// cycles are not those of a circuit.
    fn cycles_at_work(&self) -> Option<(u64, u64)> {
        None
    }
    /// The emulator, if it is one: for keyboard, mouse and screen.
    fn emulator(&mut self) -> Option<&mut kube_emu::Machine<RadioPort>> {
        None
    }
    /// What it has done that no machine may: a difference between circuit and emulator, a broken rule of
    /// its memory chip.
    fn fault(&self) -> Option<String> {
        None
    }
    /// The card, if one is in.
    fn card(&self) -> Option<&SdCard>;
    /// Switches it off and takes the card out.
    fn into_card(self: Box<Self>) -> Option<SdCard>;
}

/// A machine that is switched on at `power_on_ns`.
///
/// # Errors
/// [`EngineError::NoCircuit`].
pub fn start(
    kind: EngineKind,
    prom: &[u32],
    card: Option<SdCard>,
    power_on_ns: u64,
) -> Result<Box<dyn Engine>, EngineError> {
    let chip = Chip::new(power_on_ns, Timing::default());
    match kind {
        EngineKind::Emu | EngineKind::Compat => {
            let config = match kind {
                EngineKind::Compat => Config::compat(prom.to_vec()),
                _ => Config::ours(prom.to_vec()),
            };
            let config = Config { power_on_ns, ..config };
            Ok(Box::new(kube_emu::Machine::new(config, card, RadioPort(chip))))
        }
        #[cfg(feature = "rtl")]
        EngineKind::Rtl => {
            let mut machine = kube_rtl::Machine::new(card, chip, power_on_ns);
            machine.set_prom(prom);
            Ok(Box::new(machine))
        }
        #[cfg(feature = "rtl")]
        EngineKind::Lockstep => Ok(Box::new(circuit::Compared::new(prom, card, chip, power_on_ns))),
        #[cfg(feature = "rtl")]
        EngineKind::Ulx3s => {
            let mut machine = kube_rtl::Machine::ulx3s(card, chip, power_on_ns);
            machine.set_prom(prom);
            Ok(Box::new(machine))
        }
        #[cfg(not(feature = "rtl"))]
        EngineKind::Rtl | EngineKind::Lockstep | EngineKind::Ulx3s => Err(EngineError::NoCircuit),
    }
}

/// The radio chip on the SPI of an emulated machine.
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

impl Engine for kube_emu::Machine<RadioPort> {
    fn run_until(&mut self, until_ns: u64) {
        Self::run_until(self, until_ns);
    }

    fn next_wake_ns(&mut self) -> Option<u64> {
        Self::next_wake_ns(self)
    }

    fn chip(&mut self) -> &mut Chip {
        &mut self.radio_mut().0
    }

    fn serial_send(&mut self, bytes: &[u8]) {
        Self::serial_send(self, bytes);
    }

    fn serial_received(&mut self) -> Vec<u8> {
        Self::serial_received(self)
    }

    fn instructions(&self) -> u64 {
        Self::instructions(self)
    }

    fn emulator(&mut self) -> Option<&mut kube_emu::Machine<RadioPort>> {
        Some(self)
    }

    fn card(&self) -> Option<&SdCard> {
        Self::card(self)
    }

    fn into_card(mut self: Box<Self>) -> Option<SdCard> {
        self.card_mut().take()
    }
}

#[cfg(feature = "rtl")]
mod circuit {
    use kube_air::Chip;
    use kube_emu::SdCard;
    use kube_rtl::Machine;
    use kube_rtl::lockstep::{Lockstep, Mismatch, Start};

    use super::Engine;

    impl Engine for Machine<Chip> {
        fn run_until(&mut self, until_ns: u64) {
            Self::run_until(self, until_ns);
        }

        fn next_wake_ns(&mut self) -> Option<u64> {
            Some(Self::next_wake_ns(self))
        }

        fn chip(&mut self) -> &mut Chip {
            self.radio_mut()
        }

        fn serial_send(&mut self, bytes: &[u8]) {
            Self::serial_send(self, bytes);
        }

        fn serial_received(&mut self) -> Vec<u8> {
            Self::serial_received(self)
        }

        fn instructions(&self) -> u64 {
            Self::instructions(self)
        }

        fn cycles_at_work(&self) -> Option<(u64, u64)> {
            Some((self.cycles() - self.idle_cycles(), self.clock_hz()))
        }

        fn fault(&self) -> Option<String> {
            self.violation().map(|violation| violation.to_string())
        }

        fn card(&self) -> Option<&SdCard> {
            Self::card(self)
        }

        fn into_card(self: Box<Self>) -> Option<SdCard> {
            Self::into_card(*self)
        }
    }

    /// A circuit and the emulator's processor; both stand still after they have differed.
    pub(super) struct Compared {
        pair: Lockstep<Chip>,
        mismatch: Option<Box<Mismatch>>,
    }

    impl Compared {
        pub(super) fn new(
            prom: &[u32],
            card: Option<SdCard>,
            chip: Chip,
            power_on_ns: u64,
        ) -> Self {
            let pair = Lockstep::new(&Start::default(), card, chip, power_on_ns, prom);
            Self { pair, mismatch: None }
        }
    }

    impl Engine for Compared {
        fn run_until(&mut self, until_ns: u64) {
            if self.mismatch.is_none() {
                self.mismatch = self.pair.run_until(until_ns).err();
            }
        }

        fn next_wake_ns(&mut self) -> Option<u64> {
            self.mismatch.is_none().then(|| self.pair.machine.next_wake_ns())
        }

        fn chip(&mut self) -> &mut Chip {
            self.pair.machine.radio_mut()
        }

        fn serial_send(&mut self, bytes: &[u8]) {
            self.pair.machine.serial_send(bytes);
        }

        fn serial_received(&mut self) -> Vec<u8> {
            self.pair.machine.serial_received()
        }

        fn instructions(&self) -> u64 {
            self.pair.instructions()
        }

        fn fault(&self) -> Option<String> {
            self.mismatch.as_ref().map(ToString::to_string)
        }

        fn card(&self) -> Option<&SdCard> {
            self.pair.machine.card()
        }

        fn into_card(self: Box<Self>) -> Option<SdCard> {
            self.pair.machine.into_card()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_name() {
        for kind in EngineKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let refused = "verilog".parse::<EngineKind>().unwrap_err();
        assert_eq!(refused, "expected one of emu, compat, rtl, lockstep, ulx3s");
    }
}
