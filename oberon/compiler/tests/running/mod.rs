//! Runs compiled modules in the emulator, with the run-time module of the language cases.

use kube_emu::{Config, Machine, NoRadio};
use obc::object::ObjectFile;
use obc::{Compiled, link};
use risc5_isa::{Cond, Instruction, Op};

/// A program that has not stopped by then never will.
const MAX_INSTRUCTIONS: u64 = 20_000_000;
/// Where the start-up code of the test stands, behind the heap of the run-time module.
const START: u32 = 0xE_0000;

/// What a program did.
#[derive(Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "not every test knows all")]
pub enum Outcome {
    Rejected,
    Accepted,
    Ran(String),
    Trapped(u8, String),
    Endless,
}

/// An outcome with output.
pub fn ran(out: &str) -> Outcome {
    Outcome::Ran(out.trim().to_string())
}

/// Links modules, runs their bodies and then the command Run of one of them.
pub fn execute(built: &[Compiled], name: &str) -> Outcome {
    let objects: Vec<ObjectFile> = built.iter().map(|c| c.object.clone()).collect();
    let image = link::boot_image(&objects).unwrap();
    let word = |at: u32| {
        let at = at as usize;
        u32::from_le_bytes([image[at], image[at + 1], image[at + 2], image[at + 3]])
    };
    // The bodies in the order of loading, as the loader of a running system calls them.
    let mut calls = Vec::new();
    let mut descriptor = word(20);
    while descriptor != 0 {
        let (code, entries) = (word(descriptor + 56), word(descriptor + 68));
        calls.push(code + word(entries));
        descriptor = word(descriptor + 32);
    }
    calls.reverse();
    let module = built.iter().find(|c| c.module == name).unwrap();
    if let Some((_, offset)) = module.object.commands.iter().find(|(n, _)| n == "Run") {
        let mut descriptor = word(20);
        let text = |at: u32| {
            let bytes = &image[at as usize..at as usize + 32];
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(32);
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        while text(descriptor) != name {
            descriptor = word(descriptor + 32);
        }
        calls.push(word(descriptor + 56) + offset);
    }
    let mut machine = Machine::new(Config::ours(Vec::new()), None, NoRadio::default());
    machine.load(0, &image);
    machine.load_words(START, &start_up(&calls));
    machine.set_pc(START);
    let mut out = String::new();
    while !machine.halted() {
        if machine.instructions() > MAX_INSTRUCTIONS {
            return Outcome::Endless;
        }
        machine.run_until(machine.now_ns() + 1_000_000);
        out.push_str(&String::from_utf8_lossy(&machine.serial_received()));
    }
    // What is still on its way through the line.
    machine.run_until(machine.now_ns() + 10_000_000);
    out.push_str(&String::from_utf8_lossy(&machine.serial_received()));
    match out.split_once('!') {
        Some((before, number)) => {
            let number = number.trim().parse().unwrap_or(u8::MAX);
            Outcome::Trapped(number, before.trim().to_string())
        }
        None => ran(&out),
    }
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
