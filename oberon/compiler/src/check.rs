//! Syntax tree to typed tree: names, types, constants, and the rules of the language.
//!
//! Every construct that the Project Oberon compiler accepts is accepted and means the same; what
//! that compiler silently gets wrong is refused or made right (README.md lists it).
//! After an error the checker goes on with [`TypeId::ERROR`], which fits everywhere, so that one
//! mistake is reported once.

mod calls;
mod cases;
mod declarations;
mod designators;
mod expressions;
mod scopes;
mod standard;
mod statements;
mod type_expressions;

use std::collections::BTreeMap;

use bumpalo::collections::Vec as List;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Report, Span};
use crate::symbols::{self, ImportedKind, ImportedModule};
use crate::syntax::{self, Arena};
use crate::tree::{self, Expr, ExprKind, Place, PlaceKind, StringConst};
use crate::types::{Form, TypeId, Types};
use crate::{Extensions, SymbolSource, tree::Entry};
use scopes::Scopes;
use standard::Standard;

/// Global variables of one module, in bytes: more can never be loaded, module space ends there.
const MAX_VARIABLES: u64 = 0x7_8000;
/// Largest type, in bytes: the whole memory.
const MAX_SIZE: u64 = 0x10_0000;
/// Bytes of type descriptors: the fix-up chain has 12 bits for an offset.
const MAX_DESCRIPTORS: u32 = 4096;
/// Pointers listed for one type or module.
const MAX_POINTERS: usize = 60_000;

#[derive(Clone, Copy, Debug)]
struct Symbol<'t> {
    kind: SymbolKind<'t>,
    level: u32,
}

#[derive(Clone, Copy, Debug)]
enum SymbolKind<'t> {
    /// Declared wrongly; reported.
    Error,
    Constant(TypeId, ConstValue<'t>),
    Type(TypeId),
    Variable {
        ty: TypeId,
        place: PlaceKind<'t>,
        read_only: bool,
    },
    Procedure {
        ty: TypeId,
        callee: ProcedureRef,
    },
    /// Index into the modules in sight.
    Module(usize),
    System,
    Standard(Standard),
}

#[derive(Clone, Copy, Debug)]
enum ConstValue<'t> {
    Scalar(i32),
    String(StringConst<'t>),
    /// A string of another module: its text is not in the symbol file.
    ForeignString,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcedureRef {
    Own(usize),
    Imported { module: u8, entry: u8 },
}

/// What a designator stands for.
enum Item<'t> {
    Error,
    Type,
    Place {
        place: Place<'t>,
        read_only: bool,
    },
    Value(Expr<'t>),
    Procedure {
        ty: TypeId,
        callee: ProcedureRef,
        local: bool,
    },
    Standard(Standard),
    /// The result of a call of a proper procedure.
    Call(tree::Call<'t>),
    /// What a standard procedure does.
    Action(tree::StmtKind<'t>),
}

struct Checker<'t, 'a, 'r> {
    report: &'a mut Report<'r>,
    arena: &'t Arena,
    types: Types,
    modules: Vec<ImportedModule>,
    symbols: Vec<Symbol<'t>>,
    scopes: Scopes<'t>,
    level: u32,
    strings: Vec<u8>,
    /// Strings that may be shared.
    placed: FxHashMap<&'t [u8], u32>,
    standalone: bool,
    next_entry: u32,
    entries: Vec<Entry>,
    records: Vec<TypeId>,
    descriptor_bytes: u32,
    procedures: Vec<Option<tree::Procedure<'t>>>,
    texts: BTreeMap<usize, StringConst<'t>>,
    variables: Vec<tree::Variable<'t>>,
    /// Bytes of the frame of the procedure being checked, or of the global variables.
    frame: u32,
    extensions: Extensions,
    /// Place of the name of the procedure being checked.
    inside: Option<Span>,
    /// The procedure being checked is an interrupt handler.
    interrupt: bool,
}

/// Checks a module; its typed tree stands in `arena`. The result makes sense only if nothing was
/// reported.
pub fn check<'t>(
    module: &syntax::Module<'t>,
    arena: &'t Arena,
    symbols: &dyn SymbolSource,
    extensions: Extensions,
    report: &mut Report<'_>,
) -> tree::Module<'t> {
    let mut checker = Checker {
        report,
        arena,
        types: Types::default(),
        modules: Vec::new(),
        symbols: Vec::new(),
        scopes: Scopes::default(),
        level: 0,
        strings: Vec::new(),
        placed: FxHashMap::default(),
        standalone: module.standalone,
        next_entry: 1,
        entries: Vec::new(),
        records: Vec::new(),
        descriptor_bytes: 0,
        procedures: Vec::new(),
        texts: BTreeMap::new(),
        variables: Vec::new(),
        frame: 0,
        extensions,
        inside: None,
        interrupt: false,
    };
    checker.universe();
    checker.scopes.open();
    checker.imports(module, symbols);
    checker.module(module)
}

