//! The Verilated machine: its speed, and whether it does what the emulator does.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context, Result};
use kube_boards::fleet::Fleet;
use kube_boards::image::machine_image;
use kube_emu::{Config, NoRadio, SdCard, loader};
use kube_lab::engine::EngineKind;
use kube_lab::lab::LabError;
use kube_rtl::lockstep::{Lockstep, Mismatch, Start, check};
use kube_rtl::{Machine, program};

use crate::figure::{Figure, Measure, Reference};
use crate::lab::lab_run;

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 4] = [
    ("rtl.cycles_per_s", cycles_per_s),
    ("rtl.lab_speed", lab_speed),
    ("rtl.lockstep_insns", lockstep_insns),
    ("rtl.lockstep_mismatches", lockstep_mismatches),
];

/// Within this time every image of ours has booted.
const BOOT_NS: u64 = 300_000_000;
/// Within this time of a machine at 50 MHz a genuine image has drawn its desktop.
const GENUINE_NS: u64 = 1_500_000_000;
/// The radio's data line without a radio.
const RADIO: NoRadio = NoRadio { level: true };

fn image_of_plane() -> Result<(Vec<u8>, Vec<u32>)> {
    let system = kube_modules::build()?;
    let fleet = Fleet::new(1, "kube", "")?;
    Ok((machine_image(&system, &fleet.machines()[0], &[])?, system.prom))
}

/// Clock cycles a second over a boot; cycles skipped in idle waits do not count.
fn cycles_per_s() -> Result<Option<Figure>> {
    let (image, prom) = image_of_plane()?;
    let (mut cycles, mut seconds) = (0, 0.0);
    while seconds < 3.0 {
        let mut machine = Machine::new(Some(SdCard::new(image.clone())?), RADIO, 0);
        machine.set_prom(&prom);
        let start = Instant::now();
        machine.run_until(BOOT_NS);
        seconds += start.elapsed().as_secs_f64();
        cycles += machine.cycles() - machine.skipped_cycles();
    }
    let config = Config { count_polls: false, ..Config::ours(prom) };
    let mut emulator = kube_emu::Machine::new(config, Some(SdCard::new(image)?), RADIO);
    let start = Instant::now();
    emulator.run_until(BOOT_NS);
    let emulated = emulator.cycles() as f64 / start.elapsed().as_secs_f64();
    Ok(Some(Figure {
        name: "rtl.cycles_per_s",
        value: cycles as f64 / seconds / 1e6,
        unit: "M/s",
        reference: Reference::SameRun(emulated / 1e6, "the emulator, every instruction".into()),
        work: "boots of our image of the plane, one thread, idle cycles left out".into(),
    }))
}

/// Machine time a second of host time of a whole rollout.
fn lab_speed() -> Result<Option<Figure>> {
    let speed = |engine| -> Result<(f64, u64)> {
        let (run, seconds) = lab_run(engine, 1)?;
        Ok((run.machine_ns as f64 / 1e9 / seconds, run.machine_ns / 1_000_000))
    };
    let (emulated, _) = speed(EngineKind::Emu)?;
    let (value, ms) = speed(EngineKind::Rtl)?;
    Ok(Some(Figure {
        name: "rtl.lab_speed",
        value,
        unit: "s/s",
        reference: Reference::SameRun(emulated, "the emulator".into()),
        work: format!("3 machines, {ms} ms, one thread"),
    }))
}

/// What was compared.
#[derive(Clone, Debug, Default)]
struct Compared {
    /// Instructions of boots and cluster work.
    systems: u64,
    /// Instructions of random programs.
    random: u64,
    mismatches: u64,
    work: String,
}

impl Compared {
    fn add(&mut self, what: &str, result: Result<u64, Box<Mismatch>>) -> u64 {
        let instructions = match result {
            Ok(instructions) => instructions,
            Err(mismatch) => {
                eprintln!("{what}: {mismatch}");
                self.mismatches += 1;
                mismatch.instructions
            }
        };
        self.work.push_str(&format!("{what} {:.1} M, ", instructions as f64 / 1e6));
        instructions
    }
}

/// At least so many of each.
const SYSTEM_INSTRUCTIONS: u64 = 20_000_000;
const RANDOM_INSTRUCTIONS: u64 = 5_000_000;

