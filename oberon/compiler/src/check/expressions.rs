//! Expressions: types of operands and results, constant folding.

use bumpalo::collections::Vec as List;

use super::designators::{as_qualident, load};
use super::{Checker, Item, ProcedureRef};
use crate::diagnostic::Span;
use crate::syntax::{self, BinaryOp, ExprKind as Syntax, UnaryOp};
use crate::tree::{Binary, Expr, ExprKind, Place, Relation, StringConst, Unary};
use crate::types::{Form, TypeId};

fn constant<'t>(value: i32, ty: TypeId, span: Span) -> Expr<'t> {
    Expr { kind: ExprKind::Const(value), ty, span }
}

impl<'t> Checker<'t, '_, '_> {
    /// Checks an expression that must have a value.
    pub(super) fn expression(&mut self, e: &syntax::Expr) -> Expr<'t> {
        let span = e.span;
        match &e.kind {
            Syntax::Int(value) => constant(*value, TypeId::INTEGER, span),
            Syntax::Real(bits) => constant(*bits as i32, TypeId::REAL, span),
            Syntax::Char(code) => constant(i32::from(*code), TypeId::CHAR, span),
            Syntax::Bool(value) => constant(i32::from(*value), TypeId::BOOLEAN, span),
            Syntax::Nil => constant(0, TypeId::NIL, span),
            Syntax::String { bytes, terminated } => self.string(bytes, *terminated, span),
            Syntax::Set(elements) => self.set(elements, span),
            Syntax::Designator(d) => {
                let item = self.designator(d);
                self.value(item, span)
            }
            Syntax::Unary(op, operand) => self.unary(*op, operand, span),
            Syntax::Binary(BinaryOp::Is, operands) => self.is_test(&operands.0, &operands.1, span),
            Syntax::Binary(op, operands) => {
                let (left, right) = &**operands;
                let left = self.expression(left);
                let right = self.expression(right);
                self.binary(*op, left, right, span)
            }
            Syntax::Error => self.error_expr(span),
        }
    }

    /// The value of an item.
    pub(super) fn value(&mut self, item: Item<'t>, span: Span) -> Expr<'t> {
        match item {
            Item::Error => self.error_expr(span),
            Item::Value(expr) => expr,
            Item::Place { place, .. } => load(place),
            Item::Procedure { ty, callee, local } => {
                if local {
                    self.report.error_with_help(
                        span,
                        "a local procedure cannot be used as a value",
                        "declare it outside of the procedure",
                    );
                }
                let kind = match callee {
                    ProcedureRef::Own(index) => ExprKind::Procedure(index),
                    ProcedureRef::Imported { module, entry } => {
                        ExprKind::ImportedProcedure { module, entry }
                    }
                };
                Expr { kind, ty, span }
            }
            Item::Type => {
                self.report.error(span, "a type is not a value");
                self.error_expr(span)
            }
            Item::Standard(_) => {
                self.report.error(span, "a standard procedure needs its parameters in parentheses");
                self.error_expr(span)
            }
            Item::Call(_) | Item::Action(_) => {
                self.report.error(span, "this procedure returns no value");
                self.error_expr(span)
            }
        }
    }

    /// The place that an expression names, if it is a variable, and whether it is read-only.
    pub(super) fn place(&mut self, e: &syntax::Expr, what: &str) -> Option<(Place<'t>, bool)> {
        if let Syntax::Designator(d) = &e.kind {
            match self.designator(d) {
                Item::Place { place, read_only } => return Some((place, read_only)),
                Item::Error => return None,
                _ => {}
            }
        } else {
            let value = self.expression(e);
            if value.ty == TypeId::ERROR {
                return None;
            }
        }
        self.report.error(e.span, format!("{what} must be a variable"));
        None
    }

    /// As [`Self::place`], and the variable may be written.
    pub(super) fn writable(&mut self, e: &syntax::Expr, what: &str) -> Option<Place<'t>> {
        let (place, read_only) = self.place(e, what)?;
        self.check_writable(&place, read_only).then_some(place)
    }

    pub(super) fn check_writable(&mut self, place: &Place, read_only: bool) -> bool {
        if read_only {
            self.report.error_with_help(
                place.span,
                "this cannot be changed here",
                "imported variables, arrays and records passed without VAR, and the variable of a \
                 running FOR are read-only",
            );
        }
        !read_only
    }

    /// Reports a value that is no integer.
    pub(super) fn integer(&mut self, value: &Expr, what: &str) -> bool {
        self.demand(self.types.is_integer(value.ty), value, what, "INTEGER")
    }

    pub(super) fn demand(&mut self, holds: bool, value: &Expr, what: &str, wanted: &str) -> bool {
        if !holds && value.ty != TypeId::ERROR {
            let found = self.types.describe(value.ty);
            self.report.error(value.span, format!("{what} must be of type {wanted}, not {found}"));
        }
        holds
    }

    /// The character, if a value is a string of one character.
    pub(super) fn single_char(&self, value: &Expr) -> Option<u8> {
        match &value.kind {
            ExprKind::String(s) if s.length == 2 && s.bytes[1] == 0 => Some(s.bytes[0]),
            _ => None,
        }
    }

    /// A string of one character taken as CHAR; anything else stays as it is.
    pub(super) fn to_char(&self, value: Expr<'t>) -> Expr<'t> {
        match self.single_char(&value) {
            Some(code) => constant(i32::from(code), TypeId::CHAR, value.span),
            None => value,
        }
    }

    fn set(&mut self, elements: &[(syntax::Expr, Option<syntax::Expr>)], span: Span) -> Expr<'t> {
        let mut result = constant(0, TypeId::SET, span);
        for (low, high) in elements {
            let low = self.set_element(low);
            let high = high.as_ref().map(|e| self.set_element(e));
            let part = match (low.constant(), high.as_ref().map(Expr::constant)) {
                (Some(l), None) => ExprKind::Const(1 << (l & 31)),
                (Some(l), Some(Some(h))) => {
                    let upto = if h >= 31 { -1 } else { (2 << (h & 31)) - 1 };
                    ExprKind::Const(upto & (-1 << (l & 31)))
                }
                _ => match high {
                    None => ExprKind::Single(self.node(low)),
                    Some(high) => ExprKind::Range(self.node(low), self.node(high)),
                },
            };
            let part = Expr { kind: part, ty: TypeId::SET, span };
            result = match (result.constant(), part.constant()) {
                (Some(a), Some(b)) => constant(a | b, TypeId::SET, span),
                (Some(0), None) => part,
                _ => self.operation(Binary::Union, result, part, TypeId::SET, span),
            };
        }
        result
    }

    fn set_element(&mut self, e: &syntax::Expr) -> Expr<'t> {
        let value = self.expression(e);
        self.integer(&value, "a set element");
        if let Some(n) = value.constant()
            && !(0..32).contains(&n)
        {
            self.report.error(value.span, format!("set elements are 0 to 31, not {n}"));
        }
        value
    }

    fn unary(&mut self, op: UnaryOp, operand: &syntax::Expr, span: Span) -> Expr<'t> {
        let value = self.expression(operand);
        if value.ty == TypeId::ERROR {
            return value;
        }
        let known = value.constant();
        match (op, self.types.form(value.ty)) {
            (UnaryOp::Plus, Form::Integer | Form::Byte | Form::Real | Form::Set) => value,
            (UnaryOp::Minus, Form::Integer | Form::Byte) => match known {
                Some(n) => constant(n.wrapping_neg(), TypeId::INTEGER, span),
                None => self.one(Unary::Negate, value, TypeId::INTEGER, span),
            },
            (UnaryOp::Minus, Form::Real) => match known {
                Some(bits) => constant(bits ^ i32::MIN, TypeId::REAL, span),
                None => self.one(Unary::NegateReal, value, TypeId::REAL, span),
            },
            (UnaryOp::Minus, Form::Set) => match known {
                Some(bits) => constant(!bits, TypeId::SET, span),
                None => self.one(Unary::Complement, value, TypeId::SET, span),
            },
            (UnaryOp::Not, Form::Boolean) => {
                Expr { kind: ExprKind::Not(self.node(value)), ty: TypeId::BOOLEAN, span }
            }
            _ => {
                let sign = match op {
                    UnaryOp::Not => "~ takes a BOOLEAN",
                    _ => "a sign takes an INTEGER, REAL or SET",
                };
                let found = self.types.describe(value.ty);
                self.report.error(span, format!("{sign}, not {found}"));
                self.error_expr(span)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Expr<'t>, right: Expr<'t>, span: Span) -> Expr<'t> {
        if left.ty == TypeId::ERROR || right.ty == TypeId::ERROR {
            return self.error_expr(span);
        }
        if let Some(relation) = relation_of(op) {
            return self.relation(relation, left, right, span);
        }
        if op == BinaryOp::In {
            let fits = self.types.is_integer(left.ty) && right.ty == TypeId::SET;
            if !fits {
                self.report.error(span, "IN takes an INTEGER on its left and a SET on its right");
            }
            return Expr {
                kind: ExprKind::In(self.node(left), self.node(right)),
                ty: TypeId::BOOLEAN,
                span,
            };
        }
        let integers = self.types.is_integer(left.ty) && self.types.is_integer(right.ty);
        let both = |ty| left.ty == ty && right.ty == ty;
        let integer = |op| Some((op, TypeId::INTEGER));
        let chosen = if integers {
            match op {
                BinaryOp::Add => integer(Binary::Add),
                BinaryOp::Sub => integer(Binary::Sub),
                BinaryOp::Mul => integer(Binary::Mul),
                BinaryOp::Div => integer(Binary::Div),
                BinaryOp::Mod => integer(Binary::Mod),
                _ => None,
            }
        } else if both(TypeId::REAL) {
            let op = match op {
                BinaryOp::Add => Some(Binary::AddReal),
                BinaryOp::Sub => Some(Binary::SubReal),
                BinaryOp::Mul => Some(Binary::MulReal),
                BinaryOp::Slash => Some(Binary::DivReal),
                _ => None,
            };
            op.map(|op| (op, TypeId::REAL))
        } else if both(TypeId::SET) {
            let op = match op {
                BinaryOp::Add => Some(Binary::Union),
                BinaryOp::Sub => Some(Binary::Difference),
                BinaryOp::Mul => Some(Binary::Intersection),
                BinaryOp::Slash => Some(Binary::SymmetricDifference),
                _ => None,
            };
            op.map(|op| (op, TypeId::SET))
        } else if both(TypeId::BOOLEAN) && matches!(op, BinaryOp::And | BinaryOp::Or) {
            let (left, right) = (self.node(left), self.node(right));
            let kind = match op {
                BinaryOp::And => ExprKind::And(left, right),
                _ => ExprKind::Or(left, right),
            };
            return Expr { kind, ty: TypeId::BOOLEAN, span };
        } else {
            None
        };
        let Some((op, ty)) = chosen else {
            self.report.error(
                span,
                format!(
                    "this operator does not take {} and {}",
                    self.types.describe(left.ty),
                    self.types.describe(right.ty)
                ),
            );
            return self.error_expr(span);
        };
        if matches!(op, Binary::Div | Binary::Mod)
            && let Some(divisor) = right.constant()
            && divisor <= 0
        {
            self.report
                .error(right.span, format!("DIV and MOD take a divisor above 0, not {divisor}"));
            return self.error_expr(span);
        }
        match fold(op, &left, &right) {
            Some(value) => constant(value, ty, span),
            None => self.operation(op, left, right, ty, span),
        }
    }

    fn relation(
        &mut self,
        relation: Relation,
        left: Expr<'t>,
        right: Expr<'t>,
        span: Span,
    ) -> Expr<'t> {
        // A single character compared with a CHAR is one.
        let left = if right.ty == TypeId::CHAR { self.to_char(left) } else { left };
        let right = if left.ty == TypeId::CHAR { self.to_char(right) } else { right };
        let (l, r) = (left.ty, right.ty);
        let order = !matches!(relation, Relation::Equal | Relation::NotEqual);
        let text = |t: TypeId| t == TypeId::STRING || self.types.is_char_array(t);
        let kind = if text(l) && text(r) {
            let (Some(a), Some(b)) = (self.text_place(left), self.text_place(right)) else {
                return self.error_expr(span);
            };
            ExprKind::CompareText(relation, self.node(a), self.node(b))
        } else if l == TypeId::REAL && r == TypeId::REAL {
            ExprKind::CompareReal(relation, self.node(left), self.node(right))
        } else if (self.types.is_integer(l) && self.types.is_integer(r))
            || (l == TypeId::CHAR && r == TypeId::CHAR)
        {
            ExprKind::Compare(relation, self.node(left), self.node(right))
        } else if self.equality(l, r) {
            if order {
                self.report.error(
                    span,
                    format!("{} has no order: only = and # compare it", self.types.describe(l)),
                );
                return self.error_expr(span);
            }
            if l == TypeId::BOOLEAN && (is_condition(&left) || is_condition(&right)) {
                self.report.error_with_help(
                    span,
                    "only BOOLEAN variables and constants are compared, not conditions",
                    "store the condition in a variable first",
                );
                return self.error_expr(span);
            }
            ExprKind::Compare(relation, self.node(left), self.node(right))
        } else {
            self.report.error(
                span,
                format!(
                    "{} and {} cannot be compared",
                    self.types.describe(l),
                    self.types.describe(r)
                ),
            );
            return self.error_expr(span);
        };
        Expr { kind, ty: TypeId::BOOLEAN, span }
    }

    /// Types whose values are equal or not, without an order.
    fn equality(&self, l: TypeId, r: TypeId) -> bool {
        match (self.types.form(l), self.types.form(r)) {
            (Form::Set, Form::Set) | (Form::Boolean, Form::Boolean) | (Form::Nil, Form::Nil) => {
                true
            }
            (Form::Pointer(_) | Form::Procedure { .. }, Form::Nil)
            | (Form::Nil, Form::Pointer(_) | Form::Procedure { .. }) => true,
            (Form::Pointer(a), Form::Pointer(b)) => {
                self.types.extends(*a, *b) || self.types.extends(*b, *a)
            }
            (Form::Procedure { .. }, Form::Procedure { .. }) => self.types.same_signature(l, r),
            _ => false,
        }
    }

    /// The characters of an array or string.
    fn text_place(&mut self, value: Expr<'t>) -> Option<Place<'t>> {
        match value.kind {
            ExprKind::Load(place) => Some(place),
            ExprKind::String(s) => Some(self.string_place(&s, value.span)),
            _ => None,
        }
    }

    fn is_test(&mut self, left: &syntax::Expr, right: &syntax::Expr, span: Span) -> Expr<'t> {
        let Some(name) = as_qualident(right) else {
            self.report.error(right.span, "IS takes the name of a type on its right");
            return self.error_expr(span);
        };
        let value = self.expression(left);
        let target = self.named_type(&name);
        if value.ty == TypeId::ERROR || target == TypeId::ERROR {
            return self.error_expr(span);
        }
        let ExprKind::Load(place) = value.kind else {
            self.report.error_with_help(
                left.span,
                "IS takes a variable on its left",
                "store the value in a variable first",
            );
            return self.error_expr(span);
        };
        self.type_test(place, target, span).unwrap_or_else(|| self.error_expr(span))
    }

    /// The condition that `place` is of type `target`.
    pub(super) fn type_test(
        &mut self,
        place: Place<'t>,
        target: TypeId,
        span: Span,
    ) -> Option<Expr<'t>> {
        let record = self.tested_record(&place, target, span)?;
        let kind = if self.types.record_of(place.ty) == Some(record) {
            ExprKind::Const(1)
        } else if self.types.record(place.ty).is_some() {
            ExprKind::IsRecord(self.node(place), record)
        } else {
            ExprKind::IsPointer(self.node(load(place)), record)
        };
        Some(Expr { kind, ty: TypeId::BOOLEAN, span })
    }
}

