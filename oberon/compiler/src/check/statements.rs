//! Statements.

use bumpalo::collections::Vec as List;

use super::designators::as_qualident;
use super::{Checker, Item, SymbolKind};
use crate::syntax::{self, Designator, ExprKind as Syntax, StmtKind as Syn};
use crate::tree::{Expr, ExprKind, Guarded, Length, Place, Stmt, StmtKind};
use crate::types::{Form, TypeId};

impl<'t> Checker<'t, '_, '_> {
    pub(super) fn statements(&mut self, statements: &[syntax::Stmt]) -> &'t [Stmt<'t>] {
        let mut out = List::with_capacity_in(statements.len(), self.arena);
        for s in statements {
            out.extend(self.statement(s).map(|kind| Stmt { kind, span: s.span }));
        }
        out.into_bump_slice()
    }

    fn statement(&mut self, s: &syntax::Stmt) -> Option<StmtKind<'t>> {
        match &s.kind {
            Syn::Assign(target, value) => self.assignment(target, value),
            Syn::Call(d) => self.call_statement(d),
            Syn::If { arms, otherwise } => {
                let arms = self.arms(arms);
                Some(StmtKind::If(arms, self.statements(otherwise)))
            }
            Syn::While(arms) => Some(StmtKind::While(self.arms(arms))),
            Syn::Repeat { body, until } => {
                let body = self.statements(body);
                let until = self.condition(until);
                Some(StmtKind::Repeat(body, until))
            }
            Syn::For(parts) => self.for_statement(parts),
            Syn::Case { subject, arms, otherwise } => self.case(subject, arms, otherwise.as_ref()),
        }
    }

    fn condition(&mut self, e: &syntax::Expr) -> Expr<'t> {
        let value = self.expression(e);
        self.demand(value.ty == TypeId::BOOLEAN, &value, "a condition", "BOOLEAN");
        value
    }

    fn arms(&mut self, arms: &[syntax::Arm]) -> &'t [Guarded<'t>] {
        let mut out = List::with_capacity_in(arms.len(), self.arena);
        for arm in arms {
            out.push((self.condition(&arm.condition), self.statements(arm.body)));
        }
        out.into_bump_slice()
    }

    fn call_statement(&mut self, d: &Designator) -> Option<StmtKind<'t>> {
        let item = self.designator(d);
        let item = match item {
            Item::Procedure { ty, callee, .. } => self.procedure_call(ty, callee, &[], d.span),
            Item::Place { place, .. }
                if matches!(self.types.form(place.ty), Form::Procedure { .. }) =>
            {
                self.variable_call(place, &[], d.span)
            }
            other => other,
        };
        match item {
            Item::Call(call) => Some(StmtKind::Call(call)),
            Item::Action(action) => Some(action),
            Item::Error => None,
            Item::Value(Expr { kind: ExprKind::Call(_), .. }) => {
                self.report.error_with_help(
                    d.span,
                    "the result of a function must be used",
                    "assign it to a variable",
                );
                None
            }
            _ => {
                self.report.error(d.span, "this is neither a call nor an assignment");
                None
            }
        }
    }

    fn assignment(&mut self, target: &Designator, value: &syntax::Expr) -> Option<StmtKind<'t>> {
        let item = self.designator(target);
        let value = self.expression(value);
        let (place, read_only) = match item {
            Item::Place { place, read_only } => (place, read_only),
            Item::Error => return None,
            _ => {
                self.report.error(target.span, "only variables can be assigned to");
                return None;
            }
        };
        if !self.check_writable(&place, read_only) || value.ty == TypeId::ERROR {
            return None;
        }
        match *self.types.form(place.ty) {
            Form::Array { element, length } => self.array_assignment(place, element, length, value),
            Form::Record(_) => {
                let value = self.assignable(place.ty, value, "a variable");
                let ExprKind::Load(from) = value.kind else {
                    return None;
                };
                let bytes = self.types.size(place.ty);
                Some(StmtKind::Copy { to: place, from, bytes })
            }
            _ => {
                let value = self.assignable(place.ty, value, "a variable");
                Some(StmtKind::Assign(place, value))
            }
        }
    }

    fn array_assignment(
        &mut self,
        to: Place<'t>,
        element: TypeId,
        length: Option<u32>,
        value: Expr<'t>,
    ) -> Option<StmtKind<'t>> {
        let span = value.span;
        match value.kind {
            ExprKind::String(string) if element == TypeId::CHAR => {
                if let Some(n) = length
                    && n < string.length
                {
                    self.report.error(
                        span,
                        format!(
                            "the string takes {} characters with its closing 0X, the array has {n}",
                            string.length
                        ),
                    );
                    return None;
                }
                let capacity = match length {
                    Some(n) => Length::Fixed(n),
                    None => self.open_length(&to)?,
                };
                let offset = self.place_string(&string, span);
                Some(StmtKind::CopyString { to, capacity, offset, length: string.length })
            }
            ExprKind::Load(from) => match (length, self.types.form(from.ty)) {
                (None, _) => {
                    self.report.error_with_help(
                        to.span,
                        "an open array cannot be assigned as a whole",
                        "copy its elements in a loop",
                    );
                    None
                }
                (Some(capacity), Form::Array { element: e, length: None }) if *e == element => {
                    let Some(Length::Slot(slot)) = self.open_length(&from) else {
                        return None;
                    };
                    Some(StmtKind::CopyOpen {
                        to,
                        from,
                        length: slot,
                        capacity,
                        size: self.types.size(element),
                    })
                }
                _ => {
                    let value = super::designators::load(from);
                    let fits = self.types.compatible(to.ty, value.ty, false);
                    let value = self.assignable(to.ty, value, "a variable");
                    let ExprKind::Load(from) = value.kind else {
                        return None;
                    };
                    let bytes = self.types.size(to.ty);
                    fits.then_some(StmtKind::Copy { to, from, bytes })
                }
            },
            _ => {
                self.assignable(to.ty, value, "a variable");
                None
            }
        }
    }

    fn for_statement(
        &mut self,
        syntax::For { variable, from, to, by, body }: &syntax::For,
    ) -> Option<StmtKind<'t>> {
        let head = Designator { head: *variable, selectors: &[], span: variable.span };
        let place = match self.designator(&head) {
            Item::Place { place, read_only } => {
                self.check_writable(&place, read_only).then_some(place)
            }
            Item::Error => None,
            _ => {
                self.report.error(variable.span, "FOR counts a variable");
                None
            }
        };
        let place = place.filter(|p| {
            let fits = self.types.is_integer(p.ty);
            if !fits {
                self.report.error(variable.span, "FOR counts a variable of type INTEGER");
            }
            fits
        });
        let from = self.expression(from);
        let from_fits = self.integer(&from, "the first value of FOR");
        let to = self.expression(to);
        let to_fits = self.integer(&to, "the last value of FOR");
        let by = self.step(by.as_ref());
        // Inside of the loop the variable counts, and nobody else may change it.
        let symbol = self.find(variable.name);
        let was = symbol.map(|i| self.set_read_only(i, true));
        let body = self.statements(body);
        if let (Some(i), Some(was)) = (symbol, was) {
            self.set_read_only(i, was);
        }
        if !from_fits || !to_fits {
            return None;
        }
        Some(StmtKind::For { place: place?, from, to, by: by?, body })
    }

    fn step(&mut self, by: Option<&syntax::Expr>) -> Option<i32> {
        let Some(by) = by else {
            return Some(1);
        };
        let value = self.expression(by);
        match value.constant() {
            Some(step) if step != 0 && self.types.is_integer(value.ty) => Some(step),
            _ => {
                if value.ty != TypeId::ERROR {
                    self.report
                        .error(value.span, "the step of FOR is a constant of type INTEGER, not 0");
                }
                None
            }
        }
    }

    fn set_read_only(&mut self, symbol: usize, value: bool) -> bool {
        match &mut self.symbols[symbol].kind {
            SymbolKind::Variable { read_only, .. } => std::mem::replace(read_only, value),
            _ => false,
        }
    }

    fn case(
        &mut self,
        subject: &syntax::Expr,
        arms: &[syntax::CaseArm],
        otherwise: Option<&syntax::Else>,
    ) -> Option<StmtKind<'t>> {
        let value = self.expression(subject);
        if self.extensions.case && (self.types.is_integer(value.ty) || value.ty == TypeId::CHAR) {
            return self.value_case(value, arms, otherwise);
        }
        let rest = otherwise.map_or(&[][..], |rest| {
            if !self.extensions.case {
                self.report.error_with_help(
                    rest.span,
                    "CASE has no ELSE",
                    "write IF with type tests instead, or compile with --ext case",
                );
            }
            self.statements(rest.body)
        });
        let Some(symbol) = self.case_subject(subject, &value) else {
            // Look at the arms nevertheless, for the errors in them.
            for arm in arms {
                self.statements(arm.body);
            }
            return None;
        };
        let SymbolKind::Variable { ty: declared, .. } = self.symbols[symbol].kind else {
            return None;
        };
        let mut out = self.list();
        for arm in arms {
            if let Some(arm) = self.case_arm(subject, symbol, arm) {
                out.push(arm);
            }
            if let SymbolKind::Variable { ty, .. } = &mut self.symbols[symbol].kind {
                *ty = declared;
            }
        }
        Some(StmtKind::If(out.into_bump_slice(), rest))
    }

    /// The variable of a type CASE.
    fn case_subject(&mut self, subject: &syntax::Expr, value: &Expr) -> Option<usize> {
        if value.ty == TypeId::ERROR {
            return None;
        }
        let testable = match self.types.form(value.ty) {
            Form::Pointer(_) => true,
            Form::Record(_) => matches!(
                &value.kind,
                ExprKind::Load(Place { kind: crate::tree::PlaceKind::Reference(_), .. })
            ),
            _ => {
                self.report.error_with_help(
                    subject.span,
                    "CASE distinguishes types only: pointers and record parameters",
                    "write IF with ELSIF; numbers and characters need --ext case",
                );
                return None;
            }
        };
        let name = match &subject.kind {
            Syntax::Designator(d) if d.selectors.is_empty() => self.find(d.head.name),
            _ => None,
        };
        if name.is_none() || !testable {
            self.report.error_with_help(
                subject.span,
                "CASE takes the name of a pointer variable or of a record parameter",
                "copy the value into a variable first",
            );
            return None;
        }
        name
    }

    fn case_arm(
        &mut self,
        subject: &syntax::Expr,
        symbol: usize,
        arm: &syntax::CaseArm,
    ) -> Option<Guarded<'t>> {
        let value = self.expression(subject);
        let single = match arm.labels {
            [(label, None)] => as_qualident(label).map(|name| (name, label.span)),
            _ => None,
        };
        let (ExprKind::Load(place), Some((name, span))) = (value.kind, single) else {
            let (first, _) = arm.labels.first()?;
            if !matches!(first.kind, Syntax::Error) {
                self.report.error(first.span, "a label of CASE is the name of one type");
            }
            self.statements(arm.body);
            return None;
        };
        let target = self.named_type(&name);
        let test = self.type_test(place, target, span);
        if let SymbolKind::Variable { ty, .. } = &mut self.symbols[symbol].kind
            && test.is_some()
        {
            *ty = target;
        }
        let body = self.statements(arm.body);
        Some((test?, body))
    }
}
