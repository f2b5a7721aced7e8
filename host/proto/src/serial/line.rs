//! Lines of text: what a tool sends, and what a machine sends, as a person, a tool or neither.

use core::fmt::{self, Write};

use super::{CHECK_MARK, LINE_END, LOG_MARK, TOOL_LINE_MAX, TOOL_MARK, sum};

const CHECK_CHARS: usize = 8;

/// A line that a machine has sent, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// An answer to a tool, whole.
    Answer(Answer<'a>),
    /// A marked line of the log, whole.
    Log {
        /// Its number since the machine's start.
        number: u32,
        /// Its text.
        text: &'a str,
    },
    /// A line for a person: the log while no tool holds the line, or an answer to typed text.
    Plain(&'a [u8]),
    /// A tool's line or a marked one that is not whole.
    Damaged,
}

/// An answer: `#<session> <sequence> <word> <rest> *<check>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Session of the tool that is meant.
    pub session: u32,
    /// Sequence number that is answered.
    pub sequence: u32,
    /// One of [`super::WORDS`].
    pub word: &'a str,
    /// What follows it.
    pub rest: &'a str,
}

impl<'a> Line<'a> {
    /// Sorts a line, without its CR and LF.
    #[must_use]
    pub fn parse(line: &'a [u8]) -> Self {
        match line.first() {
            Some(&TOOL_MARK) => {
                without_check(line).and_then(Answer::parse).map_or(Self::Damaged, Self::Answer)
            }
            Some(&LOG_MARK) => without_check(line).and_then(log).unwrap_or(Self::Damaged),
            _ => Self::Plain(line),
        }
    }
}

impl<'a> Answer<'a> {
    /// Reads a tool's line or its answer, whose check has been taken off.
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.strip_prefix(char::from(TOOL_MARK))?.splitn(4, ' ');
        let session = hex(parts.next()?)?;
        let sequence = parts.next()?.parse().ok()?;
        let word = parts.next()?;
        Some(Self { session, sequence, word, rest: parts.next().unwrap_or_default() })
    }

    /// The numbers of the rest, as many as there are before something else comes.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + 'a {
        self.rest.split(' ').map_while(|text| text.parse().ok())
    }
}

fn log(text: &str) -> Option<Line<'_>> {
    let (number, text) = text.strip_prefix(char::from(LOG_MARK))?.split_once(' ')?;
    Some(Line::Log { number: number.parse().ok()?, text })
}

/// Takes the check off; `None` unless it is right.
pub(crate) fn without_check(line: &[u8]) -> Option<&str> {
    let (text, check) = line.split_at_checked(line.len().checked_sub(CHECK_CHARS)?)?;
    let text = text.strip_suffix(&[b' ', CHECK_MARK])?;
    let check = hex(core::str::from_utf8(check).ok()?)?;
    (sum(text) == check).then_some(text).and_then(|text| core::str::from_utf8(text).ok())
}

/// Eight hexadecimal digits, lower case.
fn hex(digits: &str) -> Option<u32> {
    let good = digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    (good && digits.len() == CHECK_CHARS).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// A line that does not fit [`TOOL_LINE_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line of more than {TOOL_LINE_MAX} characters: shorten the command")]
pub struct TooLong;

/// A tool's line with its check and its end.
#[derive(Clone, Copy, Debug)]
pub struct ToolLine {
    bytes: [u8; TOOL_LINE_MAX + 1],
    len: usize,
}

impl ToolLine {
    /// Writes a line; `text` is the word and what follows it.
    ///
    /// # Errors
    /// [`TooLong`].
    pub fn new(session: u32, sequence: u32, text: fmt::Arguments<'_>) -> Result<Self, TooLong> {
        let mut line = Self { bytes: [0; TOOL_LINE_MAX + 1], len: 0 };
        write!(line, "{}{session:08x} {sequence} {text}", char::from(TOOL_MARK))
            .map_err(|fmt::Error| TooLong)?;
        let check = sum(line.bytes());
        write!(line, " {}{check:08x}", char::from(CHECK_MARK)).map_err(|fmt::Error| TooLong)?;
        line.bytes[line.len] = LINE_END;
        line.len += 1;
        Ok(line)
    }

    /// The bytes to send.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Write for ToolLine {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        // One place is left for the line's end.
        let to = self.bytes[..TOOL_LINE_MAX].get_mut(self.len..end).ok_or(fmt::Error)?;
        to.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    #[test]
    fn a_tools_line_reads_back() {
        let line = ToolLine::new(0x5F3A, 7, format_args!("run System.Watch x y")).expect("short");
        let text = line.bytes().strip_suffix(b"\n").expect("its end");
        assert!(text.starts_with(b"#00005f3a 7 run System.Watch x y *"));
        let wanted = Answer { session: 0x5F3A, sequence: 7, word: "run", rest: "System.Watch x y" };
        assert_eq!(Line::parse(text), Line::Answer(wanted));
    }

    #[test]
    fn the_longest_command_fits_and_more_is_refused() {
        let longest = "x".repeat(super::super::COMMAND_MAX);
        let line = ToolLine::new(u32::MAX, 999_999_999, format_args!("run {longest}"));
        assert!(line.is_ok_and(|line| line.bytes().len() <= TOOL_LINE_MAX));
        let longer = "x".repeat(TOOL_LINE_MAX);
        assert_eq!(ToolLine::new(1, 1, format_args!("run {longer}")).err(), Some(TooLong));
    }

    #[test]
    fn logs_numbers_and_plain_lines_are_told_apart() {
        let text = "|12 boot: Kube.Pods";
        let marked = format!("{text} *{:08x}", sum(text.as_bytes()));
        assert_eq!(
            Line::parse(marked.as_bytes()),
            Line::Log { number: 12, text: "boot: Kube.Pods" }
        );
        assert_eq!(Line::parse(text.as_bytes()), Line::Damaged);
        assert_eq!(Line::parse(b"boot: Kube.Pods"), Line::Plain(b"boot: Kube.Pods"));
        assert_eq!(Line::parse(b""), Line::Plain(b""));
        for bad in ["#", "# *00000000", "|", "| *", "#1 2 *zzzzzzzz", "|x *83dcefb7"] {
            assert_eq!(Line::parse(bad.as_bytes()), Line::Damaged, "{bad}");
        }
    }

    #[test]
    fn one_byte_lost_doubled_or_flipped_is_never_another_answer() {
        let line = ToolLine::new(0x5F3A_91C2, 3, format_args!("done 12 15")).expect("short");
        let good = &line.bytes()[..line.bytes().len() - 1];
        let is_answer = |bytes: &[u8]| matches!(Line::parse(bytes), Line::Answer(_));
        assert!(is_answer(good));
        for at in 0..good.len() {
            let mut lost = good.to_vec();
            lost.remove(at);
            assert!(!is_answer(&lost), "lost {at}");
            let mut doubled = good.to_vec();
            doubled.insert(at, good[at]);
            assert!(!is_answer(&doubled), "doubled {at}");
            for bit in 0..8 {
                let mut flipped = good.to_vec();
                flipped[at] ^= 1 << bit;
                assert!(!is_answer(&flipped), "flipped {at}.{bit}");
            }
        }
    }
}
