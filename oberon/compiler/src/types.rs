//! Types, in one table per compilation. A [`TypeId`] is an index; the predefined types stand at
//! the numbers under which symbol files know them.

use crate::syntax::Name;

/// Index of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

impl TypeId {
    /// Stands for a type that could not be found out; compatible with everything, so that one
    /// error is reported once.
    pub const ERROR: TypeId = TypeId(0);
    /// BYTE: 0 to 255, else as INTEGER.
    pub const BYTE: TypeId = TypeId(1);
    /// BOOLEAN.
    pub const BOOLEAN: TypeId = TypeId(2);
    /// CHAR.
    pub const CHAR: TypeId = TypeId(3);
    /// INTEGER, also under the name LONGINT.
    pub const INTEGER: TypeId = TypeId(4);
    /// REAL, also under the name LONGREAL.
    pub const REAL: TypeId = TypeId(5);
    /// SET.
    pub const SET: TypeId = TypeId(6);
    /// The type of NIL, and of hidden pointer fields of imported records.
    pub const NIL: TypeId = TypeId(8);
    /// No type: the result of a proper procedure.
    pub const NONE: TypeId = TypeId(9);
    /// The type of string constants.
    pub const STRING: TypeId = TypeId(11);
}

/// Highest number of a predefined type in symbol files; named types follow.
pub const LAST_PREDEFINED: u32 = 13;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Its form with what belongs to it.
    pub form: Form,
    /// Bytes a variable of it takes.
    pub size: u32,
    /// The first name it was declared with.
    pub name: Option<Name>,
    /// Number of the module it comes from; 0 is the module being compiled.
    pub module: u8,
    /// Record types: number of the exported type, 0 if not exported.
    pub entry: u32,
    /// A variable of it holds pointers. Kept, because types may share parts many times over.
    pub has_pointers: bool,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the basic forms are those of the language")]
pub enum Form {
    Error,
    Byte,
    Boolean,
    Char,
    Integer,
    Real,
    Set,
    Nil,
    None,
    String,
    Pointer(TypeId),
    Procedure {
        params: Vec<Param>,
        result: TypeId,
    },
    /// `length` is absent for an open array.
    Array {
        element: TypeId,
        length: Option<u32>,
    },
    Record(Record),
}

/// A formal parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its type.
    pub ty: TypeId,
    /// Passed by its address.
    pub by_reference: bool,
    /// By reference, but not VAR.
    pub read_only: bool,
}

/// What a record type is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The type it extends.
    pub base: Option<TypeId>,
    /// Extension level, 0 without base.
    pub level: u32,
    /// Its own fields, in the order in which they became known.
    pub fields: Vec<Field>,
    /// Byte offset of the type descriptor in the data of the module being compiled.
    pub descriptor: Option<u32>,
}

/// A record field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; empty for the hidden pointers of imported records.
    pub name: Name,
    /// Visible to other modules.
    pub exported: bool,
    /// Its type.
    pub ty: TypeId,
    /// Bytes from the start of the record.
    pub offset: u32,
}

/// The table of types.
#[derive(Clone, Debug)]
pub struct Types {
    pub(crate) types: Vec<Type>,
}

impl Default for Types {
    fn default() -> Self {
        use Form::{Boolean, Byte, Char, Error, Integer, Nil, None, Real, Set, String};
        // The place in this list is the number in symbol files; 7, 10, 12, 13 are forms of
        // constructed types.
        let predefined = [
            (Error, 4),
            (Byte, 1),
            (Boolean, 1),
            (Char, 1),
            (Integer, 4),
            (Real, 4),
            (Set, 4),
            (Error, 4),
            (Nil, 4),
            (None, 4),
            (Error, 4),
            (String, 8),
            (Error, 4),
            (Error, 4),
        ];
        let types = predefined.map(|(form, size)| Type {
            form,
            size,
            name: Option::None,
            module: 0,
            entry: 0,
            has_pointers: false,
        });
        Self { types: types.to_vec() }
    }
}

impl Types {
    /// Adds a type of the module being compiled.
    pub fn add(&mut self, form: Form, size: u32) -> TypeId {
        let id = TypeId(self.types.len() as u32);
        self.types.push(Type {
            form: Form::Error,
            size,
            name: None,
            module: 0,
            entry: 0,
            has_pointers: false,
        });
        self.set_form(id, form, size);
        id
    }

    /// Gives a type its form, once its parts are known.
    pub(crate) fn set_form(&mut self, id: TypeId, form: Form, size: u32) {
        let has_pointers = match &form {
            Form::Pointer(_) | Form::Nil => true,
            Form::Array { element, .. } => self.has_pointers(*element),
            Form::Record(r) => {
                r.base.is_some_and(|b| self.has_pointers(b))
                    || r.fields.iter().any(|f| self.has_pointers(f.ty))
            }
            _ => false,
        };
        let ty = self.get_mut(id);
        ty.form = form;
        ty.size = size;
        ty.has_pointers = has_pointers;
    }

