//! CASE on numbers and characters, an extension (`--ext case`).
//!
//! It becomes IF: the value is computed once, each arm tests it against its labels. Where no label
//! fits and there is no ELSE, the program traps as with a violated assertion (trap 7).

use std::collections::BTreeMap;

use super::Checker;
use crate::diagnostic::Span;
use crate::syntax;
use crate::tree::{Expr, ExprKind, Place, PlaceKind, Relation, Stmt, StmtKind};
use crate::types::TypeId;

/// Values from the first to the second.
type Range = (i32, i32);

impl<'t> Checker<'t, '_, '_> {
    pub(super) fn value_case(
        &mut self,
        value: Expr<'t>,
        arms: &[syntax::CaseArm],
        otherwise: Option<&syntax::Else>,
    ) -> Option<StmtKind<'t>> {
        let (span, ty) = (value.span, value.ty);
        let simple = matches!(
            &value.kind,
            ExprKind::Load(Place { kind: PlaceKind::Local(_) | PlaceKind::Global(_), .. })
        );
        let mut before = self.list();
        let value = if simple {
            value
        } else {
            let place = self.temporary(span);
            let kind = StmtKind::Assign(place, Expr { ty: TypeId::INTEGER, ..value });
            before.push(Stmt { kind, span });
            Expr { kind: ExprKind::Load(place), ty: TypeId::INTEGER, span }
        };
        let value = self.node(value);
        let mut seen = BTreeMap::new();
        let mut out = self.list();
        for arm in arms {
            let mut ranges = Vec::new();
            for (low, high) in arm.labels {
                ranges.extend(self.label(low, high.as_ref(), ty, &mut seen));
            }
            let body = self.statements(arm.body);
            out.push((self.test(value, &joined(ranges)), body));
        }
        let rest = match otherwise {
            Some(rest) => self.statements(rest.body),
            None => std::slice::from_ref(
                self.node(Stmt { kind: StmtKind::Assert(truth(false, span)), span }),
            ),
        };
        let choice = StmtKind::If(out.into_bump_slice(), rest);
        if before.is_empty() {
            return Some(choice);
        }
        before.push(Stmt { kind: choice, span });
        let all: &[Stmt<'t>] = before.into_bump_slice();
        let arm = self.node((truth(true, span), all));
        Some(StmtKind::If(std::slice::from_ref(arm), &[]))
    }

    /// A word that no name reaches.
    fn temporary(&mut self, span: Span) -> Place<'t> {
        let at = self.frame.next_multiple_of(4);
        self.frame = at + 4;
        let kind = if self.level == 0 { PlaceKind::Global(at) } else { PlaceKind::Local(at) };
        Place { kind, ty: TypeId::INTEGER, span }
    }

    fn label(
        &mut self,
        low: &syntax::Expr,
        high: Option<&syntax::Expr>,
        ty: TypeId,
        seen: &mut BTreeMap<i32, i32>,
    ) -> Option<Range> {
        let first = self.label_value(low, ty);
        let last = high.map_or(first, |high| self.label_value(high, ty));
        let (first, last) = (first?, last?);
        let span = high.map_or(low.span, |high| low.span.to(high.span));
        if first > last {
            self.report.error(span, "the range of this label is empty: its first value is larger");
            return None;
        }
        if seen.range(..=last).next_back().is_some_and(|(_, end)| *end >= first) {
            self.report.error(span, "a value of this label stands in an earlier one already");
            return None;
        }
        seen.insert(first, last);
        Some((first, last))
    }

    fn label_value(&mut self, label: &syntax::Expr, ty: TypeId) -> Option<i32> {
        let value = self.expression(label);
        let value = if ty == TypeId::CHAR { self.to_char(value) } else { value };
        if value.ty == TypeId::ERROR {
            return None;
        }
        let fits = value.ty == ty || self.types.is_integer(ty) && self.types.is_integer(value.ty);
        match value.constant() {
            Some(constant) if fits => Some(constant),
            _ => {
                let wanted = self.types.describe(ty);
                self.report.error(
                    value.span,
                    format!("a label of this CASE is a constant of type {wanted}"),
                );
                None
            }
        }
    }
}

/// Ranges in order, those that touch made one.
fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut out: Vec<Range> = Vec::new();
    for (low, high) in ranges {
        match out.last_mut() {
            Some(last) if last.1.checked_add(1) == Some(low) => last.1 = high,
            _ => out.push((low, high)),
        }
    }
    out
}

fn truth(value: bool, span: Span) -> Expr<'static> {
    Expr { kind: ExprKind::Const(i32::from(value)), ty: TypeId::BOOLEAN, span }
}

impl<'t> Checker<'t, '_, '_> {
    /// Whether a value is in one of the ranges. Halves, so that many labels make no deep tree.
    fn test(&self, value: &'t Expr<'t>, ranges: &[Range]) -> Expr<'t> {
        let span = value.span;
        let compare = |relation, bound: i32| {
            let bound = Expr { kind: ExprKind::Const(bound), ty: value.ty, span };
            let kind = ExprKind::Compare(relation, value, self.node(bound));
            Expr { kind, ty: TypeId::BOOLEAN, span }
        };
        let kind = match ranges {
            [] => return truth(false, span),
            [(low, high)] if low == high => return compare(Relation::Equal, *low),
            [(low, high)] => ExprKind::And(
                self.node(compare(Relation::GreaterEqual, *low)),
                self.node(compare(Relation::LessEqual, *high)),
            ),
            _ => {
                let (left, right) = ranges.split_at(ranges.len() / 2);
                let (left, right) = (self.test(value, left), self.test(value, right));
                ExprKind::Or(self.node(left), self.node(right))
            }
        };
        Expr { kind, ty: TypeId::BOOLEAN, span }
    }
}
