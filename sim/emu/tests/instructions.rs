//! Every instruction with its flags, and each point on which emulators are known to differ from the
//! RTL of 31.8.2018 (D1 to D13 of the project's notes).

mod support;

use kube_emu::{Config, CycleTable, Machine, NoRadio};
use risc5_isa::{Cond, Op, map};
use support::*;

const N: u32 = 8;
const Z: u32 = 4;
const C: u32 = 2;
const V: u32 = 1;

/// Program that leaves a flag C of choice, V clear, with registers 1 and 2 as given.
fn prepare(carry: bool, r1: u32, r2: u32) -> Vec<u32> {
    let mut program = Vec::new();
    for (register, value) in [(1, r1), (2, r2)] {
        program.push(mov_high(register, (value >> 16) as i32));
        program.push(immediate(Op::Ior, false, [register, register], (value & 0xFFFF) as i32));
    }
    program.push(mov(3, 0));
    program.push(immediate(Op::Sub, false, [3, 3], i32::from(carry)));
    program
}

struct Row {
    word: u32,
    r1: u32,
    r2: u32,
    carry: bool,
    result: u32,
    flags: u32,
}

const fn row(word: u32, r1: u32, r2: u32, carry: bool, result: u32, flags: u32) -> Row {
    Row { word, r1, r2, carry, result, flags }
}

/// `R0 := R1 op R2` and `R0 := R1 op n`.
fn rows() -> Vec<Row> {
    let reg = |op, u| register(op, u, false, [0, 1, 2]);
    let imm = |op, u, n| immediate(op, u, [0, 1], n);
    const TOP: u32 = 0x8000_0000;
    const ONES: u32 = u32::MAX;
    vec![
        row(reg(Op::Mov, false), 1, ONES, true, ONES, N | C),
        row(imm(Op::Mov, false, -2), 0, 0, false, -2_i32 as u32, N),
        row(imm(Op::Mov, false, 0), 0, 0, true, 0, Z | C),
        row(imm(Op::Mov, true, 0x1234), 0, 0, false, 0x1234_0000, 0),
        row(reg(Op::Lsl, false), 3, 33, false, 6, 0),
        row(imm(Op::Lsl, false, 31), 1, 0, false, TOP, N),
        row(reg(Op::Asr, false), TOP, 31, false, ONES, N),
        row(imm(Op::Asr, false, 40), -256_i32 as u32, 0, false, ONES, N),
        row(imm(Op::Asr, false, 4), 0x7000_0000, 0, false, 0x0700_0000, 0),
        row(reg(Op::Ror, false), 0x0000_00F1, 4, false, 0x1000_000F, 0),
        row(imm(Op::Ror, false, 1), 1, 0, false, TOP, N),
        row(imm(Op::Ror, false, 32), 5, 0, false, 5, 0),
        row(reg(Op::And, false), 0xFF, 0x0F0, true, 0xF0, C),
        row(imm(Op::And, false, -16), 0xFF, 0, false, 0xF0, 0),
        row(reg(Op::Ann, false), 0xFF, 0x0F0, false, 0x0F, 0),
        row(imm(Op::Ann, false, 0xFF), 0xFF, 0, false, 0, Z),
        row(reg(Op::Ior, false), 0xF0, 0x0F, false, 0xFF, 0),
        row(imm(Op::Ior, false, -1), 0, 0, false, ONES, N),
        row(reg(Op::Xor, false), 0xFF, 0x0F, false, 0xF0, 0),
        row(imm(Op::Xor, false, -1), 0xFF, 0, false, !0xFF, N),
        // Addition: the incoming carry counts only with u.
        row(reg(Op::Add, false), 1, 2, true, 3, 0),
        row(reg(Op::Add, false), ONES, 1, false, 0, Z | C),
        row(reg(Op::Add, false), 0x7FFF_FFFF, 1, false, TOP, N | V),
        row(reg(Op::Add, false), TOP, TOP, false, 0, Z | C | V),
        row(imm(Op::Add, false, -1), 5, 0, false, 4, C),
        row(reg(Op::Add, true), 1, 2, true, 4, 0),
        row(imm(Op::Add, true, 0), ONES, 0, true, 0, Z | C),
        row(reg(Op::Add, true), 0x7FFF_FFFF, 0, true, TOP, N | V),
        // D2: the result equals the first operand, and still there is a carry.
        row(reg(Op::Add, true), 5, ONES, true, 5, C),
        // Subtraction: C is the borrow.
        row(reg(Op::Sub, false), 5, 3, true, 2, 0),
        row(reg(Op::Sub, false), 3, 5, false, -2_i32 as u32, N | C),
        row(reg(Op::Sub, false), 5, 5, false, 0, Z),
        row(reg(Op::Sub, false), TOP, 1, false, 0x7FFF_FFFF, V),
        row(reg(Op::Sub, false), 0, TOP, false, TOP, N | C | V),
        row(imm(Op::Sub, false, -1), 0, 0, false, 1, C),
        row(reg(Op::Sub, true), 5, 3, true, 1, 0),
        row(reg(Op::Sub, true), 5, 5, true, ONES, N | C),
        // D2 the other way: the result equals the first operand, borrow all the same.
        row(reg(Op::Sub, true), 5, ONES, true, 5, C),
        row(reg(Op::Mul, false), 7, -3_i32 as u32, true, -21_i32 as u32, N | C),
        row(imm(Op::Mul, false, 0), 7, 0, false, 0, Z),
        row(reg(Op::Div, false), -7_i32 as u32, 3, false, -3_i32 as u32, N),
        row(imm(Op::Div, true, 2), ONES, 0, false, 0x7FFF_FFFF, 0),
        // 1.0 + 1.0, 3.0 - 1.0, 3.0 * 3.0, 3.0 / 1.0
        row(reg(Op::Fad, false), 0x3F80_0000, 0x3F80_0000, true, 0x4000_0000, C),
        row(reg(Op::Fsb, false), 0x4040_0000, 0x3F80_0000, false, 0x4000_0000, 0),
        row(reg(Op::Fml, false), 0x4040_0000, 0xC040_0000, false, 0xC110_0000, N),
        row(reg(Op::Fdv, false), 0x4040_0000, 0x3F80_0000, false, 0x4040_0000, 0),
    ]
}