    /// The type itself.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: TypeId) -> &mut Type {
        &mut self.types[id.0 as usize]
    }

    /// The form of a type.
    #[must_use]
    pub fn form(&self, id: TypeId) -> &Form {
        &self.get(id).form
    }

    /// Bytes a variable of the type takes.
    #[must_use]
    pub fn size(&self, id: TypeId) -> u32 {
        self.get(id).size
    }

    /// The record behind a record type.
    #[must_use]
    pub fn record(&self, id: TypeId) -> Option<&Record> {
        match self.form(id) {
            Form::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The record type that a record or pointer type stands for.
    #[must_use]
    pub fn record_of(&self, id: TypeId) -> Option<TypeId> {
        match self.form(id) {
            Form::Record(_) => Some(id),
            Form::Pointer(base) if self.record(*base).is_some() => Some(*base),
            _ => None,
        }
    }

    /// INTEGER or BYTE.
    #[must_use]
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.form(id), Form::Integer | Form::Byte)
    }

    /// An array or record, which is passed and copied as a block.
    #[must_use]
    pub fn is_structured(&self, id: TypeId) -> bool {
        matches!(self.form(id), Form::Array { .. } | Form::Record(_))
    }

    /// An array of characters, open or not.
    #[must_use]
    pub fn is_char_array(&self, id: TypeId) -> bool {
        matches!(self.form(id), Form::Array { element, .. } if *element == TypeId::CHAR)
    }

    /// An array without fixed length.
    #[must_use]
    pub fn is_open_array(&self, id: TypeId) -> bool {
        matches!(self.form(id), Form::Array { length: None, .. })
    }

    /// `extended` is `base` or one of its extensions. Both are record types.
    #[must_use]
    pub fn extends(&self, extended: TypeId, base: TypeId) -> bool {
        let mut current = Some(extended);
        // The chain is short; the bound only guards against a damaged symbol file.
        for _ in 0..64 {
            match current {
                Some(id) if id == base => return true,
                Some(id) => current = self.record(id).and_then(|r| r.base),
                None => return false,
            }
        }
        false
    }

    /// A field of a record type or of one of those it extends.
    #[must_use]
    pub fn field(&self, record: TypeId, name: &str) -> Option<(TypeId, &Field)> {
        let mut current = Some(record);
        for _ in 0..64 {
            let id = current?;
            let record = self.record(id)?;
            if let Some(field) = record.fields.iter().find(|f| f.name == name) {
                return Some((id, field));
            }
            current = record.base;
        }
        None
    }

    /// Byte offsets of all pointers in a variable of type `id` that starts at `at`, in
    /// ascending order. `false` if there are more than `limit`.
    pub fn pointer_offsets(&self, id: TypeId, at: u32, limit: usize, out: &mut Vec<u32>) -> bool {
        if !self.has_pointers(id) {
            return true;
        }
        match self.form(id) {
            Form::Pointer(_) | Form::Nil => out.push(at),
            Form::Array { element, length: Some(length) } => {
                let size = self.size(*element);
                for i in 0..*length {
                    let offset = at.wrapping_add(i.wrapping_mul(size));
                    if !self.pointer_offsets(*element, offset, limit, out) {
                        return false;
                    }
                }
            }
            Form::Record(record) => {
                if let Some(base) = record.base
                    && !self.pointer_offsets(base, at, limit, out)
                {
                    return false;
                }
                for field in &record.fields {
                    let offset = at.wrapping_add(field.offset);
                    if !self.pointer_offsets(field.ty, offset, limit, out) {
                        return false;
                    }
                }
            }
            _ => {}
        }
        out.len() <= limit
    }

    /// The same offsets in the order in which symbol files list hidden pointers: the fields of a
    /// record from the last to the first, then those of the type it extends.
    pub(crate) fn pointer_offsets_reversed(
        &self,
        id: TypeId,
        at: u32,
        limit: usize,
        out: &mut Vec<u32>,
    ) {
        if !self.has_pointers(id) || out.len() > limit {
            return;
        }
        match self.form(id) {
            Form::Pointer(_) | Form::Nil => out.push(at),
            Form::Array { element, length: Some(length) } => {
                let size = self.size(*element);
                for i in 0..*length {
                    if out.len() > limit {
                        return;
                    }
                    let offset = at.wrapping_add(i.wrapping_mul(size));
                    self.pointer_offsets_reversed(*element, offset, limit, out);
                }
            }
            Form::Record(record) => {
                for field in record.fields.iter().rev() {
                    let offset = at.wrapping_add(field.offset);
                    self.pointer_offsets_reversed(field.ty, offset, limit, out);
                }
                if let Some(base) = record.base {
                    self.pointer_offsets_reversed(base, at, limit, out);
                }
            }
            _ => {}
        }
    }

    /// A variable of the type holds pointers.
    #[must_use]
    pub fn has_pointers(&self, id: TypeId) -> bool {
        self.get(id).has_pointers || id == TypeId::NIL
    }

    /// Same parameters and result: a procedure of type `a` may stand where one of type `b` is
    /// expected.
    #[must_use]
    pub fn same_signature(&self, a: TypeId, b: TypeId) -> bool {
        self.same_signature_at(a, b, &mut 10_000)
    }

    fn same_signature_at(&self, a: TypeId, b: TypeId, budget: &mut u32) -> bool {
        // Types may share parts many times over; nobody writes so many by hand.
        *budget = budget.saturating_sub(1);
        let (
            Form::Procedure { params: pa, result: ra },
            Form::Procedure { params: pb, result: rb },
        ) = (self.form(a), self.form(b))
        else {
            return false;
        };
        a == b
            || *budget > 0
                && ra == rb
                && pa.len() == pb.len()
                && pa.iter().zip(pb).all(|(x, y)| {
                    x.by_reference == y.by_reference
                        && x.read_only == y.read_only
                        && (x.ty == y.ty
                            || self.same_array(x.ty, y.ty)
                            || self.same_signature_at(x.ty, y.ty, budget))
                })
    }

    /// Arrays of the same length over the same element type.
    #[must_use]
    pub fn same_array(&self, a: TypeId, b: TypeId) -> bool {
        match (self.form(a), self.form(b)) {
            (Form::Array { element: ea, length: la }, Form::Array { element: eb, length: lb }) => {
                ea == eb && la == lb
            }
            _ => false,
        }
    }

    /// A value of type `from` may be assigned to a variable of type `to`, or, with `var`, a
    /// variable of type `from` may stand for a VAR parameter of type `to`.
    #[must_use]
    pub fn compatible(&self, to: TypeId, from: TypeId, var: bool) -> bool {
        if to == from || to == TypeId::ERROR || from == TypeId::ERROR {
            return true;
        }
        match (self.form(to), self.form(from)) {
            (Form::Array { .. }, Form::Array { .. }) => self.same_array(to, from),
            (Form::Record(_), Form::Record(_)) => self.extends(from, to),
            _ if var => false,
            (Form::Pointer(to), Form::Pointer(from)) => self.extends(*from, *to),
            (Form::Procedure { .. }, Form::Procedure { .. }) => self.same_signature(to, from),
            (Form::Pointer(_) | Form::Procedure { .. }, Form::Nil) => true,
            _ => false,
        }
    }

    /// The type as a reader knows it, for messages.
    #[must_use]
    pub fn describe(&self, id: TypeId) -> String {
        let ty = self.get(id);
        if let Some(name) = &ty.name {
            return name.to_string();
        }
        match &ty.form {
            Form::Error => "an unknown type".into(),
            Form::Byte => "BYTE".into(),
            Form::Boolean => "BOOLEAN".into(),
            Form::Char => "CHAR".into(),
            Form::Integer => "INTEGER".into(),
            Form::Real => "REAL".into(),
            Form::Set => "SET".into(),
            Form::Nil => "NIL".into(),
            Form::None => "no value".into(),
            Form::String => "a string".into(),
            Form::Pointer(_) => "a pointer".into(),
            Form::Procedure { .. } => "a procedure".into(),
            Form::Array { element, length: None } => {
                format!("ARRAY OF {}", self.describe(*element))
            }
            Form::Array { element, length: Some(n) } => {
                format!("ARRAY {n} OF {}", self.describe(*element))
            }
            Form::Record(_) => "a record".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(types: &mut Types, base: Option<TypeId>, fields: Vec<(u32, TypeId)>) -> TypeId {
        let fields = fields
            .into_iter()
            .map(|(offset, ty)| Field {
                name: format!("f{offset}").into(),
                exported: false,
                ty,
                offset,
            })
            .collect();
        let form = Form::Record(Record { base, fields, ..Record::default() });
        types.add(form, 8)
    }

    #[test]
    fn extensions_are_compatible_upwards_only() {
        let mut types = Types::default();
        let base = record(&mut types, None, vec![]);
        let derived = record(&mut types, Some(base), vec![]);
        let to_base = types.add(Form::Pointer(base), 4);
        let to_derived = types.add(Form::Pointer(derived), 4);
        assert!(types.compatible(base, derived, true));
        assert!(!types.compatible(derived, base, true));
        assert!(types.compatible(to_base, to_derived, false));
        assert!(!types.compatible(to_base, to_derived, true));
        assert!(types.compatible(to_base, TypeId::NIL, false));
    }

    #[test]
    fn pointers_are_found_in_nested_variables() {
        let mut types = Types::default();
        let inner = record(&mut types, None, vec![(4, TypeId::NIL)]);
        let array = types.add(Form::Array { element: inner, length: Some(3) }, 24);
        let outer = record(&mut types, Some(inner), vec![(8, array)]);
        let mut found = Vec::new();
        assert!(types.pointer_offsets(outer, 100, 10, &mut found));
        assert_eq!(found, [104, 112, 120, 128]);
        assert!(!types.pointer_offsets(outer, 100, 2, &mut Vec::new()));
    }
}
