//! RAM and PROM, each with the decoded form of its words beside it.
//!
//! Invariant: `operations[i]` is stale or the translation of `ram[i]`. A store makes the entry of
//! its word stale, so the very next fetch sees what was stored.

use risc5_isa::map;

use crate::cycles::CycleTable;
use crate::operation::{Kind, Operation};

const RAM_WORDS: usize = map::RAM_WORDS;
const PROM_WINDOW_WORD: u32 = map::PROM_WINDOW / 4;

pub(crate) type Ram = [u32; RAM_WORDS];
pub(crate) type Operations = [Operation; RAM_WORDS];

pub(crate) struct Memory {
    pub(crate) ram: Box<Ram>,
    pub(crate) operations: Box<Operations>,
    pub(crate) prom: Prom,
}

/// The PROM, decoded, and what decoding needs to know.
pub(crate) struct Prom {
    /// The length is a power of two.
    words: Vec<Operation>,
    costs: CycleTable,
}

fn boxed<T: Clone>(value: T) -> Box<[T; RAM_WORDS]> {
    match vec![value; RAM_WORDS].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the length is the array's"),
    }
}

impl Memory {
    /// Cleared RAM. The PROM is cut or filled with zeros to `prom_words`, a power of two.
    pub(crate) fn new(prom: &[u32], prom_words: usize, costs: CycleTable) -> Self {
        let words = prom.iter().copied().chain(std::iter::repeat(0));
        let words = words.take(prom_words).map(|word| Operation::decode(word, &costs)).collect();
        Self { ram: boxed(0), operations: boxed(Operation::STALE), prom: Prom { words, costs } }
    }

    /// The word at a byte address, which wraps at the end of RAM and loses its low two bits.
    pub(crate) fn load(&self, address: u32) -> u32 {
        load(&self.ram, address)
    }

    pub(crate) fn store(&mut self, address: u32, value: u32) {
        store(&mut self.ram, &mut self.operations, address, value);
    }

    pub(crate) fn store_byte(&mut self, address: u32, value: u8) {
        store_byte(&mut self.ram, &mut self.operations, address, value);
    }
}

impl Prom {
    /// Translates the word at a RAM index and keeps the result.
    #[inline(never)]
    pub(crate) fn decode(&self, ram: &Ram, operations: &mut Operations, index: usize) -> Operation {
        let index = index % RAM_WORDS;
        let operation = Operation::decode(ram[index], &self.costs);
        operations[index] = operation;
        operation
    }

    /// What a fetch anywhere would give, without decoding anything anew.
    pub(crate) fn fetch(&self, operations: &Operations, pc: u32) -> Operation {
        match operations.get(pc as usize) {
            Some(operation) => *operation,
            None if pc >= PROM_WINDOW_WORD => self.words[pc as usize & (self.words.len() - 1)],
            None => Operation::STALE,
        }
    }

    /// Fetch at a word address above RAM: the PROM in its window, elsewhere RAM again.
    #[inline(never)]
    pub(crate) fn fetch_above(&self, ram: &Ram, operations: &mut Operations, pc: u32) -> Operation {
        let pc = pc & map::PC_MASK;
        if pc >= PROM_WINDOW_WORD {
            let index = pc as usize & (self.words.len() - 1);
            return self.words[index];
        }
        let index = pc as usize % RAM_WORDS;
        match operations[index] {
            stale if stale.kind == Kind::Stale => self.decode(ram, operations, index),
            operation => operation,
        }
    }
}

/// Loads a word; the address wraps at the end of RAM and loses its low two bits.
#[inline]
pub(crate) fn load(ram: &Ram, address: u32) -> u32 {
    ram[(address >> 2) as usize % RAM_WORDS]
}

#[inline]
pub(crate) fn store(ram: &mut Ram, operations: &mut Operations, address: u32, value: u32) {
    let index = (address >> 2) as usize % RAM_WORDS;
    ram[index] = value;
    operations[index].kind = Kind::Stale;
}

#[inline]
pub(crate) fn store_byte(ram: &mut Ram, operations: &mut Operations, address: u32, value: u8) {
    let shift = address % 4 * 8;
    let rest = load(ram, address) & !(0xFF << shift);
    store(ram, operations, address, rest | u32::from(value) << shift);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(&[0x4000_0007], 512, CycleTable::ours())
    }

    fn decode(memory: &mut Memory, index: usize) -> Operation {
        let Memory { ram, operations, prom } = memory;
        prom.decode(ram, operations, index)
    }

    fn fetch(memory: &mut Memory, pc: u32) -> Operation {
        let Memory { ram, operations, prom } = memory;
        prom.fetch_above(ram, operations, pc)
    }

    #[test]
    fn a_store_makes_the_decoded_word_stale() {
        let mut memory = memory();
        memory.store(0x100, 0x4000_0001);
        assert_eq!(decode(&mut memory, 0x40).imm, 1);
        memory.store_byte(0x100, 2);
        assert_eq!(memory.operations[0x40].kind, Kind::Stale);
        assert_eq!(decode(&mut memory, 0x40).imm, 2);
    }

    #[test]
    fn fetches_above_ram_alias() {
        let mut memory = memory();
        memory.store(0x100, 0x4000_0001);
        assert_eq!(fetch(&mut memory, 0x4_0040).imm, 1);
        // 512 words of PROM repeat over the window, RESET_PC included.
        assert_eq!(fetch(&mut memory, map::PROM_WINDOW / 4).imm, 7);
        assert_eq!(fetch(&mut memory, map::RESET_PC / 4).imm, 7);
        assert_eq!(fetch(&mut memory, map::RESET_PC / 4 + 512).imm, 7);
    }

    #[test]
    fn bytes_are_little_endian() {
        let mut memory = memory();
        for (address, byte) in (0x200..).zip([1, 2, 3, 4]) {
            memory.store_byte(address, byte);
        }
        assert_eq!(memory.load(0x200), 0x0403_0201);
        assert_eq!(memory.load(0x10_0203), 0x0403_0201);
    }
}
