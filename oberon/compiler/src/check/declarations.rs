//! Declarations: layout of variables, records and parameters, export numbers.

use super::type_expressions::Forward;
use super::{Checker, ConstValue, MAX_POINTERS, MAX_VARIABLES, ProcedureRef, SymbolKind};
use crate::symbols::MAX_EXPORTS;
use crate::syntax::{self, IdentDef};
use crate::tree::{self, Entry, ExprKind, Object, ObjectKind, PlaceKind};
use crate::types::{Form, TypeId};

/// Locals are reached by a 16-bit offset.
const MAX_FRAME: u64 = 0xFF00;
/// Exported variables are reached by a 16-bit offset that the loader patches in; type
/// descriptors may stand before the variables.
const MAX_EXPORTED_OFFSET: u64 = 0xFFFF - super::MAX_DESCRIPTORS as u64;

impl<'t> Checker<'t, '_, '_> {
    pub(super) fn module(mut self, module: &syntax::Module<'t>) -> tree::Module<'t> {
        let mut scope = Vec::new();
        let variable_bytes = self.global_declarations(&module.declarations, &mut scope);
        for procedure in module.declarations.procedures {
            if let Some(object) = self.procedure(procedure) {
                scope.push(object);
            }
        }
        self.frame = variable_bytes;
        let body = self.statements(module.body);
        let variable_bytes = self.frame;
        let mut pointers = Vec::new();
        let mut listed = true;
        for object in &scope {
            if object.kind != ObjectKind::Type
                && let Some(offset) = self.global_offset(object.name)
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
            name: module.name.name.to_string(),
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
            texts: self.texts,
            variables: self.variables,
            strings: self.strings,
            procedures: self.procedures.into_iter().flatten().collect(),
            body,
            end: module.end,
        }
    }

    fn global_offset(&self, name: &str) -> Option<u32> {
        let index = self.scopes.innermost(name)?;
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

    pub(super) fn check_local_export(&mut self, def: &IdentDef) {
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
        declarations: &syntax::Declarations<'t>,
        scope: &mut Vec<Object<'t>>,
    ) -> u32 {
        for decl in declarations.constants {
            let (ty, value) = self.constant(decl);
            let symbol = self.find(decl.def.ident.name).map(|i| &self.symbols[i].kind);
            if let Some(SymbolKind::Constant(_, ConstValue::String(text))) = symbol
                && decl.def.exported
            {
                self.texts.insert(scope.len(), *text);
            }
            scope.push(Object {
                name: decl.def.ident.name,
                exported: decl.def.exported,
                span: decl.def.ident.span,
                ty,
                kind: ObjectKind::Constant(value),
            });
        }
        for (def, ty) in self.type_declarations(declarations.types) {
            scope.push(Object {
                name: def.ident.name,
                exported: def.exported,
                span: def.ident.span,
                ty,
                kind: ObjectKind::Type,
            });
        }
        let mut at = 0;
        for decl in declarations.variables {
            let ty = self.type_of(&decl.ty, &mut Vec::new(), true);
            for def in decl.defs {
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
                    name: def.ident.name,
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

    pub(super) fn align(&self, at: u64, ty: TypeId) -> u64 {
        if self.types.size(ty) > 1 { at.next_multiple_of(4) } else { at }
    }

    fn constant(&mut self, decl: &syntax::ConstDecl<'t>) -> (TypeId, i32) {
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
                    None => self.append_string(string.bytes),
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
        decls: &'d [syntax::TypeDecl<'t>],
    ) -> Vec<(&'d IdentDef<'t>, TypeId)> {
        let mut forwards = Vec::new();
        let mut out = Vec::new();
        for decl in decls {
            self.check_local_export(&decl.def);
            let ty = self.type_of(&decl.ty, &mut forwards, true);
            if ty != TypeId::ERROR && ty.0 > crate::types::LAST_PREDEFINED {
                let named = self.types.get_mut(ty);
                if named.name.is_none() {
                    named.name = Some(decl.def.ident.name.into());
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
            forwards.retain(|forward: &Forward<'_>| {
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

    fn procedure(&mut self, procedure: &syntax::Procedure<'t>) -> Option<Object<'t>> {
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
        let object = (self.level == 0).then_some(Object {
            name: def.ident.name,
            exported: def.exported,
            span: def.ident.span,
            ty: signature,
            kind: ObjectKind::Procedure(entry),
        });
        let outer_interrupt = std::mem::replace(&mut self.interrupt, procedure.interrupt);
        let outer = self.inside.replace(def.ident.span);
        self.scopes.open();
        self.level += 1;
        let checked = self.procedure_body(procedure, signature);
        self.level -= 1;
        self.scopes.close();
        self.interrupt = outer_interrupt;
        self.inside = outer;
        self.procedures[index] = Some(checked);
        object
    }

    fn procedure_body(
        &mut self,
        procedure: &syntax::Procedure<'t>,
        signature: TypeId,
    ) -> tree::Procedure<'t> {
        let Form::Procedure { params, result } = self.types.form(signature).clone() else {
            unreachable!("a signature is a procedure type");
        };
        let names = procedure.signature.params.iter().flat_map(|s| s.names);
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
        for inner in procedure.declarations.procedures {
            self.procedure(inner);
        }
        let outer_frame = std::mem::replace(&mut self.frame, frame_bytes);
        let body = self.statements(procedure.body);
        let value = self.result_value(procedure, result);
        let frame_bytes = std::mem::replace(&mut self.frame, outer_frame);
        let command = self.level == 1
            && procedure.def.exported
            && params.is_empty()
            && result == TypeId::NONE;
        tree::Procedure {
            name: procedure.def.ident.name,
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

    fn local_declarations(&mut self, declarations: &syntax::Declarations<'t>, start: u32) -> u32 {
        for decl in declarations.constants {
            self.constant(decl);
        }
        self.type_declarations(declarations.types);
        let mut at = u64::from(start);
        for decl in declarations.variables {
            let ty = self.type_of(&decl.ty, &mut Vec::new(), true);
            for def in decl.defs {
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
        procedure: &syntax::Procedure<'t>,
        result: TypeId,
    ) -> Option<tree::Expr<'t>> {
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
