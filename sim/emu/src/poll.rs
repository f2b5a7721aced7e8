//! Waiting loops of a few instructions, recognised so that their rounds need not be executed one by
//! one.
//!
//! Software waits for the SPI and the UART by reading a status word over and over; during a boot
//! three quarters of all instructions do that. Where one round provably leaves every register and
//! flag as it was, or counts a single register down, the rounds until the status can change are
//! counted instead of executed. Counted rounds are the same cycles and instructions: the run is the
//! same, only the host has less to do.

use risc5_isa::map;

use crate::operation::{Kind, Operation};

/// Longest loop that is looked at.
const LONGEST: u32 = 8;

/// One round of a waiting loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    pub(crate) instructions: u32,
    pub(crate) cycles: i64,
    pub(crate) countdown: Option<Countdown>,
}

/// A register that a loop counts down so as not to wait for ever. While it is above zero the loop goes
/// on, and subtractions from it leave C and V off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Countdown {
    pub(crate) register: u8,
    /// What a round takes from it, at least 1.
    pub(crate) step: u32,
    /// Rounds after which it is still above zero.
    rounds: u32,
}

impl Round {
    /// How many rounds pass before a status that stays as it is for `steady` cycles, and before the
    /// last of `left` cycles.
    pub(crate) fn count(&self, steady: u64, left: i64) -> u32 {
        let steady = i64::try_from(steady).unwrap_or(i64::MAX);
        let rounds = (steady - 1).min(left - 1) / self.cycles;
        let most = self.countdown.map_or(u32::MAX, |countdown| countdown.rounds);
        u32::try_from(rounds).unwrap_or(0).min(most)
    }
}

/// What a round does to the registers, and the value that N and Z stand for.
struct State {
    r: [u32; 16],
    nz: u32,
    /// Registers that serve for something else than counting, one bit each.
    used: u32,
    /// Register and step.
    countdown: Option<(u8, u32)>,
}

/// Where a round begins: behind a load from an I/O word.
pub(crate) struct Place<'a> {
    /// At least 16.
    pub(crate) registers: &'a [u32],
    /// The value loaded, which N and Z are of.
    pub(crate) nz: u32,
    /// C or V is on.
    pub(crate) carry: bool,
    /// Address loaded from.
    pub(crate) address: u32,
    /// Word address after the load.
    pub(crate) pc: u32,
}

/// Follows the program from behind a load around to that load.
/// `None` unless the round consists of constant moves, shifts and masks, and at most one register that
/// counts down, and ends where it began. `taken` is what a taken conditional branch costs beyond one
/// not taken.
pub(crate) fn round(
    fetch: impl Fn(u32) -> Operation,
    place: &Place<'_>,
    taken: i64,
) -> Option<Round> {
    let &Place { registers, nz, pc, .. } = place;
    let load = pc.checked_sub(1)?;
    let mut state = State { r: *registers.first_chunk()?, nz, used: 0, countdown: None };
    let mut at = pc;
    let mut cycles = 0;
    for instructions in 1..=LONGEST {
        let op = fetch(at);
        cycles += i64::from(op.cost);
        if at == load {
            return state.ends(op, place).then(|| {
                let countdown = state.countdown.map(|(register, step)| {
                    let value = registers[usize::from(register)];
                    Countdown { register, step, rounds: (value - 1) / step }
                });
                Round { instructions, cycles, countdown }
            });
        }
        at += 1;
        match op.kind {
            Kind::Jump => at = at.wrapping_add(op.imm),
            Kind::JumpEq | Kind::JumpNe | Kind::JumpMi | Kind::JumpPl => {
                if state.holds(op.kind) {
                    at = at.wrapping_add(op.imm);
                    cycles += taken;
                }
            }
            _ => state.step(op)?,
        }
        if at > load + LONGEST || at + LONGEST < load {
            return None;
        }
    }
    None
}

impl State {
    /// Conditions on N and Z alone.
    fn holds(&self, kind: Kind) -> bool {
        let negative = self.nz >> 31 != 0;
        match kind {
            Kind::JumpEq => self.nz == 0,
            Kind::JumpNe => self.nz != 0,
            Kind::JumpMi => negative,
            _ => !negative,
        }
    }

