//! The core's units as exported Verilog, one by one, against the emulator's arithmetic and the table of
//! the instruction set.
#![allow(clippy::print_stdout, reason = "a test that says its seed")]

use kube_emu::arithmetic;
use kube_rtl::{Answer, Question, Units};
use rand::RngExt as _;
use rand_pcg::Pcg32;
use risc5_isa::{Cond, Instruction, Op};

/// Questions of a test; `KUBE_UNIT_QUESTIONS` asks for more.
fn questions() -> u32 {
    let asked = std::env::var("KUBE_UNIT_QUESTIONS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(200_000)
}

/// Random words with many corners among them.
struct Words(Pcg32);

impl Words {
    fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self(Pcg32::new(seed, 0xA02_BDBF_7BB3_C0A7))
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.0.random_range(0..limit)
    }

    fn word(&mut self) -> u32 {
        let any: u32 = self.0.random();
        match self.below(8) {
            0 => [0, 1, u32::MAX, 0x8000_0000, 0x7FFF_FFFF, 0x4B00_0000][self.below(6) as usize],
            1 => 1 << (any & 31),
            2 => any >> (any & 31),
            3 => !(any >> (any & 31)),
            _ => any,
        }
    }

    /// A floating operand near another, where sums cancel and quotients round.
    fn near(&mut self, x: u32) -> u32 {
        let exponent = x.wrapping_add(self.below(60) << 23).wrapping_sub(30 << 23) & 0x7F80_0000;
        self.word() & 0x807F_FFFF | exponent
    }
}

fn register(op: Op, u: bool, v: bool) -> u32 {
    Instruction::Register { op, u, v, a: 1, b: 2, c: 3 }.encode()
}

fn ask(units: &mut Units, word: u32, [b, n]: [u32; 2]) -> Answer {
    let answer = units.ask(Question { word, b, n, ..Question::default() });
    assert_eq!(answer.done, 1, "{word:08X} {b:08X} {n:08X} never ends");
    answer
}

#[test]
fn integers_agree_with_the_emulator() {
    let (mut units, mut words) = (Units::new(), Words::new(31));
    for _ in 0..questions() {
        let (b, n, u) = (words.word(), words.word(), words.below(2) == 1);
        let got = ask(&mut units, register(Op::Mul, u, false), [b, n]);
        let want = arithmetic::multiply(b, n, u);
        assert_eq!((got.result, got.high), want, "{b:08X} * {n:08X} unsigned {u}");
        assert_eq!(got.cycles, 3);
        let got = ask(&mut units, register(Op::Div, u, false), [b, n]);
        let want = arithmetic::divide(b, n, u);
        assert_eq!((got.result, got.high), want, "{b:08X} DIV {n:08X} unsigned {u}");
        assert_eq!(got.cycles, 19);
    }
}

#[test]
fn floats_agree_with_the_emulator() {
    let (mut units, mut words) = (Units::new(), Words::new(32));
    for _ in 0..questions() {
        let x = words.word();
        let y = match words.below(3) {
            0 => 0x4B00_0000,
            1 => words.near(x),
            _ => words.word(),
        };
        let (u, v) = (words.below(3) == 0, words.below(3) == 0);
        let got = ask(&mut units, register(Op::Fad, u, v), [x, y]);
        assert_eq!(got.result, arithmetic::float_add(x, y, u, v), "{x:08X} + {y:08X} {u} {v}");
        assert_eq!(got.cycles, 6);
        let got = ask(&mut units, register(Op::Fsb, u, v), [x, y]);
        let want = arithmetic::float_add(x, y ^ 0x8000_0000, u, v);
        assert_eq!(got.result, want, "{x:08X} - {y:08X} {u} {v}");
        let got = ask(&mut units, register(Op::Fml, false, false), [x, y]);
        assert_eq!(got.result, arithmetic::float_multiply(x, y), "{x:08X} * {y:08X}");
        assert_eq!(got.cycles, 4);
        let got = ask(&mut units, register(Op::Fdv, false, false), [x, y]);
        assert_eq!(got.result, arithmetic::float_divide(x, y), "{x:08X} / {y:08X}");
        assert_eq!(got.cycles, 16);
    }
}