#[test]
fn results_and_flags() {
    for (index, row) in rows().iter().enumerate() {
        let mut program = prepare(row.carry, row.r1, row.r2);
        program.push(row.word);
        let machine = run(&program);
        let got = (machine.register(0), machine.flags());
        assert_eq!(
            got,
            (row.result, row.flags),
            "row {index}: {:08X}, got {:08X}",
            row.word,
            got.0
        );
    }
}

#[test]
fn h_is_the_high_product_and_the_remainder() {
    let read_h = register(Op::Mov, true, false, [4, 0, 0]);
    let cases = [
        (register(Op::Mul, false, false, [0, 1, 2]), 0x4000_0000, 8, 2),
        // D3: the second operand of the unsigned product is taken as signed.
        (register(Op::Mul, true, false, [0, 1, 2]), 2, 0x8000_0000, 0xFFFF_FFFF),
        (register(Op::Div, false, false, [0, 1, 2]), -7_i32 as u32, 3, 2),
        (register(Op::Div, false, false, [0, 1, 2]), 7, 0, 7),
    ];
    for (word, r1, r2, h) in cases {
        let mut program = prepare(false, r1, r2);
        program.extend([word, read_h]);
        let machine = run(&program);
        assert_eq!((machine.register(4), machine.h()), (h, h), "{word:08X}");
    }
}

/// D1: the flags come with the revision of the core below them.
#[test]
fn flags_can_be_read() {
    let read_flags = register(Op::Mov, true, true, [0, 0, 0]);
    let mut program = prepare(true, 0, 0);
    program.push(read_flags);
    assert_eq!(run(&program).register(0), 0xA000_0053);
    assert_eq!(run(&[mov(1, 0), read_flags]).register(0), 0x4000_0053);
}

/// D4 to D6 through instructions: FLT, FLOOR and zeros.
#[test]
fn conversions() {
    let magic = mov_high(2, 0x4B00);
    let float = register(Op::Fad, true, false, [0, 1, 2]);
    let floor = register(Op::Fad, false, true, [0, 1, 2]);
    assert_eq!(run(&[mov(1, -3), magic, float]).register(0), 0xC040_0000);
    let minus_one_and_a_half = mov_high(1, 0xBFC0);
    let machine = run(&[minus_one_and_a_half, magic, floor]);
    assert_eq!(machine.register(0), -2_i32 as u32);
    let minus_zero = mov_high(1, 0x8000);
    assert_eq!(run(&[minus_zero, magic, floor]).register(0), u32::MAX);
    let negate = register(Op::Fsb, false, false, [0, 3, 3]);
    assert_eq!(run(&[negate]).register(0), 0);
}

