//! The line being typed, and those typed before.

/// Longest command that a machine takes on its serial line.
pub const LONGEST: usize = 255;
/// Lines that are remembered.
const REMEMBERED: usize = 100;

/// One step of editing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A character; only printable ASCII can be said to a machine.
    Insert(char),
    /// Takes the character before the cursor away.
    Backspace,
    /// Takes the character under the cursor away.
    Delete,
    /// One to the left.
    Left,
    /// One to the right.
    Right,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// Everything away.
    Clear,
    /// The line typed before this one.
    Earlier,
    /// The line typed after this one.
    Later,
}

/// An input line.
#[derive(Clone, Debug, Default)]
pub struct Input {
    text: String,
    cursor: usize,
    before: Vec<String>,
    /// Which of `before` is shown; behind its end is the new line.
    place: usize,
}

impl Input {
    /// The line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Characters before the cursor.
    #[must_use]
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Begins with an empty line.
    pub fn begin(&mut self) {
        self.show(String::new());
        self.place = self.before.len();
    }

    /// Ends the line and remembers it.
    pub fn take(&mut self) -> String {
        let line = std::mem::take(&mut self.text).trim().to_owned();
        self.cursor = 0;
        if !line.is_empty() && self.before.last() != Some(&line) {
            self.before.push(line.clone());
            if self.before.len() > REMEMBERED {
                self.before.remove(0);
            }
        }
        self.place = self.before.len();
        line
    }

    fn show(&mut self, text: String) {
        self.cursor = text.len();
        self.text = text;
    }

    /// Does one step; false if it cannot be done.
    pub fn edit(&mut self, edit: Edit) -> bool {
        match edit {
            Edit::Insert(' '..='~') if self.text.len() >= LONGEST => return false,
            Edit::Insert(letter @ ' '..='~') => {
                self.text.insert(self.cursor, letter);
                self.cursor += 1;
            }
            Edit::Insert(_) => return false,
            Edit::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.cursor);
            }
            Edit::Delete if self.cursor < self.text.len() => drop(self.text.remove(self.cursor)),
            Edit::Left if self.cursor > 0 => self.cursor -= 1,
            Edit::Right if self.cursor < self.text.len() => self.cursor += 1,
            Edit::Home => self.cursor = 0,
            Edit::End => self.cursor = self.text.len(),
            Edit::Clear => self.show(String::new()),
            Edit::Earlier if self.place > 0 => {
                self.place -= 1;
                self.show(self.before[self.place].clone());
            }
            Edit::Later if self.place < self.before.len() => {
                self.place += 1;
                self.show(self.before.get(self.place).cloned().unwrap_or_default());
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(input: &mut Input, text: &str) {
        assert!(text.chars().all(|letter| input.edit(Edit::Insert(letter))));
    }

    #[test]
    fn a_line_is_edited_in_place() {
        let mut input = Input::default();
        insert(&mut input, "Kub.Gett");
        for _ in 0..5 {
            input.edit(Edit::Left);
        }
        insert(&mut input, "e");
        input.edit(Edit::End);
        input.edit(Edit::Backspace);
        input.edit(Edit::Home);
        assert!(!input.edit(Edit::Backspace) && !input.edit(Edit::Left));
        assert_eq!((input.text(), input.cursor()), ("Kube.Get", 0));
        input.edit(Edit::Delete);
        assert_eq!(input.take(), "ube.Get");
    }

    #[test]
    fn only_what_a_machine_takes_is_typed() {
        let mut input = Input::default();
        assert!(!input.edit(Edit::Insert('\u{e4}')) && !input.edit(Edit::Insert('\x1b')));
        insert(&mut input, &"x".repeat(LONGEST));
        assert!(!input.edit(Edit::Insert('x')));
    }

    #[test]
    fn lines_come_back() {
        let mut input = Input::default();
        for line in ["one", "two", "two"] {
            input.begin();
            insert(&mut input, line);
            input.take();
        }
        input.begin();
        let mut seen = Vec::new();
        for edit in [Edit::Earlier, Edit::Earlier, Edit::Later, Edit::Later] {
            assert!(input.edit(edit));
            seen.push(input.text().to_owned());
        }
        assert_eq!(seen, ["two", "one", "two", ""]);
        assert!(!input.edit(Edit::Later));
    }
}
