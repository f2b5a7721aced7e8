//! Position tables (`.pos`): which line each piece of code comes from, where procedures begin, and
//! where variables are kept. They stand beside object files, for trap reports, listings and the
//! debugger; no machine reads them.
//!
//! The file is text, lines end with LF, fields are separated by one blank:
//!
//! ```text
//! obc-positions 1
//! module Demo key 0A1B2C3D words 37 variables 48      code words; bytes of data before the variables
//! source 812 5E1F00AA oberon/Demo.Mod     bytes and sum of the text, its name (to the end of line)
//! type 3 array 4 4 -                      number, form, what belongs to it; - where there is none
//! type 7 record 12 Rec                    bytes, name
//! field 0 4 x                             of the record above: offset, type, name
//! procedure 0 25 12 Init                  first word, words, line, name (nested: Outer.Inner)
//! variable g 16 4 count                   where it is kept; offset there; type; name
//! at 3 14 5                               from code word 3 on: line, column
//! ```
//!
//! Variables are kept among the global ones (`g`), in the frame (`l`), by reference, with their address in
//! the frame (`r`), or in registers (`x`), where only the compiler could say in which at what place.
//! A variable stands after the procedure that it belongs to; global ones stand before the first
//! procedure. Offsets are those of the generator: bytes within the module's variables, which follow
//! its type descriptors, or bytes within the frame behind what the entry code saves.

mod reader;
mod types;

use std::fmt::{self, Display};

use crate::diagnostic::Span;
use crate::tree::PlaceKind;
use crate::{Compiled, Source, r#gen, syntax, tree};

pub use reader::TableError;
pub use types::{Field, Shape};

/// Version of the format.
pub const VERSION: u32 = 1;

/// A position table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Module name.
    pub module: String,
    /// Key of the symbol file, by which the table belongs to an object file.
    pub key: u32,
    /// Words of code.
    pub words: u32,
    /// Bytes of the module's data before its variables; for a standalone module their address.
    pub variables_at: u32,
    /// Name of the source file as it was given.
    pub source: String,
    /// Bytes of the source text.
    pub source_bytes: u32,
    /// Sum of the source text, [`text_sum`].
    pub source_sum: u32,
    /// Types of variables. A [`Variable::ty`] is an index.
    pub shapes: Vec<Shape>,
    /// Global variables.
    pub globals: Vec<Variable>,
    /// Procedures in the order of their code; the module body is the last, named like the module.
    pub procedures: Vec<Procedure>,
    /// In rising order of words.
    pub places: Vec<Place>,
}

/// From which place of the text code comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// First code word; it counts up to the next entry.
    pub word: u32,
    /// Line, from 1.
    pub line: u32,
    /// Byte within the line, from 1.
    pub column: u32,
}

/// A procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Procedure {
    /// Its name; one within another has that one's name and a period before it.
    pub name: String,
    /// First code word.
    pub start: u32,
    /// Words of code.
    pub words: u32,
    /// Line of its heading.
    pub line: u32,
    /// Parameters and local variables.
    pub variables: Vec<Variable>,
}

/// Where a variable is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Among the module's variables.
    Global,
    /// In the frame.
    Local,
    /// Its address is in the frame.
    Reference,
    /// In registers, now in one, now in another; or nowhere, if it is not used.
    Registers,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it is kept.
    pub kept: Kept,
    /// Offset there, in bytes.
    pub offset: u32,
    /// Its type, an index into [`Table::shapes`].
    pub ty: usize,
}

