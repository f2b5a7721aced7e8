//! Oberon-07 to RISC5: a native cross compiler that writes the object (`.rsc`) and symbol
//! (`.smb`) files of Project Oberon, a boot linker and a disassembler.
//!
//! ```text
//! text --lexer--> tokens --parser--> syntax tree --check--> typed tree --ir--gen--> object file
//!                                                     |                              link
//!                                                     +--symbols--> symbol file
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`diagnostic`] | positions and error reports; nothing in this library prints |
//! | [`lexer`], [`syntax`], [`parser`] | text to syntax tree, with recovery: every error is reported |
//! | [`types`], [`tree`], [`check`] | types, the typed tree, and the rules that lead to it |
//! | [`symbols`] | symbol files: reader, writer, keys |
//! | [`ir`] | the intermediate form and the passes over it |
//! | [`gen`](mod@gen) | typed tree to RISC5 instructions and run-time tables |
//! | [`object`], [`link`] | object files and the boot image made of them |
//! | [`project`] | several sources in the order of their imports |
//! | [`positions`] | where code, procedures and variables stand: for debuggers |
//! | [`interface`] | a symbol file as text |
//! | [`listing`], [`sizes`] | an object file as text, with the source beside it; bytes of its parts |
//! | [`mod@format`] | our layout for texts |
//!
//! # Examples
//!
//! ```
//! use obc::{NoSymbols, Options, Source, compile};
//!
//! let source = Source::new("Tiny.Mod", "MODULE Tiny; VAR x*: INTEGER; BEGIN x := 3 END Tiny.");
//! let compiled = compile(&source, &NoSymbols, &Options::default()).expect("no errors");
//! assert_eq!(compiled.module, "Tiny");
//! assert_eq!(&compiled.symbol_file[8..13], b"Tiny\0");
//! ```

pub mod check;
pub mod diagnostic;
pub mod format;
pub mod r#gen;
pub mod interface;
pub mod ir;
pub mod lexer;
pub mod link;
pub mod listing;
pub mod object;
pub mod parser;
pub mod positions;
pub mod project;
pub mod sizes;
pub mod symbols;
pub mod syntax;
pub mod tree;
pub mod types;

pub use diagnostic::{Diagnostic, Span};

use object::ObjectFile;
use syntax::Arena;

/// One source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File name, used in diagnostics only.
    pub name: String,
    /// The text. Positions count its bytes from 0.
    pub text: String,
}

impl Source {
    /// A source from a file name and its text.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// Where the symbol files of imported modules come from.
pub trait SymbolSource {
    /// The bytes of `module`'s symbol file, if there is one.
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>>;
}

/// A symbol source without any module: for sources that import only `SYSTEM`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSymbols;

impl SymbolSource for NoSymbols {
    fn symbol_file(&self, _module: &str) -> Option<Vec<u8>> {
        None
    }
}

impl SymbolSource for std::collections::BTreeMap<String, Vec<u8>> {
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>> {
        self.get(module).cloned()
    }
}

/// What the code generator is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Emit the run-time checks (index, NIL, type guard, divisor, copy length, assertion).
    /// Standalone modules never have them: they run without a trap handler.
    pub checks: bool,
    /// The passes that make the code better.
    pub passes: ir::passes::Passes,
    /// Extensions of the language.
    pub extensions: Extensions,
}

/// What this compiler understands beyond the language of Project Oberon. All are off unless asked
/// for: a text that needs one says so in the command that compiles it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// CASE on numbers and characters, with ranges and ELSE; ELSE in a CASE on types.
    pub case: bool,
    /// String constants of other modules: exported ones have their text in the symbol file.
    pub strings: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { checks: true, passes: ir::passes::Passes::all(), extensions: Extensions::default() }
    }
}

/// The outcome of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Module name.
    pub module: String,
    /// Key of the symbol file; 0 for a standalone module.
    pub key: u32,
    /// Modules in the import list with their keys, indirect ones included, `SYSTEM` excluded.
    pub imports: Vec<(String, u32)>,
    /// The symbol file; empty for a standalone module.
    pub symbol_file: Vec<u8>,
    /// The object file.
    pub object: ObjectFile,
    /// Where the code comes from: word indexes in rising order, each with the part of the text
    /// that the words from there to before the next entry come from.
    pub positions: Vec<(u32, Span)>,
    /// The module was declared `MODULE*`.
    pub standalone: bool,
}

/// Compiles one module.
///
/// # Errors
///
/// All errors of the text, in the order of their positions.
pub fn compile(
    source: &Source,
    symbols: &dyn SymbolSource,
    options: &Options,
) -> Result<Compiled, Vec<Diagnostic>> {
    parts(source, &Arena::new(), symbols, options).map(|(compiled, ..)| compiled)
}

/// As [`compile`], with the table that debuggers and listings need.
///
/// # Errors
///
/// As [`compile`].
pub fn compile_with_table(
    source: &Source,
    symbols: &dyn SymbolSource,
    options: &Options,
) -> Result<(Compiled, positions::Table), Vec<Diagnostic>> {
    let arena = Arena::new();
    let (compiled, syntax, checked) = parts(source, &arena, symbols, options)?;
    let registers = options.passes.has(ir::passes::Pass::Registers);
    let table = positions::Table::new(source, &syntax, &checked, &compiled, registers);
    Ok((compiled, table))
}

/// What becomes of a module; its trees stand in `arena`.
fn parts<'a>(
    source: &'a Source,
    arena: &'a Arena,
    symbols: &dyn SymbolSource,
    options: &Options,
) -> Result<(Compiled, syntax::Module<'a>, tree::Module<'a>), Vec<Diagnostic>> {
    let mut report = diagnostic::Report::new(source);
    let syntax = parser::parse(&source.text, arena, &mut report);
    let Some(syntax) = syntax else {
        return Err(report.finish());
    };
    let checked = check::check(&syntax, arena, symbols, options.extensions, &mut report);
    if report.has_errors() {
        return Err(report.finish());
    }
    let (symbol_file, key) = if checked.standalone {
        (Vec::new(), 0)
    } else {
        symbols::write(&checked, options.extensions.strings, &mut report)
    };
    let (object, positions) = r#gen::generate(&checked, key, options, &mut report);
    if report.has_errors() {
        return Err(report.finish());
    }
    let compiled = Compiled {
        module: checked.name.clone(),
        key,
        imports: object.imports.clone(),
        symbol_file,
        object,
        positions,
        standalone: checked.standalone,
    };
    Ok((compiled, syntax, checked))
}

impl Compiled {
    /// The part of the text that a word of the code comes from; `None` beyond the code.
    #[must_use]
    pub fn position(&self, word: usize) -> Option<Span> {
        if word >= self.object.code.len() {
            return None;
        }
        let after = self.positions.partition_point(|(start, _)| *start as usize <= word);
        Some(self.positions.get(after.checked_sub(1)?)?.1)
    }
}

/// The words of a standalone module, as a PROM holds them: word 0 is the branch to the body.
#[must_use]
pub fn standalone_words(compiled: &Compiled) -> Vec<u32> {
    compiled.object.code.clone()
}
