//! What a machine says on its serial line, line by line, and between it what was done to it.

use std::collections::VecDeque;

use kube_sniff::mask;

/// Lines that are kept.
const LINES: usize = 5_000;
/// A line that does not end is shown in pieces of that many bytes.
const LINE_BYTES: usize = 1_024;

/// Whose words a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// The machine's.
    Machine,
    /// Typed to it.
    Typed,
    /// What has happened to it.
    Note,
}

/// A log.
#[derive(Clone, Debug, Default)]
pub struct Log {
    lines: VecDeque<(Voice, String)>,
    partial: Vec<u8>,
    /// Bytes of the machine's own log that have been taken.
    taken: usize,
}

impl Log {
    /// Takes in what is new in all that the machine has written.
    pub fn take(&mut self, all: &str) {
        for &byte in all.as_bytes().get(self.taken..).unwrap_or_default() {
            match byte {
                b'\r' | b'\n' => self.end_line(),
                byte => self.partial.push(byte),
            }
            if self.partial.len() >= LINE_BYTES {
                self.end_line();
            }
        }
        self.taken = all.len();
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.partial);
        if !line.is_empty() {
            self.push(Voice::Machine, &mask::keys(&mask::printable(&line)));
        }
    }

    fn push(&mut self, voice: Voice, line: &str) {
        if self.lines.len() >= LINES {
            self.lines.pop_front();
        }
        self.lines.push_back((voice, line.to_owned()));
    }

    /// What somebody typed to the machine.
    pub fn typed(&mut self, line: &str) {
        self.push(Voice::Typed, &mask::keys(line));
    }

    /// What happened to the machine.
    pub fn note(&mut self, text: &str) {
        self.push(Voice::Note, text);
    }

    /// How many lines there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// At most `height` lines, the oldest first, of which the last has `scroll` lines after it.
    pub fn window(&self, height: usize, scroll: usize) -> impl Iterator<Item = (Voice, &str)> {
        let end = self.lines.len() - scroll.min(self.lines.len());
        let start = end.saturating_sub(height);
        self.lines.range(start..end).map(|(voice, line)| (*voice, line.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_safe_and_without_keys() {
        let mut log = Log::default();
        let mut all = "one\r\ntw".to_owned();
        log.take(&all);
        all.push_str("o\n\x1b[2Jbad\nKubeNet.Serve kube 00c0ffee\n");
        log.take(&all);
        log.take(&all);
        log.typed("Kube.Get");
        let lines: Vec<_> = log.window(9, 0).map(|line| line.1.to_owned()).collect();
        assert_eq!(lines, ["one", "two", "\\x1b[2Jbad", "KubeNet.Serve kube ****", "Kube.Get"]);
    }

    #[test]
    fn a_window_moves_and_never_leaves_the_log() {
        let mut log = Log::default();
        for line in ["a", "b", "c", "d"] {
            log.note(line);
        }
        let seen = |height, scroll| -> String { log.window(height, scroll).map(|l| l.1).collect() };
        assert_eq!((seen(2, 0), seen(2, 1), seen(2, 3)), ("cd".into(), "bc".into(), "a".into()));
        assert_eq!((seen(9, 0), seen(0, 0), seen(2, 99)), ("abcd".into(), "".into(), "".into()));
    }

    #[test]
    fn it_does_not_grow_without_bound() {
        let mut log = Log::default();
        log.take(&"x\n".repeat(LINES + 3));
        log.take(&"y".repeat(2 * (LINES + 3) + 3 * LINE_BYTES));
        assert!(log.len() <= LINES && log.partial.len() < LINE_BYTES);
    }
}
