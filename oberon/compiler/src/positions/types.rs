//! Types in a position table: enough to show the value of a variable.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::types::{Form, TypeId, Types};

/// What a variable looks like in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One byte, a number.
    Byte,
    /// One byte, 0 or 1.
    Boolean,
    /// One byte, a character.
    Char,
    /// One word, a signed number.
    Integer,
    /// One word, a floating-point number.
    Real,
    /// One word, a set.
    Set,
    /// One word, an address of code.
    Procedure,
    /// One word, an address or 0.
    Pointer(usize),
    /// Elements.
    Array {
        /// Type of an element.
        element: usize,
        /// Bytes of an element.
        size: u32,
        /// How many; `None` for an open array, whose length is in the word behind its address.
        length: Option<u32>,
    },
    /// Fields.
    Record {
        /// Bytes.
        size: u32,
        /// Name of the type, empty if it has none.
        name: String,
        /// Fields, those of the types it extends first; hidden ones of other modules are left out.
        fields: Vec<Field>,
    },
    /// Nothing that could be shown.
    Other,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Bytes from the start of the record.
    pub offset: u32,
    /// Its type.
    pub ty: usize,
}

/// Collects the types that variables use.
pub(super) struct Shapes<'a> {
    types: &'a Types,
    /// Number of each type that was met.
    numbers: FxHashMap<TypeId, usize>,
    /// Which type each number is.
    ids: Vec<TypeId>,
    /// As far as they have been described.
    shapes: Vec<Shape>,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(types: &'a Types) -> Self {
        Self { types, numbers: FxHashMap::default(), ids: Vec::new(), shapes: Vec::new() }
    }

    pub(super) fn finish(self) -> Vec<Shape> {
        self.shapes
    }

    /// The number of a type. Types that refer to each other form circles: the number is there
    /// before the shape.
    pub(super) fn index(&mut self, ty: TypeId) -> usize {
        // Deep chains of types would take the stack; a list of work takes the heap.
        let number = self.number(ty);
        while let Some(id) = self.ids.get(self.shapes.len()) {
            let shape = self.shape(*id);
            self.shapes.push(shape);
        }
        number
    }

    fn number(&mut self, ty: TypeId) -> usize {
        *self.numbers.entry(ty).or_insert_with(|| {
            self.ids.push(ty);
            self.ids.len() - 1
        })
    }

    fn shape(&mut self, ty: TypeId) -> Shape {
        let types = self.types;
        match types.form(ty) {
            Form::Byte => Shape::Byte,
            Form::Boolean => Shape::Boolean,
            Form::Char => Shape::Char,
            Form::Integer => Shape::Integer,
            Form::Real => Shape::Real,
            Form::Set => Shape::Set,
            Form::Procedure { .. } => Shape::Procedure,
            Form::Pointer(base) => Shape::Pointer(self.number(*base)),
            Form::Array { element, length } => Shape::Array {
                size: types.size(*element),
                element: self.number(*element),
                length: *length,
            },
            Form::Record(_) => {
                let mut fields = Vec::new();
                let mut at = Some(ty);
                while let Some(record) = at.and_then(|id| types.record(id)) {
                    for field in record.fields.iter().rev().filter(|f| !f.name.is_empty()) {
                        let ty = self.number(field.ty);
                        fields.push(Field {
                            name: field.name.to_string(),
                            offset: field.offset,
                            ty,
                        });
                    }
                    at = record.base;
                }
                fields.reverse();
                let name = types.get(ty).name.clone().unwrap_or_default();
                Shape::Record { size: types.size(ty), name: name.to_string(), fields }
            }
            _ => Shape::Other,
        }
    }
}

pub(super) fn write(shapes: &[Shape], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (number, shape) in shapes.iter().enumerate() {
        write!(f, "type {number} ")?;
        match shape {
            Shape::Byte => writeln!(f, "byte")?,
            Shape::Boolean => writeln!(f, "boolean")?,
            Shape::Char => writeln!(f, "char")?,
            Shape::Integer => writeln!(f, "integer")?,
            Shape::Real => writeln!(f, "real")?,
            Shape::Set => writeln!(f, "set")?,
            Shape::Procedure => writeln!(f, "procedure")?,
            Shape::Other => writeln!(f, "other")?,
            Shape::Pointer(base) => writeln!(f, "pointer {base}")?,
            Shape::Array { element, size, length } => match length {
                Some(length) => writeln!(f, "array {element} {size} {length}")?,
                None => writeln!(f, "array {element} {size} -")?,
            },
            Shape::Record { size, name, fields } => {
                let name = if name.is_empty() { "-" } else { name };
                writeln!(f, "record {size} {name}")?;
                for field in fields {
                    writeln!(f, "field {} {} {}", field.offset, field.ty, field.name)?;
                }
            }
        }
    }
    Ok(())
}
