//! Symbol files (`.smb`): what a module shows to those that import it.
//!
//! ```text
//! word 0 | word key | string name | byte 1 | objects | byte 0, padded with 0 to a multiple of 4
//! object = class (1 constant or procedure, 2 variable, 5 type) name type tail
//! ```
//!
//! Numbers are signed LEB128, words little-endian, strings end with a 0 byte. The key is the sum
//! of all words of the file, the key itself taken as 0: the same exports give the same key, and
//! an object file names the keys of what it was compiled against.
//!
//! String constants are listed with their offset in the exporter only, so importers cannot use them;
//! files of version 2 (`--ext strings`) hold their texts too.
//!
//! Layout and numbering are those of Project Oberon (compiler of 8.3.2020); files can be
//! exchanged in both directions.

mod error;
mod reader;
mod writer;

pub use error::SymbolError;
pub use reader::{Imported, ImportedKind, ImportedModule, read};
pub use writer::write;

use crate::types::{Form, TypeId, Types};

/// Most modules that can be in sight: an object file has four bits for the module number.
pub const MAX_MODULES: usize = 15;
/// Most exported objects of a module: the export number is a byte, and 0 is the module body.
pub const MAX_EXPORTS: u32 = 255;
/// Numbers of named types in a symbol file end here.
const MAX_REF: u32 = 63;
/// Version byte behind the module name.
const VERSION: u8 = 1;
/// Version of a file with the texts of string constants: behind the offset of each the length that
/// the language counts, the number of bytes, and the bytes. Project Oberon refuses it.
const VERSION_WITH_TEXTS: u8 = 2;

const CLASS_CONST: u8 = 1;
const CLASS_VAR: u8 = 2;
const CLASS_REFERENCE: u8 = 3;
const CLASS_FIELD: u8 = 4;
const CLASS_TYPE: u8 = 5;

const FORM_POINTER: u8 = 7;
const FORM_PROCEDURE: u8 = 10;
const FORM_ARRAY: u8 = 12;
const FORM_RECORD: u8 = 13;

fn form_code(types: &Types, id: TypeId) -> u8 {
    match types.form(id) {
        Form::Pointer(_) => FORM_POINTER,
        Form::Procedure { .. } => FORM_PROCEDURE,
        Form::Array { .. } => FORM_ARRAY,
        Form::Record(_) => FORM_RECORD,
        _ => id.0 as u8,
    }
}

/// The key of a symbol file: the sum of its words without the key itself.
#[must_use]
pub fn key_of(file: &[u8]) -> u32 {
    file.chunks_exact(4)
        .enumerate()
        .filter(|(at, _)| *at != 1)
        .fold(0, |sum, (_, w)| sum.wrapping_add(u32::from_le_bytes([w[0], w[1], w[2], w[3]])))
}

#[cfg(test)]
mod tests;