    /// Operations that leave C, V, H and memory alone; and counting down, which leaves C and V off.
    fn step(&mut self, op: Operation) -> Option<()> {
        let b = *self.r.get(usize::from(op.b))?;
        let value = match op.kind {
            // It sets N and Z, and while a count is above zero always in the same way.
            Kind::MovR if op.imm == u32::from(op.a) => *self.r.get(usize::from(op.a))?,
            Kind::SubI if op.a == op.b => self.count_down(op.a, b, op.imm)?,
            _ => {
                let (value, source) = match op.kind {
                    Kind::MovI => (op.imm, 0),
                    Kind::MovR => (*self.r.get(op.imm as usize)?, 1 << op.imm),
                    Kind::AndI => (b & op.imm, 1 << op.b),
                    Kind::RorI => (b.rotate_right(op.imm & 31), 1 << op.b),
                    Kind::LslI => (b << (op.imm & 31), 1 << op.b),
                    Kind::AsrI => ((b as i32 >> (op.imm & 31)) as u32, 1 << op.b),
                    _ => return None,
                };
                self.used |= source | 1 << op.a;
                value
            }
        };
        *self.r.get_mut(usize::from(op.a))? = value;
        self.nz = value;
        Some(())
    }

    fn count_down(&mut self, register: u8, value: u32, step: u32) -> Option<u32> {
        let left = value.checked_sub(step)?;
        let counts = self.countdown.is_none() && step > 0 && left > 0 && value >> 31 == 0;
        counts.then(|| {
            self.countdown = Some((register, step));
            left
        })
    }

    /// Whether the load, with which the round ends, finds what it began with.
    fn ends(&mut self, load: Operation, place: &Place<'_>) -> bool {
        let (base, target) = (usize::from(load.b), usize::from(load.a));
        let (true, true) = (base < 16, target < 16) else { return false };
        let address = self.r[base].wrapping_add(load.imm) & map::ADDRESS_MASK;
        self.r[target] = place.nz;
        self.used |= 1 << base | 1 << target;
        if let Some((register, step)) = self.countdown {
            let at = usize::from(register);
            if place.carry || self.used >> register & 1 != 0 {
                return false;
            }
            self.r[at] = self.r[at].wrapping_add(step);
        }
        address == place.address && self.r[..] == place.registers[..16]
    }
}

#[cfg(test)]
mod tests {
    use risc5_isa::{Cond, Instruction, Op};

    use super::*;
    use crate::CycleTable;

    fn immediate(op: Op, a: u8, b: u8, imm: u16) -> Instruction {
        let (u, v) = (false, imm >> 15 != 0);
        Instruction::Immediate { op, u, v, a, b, imm }
    }

    fn branch(cond: Cond, offset: i32) -> Instruction {
        Instruction::BranchRelative { link: false, cond, offset }
    }

    fn load() -> Instruction {
        Instruction::Memory { store: false, byte: false, a: 0, b: 0, offset: 0 }
    }

    /// A register that holds 100.
    const COUNT: usize = 3;

    /// Looks at a program from the load at word 1, which has put 0 into R0.
    fn at_load(program: &[Instruction]) -> Option<Round> {
        let costs = CycleTable::ours();
        let fetch = |pc: u32| match program.get(pc as usize) {
            Some(instruction) => Operation::decode(instruction.encode(), &costs),
            None => Operation::STALE,
        };
        let mut registers = [0; 16];
        registers[COUNT] = 100;
        let place = Place { registers: &registers, nz: 0, carry: false, address: 0xFF_FFD4, pc: 2 };
        round(fetch, &place, 1)
    }

    /// What the compiler makes of `REPEAT UNTIL SYSTEM.BIT(-44, 0)`.
    #[test]
    fn the_loop_of_the_published_kernel() {
        let program = [
            immediate(Op::Mov, 0, 0, -44_i16 as u16),
            load(),
            immediate(Op::Ror, 0, 0, 1),
            branch(Cond::Pl, -4),
        ];
        let expected = Round { instructions: 4, cycles: 5, countdown: None };
        assert_eq!(at_load(&program), Some(expected));
        assert_eq!(expected.count(21, 1_000), 4);
        assert_eq!(expected.count(20, 1_000), 3);
        assert_eq!(expected.count(1_000, 11), 2);
        assert_eq!(expected.count(0, 1_000), 0);
    }

