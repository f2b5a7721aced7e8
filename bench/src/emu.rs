//! Speed of the emulator.

use std::time::Instant;

use anyhow::{Context, Result};
use kube_boards::fleet::Fleet;
use kube_boards::image::machine_image;
use kube_emu::{Config, Machine, NoRadio, SdCard};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 2] =
    [("emu.mips_boot", mips_boot), ("emu.mips_idle", mips_idle)];

const C_EMULATOR: &str = "C emulator of the machine, -O2, one thread, on a shared x86-64 machine";

/// What the emulator is measured with: a genuine image where there is one, else ours.
struct Workload {
    image: Vec<u8>,
    config: Config,
    what: &'static str,
}

impl Workload {
    /// A reference machine, which has no idle word and so never stops executing. Loops that only
    /// wait are executed, not counted; at 1 MHz the SPI is as fast as the processor, so that the
    /// mix of instructions is that of the C emulator, whose SPI takes no time.
    fn new() -> Result<Self> {
        let system = kube_modules::build()?;
        let (image, what) = match std::env::var_os("KUBE_GENUINE_IMAGE") {
            Some(path) => {
                let image = std::fs::read(&path)
                    .with_context(|| format!("KUBE_GENUINE_IMAGE names {}", path.display()))?;
                (image, "a genuine Project Oberon image")
            }
            None => {
                let fleet = Fleet::new(1, "kube", "")?;
                (machine_image(&system, &fleet.machines()[0], &[])?, "our image of the plane")
            }
        };
        let config =
            Config { clock_hz: 1_000_000, count_polls: false, ..Config::compat(system.prom) };
        Ok(Self { image, config, what })
    }

    fn machine(&self) -> Result<Machine<NoRadio>> {
        let card = SdCard::new(self.image.clone())?;
        Ok(Machine::new(self.config.clone(), Some(card), NoRadio::default()))
    }
}

/// Machine time, at the workload's clock, within which every image has booted.
const BOOT_NS: u64 = 15_000_000_000;

/// Instructions a second over repeated boots.
fn mips_boot() -> Result<Option<Figure>> {
    let workload = Workload::new()?;
    let (mut instructions, mut seconds, mut boots) = (0, 0.0, 0_u32);
    while seconds < 2.0 {
        let mut machine = workload.machine()?;
        let start = Instant::now();
        machine.run_until(BOOT_NS);
        seconds += start.elapsed().as_secs_f64();
        instructions += machine.instructions();
        boots += 1;
    }
    Ok(Some(Figure {
        name: "emu.mips_boot",
        value: instructions as f64 / seconds / 1e6,
        unit: "MIPS",
        reference: Reference::Published(344.0, C_EMULATOR),
        work: format!("first 15 M cycles of {}, {boots} times", workload.what),
    }))
}

/// Instructions a second of the idle loop.
fn mips_idle() -> Result<Option<Figure>> {
    let workload = Workload::new()?;
    let mut machine = workload.machine()?;
    machine.run_until(2 * BOOT_NS);
    let before = machine.instructions();
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 2.0 {
        machine.run_until(machine.now_ns() + BOOT_NS);
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(Some(Figure {
        name: "emu.mips_idle",
        value: (machine.instructions() - before) as f64 / seconds / 1e6,
        unit: "MIPS",
        reference: Reference::Published(420.0, C_EMULATOR),
        work: format!("the task loop of {}", workload.what),
    }))
}