/// Both figures are those of one run.
fn compared() -> Result<&'static Compared> {
    static COMPARED: OnceLock<Compared> = OnceLock::new();
    if let Some(compared) = COMPARED.get() {
        return Ok(compared);
    }
    let compared = compare()?;
    Ok(COMPARED.get_or_init(|| compared))
}

fn compare() -> Result<Compared> {
    let mut compared = Compared::default();
    let (image, prom) = image_of_plane()?;
    let boot = boot(&image, &prom, BOOT_NS, "rtl_boot.fst")?;
    compared.systems += compared.add("boot", boot);
    if let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") {
        let image = std::fs::read(&path).with_context(|| {
            format!("KUBE_GENUINE_IMAGE names {}", PathBuf::from(path).display())
        })?;
        let boot = self::boot(&image, &loader::words(), GENUINE_NS, "rtl_genuine.fst")?;
        compared.systems += compared.add("genuine boot", boot);
    }
    for seed in 1.. {
        match lab_run(EngineKind::Lockstep, seed) {
            Ok((run, _)) => {
                compared.systems += compared.add("rollout", Ok(run.instructions));
            }
            Err(error) if matches!(error.downcast_ref(), Some(LabError::Differs { .. })) => {
                eprintln!("rollout, seed {seed}: {error:#}");
                compared.mismatches += 1;
            }
            Err(error) => return Err(error),
        }
        if compared.systems >= SYSTEM_INSTRUCTIONS || compared.mismatches > 0 {
            break;
        }
    }
    let (mut random, mut programs) = (0, 0);
    while random < RANDOM_INSTRUCTIONS && compared.mismatches == 0 {
        programs += 1;
        match random_program(programs) {
            Ok(instructions) => random += instructions,
            Err(mismatch) => {
                eprintln!("random program {programs}: {mismatch}");
                compared.mismatches += 1;
            }
        }
    }
    compared.random = random;
    compared.work.push_str(&format!("{programs} random programs {:.1} M", random as f64 / 1e6));
    Ok(compared)
}

fn boot(image: &[u8], prom: &[u32], ns: u64, waveform: &str) -> Result<Result<u64, Box<Mismatch>>> {
    let card = SdCard::new(image.to_vec())?;
    let waveform = std::env::temp_dir().join(waveform);
    Ok(check(&waveform, |start: &Start| {
        let mut pair = Lockstep::new(start, Some(card.clone()), RADIO, 0, prom);
        pair.run_until(ns)?;
        Ok(pair.instructions())
    }))
}

/// A quarter runs undisturbed, a quarter with interrupts, half with waiting ports as well.
fn random_program(seed: u64) -> Result<u64, Box<Mismatch>> {
    let [waits, interrupts] =
        [[0, 0], [0, 3_000], [16_000, 3_000], [4_000, 300]][seed as usize % 4];
    let waveform = std::env::temp_dir().join("rtl_random.fst");
    check(&waveform, |start| {
        let mut pair = Lockstep::new(start, None, RADIO, 0, &[0x4000_0000, 0xC700_0000]);
        pair.machine.set_disturbance(waits, waits, interrupts, seed);
        pair.load_words(0, &program::random(seed, 1_500));
        pair.run_cycles(60_000)?;
        Ok(pair.instructions())
    })
}

fn lockstep_insns() -> Result<Option<Figure>> {
    let compared = compared()?;
    let target = (SYSTEM_INSTRUCTIONS + RANDOM_INSTRUCTIONS) as f64;
    Ok(Some(Figure {
        name: "rtl.lockstep_insns",
        value: (compared.systems + compared.random) as f64,
        unit: "insns",
        reference: Reference::Target(target, "20 M of boots and cluster, 5 M random"),
        work: compared.work.clone(),
    }))
}

fn lockstep_mismatches() -> Result<Option<Figure>> {
    let compared = compared()?;
    Ok(Some(Figure {
        name: "rtl.lockstep_mismatches",
        value: compared.mismatches as f64,
        unit: "mismatches",
        reference: Reference::Target(0.0, "the emulator's processor"),
        work: compared.work.clone(),
    }))
}
