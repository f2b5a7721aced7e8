//! Runs a linked image in the emulator, without a system around it.

use kube_emu::{Config, Machine, NoRadio};
use risc5_isa::{Cond, Instruction, Op};

/// Where the start-up code stands, behind the heap of the run-time module.
const START: u32 = 0xE_0000;

/// The word at a byte address of the image.
pub fn word(image: &[u8], at: u32) -> u32 {
    let at = at as usize;
    u32::from_le_bytes([image[at], image[at + 1], image[at + 2], image[at + 3]])
}

/// Addresses of the modules' bodies in the order of loading, as the loader of a running system
/// calls them.
pub fn bodies(image: &[u8]) -> Vec<u32> {
    let mut calls = Vec::new();
    let mut descriptor = word(image, 20);
    while descriptor != 0 {
        let (code, entries) = (word(image, descriptor + 56), word(image, descriptor + 68));
        calls.push(code + word(image, entries));
        descriptor = word(image, descriptor + 32);
    }
    calls.reverse();
    calls
}

/// Calls each address in turn. What was printed, and whether the program ended within so many
/// instructions.
pub fn run(image: &[u8], calls: &[u32], max_instructions: u64) -> (String, bool) {
    let mut machine = Machine::new(Config::ours(Vec::new()), None, NoRadio::default());
    machine.load(0, image);
    machine.load_words(START, &start_up(calls));
    machine.set_pc(START);
    let mut out = String::new();
    while !machine.halted() && machine.instructions() <= max_instructions {
        machine.run_until(machine.now_ns() + 1_000_000);
        out.push_str(&String::from_utf8_lossy(&machine.serial_received()));
    }
    let ended = machine.halted();
    // What is still on its way through the line.
    machine.run_until(machine.now_ns() + 10_000_000);
    out.push_str(&String::from_utf8_lossy(&machine.serial_received()));
    (out, ended)
}

/// Sets stack and module table, calls each address, and stops.
fn start_up(calls: &[u32]) -> Vec<u32> {
    let mov = |u: bool, a: u8, imm: u16| Instruction::Immediate {
        op: Op::Mov,
        u,
        v: false,
        a,
        b: 0,
        imm,
    };
    let mut code = vec![mov(true, 14, 8), mov(false, 12, 0x20)];
    for target in calls {
        let here = START as i32 / 4 + code.len() as i32;
        code.push(Instruction::BranchRelative {
            link: true,
            cond: Cond::Always,
            offset: *target as i32 / 4 - here - 1,
        });
    }
    code.push(Instruction::BranchRelative { link: false, cond: Cond::Always, offset: -1 });
    code.into_iter().map(Instruction::encode).collect()
}
