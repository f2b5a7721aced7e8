//! Expressions and designators.

use bumpalo::collections::Vec as List;

use super::{MAX_HEIGHT, Parser};
use crate::diagnostic::Span;
use crate::lexer::{Token, hex_bytes, string_bytes};
use crate::syntax::{BinaryOp, Designator, Expr, ExprKind, Selector, UnaryOp};

const fn leaf(kind: ExprKind<'_>, span: Span) -> Expr<'_> {
    Expr { kind, span, height: 1 }
}

fn selectors_height(selectors: &[Selector<'_>]) -> u32 {
    let inner = |exprs: &[Expr<'_>]| exprs.iter().map(|e| e.height).max().unwrap_or(0);
    selectors
        .iter()
        .map(|s| match s {
            Selector::Index(exprs) => exprs.len() as u32 + inner(exprs),
            Selector::Paren(exprs, _) => 1 + inner(exprs),
            _ => 1,
        })
        .sum()
}

impl<'a> Parser<'a, '_, '_> {
    pub(super) fn expression(&mut self) -> Expr<'a> {
        let span = self.span;
        self.nested(Self::relation).unwrap_or(leaf(ExprKind::Error, span))
    }

    /// Joins two operands, unless the tree gets too high.
    fn join(&mut self, op: BinaryOp, left: Expr<'a>, right: Expr<'a>) -> Expr<'a> {
        let span = left.span.to(right.span);
        let height = 1 + left.height.max(right.height);
        if height > MAX_HEIGHT {
            self.too_long(span);
            return leaf(ExprKind::Error, span);
        }
        Expr { kind: ExprKind::Binary(op, self.arena.alloc((left, right))), span, height }
    }

    fn too_long(&mut self, span: Span) {
        self.report.error_with_help(
            span,
            format!("expression has more than {MAX_HEIGHT} operations in a row"),
            "split it with a variable",
        );
    }

    fn relation(&mut self) -> Expr<'a> {
        let left = self.simple();
        let op = match self.token {
            Token::Equal => BinaryOp::Equal,
            Token::NotEqual => BinaryOp::NotEqual,
            Token::Less => BinaryOp::Less,
            Token::LessEqual => BinaryOp::LessEqual,
            Token::Greater => BinaryOp::Greater,
            Token::GreaterEqual => BinaryOp::GreaterEqual,
            Token::In => BinaryOp::In,
            Token::Is => BinaryOp::Is,
            _ => return left,
        };
        self.advance();
        let right = self.simple();
        self.join(op, left, right)
    }

    fn simple(&mut self) -> Expr<'a> {
        let start = self.span;
        let sign = match self.token {
            Token::Minus => Some(UnaryOp::Minus),
            Token::Plus => Some(UnaryOp::Plus),
            _ => None,
        };
        let mut left = if let Some(op) = sign {
            self.advance();
            let operand = self.term();
            self.unary(op, operand, start)
        } else {
            self.term()
        };
        loop {
            let op = match self.token {
                Token::Plus => BinaryOp::Add,
                Token::Minus => BinaryOp::Sub,
                Token::Or => BinaryOp::Or,
                _ => return left,
            };
            self.advance();
            let right = self.term();
            left = self.join(op, left, right);
        }
    }

    fn term(&mut self) -> Expr<'a> {
        let mut left = self.factor();
        loop {
            let op = match self.token {
                Token::Times => BinaryOp::Mul,
                Token::Slash => BinaryOp::Slash,
                Token::Div => BinaryOp::Div,
                Token::Mod => BinaryOp::Mod,
                Token::And => BinaryOp::And,
                _ => return left,
            };
            self.advance();
            let right = self.factor();
            left = self.join(op, left, right);
        }
    }

    fn factor(&mut self) -> Expr<'a> {
        let span = self.span;
        let kind = match self.token {
            Token::Int(value) => ExprKind::Int(value),
            Token::Real(bits) => ExprKind::Real(bits),
            Token::Char(code) => ExprKind::Char(code),
            Token::String(written) => {
                let bytes = List::from_iter_in(string_bytes(written), self.arena);
                ExprKind::String { bytes: bytes.into_bump_slice(), terminated: true }
            }
            Token::HexString(written) => {
                let bytes = List::from_iter_in(hex_bytes(written), self.arena);
                ExprKind::String { bytes: bytes.into_bump_slice(), terminated: false }
            }
            Token::True => ExprKind::Bool(true),
            Token::False => ExprKind::Bool(false),
            Token::Nil => ExprKind::Nil,
            Token::LeftBrace => return self.set(),
            Token::Ident(_) => {
                let Some(designator) = self.designator() else {
                    return leaf(ExprKind::Error, span);
                };
                return Expr {
                    span: designator.span,
                    height: 1 + selectors_height(designator.selectors),
                    kind: ExprKind::Designator(designator),
                };
            }
            Token::LeftParen => {
                self.advance();
                let inner = self.expression();
                self.expect(Token::RightParen, "after the expression");
                return inner;
            }
            Token::Not => {
                self.advance();
                let operand = self.nested(Self::factor);
                return match operand {
                    Some(operand) => self.unary(UnaryOp::Not, operand, span),
                    None => leaf(ExprKind::Error, span),
                };
            }
            _ => {
                self.unexpected("an expression");
                return leaf(ExprKind::Error, span);
            }
        };
        self.advance();
        leaf(kind, span)
    }

    fn set(&mut self) -> Expr<'a> {
        let start = self.span;
        self.advance();
        let mut elements = self.list();
        let mut height = 0;
        if !self.at(Token::RightBrace) {
            loop {
                let low = self.expression();
                let high = self.accept(Token::DotDot).then(|| self.expression());
                let inner = low.height.max(high.as_ref().map_or(0, |e| e.height));
                height = height.max(inner) + 1;
                elements.push((low, high));
                if !self.accept(Token::Comma) {
                    break;
                }
            }
        }
        self.expect(Token::RightBrace, "at the end of the set");
        let span = start.to(self.previous);
        if height > MAX_HEIGHT {
            self.too_long(span);
            return leaf(ExprKind::Error, span);
        }
        Expr { kind: ExprKind::Set(elements.into_bump_slice()), span, height: height + 1 }
    }

    /// A name with its selectors. Nothing follows a closing parenthesis but a further selector
    /// of a type guard, which the checker knows from a call.
    pub(super) fn designator(&mut self) -> Option<Designator<'a>> {
        let head = self.ident("a name")?;
        let mut selectors = self.list();
        loop {
            match self.token {
                Token::Period => {
                    self.advance();
                    let field = self.ident("a name after the period")?;
                    selectors.push(Selector::Field(field));
                }
                Token::LeftBracket => {
                    self.advance();
                    let mut indexes = self.list();
                    indexes.push(self.expression());
                    while self.accept(Token::Comma) {
                        indexes.push(self.expression());
                    }
                    self.expect(Token::RightBracket, "after the index");
                    selectors.push(Selector::Index(indexes.into_bump_slice()));
                }
                Token::Arrow => {
                    selectors.push(Selector::Deref(self.span));
                    self.advance();
                }
                Token::LeftParen => {
                    let start = self.span;
                    self.advance();
                    let mut actuals = self.list();
                    if !self.at(Token::RightParen) {
                        actuals.push(self.expression());
                        while self.accept(Token::Comma) {
                            actuals.push(self.expression());
                        }
                    }
                    self.expect(Token::RightParen, "after the parameters");
                    let span = start.to(self.previous);
                    selectors.push(Selector::Paren(actuals.into_bump_slice(), span));
                }
                _ => break,
            }
            if selectors_height(&selectors) > MAX_HEIGHT {
                self.too_long(head.span.to(self.previous));
                return None;
            }
        }
        let span = head.span.to(self.previous);
        Some(Designator { head, selectors: selectors.into_bump_slice(), span })
    }

    fn unary(&self, op: UnaryOp, operand: Expr<'a>, start: Span) -> Expr<'a> {
        Expr {
            span: start.to(operand.span),
            height: operand.height + 1,
            kind: ExprKind::Unary(op, self.arena.alloc(operand)),
        }
    }
}
