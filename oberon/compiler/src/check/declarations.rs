//! Declarations: layout of variables, records and parameters, export numbers.

use std::collections::HashMap;

use super::{Checker, ConstValue, MAX_POINTERS, MAX_SIZE, MAX_VARIABLES, ProcedureRef, SymbolKind};
use crate::diagnostic::Span;
use crate::symbols::MAX_EXPORTS;
use crate::syntax::{self, IdentDef, TypeKind};
use crate::tree::{self, Entry, ExprKind, Object, ObjectKind, PlaceKind};
use crate::types::{Field, Form, Param, Record, TypeId};

/// Highest level of record extension: a descriptor has three words for it.
const MAX_EXTENSION: u32 = 3;
/// Parameters travel in registers 0 to 10.
const MAX_PARAMETER_WORDS: u32 = 11;
/// Locals are reached by a 16-bit offset.
const MAX_FRAME: u64 = 0xFF00;
/// Exported variables are reached by a 16-bit offset that the loader patches in; type
/// descriptors may stand before the variables.
const MAX_EXPORTED_OFFSET: u64 = 0xFFFF - super::MAX_DESCRIPTORS as u64;

/// A pointer type whose base is declared later.
struct Forward {
    name: syntax::Ident,
    pointer: TypeId,
}

impl Checker<'_, '_> {
    pub(super) fn module(mut self, module: &syntax::Module) -> tree::Module {
        let mut scope = Vec::new();
        let variable_bytes = self.global_declarations(&module.declarations, &mut scope);
        for procedure in &module.declarations.procedures {
            if let Some(object) = self.procedure(procedure) {
                scope.push(object);
            }
        }
        let body = self.statements(&module.body);
        let mut pointers = Vec::new();
        let mut listed = true;
        for object in &scope {
            if object.kind != ObjectKind::Type
                && let Some(offset) = self.global_offset(&object.name)
            {
                listed &=
                    self.types.pointer_offsets(object.ty, offset, MAX_POINTERS, &mut pointers);
            }
        }
        if !listed {
            self.report.error(
                module.name.span,
                format!("global variables hold more than {MAX_POINTERS} pointers"),
            );
        }
        tree::Module {
            name: module.name.name.clone(),
            standalone: module.standalone,
            imports: self
                .modules
                .iter()
                .map(|m| tree::Import { name: m.name.clone(), key: m.key })
                .collect(),
            types: self.types,
            scope,
            entries: self.entries,
            records: self.records,
            descriptor_bytes: self.descriptor_bytes,
            variable_bytes,
            pointers,
            strings: self.strings,
            procedures: self.procedures.into_iter().flatten().collect(),
            body,
            end: module.end,
        }
    }

    fn global_offset(&self, name: &str) -> Option<u32> {
        let index = *self.scopes[1].get(name)?;
        match &self.symbols[index].kind {
            SymbolKind::Variable { place: PlaceKind::Global(offset), .. } => Some(*offset),
            _ => None,
        }
    }

    /// The next export number for `def`, 0 if it is not exported.
    fn export(&mut self, def: &IdentDef, entry: Entry) -> u32 {
        if !def.exported {
            return 0;
        }
        if self.next_entry > MAX_EXPORTS {
            self.report.error_with_help(
                def.ident.span,
                format!(
                    "module exports more than {MAX_EXPORTS} variables, procedures and record types"
                ),
                "the export number is a byte: group variables in a record, or split the module",
            );
            return 0;
        }
        self.entries.push(entry);
        self.next_entry += 1;
        self.next_entry - 1
    }

    fn check_local_export(&mut self, def: &IdentDef) {
        if def.exported && self.level > 0 {
            self.report.error_with_help(
                def.ident.span,
                format!("{} is local and cannot be exported", def.ident.name),
                "remove the asterisk",
            );
        }
    }

