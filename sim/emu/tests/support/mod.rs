//! Instructions and little programs for the tests of the whole machine.
#![allow(dead_code, reason = "each test file uses its part")]

use kube_emu::{Config, Machine, NoRadio};
use risc5_isa::{Cond, Instruction, Op};

/// `Ra := Rb op Rc`.
pub fn register(op: Op, u: bool, v: bool, [a, b, c]: [u8; 3]) -> u32 {
    Instruction::Register { op, u, v, a, b, c }.encode()
}

/// `Ra := Rb op n`.
pub fn immediate(op: Op, u: bool, [a, b]: [u8; 2], n: i32) -> u32 {
    let (v, imm) = (n < 0, n as u16);
    Instruction::Immediate { op, u, v, a, b, imm }.encode()
}

pub fn mov(a: u8, n: i32) -> u32 {
    immediate(Op::Mov, false, [a, 0], n)
}

pub fn mov_high(a: u8, n: i32) -> u32 {
    immediate(Op::Mov, true, [a, 0], n)
}

pub fn load(a: u8, b: u8, offset: i32) -> u32 {
    memory(false, false, [a, b], offset)
}

pub fn store(a: u8, b: u8, offset: i32) -> u32 {
    memory(true, false, [a, b], offset)
}

pub fn memory(store: bool, byte: bool, [a, b]: [u8; 2], offset: i32) -> u32 {
    Instruction::Memory { store, byte, a, b, offset }.encode()
}

pub fn branch(cond: Cond, offset: i32) -> u32 {
    let link = false;
    Instruction::BranchRelative { link, cond, offset }.encode()
}

pub fn call(cond: Cond, offset: i32) -> u32 {
    let link = true;
    Instruction::BranchRelative { link, cond, offset }.encode()
}

pub fn branch_register(link: bool, cond: Cond, register: u32) -> u32 {
    let low = register;
    Instruction::BranchRegister { link, cond, low }.encode()
}

/// A branch to itself: the end.
pub const STOP: u32 = 0xE7FF_FFFF;
pub const ENABLE: u32 = 0xCF00_0021;
pub const DISABLE: u32 = 0xCF00_0020;
pub const RETURN: u32 = 0xC700_0010;

/// A machine of ours with a program at 100H, entered by a branch at 0, and the stop there as handler
/// of interrupts.
pub fn machine(program: &[u32]) -> Machine<NoRadio> {
    with(Config::ours(Vec::new()), program)
}

pub fn with(config: Config, program: &[u32]) -> Machine<NoRadio> {
    let mut machine = Machine::new(config, None, NoRadio::default());
    machine.load_words(0, &[branch(Cond::Always, 63), STOP]);
    machine.load_words(0x100, program);
    machine
}

/// Runs a program to its [`STOP`], which must come within a millisecond.
pub fn run(program: &[u32]) -> Machine<NoRadio> {
    let mut program = program.to_vec();
    program.push(STOP);
    let mut machine = machine(&program);
    machine.run_until(900_000);
    assert!(machine.halted(), "at {:06X}", machine.pc());
    machine
}
