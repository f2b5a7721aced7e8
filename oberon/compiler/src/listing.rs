//! An object file as text: its tables, and its code instruction by instruction with the names
//! that the fix-up chains stand for.

use std::collections::HashMap;
use std::fmt::{self, Display};

use risc5_isa::Instruction;

use crate::object::ObjectFile;
use crate::positions::Table;

/// Shows an object file.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a>(pub &'a ObjectFile);

/// What the loader makes of a word: entries of the chains of calls and data bases.
fn fixups(object: &ObjectFile) -> HashMap<usize, String> {
    let mut out = HashMap::new();
    let name = |mno: u32| match (mno as usize).checked_sub(1) {
        None => object.name.clone(),
        Some(index) => object
            .imports
            .get(index)
            .map_or_else(|| format!("module {mno}"), |(name, _)| name.clone()),
    };
    let mut follow = |start: u32, text: &dyn Fn(u32) -> String| {
        let mut at = start as usize;
        while at > 0 && at < object.code.len() {
            let word = object.code[at];
            out.insert(at, text(word));
            let distance = (word & 0xFFF) as usize;
            if distance == 0 {
                break;
            }
            at = at.saturating_sub(distance);
        }
    };
    follow(object.fix_p, &|word| {
        format!("call {} entry {}", name(word >> 20 & 15), word >> 12 & 255)
    });
    follow(object.fix_d, &|word| format!("data of {}", name(word >> 20 & 15)));
    out
}

/// Shows an object file with source lines above the code that comes from them.
#[derive(Clone, Copy, Debug)]
pub struct Annotated<'a> {
    /// The object file.
    pub object: &'a ObjectFile,
    /// Its position table.
    pub table: &'a Table,
    /// The source text; lines that it does not have are left out.
    pub source: &'a str,
}

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.0, |_, _| Ok(()))
    }
}

impl Display for Annotated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.source.replace("\r\n", "\n").replace('\r', "\n");
        let lines: Vec<&str> = text.split('\n').collect();
        let mut shown = 0;
        write(f, self.object, |f, word| {
            if let Some(procedure) = self.table.procedures.iter().find(|p| p.start == word) {
                writeln!(f, "\n{}:", procedure.name)?;
            }
            let Some(place) = self.table.place(word) else {
                return Ok(());
            };
            if place.line != shown {
                shown = place.line;
                let line = lines.get(place.line as usize - 1).copied().unwrap_or_default();
                writeln!(f, "{:>5} | {}", place.line, line.trim_end())?;
            }
            Ok(())
        })
    }
}

/// Writes a listing; `before` may add lines above each word.
fn write(
    f: &mut fmt::Formatter<'_>,
    o: &ObjectFile,
    mut before: impl FnMut(&mut fmt::Formatter<'_>, u32) -> fmt::Result,
) -> fmt::Result {
    writeln!(f, "module {} key {:08X} version {}", o.name, o.key, o.version)?;
    for (number, (name, key)) in o.imports.iter().enumerate() {
        writeln!(f, "import {} {name} key {key:08X}", number + 1)?;
    }
    for (at, word) in o.type_descriptors.iter().enumerate() {
        writeln!(f, "descriptor {:04X} {word:08X}", 4 * at)?;
    }
    writeln!(f, "variables {} strings {}", o.variable_bytes, o.strings.len())?;
    let fixups = fixups(o);
    for (at, word) in o.code.iter().enumerate() {
        if 4 * at as u32 == o.body {
            writeln!(f, "body:")?;
        }
        for (name, offset) in &o.commands {
            if 4 * at as u32 == *offset {
                writeln!(f, "{name}:")?;
            }
        }
        before(f, at as u32)?;
        let instruction = Instruction::decode(*word);
        match fixups.get(&at) {
            Some(note) => writeln!(f, "{:6X}  {word:08X}  {note}", 4 * at)?,
            None => writeln!(f, "{:6X}  {word:08X}  {instruction}", 4 * at)?,
        }
    }
    for (number, offset) in o.entries.iter().enumerate() {
        writeln!(f, "entry {number} {offset:X}")?;
    }
    for offset in &o.pointers {
        writeln!(f, "pointer {offset:X}")?;
    }
    writeln!(f, "chains {} {} {}", o.fix_p, o.fix_d, o.fix_t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, project};

    #[test]
    fn a_listing_names_what_the_loader_fills_in() {
        let sources = [
            Source::new("A.Mod", "MODULE A; VAR x*: INTEGER; PROCEDURE Q*; END Q; END A."),
            Source::new(
                "B.Mod",
                "MODULE B; IMPORT A; PROCEDURE P*; BEGIN A.Q; LED(A.x) END P; END B.",
            ),
        ];
        let built = project::build(&sources).unwrap();
        let text = Listing(&built[1].object).to_string();
        for part in ["import 1 A", "call A entry 2", "data of A", "P:", "body:"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn a_damaged_chain_ends() {
        let object = ObjectFile {
            code: vec![0, 0x8000_0000, 0x8000_0FFF],
            fix_d: 2,
            fix_p: 1,
            ..ObjectFile::default()
        };
        assert!(Listing(&object).to_string().contains("chains 1 2 0"));
    }
}
