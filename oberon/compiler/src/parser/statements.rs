//! Statements.

use bumpalo::collections::Vec as List;

use super::Parser;
use crate::lexer::Token;
use crate::syntax::{Arm, CaseArm, Else, Expr, ExprKind, For, Stmt, StmtKind};

/// Tokens that end a sequence of statements.
fn ends_sequence(token: &Token<'_>) -> bool {
    matches!(
        token,
        Token::End
            | Token::Else
            | Token::Elsif
            | Token::Until
            | Token::Bar
            | Token::Return
            | Token::EndOfText
    )
}

fn starts_statement(token: &Token<'_>) -> bool {
    matches!(token, Token::If | Token::While | Token::Repeat | Token::For | Token::Case)
}

impl<'a> Parser<'a, '_, '_> {
    pub(super) fn statements(&mut self) -> &'a [Stmt<'a>] {
        let mut out = self.list();
        loop {
            if ends_sequence(&self.token) {
                return out.into_bump_slice();
            }
            if self.accept(Token::Semicolon) {
                continue;
            }
            // A procedure heading inside a body: an END is missing. Leave it to the caller.
            if matches!(
                self.token,
                Token::Procedure | Token::Const | Token::Type | Token::Var | Token::Begin
            ) {
                return out.into_bump_slice();
            }
            let start = self.span;
            if let Some(Some(kind)) = self.nested(Self::statement) {
                out.push(Stmt { kind, span: start.to(self.previous) });
            }
            if ends_sequence(&self.token) || self.accept(Token::Semicolon) {
                continue;
            }
            self.unexpected("\";\" or the end of the statements");
            if self.span == start {
                self.advance();
            }
            self.skip_until(|t| {
                ends_sequence(t)
                    || starts_statement(t)
                    || matches!(t, Token::Semicolon | Token::Procedure)
            });
        }
    }

    fn statement(&mut self) -> Option<StmtKind<'a>> {
        match self.token {
            Token::Ident(_) => self.assignment_or_call(),
            Token::If => Some(self.if_statement()),
            Token::While => Some(self.while_statement()),
            Token::Repeat => {
                self.advance();
                let body = self.statements();
                self.expect(Token::Until, "at the end of REPEAT");
                let until = self.expression();
                Some(StmtKind::Repeat { body, until })
            }
            Token::For => self.for_statement(),
            Token::Case => Some(self.case_statement()),
            _ => {
                self.unexpected("a statement");
                None
            }
        }
    }

    fn assignment_or_call(&mut self) -> Option<StmtKind<'a>> {
        let target = self.designator()?;
        if self.accept(Token::Becomes) {
            return Some(StmtKind::Assign(target, self.expression()));
        }
        if self.at(Token::Equal) {
            self.report.error(self.span, "an assignment is written \":=\", not \"=\"");
            self.advance();
            return Some(StmtKind::Assign(target, self.expression()));
        }
        Some(StmtKind::Call(target))
    }

    fn arm(&mut self, opener: Token<'_>) -> Arm<'a> {
        let condition = self.expression();
        self.expect(opener, "after the condition");
        let body = self.statements();
        Arm { condition, body }
    }

    fn if_statement(&mut self) -> StmtKind<'a> {
        self.advance();
        let mut arms = self.list();
        arms.push(self.arm(Token::Then));
        while self.accept(Token::Elsif) {
            arms.push(self.arm(Token::Then));
        }
        let otherwise = if self.accept(Token::Else) { self.statements() } else { &[] };
        self.expect(Token::End, "at the end of IF");
        StmtKind::If { arms: arms.into_bump_slice(), otherwise }
    }

    fn while_statement(&mut self) -> StmtKind<'a> {
        self.advance();
        let mut arms = self.list();
        arms.push(self.arm(Token::Do));
        while self.accept(Token::Elsif) {
            arms.push(self.arm(Token::Do));
        }
        self.expect(Token::End, "at the end of WHILE");
        StmtKind::While(arms.into_bump_slice())
    }

    fn for_statement(&mut self) -> Option<StmtKind<'a>> {
        self.advance();
        let variable = self.ident("the control variable")?;
        self.expect(Token::Becomes, "after the control variable");
        let from = self.expression();
        self.expect(Token::To, "after the first value");
        let to = self.expression();
        let by = self.accept(Token::By).then(|| self.expression());
        self.expect(Token::Do, "before the statements of FOR");
        let body = self.statements();
        self.expect(Token::End, "at the end of FOR");
        Some(StmtKind::For(self.arena.alloc(For { variable, from, to, by, body })))
    }

    fn case_statement(&mut self) -> StmtKind<'a> {
        self.advance();
        let subject = self.expression();
        self.expect(Token::Of, "after the CASE expression");
        let mut arms = self.list();
        loop {
            if !matches!(self.token, Token::Bar | Token::End | Token::Else) {
                arms.push(self.case_arm());
            }
            if !self.accept(Token::Bar) {
                break;
            }
        }
        let span = self.span;
        let otherwise = self.accept(Token::Else).then(|| Else { span, body: self.statements() });
        self.expect(Token::End, "at the end of CASE");
        StmtKind::Case { subject, arms: arms.into_bump_slice(), otherwise }
    }

    fn case_arm(&mut self) -> CaseArm<'a> {
        let mut labels: List<'a, (Expr<'a>, Option<Expr<'a>>)> = self.list();
        loop {
            let low = self.expression();
            let high = self.accept(Token::DotDot).then(|| self.expression());
            labels.push((low, high));
            if !self.accept(Token::Comma) {
                break;
            }
        }
        let readable = !labels.iter().any(|(low, _)| low.kind == ExprKind::Error);
        if !self.expect(Token::Colon, "after the CASE label") && !readable {
            self.skip_until(|t| ends_sequence(t) || *t == Token::Semicolon);
        }
        let body = self.statements();
        CaseArm { labels: labels.into_bump_slice(), body }
    }
}
