//! Gives each module its addresses and writes its block: descriptor, data, code, tables.

use super::order::Ordered;
use super::{DESCRIPTOR_BYTES, FIRST_MODULE, LinkError, MODULE_LIMIT, MODULE_TABLE, Memory};
use crate::object::{MAX_NAME, ObjectFile};

/// A module with its number and addresses.
pub(super) struct Placed<'a> {
    pub(super) object: &'a ObjectFile,
    pub(super) imports: Vec<usize>,
    pub(super) number: u32,
    pub(super) descriptor: u32,
    pub(super) data: u32,
    pub(super) code: u32,
    pub(super) end: u32,
}

/// Assigns numbers and addresses in load order, and checks that every offset stays inside.
pub(super) fn place<'a>(order: &[Ordered<'a>]) -> Result<Vec<Placed<'a>>, LinkError> {
    let mut placed = Vec::with_capacity(order.len());
    let mut at = FIRST_MODULE;
    for (module, number) in order.iter().zip(1..) {
        let object = module.object;
        check_sizes(object, at)?;
        check_offsets(object)?;
        // The loader's rounding: to a multiple of 32, with between 224 and 256 bytes to spare.
        let end = (at + DESCRIPTOR_BYTES + object.size() + 0x100) / 0x20 * 0x20;
        if end > MODULE_LIMIT {
            return Err(LinkError::TooLarge { module: object.name.clone(), end: end.into() });
        }
        let data = at + DESCRIPTOR_BYTES;
        let code = data + object.data_bytes();
        let imports = module.imports.clone();
        placed.push(Placed { object, imports, number, descriptor: at, data, code, end });
        at = end;
    }
    Ok(placed)
}

/// Guards the 32-bit arithmetic on sizes: the object need not come from a parsed file.
fn check_sizes(object: &ObjectFile, at: u32) -> Result<(), LinkError> {
    let words = object.type_descriptors.len()
        + object.code.len()
        + object.imports.len()
        + object.entries.len()
        + object.pointers.len()
        + 10 * object.commands.len();
    let bytes = 4 * words as u64 + object.strings.len() as u64 + u64::from(object.variable_bytes);
    let end = u64::from(at) + bytes;
    let module = object.name.clone();
    let names = object.commands.iter().map(|(name, _)| name).chain([&object.name]);
    if let Some(name) = names.into_iter().find(|name| name.len() > MAX_NAME) {
        return Err(LinkError::Name { module, name: name.clone() });
    }
    if end > u64::from(MODULE_LIMIT) {
        return Err(LinkError::TooLarge { module, end });
    }
    let offset = object.data_bytes();
    if !offset.is_multiple_of(4) {
        return Err(LinkError::Outside { module, what: "unaligned code", offset, bytes: offset });
    }
    Ok(())
}

fn check_offsets(object: &ObjectFile) -> Result<(), LinkError> {
    let (code, data) = (4 * object.code.len() as u32, object.data_bytes());
    let outside = |what, offset, bytes| {
        let module = object.name.clone();
        Err(LinkError::Outside { module, what, offset, bytes })
    };
    if object.body >= code || !object.body.is_multiple_of(4) {
        return outside("its body", object.body, code);
    }
    if let Some((_, offset)) = object.commands.iter().find(|(_, offset)| *offset >= code) {
        return outside("a command", *offset, code);
    }
    if let Some(&offset) = object.entries.iter().find(|&&e| e >= code && e > data) {
        return outside("an entry", offset, code.max(data));
    }
    if let Some(&offset) = object.pointers.iter().find(|&&p| p >= data) {
        return outside("a pointer variable", offset, data);
    }
    Ok(())
}

/// Writes a module's block and its row in the module table.
pub(super) fn write(memory: &mut Memory, module: &Placed<'_>, placed: &[Placed<'_>]) {
    let object = module.object;
    memory.put(MODULE_TABLE + 4 * module.number, module.data);
    let mut at = put_words(memory, module.data, object.type_descriptors.iter().copied());
    at += object.variable_bytes;
    memory.put_bytes(at, &object.strings);
    at += object.strings.len() as u32;
    at = put_words(memory, at, object.code.iter().copied());
    let imp = at;
    at = put_words(memory, at, module.imports.iter().map(|&i| placed[i].descriptor));
    let cmd = at;
    for (name, offset) in &object.commands {
        memory.put_bytes(at, name.as_bytes());
        at += (name.len() as u32 + 1).next_multiple_of(4);
        at = put_words(memory, at, [*offset]);
    }
    let ent = at + 4;
    let ptr = put_words(memory, ent, object.entries.iter().copied());
    put_words(memory, ptr, object.pointers.iter().map(|p| module.data + p));

    let importers = placed.iter().filter(|m| m.imports.contains(&(module.number as usize - 1)));
    let next = match module.number {
        1 => 0,
        n => placed[n as usize - 2].descriptor,
    };
    memory.put_bytes(module.descriptor, object.name.as_bytes());
    let words = [
        next,
        object.key,
        module.number,
        module.end - module.descriptor,
        importers.count() as u32,
        module.data,
        module.code,
        imp,
        cmd,
        ent,
        ptr,
    ];
    put_words(memory, module.descriptor + 32, words);
}

fn put_words(memory: &mut Memory, at: u32, words: impl IntoIterator<Item = u32>) -> u32 {
    let mut at = at;
    for word in words {
        memory.put(at, word);
        at += 4;
    }
    at
}
