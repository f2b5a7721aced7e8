//! Writes the symbol file of a checked module.

use rustc_hash::FxHashMap;

use super::{
    CLASS_CONST, CLASS_FIELD, CLASS_REFERENCE, CLASS_TYPE, CLASS_VAR, MAX_REF, VERSION,
    VERSION_WITH_TEXTS, form_code, key_of,
};
use crate::Span;
use crate::diagnostic::Report;
use crate::tree::{Module, Object, ObjectKind};
use crate::types::{Form, LAST_PREDEFINED, Param, Record, TypeId};

/// Hidden pointers of one record that are listed; more would not fit any module.
const MAX_HIDDEN: usize = 100_000;

struct Writer<'a> {
    module: &'a Module<'a>,
    out: Vec<u8>,
    refs: FxHashMap<TypeId, u32>,
    next_ref: u32,
    with_texts: bool,
}

/// The file and its key. `with_texts` adds the texts of exported string constants, if there are any. Reports if the module shows more named types than a file can number.
#[must_use]
pub fn write(module: &Module, with_texts: bool, report: &mut Report<'_>) -> (Vec<u8>, u32) {
    let with_texts = with_texts && !module.texts.is_empty();
    let mut writer = Writer {
        module,
        out: vec![0; 8],
        refs: FxHashMap::default(),
        next_ref: LAST_PREDEFINED + 1,
        with_texts,
    };
    writer.string(&module.name);
    writer.out.push(if with_texts { VERSION_WITH_TEXTS } else { VERSION });
    let mut full_at: Option<Span> = None;
    for (index, object) in module.scope.iter().enumerate() {
        if object.exported {
            writer.object(index, object);
            if writer.next_ref > MAX_REF + 1 {
                full_at.get_or_insert(object.span);
            }
        }
    }
    if let Some(span) = full_at {
        let most = MAX_REF - LAST_PREDEFINED;
        report.error_with_help(
            span,
            format!("exports use more than {most} named types, which is what a symbol file holds"),
            "move part of the module into another one",
        );
    }
    writer.out.push(0);
    while !writer.out.len().is_multiple_of(4) {
        writer.out.push(0);
    }
    let key = key_of(&writer.out);
    writer.out[4..8].copy_from_slice(&key.to_le_bytes());
    (writer.out, key)
}

impl Writer<'_> {
    fn string(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(0);
    }

    fn number(&mut self, value: i32) {
        let mut rest = value;
        while !(-64..64).contains(&rest) {
            self.out.push(rest as u8 & 0x7F | 0x80);
            rest >>= 7;
        }
        self.out.push(rest as u8 & 0x7F);
    }

    fn object(&mut self, index: usize, object: &Object) {
        self.out.push(match object.kind {
            ObjectKind::Constant(_) | ObjectKind::Procedure(_) => CLASS_CONST,
            ObjectKind::Variable(_) => CLASS_VAR,
            ObjectKind::Type => CLASS_TYPE,
        });
        self.string(object.name);
        self.ty(object.ty);
        match object.kind {
            ObjectKind::Constant(bits) if object.ty == TypeId::REAL => {
                self.out.extend_from_slice(&bits.to_le_bytes());
            }
            ObjectKind::Constant(value) => {
                self.number(value);
                if self.with_texts
                    && let Some(text) = self.module.texts.get(&index)
                {
                    self.number(text.length as i32);
                    self.number(text.bytes.len() as i32);
                    self.out.extend_from_slice(text.bytes);
                }
            }
            ObjectKind::Variable(entry) | ObjectKind::Procedure(entry) => {
                self.number(entry as i32);
            }
            ObjectKind::Type => self.pointers_to(index, object.ty),
        }
    }

    /// Numbers of the pointer types before this one that point to it: a reader met them with
    /// their base still unnamed.
    fn pointers_to(&mut self, index: usize, ty: TypeId) {
        let module = self.module;
        if module.types.record(ty).is_some() {
            for earlier in &module.scope[..index] {
                let points_here =
                    matches!(module.types.form(earlier.ty), Form::Pointer(base) if *base == ty);
                if points_here && let Some(number) = self.refs.get(&earlier.ty) {
                    self.out.push(*number as u8);
                }
            }
        }
        self.out.push(0);
    }

    fn ty(&mut self, id: TypeId) {
        if id.0 <= LAST_PREDEFINED {
            self.out.push(0_u8.wrapping_sub(id.0 as u8));
            return;
        }
        if let Some(number) = self.refs.get(&id) {
            self.out.push(0_u8.wrapping_sub(*number as u8));
            return;
        }
        let module = self.module;
        let ty = module.types.get(id);
        if ty.name.is_some() {
            self.out.push(self.next_ref as u8);
            self.refs.insert(id, self.next_ref);
            self.next_ref += 1;
        } else {
            self.out.push(0);
        }
        self.out.push(form_code(&module.types, id));
        match &ty.form {
            Form::Pointer(base) => self.ty(*base),
            Form::Array { element, length } => {
                self.ty(*element);
                self.number(length.map_or(-1, |n| n as i32));
                self.number(ty.size as i32);
            }
            Form::Record(record) => {
                self.ty(record.base.unwrap_or(TypeId::NONE));
                // An export number counts in its own module only.
                let entry = if ty.module == 0 { ty.entry } else { 0 };
                self.number(entry as i32);
                self.number(record.level as i32);
                self.number(ty.size as i32);
                self.fields(record);
                self.out.push(0);
            }
            Form::Procedure { params, result } => {
                self.ty(*result);
                self.params(params);
                self.out.push(0);
            }
            _ => {}
        }
        match (&ty.name, usize::from(ty.module).checked_sub(1)) {
            (Some(name), Some(index)) if index < module.imports.len() => {
                let origin = &module.imports[index];
                self.string(&origin.name);
                self.out.extend_from_slice(&origin.key.to_le_bytes());
                self.string(name);
            }
            _ => self.out.push(0),
        }
    }

    fn fields(&mut self, record: &Record) {
        for field in record.fields.iter().rev() {
            if field.exported {
                self.out.push(CLASS_FIELD);
                self.string(&field.name);
                self.ty(field.ty);
                self.number(field.offset as i32);
            } else {
                let mut hidden = Vec::new();
                let types = &self.module.types;
                types.pointer_offsets_reversed(field.ty, field.offset, MAX_HIDDEN, &mut hidden);
                for offset in hidden {
                    self.out.extend_from_slice(&[CLASS_FIELD, 0]);
                    self.number(offset as i32);
                }
            }
        }
    }

    fn params(&mut self, params: &[Param]) {
        for param in params.iter().rev() {
            self.out.push(if param.by_reference { CLASS_REFERENCE } else { CLASS_VAR });
            self.out.push(u8::from(param.read_only));
            self.ty(param.ty);
        }
    }
}
