//! Checks that a boot area can start a machine.
//!
//! | byte | content |
//! |---|---|
//! | 0 | branch to the top module's body |
//! | 16 | end of the image |
//! | 20 | descriptor of the newest module; descriptors are chained newest to oldest |
//! | 20H + 4 n | data address of module number n |
//! | 100H... | modules |

use crate::finding::BootFault;
use crate::name::Name;
use crate::sector::word;
use std::ops::Range;

/// Address of the first module descriptor.
const FIRST_MODULE: u32 = 0x100;
const DESCRIPTOR_BYTES: u32 = 80;
const MODULE_TABLE: u32 = 0x20;
const MAX_MODULES: u32 = 55;
/// Parts of a module's block with the byte of the descriptor that says where they begin.
const PARTS: [(&str, u32); 6] = [
    ("data", 52),
    ("code", 56),
    ("imports", 60),
    ("commands", 64),
    ("entries", 68),
    ("pointers", 72),
];

/// Length of the boot image in a boot area, from its word at byte 16.
pub(crate) fn length(area: &[u8]) -> Result<usize, BootFault> {
    if area.len() < FIRST_MODULE as usize || area.iter().all(|&b| b == 0) {
        return Err(BootFault::Empty);
    }
    let end = word(area, 16);
    let limit = area.len();
    if end < FIRST_MODULE + DESCRIPTOR_BYTES || end as usize > limit || !end.is_multiple_of(4) {
        return Err(BootFault::End { end, limit });
    }
    Ok(end as usize)
}

/// All faults of a boot area.
pub(crate) fn check(area: &[u8]) -> Vec<BootFault> {
    let end = match length(area) {
        Ok(end) => end,
        Err(fault) => return vec![fault],
    };
    let mut chain = Chain { image: &area[..end], code: Vec::new(), faults: Vec::new() };
    chain.modules(end as u32);
    chain.branch();
    chain.faults
}

struct Chain<'a> {
    image: &'a [u8],
    code: Vec<Range<u32>>,
    faults: Vec<BootFault>,
}

impl Chain<'_> {
    /// Addresses fall from descriptor to descriptor, so the walk ends.
    fn modules(&mut self, end: u32) {
        let mut block_end = end;
        let mut at = self.word(20);
        let mut expected = None;
        loop {
            let fits = at.is_multiple_of(4) && at >= FIRST_MODULE && at < block_end;
            if !fits || at + DESCRIPTOR_BYTES > block_end {
                return self.faults.push(BootFault::Descriptor { at });
            }
            expected = Some(self.module(at, block_end, expected));
            block_end = at;
            at = self.word(at + 32);
            if at == 0 {
                if block_end != FIRST_MODULE {
                    self.faults.push(BootFault::Descriptor { at });
                }
                return;
            }
        }
    }

    /// Checks one module; gives the number that the next older one should have.
    fn module(&mut self, at: u32, block_end: u32, expected: Option<u32>) -> u32 {
        let name = Name::from_disk(&self.image[at as usize..at as usize + 32]);
        let Some(name) = name else {
            self.faults.push(BootFault::ModuleName { at });
            return expected.unwrap_or(1).saturating_sub(1);
        };
        let module = name.to_string();
        let number = self.word(at + 40);
        let expected = expected.unwrap_or(number).min(MAX_MODULES);
        if number != expected || number == 0 {
            let expected = expected.max(1);
            self.faults.push(BootFault::Number { module: module.clone(), number, expected });
        }
        let end = at.wrapping_add(self.word(at + 44));
        if end != block_end {
            self.faults.push(BootFault::Block { module: module.clone(), end, next: block_end });
        }
        let data = self.word(at + 52);
        let found = self.word(MODULE_TABLE + 4 * expected);
        if found != data {
            self.faults.push(BootFault::Table { module: module.clone(), found, data });
        }
        let mut low = at + DESCRIPTOR_BYTES;
        for (part, field) in PARTS {
            let begin = self.word(at + field);
            if begin < low || begin >= block_end {
                self.faults.push(BootFault::Part { module: module.clone(), part, at: begin });
                break;
            }
            low = begin;
        }
        self.code.push(self.word(at + 56)..self.word(at + 60));
        expected.saturating_sub(1)
    }

    fn branch(&mut self) {
        let word = self.word(0);
        if word >> 24 != 0xE7 {
            return self.faults.push(BootFault::NoBranch { word });
        }
        let target = (((word << 8) as i32 >> 8) as u32).wrapping_add(1).wrapping_mul(4);
        if !self.code.iter().any(|code| code.contains(&target)) {
            self.faults.push(BootFault::Branch { target });
        }
    }

    fn word(&self, at: u32) -> u32 {
        word(self.image, at as usize)
    }
}
