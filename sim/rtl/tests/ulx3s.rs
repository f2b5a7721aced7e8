//! The top of a ULX3S with its SDRAM: random programs and boots against the emulator, and no rule of the
//! memory chip broken.

use std::error::Error;
use std::io::Write as _;

use kube_disk::ImageBuilder;
use kube_emu::sd::Timing;
use kube_emu::{NoRadio, SdCard, loader};
use kube_modules::System;
use kube_rtl::lockstep::Lockstep;
use kube_rtl::profile::{MemoryWaits, Profile};
use kube_rtl::{Machine, program};
use risc5_isa::{Cond, Instruction, Op};

/// The framebuffer of a genuine desktop.
const DESKTOP: u32 = 0xB5DF_C933;
const RADIO: NoRadio = NoRadio { level: true };
/// How long a boot may take.
const BOOT_NS: u64 = 1_000_000_000;
/// A branch to address 0, for a PROM.
const TO_ZERO: [u32; 2] = [0x4000_0000, 0xC700_0000];

fn card(image: Vec<u8>) -> Result<SdCard, Box<dyn Error>> {
    let mut card = SdCard::new(image)?;
    card.set_timing(Timing { initialise_ns: 100_000, read_ns: 2_000, write_ns: 5_000 });
    Ok(card)
}

/// Our system with all its modules.
fn our_image(system: &System) -> Result<Vec<u8>, Box<dyn Error>> {
    let builder = ImageBuilder::new().boot_image(&system.boot_image).files(&system.objects);
    Ok(builder.build()?.into_bytes())
}

