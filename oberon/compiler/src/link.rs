//! Boot linker: turns the inner core's object files into the memory image that the boot PROM
//! copies to address 0.
//!
//! The result is what the run-time loader would have built, had it loaded the modules one after
//! another into an empty machine (boot area format of Project Oberon 2013):
//!
//! | byte | content |
//! |---|---|
//! | 0 | branch to the body of the top module |
//! | 12, 24 | memory limit and stack origin; the PROM writes the same values again |
//! | 16 | end of the image = start of free module space |
//! | 20 | descriptor of the module loaded last |
//! | 20H + 4 n | data address of module number n |
//! | 100H... | modules: descriptor (80 bytes), data, code, tables |
//!
//! Only the body of the *top* module, the one that no other imports, is run by the branch; it
//! has to start the modules below it.

mod error;
mod fixup;
mod order;
mod place;

pub use error::LinkError;

use crate::object::ObjectFile;
use place::Placed;

/// Address of the first module descriptor.
pub const FIRST_MODULE: u32 = 0x100;
/// First byte that modules may not use: below it ends the 32 KB stack.
pub const MODULE_LIMIT: u32 = 0x7_8000;
/// Highest module number: the table of data addresses ends where the modules begin.
pub const MAX_MODULES: usize = 55;
/// Address of the module table.
pub const MODULE_TABLE: u32 = 0x20;
/// Bytes of a module descriptor.
pub const DESCRIPTOR_BYTES: u32 = 80;

const MEMORY_LIMIT: u32 = 0xE_7EF0;
const STACK_ORIGIN: u32 = 0x8_0000;

/// Links modules, given in any order, into a boot image for address 0.
///
/// Same input, same bytes; modules are placed in the order in which the loader would meet them
/// from the top module on, imports first.
///
/// # Errors
///
/// [`LinkError`] if a module is missing, given twice, standalone, compiled against another key of
/// an import or damaged, if there is not exactly one top module, if imports form a cycle, or if
/// the modules do not fit.
pub fn boot_image(modules: &[ObjectFile]) -> Result<Vec<u8>, LinkError> {
    let order = order::load_order(modules)?;
    let placed = place::place(&order)?;
    let end = placed.last().map_or(FIRST_MODULE, |m| m.end);
    let mut memory = Memory { bytes: vec![0; end as usize] };
    for module in &placed {
        place::write(&mut memory, module, &placed);
        fixup::apply(&mut memory, module, &placed)?;
    }
    if let Some(top) = placed.last() {
        memory.put(0, 0xE700_0000 + (top.code + top.object.body) / 4 - 1);
        memory.put(12, MEMORY_LIMIT);
        memory.put(16, end);
        memory.put(20, top.descriptor);
        memory.put(24, STACK_ORIGIN);
    }
    Ok(memory.bytes)
}

/// The image under construction. Addresses are below its length: the placement has checked them.
struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    fn put(&mut self, address: u32, word: u32) {
        let at = address as usize;
        self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    fn get(&self, address: u32) -> u32 {
        let at = address as usize;
        let b = &self.bytes[at..at + 4];
        u32::from_le_bytes([b[0], b[1], b[2], b[3]])
    }

    fn put_bytes(&mut self, address: u32, bytes: &[u8]) {
        let at = address as usize;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

/// The module with number `mno` in `module`'s import list.
fn import<'a>(module: &Placed<'_>, placed: &'a [Placed<'a>], mno: u32) -> Option<&'a Placed<'a>> {
    let index = *module.imports.get((mno as usize).checked_sub(1)?)?;
    placed.get(index)
}

#[cfg(test)]
mod tests;
