//! Types as they are written: arrays, records, pointers, procedure types.

use rustc_hash::FxHashMap;

use super::{Checker, MAX_SIZE, SymbolKind};
use crate::diagnostic::Span;
use crate::syntax::{self, TypeKind};
use crate::types::{Field, Form, Param, Record, TypeId};

/// Highest level of record extension: a descriptor has three words for it.
const MAX_EXTENSION: u32 = 3;
/// Parameters travel in registers 0 to 10.
const MAX_PARAMETER_WORDS: u32 = 11;

/// A pointer type whose base is declared later.
pub(super) struct Forward<'t> {
    pub(super) name: syntax::Ident<'t>,
    pub(super) pointer: TypeId,
}

impl<'t> Checker<'t, '_, '_> {
    /// The type that a type expression stands for. `named` is false for inner ones.
    pub(super) fn type_of(
        &mut self,
        ty: &syntax::TypeExpr<'t>,
        forwards: &mut Vec<Forward<'t>>,
        in_section: bool,
    ) -> TypeId {
        match &ty.kind {
            TypeKind::Named(name) => self.named_type(name),
            TypeKind::Array { lengths, element } => {
                let lengths: Vec<u32> = lengths.iter().map(|l| self.array_length(l)).collect();
                let mut id = self.type_of(element, forwards, in_section);
                for length in lengths.into_iter().rev() {
                    id = self.array(id, length, ty.span);
                }
                id
            }
            TypeKind::OpenArray(element) => {
                let element = self.type_of(element, forwards, false);
                if self.types.is_open_array(element) {
                    self.report.error_with_help(
                        ty.span,
                        "an open array has one dimension only",
                        "declare the inner array type with a name and a length",
                    );
                    return TypeId::ERROR;
                }
                let form = Form::Array { element, length: None };
                self.types.add(form, 8)
            }
            TypeKind::Record { base, fields } => {
                self.record(base.as_ref(), fields, forwards, ty.span)
            }
            TypeKind::Pointer(base) => self.pointer(base, forwards, in_section),
            TypeKind::Procedure(signature) => self.signature(signature),
            TypeKind::Error => TypeId::ERROR,
        }
    }

    fn array_length(&mut self, length: &syntax::Expr) -> u32 {
        let value = self.expression(length);
        match value.constant() {
            _ if value.ty == TypeId::ERROR => 1,
            Some(n) if n >= 0 && self.types.is_integer(value.ty) => n as u32,
            _ => {
                self.report.error(
                    value.span,
                    "an array's length is a constant of type INTEGER, 0 or more",
                );
                1
            }
        }
    }

    fn array(&mut self, element: TypeId, length: u32, span: Span) -> TypeId {
        let bytes = u64::from(length) * u64::from(self.types.size(element));
        if bytes > MAX_SIZE || length > MAX_SIZE as u32 {
            self.report
                .error(span, format!("array takes {bytes} bytes; the machine has {MAX_SIZE}"));
            return TypeId::ERROR;
        }
        let form = Form::Array { element, length: Some(length) };
        self.types.add(form, bytes.next_multiple_of(4) as u32)
    }

