//! Our layout for Oberon texts: two spaces a level, one space around operators, none before `;`.
//!
//! The author decides where a line ends; the layout decides how far it is indented and what stands
//! between the tokens of a line. So a text keeps its shape, and formatting it a second time changes
//! nothing. Tokens and comments stay what they are, byte for byte:
//!
//! | what | rule |
//! |---|---|
//! | sections, procedures | two spaces into the module; what they hold, two more |
//! | BEGIN, END of a procedure | below PROCEDURE; the statements two spaces further |
//! | IF, WHILE, REPEAT, FOR, CASE, RECORD | their contents two spaces further, closing words below |
//! | a statement or declaration that goes on | four spaces further |
//! | `+ - * /` | tight if the author wrote them tight on both sides, else with spaces |
//! | blank lines | at most one in a row |
//! | comments | unchanged; one at the left margin stays there |
//! | line ends | those of the text's first line: LF, CR LF or CR |
//! | behind the module's final period | unchanged |

mod spacing;

use crate::diagnostic::{Diagnostic, Report};
use crate::lexer::{Lexer, Token};
use crate::syntax::Arena;
use crate::{Source, parser};

/// A token or a comment with what stood before it.
#[derive(Clone, Debug)]
struct Piece<'a> {
    text: &'a str,
    /// `None` for a comment.
    token: Option<Token<'a>>,
    /// Line ends before it, up to 2.
    breaks: u32,
    /// Bytes before it, line ends included.
    blanks: usize,
    /// First byte of a line.
    margin: bool,
}

/// Formats a module's text.
///
/// # Errors
///
/// The syntax errors of the text: only what is a module has a layout.
pub fn format(source: &Source) -> Result<String, Vec<Diagnostic>> {
    let mut report = Report::new(source);
    let arena = Arena::new();
    let parsed = parser::parse(&source.text, &arena, &mut report);
    if parsed.is_none() || report.has_errors() {
        return Err(report.finish());
    }
    let (pieces, rest) = pieces(&source.text);
    let end = line_end(&source.text);
    let mut layout = Layout::default();
    let mut out = String::with_capacity(source.text.len() + 64);
    for (at, piece) in pieces.iter().enumerate() {
        let indent = layout.place(piece, at == 0 || piece.breaks > 0);
        if at > 0 && piece.breaks > 0 {
            for _ in 0..piece.breaks {
                out.push_str(end);
            }
        } else if at > 0 {
            let blanks = spacing::between(&pieces[..at], piece, &pieces[at + 1..]);
            out.extend(std::iter::repeat_n(' ', blanks));
        }
        if piece.breaks > 0 || at == 0 {
            out.extend(std::iter::repeat_n(' ', indent));
        }
        out.push_str(piece.text);
    }
    if rest.trim().is_empty() {
        out.push_str(end);
    } else {
        out.push_str(rest);
    }
    Ok(out)
}

fn line_end(text: &str) -> &'static str {
    match text.find(['\r', '\n']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Tokens and comments up to the final period, and the text behind it.
fn pieces(text: &str) -> (Vec<Piece<'_>>, &str) {
    let mut lexer = Lexer::new(text);
    let mut out: Vec<Piece<'_>> = Vec::new();
    let mut at = 0;
    loop {
        let (token, span) = lexer.next_token();
        let (start, end) = (span.start as usize, span.end as usize);
        if token == Token::EndOfText {
            return (out, &text[at..]);
        }
        comments(text, at, start, &mut out);
        let before = out.last().map_or(0, |p| offset(text, p.text) + p.text.len());
        out.push(piece(text, before, start, end, Some(token)));
        at = end;
        if is_end(&out) {
            return (out, &text[at..]);
        }
    }
}

/// END, a name and a period: the end of the module.
fn is_end(pieces: &[Piece<'_>]) -> bool {
    let mut tokens = pieces.iter().rev().filter_map(|p| p.token.as_ref());
    matches!(
        (tokens.next(), tokens.next(), tokens.next()),
        (Some(Token::Period), Some(Token::Ident(_)), Some(Token::End))
    )
}

fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

fn piece<'a>(
    text: &'a str,
    before: usize,
    start: usize,
    end: usize,
    token: Option<Token<'a>>,
) -> Piece<'a> {
    let gap = &text.as_bytes()[before..start];
    let breaks = (0..gap.len())
        .filter(|&i| gap[i] == b'\n' || (gap[i] == b'\r' && gap.get(i + 1) != Some(&b'\n')))
        .count();
    let margin = gap.last().is_none_or(|b| matches!(b, b'\n' | b'\r'));
    Piece {
        text: &text[start..end],
        token,
        breaks: breaks.min(2) as u32,
        blanks: gap.len(),
        margin,
    }
}

