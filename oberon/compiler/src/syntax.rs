//! The syntax tree: what the parser understood, names unresolved, each node with its place.
//!
//! Names are parts of the text; nodes stand in an arena and are small enough to be copied.

use crate::diagnostic::Span;
/// What holds the nodes; they go when it goes.
pub use bumpalo::Bump as Arena;
pub use compact_str::CompactString as Name;

/// A name where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident<'a> {
    /// The name, cut to its significant characters.
    pub name: &'a str,
    /// Where it stands.
    pub span: Span,
}

/// A name where it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdentDef<'a> {
    /// The name.
    pub ident: Ident<'a>,
    /// Marked with `*`.
    pub exported: bool,
}

/// `[module "."] name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QualIdent<'a> {
    /// The part before the period.
    pub module: Option<Ident<'a>>,
    /// The name itself.
    pub name: Ident<'a>,
}

impl QualIdent<'_> {
    /// The whole of it.
    #[must_use]
    pub fn span(&self) -> Span {
        self.module.as_ref().map_or(self.name.span, |m| m.span.to(self.name.span))
    }
}

/// A whole module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Module<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// Declared `MODULE*`.
    pub standalone: bool,
    /// Imports in their order.
    pub imports: &'a [Import<'a>],
    /// Declarations outside of procedures.
    pub declarations: Declarations<'a>,
    /// The module body.
    pub body: &'a [Stmt<'a>],
    /// The final END.
    pub end: Span,
}

/// `alias := name`, or the same name twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Import<'a> {
    /// The name used in this module.
    pub alias: Ident<'a>,
    /// The module's own name.
    pub name: Ident<'a>,
}

/// The declarations of a module or procedure, in the order of the language.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Declarations<'a> {
    /// CONST section.
    pub constants: &'a [ConstDecl<'a>],
    /// TYPE section.
    pub types: &'a [TypeDecl<'a>],
    /// VAR section.
    pub variables: &'a [VarDecl<'a>],
    /// Procedures.
    pub procedures: &'a [Procedure<'a>],
}

/// `name = value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstDecl<'a> {
    /// The name.
    pub def: IdentDef<'a>,
    /// Its value.
    pub value: Expr<'a>,
}

/// `name = type`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeDecl<'a> {
    /// The name.
    pub def: IdentDef<'a>,
    /// What it stands for.
    pub ty: TypeExpr<'a>,
}

/// `names : type`, for variables and record fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VarDecl<'a> {
    /// The names.
    pub defs: &'a [IdentDef<'a>],
    /// Their type.
    pub ty: TypeExpr<'a>,
}

/// A procedure with its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Procedure<'a> {
    /// The name.
    pub def: IdentDef<'a>,
    /// Declared `PROCEDURE*`: an interrupt handler.
    pub interrupt: bool,
    /// Parameters and result.
    pub signature: Signature<'a>,
    /// Local declarations.
    pub declarations: Declarations<'a>,
    /// Statements.
    pub body: &'a [Stmt<'a>],
    /// The expression after RETURN.
    pub result: Option<Expr<'a>>,
    /// The END of the procedure.
    pub end: Span,
}

/// Parameters and result type.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signature<'a> {
    /// Parameter sections in their order.
    pub params: &'a [ParamSection<'a>],
    /// The result type.
    pub result: Option<QualIdent<'a>>,
}

/// `[VAR] names : type`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamSection<'a> {
    /// Passed by reference and writable.
    pub var: bool,
    /// The names.
    pub names: &'a [Ident<'a>],
    /// Their type.
    pub ty: TypeExpr<'a>,
}

/// A type as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeExpr<'a> {
    /// What kind of type.
    pub kind: TypeKind<'a>,
    /// Where it stands.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the forms are those of the language")]
pub enum TypeKind<'a> {
    Named(QualIdent<'a>),
    Array {
        lengths: &'a [Expr<'a>],
        element: &'a TypeExpr<'a>,
    },
    OpenArray(&'a TypeExpr<'a>),
    Record {
        base: Option<QualIdent<'a>>,
        fields: &'a [VarDecl<'a>],
    },
    Pointer(&'a TypeExpr<'a>),
    Procedure(Signature<'a>),
    /// Stands where a type could not be read; reported already.
    Error,
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stmt<'a> {
    /// What it does.
    pub kind: StmtKind<'a>,
    /// Where it stands.
    pub span: Span,
}

/// Guarded statements: a condition and what it guards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm<'a> {
    /// The condition.
    pub condition: Expr<'a>,
    /// The statements.
    pub body: &'a [Stmt<'a>],
}

/// One arm of a CASE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseArm<'a> {
    /// The labels, each a value or the first and last of a range.
    pub labels: &'a [(Expr<'a>, Option<Expr<'a>>)],
    /// The statements.
    pub body: &'a [Stmt<'a>],
}

/// The forms of statements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the forms are those of the language")]
pub enum StmtKind<'a> {
    Assign(Designator<'a>, Expr<'a>),
    Call(Designator<'a>),
    If {
        arms: &'a [Arm<'a>],
        otherwise: &'a [Stmt<'a>],
    },
    While(&'a [Arm<'a>]),
    Repeat {
        body: &'a [Stmt<'a>],
        until: Expr<'a>,
    },
    For(&'a For<'a>),
    Case {
        subject: Expr<'a>,
        arms: &'a [CaseArm<'a>],
        /// An ELSE with its statements.
        otherwise: Option<Else<'a>>,
    },
}

/// The ELSE of a CASE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Else<'a> {
    /// Where it stands.
    pub span: Span,
    /// The statements.
    pub body: &'a [Stmt<'a>],
}

/// A FOR statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct For<'a> {
    /// The control variable.
    pub variable: Ident<'a>,
    /// First value.
    pub from: Expr<'a>,
    /// Last value.
    pub to: Expr<'a>,
    /// Step.
    pub by: Option<Expr<'a>>,
    /// Statements.
    pub body: &'a [Stmt<'a>],
}

/// A name and what follows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Designator<'a> {
    /// The first name.
    pub head: Ident<'a>,
    /// Fields, indexes, `^`, and parentheses.
    pub selectors: &'a [Selector<'a>],
    /// The whole of it.
    pub span: Span,
}

/// One selector. Whether parentheses hold a type guard or parameters is for the checker to say.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the forms are those of the language")]
pub enum Selector<'a> {
    Field(Ident<'a>),
    Index(&'a [Expr<'a>]),
    Deref(Span),
    Paren(&'a [Expr<'a>], Span),
}

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expr<'a> {
    /// What it is.
    pub kind: ExprKind<'a>,
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
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the forms are those of the language")]
pub enum ExprKind<'a> {
    Int(i32),
    /// The bits of a REAL.
    Real(u32),
    Char(u8),
    /// Bytes; `terminated` if a 0 is to be added.
    String {
        bytes: &'a [u8],
        terminated: bool,
    },
    Bool(bool),
    Nil,
    Set(&'a [(Expr<'a>, Option<Expr<'a>>)]),
    Designator(Designator<'a>),
    Unary(UnaryOp, &'a Expr<'a>),
    Binary(BinaryOp, &'a (Expr<'a>, Expr<'a>)),
    /// Stands where an expression could not be read; reported already.
    Error,
}
