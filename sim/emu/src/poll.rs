//! Waiting loops of a few instructions, recognised so that their rounds need not be executed one by
//! one.
//!
//! Software waits for the SPI and the UART by reading a status word over and over; during a boot
//! three quarters of all instructions do that. Where one round provably leaves every register and
//! flag as it was, the rounds until the status can change are counted instead of executed. Counted
//! rounds are the same cycles and instructions: the run is the same, only the host has less to do.

use risc5_isa::map;

use crate::operation::{Kind, Operation};

/// Longest loop that is looked at.
const LONGEST: u32 = 8;

/// One round of a waiting loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    pub(crate) instructions: u32,
    pub(crate) cycles: i64,
}

impl Round {
    /// How many rounds pass before a status that stays as it is for `steady` cycles, and before the
    /// last of `left` cycles.
    pub(crate) fn count(&self, steady: u64, left: i64) -> u32 {
        let steady = i64::try_from(steady).unwrap_or(i64::MAX);
        let rounds = (steady - 1).min(left - 1) / self.cycles;
        u32::try_from(rounds).unwrap_or(0)
    }
}

/// The registers that a round can touch, and the value that N and Z stand for.
struct State {
    r: [u32; 16],
    nz: u32,
}

/// Follows the program from behind a load of `address` (`pc` is the word address after the load, N and
/// Z are those of the loaded value `nz`) around to that load.
/// `None` unless the round consists of constant moves, shifts and masks and ends where it began.
/// `taken` is what a taken conditional branch costs beyond one not taken.
pub(crate) fn round(
    fetch: impl Fn(u32) -> Operation,
    registers: &[u32],
    nz: u32,
    address: u32,
    pc: u32,
    taken: i64,
) -> Option<Round> {
    let load = pc.checked_sub(1)?;
    let mut r = [0; 16];
    r.copy_from_slice(registers.get(..16)?);
    let mut state = State { r, nz };
    let mut at = pc;
    let mut cycles = 0;
    for instructions in 1..=LONGEST {
        let op = fetch(at);
        cycles += i64::from(op.cost);
        if at == load {
            let base = *state.r.get(usize::from(op.b))?;
            let same_address = base.wrapping_add(op.imm) & map::ADDRESS_MASK == address;
            *state.r.get_mut(usize::from(op.a))? = nz;
            let unchanged = same_address && state.r[..] == registers[..16];
            return unchanged.then_some(Round { instructions, cycles });
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

    /// Operations that leave C, V, H and memory alone.
    fn step(&mut self, op: Operation) -> Option<()> {
        let b = *self.r.get(usize::from(op.b))?;
        let value = match op.kind {
            Kind::MovI => op.imm,
            Kind::MovR => *self.r.get(op.imm as usize)?,
            Kind::AndI => b & op.imm,
            Kind::RorI => b.rotate_right(op.imm & 31),
            Kind::LslI => b << (op.imm & 31),
            Kind::AsrI => (b as i32 >> (op.imm & 31)) as u32,
            _ => return None,
        };
        *self.r.get_mut(usize::from(op.a))? = value;
        self.nz = value;
        Some(())
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

    /// Looks at a program from the load at word 1, which has put 0 into R0.
    fn at_load(program: &[Instruction]) -> Option<Round> {
        let costs = CycleTable::ours();
        let fetch = |pc: u32| match program.get(pc as usize) {
            Some(instruction) => Operation::decode(instruction.encode(), &costs),
            None => Operation::STALE,
        };
        round(fetch, &[0; 16], 0, 0xFF_FFD4, 2, 1)
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
        let expected = Round { instructions: 4, cycles: 5 };
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
}