    fn global_declarations(
        &mut self,
        declarations: &syntax::Declarations,
        scope: &mut Vec<Object>,
    ) -> u32 {
        for decl in &declarations.constants {
            let (ty, value) = self.constant(decl);
            scope.push(Object {
                name: decl.def.ident.name.clone(),
                exported: decl.def.exported,
                span: decl.def.ident.span,
                ty,
                kind: ObjectKind::Constant(value),
            });
        }
        for (def, ty) in self.type_declarations(&declarations.types) {
            scope.push(Object {
                name: def.ident.name.clone(),
                exported: def.exported,
                span: def.ident.span,
                ty,
                kind: ObjectKind::Type,
            });
        }
        let mut at = 0;
        for decl in &declarations.variables {
            let ty = self.type_of(&decl.ty, &mut Vec::new(), true);
            for def in &decl.defs {
                at = self.align(at, ty);
                let entry = self.export(def, Entry::Variable(at as u32));
                if def.exported && at > MAX_EXPORTED_OFFSET {
                    self.far_export(def, at);
                }
                self.declare(
                    &def.ident,
                    SymbolKind::Variable {
                        ty,
                        place: PlaceKind::Global(at as u32),
                        read_only: false,
                    },
                );
                scope.push(Object {
                    name: def.ident.name.clone(),
                    exported: def.exported,
                    span: def.ident.span,
                    ty,
                    kind: ObjectKind::Variable(entry),
                });
                at += u64::from(self.types.size(ty));
                if at > MAX_VARIABLES {
                    self.report.error_with_help(
                        def.ident.span,
                        format!("global variables take more than {MAX_VARIABLES} bytes"),
                        "that is all the space there is for modules: allocate with NEW instead",
                    );
                    at = 0;
                }
            }
        }
        at.next_multiple_of(4) as u32
    }

    fn far_export(&mut self, def: &IdentDef, at: u64) {
        self.report.error_with_help(
            def.ident.span,
            format!(
                "exported variable {} stands {at} bytes into the module's variables; importers \
                 reach {MAX_EXPORTED_OFFSET}",
                def.ident.name
            ),
            "declare exported variables before the large ones",
        );
    }

    fn align(&self, at: u64, ty: TypeId) -> u64 {
        if self.types.size(ty) > 1 { at.next_multiple_of(4) } else { at }
    }

    fn constant(&mut self, decl: &syntax::ConstDecl) -> (TypeId, i32) {
        self.check_local_export(&decl.def);
        let value = self.expression(&decl.value);
        let single = self.single_char(&value);
        let (ty, kind, bits) = match value.kind {
            ExprKind::Const(bits) => (value.ty, ConstValue::Scalar(bits), bits),
            ExprKind::String(_) if single.is_some() => {
                let code = i32::from(single.unwrap_or(0));
                (TypeId::CHAR, ConstValue::Scalar(code), code)
            }
            ExprKind::String(mut string) => {
                // Placed at once and never shared: the offset is part of the symbol file.
                let offset = match string.offset {
                    Some(offset) => offset,
                    None if self.standalone => 0,
                    None => self.append_string(&string.bytes),
                };
                string.offset = (!self.standalone).then_some(offset);
                (TypeId::STRING, ConstValue::String(string), offset as i32)
            }
            _ => {
                if value.ty != TypeId::ERROR {
                    self.report.error_with_help(
                        value.span,
                        "this is not a constant expression",
                        "only integer and set arithmetic is computed at compile time",
                    );
                }
                (TypeId::ERROR, ConstValue::Scalar(0), 0)
            }
        };
        self.declare(&decl.def.ident, SymbolKind::Constant(ty, kind));
        (ty, bits)
    }

