//! Calls: each actual parameter against its formal one, and how it travels.

use bumpalo::collections::Vec as List;

use super::designators::load;
use super::{Checker, Item, ProcedureRef};
use crate::diagnostic::Span;
use crate::syntax;
use crate::tree::{Arg, Call, Callee, Expr, ExprKind, Length, Place, PlaceKind};
use crate::types::{Form, Param, TypeId};

impl<'t> Checker<'t, '_, '_> {
    pub(super) fn procedure_call(
        &mut self,
        ty: TypeId,
        callee: ProcedureRef,
        actuals: &[syntax::Expr],
        span: Span,
    ) -> Item<'t> {
        let callee = match callee {
            ProcedureRef::Own(index) => Callee::Procedure(index),
            ProcedureRef::Imported { module, entry } => Callee::Imported { module, entry },
        };
        self.call(ty, callee, actuals, span)
    }

    pub(super) fn variable_call(
        &mut self,
        place: Place<'t>,
        actuals: &[syntax::Expr],
        span: Span,
    ) -> Item<'t> {
        let ty = place.ty;
        self.call(ty, Callee::Value(load(place)), actuals, span)
    }

    fn call(
        &mut self,
        ty: TypeId,
        callee: Callee<'t>,
        actuals: &[syntax::Expr],
        span: Span,
    ) -> Item<'t> {
        let Form::Procedure { params, result } = self.types.form(ty) else {
            return Item::Error;
        };
        let (count, result) = (params.len(), *result);
        self.not_in_interrupt(span, "call procedures");
        let mut args = List::with_capacity_in(actuals.len(), self.arena);
        let mut sound = true;
        for (at, actual) in actuals.iter().enumerate().take(count) {
            let Some(param) = self.parameter(ty, at) else { break };
            match self.argument(&param, actual) {
                Some(arg) => args.push(arg),
                None => sound = false,
            }
        }
        if count != actuals.len() {
            self.report.error(
                span,
                format!("the procedure takes {count} parameters, not {}", actuals.len()),
            );
            sound = false;
        }
        for extra in actuals.iter().skip(count) {
            self.expression(extra);
        }
        if !sound || result == TypeId::ERROR {
            return Item::Error;
        }
        let call = Call { callee, args: args.into_bump_slice(), span };
        if result == TypeId::NONE {
            return Item::Call(call);
        }
        Item::Value(Expr { kind: ExprKind::Call(self.node(call)), ty: result, span })
    }

    /// A formal parameter of a procedure type.
    fn parameter(&self, ty: TypeId, at: usize) -> Option<Param> {
        match self.types.form(ty) {
            Form::Procedure { params, .. } => params.get(at).copied(),
            _ => None,
        }
    }

    /// Reports what an interrupt handler cannot do: it saves only the registers it uses itself.
    pub(super) fn not_in_interrupt(&mut self, span: Span, what: &str) {
        if self.interrupt {
            self.report.error_with_help(
                span,
                format!("an interrupt procedure cannot {what}"),
                "set a variable that the main program watches",
            );
        }
    }

    fn argument(&mut self, param: &Param, actual: &syntax::Expr) -> Option<Arg<'t>> {
        if !param.by_reference {
            let value = self.expression(actual);
            return Some(Arg::Value(self.assignable(param.ty, value, "parameter")));
        }
        if param.ty == TypeId::ERROR {
            self.expression(actual);
            return None;
        }
        let open_text = self.types.is_open_array(param.ty) && self.types.is_char_array(param.ty);
        if param.read_only && open_text {
            let value = self.expression(actual);
            if let ExprKind::String(string) = &value.kind {
                let place = self.string_place(string, value.span);
                return Some(Arg::Open(place, Length::Fixed(string.length)));
            }
            return match value.kind {
                ExprKind::Load(place) => self.reference(param, place),
                _ => {
                    self.mismatch(param, value.ty, value.span);
                    None
                }
            };
        }
        let (place, read_only) = self.place(actual, "a VAR, array or record parameter")?;
        if !param.read_only && !self.check_writable(&place, read_only) {
            return None;
        }
        self.reference(param, place)
    }

    /// How a variable is passed by reference.
    fn reference(&mut self, param: &Param, place: Place<'t>) -> Option<Arg<'t>> {
        if place.ty == TypeId::ERROR {
            return None;
        }
        match (self.types.form(param.ty), self.types.form(place.ty)) {
            (Form::Array { element: wanted, length: None }, Form::Array { element, length })
                if wanted == element =>
            {
                let length = match length {
                    Some(n) => Length::Fixed(*n),
                    None => self.open_length(&place)?,
                };
                return Some(Arg::Open(place, length));
            }
            (Form::Record(_), Form::Record(_)) if self.types.extends(place.ty, param.ty) => {
                self.tag_of(&place);
                return Some(Arg::Record(place));
            }
            _ if self.types.compatible(param.ty, place.ty, true) => {
                return Some(Arg::Address(place));
            }
            // Any variable may be seen as the bytes it is made of.
            (Form::Array { element: TypeId::BYTE, length: Some(_) }, _)
                if self.types.size(param.ty) == self.types.size(place.ty)
                    && !self.types.is_open_array(place.ty) =>
            {
                return Some(Arg::Address(place));
            }
            _ => {}
        }
        self.mismatch(param, place.ty, place.span);
        None
    }

    /// Makes sure that the descriptor passed along with a record exists.
    fn tag_of(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Reference(_) | PlaceKind::Deref(_) => {}
            PlaceKind::Guard(inner, _) => self.tag_of(inner),
            _ if self.hidden(place.ty) => self.report.error(
                place.span,
                "the type of this record is not exported by its module: it cannot be passed on",
            ),
            _ => self.describe_record(place.ty, place.span),
        }
    }

    fn mismatch(&mut self, param: &Param, actual: TypeId, span: Span) {
        if actual == TypeId::ERROR {
            return;
        }
        let var = if param.by_reference && !param.read_only { "VAR " } else { "" };
        let wanted = self.types.describe(param.ty);
        let found = self.types.describe(actual);
        self.report.error(span, format!("a {var}parameter of type {wanted} does not take {found}"));
    }

    /// A value made fit for a variable of type `to`; reports if that cannot be.
    pub(super) fn assignable(&mut self, to: TypeId, value: Expr<'t>, what: &str) -> Expr<'t> {
        let value = if to == TypeId::CHAR { self.to_char(value) } else { value };
        let numbers = self.types.is_integer(to) && self.types.is_integer(value.ty);
        if !numbers && !self.types.compatible(to, value.ty, false) {
            self.report.error(
                value.span,
                format!(
                    "{what} of type {} does not take {}",
                    self.types.describe(to),
                    self.types.describe(value.ty)
                ),
            );
        }
        value
    }
}
