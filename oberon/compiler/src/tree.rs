//! The typed tree: what the checker understood. Names are resolved, constants folded, every
//! implicit act (by which address a parameter goes, how much an assignment copies) is written
//! out. The code generator needs no rule of the language beyond it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::diagnostic::Span;
use crate::syntax::Name;
use crate::types::{TypeId, Types};

/// A checked module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Declared `MODULE*`: for a PROM, without loader and run-time system.
    pub standalone: bool,
    /// All types.
    pub types: Types,
    /// Import list; module number n stands at n - 1.
    pub imports: Vec<Import>,
    /// Objects of the module in their order, for the symbol file.
    pub scope: Vec<Object>,
    /// Entry table from number 1 on.
    pub entries: Vec<Entry>,
    /// Record types with a descriptor, in the order of their descriptors.
    pub records: Vec<TypeId>,
    /// Bytes of all type descriptors.
    pub descriptor_bytes: u32,
    /// Bytes of global variables, a multiple of 4.
    pub variable_bytes: u32,
    /// Offsets of pointers within the global variables.
    pub pointers: Vec<u32>,
    /// Exported string constants, by their place in the scope.
    pub texts: BTreeMap<usize, StringConst>,
    /// All variables with a name, for debuggers.
    pub variables: Vec<Variable>,
    /// String constants, each padded with zeros to a multiple of 4.
    pub strings: Vec<u8>,
    /// Procedures; inner ones stand before those that contain them.
    pub procedures: Vec<Procedure>,
    /// The module body.
    pub body: Vec<Stmt>,
    /// Place of the end of the module.
    pub end: Span,
}

/// A variable or parameter as the text names it.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Place of the name of the procedure it belongs to; `None` for a global variable.
    pub procedure: Option<Span>,
    /// Its name.
    pub name: Name,
    /// Where it is kept: [`PlaceKind::Global`], [`PlaceKind::Local`] or [`PlaceKind::Reference`].
    pub place: PlaceKind,
    /// Its type.
    pub ty: TypeId,
}

/// A module of the import list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Its own name.
    pub name: String,
    /// Key of its symbol file.
    pub key: u32,
}

/// An object of the module's scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its name.
    pub name: Name,
    /// Visible to other modules.
    pub exported: bool,
    /// Where it is declared.
    pub span: Span,
    /// Its type.
    pub ty: TypeId,
    /// What it is.
    pub kind: ObjectKind,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A constant with its value: bits of a scalar, or offset of a string.
    Constant(i32),
    /// A type.
    Type,
    /// A variable with its export number.
    Variable(u32),
    /// A procedure with its export number.
    Procedure(u32),
}

/// What an entry number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Index into the procedures.
    Procedure(usize),
    /// Offset within the global variables.
    Variable(u32),
    /// A record type's descriptor.
    Record(TypeId),
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Where it is declared.
    pub span: Span,
    /// Export number, if it is exported and takes no parameters and gives no result: a command.
    pub command: bool,
    /// An interrupt handler.
    pub interrupt: bool,
    /// Words that arrive in registers 0, 1, ... and are stored at the start of the frame.
    pub parameter_words: u32,
    /// Bytes of parameters and local variables together, a multiple of 4.
    pub frame_bytes: u32,
    /// Statements.
    pub body: Vec<Stmt>,
    /// The result.
    pub result: Option<Expr>,
    /// Place of its END.
    pub end: Span,
}

/// A place in memory: something that has an address.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which.
    pub kind: PlaceKind,
    /// Type of what stands there.
    pub ty: TypeId,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of places.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// A global variable, at its offset within the variables.
    Global(u32),
    /// A variable of another module.
    Imported {
        /// Module number.
        module: u8,
        /// Export number.
        entry: u8,
    },
    /// A parameter passed by value or a local variable, at its offset in the frame.
    Local(u32),
    /// A parameter passed by reference: its address stands in the frame at this offset, the tag
    /// or length in the word behind.
    Reference(u32),
    /// What a pointer points to.
    Deref(Box<Expr>),
    /// A field, at its offset.
    Field(Box<Place>, u32),
    /// An array element.
    Index {
        /// The array.
        array: Box<Place>,
        /// The index.
        index: Box<Expr>,
        /// How many elements there are.
        length: Length,
        /// Bytes of an element.
        size: u32,
    },
    /// The same place, after a check that it is of a record type (or points to one).
    Guard(Box<Place>, TypeId),
    /// A string constant, at its offset within the strings.
    String(u32),
}

/// Length of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Known.
    Fixed(u32),
    /// In the frame at this offset: an open array.
    Slot(u32),
}

