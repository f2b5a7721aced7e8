//! What is known at a point of the program.

use super::scoped::Scoped;
use crate::ir::{Alu, Extent, Relation, V};

/// The number of a value.
pub(super) type Number = u32;

/// What computes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Alu(Alu, Number, Number),
    DataBase,
    Global(u8, u16),
    Frame(i32),
    Procedure(usize),
}

/// Where a loaded or stored value came from or went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Base(Number),
    Frame,
    Global(u8, u8),
}

/// A value that stands in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) at: At,
    pub(super) offset: i32,
    pub(super) byte: bool,
    pub(super) extent: Extent,
    pub(super) number: Number,
}

/// What is known at a point of the program, with the way back to an earlier point.
#[derive(Debug, Default)]
pub(super) struct State {
    /// By virtual register; 0 if it has none yet.
    numbers: Vec<Number>,
    /// By number: a virtual register that holds the value, if its number is still that and the era too.
    holders: Vec<(V, u32)>,
    /// By number: unsigned upper bound.
    bounds: Vec<Option<u32>>,
    /// Values and the era in which they were computed.
    computed: Scoped<Key, (Number, u32)>,
    pub(super) memory: Vec<Known>,
    /// Conditions that do not hold.
    refuted: Scoped<(Relation, Number, Number), ()>,
    guarded: Scoped<(Number, Number, u32), ()>,
    /// Eras end with calls that leave nothing in registers.
    era: u32,
    /// The last era that began.
    eras: u32,
    changes: Vec<Change>,
    /// Memory of the points to go back to, the last one at the end.
    kept: Vec<Known>,
}

/// What was known before a change.
#[derive(Clone, Copy, Debug)]
enum Change {
    Number(V, Number),
    Holder(Number, (V, u32)),
    Bound(Number, Option<u32>),
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    changes: usize,
    computed: usize,
    refuted: usize,
    guarded: usize,
    kept: usize,
    era: u32,
}

impl State {
    /// Forgets all numbers: another procedure begins.
    pub(super) fn restart(&mut self) {
        self.holders.clear();
        self.bounds.clear();
        self.number_added();
    }

    /// Makes room for a new number; 0 is none.
    pub(super) fn number_added(&mut self) -> Number {
        self.holders.push((V(0), 0));
        self.bounds.push(None);
        self.holders.len() as Number - 1
    }

    /// Knows nothing of so many virtual registers.
    pub(super) fn clear(&mut self, values: u32) {
        self.numbers.clear();
        self.numbers.resize(values as usize, 0);
        self.computed.back(0);
        self.memory.clear();
        self.refuted.back(0);
        self.guarded.back(0);
        self.changes.clear();
        self.kept.clear();
        self.end_era();
    }

    /// Notes this point; [`Self::back`] goes back to it, to the last one first.
    pub(super) fn point(&mut self) -> Point {
        let point = Point {
            changes: self.changes.len(),
            computed: self.computed.len(),
            refuted: self.refuted.len(),
            guarded: self.guarded.len(),
            kept: self.kept.len(),
            era: self.era,
        };
        self.kept.extend_from_slice(&self.memory);
        point
    }

    pub(super) fn back(&mut self, point: Point) {
        for change in self.changes.drain(point.changes..).rev() {
            match change {
                Change::Number(v, number) => self.numbers[v.at()] = number,
                Change::Holder(number, old) => self.holders[number as usize] = old,
                Change::Bound(number, old) => self.bounds[number as usize] = old,
            }
        }
        self.computed.back(point.computed);
        self.refuted.back(point.refuted);
        self.guarded.back(point.guarded);
        self.memory.clear();
        self.memory.extend(self.kept.drain(point.kept..));
        self.era = point.era;
    }

    /// Nothing that was computed is at hand any more.
    pub(super) fn end_era(&mut self) {
        self.eras += 1;
        self.era = self.eras;
    }

    pub(super) fn number(&self, v: V) -> Option<Number> {
        self.numbers.get(v.at()).copied().filter(|number| *number != 0)
    }

    pub(super) fn set_number(&mut self, v: V, number: Number) {
        if v.at() >= self.numbers.len() {
            self.numbers.resize(v.at() + 1, 0);
        }
        let old = std::mem::replace(&mut self.numbers[v.at()], number);
        self.changes.push(Change::Number(v, old));
    }

    /// A virtual register that holds the value.
    pub(super) fn holder(&self, number: Number) -> Option<V> {
        let (v, era) = self.holders[number as usize];
        (era == self.era && self.numbers[v.at()] == number).then_some(v)
    }

    pub(super) fn hold(&mut self, number: Number, v: V) {
        let old = std::mem::replace(&mut self.holders[number as usize], (v, self.era));
        self.changes.push(Change::Holder(number, old));
    }

    pub(super) fn bound(&self, number: Number) -> Option<u32> {
        self.bounds[number as usize]
    }

    pub(super) fn set_bound(&mut self, number: Number, bound: u32) {
        let old = self.bounds[number as usize].replace(bound);
        self.changes.push(Change::Bound(number, old));
    }

    pub(super) fn computed(&self, key: Key) -> Option<Number> {
        let (number, era) = self.computed.get(key)?;
        (era == self.era).then_some(number)
    }

    pub(super) fn compute(&mut self, key: Key, number: Number) {
        self.computed.add(key, (number, self.era));
    }

    pub(super) fn is_refuted(&self, relation: Relation, a: Number, b: Number) -> bool {
        self.refuted.get((relation, a, b)).is_some()
    }

    pub(super) fn refute(&mut self, relation: Relation, a: Number, b: Number) {
        if !self.is_refuted(relation, a, b) {
            self.refuted.add((relation, a, b), ());
        }
    }

    /// Notes that a guard was passed; whether that is news.
    pub(super) fn guard(&mut self, pointer: Number, descriptor: Number, level: u32) -> bool {
        let guard = (pointer, descriptor, level);
        let new = self.guarded.get(guard).is_none();
        if new {
            self.guarded.add(guard, ());
        }
        new
    }
}
