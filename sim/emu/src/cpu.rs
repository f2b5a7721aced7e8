//! The instruction loop.
//!
//! Flags N and Z follow from the last value written to a register, so only that value is kept. C and
//! V come from additions and subtractions alone. Interrupts, timers and the watchdog are not looked
//! at here: the caller gives a budget of cycles that ends where one of them is due.

use std::hint::black_box;

use risc5_isa::instruction::{LOW_ENABLE, LOW_RETURN};
use risc5_isa::{Op, map};

use crate::cycles::CycleTable;
use crate::float;
use crate::integer;
use crate::memory::{Memory, load, store, store_byte};
use crate::operation::{HOLDS, Kind, Operation};
use crate::outside::{Io, Outside};

/// The low byte of what MOV of the flags reads: the core's revision of 31.8.2018.
const CORE_IDENTITY: u32 = 0x53;
const LINK: usize = 15;

/// The sixteen registers. The rest is never touched: with 256 places a register number of eight bits
/// needs no check.
pub(crate) type Registers = [u32; 256];

/// Registers that software sees, named as in the published core.
pub(crate) struct Cpu {
    pub(crate) r: Registers,
    /// Word address of the next instruction, 22 bits.
    pub(crate) pc: u32,
    pub(crate) h: u32,
    /// N and Z are those of this value.
    nz: u32,
    c: bool,
    v: bool,
    pub(crate) interrupt: Interrupt,
}

/// The one interrupt of the core.
#[derive(Default)]
pub(crate) struct Interrupt {
    /// A timer edge was seen and not served yet; it is latched whether or not interrupts are on.
    pub(crate) pending: bool,
    pub(crate) enabled: bool,
    /// A handler runs: further interrupts wait for its return.
    pub(crate) serving: bool,
    saved_pc: u32,
    /// NZCV as a 4-bit number.
    saved_flags: u32,
}

impl Interrupt {
    /// Whether the core leaves the program for the handler after the current instruction.
    pub(crate) fn due(&self) -> bool {
        self.pending && self.enabled && !self.serving
    }

    /// As after reset: off, nothing pending, no handler running.
    pub(crate) fn clear(&mut self) {
        (self.pending, self.enabled, self.serving) = (false, false, false);
    }
}

/// What a run of instructions came to.
pub(crate) struct Ran {
    pub(crate) cycles: u64,
    pub(crate) instructions: u64,
    /// The last instruction wrote the interrupt state: one more executes before it counts.
    pub(crate) control: bool,
}

impl Cpu {
    pub(crate) fn new(pc: u32) -> Self {
        Self {
            r: [0; 256],
            pc: pc & map::PC_MASK,
            h: 0,
            nz: 1,
            c: false,
            v: false,
            interrupt: Interrupt::default(),
        }
    }

    /// NZCV as a 4-bit number.
    pub(crate) fn flags(&self) -> u32 {
        flags(self.nz, self.c, self.v)
    }

    fn set_flags(&mut self, flags: u32) {
        self.nz = match flags >> 2 & 3 {
            0 => 1,
            1 => 0,
            _ => 0x8000_0000,
        };
        self.c = flags & 2 != 0;
        self.v = flags & 1 != 0;
    }

    /// Leaves for the interrupt handler.
    pub(crate) fn accept_interrupt(&mut self) {
        self.interrupt.saved_pc = self.pc;
        self.interrupt.saved_flags = self.flags();
        self.interrupt.pending = false;
        self.interrupt.serving = true;
        self.pc = map::INTERRUPT_VECTOR / 4;
    }

    /// Interrupt enable and return from interrupt. Both act whatever the condition says.
    fn control(&mut self, low: u32, branch_to: u32) {
        self.pc = branch_to;
        if low & LOW_ENABLE != 0 {
            self.interrupt.enabled = low & 1 != 0;
        }
        if low & LOW_RETURN != 0 {
            self.interrupt.serving = false;
            self.pc = self.interrupt.saved_pc;
            self.set_flags(self.interrupt.saved_flags);
        }
    }

