//! A boot loader of a hundred words, for images whose own PROM is not at hand: tests of the machine
//! alone and the speed measurement.
//!
//! It does what every Oberon PROM does after power-on with all switches off: initialises the card,
//! copies the boot area to address 0, writes the memory limits and jumps there. No serial loading, no
//! warm start, no card with byte addresses. The project's own PROM is written in Oberon.

use std::collections::HashMap;

use risc5_isa::register::{LINK, MODULE_TABLE, STACK};
use risc5_isa::{Cond, Instruction, Op, io, map};

/// Base of the I/O words.
const IO: u8 = 11;
/// Return address of the outer subroutine.
const OUTER: u8 = 8;
const FAST_CARD: u16 = (io::spi::FAST | io::spi::CARD) as u16;

/// Words and labels under construction.
#[derive(Default)]
struct Assembler {
    code: Vec<Instruction>,
    labels: HashMap<&'static str, usize>,
    branches: Vec<(usize, &'static str)>,
}

impl Assembler {
    fn label(&mut self, name: &'static str) {
        self.labels.insert(name, self.code.len());
    }

    fn immediate(&mut self, op: Op, a: u8, b: u8, imm: u16) {
        let (u, v) = (false, false);
        self.code.push(Instruction::Immediate { op, u, v, a, b, imm });
    }

    /// Any constant, in one or two instructions.
    fn constant(&mut self, a: u8, value: u32) {
        let (high, low) = ((value >> 16) as u16, value as u16);
        if high == 0 {
            return self.immediate(Op::Mov, a, 0, low);
        }
        self.code.push(Instruction::Immediate {
            op: Op::Mov,
            u: true,
            v: false,
            a,
            b: 0,
            imm: high,
        });
        if low != 0 {
            self.immediate(Op::Ior, a, a, low);
        }
    }

    fn copy(&mut self, a: u8, c: u8) {
        let (op, u, v, b) = (Op::Mov, false, false, 0);
        self.code.push(Instruction::Register { op, u, v, a, b, c });
    }

    fn memory(&mut self, store: bool, a: u8, b: u8, offset: i32) {
        let byte = false;
        self.code.push(Instruction::Memory { store, byte, a, b, offset });
    }

    fn branch(&mut self, cond: Cond, link: bool, to: &'static str) {
        self.branches.push((self.code.len(), to));
        let offset = 0;
        self.code.push(Instruction::BranchRelative { link, cond, offset });
    }

    fn call(&mut self, to: &'static str) {
        self.branch(Cond::Always, true, to);
    }

    fn jump_register(&mut self, register: u8) {
        self.code.push(Instruction::BranchRegister {
            link: false,
            cond: Cond::Always,
            low: register.into(),
        });
    }

    fn io_write(&mut self, word: i32, value: u16) {
        self.immediate(Op::Mov, 0, 0, value);
        self.memory(true, 0, IO, word - io::MILLISECONDS);
    }

    /// Sends a byte, or four in fast mode; the answer is in R0.
    fn exchange(&mut self, value: u32) {
        self.constant(0, value);
        self.call("exchange");
    }

    /// Sends a command; the response is in R0.
    fn command(&mut self, number: u16, argument: Option<u32>, crc: u16) {
        self.immediate(Op::Mov, 2, 0, 0x40 | number);
        if let Some(argument) = argument {
            self.constant(3, argument);
        }
        self.immediate(Op::Mov, 4, 0, crc);
        self.call("command");
    }

