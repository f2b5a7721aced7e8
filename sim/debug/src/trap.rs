//! Traps: a machine that runs into one branches to the start of the module table, with the number
//! and the place in the text in the instruction.

use std::fmt::Write as _;

use obc::link::MODULE_TABLE;
use risc5_isa::register::{self, LINK};
use risc5_isa::trap;

use crate::chain::{self, Frame};
use crate::memory::{Map, Memory};
use crate::tables::Tables;

/// A trap that a machine is about to handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Its number.
    pub number: u8,
    /// Place in the source text, cut to 16 bits.
    pub position: u16,
    /// Address of the instruction.
    pub address: u32,
}

impl Trap {
    /// What the number means.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        trap::MEANINGS.get(usize::from(self.number)).copied().unwrap_or("a trap of the program")
    }
}

/// The trap that a machine has just run into: its next instruction is the handler's first, and the
/// one before the return address is a trap. `None` otherwise; NEW is no trap.
pub fn pending(memory: &impl Memory) -> Option<Trap> {
    if memory.pc() != MODULE_TABLE {
        return None;
    }
    at(memory, memory.register(usize::from(LINK)).wrapping_sub(4))
}

/// The trap instruction at an address, if there is one.
pub fn at(memory: &impl Memory, address: u32) -> Option<Trap> {
    let word = memory.word(address);
    let is_trap = word >> 28 == 0xD && word & 15 == u32::from(register::MODULE_TABLE);
    let number = (word >> 4 & 15) as u8;
    (is_trap && number != trap::NEW).then_some(Trap {
        number,
        position: (word >> 8) as u16,
        address,
    })
}

/// The call chain of a pending trap.
pub fn chain(memory: &impl Memory, map: &Map, tables: &Tables, trap: &Trap) -> Vec<Frame> {
    chain::walk(memory, map, tables, trap.address, true)
}

/// A report for people: what happened, where, and by which calls.
pub fn report(memory: &impl Memory, tables: &Tables, trap: &Trap) -> String {
    let map = Map::new(memory);
    let mut out = format!("trap {}: {}\n", trap.number, trap.meaning());
    let frames = chain(memory, &map, tables, trap);
    out.push_str(&calls(&frames, tables));
    out
}

/// A chain as text, with the source line of the innermost procedure.
#[must_use]
pub fn calls(frames: &[Frame], tables: &Tables) -> String {
    let mut out = String::new();
    for (number, frame) in frames.iter().enumerate() {
        let word = if number == 0 { "in" } else { "called from" };
        let _ = writeln!(out, "{number:>3} {word} {}", frame.location);
        if let (0, Some((_, line, _))) = (number, &frame.location.place)
            && let Some(text) = tables.line(&frame.location.module, *line)
        {
            let _ = writeln!(out, "    {line:>5} | {text}");
        }
    }
    if let Some(last) = frames.last()
        && last.returns_to.is_none()
        && !last.location.module.is_empty()
    {
        out.push_str("    its caller is not known: it keeps its return address in a register\n");
    }
    out
}