#[test]
fn loads_and_stores() {
    let program = [
        mov_high(1, 0x8000),
        immediate(Op::Ior, false, [1, 1], 0x41FE),
        mov(2, 0x800),
        store(1, 2, 4),
        load(3, 2, 4),
        register(Op::Mov, true, true, [4, 0, 0]),
        memory(false, true, [5, 2], 4),
        register(Op::Mov, true, true, [6, 0, 0]),
        memory(true, true, [2, 2], 7),
        load(7, 2, 4),
        load(8, 2, -0x800),
    ];
    let machine = run(&program);
    assert_eq!(machine.register(3), 0x8000_41FE);
    assert_eq!(machine.register(4) >> 28, N);
    assert_eq!(machine.register(5), 0xFE);
    assert_eq!(machine.register(6) >> 28, 0, "a byte is never negative");
    assert_eq!(machine.register(7), 0x0000_41FE);
    assert_eq!(machine.register(8), machine.word(0));
}

/// D7: a word access ignores the low address bits.
#[test]
fn unaligned_word_access() {
    let machine = run(&[mov(1, 0x1234), mov(2, 0x800), store(1, 2, 3), load(0, 2, 1)]);
    assert_eq!(machine.register(0), 0x1234);
    assert_eq!(machine.word(0x800), 0x1234);
}

/// D8: RAM repeats above its megabyte. Bits above 23 of an address do not exist.
#[test]
fn ram_window() {
    let machine = run(&[
        mov(1, 77),
        mov_high(2, 0x10),
        store(1, 2, 0x800),
        mov_high(3, 0x7F30),
        load(0, 3, 0x800),
    ]);
    assert_eq!(machine.word(0x800), 77);
    assert_eq!(machine.register(0), 77);
}

/// D13: the PROM cannot be read as data.
#[test]
fn the_prom_is_for_fetching_only() {
    let mut config = Config::ours(vec![0x1234_5678; 4]);
    config.prom.push(STOP);
    let mut machine = Machine::new(config, None, NoRadio::default());
    let program = [mov_high(1, 0xFF), load(0, 1, 0xE000 - 0x1_0000), STOP];
    machine.load_words(0x100, &program);
    machine.set_pc(0x100);
    machine.run_until(100_000);
    assert_eq!(machine.register(0), machine.word(0xE000 | 0xF_0000));
}

/// D12, D9: the program counter starts at FFE000H and has 22 bits.
#[test]
fn program_counter() {
    let link_here = call(Cond::Always, 0);
    let stop_in_prom = vec![link_here, STOP];
    let mut machine = Machine::new(Config::ours(stop_in_prom), None, NoRadio::default());
    machine.run_until(1_000);
    assert_eq!(machine.register(15), 0xFF_E004);
    assert_eq!(machine.flags(), 0, "the link is 24 bits, not negative");
    assert_eq!(machine.pc(), 0xFF_E004);

    // Branch offset bits 22 and 23 are ignored: 400000H words are no distance at all.
    let machine = run(&[0xE740_0000, mov(0, 5)]);
    assert_eq!(machine.register(0), 5);
    // A backward branch from address 0 goes to the top of the address space and comes back.
    let mut machine = support::machine(&[]);
    machine.load_words(0, &[branch(Cond::Always, -3), mov(0, 9), STOP]);
    machine.set_pc(0);
    machine.run_until(1_000);
    assert_eq!(machine.register(0), 0, "FFFFF8H is PROM: two idle words, then the branch again");
}

/// D11: code above RAM and below the PROM window is RAM again.
#[test]
fn code_above_ram_is_an_alias() {
    let machine = run(&[
        mov_high(1, 0x10),
        immediate(Op::Ior, false, [1, 1], 0x110),
        branch_register(false, Cond::Always, 1),
        mov(0, 1),
        call(Cond::Always, 0),
        branch_register(true, Cond::Never, 1),
        mov_high(1, 0),
        immediate(Op::Ior, false, [1, 1], 0x128),
        branch_register(false, Cond::Always, 1),
        mov(0, 1),
    ]);
    assert_eq!(machine.register(15), 0x10_0114);
    assert_eq!(machine.register(0), 0);
}