    /// Executes instructions, at least one, until `budget` cycles are used up or something happens
    /// that the caller must look at. `start` is the cycle count at the beginning.
    pub(crate) fn run(
        &mut self,
        memory: &mut Memory,
        io: &mut impl Io,
        costs: &CycleTable,
        start: u64,
        budget: u64,
    ) -> Ran {
        // Short enough for the count of instructions below.
        let budget = budget.min(map::PC_MASK.into());
        let mut left = budget as i64;
        let mut control = false;
        let taken = i64::from(costs.branch_taken) - i64::from(costs.branch_not_taken);
        let (mut pc, mut nz, mut c, mut v) = (self.pc, self.nz, self.c, self.v);
        // Instructions are not counted one by one: `pc` goes up by one with each, and `skew` by the
        // length of each jump, so their difference is the count, modulo the width of `pc`.
        let mut skew = pc;
        let Memory { ram, operations, prom } = memory;
        let (ram, operations) = (&mut **ram, &mut **operations);
        // A copy that nothing else can see stays where the loop wants it.
        let mut registers = self.r;
        let r = &mut registers;
        let mut h = self.h;

        macro_rules! b {
            ($op:ident) => {
                r[$op.b as usize]
            };
        }
        macro_rules! n {
            ($op:ident) => {
                r[$op.imm as u8 as usize]
            };
        }
        macro_rules! set {
            ($op:ident, $value:expr) => {{
                let value: u32 = $value;
                r[$op.a as usize] = value;
                nz = value;
            }};
        }
        macro_rules! add {
            ($op:ident, $n:expr) => {{
                let (b, n): (u32, u32) = (b!($op), $n);
                let (sum, carry) = b.overflowing_add(n);
                c = carry;
                v = ((sum ^ b) & (sum ^ n)) >> 31 != 0;
                set!($op, sum);
            }};
        }
        macro_rules! subtract {
            ($op:ident, $n:expr) => {{
                let (b, n): (u32, u32) = (b!($op), $n);
                let (difference, borrow) = b.overflowing_sub(n);
                c = borrow;
                v = ((b ^ n) & (difference ^ b)) >> 31 != 0;
                set!($op, difference);
            }};
        }
        macro_rules! add_with_carry {
            ($op:ident, $n:expr) => {{
                let (b, n): (u32, u32) = (b!($op), $n);
                let (sum, carry) = add_three(b, n, c);
                c = carry;
                v = ((sum ^ b) & (sum ^ n)) >> 31 != 0;
                set!($op, sum);
            }};
        }
        macro_rules! subtract_with_borrow {
            ($op:ident, $n:expr) => {{
                let (b, n): (u32, u32) = (b!($op), $n);
                let (difference, borrow) = subtract_three(b, n, c);
                c = borrow;
                v = ((b ^ n) & (difference ^ b)) >> 31 != 0;
                set!($op, difference);
            }};
        }
        macro_rules! pair {
            ($op:ident, $pair:expr) => {{
                let pair = $pair;
                h = pair.h;
                set!($op, pair.low);
            }};
        }
        macro_rules! go {
            ($target:expr) => {{
                let target: u32 = $target & map::PC_MASK;
                skew = skew.wrapping_add(target.wrapping_sub(black_box(pc)));
                pc = target;
            }};
        }
        macro_rules! jump {
            ($op:ident) => {{
                pc = pc.wrapping_add($op.imm) & map::PC_MASK;
                skew = skew.wrapping_add($op.imm);
            }};
        }
        macro_rules! jump_if {
            ($op:ident, $condition:expr) => {
                if $condition {
                    jump!($op);
                    left -= taken;
                }
            };
        }
        macro_rules! holds {
            ($op:ident) => {
                HOLDS[$op.a as usize & 15] >> flags(nz, c, v) & 1 != 0
            };
        }
        macro_rules! link {
            () => {{
                // Opaque: else every step of the loop would compute it beforehand.
                let value = black_box(pc) << 2 & map::ADDRESS_MASK;
                r[LINK] = value;
                nz = value;
            }};
        }

        macro_rules! call_register_if {
            ($op:ident, $condition:expr) => {
                if $condition {
                    let target = b!($op) >> 2;
                    link!();
                    go!(target);
                    left -= taken;
                }
            };
        }

        let mut outside = Outside { io, prom, end: start + budget, taken };

        while left > 0 {
            let op = match operations.get(pc as usize) {
                Some(op) => *op,
                None => outside.prom.fetch_above(ram, operations, pc),
            };
            // The step past the last word of the address space is made good by the fetch.
            pc += 1;
            left -= i64::from(op.cost);
            match op.kind {
                Kind::Stale => {
                    // Costs nothing; next time round there is an operation.
                    pc = black_box(pc).wrapping_sub(1);
                    left = black_box(left) + i64::from(op.cost);
                    outside.prom.decode(ram, operations, pc as usize);
                }
                Kind::MovR => set!(op, n!(op)),
                Kind::MovI => set!(op, op.imm),
                Kind::MovH => set!(op, h),
                Kind::MovFlags => set!(op, flags(nz, c, v) << 28 | CORE_IDENTITY),
                Kind::LslR => set!(op, b!(op) << (n!(op) & 31)),
                Kind::LslI => set!(op, b!(op) << (op.imm & 31)),
                Kind::AsrR => set!(op, (b!(op) as i32 >> (n!(op) & 31)) as u32),
                Kind::AsrI => set!(op, (b!(op) as i32 >> (op.imm & 31)) as u32),
                Kind::RorR => set!(op, b!(op).rotate_right(n!(op) & 31)),
                Kind::RorI => set!(op, b!(op).rotate_right(op.imm & 31)),
                Kind::AndR => set!(op, b!(op) & n!(op)),
                Kind::AndI => set!(op, b!(op) & op.imm),
                Kind::AnnR => set!(op, b!(op) & !n!(op)),
                Kind::IorR => set!(op, b!(op) | n!(op)),
                Kind::IorI => set!(op, b!(op) | op.imm),
                Kind::XorR => set!(op, b!(op) ^ n!(op)),
                Kind::XorI => set!(op, b!(op) ^ op.imm),
                Kind::AddR => add!(op, n!(op)),
                Kind::AddI => add!(op, op.imm),
                Kind::AdcR => add_with_carry!(op, n!(op)),
                Kind::AdcI => add_with_carry!(op, op.imm),
                Kind::SubR => subtract!(op, n!(op)),
                Kind::SubI => subtract!(op, op.imm),
                Kind::SbcR => subtract_with_borrow!(op, n!(op)),
                Kind::SbcI => subtract_with_borrow!(op, op.imm),
                Kind::MulR => pair!(op, integer::multiply(b!(op), n!(op))),
                Kind::MulI => pair!(op, integer::multiply(b!(op), op.imm)),
                Kind::UmlR => pair!(op, integer::multiply_unsigned(b!(op), n!(op))),
                Kind::UmlI => pair!(op, integer::multiply_unsigned(b!(op), op.imm)),
                Kind::DivR => pair!(op, integer::divide(b!(op), n!(op), true)),
                Kind::DivI => pair!(op, integer::divide(b!(op), op.imm, true)),
                Kind::UdivR => pair!(op, integer::divide(b!(op), n!(op), false)),
                Kind::UdivI => pair!(op, integer::divide(b!(op), op.imm, false)),
                Kind::Float => set!(op, float_operation(r, op)),
                Kind::LoadWord => {
                    let address = b!(op).wrapping_add(op.imm) & map::ADDRESS_MASK;
                    if address < map::IO_BASE {
                        set!(op, load(ram, address));
                    } else {
                        set!(op, outside.read(op, address, left));
                        let waited = outside.wait(operations, r, op, (address, pc), c | v, left);
                        left -= waited.cycles;
                        skew = skew.wrapping_sub(waited.instructions);
                    }
                }
                Kind::LoadByte => {
                    let address = b!(op).wrapping_add(op.imm) & map::ADDRESS_MASK;
                    let word = if address < map::IO_BASE {
                        load(ram, address)
                    } else {
                        outside.read(op, address, left)
                    };
                    set!(op, word >> (address % 4 * 8) & 0xFF);
                }
                Kind::StoreWord => {
                    let address = b!(op).wrapping_add(op.imm) & map::ADDRESS_MASK;
                    let value = r[op.a as usize];
                    if address < map::IO_BASE {
                        store(ram, operations, address, value);
                    } else if outside.write(op, address, value, left) {
                        break;
                    }
                }
                Kind::StoreByte => {
                    let address = b!(op).wrapping_add(op.imm) & map::ADDRESS_MASK;
                    let value = r[op.a as usize] & 0xFF;
                    if address < map::IO_BASE {
                        store_byte(ram, operations, address, value as u8);
                    } else {
                        // The byte travels in its own lane of the bus.
                        let lane = value << (address % 4 * 8);
                        if outside.write(op, address, lane, left) {
                            break;
                        }
                    }
                }
                Kind::Jump => jump!(op),
                Kind::JumpEq => jump_if!(op, nz == 0),
                Kind::JumpNe => jump_if!(op, nz != 0),
                Kind::JumpLt => jump_if!(op, ((nz as i32) < 0) != v),
                Kind::JumpGe => jump_if!(op, ((nz as i32) < 0) == v),
                Kind::JumpGt => jump_if!(op, ((nz as i32) < 0) == v && nz != 0),
                Kind::JumpLe => jump_if!(op, ((nz as i32) < 0) != v || nz == 0),
                Kind::JumpMi => jump_if!(op, (nz as i32) < 0),
                Kind::JumpPl => jump_if!(op, (nz as i32) >= 0),
                Kind::JumpIf => jump_if!(op, holds!(op)),
                Kind::Call => {
                    link!();
                    jump!(op);
                }
                Kind::CallIf => {
                    if holds!(op) {
                        link!();
                        jump!(op);
                        left -= taken;
                    }
                }
                Kind::Return => go!(b!(op) >> 2),
                Kind::ReturnIf => {
                    if holds!(op) {
                        go!(b!(op) >> 2);
                        left -= taken;
                    }
                }
                Kind::CallRegister => {
                    let target = b!(op) >> 2;
                    link!();
                    go!(target);
                }
                Kind::CheckEq => call_register_if!(op, nz == 0),
                Kind::CheckCc => call_register_if!(op, !c),
                Kind::CallRegisterIf => call_register_if!(op, holds!(op)),
                Kind::Control => {
                    if holds!(op) {
                        go!(b!(op) >> 2);
                    }
                    (self.nz, self.c, self.v) = (nz, c, v);
                    self.control(op.imm, pc);
                    (nz, c, v) = (self.nz, self.c, self.v);
                    go!(self.pc);
                    control = true;
                    break;
                }
            }
        }

        (self.pc, self.nz, self.c, self.v) = (pc & map::PC_MASK, nz, c, v);
        (self.r, self.h) = (registers, h);
        Ran {
            cycles: (budget as i64 - left) as u64,
            instructions: (pc.wrapping_sub(skew) & map::PC_MASK).into(),
            control,
        }
    }
}

