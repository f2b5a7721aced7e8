//! The typed tree: what the checker understood. Names are resolved, constants folded, every
//! implicit act (by which address a parameter goes, how much an assignment copies) is written
//! out. The code generator needs no rule of the language beyond it.

use std::collections::BTreeMap;

use crate::diagnostic::Span;
use crate::types::{TypeId, Types};

/// A checked module.
#[derive(Clone, Debug)]
pub struct Module<'a> {
    /// Its name.
    pub name: String,
    /// Declared `MODULE*`: for a PROM, without loader and run-time system.
    pub standalone: bool,
    /// All types.
    pub types: Types,
    /// Import list; module number n stands at n - 1.
    pub imports: Vec<Import>,
    /// Objects of the module in their order, for the symbol file.
    pub scope: Vec<Object<'a>>,
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
    pub texts: BTreeMap<usize, StringConst<'a>>,
    /// All variables with a name, for debuggers.
    pub variables: Vec<Variable<'a>>,
    /// String constants, each padded with zeros to a multiple of 4.
    pub strings: Vec<u8>,
    /// Procedures; inner ones stand before those that contain them.
    pub procedures: Vec<Procedure<'a>>,
    /// The module body.
    pub body: &'a [Stmt<'a>],
    /// Place of the end of the module.
    pub end: Span,
}

/// A variable or parameter as the text names it.
#[derive(Clone, Debug)]
pub struct Variable<'a> {
    /// Place of the name of the procedure it belongs to; `None` for a global variable.
    pub procedure: Option<Span>,
    /// Its name.
    pub name: &'a str,
    /// Where it is kept: [`PlaceKind::Global`], [`PlaceKind::Local`] or [`PlaceKind::Reference`].
    pub place: PlaceKind<'a>,
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
pub struct Object<'a> {
    /// Its name.
    pub name: &'a str,
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
pub struct Procedure<'a> {
    /// Its name.
    pub name: &'a str,
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
    pub body: &'a [Stmt<'a>],
    /// The result.
    pub result: Option<Expr<'a>>,
    /// Place of its END.
    pub end: Span,
}

/// A place in memory: something that has an address.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Which.
    pub kind: PlaceKind<'a>,
    /// Type of what stands there.
    pub ty: TypeId,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of places.