/// An expression. Scalars are one word; strings occur only where they are compared.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Its type.
    pub ty: TypeId,
    /// Where it is written; traps report its start.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant: the bits of a scalar.
    Const(i32),
    /// A string constant.
    String(StringConst),
    /// The scalar in a place.
    Load(Place),
    /// The address of a place.
    Address(Place),
    /// A procedure of this module as a value.
    Procedure(usize),
    /// A procedure of another module as a value.
    ImportedProcedure {
        /// Module number.
        module: u8,
        /// Export number.
        entry: u8,
    },
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A comparison of words.
    Compare(Relation, Box<Expr>, Box<Expr>),
    /// A comparison of REAL numbers.
    CompareReal(Relation, Box<Expr>, Box<Expr>),
    /// A comparison of character arrays up to their first 0.
    CompareText(Relation, Box<Place>, Box<Place>),
    /// Both; the second only if the first holds.
    And(Box<Expr>, Box<Expr>),
    /// One of them; the second only if the first does not hold.
    Or(Box<Expr>, Box<Expr>),
    /// Not.
    Not(Box<Expr>),
    /// Element in set.
    In(Box<Expr>, Box<Expr>),
    /// Bit of the word at an address.
    Bit(Box<Expr>, Box<Expr>),
    /// The low bit.
    Odd(Box<Expr>),
    /// The pointer is NIL or points to the record type or an extension.
    IsPointer(Box<Expr>, TypeId),
    /// The record parameter is of the record type or an extension.
    IsRecord(Box<Place>, TypeId),
    /// A function call.
    Call(Box<Call>),
    /// The length of an open array, in the frame at this offset.
    OpenLength(u32),
    /// The set of one element.
    Single(Box<Expr>),
    /// The set from one element to another.
    Range(Box<Expr>, Box<Expr>),
    /// A processor register.
    Register(u8),
    /// The H register.
    High,
    /// A condition of the flags, by its code.
    Condition(u8),
}

/// A string constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringConst {
    /// Its bytes, with the closing 0.
    pub bytes: Rc<[u8]>,
    /// How many bytes the language counts, the closing 0 included if it is implied.
    pub length: u32,
    /// Offset within the strings, once it has been placed there.
    pub offset: Option<u32>,
}

/// Operations on one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unary {
    Negate,
    NegateReal,
    Complement,
    Abs,
    AbsReal,
    Floor,
    Float,
}

/// Operations on two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    AddReal,
    SubReal,
    MulReal,
    DivReal,
    Union,
    Difference,
    Intersection,
    SymmetricDifference,
    ShiftLeft,
    ShiftRight,
    Rotate,
    AddCarry,
    SubCarry,
    MulUnsigned,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Actual parameters in their order.
    pub args: Vec<Arg>,
    /// Where it is written.
    pub span: Span,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A procedure of this module.
    Procedure(usize),
    /// A procedure of another module.
    Imported {
        /// Module number.
        module: u8,
        /// Export number.
        entry: u8,
    },
    /// The value of a procedure variable.
    Value(Expr),
}

/// An actual parameter.
#[derive(Clone, Debug)]
pub enum Arg {
    /// One word.
    Value(Expr),
    /// An address.
    Address(Place),
    /// Address and type descriptor.
    Record(Place),
    /// Address and number of elements.
    Open(Place, Length),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Stores a scalar.
    Assign(Place, Expr),
    /// Copies a number of bytes, a multiple of 4.
    Copy {
        /// To where.
        to: Place,
        /// From where.
        from: Place,
        /// How many.
        bytes: u32,
    },
    /// Copies an open array into an array of `capacity` elements.
    CopyOpen {
        /// To where.
        to: Place,
        /// From where.
        from: Place,
        /// Frame offset of the source's length.
        length: u32,
        /// Elements of the target.
        capacity: u32,
        /// Bytes of an element.
        size: u32,
    },
    /// Copies a string constant.
    CopyString {
        /// To where.
        to: Place,
        /// Elements of the target.
        capacity: Length,
        /// From where, within the strings.
        offset: u32,
        /// Bytes, the closing 0 included.
        length: u32,
    },
    /// Adds to, or with `negative` subtracts from, a variable.
    Increment {
        /// The variable.
        place: Place,
        /// By how much.
        amount: Expr,
        /// Subtract.
        negative: bool,
    },
    /// Adds an element to a set variable, or with `exclude` takes it out.
    Include {
        /// The variable.
        place: Place,
        /// The element.
        element: Expr,
        /// Take out.
        exclude: bool,
    },
    /// A procedure call.
    Call(Call),
    /// Traps unless the condition holds.
    Assert(Expr),
    /// Allocates a record and stores its address.
    New(Place, TypeId),
    /// Multiplies a REAL variable by a power of 2.
    Pack(Place, Expr),
    /// Splits a REAL variable into mantissa and exponent.
    Unpack(Place, Place),
    /// Loads from an address.
    Get(Expr, Place),
    /// Stores at an address; the type of the value says how many bytes.
    Put(Expr, Expr),
    /// Copies words from address to address.
    CopyWords(Expr, Expr, Expr),
    /// Loads a processor register.
    SetRegister(u8, Expr),
    /// Enables (bit 0) or disables interrupts.
    SetInterrupts(u8),
    /// Sets the LEDs.
    Leds(Expr),
    /// The first arm whose condition holds, or the rest.
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    /// Repeats as long as some arm's condition holds.
    While(Vec<(Expr, Vec<Stmt>)>),
    /// Repeats until the condition holds.
    Repeat(Vec<Stmt>, Expr),
    /// Counts a variable.
    For {
        /// The variable.
        place: Place,
        /// First value.
        from: Expr,
        /// Last value, computed anew each turn.
        to: Expr,
        /// Step, not 0.
        by: i32,
        /// Statements.
        body: Vec<Stmt>,
    },
}

impl Expr {
    /// The value, if it is a constant scalar.
    #[must_use]
    pub fn constant(&self) -> Option<i32> {
        match self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }
}
