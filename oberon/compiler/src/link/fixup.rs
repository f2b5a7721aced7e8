//! Resolves a module's three chains of references: imported calls, data bases, descriptors.
//!
//! Each reference holds the distance in words back to the one before it; the chain ends when that
//! reaches the start of the code or data. Imports are numbered from 1 in the order of the
//! module's import list, 0 means the module itself.

use super::place::Placed;
use super::{LinkError, Memory, import};

/// Register that holds the module table's address at run time.
const MT: u32 = 12;

/// Resolves all references of `module`. All modules it imports have been placed.
pub(super) fn apply(
    memory: &mut Memory,
    module: &Placed<'_>,
    placed: &[Placed<'_>],
) -> Result<(), LinkError> {
    let object = module.object;
    let code_words = object.code.len() as u32;
    let data_words = object.data_bytes() / 4;
    let link = Linking { module, placed };
    walk("call", module, module.code, object.fix_p, code_words, |word, at| {
        link.call(memory, word, at)
    })?;
    walk("data", module, module.code, object.fix_d, code_words, |word, at| {
        link.data(memory, word, at)
    })?;
    walk("descriptor", module, module.data, object.fix_t, data_words, |word, at| {
        link.descriptor(memory, word, at)
    })
}

/// Follows a chain backwards from word `last` of the part at `base`; `fix` resolves the reference
/// at an address and returns its distance.
fn walk(
    chain: &'static str,
    module: &Placed<'_>,
    base: u32,
    last: u32,
    words: u32,
    mut fix: impl FnMut(u32, u32) -> Result<u32, LinkError>,
) -> Result<(), LinkError> {
    let mut word = last;
    while word != 0 {
        let fault = |fault| {
            Err(LinkError::Chain { module: module.object.name.clone(), chain, word, fault })
        };
        if word >= words {
            return fault("it starts behind the end");
        }
        let distance = fix(word, base + 4 * word)?;
        if distance == 0 {
            return fault("its distance is 0");
        }
        if distance > word {
            return fault("it leads before the start");
        }
        word -= distance;
    }
    Ok(())
}

struct Linking<'a> {
    module: &'a Placed<'a>,
    placed: &'a [Placed<'a>],
}

impl<'a> Linking<'a> {
    fn import(
        &self,
        chain: &'static str,
        word: u32,
        mno: u32,
    ) -> Result<&'a Placed<'a>, LinkError> {
        import(self.module, self.placed, mno).ok_or_else(|| LinkError::Chain {
            module: self.module.object.name.clone(),
            chain,
            word,
            fault: "it names a module beyond the import list",
        })
    }

    fn entry(&self, from: &Placed<'_>, entry: u32) -> Result<u32, LinkError> {
        let entries = &from.object.entries;
        entries.get(entry as usize).copied().ok_or_else(|| LinkError::Entry {
            module: self.module.object.name.clone(),
            import: from.object.name.clone(),
            entry,
            entries: entries.len(),
        })
    }

    /// `F7 | import:4 | entry:8 | distance:12` becomes a branch-and-link to the entry.
    fn call(&self, memory: &mut Memory, word: u32, at: u32) -> Result<u32, LinkError> {
        let old = memory.get(at);
        let from = self.import("call", word, old >> 20 & 0xF)?;
        let target = from.code + self.entry(from, old >> 12 & 0xFF)?;
        let offset = (target as i32 - at as i32 - 4) / 4;
        memory.put(at, 0xF700_0000 | offset as u32 & 0xFF_FFFF);
        Ok(old & 0xFFF)
    }

    /// `load:8 | import:4 | unused:8 | distance:12` becomes a load of the data base from the
    /// module table. For an import, the next instruction names the entry in its low 9 bits; bit 8
    /// asks for the code address of a procedure, seen from the data base.
    fn data(&self, memory: &mut Memory, word: u32, at: u32) -> Result<u32, LinkError> {
        let old = memory.get(at);
        let mno = old >> 20 & 0xF;
        let number = if mno == 0 {
            self.module.number
        } else {
            let from = self.import("data", word, mno)?;
            self.operand(memory, word, at + 4, from)?;
            from.number
        };
        memory.put(at, (old >> 24 << 24) | (MT << 20) | (4 * number));
        Ok(old & 0xFFF)
    }

    fn operand(
        &self,
        memory: &mut Memory,
        word: u32,
        at: u32,
        from: &Placed<'_>,
    ) -> Result<(), LinkError> {
        let module = || self.module.object.name.clone();
        if word + 1 >= self.module.object.code.len() as u32 {
            let fault = "no instruction follows it";
            return Err(LinkError::Chain { module: module(), chain: "data", word, fault });
        }
        let old = memory.get(at);
        let mut offset = self.entry(from, old & 0xFF)?;
        if old & 0x100 != 0 {
            offset += from.code - from.data;
        }
        if offset > 0xFFFF {
            let import = from.object.name.clone();
            return Err(LinkError::Distance { module: module(), import, word: word + 1, offset });
        }
        memory.put(at, old & 0xFFFF_0000 | offset);
        Ok(())
    }

    /// `unused:4 | import:4 | entry or offset:12 | distance:12` becomes the address of a type
    /// descriptor.
    fn descriptor(&self, memory: &mut Memory, word: u32, at: u32) -> Result<u32, LinkError> {
        let old = memory.get(at);
        let (mno, value) = (old >> 24 & 0xF, old >> 12 & 0xFFF);
        let address = if mno == 0 {
            self.module.data + value
        } else {
            let from = self.import("descriptor", word, mno)?;
            from.data + self.entry(from, value)?
        };
        memory.put(at, address);
        Ok(old & 0xFFF)
    }
}