#[derive(Clone, Copy, Debug)]
pub enum PlaceKind<'a> {
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
    Deref(&'a Expr<'a>),
    /// A field, at its offset.
    Field(&'a Place<'a>, u32),
    /// An array element.
    Index {
        /// The array.
        array: &'a Place<'a>,
        /// The index.
        index: &'a Expr<'a>,
        /// How many elements there are.
        length: Length,
        /// Bytes of an element.
        size: u32,
    },
    /// The same place, after a check that it is of a record type (or points to one).
    Guard(&'a Place<'a>, TypeId),
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
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    /// What it computes.
    pub kind: ExprKind<'a>,
    /// Its type.
    pub ty: TypeId,
    /// Where it is written; traps report its start.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind<'a> {
    /// A constant: the bits of a scalar.
    Const(i32),
    /// A string constant.
    String(StringConst<'a>),
    /// The scalar in a place.
    Load(Place<'a>),
    /// The address of a place.
    Address(Place<'a>),
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
    Unary(Unary, &'a Expr<'a>),
    /// Two operands.
    Binary(Binary, &'a Expr<'a>, &'a Expr<'a>),
    /// A comparison of words.
    Compare(Relation, &'a Expr<'a>, &'a Expr<'a>),
    /// A comparison of REAL numbers.
    CompareReal(Relation, &'a Expr<'a>, &'a Expr<'a>),
    /// A comparison of character arrays up to their first 0.
    CompareText(Relation, &'a Place<'a>, &'a Place<'a>),
    /// Both; the second only if the first holds.
    And(&'a Expr<'a>, &'a Expr<'a>),
    /// One of them; the second only if the first does not hold.
    Or(&'a Expr<'a>, &'a Expr<'a>),
    /// Not.
    Not(&'a Expr<'a>),
    /// Element in set.
    In(&'a Expr<'a>, &'a Expr<'a>),
    /// Bit of the word at an address.
    Bit(&'a Expr<'a>, &'a Expr<'a>),
    /// The low bit.
    Odd(&'a Expr<'a>),
    /// The pointer is NIL or points to the record type or an extension.
    IsPointer(&'a Expr<'a>, TypeId),
    /// The record parameter is of the record type or an extension.
    IsRecord(&'a Place<'a>, TypeId),
    /// A function call.
    Call(&'a Call<'a>),
    /// The length of an open array, in the frame at this offset.
    OpenLength(u32),
    /// The set of one element.
    Single(&'a Expr<'a>),
    /// The set from one element to another.
    Range(&'a Expr<'a>, &'a Expr<'a>),
    /// A processor register.
    Register(u8),
    /// The H register.
    High,
    /// A condition of the flags, by its code.
    Condition(u8),
}

/// A string constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringConst<'a> {
    /// Its bytes, with the closing 0.
    pub bytes: &'a [u8],
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
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What is called.
    pub callee: Callee<'a>,
    /// Actual parameters in their order.
    pub args: &'a [Arg<'a>],
    /// Where it is written.
    pub span: Span,
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub enum Callee<'a> {
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
    Value(Expr<'a>),
}

/// An actual parameter.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// One word.
    Value(Expr<'a>),
    /// An address.
    Address(Place<'a>),
    /// Address and type descriptor.
    Record(Place<'a>),
    /// Address and number of elements.
    Open(Place<'a>, Length),
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt<'a> {
    /// What it does.
    pub kind: StmtKind<'a>,
    /// Where it is written.
    pub span: Span,
}

/// A condition, and what is done if it holds.
pub type Guarded<'a> = (Expr<'a>, &'a [Stmt<'a>]);

/// The kinds of statements.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind<'a> {
    /// Stores a scalar.
    Assign(Place<'a>, Expr<'a>),
    /// Copies a number of bytes, a multiple of 4.
    Copy {
        /// To where.
        to: Place<'a>,
        /// From where.
        from: Place<'a>,
        /// How many.
        bytes: u32,
    },
    /// Copies an open array into an array of `capacity` elements.
    CopyOpen {
        /// To where.
        to: Place<'a>,
        /// From where.
        from: Place<'a>,
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
        to: Place<'a>,
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
        place: Place<'a>,
        /// By how much.
        amount: Expr<'a>,
        /// Subtract.
        negative: bool,
    },
    /// Adds an element to a set variable, or with `exclude` takes it out.
    Include {
        /// The variable.
        place: Place<'a>,
        /// The element.
        element: Expr<'a>,
        /// Take out.
        exclude: bool,
    },
    /// A procedure call.
    Call(Call<'a>),
    /// Traps unless the condition holds.
    Assert(Expr<'a>),
    /// Allocates a record and stores its address.
    New(Place<'a>, TypeId),
    /// Multiplies a REAL variable by a power of 2.
    Pack(Place<'a>, Expr<'a>),
    /// Splits a REAL variable into mantissa and exponent.
    Unpack(Place<'a>, Place<'a>),
    /// Loads from an address.
    Get(Expr<'a>, Place<'a>),
    /// Stores at an address; the type of the value says how many bytes.
    Put(Expr<'a>, Expr<'a>),
    /// Copies words from address to address.
    CopyWords(Expr<'a>, Expr<'a>, Expr<'a>),
    /// Loads a processor register.
    SetRegister(u8, Expr<'a>),
    /// Enables (bit 0) or disables interrupts.
    SetInterrupts(u8),
    /// Sets the LEDs.
    Leds(Expr<'a>),
    /// The first arm whose condition holds, or the rest.
    If(&'a [Guarded<'a>], &'a [Stmt<'a>]),
    /// Repeats as long as some arm's condition holds.
    While(&'a [Guarded<'a>]),
    /// Repeats until the condition holds.
    Repeat(&'a [Stmt<'a>], Expr<'a>),
    /// Counts a variable.
    For {
        /// The variable.
        place: Place<'a>,
        /// First value.
        from: Expr<'a>,
        /// Last value, computed anew each turn.
        to: Expr<'a>,
        /// Step, not 0.
        by: i32,
        /// Statements.
        body: &'a [Stmt<'a>],
    },
}

impl Expr<'_> {
    /// The value, if it is a constant scalar.
    #[must_use]
    pub fn constant(&self) -> Option<i32> {
        match self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }
}