    #[test]
    fn loops_that_count_store_or_leave_are_left_alone() {
        let head = [immediate(Op::Mov, 0, 0, -44_i16 as u16), load()];
        let with = |tail: &[Instruction]| at_load(&[&head, tail].concat());
        let back = |cond| branch(cond, -4);
        let shift = immediate(Op::Ror, 0, 0, 1);
        assert!(with(&[shift, back(Cond::Pl)]).is_some());
        assert!(with(&[shift, back(Cond::Mi)]).is_none(), "leaves");
        assert!(with(&[immediate(Op::Add, 1, 1, 1), back(Cond::Always)]).is_none(), "counts");
        assert!(with(&[immediate(Op::Mov, 1, 0, 7), back(Cond::Always)]).is_none(), "changes R1");
        let store = Instruction::Memory { store: true, byte: false, a: 0, b: 3, offset: 0 };
        assert!(with(&[store, back(Cond::Always)]).is_none(), "stores");
        assert!(with(&[load(), back(Cond::Always)]).is_none(), "reads more");
    }
    /// A program with the load at word 1, and operations behind it that are given the count's number.
    fn counting(before: &[Instruction], behind: &[Instruction]) -> Option<Round> {
        let head = [before, &[load()]].concat();
        let back = branch(Cond::Always, -3 - behind.len() as i32);
        at_load(&[&head, behind, &[back]].concat())
    }

    /// What the compiler makes of `REPEAT DEC(n) UNTIL SYSTEM.BIT(-44, 0) OR (n = 0)`.
    #[test]
    fn a_loop_that_gives_up_after_many_rounds() {
        let (count, shift) = (COUNT as u8, immediate(Op::Ror, 13, 0, 1));
        let address = immediate(Op::Mov, 0, 0, -44_i16 as u16);
        let own = |c| Instruction::Register { op: Op::Mov, u: false, v: false, a: c, b: 0, c };
        let looped = |step, tail: &[Instruction]| {
            let less = immediate(Op::Sub, count, count, step);
            let head = [address, load(), less, shift, branch(Cond::Mi, 9)];
            let back = branch(Cond::Ne, -(head.len() as i32) - 1 - tail.len() as i32);
            at_load(&[&head, tail, &[back]].concat())
        };
        let round = looped(1, &[own(count)]).expect("a waiting loop");
        assert_eq!((round.instructions, round.cycles), (7, 8));
        // From 100 at the load down to 1: the round to 0 leaves the loop.
        assert_eq!(round.count(100_000, 100_000), 99);
        assert_eq!(round.count(81, 100_000), 10);
        let three = looped(3, &[own(count)]).expect("a waiting loop");
        assert_eq!(three.count(100_000, 100_000), 33);
        assert!(looped(100, &[own(count)]).is_none(), "the next round ends it");
        assert!(looped(0, &[own(count)]).is_none(), "would never end");
    }

    #[test]
    fn a_count_that_is_also_something_else_is_left_alone() {
        let count = COUNT as u8;
        let address = immediate(Op::Mov, 0, 0, -44_i16 as u16);
        let less = immediate(Op::Sub, count, count, 1);
        let copy = |a, c| Instruction::Register { op: Op::Mov, u: false, v: false, a, b: 0, c };
        assert!(counting(&[address], &[less]).is_some());
        let others = [
            (copy(1, count), "is copied"),
            (immediate(Op::Mov, count, 0, 99), "is set to what one round makes of it"),
            (immediate(Op::Mov, count, 0, 100), "is set to what it was"),
            (immediate(Op::Ror, 13, count, 1), "is shifted"),
            (less, "counts twice"),
            (immediate(Op::Sub, 4, 4, 1), "below zero"),
        ];
        for (other, why) in others {
            assert_eq!(counting(&[address], &[less, other]), None, "{why}");
            assert_eq!(counting(&[address], &[other, less]), None, "{why}, first");
        }
    }
}
