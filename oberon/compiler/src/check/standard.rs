//! Standard procedures and functions, and those of module SYSTEM.

mod names;

use super::designators::{as_qualident, load};
use super::{Checker, Item};
use crate::diagnostic::Span;
use crate::syntax;
use crate::tree::{Binary, Expr, ExprKind, Length, Place, StmtKind, Unary};
use crate::types::{Form, TypeId};
pub(super) use names::{SYSTEM, Standard, UNIVERSE};

fn value<'t>(kind: ExprKind<'t>, ty: TypeId, span: Span) -> Item<'t> {
    Item::Value(Expr { kind, ty, span })
}

impl<'t> Checker<'t, '_, '_> {
    pub(super) fn standard_function(
        &mut self,
        standard: Standard,
        actuals: &[syntax::Expr],
        span: Span,
    ) -> Item<'t> {
        let (fewest, most) = standard.arity();
        if actuals.len() < fewest || actuals.len() > most {
            let name = standard.name();
            let count =
                if fewest == most { fewest.to_string() } else { format!("{fewest} or {most}") };
            self.report
                .error(span, format!("{name} takes {count} parameters, not {}", actuals.len()));
            for actual in actuals {
                self.expression(actual);
            }
            return Item::Error;
        }
        let item = self.on_words(standard, actuals, span);
        item.or_else(|| self.on_variables(standard, actuals, span))
            .or_else(|| self.on_types(standard, actuals, span))
            .unwrap_or(Item::Error)
    }

    fn integer_of(&mut self, e: &syntax::Expr, what: &str) -> Option<Expr<'t>> {
        let value = self.expression(e);
        self.integer(&value, what).then_some(value)
    }

    /// Functions and procedures that compute with values. `None` for all others and on error.
    fn on_words(
        &mut self,
        standard: Standard,
        actuals: &[syntax::Expr],
        span: Span,
    ) -> Option<Item<'t>> {
        use Standard as S;
        let name = standard.name();
        let what = format!("the parameter of {name}");
        let binary = match standard {
            S::Lsl => Some(Binary::ShiftLeft),
            S::Asr => Some(Binary::ShiftRight),
            S::Ror => Some(Binary::Rotate),
            S::Adc => Some(Binary::AddCarry),
            S::Sbc => Some(Binary::SubCarry),
            S::Uml => Some(Binary::MulUnsigned),
            _ => None,
        };
        if let Some(op) = binary {
            let shifts = matches!(standard, S::Lsl | S::Asr | S::Ror);
            let left = self.expression(&actuals[0]);
            let right = self.integer_of(&actuals[1], &what);
            // Bits are shifted in sets as well as in integers, and stay what they are.
            let ty = if shifts && left.ty == TypeId::SET {
                TypeId::SET
            } else if self.integer(&left, &what) {
                TypeId::INTEGER
            } else {
                return Some(Item::Error);
            };
            return Some(Item::Value(self.operation(op, left, right?, ty, span)));
        }
        let item = match standard {
            S::Abs => {
                let x = self.expression(&actuals[0]);
                let real = x.ty == TypeId::REAL;
                let fits = real || self.types.is_integer(x.ty);
                if !self.demand(fits, &x, &what, "INTEGER or REAL") {
                    return Some(Item::Error);
                }
                let (op, ty) = if real {
                    (Unary::AbsReal, TypeId::REAL)
                } else {
                    (Unary::Abs, TypeId::INTEGER)
                };
                let kind = match x.constant() {
                    Some(n) if real => ExprKind::Const(n & i32::MAX),
                    Some(n) => ExprKind::Const(n.wrapping_abs()),
                    None => ExprKind::Unary(op, self.node(x)),
                };
                value(kind, ty, span)
            }
            S::Odd => {
                let x = self.integer_of(&actuals[0], &what)?;
                value(ExprKind::Odd(self.node(x)), TypeId::BOOLEAN, span)
            }
            S::Floor => {
                let x = self.expression(&actuals[0]);
                if !self.demand(x.ty == TypeId::REAL, &x, &what, "REAL") {
                    return Some(Item::Error);
                }
                value(ExprKind::Unary(Unary::Floor, self.node(x)), TypeId::INTEGER, span)
            }
            S::Flt => {
                let x = self.integer_of(&actuals[0], &what)?;
                value(ExprKind::Unary(Unary::Float, self.node(x)), TypeId::REAL, span)
            }
            S::Ord => {
                let x = self.expression(&actuals[0]);
                let x = self.to_char(x);
                let scalar = !self.types.is_structured(x.ty)
                    && !matches!(x.ty, TypeId::STRING | TypeId::NONE);
                if !self.demand(scalar, &x, &what, "a scalar type") {
                    return Some(Item::Error);
                }
                value(x.kind, TypeId::INTEGER, span)
            }
            S::Chr => {
                let x = self.integer_of(&actuals[0], &what)?;
                value(x.kind, TypeId::CHAR, span)
            }
            S::Bit => {
                let address = self.integer_of(&actuals[0], "an address");
                let bit = self.integer_of(&actuals[1], "a bit number");
                let kind = ExprKind::Bit(self.node(address?), self.node(bit?));
                value(kind, TypeId::BOOLEAN, span)
            }
            S::Reg => {
                let register = self.small(&actuals[0], 15, "a register number")?;
                value(ExprKind::Register(register), TypeId::INTEGER, span)
            }
            S::Cond => {
                let condition = self.small(&actuals[0], 15, "a condition code")?;
                value(ExprKind::Condition(condition), TypeId::BOOLEAN, span)
            }
            S::High => {
                self.integer_of(&actuals[0], &what)?;
                value(ExprKind::High, TypeId::INTEGER, span)
            }
            S::Assert => {
                let condition = self.expression(&actuals[0]);
                let fits = condition.ty == TypeId::BOOLEAN;
                if !self.demand(fits, &condition, &what, "BOOLEAN") {
                    return Some(Item::Error);
                }
                Item::Action(StmtKind::Assert(condition))
            }
            S::Led => Item::Action(StmtKind::Leds(self.integer_of(&actuals[0], &what)?)),
            S::Ldpsr => {
                let enable = self.small(&actuals[0], 1, &what)?;
                Item::Action(StmtKind::SetInterrupts(enable))
            }
            S::Ldreg => {
                let register = self.small(&actuals[0], 15, "a register number")?;
                let x = self.scalar(&actuals[1], &what)?;
                Item::Action(StmtKind::SetRegister(register, x))
            }
            S::Put => {
                let address = self.integer_of(&actuals[0], "an address");
                let x = self.scalar(&actuals[1], "the value to store");
                Item::Action(StmtKind::Put(address?, x?))
            }
            S::Copy => {
                let source = self.integer_of(&actuals[0], "an address");
                let target = self.integer_of(&actuals[1], "an address");
                let count = self.integer_of(&actuals[2], "the number of words");
                Item::Action(StmtKind::CopyWords(source?, target?, count?))
            }
            _ => return None,
        };
        Some(item)
    }

    /// A value of one word.
    fn scalar(&mut self, e: &syntax::Expr, what: &str) -> Option<Expr<'t>> {
        let x = self.expression(e);
        let x = self.to_char(x);
        let fits =
            !self.types.is_structured(x.ty) && !matches!(x.ty, TypeId::STRING | TypeId::NONE);
        self.demand(fits, &x, what, "a scalar type").then_some(x)
    }

    /// A constant from 0 to `most`.
    fn small(&mut self, e: &syntax::Expr, most: u8, what: &str) -> Option<u8> {
        let x = self.expression(e);
        let n = x.constant().and_then(|n| u8::try_from(n).ok());
        match n {
            Some(n) if n <= most && self.types.is_integer(x.ty) => Some(n),
            _ => {
                if x.ty != TypeId::ERROR {
                    self.report
                        .error(x.span, format!("{what} must be a constant from 0 to {most}"));
                }
                None
            }
        }
    }

    fn writable_of(
        &mut self,
        e: &syntax::Expr,
        what: &str,
        fits: impl Fn(&Form) -> bool,
        wanted: &str,
    ) -> Option<Place<'t>> {
        let place = self.writable(e, what)?;
        let found = self.types.form(place.ty);
        if fits(found) {
            return Some(place);
        }
        let found = self.types.describe(place.ty);
        self.report.error(e.span, format!("{what} must be of type {wanted}, not {found}"));
        None
    }

    /// Procedures that change a variable.
    fn on_variables(
        &mut self,
        standard: Standard,
        actuals: &[syntax::Expr],
        span: Span,
    ) -> Option<Item<'t>> {
        use Standard as S;
        let what = format!("the variable of {}", standard.name());
        let is_integer = |f: &Form| matches!(f, Form::Integer | Form::Byte);
        let is_real = |f: &Form| *f == Form::Real;
        let action = match standard {
            S::Inc | S::Dec => {
                let place = self.writable_of(&actuals[0], &what, is_integer, "INTEGER");
                let amount = match actuals.get(1) {
                    Some(e) => self.integer_of(e, "the step"),
                    None => Some(Expr { kind: ExprKind::Const(1), ty: TypeId::INTEGER, span }),
                };
                StmtKind::Increment { place: place?, amount: amount?, negative: standard == S::Dec }
            }
            S::Incl | S::Excl => {
                let place = self.writable_of(&actuals[0], &what, |f| *f == Form::Set, "SET");
                let element = self.integer_of(&actuals[1], "a set element")?;
                if let Some(n) = element.constant()
                    && !(0..32).contains(&n)
                {
                    self.report.error(element.span, format!("set elements are 0 to 31, not {n}"));
                }
                StmtKind::Include { place: place?, element, exclude: standard == S::Excl }
            }
            S::New => {
                let place = self.writable(&actuals[0], &what)?;
                return Some(self.allocation(place, span));
            }
            S::Pack => {
                let place = self.writable_of(&actuals[0], &what, is_real, "REAL");
                let exponent = self.integer_of(&actuals[1], "the exponent");
                StmtKind::Pack(place?, exponent?)
            }
            S::Unpk => {
                let place = self.writable_of(&actuals[0], &what, is_real, "REAL");
                let exponent = self.writable_of(&actuals[1], "the exponent", is_integer, "INTEGER");
                StmtKind::Unpack(place?, exponent?)
            }
            S::Get => {
                let address = self.integer_of(&actuals[0], "an address");
                let scalar = |f: &Form| !matches!(f, Form::Array { .. } | Form::Record(_));
                let place = self.writable_of(&actuals[1], &what, scalar, "a scalar type");
                StmtKind::Get(address?, place?)
            }
            _ => return None,
        };
        Some(Item::Action(action))
    }

    fn allocation(&mut self, place: Place<'t>, span: Span) -> Item<'t> {
        let record = match self.types.form(place.ty) {
            Form::Pointer(base) if self.types.record(*base).is_some() => *base,
            Form::Error => return Item::Error,
            _ => {
                self.report.error(span, "NEW takes a pointer to a record");
                return Item::Error;
            }
        };
        if self.hidden(record) {
            self.report.error_with_help(
                span,
                "the record type behind this pointer is not exported by its module",
                "only that module can allocate it: call a procedure of it that does",
            );
            return Item::Error;
        }
        if self.standalone {
            self.report.error(span, "a standalone module has no heap: NEW cannot be used");
        }
        self.not_in_interrupt(span, "allocate");
        self.describe_record(record, span);
        Item::Action(StmtKind::New(place, record))
    }

    /// Functions that look at a variable or type rather than at a value.
    fn on_types(
        &mut self,
        standard: Standard,
        actuals: &[syntax::Expr],
        span: Span,
    ) -> Option<Item<'t>> {
        use Standard as S;
        match standard {
            S::Len => {
                let (place, _) = self.place(&actuals[0], "the parameter of LEN")?;
                let kind = match self.types.form(place.ty) {
                    Form::Array { length: Some(n), .. } => ExprKind::Const(*n as i32),
                    Form::Array { length: None, .. } => match self.open_length(&place)? {
                        Length::Slot(slot) => ExprKind::OpenLength(slot),
                        Length::Fixed(n) => ExprKind::Const(n as i32),
                    },
                    _ => {
                        let found = self.types.describe(place.ty);
                        self.report.error(span, format!("LEN takes an array, not {found}"));
                        return None;
                    }
                };
                Some(value(kind, TypeId::INTEGER, span))
            }
            S::Adr => self.address(&actuals[0], span),
            S::Size => {
                let name = as_qualident(&actuals[0]);
                let Some(name) = name else {
                    self.report.error(actuals[0].span, "SIZE takes the name of a type");
                    return None;
                };
                let ty = self.named_type(&name);
                let size = self.types.size(ty) as i32;
                Some(value(ExprKind::Const(size), TypeId::INTEGER, span))
            }
            S::Val => self.retyped(&actuals[0], &actuals[1], span),
            _ => None,
        }
    }

    fn address(&mut self, e: &syntax::Expr, span: Span) -> Option<Item<'t>> {
        let x = self.expression(e);
        let kind = match x.kind {
            ExprKind::Load(place) => ExprKind::Address(place),
            ExprKind::String(string) => {
                let place = self.string_place(&string, x.span);
                ExprKind::Address(place)
            }
            kind @ (ExprKind::Procedure(_) | ExprKind::ImportedProcedure { .. }) => kind,
            _ => {
                if x.ty != TypeId::ERROR {
                    self.report.error(e.span, "ADR takes a variable, a procedure or a string");
                }
                return None;
            }
        };
        Some(value(kind, TypeId::INTEGER, span))
    }

    fn retyped(&mut self, ty: &syntax::Expr, e: &syntax::Expr, span: Span) -> Option<Item<'t>> {
        let Some(name) = as_qualident(ty) else {
            self.report.error(ty.span, "VAL takes the name of a type first");
            return None;
        };
        let target = self.named_type(&name);
        let (x, read_only) = match &e.kind {
            syntax::ExprKind::Designator(d) => match self.designator(d) {
                Item::Place { place, read_only } => (load(place), read_only),
                item => (self.value(item, e.span), true),
            },
            _ => (self.expression(e), true),
        };
        let x = self.to_char(x);
        if target == TypeId::ERROR || x.ty == TypeId::ERROR {
            return None;
        }
        let (to, from) = (self.types.size(target), self.types.size(x.ty));
        if to > from || self.types.is_open_array(x.ty) || x.ty == TypeId::STRING {
            self.report.error(
                span,
                format!(
                    "VAL cannot take {} ({from} bytes) as {} ({to} bytes)",
                    self.types.describe(x.ty),
                    self.types.describe(target)
                ),
            );
            return None;
        }
        // A variable stays one: the same place, seen as another type. Not so ORD of one: its place
        // may be a byte, its value is a word.
        let kind = match x.kind {
            ExprKind::Load(place) if place.ty == x.ty => {
                let place = Place { ty: target, span, ..place };
                return Some(Item::Place { place, read_only });
            }
            kind => kind,
        };
        if self.types.is_structured(target) {
            self.report.error(span, "VAL makes an array or record of a variable only");
            return None;
        }
        Some(value(kind, target, span))
    }
}
