//! Traps: a conditional register branch through the module table whose unused bits carry the trap
//! number and the source position: `D cond | position:16 | number:4 | C`.

use crate::instruction::Instruction;
use crate::opcode::Cond;
use crate::register;

/// Meaning of each trap number. Number 0 is no fault: it calls the allocator for `NEW`.
pub const MEANINGS: [&str; 8] = [
    "allocate",
    "array index out of range",
    "type guard failure",
    "array or string copy overflow",
    "NIL dereference",
    "call through a NIL procedure variable",
    "division by zero or a negative divisor",
    "assertion violated",
];

/// Allocate a block: R0 = address of the pointer, R1 = type descriptor.
pub const NEW: u8 = 0;
/// Array index out of range.
pub const INDEX: u8 = 1;
/// Type guard failure.
pub const GUARD: u8 = 2;
/// Array or string copy overflow.
pub const COPY: u8 = 3;
/// NIL dereference.
pub const NIL: u8 = 4;
/// Call through a NIL procedure variable.
pub const CALL: u8 = 5;
/// Division by zero or a negative divisor.
pub const DIVISOR: u8 = 6;
/// Assertion violated.
pub const ASSERTION: u8 = 7;

/// The trap instruction: taken when `cond` holds. `position` is cut to 16 bits.
#[must_use]
pub const fn instruction(cond: Cond, number: u8, position: u32) -> Instruction {
    let low = (position & 0xFFFF) << 8 | (number as u32 & 15) << 4 | register::MODULE_TABLE as u32;
    Instruction::BranchRegister { link: true, cond, low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_word_has_the_documented_layout() {
        assert_eq!(instruction(Cond::Cc, INDEX, 0x1234).encode(), 0xDA12_341C);
        assert_eq!(instruction(Cond::Always, NEW, 7).encode(), 0xD700_070C);
    }
}