#[inline]
fn flags(nz: u32, c: bool, v: bool) -> u32 {
    nz >> 31 << 3 | u32::from(nz == 0) << 2 | u32::from(c) << 1 | u32::from(v)
}

/// Sum and carry of two words and an incoming carry.
fn add_three(b: u32, n: u32, carry: bool) -> (u32, bool) {
    let (partial, first) = b.overflowing_add(n);
    let (sum, second) = partial.overflowing_add(u32::from(carry));
    (sum, first | second)
}

/// Difference and borrow of two words and an incoming borrow.
fn subtract_three(b: u32, n: u32, borrow: bool) -> (u32, bool) {
    let (partial, first) = b.overflowing_sub(n);
    let (difference, second) = partial.overflowing_sub(u32::from(borrow));
    (difference, first | second)
}

/// Floating point from the instruction word kept in `imm`.
#[inline(never)]
fn float_operation(r: &Registers, op: Operation) -> u32 {
    let word = op.imm;
    let x = r[op.b as usize];
    let (u, v) = (word >> 29 & 1 != 0, word >> 28 & 1 != 0);
    let y = match (word >> 30 & 1, v) {
        (0, _) => r[word as usize & 15],
        (_, false) => word & 0xFFFF,
        (_, true) => word | 0xFFFF_0000,
    };
    match Op::from_code(word >> 16) {
        Op::Fsb => float::subtract(x, y, u, v),
        Op::Fml => float::multiply(x, y),
        Op::Fdv => float::divide(x, y),
        _ => float::add(x, y, u, v),
    }
}
