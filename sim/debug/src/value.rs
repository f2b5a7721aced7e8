//! Names with selectors, and values as text.

use std::fmt::Write as _;

use obc::positions::{Kept, Shape, Table, Variable};

use crate::chain::Frame;
use crate::memory::{Map, Memory};
use crate::tables::Tables;

/// Elements of an array and depth of records that are shown.
const MAX_ELEMENTS: u32 = 32;
const MAX_DEPTH: u32 = 4;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// No such variable where the program stands.
    #[error(
        "there is no variable {0} here: name one of the procedure, of its module, or Module.name"
    )]
    Unknown(String),
    /// A variable without a place in memory.
    #[error("{0} is kept in registers: build with -O 0 to see it")]
    Registers(String),
    /// No such field.
    #[error("the record has no field {0}")]
    Field(String),
    /// A selector that does not fit.
    #[error("{0} does not fit here")]
    Selector(String),
    /// An index beyond the array.
    #[error("index {index} is not within the {length} elements")]
    Index {
        /// The index.
        index: i64,
        /// How many there are.
        length: u32,
    },
    /// A pointer that points nowhere.
    #[error("the pointer is NIL")]
    Nil,
    /// Not a name with selectors.
    #[error("\"{0}\" is no variable: write name, name.field, name[3] or name^")]
    Syntax(String),
}

/// Something in memory, with its type.
#[derive(Clone, Copy, Debug)]
struct Spot<'t> {
    table: &'t Table,
    ty: usize,
    address: u32,
    /// Of an open array.
    length: Option<u32>,
}

/// What values are looked up with.
pub struct Scope<'a, M> {
    /// The machine.
    pub memory: &'a M,
    /// Its modules.
    pub map: &'a Map,
    /// Tables.
    pub tables: &'a Tables,
    /// The procedure whose variables are in sight.
    pub frame: Option<&'a Frame>,
}

