//! `cargo xtask bench`: every measured figure, beside a reference.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use kube_emu::{Config, Machine, NoRadio, SdCard};
use kube_lab::fleet::Fleet;
use kube_lab::image::machine_image;
use kube_lab::observer::{Event, Observer};
use kube_lab::rollout::{self, Phase, Watcher};
use serde_json::{Value, json};

/// Flags of `cargo xtask bench`.
#[derive(clap::Args)]
pub struct Options {
    /// Only figures whose name begins with this, such as `emu` or `emu.mips_boot`.
    name: Option<String>,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
}

/// What a figure is compared with.
enum Reference {
    /// Published elsewhere: value and where.
    Published(f64, &'static str),
    /// Bound that the project set itself.
    Target(f64, &'static str),
}

impl Reference {
    fn json(&self) -> Value {
        match self {
            Self::Published(value, source) => {
                json!({ "kind": "published", "value": value, "source": source })
            }
            Self::Target(value, source) => {
                json!({ "kind": "target", "value": value, "source": source })
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Published(value, source) => format!("published {value} ({source})"),
            Self::Target(value, source) => format!("target {value} ({source})"),
        }
    }
}

/// One measured figure.
struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
    reference: Reference,
    /// What was measured, in words.
    work: String,
}

type Measure = fn() -> Result<Figure>;

/// Every figure by name. The order is that of the output.
const FIGURES: [(&str, Measure); 4] = [
    ("emu.mips_boot", mips_boot),
    ("emu.mips_idle", mips_idle),
    ("lab.converge_ms", converge_ms),
    ("lab.speed", lab_speed),
];

const C_EMULATOR: &str = "C emulator of the machine, -O2, one thread, on a shared x86-64 machine";

/// Measures the chosen figures.
///
/// # Errors
/// If no figure has the name, or the work itself fails.
pub fn run(options: &Options) -> Result<ExitCode> {
    let wanted = options.name.as_deref().unwrap_or_default();
    let chosen: Vec<_> = FIGURES.iter().filter(|(name, _)| name.starts_with(wanted)).collect();
    if chosen.is_empty() {
        let known: Vec<_> = FIGURES.iter().map(|(name, _)| *name).collect();
        bail!("no figure begins with {wanted:?}; there are {}", known.join(", "));
    }
    for (_, measure) in chosen {
        let figure = measure()?;
        if options.json {
            let line = json!({
                "schema": "kube-bench/v1",
                "name": figure.name,
                "value": figure.value,
                "unit": figure.unit,
                "reference": figure.reference.json(),
                "work": figure.work,
            });
            println!("{line}");
        } else {
            println!(
                "{:<18} {:>10.1} {:<8} {}; {}",
                figure.name,
                figure.value,
                figure.unit,
                figure.reference.text(),
                figure.work
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

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
                (image, "genuine Project Oberon image")
            }
            None => {
                let fleet = Fleet::new(1, "kube", "")?;
                (machine_image(&system, &fleet.machines[0], &[])?, "our image of the plane")
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
fn mips_boot() -> Result<Figure> {
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
    Ok(Figure {
        name: "emu.mips_boot",
        value: instructions as f64 / seconds / 1e6,
        unit: "MIPS",
        reference: Reference::Published(344.0, C_EMULATOR),
        work: format!("first 15 M cycles of the {}, {boots} times", workload.what),
    })
}

/// Instructions a second of the idle loop.
fn mips_idle() -> Result<Figure> {
    let workload = Workload::new()?;
    let mut machine = workload.machine()?;
    machine.run_until(2 * BOOT_NS);
    let before = machine.instructions();
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 2.0 {
        machine.run_until(machine.now_ns() + BOOT_NS);
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(Figure {
        name: "emu.mips_idle",
        value: (machine.instructions() - before) as f64 / seconds / 1e6,
        unit: "MIPS",
        reference: Reference::Published(420.0, C_EMULATOR),
        work: format!("the task loop of the {}", workload.what),
    })
}

/// Nobody watches a measured run.
struct Unwatched;

impl Watcher for Unwatched {
    fn heard(&mut self, _at_ns: u64, _event: &Event, _observer: &Observer) {}
    fn phase(&mut self, _at_ns: u64, _phase: Phase) {}
    fn time(&mut self, _now_ns: u64, _observer: &Observer) {}
}

fn lab_run(seed: u64) -> Result<(rollout::Summary, f64)> {
    let system = kube_modules::build()?;
    let options = rollout::Options {
        fleet: Fleet::new(2, "kube", "00c0ffee00c0ffee")?,
        seed,
        threads: 1,
        loss: 0.0,
        without: Vec::new(),
    };
    let start = Instant::now();
    let summary = rollout::run(&system, &options, &mut Unwatched)?;
    Ok((summary, start.elapsed().as_secs_f64()))
}

/// Worst convergence over a few seeds.
fn converge_ms() -> Result<Figure> {
    const SEEDS: u64 = 5;
    let mut worst = 0;
    for seed in 1..=SEEDS {
        worst = worst.max(lab_run(seed)?.0.converged_ms);
    }
    Ok(Figure {
        name: "lab.converge_ms",
        value: worst as f64,
        unit: "ms",
        reference: Reference::Published(3300.0, "Kube's author, 2 nodes, radio without air time"),
        work: format!("slowest of seeds 1 to {SEEDS}, machine time after the first heartbeats"),
    })
}

/// Machine time a second of host time, one thread.
fn lab_speed() -> Result<Figure> {
    let (summary, seconds) = lab_run(1)?;
    Ok(Figure {
        name: "lab.speed",
        value: summary.machine_ms as f64 / 1e3 / seconds,
        unit: "s/s",
        reference: Reference::Target(1.0, "real time"),
        work: format!("{} machines, {} ms, one thread", summary.machines, summary.machine_ms),
    })
}
