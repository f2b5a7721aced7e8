//! Tokens to syntax tree.
//!
//! A syntax error never ends the work: the parser reports it, skips to a place where a
//! declaration or statement may begin or end, and goes on, so that all errors of a text are
//! known after one run. Nesting is limited, because everything behind the parser walks the tree
//! recursively.

mod declarations;
mod expressions;
mod statements;

use bumpalo::collections::Vec as List;

use crate::diagnostic::{Report, Span};
use crate::lexer::{Lexer, Token};
use crate::syntax::{Arena, Ident, IdentDef, Import, Module, QualIdent};

/// How deep expressions, statements, types and procedures may be nested in each other.
pub const MAX_NESTING: u32 = 100;
/// How many levels an expression tree may have; `a + b + c` has three.
pub const MAX_HEIGHT: u32 = 400;

/// Parses a module; its syntax tree stands in `arena`. `None` if the text is no module at all; this
/// has been reported.
pub fn parse<'a>(text: &'a str, arena: &'a Arena, report: &mut Report<'_>) -> Option<Module<'a>> {
    Parser::new(text, arena, report).module()
}

/// The names of the modules that a text imports, without `SYSTEM`, and the module's own name.
/// Empty for a text that is no module; the compilation reports why.
#[must_use]
pub fn imports(source: &crate::Source) -> (String, Vec<String>) {
    let mut report = Report::new(source);
    let arena = Arena::new();
    let mut parser = Parser::new(&source.text, &arena, &mut report);
    match parser.heading() {
        Some((name, _, imports)) => (
            name.name.to_string(),
            imports
                .iter()
                .filter(|i| i.name.name != "SYSTEM")
                .map(|i| i.name.name.to_string())
                .collect(),
        ),
        None => (String::new(), Vec::new()),
    }
}

pub(crate) struct Parser<'a, 'r, 's> {
    lexer: Lexer<'a>,
    arena: &'a Arena,
    token: Token<'a>,
    span: Span,
    previous: Span,
    nesting: u32,
    /// The rest of the text was skipped; what is missing there is no news.
    gave_up: bool,
    report: &'r mut Report<'s>,
}

impl<'a, 'r, 's> Parser<'a, 'r, 's> {
    fn new(text: &'a str, arena: &'a Arena, report: &'r mut Report<'s>) -> Self {
        let mut lexer = Lexer::new(text);
        let (token, span) = lexer.next_token();
        Self {
            lexer,
            arena,
            token,
            span,
            previous: Span::default(),
            nesting: 0,
            gave_up: false,
            report,
        }
    }