impl<'a, M: Memory> Scope<'a, M> {
    /// The value of `name`, `name.field`, `name[3]`, `name^` and so on.
    ///
    /// # Errors
    ///
    /// [`ValueError`].
    pub fn value(&self, text: &str) -> Result<String, ValueError> {
        let text = text.trim();
        let name_end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        let (name, mut rest) = text.split_at(name_end);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(ValueError::Syntax(text.to_string()));
        }
        let mut spot = match self.variable(name)? {
            Some(spot) => spot,
            None => {
                let (spot, left) = self
                    .of_module(name, rest)
                    .ok_or_else(|| ValueError::Unknown(name.to_string()))?;
                rest = left;
                spot
            }
        };
        while !rest.is_empty() {
            (spot, rest) = self.select(spot, rest)?;
        }
        Ok(self.show(spot, 0))
    }

    /// All variables of a procedure's frame, or of a module, one a line.
    pub fn all(&self, variables: &[Variable], table: &Table, base: u32) -> String {
        let mut out = String::new();
        for variable in variables {
            if variable.kept == Kept::Registers {
                let _ = writeln!(out, "{}: in registers", variable.name);
                continue;
            }
            let value = self.show(self.spot(table, variable, base), 0);
            let _ = writeln!(out, "{} = {value}", variable.name);
        }
        out
    }

    /// Variables of the frame.
    #[must_use]
    pub fn locals(&self) -> Option<String> {
        let (table, frame) = (self.frame_table()?, self.frame?);
        let name = frame.location.procedure.as_ref()?;
        let procedure = table.procedures.iter().find(|p| p.name == *name)?;
        Some(self.all(&procedure.variables, table, frame.variables))
    }

    /// Global variables of a module.
    #[must_use]
    pub fn globals(&self, module: &str) -> Option<String> {
        let loaded = self.map.by_name(module)?;
        let table = self.map.table(loaded, self.tables)?;
        Some(self.all(&table.globals, table, loaded.data + table.variables_at))
    }

    fn frame_table(&self) -> Option<&'a Table> {
        let loaded = self.map.by_name(&self.frame?.location.module)?;
        self.map.table(loaded, self.tables)
    }

    fn spot<'t>(&self, table: &'t Table, variable: &Variable, base: u32) -> Spot<'t> {
        let at = base.wrapping_add(variable.offset);
        let mut spot = Spot { table, ty: variable.ty, address: at, length: None };
        let open = matches!(table.shapes[variable.ty], Shape::Array { length: None, .. });
        if variable.kept == Kept::Reference || open {
            spot.address = self.memory.word(at);
            spot.length = open.then(|| self.memory.word(at.wrapping_add(4)));
        }
        spot
    }

    /// A variable of the frame's procedure, or of its module.
    fn variable(&self, name: &str) -> Result<Option<Spot<'a>>, ValueError> {
        let (Some(table), Some(frame)) = (self.frame_table(), self.frame) else {
            return Ok(None);
        };
        let procedure = frame.location.procedure.as_deref().unwrap_or_default();
        let procedure = table.procedures.iter().find(|p| p.name == procedure);
        match procedure.and_then(|p| p.variables.iter().find(|v| v.name == name)) {
            Some(variable) if variable.kept == Kept::Registers => {
                Err(ValueError::Registers(name.to_string()))
            }
            Some(variable) => Ok(Some(self.spot(table, variable, frame.variables))),
            None => Ok(self.global(&frame.location.module, name)),
        }
    }

    fn global(&self, module: &str, name: &str) -> Option<Spot<'a>> {
        let loaded = self.map.by_name(module)?;
        let table = self.map.table(loaded, self.tables)?;
        let variable = table.globals.iter().find(|v| v.name == name)?;
        Some(self.spot(table, variable, loaded.data + table.variables_at))
    }

    /// `Module.name` and what follows it.
    fn of_module<'s>(&self, module: &str, rest: &'s str) -> Option<(Spot<'a>, &'s str)> {
        let rest = rest.strip_prefix('.')?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (name, left) = rest.split_at(end);
        Some((self.global(module, name)?, left))
    }

    fn select<'s>(&self, spot: Spot<'a>, rest: &'s str) -> Result<(Spot<'a>, &'s str), ValueError> {
        let shape = &spot.table.shapes[spot.ty];
        let wrong = || ValueError::Selector(rest.to_string());
        if let Some(left) = rest.strip_prefix('^') {
            return match shape {
                Shape::Pointer(_) => Ok((self.follow(spot)?, left)),
                _ => Err(wrong()),
            };
        }
        // A pointer before a field or index is followed, as in the language.
        if let Shape::Pointer(_) = shape {
            return Ok((self.follow(spot)?, rest));
        }
        if let Some(left) = rest.strip_prefix('.') {
            let end = left.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(left.len());
            let (name, left) = left.split_at(end);
            let Shape::Record { fields, .. } = shape else {
                return Err(wrong());
            };
            let field = fields.iter().rev().find(|f| f.name == name);
            let field = field.ok_or_else(|| ValueError::Field(name.to_string()))?;
            let address = spot.address.wrapping_add(field.offset);
            return Ok((Spot { ty: field.ty, address, length: None, ..spot }, left));
        }
        let (index, left) =
            rest.strip_prefix('[').and_then(|r| r.split_once(']')).ok_or_else(wrong)?;
        let index: i64 = index.trim().parse().map_err(|_| wrong())?;
        let Shape::Array { element, size, length } = shape else {
            return Err(wrong());
        };
        let length = length.or(spot.length).unwrap_or(0);
        match u32::try_from(index) {
            Ok(i) if i < length => {
                let address = spot.address.wrapping_add(i.wrapping_mul(*size));
                Ok((Spot { ty: *element, address, length: None, ..spot }, left))
            }
            _ => Err(ValueError::Index { index, length }),
        }
    }

    fn follow(&self, spot: Spot<'a>) -> Result<Spot<'a>, ValueError> {
        let Shape::Pointer(base) = spot.table.shapes[spot.ty] else {
            return Err(ValueError::Selector("^".into()));
        };
        match self.memory.word(spot.address) {
            0 => Err(ValueError::Nil),
            address => Ok(Spot { ty: base, address, length: None, ..spot }),
        }
    }

    fn show(&self, spot: Spot<'_>, depth: u32) -> String {
        let word = self.memory.word(spot.address);
        let byte = self.memory.byte(spot.address);
        match &spot.table.shapes[spot.ty] {
            Shape::Byte => byte.to_string(),
            Shape::Boolean => if byte == 0 { "FALSE" } else { "TRUE" }.to_string(),
            Shape::Char => character(byte),
            Shape::Integer => match word as i32 {
                small @ -99..=99 => small.to_string(),
                value => format!("{value} (0{word:X}H)"),
            },
            Shape::Real => format!("{:?}", f32::from_bits(word)),
            Shape::Set => {
                let elements: Vec<String> =
                    (0..32).filter(|n| word >> n & 1 == 1).map(|n| n.to_string()).collect();
                format!("{{{}}}", elements.join(", "))
            }
            Shape::Pointer(_) | Shape::Procedure if word == 0 => "NIL".into(),
            Shape::Pointer(base) => match &spot.table.shapes[*base] {
                Shape::Record { name, .. } if !name.is_empty() => {
                    format!("pointer to {name} at {word:05X}H")
                }
                _ => format!("pointer {word:05X}H"),
            },
            Shape::Procedure => {
                let location = self.map.locate(word, self.tables);
                format!("procedure {location}")
            }
            Shape::Array { element, size, length } => {
                let length = length.or(spot.length).unwrap_or(0);
                self.array(spot, *element, *size, length, depth)
            }
            Shape::Record { name, .. } if depth >= MAX_DEPTH => format!("{name} {{...}}"),
            Shape::Record { name, fields, .. } => {
                let shown: Vec<String> = fields
                    .iter()
                    .map(|field| {
                        let address = spot.address.wrapping_add(field.offset);
                        let part = Spot { ty: field.ty, address, length: None, ..spot };
                        format!("{} = {}", field.name, self.show(part, depth + 1))
                    })
                    .collect();
                let blank = if name.is_empty() { "" } else { " " };
                format!("{name}{blank}{{{}}}", shown.join(", "))
            }
            Shape::Other => format!("{word:08X}H"),
        }
    }

    fn array(&self, spot: Spot<'_>, element: usize, size: u32, length: u32, depth: u32) -> String {
        if spot.table.shapes[element] == Shape::Char {
            let bytes: Vec<u8> = (0..length.min(256))
                .map(|i| self.memory.byte(spot.address.wrapping_add(i)))
                .take_while(|b| *b != 0)
                .collect();
            if bytes.iter().all(|b| matches!(b, b' '..=b'~')) {
                return format!("\"{}\"", String::from_utf8_lossy(&bytes));
            }
        }
        if depth >= MAX_DEPTH {
            return "[...]".into();
        }
        let mut shown: Vec<String> = (0..length.min(MAX_ELEMENTS))
            .map(|i| {
                let address = spot.address.wrapping_add(i.wrapping_mul(size));
                self.show(Spot { ty: element, address, length: None, ..spot }, depth + 1)
            })
            .collect();
        if length > MAX_ELEMENTS {
            shown.push(format!("... {length} elements"));
        }
        format!("[{}]", shown.join(", "))
    }
}

fn character(byte: u8) -> String {
    match byte {
        b' '..=b'~' => format!("\"{}\" (0{byte:02X}X)", char::from(byte)),
        _ => format!("0{byte:02X}X"),
    }
}
