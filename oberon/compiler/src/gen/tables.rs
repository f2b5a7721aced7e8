//! The tables around the code: type descriptors, entries, commands, roots of collection.

use super::{Generator, STANDALONE_VARIABLES};
use crate::object::ObjectFile;
use crate::tree::Entry;
use crate::types::TypeId;

/// Bytes in front of an allocated record: tag and mark.
const HEAP_HEADER: u32 = 8;

/// Size of the heap block that holds a record: blocks are 32, 64, 128 or a multiple of 256 bytes.
const fn block_bytes(size: u32) -> u32 {
    match size {
        0..=24 => 32,
        25..=56 => 64,
        57..=120 => 128,
        _ => (size + HEAP_HEADER).next_multiple_of(256),
    }
}

impl Generator<'_, '_, '_> {
    /// Fills in calls and values of procedures, now that all of them have a place.
    pub(super) fn patch_procedures(&mut self) {
        let data_bytes = self.data_bytes();
        for (reference, index) in std::mem::take(&mut self.out.references) {
            let start = self.starts[index].unwrap_or(0);
            if !self.out.patch(reference, start, data_bytes) {
                self.report.error(
                    self.module.procedures[index].span,
                    "this procedure stands too far from where it is used as a value",
                );
            }
        }
    }

    fn start_of(&self, procedure: usize) -> u32 {
        4 * self.starts[procedure].unwrap_or(0) as u32
    }

    pub(super) fn object(mut self, key: u32, body: usize) -> ObjectFile {
        let module = self.module;
        let body = 4 * body as u32;
        if module.standalone {
            self.out.code[0] = 0xE700_0000 | (body / 4 - 1);
        }
        let (type_descriptors, fix_t) = self.descriptors();
        let mut entries = vec![body];
        for entry in &module.entries {
            entries.push(match *entry {
                Entry::Procedure(index) => self.start_of(index),
                Entry::Variable(offset) => module.descriptor_bytes + offset,
                Entry::Record(ty) => self.descriptor_offset(ty),
            });
        }
        let commands = module
            .procedures
            .iter()
            .enumerate()
            .filter(|(_, p)| p.command)
            .map(|(index, p)| (p.name.to_string(), self.start_of(index)))
            .collect();
        let reserved = if module.standalone { STANDALONE_VARIABLES } else { 0 };
        ObjectFile {
            name: module.name.to_string(),
            key,
            version: u8::from(!module.standalone),
            imports: module.imports.iter().map(|i| (i.name.clone(), i.key)).collect(),
            type_descriptors,
            variable_bytes: reserved + module.variable_bytes,
            strings: module.strings.clone(),
            code: self.out.code,
            commands,
            entries,
            pointers: module
                .pointers
                .iter()
                .map(|offset| module.descriptor_bytes + offset)
                .collect(),
            fix_p: self.out.fix_p as u32,
            fix_d: self.out.fix_d as u32,
            fix_t,
            body,
        }
    }

    fn descriptor_offset(&self, ty: TypeId) -> u32 {
        let record = self.module.types.record(ty);
        record.and_then(|r| r.descriptor).unwrap_or(0)
    }

    /// All descriptors, and the last word of the chain of addresses in them.
    fn descriptors(&self) -> (Vec<u32>, u32) {
        let types = &self.module.types;
        let mut words: Vec<u32> = Vec::new();
        let mut last = 0;
        for ty in &self.module.records {
            words.push(block_bytes(types.size(*ty)));
            let mut levels = Vec::new();
            let mut level = Some(*ty);
            while let Some(id) = level {
                level = types.record(id).and_then(|r| r.base);
                if level.is_some() {
                    levels.push(id);
                }
            }
            for id in levels.iter().rev() {
                let origin = types.get(*id);
                let number = match origin.module {
                    0 => self.descriptor_offset(*id),
                    _ => origin.entry,
                };
                let here = words.len();
                let distance = (here - last) as u32;
                words.push(u32::from(origin.module) << 24 | number << 12 | distance);
                last = here;
            }
            words.extend(std::iter::repeat_n(u32::MAX, 3_usize.saturating_sub(levels.len())));
            let mut pointers = Vec::new();
            types.pointer_offsets(*ty, 0, usize::MAX, &mut pointers);
            words.extend(pointers);
            words.push(u32::MAX);
        }
        (words, last as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::block_bytes;

    #[test]
    fn heap_blocks_have_the_sizes_of_the_allocator() {
        let sizes = [0, 24, 25, 56, 57, 120, 121, 248, 249, 504];
        let blocks = [32, 32, 64, 64, 128, 128, 256, 256, 512, 512];
        assert_eq!(sizes.map(block_bytes), blocks);
    }
}
