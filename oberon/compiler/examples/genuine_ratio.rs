//! Measures our code against that of the genuine compiler, on the genuine system itself.
//!
//! ```text
//! cargo run --release -p obc --example genuine_ratio -- IMAGE [--json] [--modules] [--no-boot] [--no-pass NAME]... [-O0]
//! ```
//!
//! All modules whose source and object file are on the image are compiled from source. Two figures
//! come out:
//!
//! - code bytes: of all those modules, ours over genuine;
//! - instructions to idle: the image, with our object files and boot area in place of its own, is
//!   booted to the first look at the mouse, which is the first round of the main loop. Counted are
//!   the instructions outside the PROM and outside the rounds of loops that wait for the SPI: both
//!   are the same for every compiler, and the waiting depends on the speed of the card alone.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool")]

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use kube_disk::Image;
use kube_emu::{Config, CycleTable, Machine, NoRadio, SdCard, loader};
use obc::ir::passes::{Pass, Passes};
use obc::object::ObjectFile;
use obc::{Compiled, Options, Source, link, project};
use risc5_isa::{Instruction, Op, io, map};

/// The modules of the boot area.
const INNER: [&str; 4] = ["Kernel", "FileDir", "Files", "Modules"];
/// Rounds of a waiting loop are at most this long.
const ROUND: u64 = 8;
/// The compilation is timed so often; the best time counts.
const TIMES: usize = 20;
/// No boot takes longer.
const MAX_INSTRUCTIONS: u64 = 200_000_000;

struct Genuine {
    image: Image,
    sources: Vec<Source>,
    objects: BTreeMap<String, ObjectFile>,
}

/// The text of a source file: texts of the system have a header with the length of itself.
fn text(bytes: &[u8]) -> String {
    let start = match bytes {
        [0xF1, 0x01, a, b, c, d, ..] => u32::from_le_bytes([*a, *b, *c, *d]) as usize,
        _ => 0,
    };
    bytes
        .get(start..)
        .unwrap_or(&[])
        .iter()
        .map(|b| if *b < 128 { char::from(*b) } else { '?' })
        .collect()
}

impl Genuine {
    fn open(path: &str) -> Result<Self> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
        let image = Image::open(bytes)?;
        let (mut sources, mut objects) = (Vec::new(), BTreeMap::new());
        for file in image.list()? {
            let name = file.name.to_string();
            let Some(module) = name.strip_suffix(".rsc") else { continue };
            let Ok(source) = image.read(&format!("{module}.Mod")) else { continue };
            objects.insert(module.to_string(), ObjectFile::parse(&image.read(&name)?)?);
            sources.push(Source::new(format!("{module}.Mod"), text(&source)));
        }
        if sources.is_empty() {
            bail!("{path} holds no modules");
        }
        Ok(Self { image, sources, objects })
    }

    fn compile(&self, options: &Options) -> Result<Vec<Compiled>> {
        project::build_with(&self.sources, &obc::NoSymbols, options).map_err(|errors| {
            anyhow::anyhow!(
                "{}",
                errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            )
        })
    }

    /// The image with our object files and boot area.
    fn rebuilt(&self, ours: &[Compiled]) -> Result<Vec<u8>> {
        let mut image = Image::open(self.image.bytes().to_vec())?;
        for module in ours {
            image.replace(&format!("{}.rsc", module.module), &module.object.to_bytes())?;
        }
        let inner: Vec<ObjectFile> = ours
            .iter()
            .filter(|m| INNER.contains(&m.module.as_str()))
            .map(|m| m.object.clone())
            .collect();
        image.set_boot_image(&link::boot_image(&inner)?)?;
        Ok(image.into_bytes())
    }
}

/// A boot to the first round of the main loop.
struct Boot {
    instructions: u64,
    /// Instructions that use what the one before has loaded: our core waits there.
    waits: u64,
    /// What the screen shows.
    picture: u32,
}

