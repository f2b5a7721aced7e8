//! Instructions from the first one of the boot image to the idle loop.
//!
//! The idle loop of Project Oberon asks the mouse each turn, and nothing asks it before: the
//! system is idle when `Input.Mouse` is entered for the first time. Instructions of the PROM do not
//! count, nor rounds of a loop that waits for the SPI: they say how fast the card is.

use kube_emu::{Config, Machine, NoRadio, SdCard, loader};
use obc::link::{DESCRIPTOR_BYTES, MODULE_TABLE};
use obc::object::ObjectFile;
use risc5_isa::{Instruction, map};

use crate::MeasureError;

/// What a boot took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boot {
    /// Instructions from the boot image's first to the idle loop, without waiting for the card.
    pub instructions: u64,
    /// Instructions of loops that waited for the card.
    pub polling: u64,
    /// Clock cycles between the same two moments, waiting included (cycle table of our core,
    /// 1 MHz: the card never lets the processor wait longer than one round).
    pub cycles: u64,
    /// Hash of the framebuffer a second of machine time later.
    pub framebuffer_hash: u32,
}

/// More than any image needs.
const LIMIT: u64 = 60_000_000;
/// Offsets in a module descriptor.
const NUMBER: u32 = 40;
const CODE: u32 = 56;
const ENTRIES: u32 = 68;
const MAX_MODULES: u32 = obc::link::MAX_MODULES as u32;
/// The status word of the SPI, as an offset from register 0 or an address.
const SPI_STATUS: u32 = risc5_isa::io::SPI_STATUS as u32;
/// Two reads of the status closer than this belong to one loop.
const LOOP: u64 = 6;

/// Boots an image on the reference machine up to its idle loop. `input` is the object file of
/// module Input on it, and `mouse` the entry number of `Input.Mouse`.
///
/// # Errors
///
/// [`MeasureError::Card`], [`MeasureError::NotIdle`].
pub fn measure(image: &[u8], input: &ObjectFile, mouse: usize) -> Result<Boot, MeasureError> {
    let card = SdCard::new(image.to_vec())?;
    let config = Config {
        clock_hz: 1_000_000,
        count_polls: false,
        cycles: kube_emu::CycleTable::ours(),
        ..Config::compat(loader::words())
    };
    let mut machine = Machine::new(config, Some(card), NoRadio::default());
    while machine.pc() >= map::RAM_BYTES {
        step(&mut machine)?;
    }
    let (start, start_cycles) = (machine.instructions(), machine.cycles());
    let mut polling = 0;
    let mut last_read = (0, 0);
    let mut mouse_at = None;
    let mut next_look = 0;
    loop {
        let pc = machine.pc();
        if Some(pc) == mouse_at {
            break;
        }
        // Far more often than a module is loaded.
        if mouse_at.is_none() && machine.instructions() >= next_look {
            next_look = machine.instructions() + 1_000;
            mouse_at = entry(&machine, &input.name, mouse);
        }
        if reads_status(&machine, pc) {
            let at = machine.instructions();
            let (before, place) = last_read;
            if place == pc && at - before <= LOOP {
                polling += at - before;
            }
            last_read = (at, pc);
        }
        step(&mut machine)?;
    }
    let instructions = machine.instructions() - start - polling;
    let cycles = machine.cycles() - start_cycles;
    machine.run_until(machine.now_ns() + 20_000_000_000);
    Ok(Boot { instructions, polling, cycles, framebuffer_hash: machine.framebuffer_hash() })
}

fn step(machine: &mut Machine<NoRadio>) -> Result<(), MeasureError> {
    machine.run_until(machine.now_ns() + 1);
    let (instructions, pc) = (machine.instructions(), machine.pc());
    if instructions > LIMIT { Err(MeasureError::NotIdle { instructions, pc }) } else { Ok(()) }
}

fn reads_status(machine: &Machine<NoRadio>, pc: u32) -> bool {
    match Instruction::decode(machine.word(pc)) {
        Instruction::Memory { store: false, byte: false, b, offset, .. } => {
            let address = machine.register(usize::from(b)).wrapping_add(offset as u32);
            (address ^ SPI_STATUS) << 8 == 0
        }
        _ => false,
    }
}

/// Byte address of an entry of a loaded module. The module must not be the last one: the loader
/// enters a module in its table before it fills the module's own tables.
fn entry(machine: &Machine<NoRadio>, name: &str, number: usize) -> Option<u32> {
    let loaded = |n: u32| {
        let data = machine.word(MODULE_TABLE + 4 * n);
        let descriptor = data.checked_sub(DESCRIPTOR_BYTES)?;
        (data < map::RAM_BYTES && machine.word(descriptor + NUMBER) == n).then_some(descriptor)
    };
    (1..MAX_MODULES).find_map(|n| {
        let descriptor = loaded(n)?;
        loaded(n + 1)?;
        let bytes: Vec<u8> =
            (0..8).flat_map(|i| machine.word(descriptor + 4 * i).to_le_bytes()).collect();
        if bytes.split(|b| *b == 0).next() != Some(name.as_bytes()) {
            return None;
        }
        let entries = machine.word(descriptor + ENTRIES);
        Some(machine.word(descriptor + CODE) + machine.word(entries + 4 * number as u32))
    })
}