impl<'t> Checker<'t, '_, '_> {
    fn universe(&mut self) {
        let types = [
            ("BYTE", TypeId::BYTE),
            ("BOOLEAN", TypeId::BOOLEAN),
            ("CHAR", TypeId::CHAR),
            ("INTEGER", TypeId::INTEGER),
            ("LONGINT", TypeId::INTEGER),
            ("REAL", TypeId::REAL),
            ("LONGREAL", TypeId::REAL),
            ("SET", TypeId::SET),
        ];
        for (name, ty) in types {
            self.enter(name, SymbolKind::Type(ty));
        }
        for (name, standard) in standard::UNIVERSE {
            self.enter(name, SymbolKind::Standard(*standard));
        }
    }

    fn enter(&mut self, name: &'t str, kind: SymbolKind<'t>) {
        self.symbols.push(Symbol { kind, level: self.level });
        self.scopes.enter(name, self.symbols.len() - 1);
    }

    /// Declares a name in the innermost scope; reports a second declaration.
    fn declare(&mut self, ident: &syntax::Ident<'t>, kind: SymbolKind<'t>) {
        if let SymbolKind::Variable { ty, place, .. } = &kind {
            self.variables.push(tree::Variable {
                procedure: self.inside,
                name: ident.name,
                place: *place,
                ty: *ty,
            });
        }
        if self.scopes.innermost(ident.name).is_some() {
            self.report.error(ident.span, format!("{} is declared twice", ident.name));
            return;
        }
        self.enter(ident.name, kind);
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.scopes.find(name)
    }

    fn lookup(&mut self, ident: &syntax::Ident) -> Option<usize> {
        let found = self.find(ident.name);
        if found.is_none() {
            let name = &ident.name;
            let help = match *name {
                "LOOP" | "EXIT" | "WITH" => {
                    "this dialect has WHILE with ELSIF, REPEAT, and CASE on types"
                }
                _ => "declare it, or import the module that exports it and write Module.name",
            };
            self.report.error_with_help(ident.span, format!("{name} is not declared"), help);
        }
        found
    }