/// A sum by which a text is known again (FNV-1a, 32 bits).
#[must_use]
pub fn text_sum(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Line and column, both from 1, of a byte of a text. CR, LF and CR LF each end a line.
#[must_use]
pub fn line_of(text: &str, byte: u32) -> (u32, u32) {
    Lines::new(text).at(byte)
}

/// Starts of lines; CR, LF and CR LF each end one.
struct Lines(Vec<u32>);

impl Lines {
    fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = (0..bytes.len()).filter(|&i| {
            bytes[i] == b'\n' || (bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n'))
        });
        Self(std::iter::once(0).chain(ends.map(|i| i as u32 + 1)).collect())
    }

    /// Line and column of a byte, both from 1.
    fn at(&self, byte: u32) -> (u32, u32) {
        let line = self.0.partition_point(|start| *start <= byte).max(1);
        (line as u32, byte - self.0[line - 1] + 1)
    }
}

/// A procedure of the text.
struct Part {
    name: String,
    heading: Span,
    end: Span,
}

fn parts(procedures: &[syntax::Procedure], prefix: &str, out: &mut Vec<Part>) {
    for procedure in procedures {
        let name = format!("{prefix}{}", procedure.def.ident.name);
        parts(procedure.declarations.procedures, &format!("{name}."), out);
        out.push(Part { name, heading: procedure.def.ident.span, end: procedure.end });
    }
}

impl Table {
    /// The table of a compiled module. `registers` says that the compiler could keep local variables in
    /// registers.
    #[must_use]
    pub fn new(
        source: &Source,
        syntax: &syntax::Module,
        checked: &tree::Module,
        compiled: &Compiled,
        registers: bool,
    ) -> Self {
        let lines = Lines::new(&source.text);
        let mut found = Vec::new();
        parts(syntax.declarations.procedures, "", &mut found);
        let mut shapes = types::Shapes::new(&checked.types);
        let mut table = Self {
            module: compiled.module.clone(),
            key: compiled.key,
            words: compiled.object.code.len() as u32,
            variables_at: if compiled.standalone {
                r#gen::STANDALONE_VARIABLES
            } else {
                checked.descriptor_bytes
            },
            source: source.name.clone(),
            source_bytes: source.text.len() as u32,
            source_sum: text_sum(&source.text),
            globals: variables(checked, None, &mut shapes, false),
            ..Self::default()
        };
        for &(word, span) in &compiled.positions {
            let (line, column) = lines.at(span.start);
            table.places.push(Place { word, line, column });
        }
        table.procedures = procedures(compiled, &found, syntax, &lines);
        for procedure in &mut table.procedures {
            if let Some(part) = found.iter().find(|p| p.name == procedure.name) {
                procedure.variables =
                    variables(checked, Some(part.heading), &mut shapes, registers);
            }
        }
        table.shapes = shapes.finish();
        table
    }

    /// The place that a code word comes from; `None` beyond the code.
    #[must_use]
    pub fn place(&self, word: u32) -> Option<Place> {
        if word >= self.words {
            return None;
        }
        let after = self.places.partition_point(|p| p.word <= word);
        self.places.get(after.checked_sub(1)?).copied()
    }

    /// The procedure that a code word belongs to.
    #[must_use]
    pub fn procedure(&self, word: u32) -> Option<&Procedure> {
        self.procedures.iter().find(|p| (p.start..p.start + p.words).contains(&word))
    }

    /// First words of the code of a line, or of the next line that has code.
    #[must_use]
    pub fn words_of_line(&self, line: u32) -> Vec<u32> {
        let Some(line) = self.places.iter().map(|p| p.line).filter(|l| *l >= line).min() else {
            return Vec::new();
        };
        let mut previous = 0;
        let mut out = Vec::new();
        for place in &self.places {
            if place.line == line && previous != line {
                out.push(place.word);
            }
            previous = place.line;
        }
        out
    }
}

fn variables(
    checked: &tree::Module,
    procedure: Option<Span>,
    shapes: &mut types::Shapes<'_>,
    registers: bool,
) -> Vec<Variable> {
    let found = checked.procedures.iter().find(|p| Some(p.span) == procedure);
    let in_memory = found.filter(|_| registers).map(|p| r#gen::in_memory(checked, p));
    let of = checked.variables.iter().filter(|v| v.procedure == procedure);
    of.filter_map(|v| {
        let (kept, offset) = match v.place {
            PlaceKind::Global(offset) => (Kept::Global, offset),
            PlaceKind::Local(offset) => (Kept::Local, offset),
            PlaceKind::Reference(offset) => (Kept::Reference, offset),
            _ => return None,
        };
        let kept = match &in_memory {
            Some(offsets) if !offsets.contains(&offset) => Kept::Registers,
            _ => kept,
        };
        Some(Variable { name: v.name.to_string(), kept, offset, ty: shapes.index(v.ty) })
    })
    .collect()
}

/// Runs of code that come from one procedure. Inner procedures stand before those that contain
/// them, in the text and in the code, so the first that contains a place is the innermost.
fn procedures(
    compiled: &Compiled,
    found: &[Part],
    syntax: &syntax::Module,
    lines: &Lines,
) -> Vec<Procedure> {
    let mut out: Vec<Procedure> = Vec::new();
    let words = compiled.object.code.len() as u32;
    for (index, &(word, span)) in compiled.positions.iter().enumerate() {
        let end = compiled.positions.get(index + 1).map_or(words, |next| next.0);
        let part =
            found.iter().find(|p| p.heading.start <= span.start && span.start <= p.end.start);
        let (name, heading) =
            part.map_or((syntax.name.name, syntax.end), |p| (p.name.as_str(), p.heading));
        match out.last_mut() {
            Some(last) if last.name == name => last.words = end - last.start,
            _ => out.push(Procedure {
                name: name.to_string(),
                start: word,
                words: end - word,
                line: lines.at(heading.start).0,
                variables: Vec::new(),
            }),
        }
    }
    out
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "obc-positions {VERSION}")?;
        writeln!(
            f,
            "module {} key {:08X} words {} variables {}",
            self.module, self.key, self.words, self.variables_at
        )?;
        writeln!(f, "source {} {:08X} {}", self.source_bytes, self.source_sum, self.source)?;
        types::write(&self.shapes, f)?;
        let variable = |f: &mut fmt::Formatter<'_>, v: &Variable| {
            let kept = match v.kept {
                Kept::Global => "g",
                Kept::Local => "l",
                Kept::Reference => "r",
                Kept::Registers => "x",
            };
            writeln!(f, "variable {kept} {} {} {}", v.offset, v.ty, v.name)
        };
        for global in &self.globals {
            variable(f, global)?;
        }
        for p in &self.procedures {
            writeln!(f, "procedure {} {} {} {}", p.start, p.words, p.line, p.name)?;
            for local in &p.variables {
                variable(f, local)?;
            }
        }
        for place in &self.places {
            writeln!(f, "at {} {} {}", place.word, place.line, place.column)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