impl<'t> Checker<'t, '_, '_> {
    fn string(&self, bytes: &[u8], terminated: bool, span: Span) -> Expr<'t> {
        let mut stored = List::with_capacity_in(bytes.len() + 1, self.arena);
        stored.extend_from_slice_copy(bytes);
        // A 0 is always stored behind, counted or not, so that no reader runs past the end.
        if terminated || bytes.last() != Some(&0) {
            stored.push(0);
        }
        let length = bytes.len() as u32 + u32::from(terminated);
        let string = StringConst { bytes: stored.into_bump_slice(), length, offset: None };
        Expr { kind: ExprKind::String(string), ty: TypeId::STRING, span }
    }

    fn one(&self, op: Unary, operand: Expr<'t>, ty: TypeId, span: Span) -> Expr<'t> {
        Expr { kind: ExprKind::Unary(op, self.node(operand)), ty, span }
    }

    pub(super) fn operation(
        &self,
        op: Binary,
        left: Expr<'t>,
        right: Expr<'t>,
        ty: TypeId,
        span: Span,
    ) -> Expr<'t> {
        Expr { kind: ExprKind::Binary(op, self.node(left), self.node(right)), ty, span }
    }
}

/// Integer and set arithmetic on constants. Division floors, and the divisor is above 0.
fn fold(op: Binary, left: &Expr, right: &Expr) -> Option<i32> {
    let (a, b) = (left.constant()?, right.constant()?);
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div => a.div_euclid(b),
        Binary::Mod => a.rem_euclid(b),
        Binary::Union => a | b,
        Binary::Difference => a & !b,
        Binary::Intersection => a & b,
        Binary::SymmetricDifference => a ^ b,
        _ => return None,
    })
}

fn relation_of(op: BinaryOp) -> Option<Relation> {
    Some(match op {
        BinaryOp::Equal => Relation::Equal,
        BinaryOp::NotEqual => Relation::NotEqual,
        BinaryOp::Less => Relation::Less,
        BinaryOp::LessEqual => Relation::LessEqual,
        BinaryOp::Greater => Relation::Greater,
        BinaryOp::GreaterEqual => Relation::GreaterEqual,
        _ => return None,
    })
}

/// A BOOLEAN that is the outcome of a test and stands in the flags, not in a register.
fn is_condition(e: &Expr) -> bool {
    !matches!(e.kind, ExprKind::Const(_) | ExprKind::Load(_) | ExprKind::Call(_))
}
