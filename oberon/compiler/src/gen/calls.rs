//! Calls.

use risc5_isa::opcode::Cond;
use risc5_isa::trap;

use super::Generator;
use super::registers::Value;
use crate::tree::{Arg, Call, Callee, Expr, ExprKind, Length, Place, PlaceKind};
use crate::types::TypeId;

impl Generator<'_, '_, '_> {
    /// Calls a procedure. The result is in register 0, whether there is one or not; the caller
    /// of a proper procedure lets it go.
    pub(super) fn call(&mut self, call: &Call) -> Option<Value> {
        // Whatever is under computation survives the call in the frame.
        self.spill_all();
        let outer = std::mem::replace(&mut self.out.span, call.span);
        let simple = call.args.iter().all(is_simple);
        let target = match &call.callee {
            Callee::Value(e) if !simple => {
                let value = self.value(e);
                self.spill(value);
                Some(value)
            }
            _ => None,
        };
        let mut values = Vec::new();
        for arg in call.args {
            self.argument(arg, &mut values);
        }
        // Arguments that a call in a later argument sent to the frame come back.
        for (register, value) in values.iter().enumerate() {
            self.move_to(*value, register as u8);
        }
        match &call.callee {
            Callee::Procedure(index) => self.out.own_call(*index),
            Callee::Imported { module, entry } => self.out.imported_call(*module, *entry),
            Callee::Value(e) => {
                let target = target.unwrap_or_else(|| self.value(e));
                let register = self.reg(target);
                if self.out.checks {
                    self.out.test(register);
                    self.out.trap(Cond::Eq, trap::CALL, call.span);
                }
                self.out.register_call(register);
                self.free(target);
            }
        }
        for value in values {
            self.free(value);
        }
        self.out.forget_flags();
        self.out.span = outer;
        Some(self.alloc_in(0))
    }

    /// Puts an argument into the next register, or the next two.
    fn argument(&mut self, arg: &Arg, values: &mut Vec<Value>) {
        match arg {
            Arg::Value(e) => {
                let value = self.value(e);
                self.arrive(value, values);
            }
            Arg::Address(place) => {
                let address = self.place(place);
                let value = self.address(address);
                self.arrive(value, values);
            }
            Arg::Record(place) => self.record(place, values),
            Arg::Open(place, length) => {
                let address = self.place(place);
                let value = self.address(address);
                self.arrive(value, values);
                let length = match length {
                    Length::Fixed(n) => self.constant(*n as i32),
                    Length::Slot(slot) => self.value(&Expr {
                        kind: ExprKind::OpenLength(*slot),
                        ty: TypeId::INTEGER,
                        span: place.span,
                    }),
                };
                self.arrive(length, values);
            }
        }
    }

    fn record(&mut self, place: &Place, values: &mut Vec<Value>) {
        let address = self.place(place);
        let value = self.address(address);
        self.arrive(value, values);
        let tag = if points_to_heap(place) {
            // What a pointer points to knows its type itself.
            let tag = self.alloc();
            let (rt, rv) = self.regs2(tag, value);
            self.out.load(rt, rv, -8);
            tag
        } else {
            self.tag(place)
        };
        self.arrive(tag, values);
    }

    fn arrive(&mut self, value: Value, values: &mut Vec<Value>) {
        self.move_to(value, values.len() as u8);
        values.push(value);
    }
}

fn points_to_heap(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Deref(_) => true,
        PlaceKind::Guard(inner, _) => points_to_heap(inner),
        _ => false,
    }
}

/// Computing the argument calls nothing and changes nothing.
fn is_simple(arg: &Arg) -> bool {
    let direct = |place: &Place| {
        matches!(
            place.kind,
            PlaceKind::Global(_)
                | PlaceKind::Local(_)
                | PlaceKind::Imported { .. }
                | PlaceKind::Reference(_)
                | PlaceKind::String(_)
        )
    };
    match arg {
        Arg::Value(e) => match &e.kind {
            ExprKind::Const(_) => true,
            ExprKind::Load(place) => direct(place),
            _ => false,
        },
        Arg::Address(place) | Arg::Record(place) | Arg::Open(place, _) => direct(place),
    }
}
