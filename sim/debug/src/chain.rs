//! The call chain. Entry code makes a frame and stores the link register at its start; what part
//! of it has run by the current address says where the return address is.
//!
//! A procedure that calls nothing keeps its return address in the link register only. A trap
//! overwrites that register, so the caller of such a procedure is not known behind a trap.

use risc5_isa::register::{LINK, STACK};
use risc5_isa::{Cond, Instruction, Op};

use crate::memory::{Location, Map, Memory};
use crate::tables::Tables;

/// Frames shown at most: a runaway recursion has thousands.
pub const MAX_FRAMES: usize = 200;
/// Words of entry code looked at.
const ENTRY_WORDS: u32 = 24;
/// Words looked back for the start of a procedure without table.
const BACK_WORDS: u32 = 20_000;

/// One procedure in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where it is: the next instruction of the innermost one, else the call.
    pub location: Location,
    /// Stack pointer within it.
    pub stack: u32,
    /// Address of its parameters and local variables.
    pub variables: u32,
    /// Where it returns to; `None` if that is not known.
    pub returns_to: Option<u32>,
    /// Stack pointer after its return.
    pub outer_stack: u32,
}

/// How a procedure's frame stands at one of its addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shape {
    bytes: u32,
    /// The return address is in the frame.
    saved: bool,
    /// Bytes before parameters and local variables.
    base: u32,
}

/// The chain from the next instruction outwards. `link_lost` says that the link register does not
/// hold the innermost procedure's return address (behind a trap).
pub fn chain(memory: &impl Memory, map: &Map, tables: &Tables, link_lost: bool) -> Vec<Frame> {
    walk(memory, map, tables, memory.pc(), link_lost)
}

/// As [`chain`], from another address within the innermost procedure.
pub fn walk(
    memory: &impl Memory,
    map: &Map,
    tables: &Tables,
    pc: u32,
    link_lost: bool,
) -> Vec<Frame> {
    let mut out: Vec<Frame> = Vec::new();
    let mut at = pc;
    let mut stack = memory.register(usize::from(STACK));
    while out.len() < MAX_FRAMES {
        let innermost = out.is_empty();
        let location = map.locate(at, tables);
        let inside = !location.module.is_empty();
        let shape = if inside { shape(memory, map, tables, at, innermost) } else { None };
        let shape = shape.unwrap_or_default();
        let returns_to = match (shape.saved, innermost && !link_lost) {
            _ if !inside && !innermost => None,
            (true, _) => Some(memory.word(stack)),
            (false, true) => Some(memory.register(usize::from(LINK))),
            (false, false) => None,
        };
        let outer_stack = stack.wrapping_add(shape.bytes);
        out.push(Frame {
            location,
            stack,
            variables: stack.wrapping_add(shape.base),
            returns_to,
            outer_stack,
        });
        match returns_to {
            // The call stands before the return address.
            Some(address) if address >= 4 && map.at(address - 4).is_some() => at = address - 4,
            _ => break,
        }
        stack = outer_stack;
    }
    out
}

/// Start of the procedure around an address.
fn start(memory: &impl Memory, map: &Map, tables: &Tables, address: u32) -> Option<u32> {
    let loaded = map.at(address)?;
    if let Some(table) = map.table(loaded, tables) {
        let procedure = table.procedure((address - loaded.code) / 4)?;
        return Some(loaded.code + 4 * procedure.start);
    }
    // Without a table: the nearest entry code before it. The genuine compiler moves the stack
    // pointer within statements too, but stores the link register only on entry.
    let mut at = address;
    for _ in 0..BACK_WORDS {
        if makes_frame(memory.word(at)) && stores_link(memory.word(at + 4)) {
            return Some(at);
        }
        at = at.checked_sub(4).filter(|a| *a >= loaded.code)?;
    }
    None
}

fn makes_frame(word: u32) -> bool {
    matches!(
        Instruction::decode(word),
        Instruction::Immediate { op: Op::Sub, a: STACK, b: STACK, .. }
    )
}

fn stores_link(word: u32) -> bool {
    matches!(
        Instruction::decode(word),
        Instruction::Memory { store: true, byte: false, a: LINK, b: STACK, offset: 0 }
    )
}

fn shape(
    memory: &impl Memory,
    map: &Map,
    tables: &Tables,
    address: u32,
    innermost: bool,
) -> Option<Shape> {
    let start = start(memory, map, tables, address)?;
    if innermost && leaving(memory, address) {
        return Some(Shape::default());
    }
    let restored = innermost && about_to_free(memory, address);
    let mut shape = Shape::default();
    let mut stored = 0;
    for at in (start..address).step_by(4).take(ENTRY_WORDS as usize) {
        match Instruction::decode(memory.word(at)) {
            Instruction::Immediate { op: Op::Sub, u: false, v: false, a: STACK, b: STACK, imm } => {
                shape.bytes = u32::from(imm);
            }
            Instruction::Memory { store: true, byte: false, a, b: STACK, offset } => {
                if a == LINK && offset == 0 {
                    shape.saved = true;
                    shape.base = 4;
                }
                stored += 1;
            }
            // An instruction that moves a parameter elsewhere may stand among the stores.
            Instruction::Register { op: Op::Mov, .. } if stored > 0 => {}
            _ => break,
        }
    }
    shape.saved &= !restored;
    Some(shape)
}

/// The return itself.
fn leaving(memory: &impl Memory, address: u32) -> bool {
    matches!(
        Instruction::decode(memory.word(address)),
        Instruction::BranchRegister { link: false, cond: Cond::Always, low } if low & 15 == u32::from(LINK)
    )
}

/// The frame is about to be given back: the link register is loaded already.
fn about_to_free(memory: &impl Memory, address: u32) -> bool {
    matches!(
        Instruction::decode(memory.word(address)),
        Instruction::Immediate { op: Op::Add, a: STACK, b: STACK, .. }
    ) && leaving(memory, address + 4)
}