/// Programs; `KUBE_LOCKSTEP_PROGRAMS` asks for more.
fn programs() -> u64 {
    std::env::var("KUBE_LOCKSTEP_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

/// Some programs wait in the idle word for a millisecond, which begins after the SDRAM's rest.
#[test]
fn random_programs_in_lockstep() {
    let mut instructions = 0;
    for seed in 5_000..5_000 + programs() {
        let mut pair = Lockstep::ulx3s(None, NoRadio::default(), 0, &TO_ZERO);
        pair.load_words(0, &program::random(seed, 1_500));
        if let Err(mismatch) = pair.run_cycles(60_000) {
            panic!("seed {seed}: {mismatch}");
        }
        instructions += pair.instructions();
    }
    assert!(instructions > 2_000 * programs(), "{instructions} instructions only");
}

fn immediate(op: Op, u: bool, a: u8, b: u8, imm: u16) -> u32 {
    Instruction::Immediate { op, u, v: false, a, b, imm }.encode()
}

fn word(store: bool, a: u8, b: u8, offset: i32) -> u32 {
    Instruction::Memory { store, byte: false, a, b, offset }.encode()
}

fn branch(cond: Cond, offset: i32) -> u32 {
    Instruction::BranchRelative { link: false, cond, offset }.encode()
}

/// Runs what stands from address 0 on until it has come to its last branch, to itself.
fn run_short(pair: &mut Lockstep<NoRadio>) {
    pair.run_cycles(20_000).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert!(pair.instructions() > 100, "{}", pair.instructions());
}

/// The instruction cache is asked for the fourth word behind a store in the cycle in which the store
/// gets there. It showed the old word as soon as another store had gone, if decoding waited meanwhile.
#[test]
fn a_store_is_seen_by_the_fourth_instruction_behind_it() {
    let mut pair = Lockstep::ulx3s(None, NoRadio::default(), 0, &TO_ZERO);
    pair.load_words(
        0x400,
        &[immediate(Op::Add, false, 5, 5, 1), immediate(Op::Add, false, 5, 5, 256)],
    );
    let mut words = vec![
        immediate(Op::Mov, false, 4, 0, 0),
        immediate(Op::Mov, false, 5, 0, 0),
        immediate(Op::Mov, false, 7, 0, 3),
        word(false, 2, 4, 0x400),
    ];
    words.resize(8, immediate(Op::Mov, false, 6, 0, 0));
    words.extend([
        word(true, 2, 4, 4 * 12),
        word(true, 3, 4, 0x500),
        immediate(Op::Lsl, false, 0, 1, 1),
        immediate(Op::Add, false, 0, 0, 1),
        0,
        word(false, 2, 4, 0x404),
        immediate(Op::Sub, false, 7, 7, 1),
        branch(Cond::Ne, -8),
        branch(Cond::Always, -1),
    ]);
    pair.load_words(0, &words);
    run_short(&mut pair);
}

/// The I/O words' addresses, cut to a megabyte, are those of memory's last two lines. A line on its way
/// from there answered for the I/O word, while an instruction was waited for.
#[test]
fn an_io_word_is_not_taken_from_a_line_on_its_way() {
    let mut pair = Lockstep::ulx3s(None, NoRadio::default(), 0, &TO_ZERO);
    pair.load_words(0xF_FFC0, &[0x5555_5555; 16]);
    // The word behind the load of an I/O word is in a line of its own.
    let words = [
        immediate(Op::Mov, false, 0, 0, 0),
        immediate(Op::Mov, true, 4, 0, 0xF),
        immediate(Op::Ior, false, 4, 4, 0xFFC0),
        immediate(Op::Mov, true, 6, 0, 0xFF),
        immediate(Op::Ior, false, 6, 6, 0xFFC0),
        immediate(Op::Mov, false, 0, 0, 0),
        word(false, 1, 4, 0),
        word(false, 2, 6, 12),
        immediate(Op::Add, false, 3, 2, 1),
        branch(Cond::Always, -1),
    ];
    pair.load_words(0, &words);
    run_short(&mut pair);
    let status = pair.stepper().register(2);
    assert!(status < 4, "the serial line's status is {status:08x}");
}

#[test]
fn our_boot_in_lockstep() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let card = card(our_image(&system)?)?;
    let mut pair = Lockstep::ulx3s(Some(card), RADIO, 0, &system.prom);
    let mut log = String::new();
    for _ in 0..600 {
        pair.run_cycles(50_000).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        log.push_str(&String::from_utf8_lossy(&pair.machine.serial_received()));
        if log.contains("up in") {
            break;
        }
    }
    assert!(log.contains("up in") && pair.instructions() > 1_000_000, "{log}");
    Ok(())
}

#[test]
fn a_boot_waits_for_memory_for_every_reason() -> Result<(), Box<dyn Error>> {
    let system = kube_modules::build()?;
    let mut machine = Machine::ulx3s(Some(card(our_image(&system)?)?), RADIO, 0);
    machine.set_prom(&system.prom);
    let waits = Profile::of_boot(&mut machine, &system.prom, BOOT_NS, Machine::idle).memory;
    let MemoryWaits { datum, tag, buffer, store, instruction, jump } = waits;
    let each = [datum, tag, buffer, store, instruction, jump];
    assert!(machine.idle() && each.iter().all(|&cycles| cycles > 0), "{waits:?}");
    Ok(())
}

#[test]
fn genuine_image_boots_to_its_desktop_in_lockstep() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
        let needs = "needs KUBE_GENUINE_IMAGE (path of a Project Oberon image)";
        writeln!(std::io::stderr(), "skipped: genuine image on the ULX3S's top {needs}")?;
        return Ok(());
    };
    let card = card(std::fs::read(path)?)?;
    let mut pair = Lockstep::ulx3s(Some(card), RADIO, 0, &loader::words());
    for _ in 0..60 {
        let to = pair.machine.now_ns() + 50_000_000;
        pair.run_until(to).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        if pair.machine.framebuffer_hash() == DESKTOP {
            return Ok(());
        }
    }
    panic!("no desktop: {:08X}, LEDs {:02X}", pair.machine.framebuffer_hash(), pair.machine.leds());
}
