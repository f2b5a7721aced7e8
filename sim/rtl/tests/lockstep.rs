//! Circuit against emulator on random programs.

use std::error::Error;

use kube_emu::NoRadio;
use kube_rtl::lockstep::{Lockstep, Mismatch, Start, check};
use kube_rtl::program;
use risc5_isa::instruction::SET_INTERRUPT_ENABLE;
use risc5_isa::{Cond, Instruction, Op};

/// A branch to address 0, for a PROM.
const TO_ZERO: [u32; 2] = [0x4000_0000, 0xC700_0000];

fn pair(start: &Start) -> Lockstep<NoRadio> {
    Lockstep::new(start, None, NoRadio::default(), 0, &TO_ZERO)
}

/// Programs of one disturbance; `KUBE_LOCKSTEP_PROGRAMS` asks for more.
fn programs() -> u64 {
    std::env::var("KUBE_LOCKSTEP_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

fn run(first_seed: u64, i_wait: u32, d_wait: u32, interrupts: u32) -> Result<u64, Box<dyn Error>> {
    let (mut instructions, mut events) = (0, 0);
    for seed in first_seed..first_seed + programs() {
        let mut pair = pair(&Start::default());
        pair.machine.set_disturbance(i_wait, d_wait, interrupts, seed);
        pair.load_words(0, &program::random(seed, 1_500));
        if let Err(mismatch) = pair.run_cycles(30_000) {
            panic!("seed {seed}: {mismatch}");
        }
        instructions += pair.instructions();
        events += pair.events();
    }
    assert!(instructions > 2_000 * programs(), "{instructions} instructions only");
    assert_eq!(events > 0, interrupts > 0);
    Ok(instructions)
}

#[test]
fn random_programs_without_waits() -> Result<(), Box<dyn Error>> {
    run(1_000, 0, 0, 0).map(drop)
}

#[test]
fn random_programs_with_interrupts() -> Result<(), Box<dyn Error>> {
    run(2_000, 0, 0, 3_000).map(drop)
}

#[test]
fn random_programs_with_waiting_ports_and_interrupts() -> Result<(), Box<dyn Error>> {
    run(3_000, 16_000, 16_000, 3_000).map(drop)
}

/// A short program around one operation: interrupts on, operands, the operation twice, H and flags.
fn around(op: Op) -> Vec<u32> {
    let immediate =
        |op, u, a, imm| Instruction::Immediate { op, u, v: false, a, b: a, imm }.encode();
    let registers = |op, u, v, a, b, c| Instruction::Register { op, u, v, a, b, c }.encode();
    let mut words = program::random(0, 0);
    words.truncate(program::START as usize / 4);
    words.extend([
        immediate(Op::Mov, false, 13, 0x2000),
        immediate(Op::Mov, true, 1, 0x4049),
        immediate(Op::Ior, false, 1, 0x0FDB),
        immediate(Op::Mov, true, 2, 0x3F80),
        SET_INTERRUPT_ENABLE | 1,
        registers(op, false, false, 3, 1, 2),
        registers(op, false, false, 4, 3, 1),
        registers(Op::Mov, true, false, 5, 0, 0),
        registers(Op::Mov, true, true, 6, 0, 0),
        Instruction::BranchRelative { link: false, cond: Cond::Always, offset: -1 }.encode(),
    ]);
    words
}

#[test]
fn an_interrupt_at_every_cycle_of_every_long_operation() {
    for op in [Op::Mul, Op::Div, Op::Fad, Op::Fsb, Op::Fml, Op::Fdv] {
        // Ports with and without waits; the program is over after some 120 cycles.
        for (waits, cycle) in (5..120).map(|cycle| (16_000 * (cycle % 2), cycle)) {
            let mut pair = pair(&Start::default());
            pair.machine.set_disturbance(waits, waits, 0, u64::from(cycle));
            pair.machine.interrupt_at(u64::from(cycle));
            pair.load_words(0, &around(op));
            if let Err(mismatch) = pair.run_cycles(400) {
                panic!("{op:?}, interrupt in cycle {cycle}: {mismatch}");
            }
            assert_eq!(pair.events(), 1, "{op:?}, interrupt in cycle {cycle}");
        }
    }
}

/// The circuit's memory is changed behind the emulator's back, as a faulty circuit would do it.
fn planted(start: &Start) -> Result<(), Box<Mismatch>> {
    let mut pair = pair(start);
    pair.load_words(0, &program::random(5, 1_500));
    pair.run_cycles(5_000)?;
    let add = Instruction::Immediate { op: Op::Add, u: false, v: false, a: 0, b: 0, imm: 1 };
    pair.machine.load_words(program::START, &[add.encode(); 1_400]);
    pair.run_cycles(60_000)
}

#[test]
fn a_mismatch_shows_both_states_the_last_instructions_and_a_waveform() -> Result<(), Box<dyn Error>>
{
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("planted.fst");
    let Err(mismatch) = check(&path, planted) else { panic!("the planted fault was not found") };
    let text = mismatch.to_string();
    assert!(text.contains("emulator: pc") && text.contains("circuit : pc"), "{text}");
    let shown = mismatch.state.lines().skip_while(|line| !line.contains("last instructions"));
    assert_eq!(shown.skip(1).count(), 20, "{text}");
    assert_eq!(mismatch.waveform.as_deref(), Some(path.as_path()), "{text}");
    // The header of an FST file: kind 0, length, then first and last time, big-endian.
    let bytes = std::fs::read(&path)?;
    let time =
        |at: usize| bytes[at..at + 8].iter().fold(0, |time, &byte| time << 8 | u64::from(byte));
    assert_eq!(bytes[0], 0);
    let (first, last) = (time(9), time(17));
    assert!(first < mismatch.cycle && mismatch.cycle < last, "{first} to {last}: {text}");
    assert!(last - first <= 3_300, "{first} to {last}");
    Ok(())
}