    fn words(mut self) -> Vec<u32> {
        for (at, to) in self.branches {
            let target = self.labels.get(to).copied().unwrap_or(at);
            if let Instruction::BranchRelative { offset, .. } = &mut self.code[at] {
                *offset = target as i32 - at as i32 - 1;
            }
        }
        self.code.into_iter().map(Instruction::encode).collect()
    }
}

/// The loader's words, for [`crate::Config::prom`].
#[must_use]
pub fn words() -> Vec<u32> {
    let mut asm = Assembler::default();
    asm.branch(Cond::Always, false, "main");
    subroutines(&mut asm);
    asm.label("main");
    asm.constant(MODULE_TABLE, map::MODULE_TABLE);
    asm.constant(STACK, map::STACK_ORG);
    asm.constant(IO, io::MILLISECONDS as u32);
    initialise_card(&mut asm);
    copy_boot_area(&mut asm);
    asm.constant(0, 0);
    asm.constant(1, map::MEM_LIM);
    asm.memory(true, 1, 0, map::MEM_LIM_AT as i32);
    asm.constant(1, map::STACK_ORG);
    asm.memory(true, 1, 0, map::STACK_ORG_AT as i32);
    asm.io_write(io::SWITCHES_LEDS, 0x84);
    asm.constant(0, 0);
    asm.jump_register(0);
    asm.words()
}

fn subroutines(asm: &mut Assembler) {
    asm.label("exchange");
    asm.memory(true, 0, IO, io::SPI_DATA - io::MILLISECONDS);
    asm.label("exchange wait");
    asm.memory(false, 1, IO, io::SPI_STATUS - io::MILLISECONDS);
    asm.immediate(Op::Ror, 1, 1, 1);
    asm.branch(Cond::Pl, false, "exchange wait");
    asm.memory(false, 0, IO, io::SPI_DATA - io::MILLISECONDS);
    asm.jump_register(LINK);

    asm.label("command");
    asm.copy(OUTER, LINK);
    asm.io_write(io::SPI_STATUS, 0);
    asm.exchange(0xFF);
    asm.io_write(io::SPI_STATUS, io::spi::CARD as u16);
    asm.label("command flush");
    asm.exchange(0xFF);
    asm.immediate(Op::Sub, 1, 0, 0xFF);
    asm.branch(Cond::Ne, false, "command flush");
    asm.copy(0, 2);
    asm.call("exchange");
    for rotation in [24, 16, 8, 0] {
        asm.immediate(Op::Ror, 0, 3, rotation);
        asm.call("exchange");
    }
    asm.copy(0, 4);
    asm.call("exchange");
    asm.label("command response");
    asm.exchange(0xFF);
    asm.immediate(Op::And, 1, 0, 0x80);
    asm.branch(Cond::Ne, false, "command response");
    asm.copy(1, 0);
    asm.jump_register(OUTER);
}

fn initialise_card(asm: &mut Assembler) {
    asm.io_write(io::SPI_STATUS, 0);
    asm.constant(9, 10);
    asm.label("wake up");
    asm.exchange(0xFF);
    asm.immediate(Op::Sub, 9, 9, 1);
    asm.branch(Cond::Ne, false, "wake up");
    asm.command(0, Some(0), 0x95);
    asm.command(8, Some(0x1AA), 0x87);
    asm.label("initialise");
    asm.command(55, Some(0), 0xFF);
    asm.command(41, Some(0x4000_0000), 0xFF);
    asm.branch(Cond::Ne, false, "initialise");
    asm.command(16, Some(map::CARD_BLOCK_BYTES), 0xFF);
}

fn copy_boot_area(asm: &mut Assembler) {
    asm.constant(5, map::CARD_BOOT_BLOCK);
    asm.constant(6, 0);
    asm.label("block");
    asm.copy(3, 5);
    asm.command(17, None, 0xFF);
    asm.label("token");
    asm.exchange(0xFF);
    asm.immediate(Op::Sub, 1, 0, 0xFE);
    asm.branch(Cond::Ne, false, "token");
    asm.io_write(io::SPI_STATUS, FAST_CARD);
    asm.constant(9, map::CARD_BLOCK_BYTES / 4);
    asm.label("word");
    asm.exchange(u32::MAX);
    asm.memory(true, 0, 6, 0);
    asm.immediate(Op::Add, 6, 6, 4);
    asm.immediate(Op::Sub, 9, 9, 1);
    asm.branch(Cond::Ne, false, "word");
    asm.io_write(io::SPI_STATUS, io::spi::CARD as u16);
    asm.exchange(0xFF);
    asm.exchange(0xFF);
    asm.io_write(io::SPI_STATUS, 0);
    asm.exchange(0xFF);
    asm.immediate(Op::Add, 5, 5, 1);
    asm.constant(0, 0);
    asm.memory(false, 7, 0, map::ALLOC_PTR_AT as i32);
    let (op, u, v, a, b, c) = (Op::Sub, false, false, 0, 6, 7);
    asm.code.push(Instruction::Register { op, u, v, a, b, c });
    asm.branch(Cond::Lt, false, "block");
}

#[cfg(test)]
mod tests {
    use crate::sd::BlockImage;
    use crate::{Config, Machine, NoRadio, SdCard};

    /// A boot area of three blocks whose program writes its own last word to the LEDs.
    #[test]
    fn loads_the_boot_area_on_both_machines() -> Result<(), crate::CardImageError> {
        let mut boot = vec![0_u32; 3 * 128];
        boot[0] = 0x4100_0000 | 0x5FC; // R1 := address of the last word
        boot[1] = 0x8010_0000; // R0 := [R1]
        boot[2] = 0xE700_0005; // to word 8, over the words that the loader and the image use
        boot[4] = 0x600; // end of the image
        boot[8] = 0x5100_FFC4; // R1 := LEDs
        boot[9] = 0xA010_0000; // [R1] := R0
        boot[10] = 0xE7FF_FFFF; // stop
        boot[0x17F] = 0x5A;
        let mut bytes = vec![0; 1024];
        bytes[..4].copy_from_slice(&0x9B1E_A38D_u32.to_le_bytes());
        bytes.extend(boot.iter().flat_map(|word| word.to_le_bytes()));
        for config in [Config::ours(super::words()), Config::compat(super::words())] {
            let image = BlockImage::new(bytes.clone())?;
            let card = SdCard::with(image);
            let mut machine = Machine::new(config, Some(card), NoRadio::default());
            machine.run_until(100_000_000);
            assert_eq!(machine.leds(), 0x5A);
            assert_eq!(machine.word(12), 0xE_7EF0);
            assert_eq!(machine.word(24), 0x8_0000);
            assert!(machine.halted());
        }
        Ok(())
    }
}
