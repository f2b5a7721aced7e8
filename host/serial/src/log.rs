//! The machine's log as the tool sees it: numbered lines, some of which get lost on the way.

use std::collections::BTreeMap;

/// Asked again so often for a line that the machine says it has; then it counts as lost.
const ASKED_MAX: u32 = 8;

/// Puts lines in order and knows which are missing.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The number that comes next; `None` before the machine has said it.
    next: Option<u32>,
    early: BTreeMap<u32, String>,
    /// The machine has lines up to here.
    known: u32,
    asked: u32,
    /// What the machine wrote before counts too, as far as it keeps it.
    kept: bool,
}

/// What the log gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The next line.
    Line(u32, String),
    /// Lines that the machine no longer has.
    Gap {
        /// The first of them.
        from: u32,
        /// The one after the last.
        to: u32,
    },
}

impl Log {
    /// Forgets everything: the machine has restarted.
    pub fn restart(&mut self) {
        *self = Self { kept: self.kept, ..Self::default() };
    }

    /// Begins with the oldest line that the machine keeps, not with the next one.
    pub fn with_kept(&mut self) {
        self.kept = true;
    }

    /// The machine keeps the lines from `first` on and writes line `next` next.
    pub fn announce(&mut self, first: u32, next: u32) -> Option<Entry> {
        self.known = self.known.max(next);
        let begin = if self.kept { first } else { next };
        let wanted = *self.next.get_or_insert(begin);
        (first > wanted).then(|| {
            self.next = Some(first);
            self.asked = 0;
            Entry::Gap { from: wanted, to: first }
        })
    }

    /// A line has come.
    pub fn take(&mut self, number: u32, text: &str) {
        let next = *self.next.get_or_insert(number);
        if number >= next {
            self.early.insert(number, text.to_owned());
            self.known = self.known.max(number.saturating_add(1));
        }
    }

    /// The machine has lines up to, not including, this one.
    pub fn reach(&mut self, next: u32) {
        self.known = self.known.max(next);
    }

    /// The next line in order, or the gap in place of lines that do not come.
    pub fn pop(&mut self) -> Option<Entry> {
        let next = self.next?;
        if let Some(text) = self.early.remove(&next) {
            self.next = Some(next.saturating_add(1));
            self.asked = 0;
            return Some(Entry::Line(next, text));
        }
        if self.asked >= ASKED_MAX {
            let to = self.early.keys().next().copied().unwrap_or(self.known);
            self.next = Some(to);
            self.asked = 0;
            return (to > next).then_some(Entry::Gap { from: next, to });
        }
        None
    }

    /// The first line that is missing.
    #[must_use]
    pub fn missing(&self) -> Option<u32> {
        self.next.filter(|&next| next < self.known)
    }

    /// Notes that the missing lines have been asked for.
    pub fn asked(&mut self) {
        self.asked += 1;
    }

    /// Whether everything before this line has come out.
    #[must_use]
    pub fn is_past(&self, next: u32) -> bool {
        self.next.is_some_and(|at| at >= next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u32) -> Option<Entry> {
        Some(Entry::Line(number, number.to_string()))
    }

    #[test]
    fn lines_come_in_order_and_missing_ones_are_known() {
        let mut log = Log::default();
        assert_eq!(log.announce(2, 5), None);
        for number in [5, 7, 4, 8] {
            log.take(number, &number.to_string());
        }
        assert_eq!((log.pop(), log.pop()), (line(5), None));
        assert_eq!(log.missing(), Some(6));
        log.take(6, "6");
        assert_eq!((log.pop(), log.pop(), log.pop(), log.pop()), (line(6), line(7), line(8), None));
        assert_eq!(log.missing(), None);
        log.reach(11);
        assert_eq!(log.missing(), Some(9));
        assert!(!log.is_past(11));
    }

    #[test]
    fn the_log_may_begin_with_what_the_machine_keeps() {
        let mut log = Log::default();
        log.with_kept();
        assert_eq!(log.announce(3, 5), None);
        assert_eq!(log.missing(), Some(3));
        log.take(4, "4");
        log.take(3, "3");
        assert_eq!((log.pop(), log.pop(), log.missing()), (line(3), line(4), None));
    }

    #[test]
    fn what_never_comes_is_a_gap() {
        let mut log = Log::default();
        log.announce(0, 0);
        log.take(3, "3");
        for _ in 0..ASKED_MAX {
            assert_eq!(log.pop(), None);
            log.asked();
        }
        assert_eq!(log.pop(), Some(Entry::Gap { from: 0, to: 3 }));
        assert_eq!(log.pop(), line(3));
        assert_eq!(log.announce(9, 12), Some(Entry::Gap { from: 4, to: 9 }));
        assert_eq!(log.missing(), Some(9));
    }
}