    /// A list that grows in the arena.
    fn list<T>(&self) -> List<'a, T> {
        List::new_in(self.arena)
    }

    fn advance(&mut self) {
        self.previous = self.span;
        (self.token, self.span) = self.lexer.next_token();
    }

    fn at(&self, token: Token<'_>) -> bool {
        self.token == token
    }

    fn accept(&mut self, token: Token<'_>) -> bool {
        let found = self.at(token);
        if found {
            self.advance();
        }
        found
    }

    /// Takes `token`, or reports that it is missing after the previous token.
    fn expect(&mut self, token: Token<'_>, after: &str) -> bool {
        if self.accept(token) {
            return true;
        }
        self.unexpected(&format!("{} {after}", token.describe()));
        false
    }

    /// Reports the current token as something else than what was expected.
    fn unexpected(&mut self, expected: &str) {
        if self.gave_up {
            return;
        }
        if let Token::Bad(why) = self.token {
            self.report.error(self.span, why);
        } else {
            let found = self.token.describe();
            self.report.error(self.span, format!("expected {expected}, found {found}"));
        }
    }

    fn ident(&mut self, what: &str) -> Option<Ident<'a>> {
        if let Token::Ident(name) = self.token {
            let ident = Ident { name, span: self.span };
            self.advance();
            Some(ident)
        } else {
            self.unexpected(what);
            None
        }
    }

    fn ident_def(&mut self, what: &str) -> Option<IdentDef<'a>> {
        let ident = self.ident(what)?;
        let exported = self.accept(Token::Times);
        Some(IdentDef { ident, exported })
    }

    fn qual_ident(&mut self, what: &str) -> Option<QualIdent<'a>> {
        let first = self.ident(what)?;
        if self.accept(Token::Period) {
            let name = self.ident("a name after the period")?;
            return Some(QualIdent { module: Some(first), name });
        }
        Some(QualIdent { module: None, name: first })
    }

    /// Runs `body` one nesting level deeper; at the limit reports it and returns `None`.
    fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.nesting >= MAX_NESTING {
            self.report.error_with_help(
                self.span,
                format!("nested more than {MAX_NESTING} levels deep"),
                "give inner parts names of their own: procedures, types or variables",
            );
            self.skip_all();
            return None;
        }
        self.nesting += 1;
        let result = body(self);
        self.nesting -= 1;
        Some(result)
    }

    /// Gives up on the rest of the text.
    fn skip_all(&mut self) {
        while !self.at(Token::EndOfText) {
            if let Token::Bad(_) = self.token {
                break;
            }
            self.advance();
        }
        self.gave_up = true;
        self.token = Token::EndOfText;
        self.lexer = Lexer::new("");
    }

    /// Skips until `stop` holds or the text ends.
    fn skip_until(&mut self, stop: impl Fn(&Token<'_>) -> bool) {
        while !self.at(Token::EndOfText) && !stop(&self.token) {
            self.advance();
        }
    }

    fn heading(&mut self) -> Option<(Ident<'a>, bool, &'a [Import<'a>])> {
        if !self.expect(Token::Module, "at the start of the text") {
            return None;
        }
        let standalone = self.accept(Token::Times);
        let name = self.ident("the module's name")?;
        self.expect(Token::Semicolon, "after the module's name");
        let mut imports = self.list();
        if self.accept(Token::Import) {
            loop {
                let Some(alias) = self.ident("the name of a module") else {
                    self.skip_until(|t| starts_declaration(t) || *t == Token::Semicolon);
                    break;
                };
                let name = if self.accept(Token::Becomes) {
                    self.ident("the name of a module after \":=\"")
                } else {
                    Some(alias)
                };
                if let Some(name) = name {
                    imports.push(Import { alias, name });
                }
                if !self.accept(Token::Comma) {
                    break;
                }
            }
            if !self.expect(Token::Semicolon, "after the imports") {
                self.skip_until(|t| starts_declaration(t) || *t == Token::Semicolon);
                self.accept(Token::Semicolon);
            }
        }
        Some((name, standalone, imports.into_bump_slice()))
    }

    fn module(mut self) -> Option<Module<'a>> {
        let (name, standalone, imports) = self.heading()?;
        let declarations = self.declarations();
        let body = if self.accept(Token::Begin) { self.statements() } else { &[] };
        if self.at(Token::Return) {
            self.report.error(self.span, "a module body has no RETURN");
            self.skip_until(|t| *t == Token::End);
        }
        let end = self.span;
        if self.expect(Token::End, "at the end of the module")
            && let Some(closing) = self.ident("the module's name after END")
        {
            if closing.name != name.name {
                self.report.error(
                    closing.span,
                    format!("module {} ends with the name {}", name.name, closing.name),
                );
            }
            if !self.at(Token::Period) {
                self.unexpected("\".\" after the module's end");
            }
        }
        Some(Module { name, standalone, imports, declarations, body, end })
    }
}

/// Tokens with which a section of declarations, a body or the end begins.
fn starts_declaration(token: &Token<'_>) -> bool {
    matches!(
        token,
        Token::Const | Token::Type | Token::Var | Token::Procedure | Token::Begin | Token::End
    )
}

#[cfg(test)]
mod tests;
