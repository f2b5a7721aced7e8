//! Random programs, weighted to what goes wrong in a pipeline.
//!
//! A program is straight code with short forward branches, loads and stores into its own data, stores
//! into instructions one to eight ahead, and bursts of long operations; it ends by jumping back to its
//! start. It begins at 400H behind a handler that interrupts use.

use rand::RngExt as _;
use rand_pcg::Pcg32;
use risc5_isa::instruction::{LOW_ENABLE, RETURN_FROM_INTERRUPT, SET_INTERRUPT_ENABLE};
use risc5_isa::{Cond, Instruction, Op, map};

/// First byte of the program.
pub const START: u32 = 0x400;
/// Data that loads and stores go to.
const DATA: u32 = 0x2000;
/// Points to the data.
const BASE: u8 = 13;
/// Points to the program.
const CODE: u8 = 12;
/// Registers that anything may be put into.
const FREE: u8 = 12;

/// Makes one program.
pub struct Generator {
    random: Pcg32,
    words: Vec<u32>,
}

/// The words of a program from address 0 on: vectors, handler, program.
#[must_use]
pub fn random(seed: u64, length: usize) -> Vec<u32> {
    let mut generator =
        Generator { random: Pcg32::new(seed, 0xA02_BDBF_7BB3_C0A7), words: Vec::new() };
    generator.program(length);
    let mut memory = vec![0; START as usize / 4];
    let jump = |from: u32, to: u32| {
        let offset = (to as i32 - from as i32) / 4 - 1;
        Instruction::BranchRelative { link: false, cond: Cond::Always, offset }.encode()
    };
    memory[0] = jump(0, START);
    memory[1] = jump(4, 0x100);
    // The handler counts in memory, spoils the flags, and returns.
    let handler = [
        memory_word(true, false, 0, BASE, 0x700),
        memory_word(false, false, 0, BASE, 0x704),
        immediate(Op::Add, false, 0, 0, 1),
        memory_word(true, false, 0, BASE, 0x704),
        memory_word(false, false, 0, BASE, 0x700),
        RETURN_FROM_INTERRUPT,
    ];
    memory[0x40..0x40 + handler.len()].copy_from_slice(&handler);
    memory.extend(generator.words);
    memory
}

fn immediate(op: Op, u: bool, a: u8, b: u8, n: i32) -> u32 {
    Instruction::Immediate { op, u, v: n < 0, a, b, imm: n as u16 }.encode()
}

fn memory_word(store: bool, byte: bool, a: u8, b: u8, offset: i32) -> u32 {
    Instruction::Memory { store, byte, a, b, offset }.encode()
}

impl Generator {
    fn below(&mut self, limit: u32) -> u32 {
        self.random.random_range(0..limit)
    }

