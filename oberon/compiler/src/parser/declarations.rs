//! Declarations and types.

use bumpalo::collections::Vec as List;

use super::{Parser, starts_declaration};
use crate::lexer::Token;
use crate::syntax::{
    ConstDecl, Declarations, ParamSection, Procedure, Signature, TypeDecl, TypeExpr, TypeKind,
    VarDecl,
};

/// Declarations as far as they have been read.
struct Sections<'a> {
    constants: List<'a, ConstDecl<'a>>,
    types: List<'a, TypeDecl<'a>>,
    variables: List<'a, VarDecl<'a>>,
    procedures: List<'a, Procedure<'a>>,
}

impl<'a> Parser<'a, '_, '_> {
    pub(super) fn declarations(&mut self) -> Declarations<'a> {
        let mut out = Sections {
            constants: self.list(),
            types: self.list(),
            variables: self.list(),
            procedures: self.list(),
        };
        // The language fixes the order of the sections; 0 before CONST, 4 at procedures.
        let mut stage = 0;
        loop {
            let section = match self.token {
                Token::Const => 1,
                Token::Type => 2,
                Token::Var => 3,
                Token::Procedure => 4,
                Token::Begin | Token::End | Token::Return | Token::EndOfText => break,
                _ => {
                    self.unexpected("a declaration, BEGIN or END");
                    self.advance();
                    self.skip_until(|t| starts_declaration(t) || *t == Token::Return);
                    continue;
                }
            };
            if section < stage || (section == stage && section < 4) {
                self.report.error_with_help(
                    self.span,
                    format!("{} section in bad order", self.token.describe()),
                    "one CONST, one TYPE, one VAR section, then the procedures",
                );
            }
            stage = stage.max(section);
            if section == 4 {
                if let Some(Some(procedure)) = self.nested(Self::procedure) {
                    out.procedures.push(procedure);
                }
                if !self.expect(Token::Semicolon, "after the procedure") {
                    self.skip_until(|t| starts_declaration(t) || *t == Token::Semicolon);
                    self.accept(Token::Semicolon);
                }
                continue;
            }
            self.advance();
            while let Token::Ident(_) = self.token {
                let before = self.span;
                match section {
                    1 => self.const_decl(&mut out),
                    2 => self.type_decl(&mut out),
                    _ => self.var_decl(&mut out),
                }
                self.end_of_declaration(before);
            }
        }
        Declarations {
            constants: out.constants.into_bump_slice(),
            types: out.types.into_bump_slice(),
            variables: out.variables.into_bump_slice(),
            procedures: out.procedures.into_bump_slice(),
        }
    }

    /// Takes the semicolon; without one skips to a likely next declaration.
    fn end_of_declaration(&mut self, before: crate::Span) {
        if self.accept(Token::Semicolon) {
            return;
        }
        self.unexpected("\";\" after the declaration");
        if self.span == before {
            self.advance();
        }
        self.skip_until(|t| starts_declaration(t) || *t == Token::Semicolon);
        self.accept(Token::Semicolon);
    }

    fn const_decl(&mut self, out: &mut Sections<'a>) {
        if let Some(def) = self.ident_def("a constant's name") {
            self.expect(Token::Equal, "after the constant's name");
            let value = self.expression();
            out.constants.push(ConstDecl { def, value });
        }
    }

    fn type_decl(&mut self, out: &mut Sections<'a>) {
        if let Some(def) = self.ident_def("a type's name") {
            self.expect(Token::Equal, "after the type's name");
            let ty = self.type_expr();
            out.types.push(TypeDecl { def, ty });
        }
    }

    fn var_decl(&mut self, out: &mut Sections<'a>) {
        if let Some(decl) = self.names_of_type("a variable's name") {
            out.variables.push(decl);
        }
    }

    /// `name {"," name} ":" type`.
    fn names_of_type(&mut self, what: &str) -> Option<VarDecl<'a>> {
        let mut defs = self.list();
        defs.push(self.ident_def(what)?);
        while self.accept(Token::Comma) {
            defs.push(self.ident_def(what)?);
        }
        self.expect(Token::Colon, "before the type");
        let ty = self.type_expr();
        Some(VarDecl { defs: defs.into_bump_slice(), ty })
    }

    fn type_expr(&mut self) -> TypeExpr<'a> {
        let start = self.span;
        let kind = self.nested(Self::type_kind).flatten().unwrap_or(TypeKind::Error);
        TypeExpr { kind, span: start.to(self.previous) }
    }

    fn type_kind(&mut self) -> Option<TypeKind<'a>> {
        Some(match self.token {
            Token::Ident(_) => TypeKind::Named(self.qual_ident("a type")?),
            Token::Array => {
                self.advance();
                self.array()
            }
            Token::Record => {
                self.advance();
                self.record()
            }
            Token::Pointer => {
                self.advance();
                self.expect(Token::To, "after POINTER");
                let base = self.type_expr();
                TypeKind::Pointer(self.arena.alloc(base))
            }
            Token::Procedure => {
                self.advance();
                TypeKind::Procedure(self.signature())
            }
            _ => {
                self.unexpected("a type");
                return None;
            }
        })
    }

    fn array(&mut self) -> TypeKind<'a> {
        if self.at(Token::Of) {
            self.report.error_with_help(
                self.span,
                "an array without length can only be a parameter",
                "write ARRAY n OF",
            );
            self.advance();
            self.type_expr();
            return TypeKind::Error;
        }
        let mut lengths = self.list();
        lengths.push(self.expression());
        while self.accept(Token::Comma) {
            lengths.push(self.expression());
            if lengths.len() > 16 {
                self.report.error(self.span, "array has more than 16 dimensions");
                self.skip_until(|t| *t == Token::Of || *t == Token::Semicolon);
                break;
            }
        }
        self.expect(Token::Of, "after the array's length");
        let element = self.type_expr();
        TypeKind::Array { lengths: lengths.into_bump_slice(), element: self.arena.alloc(element) }
    }

    fn record(&mut self) -> TypeKind<'a> {
        let mut base = None;
        if self.accept(Token::LeftParen) {
            base = self.qual_ident("the type that is extended");
            self.expect(Token::RightParen, "after the extended type");
        }
        let mut fields = self.list();
        loop {
            match self.token {
                Token::Semicolon => self.advance(),
                Token::Ident(_) => {
                    if let Some(decl) = self.names_of_type("a field's name") {
                        fields.push(decl);
                    }
                    if !self.at(Token::Semicolon) && !self.at(Token::End) {
                        self.unexpected("\";\" or END after the field");
                        self.skip_until(|t| starts_declaration(t) || *t == Token::Semicolon);
                    }
                }
                _ => break,
            }
        }
        self.expect(Token::End, "at the end of the record");
        TypeKind::Record { base, fields: fields.into_bump_slice() }
    }

    fn signature(&mut self) -> Signature<'a> {
        if !self.accept(Token::LeftParen) {
            return Signature::default();
        }
        let mut params = self.list();
        let mut result = None;
        while matches!(self.token, Token::Ident(_) | Token::Var) {
            let Some(section) = self.param_section() else {
                self.skip_until(|t| {
                    starts_declaration(t) || matches!(t, Token::RightParen | Token::Semicolon)
                });
                break;
            };
            params.push(section);
            if !self.accept(Token::Semicolon) {
                break;
            }
            if self.at(Token::RightParen) {
                self.unexpected("a parameter after \";\"");
            }
        }
        self.expect(Token::RightParen, "after the parameters");
        if self.accept(Token::Colon) {
            result = self.qual_ident("the result type");
        }
        Signature { params: params.into_bump_slice(), result }
    }

    fn param_section(&mut self) -> Option<ParamSection<'a>> {
        let var = self.accept(Token::Var);
        let mut names = self.list();
        names.push(self.ident("a parameter's name")?);
        while self.accept(Token::Comma) {
            names.push(self.ident("a parameter's name")?);
        }
        self.expect(Token::Colon, "after the parameter's name");
        let ty = self.formal_type();
        Some(ParamSection { var, names: names.into_bump_slice(), ty })
    }

    fn formal_type(&mut self) -> TypeExpr<'a> {
        let start = self.span;
        let kind = self
            .nested(|p| match p.token {
                Token::Array => {
                    p.advance();
                    if !p.at(Token::Of) {
                        p.report.error_with_help(
                            p.span,
                            "an array parameter has no length of its own",
                            "declare the array type with a name and use that",
                        );
                        p.expression();
                    }
                    p.expect(Token::Of, "after ARRAY");
                    let element = p.formal_type();
                    TypeKind::OpenArray(p.arena.alloc(element))
                }
                Token::Procedure => {
                    p.advance();
                    TypeKind::Procedure(p.signature())
                }
                _ => p.qual_ident("a type's name").map_or(TypeKind::Error, TypeKind::Named),
            })
            .unwrap_or(TypeKind::Error);
        TypeExpr { kind, span: start.to(self.previous) }
    }

    fn procedure(&mut self) -> Option<Procedure<'a>> {
        self.advance();
        let interrupt = self.accept(Token::Times);
        let Some(def) = self.ident_def("the procedure's name") else {
            self.skip_until(|t| starts_declaration(t) || *t == Token::Semicolon);
            return None;
        };
        let has_parens = self.at(Token::LeftParen);
        let signature = self.signature();
        if !has_parens && self.at(Token::Colon) {
            self.report.error_with_help(
                self.span,
                "a function procedure needs parentheses",
                "write () before the result type",
            );
            self.advance();
            self.qual_ident("the result type");
        }
        if !self.expect(Token::Semicolon, "after the procedure's heading") {
            self.skip_until(|t| starts_declaration(t) || *t == Token::Semicolon);
            self.accept(Token::Semicolon);
        }
        let declarations = self.declarations();
        let body = if self.accept(Token::Begin) { self.statements() } else { &[] };
        let result = self.accept(Token::Return).then(|| self.expression());
        if result.is_some() && self.at(Token::Semicolon) {
            self.report.error(self.span, "no \";\" between the RETURN expression and END");
            self.advance();
        }
        let end = self.span;
        if !self.expect(Token::End, "at the end of the procedure") {
            self.skip_until(starts_declaration);
            self.accept(Token::End);
        }
        if let Some(closing) = self.ident("the procedure's name after END")
            && closing.name != def.ident.name
        {
            self.report.error(
                closing.span,
                format!("procedure {} ends with the name {}", def.ident.name, closing.name),
            );
        }
        Some(Procedure { def, interrupt, signature, declarations, body, result, end })
    }
}
