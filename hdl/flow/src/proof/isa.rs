//! Codes of the instruction set for the property files, from the one table of it.

use std::fmt::Write as _;

use risc5_isa::opcode::{CONDITIONS, Cond, OPERATIONS};

/// Bits 31..28 of each form, tried against the decoder of the table.
const FORMS: [(&str, &str); 6] = [
    ("REGISTER", "00??"),
    ("IMMEDIATE", "01??"),
    ("LOAD", "100?"),
    ("STORE", "101?"),
    ("BRANCH_REGISTER", "110?"),
    ("BRANCH_RELATIVE", "111?"),
];

/// The text of `isa.vh`: ``OP_…``, ``COND_…`` and ``FORM_…``.
pub(super) fn header() -> String {
    let mut text = String::from("// Made from risc5-isa.\n");
    for row in &OPERATIONS {
        let _ = writeln!(text, "`define OP_{} 4'd{}", row.mnemonic, row.op.code());
    }
    for row in &CONDITIONS {
        let name = match row.cond {
            Cond::Always => "ALWAYS",
            Cond::Never => "NEVER",
            _ => row.mnemonic,
        };
        let _ = writeln!(text, "`define COND_{name} 4'd{}", row.cond.code());
    }
    for (name, bits) in FORMS {
        let _ = writeln!(text, "`define FORM_{name} 4'b{bits}");
    }
    text
}

#[cfg(test)]
mod tests {
    use risc5_isa::Instruction;

    use super::*;

    /// The form that the table decodes a word to, by its name here.
    fn form(word: u32) -> &'static str {
        match Instruction::decode(word) {
            Instruction::Register { .. } => "REGISTER",
            Instruction::Immediate { .. } => "IMMEDIATE",
            Instruction::Memory { store: false, .. } => "LOAD",
            Instruction::Memory { store: true, .. } => "STORE",
            Instruction::BranchRegister { .. } => "BRANCH_REGISTER",
            Instruction::BranchRelative { .. } => "BRANCH_RELATIVE",
        }
    }

    #[test]
    fn forms_are_those_of_the_instruction_table() {
        for top in 0..16_u32 {
            let fits = |pattern: &str| {
                pattern.bytes().enumerate().all(|(index, bit)| {
                    bit == b'?' || (bit == b'1') == (top >> (3 - index) & 1 != 0)
                })
            };
            let names: Vec<&str> =
                FORMS.iter().filter(|(_, bits)| fits(bits)).map(|(name, _)| *name).collect();
            assert_eq!(names, [form(top << 28)], "{top:04b}");
        }
    }

    #[test]
    fn every_code_has_a_name() {
        let text = header();
        assert!(text.contains("`define OP_FDV 4'd15\n"), "{text}");
        assert!(text.contains("`define COND_ALWAYS 4'd7\n"), "{text}");
        assert_eq!(text.lines().count(), 1 + 16 + 16 + 6);
    }
}