/// Result, and carry and overflow where the operation writes them.
fn one_cycle(op: Op, [q, u, v]: [bool; 3], question: &Question) -> (u32, Option<(bool, bool)>) {
    let (b, n) = (question.b, question.n);
    let carry_in = u && question.flags & 2 != 0;
    match op {
        Op::Mov if !u => (n, None),
        Op::Mov if q => (n << 16, None),
        Op::Mov if v => (question.flags << 28 | 0x53, None),
        Op::Mov => (question.h, None),
        Op::Lsl => (b << (n & 31), None),
        Op::Asr => ((b as i32 >> (n & 31)) as u32, None),
        Op::Ror => (b.rotate_right(n & 31), None),
        Op::And => (b & n, None),
        Op::Ann => (b & !n, None),
        Op::Ior => (b | n, None),
        Op::Xor => (b ^ n, None),
        Op::Add => {
            let (sum, carry) = b.carrying_add(n, carry_in);
            let signed = i64::from(b as i32) + i64::from(n as i32) + i64::from(carry_in);
            (sum, Some((carry, i64::from(sum as i32) != signed)))
        }
        _ => {
            let (difference, borrow) = b.borrowing_sub(n, carry_in);
            let signed = i64::from(b as i32) - i64::from(n as i32) - i64::from(carry_in);
            (difference, Some((borrow, i64::from(difference as i32) != signed)))
        }
    }
}

#[test]
fn one_cycle_operations_agree_with_the_words_own() {
    let (mut units, mut words) = (Units::new(), Words::new(33));
    for _ in 0..questions() {
        let op = Op::from_code(words.below(10));
        let modifiers = [0; 3].map(|_| words.below(2) == 1);
        let [q, u, v] = modifiers;
        let (b, h, flags) = (words.word(), words.word(), words.below(16));
        let imm = words.word() as u16;
        let word = if q {
            Instruction::Immediate { op, u, v, a: 1, b: 2, imm }.encode()
        } else {
            register(op, u, v)
        };
        let fill = if v { 0xFFFF_0000 } else { 0 };
        let n = if q { fill | u32::from(imm) } else { words.word() };
        let question = Question { word, b, n, h, flags };
        let got = units.ask(question);
        let (result, sums) = one_cycle(op, modifiers, &question);
        assert_eq!(got.result, result, "{question:X?}");
        if let Some(sums) = sums {
            assert_eq!((got.carry != 0, got.overflow != 0), sums, "{question:X?}");
        }
    }
}

#[test]
fn the_decoder_agrees_with_the_instruction_table() {
    let (mut units, mut words) = (Units::new(), Words::new(34));
    for _ in 0..questions() {
        let word = words.word();
        let flags = words.below(16);
        let got = units.ask(Question { word, flags, ..Question::default() });
        let unit = |op: Op| match op {
            Op::Lsl | Op::Asr | Op::Ror => 32,
            Op::Mul => 16,
            Op::Div => 8,
            Op::Fad | Op::Fsb => 4,
            Op::Fml => 2,
            Op::Fdv => 1,
            _ => 0,
        };
        let reads_b = |op: Op| if op == Op::Mov { 0 } else { 2 };
        let always = |cond: Cond| u8::from(cond == Cond::Always);
        let (classes, uses, jumps, kinds) = match Instruction::decode(word) {
            Instruction::Register { op, .. } => (8, reads_b(op) | 1, 0, unit(op)),
            Instruction::Immediate { op, v, imm, .. } => {
                let fill = if v { 0xFFFF_0000 } else { 0 };
                assert_eq!(got.operand, fill | u32::from(imm), "{word:08X}");
                // The ALU rotates by an immediate 1.
                let by_one = op == Op::Ror && imm & 31 == 1;
                (8, 4 | reads_b(op), 0, if by_one { 0 } else { unit(op) })
            }
            Instruction::Memory { store, .. } => (if store { 2 } else { 4 }, 2, 0, 0),
            Instruction::BranchRegister { link, cond, low } => {
                let plain = !link && low & 0x30 == 0;
                (1, 1, always(cond) & u8::from(plain), 0)
            }
            Instruction::BranchRelative { cond, .. } => (1, 0, always(cond) << 1, 0),
        };
        let told = (got.classes, got.uses, got.jumps, got.kinds);
        assert_eq!(told, (classes, uses, jumps, kinds), "{word:08X}");
        let [n, z, c, v] = [8, 4, 2, 1].map(|bit| flags & bit != 0);
        let holds = Cond::from_code(word >> 24).holds(n, z, c, v);
        assert_eq!(got.holds != 0, holds, "{word:08X} {flags:04b}");
    }
}