/// Adds the comments between two tokens.
fn comments<'a>(text: &'a str, from: usize, to: usize, out: &mut Vec<Piece<'a>>) {
    let bytes = text.as_bytes();
    let (mut at, mut before) = (from, from);
    while at + 1 < to {
        if &bytes[at..at + 2] != b"(*" {
            at += 1;
            continue;
        }
        let start = at;
        let mut depth = 0;
        while at < to {
            match bytes.get(at..at + 2) {
                Some(b"(*") => (depth, at) = (depth + 1, at + 2),
                Some(b"*)") => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                break;
            }
        }
        out.push(piece(text, before, start, at, None));
        before = at;
    }
}

/// A construct that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Module,
    Procedure,
    /// CONST, TYPE, VAR or IMPORT; it ends where the next section begins.
    Section,
    /// The statements after BEGIN.
    Body,
    Record,
    /// IF, WHILE, FOR, CASE: they end with END.
    Block,
    Case,
    /// It ends with UNTIL.
    Repeat,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    open: Open,
    /// Where its closing word stands.
    base: usize,
    /// Where its contents stand.
    content: usize,
    /// Number of the line on which it was opened.
    line: usize,
}

/// Walks over the pieces and knows how far a line is indented.
#[derive(Debug, Default)]
struct Layout<'a> {
    levels: Vec<Level>,
    line: usize,
    /// Indentation of the current line.
    indent: usize,
    brackets: u32,
    previous: Option<Token<'a>>,
}

impl<'a> Layout<'a> {
    fn content(&self) -> usize {
        self.levels.last().map_or(0, |l| l.content)
    }

    fn base(&self) -> usize {
        self.levels.last().map_or(0, |l| l.base)
    }

    /// Takes the next piece; gives the indentation that it has if it begins a line.
    fn place(&mut self, piece: &Piece<'a>, begins_line: bool) -> usize {
        self.line += usize::from(begins_line);
        let Some(token) = &piece.token else {
            let indent = if piece.margin { 0 } else { self.content() };
            if begins_line {
                self.indent = indent;
            }
            return indent;
        };
        let fresh = self.is_fresh();
        self.close(token);
        let indent = self.indentation(token, fresh);
        if begins_line {
            self.indent = indent;
        }
        self.open(token, begins_line);
        match token {
            Token::LeftParen | Token::LeftBracket | Token::LeftBrace => self.brackets += 1,
            Token::RightParen | Token::RightBracket | Token::RightBrace => {
                self.brackets = self.brackets.saturating_sub(1);
            }
            _ => {}
        }
        self.previous = Some(*token);
        indent
    }

    /// A statement, declaration or section may begin here.
    fn is_fresh(&self) -> bool {
        let Some(previous) = &self.previous else {
            return true;
        };
        let opener = matches!(
            previous,
            Token::Semicolon
                | Token::Begin
                | Token::Then
                | Token::Do
                | Token::Else
                | Token::Repeat
                | Token::Bar
                | Token::Const
                | Token::Type
                | Token::Var
                | Token::Import
                | Token::Record
        );
        let last = self.levels.last().map(|l| l.open);
        // The end of a record's base, of a CASE heading, and of a label.
        let record = last == Some(Open::Record) && *previous == Token::RightParen;
        let case = last == Some(Open::Case) && matches!(previous, Token::Of | Token::Colon);
        self.brackets == 0 && (opener || record || case)
    }

