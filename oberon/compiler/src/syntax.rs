//! The syntax tree: what the parser understood, names unresolved, each node with its place.

use crate::diagnostic::Span;
pub use compact_str::CompactString as Name;

/// A name where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name, cut to its significant characters.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// A name where it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentDef {
    /// The name.
    pub ident: Ident,
    /// Marked with `*`.
    pub exported: bool,
}

/// `[module "."] name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QualIdent {
    /// The part before the period.
    pub module: Option<Ident>,
    /// The name itself.
    pub name: Ident,
}

impl QualIdent {
    /// The whole of it.
    #[must_use]
    pub fn span(&self) -> Span {
        self.module.as_ref().map_or(self.name.span, |m| m.span.to(self.name.span))
    }
}

/// A whole module.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Its name.
    pub name: Ident,
    /// Declared `MODULE*`.
    pub standalone: bool,
    /// Imports in their order.
    pub imports: Vec<Import>,
    /// Declarations outside of procedures.
    pub declarations: Declarations,
    /// The module body.
    pub body: Vec<Stmt>,
    /// The final END.
    pub end: Span,
}

/// `alias := name`, or the same name twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The name used in this module.
    pub alias: Ident,
    /// The module's own name.
    pub name: Ident,
}

/// The declarations of a module or procedure, in the order of the language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declarations {
    /// CONST section.
    pub constants: Vec<ConstDecl>,
    /// TYPE section.
    pub types: Vec<TypeDecl>,
    /// VAR section.
    pub variables: Vec<VarDecl>,
    /// Procedures.
    pub procedures: Vec<Procedure>,
}

/// `name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstDecl {
    /// The name.
    pub def: IdentDef,
    /// Its value.
    pub value: Expr,
}

/// `name = type`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDecl {
    /// The name.
    pub def: IdentDef,
    /// What it stands for.
    pub ty: TypeExpr,
}

/// `names : type`, for variables and record fields.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// The names.
    pub defs: Vec<IdentDef>,
    /// Their type.
    pub ty: TypeExpr,
}

/// A procedure with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// The name.
    pub def: IdentDef,
    /// Declared `PROCEDURE*`: an interrupt handler.
    pub interrupt: bool,
    /// Parameters and result.
    pub signature: Signature,
    /// Local declarations.
    pub declarations: Declarations,
    /// Statements.
    pub body: Vec<Stmt>,
    /// The expression after RETURN.
    pub result: Option<Expr>,
    /// The END of the procedure.
    pub end: Span,
}

/// Parameters and result type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signature {
    /// Parameter sections in their order.
    pub params: Vec<ParamSection>,
    /// The result type.
    pub result: Option<QualIdent>,
}

/// `[VAR] names : type`.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamSection {
    /// Passed by reference and writable.
    pub var: bool,
    /// The names.
    pub names: Vec<Ident>,
    /// Their type.
    pub ty: TypeExpr,
}

/// A type as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// What kind of type.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the forms are those of the language")]
pub enum TypeKind {
    Named(QualIdent),
    Array {
        lengths: Vec<Expr>,
        element: Box<TypeExpr>,
    },
    OpenArray(Box<TypeExpr>),
    Record {
        base: Option<QualIdent>,
        fields: Vec<VarDecl>,
    },
    Pointer(Box<TypeExpr>),
    Procedure(Signature),
    /// Stands where a type could not be read; reported already.
    Error,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// Guarded statements: a condition and what it guards.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The condition.
    pub condition: Expr,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// One arm of a CASE.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    /// The labels, each a value or the first and last of a range.
    pub labels: Vec<(Expr, Option<Expr>)>,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// The forms of statements.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the forms are those of the language")]
pub enum StmtKind {
    Assign(Designator, Expr),
    Call(Designator),
    If {
        arms: Vec<Arm>,
        otherwise: Vec<Stmt>,
    },
    While(Vec<Arm>),
    Repeat {
        body: Vec<Stmt>,
        until: Expr,
    },
    For(Box<For>),
    Case {
        subject: Expr,
        arms: Vec<CaseArm>,
        /// An ELSE with its statements.
        otherwise: Option<Else>,
    },
}

/// The ELSE of a CASE.
#[derive(Clone, Debug, PartialEq)]
pub struct Else {
    /// Where it stands.
    pub span: Span,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// A FOR statement.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The control variable.
    pub variable: Ident,
    /// First value.
    pub from: Expr,
    /// Last value.
    pub to: Expr,
    /// Step.
    pub by: Option<Expr>,
    /// Statements.
    pub body: Vec<Stmt>,
}

/// A name and what follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Designator {
    /// The first name.
    pub head: Ident,
    /// Fields, indexes, `^`, and parentheses.
    pub selectors: Vec<Selector>,
    /// The whole of it.
    pub span: Span,
}

/// One selector. Whether parentheses hold a type guard or parameters is for the checker to say.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the forms are those of the language")]
pub enum Selector {
    Field(Ident),
    Index(Vec<Expr>),
    Deref(Span),
    Paren(Vec<Expr>, Span),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
    /// Levels of the tree below and including this node.
    pub height: u32,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operators are those of the language")]
pub enum BinaryOp {
    Add,
    Sub,
    Or,
    Mul,
    Slash,
    Div,
    Mod,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Is,
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operators are those of the language")]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the forms are those of the language")]
pub enum ExprKind {
    Int(i32),
    /// The bits of a REAL.
    Real(u32),
    Char(u8),
    /// Bytes; `terminated` if a 0 is to be added.
    String {
        bytes: Vec<u8>,
        terminated: bool,
    },
    Bool(bool),
    Nil,
    Set(Vec<(Expr, Option<Expr>)>),
    Designator(Designator),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<(Expr, Expr)>),
    /// Stands where an expression could not be read; reported already.
    Error,
}
