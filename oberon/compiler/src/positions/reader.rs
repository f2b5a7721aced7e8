//! Reads a position table.

use std::str::FromStr;

use super::{Field, Kept, Place, Procedure, Shape, Table, VERSION, Variable};

/// Why a file is no position table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The first line is another one.
    #[error(
        "this is no position table: it does not begin with \"obc-positions\"; compile the module again"
    )]
    NoTable,
    /// Another version.
    #[error(
        "position table of version {found}, this program knows {VERSION}: compile the module again"
    )]
    Version {
        /// What the file says.
        found: String,
    },
    /// A line makes no sense.
    #[error("line {line} of the position table makes no sense ({what}): compile the module again")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// The fields of one line.
struct Words<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Words<'a> {
    fn error(&self, what: &'static str) -> TableError {
        TableError::Line { line: self.line, what }
    }

    fn word(&mut self) -> Result<&'a str, TableError> {
        let (word, rest) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
        self.rest = rest;
        if word.is_empty() { Err(self.error("a field is missing")) } else { Ok(word) }
    }

    fn number<T: FromStr>(&mut self) -> Result<T, TableError> {
        let word = self.word()?;
        word.parse().map_err(|_| self.error("a number was expected"))
    }

    fn hex(&mut self) -> Result<u32, TableError> {
        let word = self.word()?;
        u32::from_str_radix(word, 16).map_err(|_| self.error("a hexadecimal number was expected"))
    }

    fn literal(&mut self, text: &str) -> Result<(), TableError> {
        if self.word()? == text { Ok(()) } else { Err(self.error("a keyword is missing")) }
    }

    fn rest(&mut self) -> String {
        std::mem::take(&mut self.rest).to_string()
    }

    /// An identifier, or several with periods between them.
    fn name(&mut self) -> Result<String, TableError> {
        let name = self.rest();
        let sound = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
        if sound && !name.is_empty() { Ok(name) } else { Err(self.error("a name was expected")) }
    }
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    ///
    /// [`TableError`] with the line that makes no sense.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut lines = text.split_terminator('\n').enumerate();
        let version = lines.next().and_then(|(_, l)| l.strip_prefix("obc-positions "));
        let version = version.ok_or(TableError::NoTable)?;
        if version.parse() != Ok(VERSION) {
            return Err(TableError::Version { found: version.to_string() });
        }
        let mut table = Self::default();
        for (index, line) in lines {
            table.line(&mut Words { rest: line, line: index + 1 })?;
        }
        table.check()?;
        Ok(table)
    }

    fn line(&mut self, w: &mut Words<'_>) -> Result<(), TableError> {
        match w.word()? {
            "module" => {
                self.module = w.word()?.to_string();
                w.literal("key")?;
                self.key = w.hex()?;
                w.literal("words")?;
                self.words = w.number()?;
                w.literal("variables")?;
                self.variables_at = w.number()?;
            }
            "source" => {
                self.source_bytes = w.number()?;
                self.source_sum = w.hex()?;
                self.source = w.rest();
            }
            "type" => {
                if w.number::<usize>()? != self.shapes.len() {
                    return Err(w.error("types are numbered from 0 on"));
                }
                let shape = shape(w)?;
                self.shapes.push(shape);
            }
            "field" => {
                let field = Field { offset: w.number()?, ty: w.number()?, name: w.name()? };
                match self.shapes.last_mut() {
                    Some(Shape::Record { fields, .. }) => fields.push(field),
                    _ => return Err(w.error("a field belongs to a record")),
                }
            }
            "procedure" => {
                let (start, words, line) = (w.number()?, w.number()?, w.number()?);
                let name = w.name()?;
                let variables = Vec::new();
                self.procedures.push(Procedure { name, start, words, line, variables });
            }
            "variable" => {
                let kept = match w.word()? {
                    "g" => Kept::Global,
                    "l" => Kept::Local,
                    "r" => Kept::Reference,
                    "x" => Kept::Registers,
                    _ => return Err(w.error("a variable is kept at g, l, r or x")),
                };
                let (offset, ty, name) = (w.number()?, w.number()?, w.name()?);
                let variable = Variable { name, kept, offset, ty };
                match self.procedures.last_mut() {
                    Some(procedure) => procedure.variables.push(variable),
                    None => self.globals.push(variable),
                }
            }
            "at" => {
                let place = Place { word: w.number()?, line: w.number()?, column: w.number()? };
                if self.places.last().is_some_and(|last| last.word >= place.word) {
                    return Err(w.error("places must come in rising order"));
                }
                if place.line == 0 {
                    return Err(w.error("lines count from 1"));
                }
                self.places.push(place);
            }
            _ => return Err(w.error("unknown keyword")),
        }
        Ok(())
    }

    /// Every type that is referred to exists, and ranges are within the code.
    fn check(&self) -> Result<(), TableError> {
        if self.module.is_empty() {
            return Err(TableError::Line { line: 2, what: "the module is not named" });
        }
        let known = |ty: usize| ty < self.shapes.len();
        let types = self.shapes.iter().all(|shape| match shape {
            Shape::Pointer(base) => known(*base),
            Shape::Array { element, .. } => known(*element),
            Shape::Record { fields, .. } => fields.iter().all(|f| known(f.ty)),
            _ => true,
        });
        let locals = self.procedures.iter().flat_map(|p| &p.variables);
        let variables = self.globals.iter().chain(locals).all(|v| known(v.ty));
        let ranges = self
            .procedures
            .iter()
            .all(|p| p.start.checked_add(p.words).is_some_and(|end| end <= self.words));
        let what = match (types && variables, ranges) {
            (false, _) => "a type is referred to that is not described",
            (_, false) => "a procedure ends behind the code",
            _ => return Ok(()),
        };
        Err(TableError::Line { line: 0, what })
    }
}

fn shape(w: &mut Words<'_>) -> Result<Shape, TableError> {
    Ok(match w.word()? {
        "byte" => Shape::Byte,
        "boolean" => Shape::Boolean,
        "char" => Shape::Char,
        "integer" => Shape::Integer,
        "real" => Shape::Real,
        "set" => Shape::Set,
        "procedure" => Shape::Procedure,
        "other" => Shape::Other,
        "pointer" => Shape::Pointer(w.number()?),
        "array" => Shape::Array {
            element: w.number()?,
            size: w.number()?,
            length: if w.rest == "-" { None } else { Some(w.number()?) },
        },
        "record" => {
            let size = w.number()?;
            let name = if w.rest == "-" { String::new() } else { w.name()? };
            Shape::Record { size, name, fields: Vec::new() }
        }
        _ => return Err(w.error("unknown form of type")),
    })
}