/// Boots an image.
fn instructions_to_idle(image: Vec<u8>) -> Result<Boot> {
    let one = CycleTable {
        alu: 1,
        load: 1,
        store: 1,
        branch_taken: 1,
        branch_not_taken: 1,
        mul: 1,
        div: 1,
        fadd: 1,
        fmul: 1,
        fdiv: 1,
    };
    let mut config = Config::compat(loader::words());
    config.cycles = one;
    config.count_polls = false;
    let step_ns = 1_000_000_000 / u64::from(config.clock_hz);
    let mut machine = Machine::new(config, Some(SdCard::new(image)?), NoRadio::default());
    let (mut counted, mut last_poll) = (0_u64, (0_u32, 0_u64, 0_u64));
    let mut total = 0;
    let (mut waits, mut loaded) = (0, None);
    while total < MAX_INSTRUCTIONS {
        let pc = machine.pc();
        if pc < map::RAM_BYTES {
            let instruction = Instruction::decode(machine.word(pc));
            counted += 1;
            waits += u64::from(loaded.is_some_and(|register| uses(&instruction, register)));
            loaded = match instruction {
                Instruction::Memory { store: false, a, .. } => Some(a),
                _ => None,
            };
            if let Instruction::Memory { store: false, b, offset, .. } = instruction {
                let address = machine.register(usize::from(b)).wrapping_add(offset as u32) as i32;
                if address << 8 >> 8 == io::MOUSE {
                    return Ok(Boot {
                        instructions: counted,
                        waits,
                        picture: machine.framebuffer_hash(),
                    });
                }
                if address << 8 >> 8 == io::SPI_STATUS {
                    let (at, when, waited) = last_poll;
                    if at == pc && counted - when <= ROUND {
                        (counted, waits) = (when, waited);
                    }
                    last_poll = (pc, counted, waits);
                }
            }
        }
        total += 1;
        machine.run_until(machine.now_ns() + step_ns);
    }
    bail!("does not reach its main loop, pc {:06X}", machine.pc())
}

fn uses(instruction: &Instruction, register: u8) -> bool {
    match *instruction {
        Instruction::Register { op, b, c, .. } => c == register || op != Op::Mov && b == register,
        Instruction::Immediate { op, b, .. } => op != Op::Mov && b == register,
        Instruction::Memory { store, a, b, .. } => b == register || store && a == register,
        Instruction::BranchRegister { low, .. } => low & 15 == u32::from(register),
        Instruction::BranchRelative { .. } => false,
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.iter().find(|a| !a.starts_with('-')).context("name an image")?;
    let mut options = Options::default();
    for (at, argument) in arguments.iter().enumerate() {
        if argument == "-O0" {
            options.passes = Passes::none();
        }
        if argument == "--no-pass" {
            let name = arguments.get(at + 1).map_or("", String::as_str);
            let pass = Pass::from_name(name).with_context(|| format!("no pass {name}"))?;
            options.passes = options.passes.without(pass);
        }
    }
    let genuine = Genuine::open(path)?;
    let mut ours = Vec::new();
    let mut seconds = f64::INFINITY;
    for _ in 0..TIMES {
        let started = std::time::Instant::now();
        ours = genuine.compile(&options)?;
        seconds = seconds.min(started.elapsed().as_secs_f64());
    }
    let lines: usize = genuine.sources.iter().map(|s| s.text.matches('\r').count()).sum();
    let (mut all, mut all_genuine) = (0, 0);
    for module in &ours {
        let theirs = genuine.objects.get(&module.module).map_or(0, |o| o.code.len());
        all += module.object.code.len();
        all_genuine += theirs;
        if arguments.iter().any(|a| a == "--modules") {
            eprintln!("{:14} {:6} {:6}", module.module, module.object.code.len() * 4, theirs * 4);
        }
    }
    let code = all as f64 / all_genuine as f64;
    let speed = lines as f64 / seconds;
    if arguments.iter().any(|a| a == "--no-boot") {
        println!("{speed:.0} lines/s, code ratio {code:.4}");
        return Ok(());
    }
    let genuine_boot = instructions_to_idle(genuine.image.bytes().to_vec())?;
    let boot = instructions_to_idle(genuine.rebuilt(&ours)?)?;
    if boot.picture != genuine_boot.picture {
        bail!("the rebuilt system shows another picture");
    }
    let (instructions, baseline) = (boot.instructions, genuine_boot.instructions);
    let ratio = instructions as f64 / baseline as f64;
    if arguments.iter().any(|a| a == "--json") {
        println!(
            "{{\"schema\":\"obc-genuine-ratio/1\",\"modules\":{},\"code_bytes\":{},\
             \"code_bytes_genuine\":{},\"obc.code_ratio\":{code:.4},\"instructions\":{instructions},\
             \"instructions_genuine\":{baseline},\"obc.insns_ratio\":{ratio:.4},\
             \"obc.lines_per_s\":{speed:.0}}}",
            ours.len(),
            4 * all,
            4 * all_genuine
        );
    } else {
        println!("{} modules, {lines} lines, {speed:.0} lines/s", ours.len());
        println!("code bytes:            {} of {}, ratio {code:.4}", 4 * all, 4 * all_genuine);
        println!("instructions to idle:  {instructions} of {baseline}, ratio {ratio:.4}");
        println!("waits for a load:      {} of {}", boot.waits, genuine_boot.waits);
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