#[test]
fn conditions_decide_branches() {
    // N, Z, C, V reached by a subtraction, and the conditions that then hold.
    let cases: [(u32, u32, u32); 6] = [
        (5, 3, 0),
        (5, 5, Z),
        (3, 5, N | C),
        (0x8000_0000, 1, V),
        (0, 0x8000_0000, N | C | V),
        (0xFFFF_FFFF, 1, N),
    ];
    for (r1, r2, flags) in cases {
        for code in 0..16 {
            let cond = Cond::from_code(code);
            let holds = cond.holds(flags & N != 0, flags & Z != 0, flags & C != 0, flags & V != 0);
            let compare = register(Op::Sub, false, false, [4, 1, 2]);
            let forms = [
                branch(cond, 1),
                call(cond, 1),
                branch_register(false, cond, 5),
                branch_register(true, cond, 5),
            ];
            for word in forms {
                let mut program = prepare(false, r1, r2);
                program.push(mov(5, 0x100 + 4 * 10));
                program.push(compare);
                program.push(word);
                program.push(mov(0, 1));
                let machine = run(&program);
                assert_eq!(machine.register(0), u32::from(!holds), "{word:08X} {flags}");
                let links = word >> 28 & 1 != 0 && holds;
                let link = if links { 0x100 + 4 * 9 } else { 0 };
                assert_eq!(machine.register(15), link, "{word:08X}");
            }
        }
    }
}

#[test]
fn a_call_through_r15_uses_its_old_value() {
    let machine = run(&[mov(15, 0x10C), branch_register(true, Cond::Always, 15), mov(0, 1)]);
    assert_eq!(machine.register(0), 0);
    assert_eq!(machine.register(15), 0x108);
}

#[test]
fn a_taken_call_sets_n_and_z_from_the_link() {
    let mut program = prepare(true, 0, 0);
    program.extend([mov(1, 0), call(Cond::Eq, 0)]);
    assert_eq!(run(&program).flags(), C);
}

/// The module loader writes code and runs it: a store is seen by the next fetch, however near, also
/// if the old word was executed before.
#[test]
fn a_store_is_seen_at_every_distance() {
    let new = mov(0, 42);
    for distance in 1..=8 {
        let target = 0x100 + 4 * (3 + distance);
        let mut program = vec![
            mov_high(1, (new >> 16) as i32),
            immediate(Op::Ior, false, [1, 1], (new & 0xFFFF) as i32),
            mov(2, target),
            store(1, 2, 0),
        ];
        program.resize(program.len() + distance as usize, mov(0, 7));
        program.push(STOP);
        let mut machine = machine(&program);
        machine.set_pc(0x110);
        machine.run_until(1_000);
        assert_eq!(machine.register(0), 7);
        machine.set_pc(0x100);
        machine.run_until(2_000);
        assert!(machine.halted());
        assert_eq!(machine.register(0), 42, "distance {distance}");
    }
}

#[test]
fn cycles_follow_the_table() {
    let costs = CycleTable {
        alu: 2,
        load: 3,
        store: 5,
        branch_taken: 7,
        branch_not_taken: 11,
        mul: 13,
        div: 17,
        fadd: 19,
        fmul: 23,
        fdiv: 29,
    };
    let cases = [
        (mov(0, 1), 2),
        (load(0, 1, 0), 3),
        (memory(false, true, [0, 1], 0), 3),
        (store(0, 1, 0x800), 5),
        (branch(Cond::Always, 0), 7),
        (branch(Cond::Ne, 0), 7),
        (branch(Cond::Pl, 0), 7),
        (call(Cond::Always, 0), 7),
        (branch(Cond::Eq, 0), 11),
        (branch_register(true, Cond::Cs, 12), 11),
        (register(Op::Mul, false, false, [0, 1, 2]), 13),
        (immediate(Op::Div, true, [0, 1], 1), 17),
        (register(Op::Fad, false, false, [0, 1, 2]), 19),
        (register(Op::Fsb, false, false, [0, 1, 2]), 19),
        (register(Op::Fml, false, false, [0, 1, 2]), 23),
        (register(Op::Fdv, false, false, [0, 1, 2]), 29),
    ];
    for (word, cycles) in cases {
        let mut config = Config::ours(Vec::new());
        config.cycles = costs;
        let mut machine = with(config, &[word, STOP]);
        machine.set_pc(0x100);
        machine.run_until(20);
        assert_eq!(machine.cycles(), cycles, "{word:08X}");
        assert_eq!(machine.instructions(), 1);
    }
}

/// Nothing that a guest does stops the host: random words as program, on both machines.
#[test]
fn random_programs_never_panic() {
    let seed: u32 = 0x5EED_0001;
    let mut word = seed;
    let mut program = vec![0; map::RAM_WORDS];
    for slot in &mut program {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *slot = word ^ word >> 16;
    }
    for config in [Config::ours(Vec::new()), Config::compat(Vec::new())] {
        let mut machine = Machine::new(config, None, NoRadio::default());
        machine.load_words(0, &program);
        for start in program.iter().take(200) {
            machine.set_pc(start & 0xF_FFFC);
            let now = machine.now_ns();
            machine.run_until(now + 200_000);
            assert!(machine.now_ns() >= now + 200_000, "seed {seed:08X}");
        }
    }
}
