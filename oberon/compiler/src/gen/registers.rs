//! Register allocation of expressions.
//!
//! A value lives in a register or, when registers run out or a call comes, in a slot of the
//! frame; it is loaded again where it is used. The oldest value goes first: it is used last.

use risc5_isa::opcode::Op;
use risc5_isa::register::STACK;

use super::Generator;

/// Registers 0 to 11 hold values.
pub(super) const COUNT: usize = 12;

/// A value under computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value(usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Free,
    Register(u8),
    Slot(usize),
}

/// Which value is where.
#[derive(Debug, Default)]
pub(super) struct Registers {
    values: Vec<Place>,
    held: [Option<Value>; COUNT],
    pinned: [bool; COUNT],
    slots: Vec<bool>,
    touched: [bool; COUNT],
    /// All registers were pinned when one more was needed.
    pub(super) exhausted: bool,
}

impl Registers {
    /// Bytes of the frame that spilled values take.
    pub(super) fn spill_bytes(&self) -> u32 {
        4 * self.slots.len() as u32
    }

    /// Registers that were used at all.
    pub(super) fn used(&self) -> Vec<u8> {
        (0..COUNT as u8).filter(|r| self.touched[usize::from(*r)]).collect()
    }

    /// Values in registers.
    pub(super) fn live(&self) -> usize {
        self.held.iter().flatten().count()
    }

    fn take_slot(&mut self) -> usize {
        if let Some(free) = self.slots.iter().position(|used| !used) {
            self.slots[free] = true;
            return free;
        }
        self.slots.push(true);
        self.slots.len() - 1
    }

    fn hold(&mut self, register: u8, value: Value) {
        let at = usize::from(register);
        self.held[at] = Some(value);
        self.touched[at] = true;
        self.values[value.0] = Place::Register(register);
    }
}

impl Generator<'_, '_, '_> {
    /// A register that holds nothing.
    fn free_register(&mut self) -> u8 {
        if let Some(at) = self.regs.held.iter().position(Option::is_none) {
            return at as u8;
        }
        let victim =
            (0..COUNT).filter(|at| !self.regs.pinned[*at]).min_by_key(|at| self.regs.held[*at]);
        match victim {
            Some(at) => {
                self.spill_register(at as u8);
                at as u8
            }
            None => {
                self.regs.exhausted = true;
                self.regs.held[0] = None;
                0
            }
        }
    }

    fn spill_register(&mut self, register: u8) {
        if let Some(value) = self.regs.held[usize::from(register)].take() {
            let slot = self.regs.take_slot();
            self.regs.values[value.0] = Place::Slot(slot);
            let offset = self.slot_offset(slot);
            self.out.store(register, STACK, offset);
        }
    }

    fn slot_offset(&self, slot: usize) -> i32 {
        (self.layout.base + self.layout.variables) as i32 + 4 * slot as i32
    }

    /// A new value in the lowest free register.
    pub(super) fn alloc(&mut self) -> Value {
        let register = self.free_register();
        self.alloc_in(register)
    }

    /// A new value in a certain register, which must be free.
    pub(super) fn alloc_in(&mut self, register: u8) -> Value {
        let value = Value(self.regs.values.len());
        self.regs.values.push(Place::Free);
        self.regs.hold(register, value);
        value
    }

    /// The value is not needed any more.
    pub(super) fn free(&mut self, value: Value) {
        match self.regs.values[value.0] {
            Place::Register(register) => {
                let at = usize::from(register);
                if self.regs.held[at] == Some(value) {
                    self.regs.held[at] = None;
                    self.regs.pinned[at] = false;
                }
            }
            Place::Slot(slot) => self.regs.slots[slot] = false,
            Place::Free => {}
        }
        self.regs.values[value.0] = Place::Free;
    }

    /// The register of a value, loaded from its slot if it was spilled.
    pub(super) fn reg(&mut self, value: Value) -> u8 {
        match self.regs.values[value.0] {
            Place::Register(register) => register,
            Place::Slot(slot) => {
                let register = self.free_register();
                self.load_slot(value, slot, register);
                register
            }
            Place::Free => 0,
        }
    }

    fn load_slot(&mut self, value: Value, slot: usize, register: u8) {
        let offset = self.slot_offset(slot);
        self.out.load(register, STACK, offset);
        self.regs.slots[slot] = false;
        self.regs.hold(register, value);
    }

    /// The registers of two values at once.
    pub(super) fn regs2(&mut self, a: Value, b: Value) -> (u8, u8) {
        let ra = self.pin(a);
        let rb = self.reg(b);
        self.unpin(a);
        (ra, rb)
    }

    /// Keeps a value in its register until [`Self::unpin`].
    pub(super) fn pin(&mut self, value: Value) -> u8 {
        let register = self.reg(value);
        self.regs.pinned[usize::from(register)] = true;
        register
    }

    pub(super) fn unpin(&mut self, value: Value) {
        if let Place::Register(register) = self.regs.values[value.0] {
            self.regs.pinned[usize::from(register)] = false;
        }
    }

    /// Moves a value to a certain register, which holds no other value or one that may go.
    pub(super) fn move_to(&mut self, value: Value, register: u8) {
        let at = usize::from(register);
        if self.regs.held[at].is_some_and(|held| held != value) {
            self.spill_register(register);
        }
        match self.regs.values[value.0] {
            Place::Register(from) if from != register => {
                self.out.register(Op::Mov, register, 0, from);
                self.regs.held[usize::from(from)] = None;
                self.regs.hold(register, value);
            }
            Place::Slot(slot) => self.load_slot(value, slot, register),
            _ => {}
        }
    }

    /// Sends a value to the frame.
    pub(super) fn spill(&mut self, value: Value) {
        if let Place::Register(register) = self.regs.values[value.0] {
            self.spill_register(register);
        }
    }

    /// Sends all values to the frame: before a call, and before code that may be skipped and
    /// that could spill them only on one way.
    pub(super) fn spill_all(&mut self) {
        for register in 0..COUNT as u8 {
            self.spill_register(register);
        }
    }
}
