//! RAM and PROM, each with the decoded form of its words beside it.
//!
//! Invariant: `operations[i]` is stale or the translation of `ram[i]`. A store makes the entry of
//! its word stale, so the very next fetch sees what was stored.

use risc5_isa::map;

use crate::cycles::CycleTable;
use crate::operation::{Kind, Operation};

const RAM_WORDS: usize = map::RAM_WORDS;
const PROM_WINDOW_WORD: u32 = map::PROM_WINDOW / 4;

pub(crate) struct Memory {
    pub(crate) ram: Box<[u32; RAM_WORDS]>,
    pub(crate) operations: Box<[Operation; RAM_WORDS]>,
    /// Decoded PROM; the length is a power of two.
    prom: Vec<Operation>,
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
        Self {
            ram: boxed(0),
            operations: boxed(Operation::STALE),
            prom: words.take(prom_words).map(|word| Operation::decode(word, &costs)).collect(),
            costs,
        }
    }

    /// Translates the word at a RAM index and keeps the result.
    #[inline(never)]
    pub(crate) fn decode(&mut self, index: usize) -> Operation {
        let index = index % RAM_WORDS;
        let operation = Operation::decode(self.ram[index], &self.costs);
        self.operations[index] = operation;
        operation
    }

    /// Fetch at a word address above RAM: the PROM in its window, elsewhere RAM again.
    #[inline(never)]
    pub(crate) fn fetch_above(&mut self, pc: u32) -> Operation {
        if pc >= PROM_WINDOW_WORD {
            let index = pc as usize & (self.prom.len() - 1);
            return self.prom[index];
        }
        let index = pc as usize % RAM_WORDS;
        match self.operations[index] {
            stale if stale.kind == Kind::Stale => self.decode(index),
            operation => operation,
        }
    }

    /// The word at a byte address, which wraps at the end of RAM and loses its low two bits.
    #[inline]
    pub(crate) fn load(&self, address: u32) -> u32 {
        self.ram[(address >> 2) as usize % RAM_WORDS]
    }

    #[inline]
    pub(crate) fn store(&mut self, address: u32, value: u32) {
        let index = (address >> 2) as usize % RAM_WORDS;
        self.ram[index] = value;
        self.operations[index].kind = Kind::Stale;
    }

    #[inline]
    pub(crate) fn store_byte(&mut self, address: u32, value: u8) {
        let shift = address % 4 * 8;
        let rest = self.load(address) & !(0xFF << shift);
        self.store(address, rest | u32::from(value) << shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(&[0x4000_0007], 512, CycleTable::ours())
    }

    #[test]
    fn a_store_makes_the_decoded_word_stale() {
        let mut memory = memory();
        memory.store(0x100, 0x4000_0001);
        assert_eq!(memory.decode(0x40).imm, 1);
        memory.store_byte(0x100, 2);
        assert_eq!(memory.operations[0x40].kind, Kind::Stale);
        assert_eq!(memory.decode(0x40).imm, 2);
    }

    #[test]
    fn fetches_above_ram_alias() {
        let mut memory = memory();
        memory.store(0x100, 0x4000_0001);
        assert_eq!(memory.fetch_above(0x4_0040).imm, 1);
        // 512 words of PROM repeat over the window, RESET_PC included.
        assert_eq!(memory.fetch_above(map::PROM_WINDOW / 4).imm, 7);
        assert_eq!(memory.fetch_above(map::RESET_PC / 4).imm, 7);
        assert_eq!(memory.fetch_above(map::RESET_PC / 4 + 512).imm, 7);
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
