//! Names with selectors: variables, fields, elements, type guards.

use super::{Checker, ConstValue, Item, SymbolKind};
use crate::diagnostic::Span;
use crate::syntax::{self, Designator, ExprKind as Syntax, Ident, QualIdent, Selector};
use crate::tree::{Expr, ExprKind, Length, Place, PlaceKind};
use crate::types::{Form, TypeId};

impl<'t> Checker<'t, '_, '_> {
    /// Resolves the head of a designator, which takes the first selector too if the head is a
    /// module. The second result is the number of selectors used.
    fn head(&mut self, d: &Designator) -> (Item<'t>, usize) {
        let Some(index) = self.lookup(&d.head) else {
            return (Item::Error, 0);
        };
        let symbol = self.symbols[index];
        match (&symbol.kind, d.selectors.first()) {
            (SymbolKind::Module(module), Some(Selector::Field(name))) => {
                let kind = self.imported(*module, name);
                (self.item(kind, 0, name), 1)
            }
            (SymbolKind::System, Some(Selector::Field(name))) => {
                let standard = super::standard::SYSTEM
                    .iter()
                    .find(|(n, _)| *n == name.name)
                    .map(|(_, s)| Item::Standard(*s));
                if standard.is_none() {
                    self.report.error(name.span, format!("SYSTEM has no {}", name.name));
                }
                (standard.unwrap_or(Item::Error), 1)
            }
            (SymbolKind::Module(_) | SymbolKind::System, _) => {
                self.report
                    .error(d.head.span, format!("{} is a module: a name must follow", d.head.name));
                (Item::Error, 0)
            }
            _ => (self.item(symbol.kind, symbol.level, &d.head), 0),
        }
    }

    fn item(&mut self, kind: SymbolKind<'t>, level: u32, name: &Ident) -> Item<'t> {
        let span = name.span;
        match kind {
            SymbolKind::Constant(ty, ConstValue::Scalar(value)) => {
                Item::Value(Expr { kind: ExprKind::Const(value), ty, span })
            }
            SymbolKind::Constant(ty, ConstValue::String(string)) => {
                Item::Value(Expr { kind: ExprKind::String(string), ty, span })
            }
            SymbolKind::Constant(_, ConstValue::ForeignString) => {
                self.report.error_with_help(
                    span,
                    format!("{} is a string constant of another module, whose text symbol files do not hold", name.name),
                    "repeat the constant here, or compile its module with --ext strings",
                );
                Item::Error
            }
            SymbolKind::Type(TypeId::ERROR) | SymbolKind::Error => Item::Error,
            SymbolKind::Type(_) => Item::Type,
            SymbolKind::Variable { ty: TypeId::ERROR, .. } => Item::Error,
            SymbolKind::Variable { ty, place, read_only } => {
                if level > 0 && level != self.level {
                    self.report.error_with_help(
                        span,
                        format!(
                            "{} belongs to the enclosing procedure and cannot be reached",
                            name.name
                        ),
                        "pass it as a parameter",
                    );
                    return Item::Error;
                }
                Item::Place { place: Place { kind: place, ty, span }, read_only }
            }
            SymbolKind::Procedure { ty, callee } => {
                Item::Procedure { ty, callee, local: level > 0 }
            }
            SymbolKind::Standard(standard) => Item::Standard(standard),
            SymbolKind::Module(_) | SymbolKind::System => Item::Error,
        }
    }

    /// Resolves a whole designator. Parentheses after something callable are a call and end it.
    pub(super) fn designator(&mut self, d: &Designator) -> Item<'t> {
        let (mut item, mut used) = self.head(d);
        while used < d.selectors.len() {
            let selector = &d.selectors[used];
            used += 1;
            item = match (item, selector) {
                (Item::Error, _) => return Item::Error,
                (Item::Standard(standard), Selector::Paren(actuals, _)) => {
                    self.end_of_call(&d.selectors[used..]);
                    return self.standard_function(standard, actuals, d.span);
                }
                (Item::Procedure { ty, callee, .. }, Selector::Paren(actuals, _)) => {
                    self.end_of_call(&d.selectors[used..]);
                    return self.procedure_call(ty, callee, actuals, d.span);
                }
                (Item::Place { place, read_only }, Selector::Paren(actuals, span)) => {
                    match self.types.form(place.ty) {
                        Form::Procedure { .. } => {
                            self.end_of_call(&d.selectors[used..]);
                            return self.variable_call(place, actuals, d.span);
                        }
                        Form::Record(_) | Form::Pointer(_) => {
                            self.guard(place, read_only, actuals, *span)
                        }
                        _ => {
                            self.report.error(
                                *span,
                                format!(
                                    "{} is neither a procedure nor a record that could be guarded",
                                    self.types.describe(place.ty)
                                ),
                            );
                            Item::Error
                        }
                    }
                }
                (Item::Place { place, read_only }, selector) => {
                    self.select(place, read_only, selector)
                }
                (_, selector) => {
                    self.report.error(
                        selector_span(selector),
                        "only variables have parts, and only procedures are called",
                    );
                    Item::Error
                }
            };
        }
        item
    }