    fn indentation(&self, token: &Token, fresh: bool) -> usize {
        match token {
            Token::Module => 0,
            // `close` has taken what they end, and left where its END stands.
            Token::End | Token::Until | Token::Elsif | Token::Else => self.base(),
            Token::Bar => self.base() + 2,
            Token::Begin => self.base(),
            Token::Return | Token::Import => self.content(),
            _ if fresh => self.content(),
            _ => {
                let imports = self.levels.last().is_some_and(|l| l.open == Open::Section)
                    && matches!(self.previous, Some(Token::Comma));
                self.content() + if imports && self.brackets == 0 { 0 } else { 4 }
            }
        }
    }

    fn in_declarations(&self) -> bool {
        self.levels
            .last()
            .is_some_and(|l| matches!(l.open, Open::Module | Open::Procedure | Open::Section))
    }

    /// A section or procedure heading, not a VAR parameter or a procedure type.
    fn is_heading(&self, token: &Token) -> bool {
        let heads = matches!(
            token,
            Token::Const
                | Token::Type
                | Token::Var
                | Token::Procedure
                | Token::Begin
                | Token::Import
        );
        let after = matches!(
            self.previous,
            None | Some(Token::Semicolon | Token::Const | Token::Type | Token::Var | Token::End)
        );
        heads && self.brackets == 0 && self.in_declarations() && after
    }

    fn pop_section(&mut self) {
        if self.levels.last().is_some_and(|l| l.open == Open::Section) {
            self.levels.pop();
        }
    }

    /// What ends at this token.
    fn close(&mut self, token: &Token) {
        if self.is_heading(token) {
            self.pop_section();
        }
        if *token == Token::Return && self.in_declarations() {
            self.pop_section();
        }
        if *token == Token::End {
            self.pop_section();
            if self.levels.last().is_some_and(|l| l.open == Open::Body) {
                self.levels.pop();
            }
        }
    }

    fn push(&mut self, open: Open, base: usize, content: usize) {
        self.levels.push(Level { open, base, content, line: self.line });
    }

    /// A construct among statements: two that open on one line indent once.
    fn push_block(&mut self, open: Open, begins_line: bool) {
        let base = match self.levels.last() {
            _ if begins_line => self.indent,
            Some(outer)
                if outer.line == self.line
                    && matches!(outer.open, Open::Block | Open::Case | Open::Repeat) =>
            {
                outer.base
            }
            Some(outer) => outer.content,
            None => 0,
        };
        let content = if open == Open::Case { base + 4 } else { base + 2 };
        self.push(open, base, content);
    }

    /// What begins, or is over after this token.
    fn open(&mut self, token: &Token, begins_line: bool) {
        let heading = self.is_heading(token);
        match token {
            Token::Module => self.push(Open::Module, 0, 2),
            Token::Import | Token::Const | Token::Type | Token::Var if heading => {
                let base = self.content();
                self.push(Open::Section, base, base + 2);
            }
            Token::Procedure if heading => {
                let base = self.content();
                self.push(Open::Procedure, base, base + 2);
            }
            Token::Begin => {
                let base = self.base();
                self.push(Open::Body, base, base + 2);
            }
            Token::Record => {
                let base = if begins_line { self.indent } else { self.indent.min(self.content()) };
                self.push(Open::Record, base, base + 2);
            }
            Token::If | Token::While | Token::For => self.push_block(Open::Block, begins_line),
            Token::Case => self.push_block(Open::Case, begins_line),
            Token::Repeat => self.push_block(Open::Repeat, begins_line),
            Token::End | Token::Until => {
                self.levels.pop();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