    /// What `module.name` is, for an imported module.
    fn imported(&mut self, index: usize, name: &syntax::Ident) -> SymbolKind<'t> {
        let module = &self.modules[index];
        let number = index as u8 + 1;
        let Some(object) = module.objects.iter().find(|o| o.name == name.name) else {
            self.report
                .error(name.span, format!("module {} exports no {}", module.name, name.name));
            return SymbolKind::Error;
        };
        match object.kind {
            ImportedKind::Type => SymbolKind::Type(object.ty),
            ImportedKind::Constant(_) if object.ty == TypeId::STRING => {
                let text = object.text.as_ref().map(|text| StringConst {
                    bytes: self.arena.alloc_slice_copy(&text.bytes),
                    length: text.length,
                    offset: None,
                });
                let value = text.map_or(ConstValue::ForeignString, ConstValue::String);
                SymbolKind::Constant(object.ty, value)
            }
            ImportedKind::Constant(value) => {
                SymbolKind::Constant(object.ty, ConstValue::Scalar(value))
            }
            ImportedKind::Variable(entry) => SymbolKind::Variable {
                ty: object.ty,
                place: PlaceKind::Imported { module: number, entry },
                read_only: true,
            },
            ImportedKind::Procedure(entry) => SymbolKind::Procedure {
                ty: object.ty,
                callee: ProcedureRef::Imported { module: number, entry },
            },
        }
    }

    /// Resolves a qualified name to what it is, with the level it was declared at.
    fn qualified(&mut self, name: &syntax::QualIdent) -> SymbolKind<'t> {
        let Some(module) = &name.module else {
            return self.lookup(&name.name).map_or(SymbolKind::Error, |i| self.symbols[i].kind);
        };
        match self.lookup(module).map(|i| self.symbols[i].kind) {
            Some(SymbolKind::Module(index)) => self.imported(index, &name.name),
            Some(_) => {
                self.report.error(module.span, format!("{} is not a module", module.name));
                SymbolKind::Error
            }
            None => SymbolKind::Error,
        }
    }

    /// Resolves a name that must be a type.
    fn named_type(&mut self, name: &syntax::QualIdent) -> TypeId {
        match self.qualified(name) {
            SymbolKind::Type(ty) => ty,
            SymbolKind::Error => TypeId::ERROR,
            _ => {
                self.report.error(name.span(), format!("{} is not a type", name.name.name));
                TypeId::ERROR
            }
        }
    }

    fn imports(&mut self, module: &syntax::Module<'t>, symbols: &dyn SymbolSource) {
        let mut seen: Vec<&str> = Vec::new();
        for import in module.imports {
            let name = import.name.name;
            let span = import.name.span;
            if name == module.name.name {
                self.report.error(span, format!("module {name} imports itself"));
                continue;
            }
            if seen.contains(&name) {
                self.report.error(span, format!("module {name} is imported twice"));
                continue;
            }
            seen.push(name);
            if name == "SYSTEM" {
                self.declare(&import.alias, SymbolKind::System);
                continue;
            }
            let Some(bytes) = symbols.symbol_file(name) else {
                self.report.error_with_help(
                    span,
                    format!("there is no symbol file of module {name}"),
                    format!("compile {name} first, or name the folder that holds {name}.smb"),
                );
                self.declare(&import.alias, SymbolKind::Error);
                continue;
            };
            match symbols::read(name, &bytes, &mut self.types, &mut self.modules, symbols) {
                Ok(index) => self.declare(&import.alias, SymbolKind::Module(index)),
                Err(error) => {
                    self.report.error(span, error.to_string());
                    self.declare(&import.alias, SymbolKind::Error);
                }
            }
        }
        if let Some(at) = self.modules.iter().position(|m| m.name == module.name.name) {
            // Numbers of the others must stay, so the entry stays too.
            let name = self.modules[at].name.clone();
            self.report.error(
                module.name.span,
                format!("an imported module shows types of {name} itself: imports form a cycle"),
            );
        }
    }

    /// Places a string constant, or finds it placed.
    fn place_string(&mut self, string: &StringConst<'t>, span: Span) -> u32 {
        if self.standalone {
            self.report.error_with_help(
                span,
                "a standalone module has no place for string constants",
                "its PROM is visible to instruction fetch only: store single characters",
            );
        }
        if let Some(offset) = string.offset {
            return offset;
        }
        if let Some(offset) = self.placed.get(string.bytes) {
            return *offset;
        }
        self.append_string(string.bytes)
    }

    fn append_string(&mut self, bytes: &'t [u8]) -> u32 {
        let offset = self.strings.len() as u32;
        self.strings.extend_from_slice(bytes);
        while !self.strings.len().is_multiple_of(4) {
            self.strings.push(0);
        }
        self.placed.insert(bytes, offset);
        offset
    }

    /// The place of a string constant, typed as the array of characters it is.
    fn string_place(&mut self, string: &StringConst<'t>, span: Span) -> Place<'t> {
        let offset = self.place_string(string, span);
        Place { kind: PlaceKind::String(offset), ty: TypeId::STRING, span }
    }

    /// Makes sure a record type has a descriptor.
    fn describe_record(&mut self, ty: TypeId, span: Span) {
        if self.types.get(ty).module != 0 {
            return;
        }
        let Some(record) = self.types.record(ty) else {
            return;
        };
        if record.descriptor.is_some() {
            return;
        }
        if let Some(base) = record.base {
            self.describe_record(base, span);
        }
        let mut pointers = Vec::new();
        let listed = self.types.pointer_offsets(ty, 0, MAX_POINTERS, &mut pointers);
        let offset = self.descriptor_bytes;
        let bytes = 4 * (4 + pointers.len() as u32 + 1);
        if !listed || offset + bytes > MAX_DESCRIPTORS {
            self.report.error_with_help(
                span,
                "the module's type descriptors take more than 4096 bytes",
                "move record types into another module, or use fewer pointers per record",
            );
            return;
        }
        self.descriptor_bytes += bytes;
        self.records.push(ty);
        if let Form::Record(record) = &mut self.types.get_mut(ty).form {
            record.descriptor = Some(offset);
        }
    }

    /// Puts a node of the typed tree into its place.
    fn node<T: Copy>(&self, node: T) -> &'t T {
        self.arena.alloc(node)
    }

    /// A list of such nodes that grows.
    fn list<T: Copy>(&self) -> List<'t, T> {
        List::new_in(self.arena)
    }

    fn error_expr(&self, span: Span) -> Expr<'t> {
        Expr { kind: ExprKind::Const(0), ty: TypeId::ERROR, span }
    }
}
