//! Positions in a source text and the errors reported about it.
//!
//! A diagnostic carries everything needed to show it, so that it may outlive its source. Its
//! `Display` form shows the line with a caret below:
//!
//! ```text
//! error: X is not declared
//!   --> Demo.Mod:3:7
//!    |
//!  3 |   y := X + 1
//!    |        ^
//!    = help: declare it, or import the module that exports it
//! ```

use std::fmt;

use crate::Source;

/// A range of bytes in a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Byte after the last one.
    pub end: u32,
}

impl Span {
    /// The range from `start` to before `end`.
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// An error at a place in a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// File name of the source.
    pub file: String,
    /// Where, in bytes from the start of the text.
    pub span: Span,
    /// Line, from 1.
    pub line: u32,
    /// Byte in the line, from 1.
    pub column: u32,
    /// The line, without its end.
    pub source_line: String,
    /// What is wrong, and why.
    pub message: String,
    /// What to do about it, where that is not obvious.
    pub help: Option<String>,
}

/// Longest part of a source line that is shown.
const SHOWN: usize = 160;

impl Diagnostic {
    /// The part of the line around the error, and the byte in it where the error starts.
    fn excerpt(&self) -> (String, usize) {
        let line = &self.source_line;
        let at = (self.column as usize).saturating_sub(1).min(line.len());
        if line.len() <= SHOWN {
            return (line.clone(), at);
        }
        let mut start = at.saturating_sub(SHOWN / 2);
        while !line.is_char_boundary(start) {
            start += 1;
        }
        let mut end = (start + SHOWN).min(line.len());
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        let (before, after) =
            (if start > 0 { "..." } else { "" }, if end < line.len() { "..." } else { "" });
        (format!("{before}{}{after}", &line[start..end]), at - start + before.len())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        let (line, before) = self.excerpt();
        let before = before.min(line.len());
        // Tabs stay tabs below the line, so that the caret stands where the reader sees the text.
        let indent: String = String::from_utf8_lossy(&line.as_bytes()[..before])
            .chars()
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let width = (self.span.end.saturating_sub(self.span.start) as usize)
            .clamp(1, (line.len() - before).max(1));
        writeln!(f, "error: {}", self.message)?;
        writeln!(f, "{gutter} --> {}:{}:{}", self.file, self.line, self.column)?;
        writeln!(f, " {gutter} |")?;
        writeln!(f, " {number} | {line}")?;
        write!(f, " {gutter} | {indent}{}", "^".repeat(width))?;
        if let Some(help) = &self.help {
            write!(f, "\n {gutter} = help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// How many errors of one text are kept; the rest says nothing new.
const MAX_ERRORS: usize = 100;

/// Collects the errors of one source text.
#[derive(Debug)]
pub struct Report<'a> {
    source: &'a Source,
    errors: Vec<Diagnostic>,
}

impl<'a> Report<'a> {
    /// An empty report about `source`.
    #[must_use]
    pub fn new(source: &'a Source) -> Self {
        Self { source, errors: Vec::new() }
    }

    /// Adds an error. A second one with the same start is dropped: it follows from the first.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(span, message.into(), None);
    }

    /// Adds an error together with its remedy.
    pub fn error_with_help(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(span, message.into(), Some(help.into()));
    }

    fn push(&mut self, span: Span, message: String, help: Option<String>) {
        let known = self.errors.iter().any(|e| e.span.start == span.start);
        if known || self.errors.len() >= MAX_ERRORS {
            return;
        }
        self.errors.push(diagnose(self.source, span, message, help));
    }

    /// Something has been reported.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The errors in the order of their positions.
    #[must_use]
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.errors.sort_by_key(|e| (e.span.start, e.span.end));
        self.errors
    }
}

/// Builds a diagnostic: finds line, column and the text of the line.
#[must_use]
pub fn diagnose(source: &Source, span: Span, message: String, help: Option<String>) -> Diagnostic {
    let text = source.text.as_bytes();
    let at = (span.start as usize).min(text.len());
    let end_of_line = |b: &u8| *b == b'\n' || *b == b'\r';
    let start = text[..at].iter().rposition(end_of_line).map_or(0, |p| p + 1);
    let end = text[at..].iter().position(end_of_line).map_or(text.len(), |p| at + p);
    let mut line = 1;
    let mut previous = 0;
    for &byte in &text[..start] {
        // CR, LF and CR LF each end one line; Project Oberon's own texts use CR.
        if byte == b'\r' || (byte == b'\n' && previous != b'\r') {
            line += 1;
        }
        previous = byte;
    }
    Diagnostic {
        file: source.name.clone(),
        span,
        line,
        column: (at - start) as u32 + 1,
        source_line: String::from_utf8_lossy(&text[start..end]).into_owned(),
        message,
        help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_shows_its_line_with_a_caret() {
        let source = Source::new("Demo.Mod", "MODULE Demo;\r\n\ty := X + 1\rEND");
        let d = diagnose(
            &source,
            Span::new(20, 21),
            "X is not declared".into(),
            Some("declare it".into()),
        );
        assert_eq!((d.line, d.column), (2, 7));
        let shown = "error: X is not declared\n  --> Demo.Mod:2:7\n   |\n 2 | \ty := X + 1\n   | \t     ^\n   = help: declare it";
        assert_eq!(d.to_string(), shown);
    }

    #[test]
    fn a_position_past_the_end_is_shown_at_the_end() {
        let source = Source::new("E.Mod", "MODULE E;");
        let d = diagnose(&source, Span::new(99, 120), "text ends".into(), None);
        assert_eq!((d.line, d.column), (1, 10));
        assert!(d.to_string().ends_with("         ^"));
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let text = format!("{}X{}", "ä ".repeat(200), " b".repeat(200));
        let source = Source::new("L.Mod", text);
        let d = diagnose(&source, Span::new(600, 601), "here".into(), None);
        let shown = d.to_string();
        let line = shown.lines().find(|l| l.contains("X")).unwrap();
        assert!(line.len() < 200 && line.starts_with(" 1 | ...") && line.ends_with("..."));
    }

    #[test]
    fn errors_come_in_the_order_of_their_positions() {
        let source = Source::new("E.Mod", "MODULE E;");
        let mut report = Report::new(&source);
        report.error(Span::new(7, 8), "second");
        report.error(Span::new(0, 6), "first");
        report.error(Span::new(7, 9), "follows from the second");
        let messages: Vec<_> = report.finish().into_iter().map(|d| d.message).collect();
        assert_eq!(messages, ["first", "second"]);
    }
}
