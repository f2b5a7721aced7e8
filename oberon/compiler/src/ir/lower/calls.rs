//! Calls.

use risc5_isa::trap;

use super::Lower;
use crate::ir::{Cmp, Op, Operand, Relation, Target, V};
use crate::tree::{Arg, Call, Callee, Length, Place};

impl Lower<'_> {
    /// Calls a procedure; its result, if it is a function.
    pub(super) fn call(&mut self, call: &Call, function: bool) -> Option<V> {
        let outer = std::mem::replace(&mut self.span, call.span);
        let target = match &call.callee {
            Callee::Procedure(index) => Target::Own(*index),
            Callee::Imported { module, entry } => Target::Imported(*module, *entry),
            Callee::Value(e) => Target::Value(self.register(e)),
        };
        let first = self.arguments.len();
        for arg in call.args {
            self.argument(arg);
        }
        if let (Target::Value(v), true) = (target, self.checks) {
            let cmp = Cmp { relation: Relation::Eq, a: v, b: Operand::Imm(0) };
            self.trap(cmp, trap::CALL, call.span);
        }
        let result = function.then(|| self.f.new_value());
        let args = self.f.args.add(&self.arguments[first..]);
        self.arguments.truncate(first);
        self.emit(Op::Call { target, args, result });
        self.span = outer;
        result
    }

    fn argument(&mut self, arg: &Arg) {
        match arg {
            Arg::Value(e) => {
                let value = self.value(e);
                self.arguments.push(value);
            }
            Arg::Address(place) => {
                let v = self.address_of(place);
                self.arguments.push(Operand::V(v));
            }
            Arg::Record(place) => {
                let v = self.address_of(place);
                self.arguments.push(Operand::V(v));
                // What a pointer points to knows its type itself.
                let tag =
                    if Self::points_to_heap(place) { self.fixed(v, -8) } else { self.tag(place) };
                self.arguments.push(Operand::V(tag));
            }
            Arg::Open(place, length) => {
                let v = self.address_of(place);
                self.arguments.push(Operand::V(v));
                let length = match length {
                    Length::Fixed(n) => Operand::Imm(*n as i32),
                    Length::Slot(slot) => Operand::V(self.word(*slot)),
                };
                self.arguments.push(length);
            }
        }
    }

    pub(super) fn address_of(&mut self, place: &Place) -> V {
        let address = self.place(place);
        self.address(address)
    }
}
