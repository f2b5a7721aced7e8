//! Skipping idle waits changes nothing: every instruction leaves the pipeline in the same cycle.

use kube_emu::NoRadio;
use kube_rtl::{Machine, Record};
use risc5_isa::instruction::{RETURN_FROM_INTERRUPT, SET_INTERRUPT_ENABLE};
use risc5_isa::{Cond, Instruction, Op, extension, io};

/// Points to the next word of the record in memory.
const PLACE: u8 = 1;
/// Points to the first I/O word.
const IO: u8 = 2;
/// Counts rounds; kept over an abort.
const ROUND: u8 = 4;
const LOOP: u32 = 0x20;

fn immediate(op: Op, a: u8, b: u8, n: i32) -> u32 {
    Instruction::Immediate { op, u: false, v: n < 0, a, b, imm: n as u16 }.encode()
}

fn memory(store: bool, a: u8, b: u8, offset: i32) -> u32 {
    Instruction::Memory { store, byte: false, a, b, offset }.encode()
}

fn io_word(store: bool, a: u8, address: i32) -> u32 {
    memory(store, a, IO, address - io::MILLISECONDS)
}

fn branch(offset: i32) -> u32 {
    Instruction::BranchRelative { link: false, cond: Cond::Always, offset }.encode()
}

/// Arms the watchdog with 0 to 3 ms, waits with an event mask while a division is under way, and
/// records what the timers say then.
fn program(mask: i32, interrupts: u32) -> Vec<u32> {
    let mut words = vec![branch(7), RETURN_FROM_INTERRUPT];
    words.resize(LOOP as usize / 4, 0);
    let select =
        |number: u32| [immediate(Op::Mov, 5, 0, number as i32), io_word(true, 5, io::EXT_SELECT)];
    let record = |load: u32| [load, memory(true, 5, PLACE, 0), immediate(Op::Add, PLACE, PLACE, 4)];
    // An abort switches interrupts off.
    words.push(SET_INTERRUPT_ENABLE | interrupts);
    words.push(immediate(Op::Add, ROUND, ROUND, 1));
    words.extend(select(extension::WATCHDOG));
    words.push(immediate(Op::And, 5, ROUND, 3));
    words.push(io_word(true, 5, io::EXT_DATA));
    words.push(immediate(Op::Mov, 6, 0, mask));
    words.push(io_word(true, 6, io::IDLE));
    words.push(immediate(Op::Div, 7, PLACE, 7));
    words.extend(record(io_word(false, 5, io::MILLISECONDS)));
    words.extend(record(io_word(false, 5, io::IDLE)));
    for number in [extension::MICROSECONDS, extension::CYCLES_LOW, extension::WATCHDOG_PC] {
        words.extend(select(number));
        words.extend(record(io_word(false, 5, io::EXT_DATA)));
    }
    words.push(branch(-(words.len() as i32 - LOOP as i32 / 4) - 1));
    words
}

/// What 25 ms leave behind: all records, memory, and the cycles skipped.
fn run(skipping: bool, mask: i32, interrupts: u32) -> (Vec<Record>, Vec<u32>, u64) {
    let (machine, records) =
        run_on(Machine::new(None, NoRadio::default(), 0), skipping, mask, interrupts);
    (records, machine.ram().to_vec(), machine.skipped_cycles())
}

fn run_on(
    mut machine: Machine<NoRadio>,
    skipping: bool,
    mask: i32,
    interrupts: u32,
) -> (Machine<NoRadio>, Vec<Record>) {
    machine.set_skipping(skipping);
    machine.set_prom(&[
        immediate(Op::Mov, PLACE, 0, 0x1000),
        immediate(Op::Mov, IO, 0, io::MILLISECONDS),
        immediate(Op::Mov, ROUND, 0, 0),
        immediate(Op::Mov, 3, 0, LOOP as i32),
        Instruction::BranchRegister { link: false, cond: Cond::Always, low: 3 }.encode(),
    ]);
    machine.load_words(0, &program(mask, interrupts));
    machine.set_trace(true, usize::MAX);
    machine.run_until(25_000_000);
    let mut records = Vec::new();
    machine.take_records(&mut records);
    (machine, records)
}

#[test]
fn a_skipped_wait_ends_in_the_same_cycle_as_an_evaluated_one() {
    // Tick and watchdog; interrupt and watchdog, which a mask without tick leaves.
    for (mask, interrupts) in [(io::event::TICK, 0), (io::event::TICK, 1), (io::event::UART, 1)] {
        let (evaluated, memory, none) = run(false, mask as i32, interrupts);
        let (records, skipped_memory, skipped) = run(true, mask as i32, interrupts);
        assert!(evaluated.len() > 24 * 20 && none == 0, "{} records", evaluated.len());
        assert!(skipped > 25 * 49_000, "{skipped} cycles skipped of 25 ms");
        let first = evaluated.iter().zip(&records).find(|(one, other)| one != other);
        assert_eq!(first, None, "mask {mask}, interrupts {interrupts}");
        assert_eq!(evaluated.len(), records.len());
        assert_eq!(memory, skipped_memory);
    }
}

/// On a board a skip lets the memory chip have its refreshes, each in its cycle.
#[test]
fn a_skipped_wait_on_a_board_leaves_no_refresh_out() {
    for (mask, interrupts) in [(io::event::TICK, 1), (io::event::UART, 1)] {
        let board = |skipping| {
            let machine = Machine::ulx3s(None, NoRadio::default(), 0);
            run_on(machine, skipping, mask as i32, interrupts)
        };
        let ((evaluated, all), (machine, records)) = (board(false), board(true));
        let waited = machine.idle_cycles();
        assert_eq!((evaluated.skipped_cycles(), evaluated.idle_cycles()), (0, waited));
        assert!(machine.skipped_cycles() > waited / 10 * 9, "{}", machine.skipped_cycles());
        assert!(all.len() > 24 * 20 && waited > 1_000_000, "{} records, {waited}", all.len());
        let first = all.iter().zip(&records).find(|(one, other)| one != other);
        assert_eq!(first, None, "mask {mask}, interrupts {interrupts}");
        assert_eq!(all.len(), records.len());
        let chip = |machine: &Machine<NoRadio>| {
            let sdram = machine.sdram().expect("a board has one");
            (sdram.commands(), sdram.violation(), machine.ram().to_vec())
        };
        let (of_all, of_skipped) = (chip(&evaluated), chip(&machine));
        assert_eq!((of_all.0, of_all.1), (of_skipped.0, None));
        assert!(of_all.0[1] > 25 * 120, "{:?} commands by code", of_all.0);
        assert_eq!(of_all.2, of_skipped.2);
    }
}
