//! What a procedure does with its local variables, before it is lowered: which of them can live in
//! registers, and whether it talks to the processor in ways that only the direct generator keeps.

use rustc_hash::FxHashMap;

use crate::r#gen::Body;
use crate::ir::lower::is_forged;
use crate::tree::{
    Arg, Binary, Call, Callee, Expr, ExprKind, Guarded, Length, Module, Place, PlaceKind, Stmt,
    StmtKind,
};
use crate::types::TypeId;

/// A word or byte of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) byte: bool,
    /// A BOOLEAN: 0 or 1 whoever passes it.
    pub(crate) boolean: bool,
    /// It has an address, or is no scalar.
    pub(crate) memory: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Words and bytes of the frame by their offsets, in ascending order.
    pub(crate) locals: Vec<(u32, Local)>,
    /// It reads or writes registers or flags by number.
    pub(crate) bare: bool,
    /// It makes a pointer out of a number.
    pub(crate) forged: bool,
}

impl Scan {
    pub(crate) fn local(&self, offset: u32) -> Option<Local> {
        let at = self.locals.binary_search_by_key(&offset, |(offset, _)| *offset).ok()?;
        Some(self.locals[at].1)
    }
}

/// Scans a procedure.
pub(crate) fn scan(module: &Module, body: &Body<'_>) -> Scan {
    let mut scanner = Scanner { module, locals: FxHashMap::default(), bare: false, forged: false };
    scanner.block(body.statements);
    if let Some(result) = body.result {
        scanner.expr(result);
    }
    let mut locals: Vec<_> = scanner.locals.into_iter().collect();
    locals.sort_unstable_by_key(|(offset, _)| *offset);
    Scan { locals, bare: scanner.bare, forged: scanner.forged }
}

struct Scanner<'a> {
    module: &'a Module<'a>,
    locals: FxHashMap<u32, Local>,
    bare: bool,
    forged: bool,
}