    fn register(&mut self) -> u8 {
        // Few registers, so that results are used at once.
        if self.below(3) == 0 { self.below(FREE.into()) as u8 } else { self.below(4) as u8 }
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    fn program(&mut self, length: usize) {
        self.words.push(immediate(Op::Mov, false, BASE, 0, DATA as i32));
        self.words.push(immediate(Op::Mov, false, CODE, 0, START as i32));
        self.words.push(SET_INTERRUPT_ENABLE | 1);
        while self.words.len() < length {
            match self.below(23) {
                20 => self.carry(),
                21 | 22 => self.page_end(),
                0..=6 => self.operation(),
                7..=9 => self.memory(false),
                10..=11 => self.memory(true),
                12..=14 => self.branch(),
                15 => self.modify(),
                16 => self.long(),
                17 => self.link(),
                18 => self.constant(),
                _ => self.control(),
            }
        }
        // Landing ground of the last branches, then from the start again.
        for _ in 0..12 {
            self.words.push(immediate(Op::Add, false, 0, 0, 1));
        }
        let offset = -(self.words.len() as i32) - 1;
        let cond = Cond::Always;
        self.words.push(Instruction::BranchRelative { link: false, cond, offset }.encode());
    }

    fn operation(&mut self) {
        let op = Op::from_code(self.below(10));
        let (u, v) = (self.below(3) == 0, self.flip());
        let (a, b, c) = (self.register(), self.register(), self.register());
        let imm = [0, 1, 4, 31, 0x7FFF, 0xFFFF, 0x8000, self.below(0x1_0000)]
            [self.random.random_range(0..8)] as u16;
        let word = if self.flip() {
            Instruction::Register { op, u, v, a, b, c }.encode()
        } else {
            Instruction::Immediate { op, u, v, a, b, imm }.encode()
        };
        self.words.push(word);
    }

    fn constant(&mut self) {
        let a = self.register();
        let high = [0x8000, 0x7FFF, 0xFFFF, 0x3F80, 0x4B00, 0][self.random.random_range(0..6)];
        self.words.push(immediate(Op::Mov, true, a, 0, high));
    }

    fn memory(&mut self, store: bool) {
        let (byte, a) = (self.flip(), self.register());
        let offset = self.below(if byte { 64 } else { 16 }) as i32 * if byte { 1 } else { 4 };
        self.words.push(memory_word(store, byte, a, BASE, offset));
        // The value is used, tested or stored at once, or the next store follows.
        match self.below(6) {
            0 if !store => {
                let cond = Cond::from_code(self.below(16));
                let offset = self.below(4) as i32;
                self.words.push(Instruction::BranchRelative { link: false, cond, offset }.encode());
            }
            1 => self.words.push(memory_word(true, false, a, BASE, 0x40)),
            2 => self.words.push(immediate(Op::Add, self.words.len().is_multiple_of(2), a, a, 1)),
            // The flags into a register.
            3 => {
                let flags =
                    Instruction::Register { op: Op::Mov, u: true, v: true, a: 0, b: 0, c: 0 };
                self.words.push(flags.encode());
            }
            // An address just loaded: made harmless by a mask, then used.
            4 if !store => {
                self.words.push(immediate(Op::And, false, a, a, 0x3C));
                self.words.push(memory_word(false, false, a, a, DATA as i32));
            }
            _ => {}
        }
    }

    /// A chain of sums that take the carry in, looked at by a condition and as a whole.
    fn carry(&mut self) {
        for _ in 0..=self.below(3) {
            let op = if self.flip() { Op::Add } else { Op::Sub };
            let (a, b, c) = (self.register(), self.register(), self.register());
            let u = self.below(4) != 0;
            self.words.push(Instruction::Register { op, u, v: false, a, b, c }.encode());
        }
        let cond = Cond::from_code([2, 3, 10, 11, 4, 5, 12, 13][self.random.random_range(0..8)]);
        self.words.push(Instruction::BranchRelative { link: false, cond, offset: 0 }.encode());
        let a = self.register();
        let flags = Instruction::Register { op: Op::Mov, u: true, v: true, a, b: 0, c: 0 };
        self.words.push(flags.encode());
    }

    /// Bytes and words on both sides of the end of a page, and at the end of memory.
    fn page_end(&mut self) {
        let ends = [0x2400, 0x3000, 0x4000, 0x1_0000, map::RAM_BYTES as i32 - 4];
        let end = ends[self.random.random_range(0..5)];
        for _ in 0..=self.below(3) {
            let (store, byte, a) = (self.flip(), self.below(4) != 0, self.register());
            let mut offset = end - DATA as i32 - 4 + self.below(8) as i32;
            if !byte {
                offset &= !3;
            }
            self.words.push(memory_word(store, byte, a, BASE, offset));
        }
    }

    fn branch(&mut self) {
        let cond = Cond::from_code(self.below(16));
        let offset = self.below(6) as i32;
        let link = self.below(6) == 0;
        self.words.push(Instruction::BranchRelative { link, cond, offset }.encode());
    }

    /// Branch to a register that was computed just before.
    fn link(&mut self) {
        let target = START + 4 * (self.words.len() as u32 + 2 + self.below(4));
        let (link, cond) = (self.flip(), Cond::from_code(self.below(16)));
        self.words.push(immediate(Op::Mov, false, 11, 0, target as i32));
        self.words.push(Instruction::BranchRegister { link, cond, low: 11 }.encode());
    }

    /// Copies an instruction over one of the next eight.
    fn modify(&mut self) {
        let distance = self.below(8) as i32 + 1;
        let at = self.words.len() as i32 + 1;
        let (new, fresh) = (self.below(100) as i32, self.register());
        let word = immediate(Op::Add, false, fresh, fresh, new);
        // The instruction is made in a register, so that it changes from round to round.
        self.words.push(immediate(Op::Mov, true, 10, 0, (word >> 16) as i32));
        self.words.push(immediate(Op::Ior, false, 10, 10, new));
        let byte = self.below(4) == 0;
        let at = (at + 1 + distance) * 4;
        self.words.push(memory_word(true, byte, 10, CODE, at));
        // Only harmless words stand where something may be stored.
        for _ in 0..8 {
            let (a, n) = (self.register(), self.below(64) as i32);
            self.words.push(immediate(Op::Add, false, a, a, n));
        }
    }

    fn long(&mut self) {
        for _ in 0..=self.below(3) {
            let op = [Op::Mul, Op::Div, Op::Fad, Op::Fsb, Op::Fml, Op::Fdv]
                [self.random.random_range(0..6)];
            let (u, v) = (self.below(3) == 0, self.below(4) == 0);
            let (a, b, c) = (self.register(), self.register(), self.register());
            let v = v && matches!(op, Op::Fad | Op::Fsb);
            self.words.push(Instruction::Register { op, u, v, a, b, c }.encode());
        }
        let h = Instruction::Register { op: Op::Mov, u: true, v: false, a: 1, b: 0, c: 0 };
        self.words.push(h.encode());
    }

    fn control(&mut self) {
        let enable = u32::from(self.below(4) != 0);
        self.words.push(SET_INTERRUPT_ENABLE & !LOW_ENABLE | LOW_ENABLE | enable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_program() {
        assert_eq!(random(7, 500), random(7, 500));
        assert_ne!(random(7, 500), random(8, 500));
    }
}