    fn end_of_call(&mut self, rest: &[Selector]) {
        if let Some(selector) = rest.first() {
            self.report.error_with_help(
                selector_span(selector),
                "nothing can follow a call",
                "store the result in a variable first",
            );
        }
    }

    fn select(&mut self, place: Place<'t>, read_only: bool, selector: &Selector) -> Item<'t> {
        match selector {
            Selector::Field(name) => self.field(place, read_only, name),
            Selector::Index(indexes) => {
                let mut place = place;
                for index in *indexes {
                    match self.element(place, index) {
                        Some(element) => place = element,
                        None => return Item::Error,
                    }
                }
                Item::Place { place, read_only }
            }
            Selector::Deref(span) => match self.deref(place, *span) {
                Some(place) => Item::Place { place, read_only },
                None => Item::Error,
            },
            Selector::Paren(..) => Item::Error,
        }
    }

    /// What a pointer variable points to.
    fn deref(&mut self, place: Place<'t>, span: Span) -> Option<Place<'t>> {
        let Form::Pointer(base) = *self.types.form(place.ty) else {
            self.report.error(span, format!("{} is not a pointer", self.types.describe(place.ty)));
            return None;
        };
        self.types.record(base)?;
        let whole = place.span.to(span);
        Some(Place { kind: PlaceKind::Deref(self.node(load(place))), ty: base, span: whole })
    }

    fn field(&mut self, place: Place<'t>, read_only: bool, name: &Ident) -> Item<'t> {
        let place = if matches!(self.types.form(place.ty), Form::Pointer(_)) {
            match self.deref(place, name.span) {
                Some(place) => place,
                None => return Item::Error,
            }
        } else {
            place
        };
        if self.types.record(place.ty).is_none() {
            self.report.error(
                name.span,
                format!("{} is not a record and has no fields", self.types.describe(place.ty)),
            );
            return Item::Error;
        }
        let found = self
            .types
            .field(place.ty, name.name)
            .map(|(owner, field)| (owner, field.ty, field.offset, field.exported));
        let visible =
            found.filter(|(owner, .., exported)| self.types.get(*owner).module == 0 || *exported);
        let Some((_, ty, offset, _)) = visible else {
            self.report.error(
                name.span,
                format!("{} has no field {}", self.types.describe(place.ty), name.name),
            );
            return Item::Error;
        };
        if ty == TypeId::ERROR {
            return Item::Error;
        }
        let span = place.span.to(name.span);
        Item::Place {
            place: Place { kind: PlaceKind::Field(self.node(place), offset), ty, span },
            read_only,
        }
    }

    fn element(&mut self, place: Place<'t>, index: &syntax::Expr) -> Option<Place<'t>> {
        let value = self.expression(index);
        let Form::Array { element, length } = *self.types.form(place.ty) else {
            self.report
                .error(index.span, format!("{} is not an array", self.types.describe(place.ty)));
            return None;
        };
        if !self.integer(&value, "an index") || element == TypeId::ERROR {
            return None;
        }
        let size = self.types.size(element);
        let span = place.span.to(index.span);
        let length = match length {
            Some(n) => Length::Fixed(n),
            None => self.open_length(&place)?,
        };
        let kind = match (value.constant(), length) {
            (Some(at), Length::Fixed(n)) => {
                if at < 0 || at as u32 >= n {
                    self.report.error(
                        value.span,
                        format!("index {at} is outside of the array, which has {n} elements"),
                    );
                    return None;
                }
                PlaceKind::Field(self.node(place), at as u32 * size)
            }
            _ => {
                PlaceKind::Index { array: self.node(place), index: self.node(value), length, size }
            }
        };
        Some(Place { kind, ty: element, span })
    }

    /// Where the length of an open array stands: behind its address in the frame.
    pub(super) fn open_length(&self, place: &Place) -> Option<Length> {
        match place.kind {
            PlaceKind::Reference(slot) => Some(Length::Slot(slot + 4)),
            _ => None,
        }
    }

    /// `place(T)`.
    fn guard(
        &mut self,
        place: Place<'t>,
        read_only: bool,
        actuals: &[syntax::Expr],
        span: Span,
    ) -> Item<'t> {
        let [actual] = actuals else {
            self.report.error(span, "a type guard names one type in parentheses");
            return Item::Error;
        };
        let Some(name) = as_qualident(actual) else {
            self.report.error(actual.span, "a type guard names one type in parentheses");
            return Item::Error;
        };
        let target = self.named_type(&name);
        let Some(record) = self.tested_record(&place, target, actual.span) else {
            return Item::Error;
        };
        let whole = place.span.to(span);
        if place.ty == target {
            return Item::Place { place, read_only };
        }
        Item::Place {
            place: Place {
                kind: PlaceKind::Guard(self.node(place), record),
                ty: target,
                span: whole,
            },
            read_only,
        }
    }

    /// The record type to test `place` for, so that it may be taken as a `target`.
    pub(super) fn tested_record(
        &mut self,
        place: &Place,
        target: TypeId,
        span: Span,
    ) -> Option<TypeId> {
        if target == TypeId::ERROR || place.ty == TypeId::ERROR {
            return None;
        }
        let known = self.types.record_of(place.ty);
        let wanted = self.types.record_of(target);
        let both_pointers = matches!(self.types.form(place.ty), Form::Pointer(_))
            == matches!(self.types.form(target), Form::Pointer(_));
        let (Some(known), Some(wanted), true) = (known, wanted, both_pointers) else {
            self.report.error(
                span,
                format!(
                    "{} cannot be tested for type {}: both must be records, or both pointers to them",
                    self.types.describe(place.ty),
                    self.types.describe(target)
                ),
            );
            return None;
        };
        if self.types.record(place.ty).is_some() && !carries_tag(place) {
            self.report.error_with_help(
                place.span,
                "only a record parameter carries a type that could be tested",
                "this variable is of its declared type, always",
            );
            return None;
        }
        if known == wanted {
            return Some(wanted);
        }
        if !self.types.extends(wanted, known) {
            self.report.error(
                span,
                format!(
                    "{} is not an extension of {}",
                    self.types.describe(target),
                    self.types.describe(place.ty)
                ),
            );
            return None;
        }
        if self.hidden(wanted) {
            self.report.error(
                span,
                "the record type is not exported by its module and cannot be tested for",
            );
            return None;
        }
        self.describe_record(wanted, span);
        Some(wanted)
    }

    /// A record type of another module without an export number.
    pub(super) fn hidden(&self, record: TypeId) -> bool {
        let ty = self.types.get(record);
        ty.module != 0 && (ty.entry == 0 || ty.name.is_none())
    }
}

/// A record parameter, perhaps guarded already.
fn carries_tag(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Reference(_) => true,
        PlaceKind::Guard(inner, _) => carries_tag(inner),
        _ => false,
    }
}

/// The scalar in a place.
pub(super) fn load<'t>(place: Place<'t>) -> Expr<'t> {
    Expr { ty: place.ty, span: place.span, kind: ExprKind::Load(place) }
}

fn selector_span(selector: &Selector) -> Span {
    match selector {
        Selector::Field(name) => name.span,
        Selector::Index(indexes) => indexes.first().map_or(Span::default(), |e| e.span),
        Selector::Deref(span) | Selector::Paren(_, span) => *span,
    }
}

/// An expression that is nothing but a name, perhaps of another module.
pub(super) fn as_qualident<'t>(expr: &syntax::Expr<'t>) -> Option<QualIdent<'t>> {
    let Syntax::Designator(d) = &expr.kind else {
        return None;
    };
    match d.selectors {
        [] => Some(QualIdent { module: None, name: d.head }),
        [Selector::Field(name)] => Some(QualIdent { module: Some(d.head), name: *name }),
        _ => None,
    }
}