    /// Declares the types of a section and ties forward pointers.
    fn type_declarations<'d>(
        &mut self,
        decls: &'d [syntax::TypeDecl],
    ) -> Vec<(&'d IdentDef, TypeId)> {
        let mut forwards = Vec::new();
        let mut out = Vec::new();
        for decl in decls {
            self.check_local_export(&decl.def);
            let ty = self.type_of(&decl.ty, &mut forwards, true);
            if ty != TypeId::ERROR && ty.0 > crate::types::LAST_PREDEFINED {
                let named = self.types.get_mut(ty);
                if named.name.is_none() {
                    named.name = Some(decl.def.ident.name.clone());
                }
            }
            self.declare(&decl.def.ident, SymbolKind::Type(ty));
            let is_record = self.types.record(ty).is_some();
            if is_record && self.level == 0 {
                self.describe_record(ty, decl.def.ident.span);
                let entry = self.export(&decl.def, Entry::Record(ty));
                if entry != 0 && self.types.get(ty).module == 0 && self.types.get(ty).entry == 0 {
                    self.types.get_mut(ty).entry = entry;
                }
            }
            forwards.retain(|forward: &Forward| {
                let found = forward.name.name == decl.def.ident.name;
                if found && is_record {
                    self.types.set_form(forward.pointer, Form::Pointer(ty), 4);
                } else if found && ty != TypeId::ERROR {
                    self.report.error(
                        forward.name.span,
                        format!("{} is no record: pointers point to records", forward.name.name),
                    );
                }
                !found
            });
            out.push((&decl.def, ty));
        }
        for forward in forwards {
            self.report.error(
                forward.name.span,
                format!("{} is not declared in this TYPE section", forward.name.name),
            );
        }
        out
    }

    /// The type that a type expression stands for. `named` is false for inner ones.
    fn type_of(
        &mut self,
        ty: &syntax::TypeExpr,
        forwards: &mut Vec<Forward>,
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
        base: Option<&syntax::QualIdent>,
        decls: &[syntax::VarDecl],
        forwards: &mut Vec<Forward>,
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
        let mut names: HashMap<String, ()> = HashMap::new();
        for decl in decls {
            let ty = self.type_of(&decl.ty, forwards, true);
            for def in &decl.defs {
                self.check_local_export(def);
                let name = &def.ident.name;
                let inherited = record.base.is_some_and(|b| self.types.field(b, name).is_some());
                if names.insert(name.clone(), ()).is_some() || inherited {
                    self.report
                        .error(def.ident.span, format!("the record has a field {name} already"));
                }
                at = self.align(at, ty);
                record.fields.push(Field {
                    name: name.clone(),
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
        base: &syntax::TypeExpr,
        forwards: &mut Vec<Forward>,
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
        let found = self.find(&name.name.name);
        if found.map_or(self.level, |i| self.symbols[i].level) > 0 {
            self.report.error_with_help(
                base.span,
                "a pointer cannot point to a local record type",
                "declare the record type outside of the procedure",
            );
            return TypeId::ERROR;
        }
        match found.map(|i| self.symbols[i].kind.clone()) {
            Some(SymbolKind::Type(ty)) if self.types.record(ty).is_some() => {
                self.types.add(Form::Pointer(ty), 4)
            }
            Some(SymbolKind::Error | SymbolKind::Type(TypeId::ERROR)) => TypeId::ERROR,
            None if in_section => {
                let pointer = self.types.add(Form::Pointer(TypeId::ERROR), 4);
                forwards.push(Forward { name: name.name.clone(), pointer });
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

    fn signature(&mut self, signature: &syntax::Signature) -> TypeId {
        let mut params = Vec::new();
        let mut words = 0;
        for section in &signature.params {
            let ty = self.type_of(&section.ty, &mut Vec::new(), false);
            let structured = self.types.is_structured(ty);
            for name in &section.names {
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

    fn procedure(&mut self, procedure: &syntax::Procedure) -> Option<Object> {
        let def = &procedure.def;
        self.check_local_export(def);
        let signature = self.signature(&procedure.signature);
        let index = self.procedures.len();
        self.procedures.push(None);
        let entry = if self.level == 0 { self.export(def, Entry::Procedure(index)) } else { 0 };
        self.declare(
            &def.ident,
            SymbolKind::Procedure { ty: signature, callee: ProcedureRef::Own(index) },
        );
        let object = (self.level == 0).then(|| Object {
            name: def.ident.name.clone(),
            exported: def.exported,
            span: def.ident.span,
            ty: signature,
            kind: ObjectKind::Procedure(entry),
        });
        let outer_interrupt = std::mem::replace(&mut self.interrupt, procedure.interrupt);
        self.scopes.push(HashMap::new());
        self.level += 1;
        let checked = self.procedure_body(procedure, signature);
        self.level -= 1;
        self.scopes.pop();
        self.interrupt = outer_interrupt;
        self.procedures[index] = Some(checked);
        object
    }

    fn procedure_body(
        &mut self,
        procedure: &syntax::Procedure,
        signature: TypeId,
    ) -> tree::Procedure {
        let Form::Procedure { params, result } = self.types.form(signature).clone() else {
            unreachable!("a signature is a procedure type");
        };
        let names = procedure.signature.params.iter().flat_map(|s| &s.names);
        let mut words = 0;
        for (param, name) in params.iter().zip(names) {
            let place = if param.by_reference {
                PlaceKind::Reference(4 * words)
            } else {
                PlaceKind::Local(4 * words)
            };
            self.declare(
                name,
                SymbolKind::Variable { ty: param.ty, place, read_only: param.read_only },
            );
            words += self.param_words(param.ty);
        }
        let frame_bytes = self.local_declarations(&procedure.declarations, 4 * words);
        for inner in &procedure.declarations.procedures {
            self.procedure(inner);
        }
        let body = self.statements(&procedure.body);
        let value = self.result_value(procedure, result);
        let command = self.level == 1
            && procedure.def.exported
            && params.is_empty()
            && result == TypeId::NONE;
        tree::Procedure {
            name: procedure.def.ident.name.clone(),
            span: procedure.def.ident.span,
            command,
            interrupt: procedure.interrupt,
            parameter_words: words,
            frame_bytes,
            body,
            result: value,
            end: procedure.end,
        }
    }

    fn local_declarations(&mut self, declarations: &syntax::Declarations, start: u32) -> u32 {
        for decl in &declarations.constants {
            self.constant(decl);
        }
        self.type_declarations(&declarations.types);
        let mut at = u64::from(start);
        for decl in &declarations.variables {
            let ty = self.type_of(&decl.ty, &mut Vec::new(), true);
            for def in &decl.defs {
                self.check_local_export(def);
                at = self.align(at, ty);
                self.declare(
                    &def.ident,
                    SymbolKind::Variable {
                        ty,
                        place: PlaceKind::Local(at as u32),
                        read_only: false,
                    },
                );
                at += u64::from(self.types.size(ty));
                if at > MAX_FRAME {
                    self.report.error_with_help(
                        def.ident.span,
                        "local variables take more than 64 KB, and the stack has 32",
                        "declare large variables outside of the procedure",
                    );
                    at = 0;
                }
            }
        }
        at.next_multiple_of(4) as u32
    }

    fn result_value(
        &mut self,
        procedure: &syntax::Procedure,
        result: TypeId,
    ) -> Option<tree::Expr> {
        let name = &procedure.def.ident.name;
        let Some(expr) = &procedure.result else {
            if result != TypeId::NONE && result != TypeId::ERROR {
                self.report.error_with_help(
                    procedure.end,
                    format!("function {name} has no RETURN"),
                    "write RETURN and the result before END, once, as the last thing",
                );
            }
            return None;
        };
        let value = self.expression(expr);
        if result == TypeId::NONE {
            self.report.error(value.span, format!("{name} is no function and returns nothing"));
            return None;
        }
        let value = self.assignable(result, value, "result");
        Some(value)
    }
}
