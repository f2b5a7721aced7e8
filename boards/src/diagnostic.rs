//! An error at a place of a text, shown with the line that it stands in.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What is wrong at a place of a file, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The text of the line, without what may be a key.
    pub text: String,
    /// Characters that the error covers in that line, at least 1.
    pub width: usize,
    /// What is wrong.
    pub message: String,
    /// What helps.
    pub help: String,
}

/// Most characters of a line that are shown: those around the place.
const WINDOW: usize = 160;

impl Diagnostic {
    /// An error at bytes `span` of `source`.
    #[must_use]
    pub fn new(
        path: &Path,
        source: &str,
        span: Range<usize>,
        message: String,
        help: String,
    ) -> Self {
        let at = source.floor_char_boundary(span.start.min(source.len()));
        let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let text = source[start..].lines().next().unwrap_or("");
        let column = source[start..at].chars().count() + 1;
        let end = source.floor_char_boundary(span.end.min(start + text.len()));
        let width = source.get(at..end).map_or(1, |covered| covered.chars().count().max(1));
        let line = source[..start].matches('\n').count() + 1;
        let text = masked(text);
        Self { path: path.to_owned(), line, column, text, width, message, help }
    }
}

/// A line that sets a key is shown without it.
fn masked(line: &str) -> String {
    match line.split_once('=') {
        Some((name, _)) if name.trim() == "key" => format!("{name}= (not shown)"),
        _ => line.to_owned(),
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, text, width, message, .. } = self;
        let gutter = " ".repeat(line.to_string().len());
        // What a file holds may be no text at all: nothing of it reaches a terminal as a command.
        let plain = |ch: char| if ch.is_control() && ch != '\t' { '\u{fffd}' } else { ch };
        let all: Vec<char> = text.chars().map(plain).collect();
        let first = match all.len() > WINDOW {
            true => (column - 1).saturating_sub(WINDOW / 2),
            false => 0,
        };
        let part = &all[first.min(all.len())..all.len().min(first + WINDOW)];
        let text: String = part.iter().collect();
        let before = column - 1 - first;
        let blank = |ch: &char| if *ch == '\t' { '\t' } else { ' ' };
        let pad: String = part.iter().take(before).map(blank).collect();
        let marks = "^".repeat((*width).min(part.len().saturating_sub(before)).max(1));
        writeln!(f, "{}:{line}:{column}: {message}", path.display())?;
        write!(f, "{gutter} |\n{line} | {text}\n{gutter} | {pad}{marks}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked_in_its_line() {
        let source = "a = 1\nrol\u{e9} = \"nod\"\n";
        let span = 14..19;
        let found = Diagnostic::new(Path::new("f.toml"), source, span, "no".into(), "".into());
        assert_eq!((found.line, found.column, found.width), (2, 8, 5));
        let shown = "f.toml:2:8: no\n  |\n2 | rol\u{e9} = \"nod\"\n  |        ^^^^^";
        assert_eq!(found.to_string(), shown);
    }

    #[test]
    fn a_line_that_is_no_text_is_shown_as_one_and_in_part() {
        let source = format!("{}\u{1b}[31m\u{7}", "x".repeat(5_000));
        let found = Diagnostic::new(Path::new("f"), &source, 5_000..9_000, "no".into(), "".into());
        let shown = found.to_string();
        assert!(
            shown.len() < 400 && !shown.chars().any(|ch| ch.is_control() && ch != '\n'),
            "{shown}"
        );
        assert!(shown.ends_with("^^^^^^"), "{shown}");
    }

    #[test]
    fn keys_are_not_shown() {
        let source = "key = \"00c0ffee\"";
        let found = Diagnostic::new(Path::new("f"), source, 6..16, "no".into(), "".into());
        assert!(!found.to_string().contains("c0ffee"));
    }
}