impl Scanner<'_> {
    fn word(&mut self, offset: u32) {
        let local = self.local(offset);
        local.memory |= local.byte;
    }

    fn local(&mut self, offset: u32) -> &mut Local {
        self.locals.entry(offset).or_insert(Local { byte: false, boolean: false, memory: false })
    }

    fn scalar(&mut self, offset: u32, ty: TypeId) {
        let byte = self.module.types.size(ty) == 1;
        let boolean = ty == TypeId::BOOLEAN;
        let local = self.locals.entry(offset).or_insert(Local { byte, boolean, memory: false });
        local.memory |= local.byte != byte;
        local.boolean &= boolean;
    }

    /// A place whose value is loaded or stored.
    fn variable(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(offset) => self.scalar(*offset, place.ty),
            PlaceKind::Guard(inner, _) if self.module.types.record(inner.ty).is_none() => {
                self.variable(inner);
            }
            _ => self.place(place),
        }
    }

    /// A place whose address is computed.
    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Global(_) | PlaceKind::Imported { .. } | PlaceKind::String(_) => {}
            PlaceKind::Local(offset) => self.local(*offset).memory = true,
            PlaceKind::Reference(slot) => self.word(*slot),
            PlaceKind::Deref(pointer) => self.expr(pointer),
            PlaceKind::Field(record, _) => self.place(record),
            PlaceKind::Index { array, index, length, .. } => {
                self.place(array);
                self.expr(index);
                self.length(*length);
            }
            PlaceKind::Guard(inner, _) => {
                self.tag(inner);
                self.place(inner);
            }
        }
    }

    fn tag(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Reference(slot) => self.word(slot + 4),
            PlaceKind::Guard(inner, _) => self.tag(inner),
            _ => {}
        }
    }

    fn length(&mut self, length: Length) {
        if let Length::Slot(slot) = length {
            self.word(slot);
        }
    }

    fn expr(&mut self, e: &Expr) {
        self.forged |= is_forged(self.module, e);
        match &e.kind {
            ExprKind::Load(place) => self.variable(place),
            ExprKind::Address(place) => self.place(place),
            ExprKind::Binary(op, a, b) => {
                self.bare |= matches!(op, Binary::AddCarry | Binary::SubCarry);
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Compare(_, a, b)
            | ExprKind::CompareReal(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::In(a, b)
            | ExprKind::Bit(a, b)
            | ExprKind::Range(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::CompareText(_, a, b) => {
                self.place(a);
                self.place(b);
            }
            ExprKind::Unary(_, a)
            | ExprKind::Not(a)
            | ExprKind::Odd(a)
            | ExprKind::Single(a)
            | ExprKind::IsPointer(a, _) => self.expr(a),
            ExprKind::IsRecord(place, _) => self.tag(place),
            ExprKind::Call(call) => self.call(call),
            ExprKind::OpenLength(slot) => self.word(*slot),
            ExprKind::Register(_) | ExprKind::High | ExprKind::Condition(_) => self.bare = true,
            ExprKind::Const(_)
            | ExprKind::String(_)
            | ExprKind::Procedure(_)
            | ExprKind::ImportedProcedure { .. } => {}
        }
    }

    fn call(&mut self, call: &Call) {
        if let Callee::Value(e) = &call.callee {
            self.expr(e);
        }
        for arg in call.args {
            match arg {
                Arg::Value(e) => self.expr(e),
                Arg::Address(place) => self.place(place),
                Arg::Record(place) => {
                    self.place(place);
                    self.tag(place);
                }
                Arg::Open(place, length) => {
                    self.place(place);
                    self.length(*length);
                }
            }
        }
    }

    fn block(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(&statement.kind);
        }
    }

    fn arms(&mut self, arms: &[Guarded<'_>]) {
        for (condition, body) in arms {
            self.expr(condition);
            self.block(body);
        }
    }

    fn statement(&mut self, statement: &StmtKind) {
        match statement {
            StmtKind::Assign(place, e)
            | StmtKind::Increment { place, amount: e, .. }
            | StmtKind::Include { place, element: e, .. }
            | StmtKind::Pack(place, e)
            | StmtKind::Get(e, place) => {
                self.variable(place);
                self.expr(e);
            }
            StmtKind::Copy { to, from, .. } => {
                self.place(to);
                self.place(from);
            }
            StmtKind::CopyOpen { to, from, length, .. } => {
                self.place(to);
                self.place(from);
                self.word(*length);
            }
            StmtKind::CopyString { to, capacity, .. } => {
                self.place(to);
                self.length(*capacity);
            }
            StmtKind::Call(call) => self.call(call),
            StmtKind::Assert(e) | StmtKind::Leds(e) => self.expr(e),
            StmtKind::New(place, _) => self.variable(place),
            StmtKind::Unpack(a, b) => {
                self.variable(a);
                self.variable(b);
            }
            StmtKind::Put(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            StmtKind::CopyWords(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            StmtKind::SetRegister(_, e) => {
                self.bare = true;
                self.expr(e);
            }
            StmtKind::SetInterrupts(_) => {}
            StmtKind::If(arms, otherwise) => {
                self.arms(arms);
                self.block(otherwise);
            }
            StmtKind::While(arms) => self.arms(arms),
            StmtKind::Repeat(body, until) => {
                self.block(body);
                self.expr(until);
            }
            StmtKind::For { place, from, to, body, .. } => {
                self.variable(place);
                self.expr(from);
                self.expr(to);
                self.block(body);
            }
        }
    }
}

/// Whether statements change a local variable, by whatever name.
pub(crate) fn assigns(statements: &[Stmt], offset: u32) -> bool {
    let is = |place: &Place| matches!(place.kind, PlaceKind::Local(at) if at == offset);
    let arms = |arms: &[Guarded<'_>]| arms.iter().any(|(_, body)| assigns(body, offset));
    statements.iter().any(|statement| match &statement.kind {
        StmtKind::Assign(place, _)
        | StmtKind::Increment { place, .. }
        | StmtKind::Include { place, .. }
        | StmtKind::New(place, _)
        | StmtKind::Pack(place, _)
        | StmtKind::Get(_, place) => is(place),
        StmtKind::Unpack(a, b) => is(a) || is(b),
        StmtKind::If(some, otherwise) => arms(some) || assigns(otherwise, offset),
        StmtKind::While(some) => arms(some),
        StmtKind::Repeat(body, _) => assigns(body, offset),
        StmtKind::For { place, body, .. } => is(place) || assigns(body, offset),
        _ => false,
    })
}