    fn record(
        &mut self,
        base: Option<&syntax::QualIdent<'t>>,
        decls: &[syntax::VarDecl<'t>],
        forwards: &mut Vec<Forward<'t>>,
        span: Span,
    ) -> TypeId {
        let mut record = Record::default();
        let mut at = 0;
        if let Some(name) = base {
            let base = self.named_type(name);
            if let Some(extended) = self.types.record(base) {
                record.base = Some(base);
                record.level = extended.level + 1;
                at = u64::from(self.types.size(base));
                if record.level > MAX_EXTENSION {
                    self.report.error(
                        name.span(),
                        format!("records are extended at most {MAX_EXTENSION} times"),
                    );
                }
                if self.level > 0 {
                    self.report.error_with_help(
                        name.span(),
                        "a local record type cannot be an extension",
                        "declare it outside of the procedure",
                    );
                }
                if self.hidden(base) {
                    self.report.error(
                        name.span(),
                        "this record type is not exported by its module and cannot be extended",
                    );
                }
            } else if base != TypeId::ERROR {
                self.report.error(
                    name.span(),
                    format!("{} is no record and cannot be extended", name.name.name),
                );
            }
        }
        let mut names: FxHashMap<&str, ()> = FxHashMap::default();
        for decl in decls {
            let ty = self.type_of(&decl.ty, forwards, true);
            for def in decl.defs {
                self.check_local_export(def);
                let name = def.ident.name;
                let inherited = record.base.is_some_and(|b| self.types.field(b, name).is_some());
                if names.insert(name, ()).is_some() || inherited {
                    self.report
                        .error(def.ident.span, format!("the record has a field {name} already"));
                }
                at = self.align(at, ty);
                record.fields.push(Field {
                    name: name.into(),
                    exported: def.exported,
                    ty,
                    offset: at as u32,
                });
                at += u64::from(self.types.size(ty));
                if at > MAX_SIZE {
                    self.report.error(
                        span,
                        format!("record takes more than {MAX_SIZE} bytes, which is all memory"),
                    );
                    return TypeId::ERROR;
                }
            }
        }
        let size = at.next_multiple_of(4) as u32;
        self.types.add(Form::Record(record), size)
    }

    fn pointer(
        &mut self,
        base: &syntax::TypeExpr<'t>,
        forwards: &mut Vec<Forward<'t>>,
        in_section: bool,
    ) -> TypeId {
        let TypeKind::Named(name) = &base.kind else {
            if !matches!(base.kind, TypeKind::Error) {
                self.report.error_with_help(
                    base.span,
                    "a pointer points to a record type with a name",
                    "declare the record type with a name of its own",
                );
            }
            return TypeId::ERROR;
        };
        if name.module.is_some() {
            let ty = self.named_type(name);
            if ty != TypeId::ERROR {
                self.report.error_with_help(
                    base.span,
                    "a pointer cannot point to a record type of another module",
                    "use a pointer type of that module, or extend the record type here",
                );
            }
            return TypeId::ERROR;
        }
        let found = self.find(name.name.name);
        if found.map_or(self.level, |i| self.symbols[i].level) > 0 {
            self.report.error_with_help(
                base.span,
                "a pointer cannot point to a local record type",
                "declare the record type outside of the procedure",
            );
            return TypeId::ERROR;
        }
        match found.map(|i| self.symbols[i].kind) {
            Some(SymbolKind::Type(ty)) if self.types.record(ty).is_some() => {
                self.types.add(Form::Pointer(ty), 4)
            }
            Some(SymbolKind::Error | SymbolKind::Type(TypeId::ERROR)) => TypeId::ERROR,
            None if in_section => {
                let pointer = self.types.add(Form::Pointer(TypeId::ERROR), 4);
                forwards.push(Forward { name: name.name, pointer });
                pointer
            }
            None => {
                self.lookup(&name.name);
                TypeId::ERROR
            }
            Some(_) => {
                self.report.error(
                    base.span,
                    format!("{} is no record: pointers point to records", name.name.name),
                );
                TypeId::ERROR
            }
        }
    }

    pub(super) fn signature(&mut self, signature: &syntax::Signature<'t>) -> TypeId {
        let mut params = Vec::new();
        let mut words = 0;
        for section in signature.params {
            let ty = self.type_of(&section.ty, &mut Vec::new(), false);
            let structured = self.types.is_structured(ty);
            for name in section.names {
                params.push(Param {
                    ty,
                    by_reference: section.var || structured,
                    read_only: structured && !section.var,
                });
                words += self.param_words(ty);
                if words > MAX_PARAMETER_WORDS {
                    self.report.error_with_help(
                        name.span,
                        format!("parameters take more than {MAX_PARAMETER_WORDS} words"),
                        "records and open arrays take two; pass a record instead of its parts",
                    );
                    words = 0;
                }
            }
        }
        let result = signature.result.as_ref().map_or(TypeId::NONE, |name| self.result_type(name));
        self.types.add(Form::Procedure { params, result }, 4)
    }

    fn result_type(&mut self, name: &syntax::QualIdent) -> TypeId {
        let ty = self.named_type(name);
        if self.types.is_structured(ty) {
            self.report.error_with_help(
                name.span(),
                "a function cannot return an array or record",
                "pass it as a VAR parameter",
            );
            return TypeId::ERROR;
        }
        ty
    }

    /// Words that a parameter of the type takes.
    pub(super) fn param_words(&self, ty: TypeId) -> u32 {
        match self.types.form(ty) {
            Form::Record(_) | Form::Array { length: None, .. } => 2,
            _ => 1,
        }
    }
}
