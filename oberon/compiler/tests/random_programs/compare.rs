//! Runs a program on the emulator, and compares what it does as compiled in different ways.

use kube_emu::{Config, Machine, NoRadio};
use obc::ir::passes::{Pass, Passes};
use obc::object::ObjectFile;
use obc::{NoSymbols, Options, Source, link, project};
use risc5_isa::{Cond, Instruction, Op};

use crate::generator;

/// Where the start-up code stands, behind the heap of the run-time module.
const START: u32 = 0xE_0000;
/// No program needs as many.
const MAX_INSTRUCTIONS: u64 = 30_000_000;

/// The run-time module, whose trap message says the position too.
fn run_time() -> String {
    let text = include_str!("../cases/RT.Mod");
    let number = "WriteDigits(word DIV 10H MOD 10H);";
    assert!(text.contains(number), "the trap handler looks otherwise");
    text.replace(number, &format!("{number} Send(\":\"); WriteDigits(word DIV 100H MOD 10000H);"))
}

/// What the program prints: up to a trap, its number and position, or to the end.
///
/// # Errors
///
/// The first error of the compiler.
pub fn outcome(text: &str, passes: Passes) -> Result<String, String> {
    let sources = [
        Source::new("RT.Mod", run_time()),
        Source::new("A.Mod", generator::LIBRARY),
        Source::new("T.Mod", text),
        Source::new("Main.Mod", "MODULE Main; IMPORT RT, A, T; BEGIN T.Run END Main."),
    ];
    let options = Options { passes, ..Options::default() };
    let built = project::build_with(&sources, &NoSymbols, &options)
        .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
    let objects: Vec<ObjectFile> = built.into_iter().map(|c| c.object).collect();
    let image = link::boot_image(&objects).map_err(|e| e.to_string())?;
    let word = |at: u32| {
        let at = at as usize;
        u32::from_le_bytes([image[at], image[at + 1], image[at + 2], image[at + 3]])
    };
    let mut calls = Vec::new();
    let mut descriptor = word(20);
    while descriptor != 0 {
        let (code, entries) = (word(descriptor + 56), word(descriptor + 68));
        calls.push(code + word(entries));
        descriptor = word(descriptor + 32);
    }
    calls.reverse();
    let mut machine = Machine::new(Config::ours(Vec::new()), None, NoRadio::default());
    machine.load(0, &image);
    machine.load_words(START, &start_up(&calls));
    machine.set_pc(START);
    let mut out = String::new();
    while !machine.halted() {
        if machine.instructions() > MAX_INSTRUCTIONS {
            out.push_str(" endless");
            break;
        }
        machine.run_until(machine.now_ns() + 2_000_000);
        out.push_str(&String::from_utf8_lossy(&machine.serial_received()));
    }
    machine.run_until(machine.now_ns() + 10_000_000);
    out.push_str(&String::from_utf8_lossy(&machine.serial_received()));
    Ok(out)
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

/// How the program of a seed behaves differently with all passes, or with a choice of them, than
/// without any; `Ok(true)` if it traps.
///
/// # Errors
///
/// What differs, or why the program does not compile.
pub fn compare(seed: u64) -> Result<bool, String> {
    let text = generator::program(seed);
    let direct = outcome(&text, Passes::none())?;
    let some = Pass::ALL
        .into_iter()
        .enumerate()
        .filter(|(at, _)| seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (40 + at) & 1 != 0)
        .fold(Passes::none(), |passes, (_, pass)| passes.with(pass));
    for passes in [Passes::all(), some] {
        let improved = outcome(&text, passes)?;
        if improved != direct {
            return Err(format!("without passes {direct:?}\nwith {passes:?} {improved:?}"));
        }
    }
    Ok(direct.contains('!'))
}
