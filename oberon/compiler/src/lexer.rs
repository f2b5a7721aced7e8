//! Text to tokens.
//!
//! Lexical errors are tokens too: the parser reports them where it meets them, so that whatever
//! follows the module's final period is free text, as in Project Oberon.
//!
//! Source: the report "The Programming Language Oberon" (Revision 1.10.2013/3.5.2016), section 3,
//! with the limits of the Project Oberon compiler (identifiers significant in 31 characters, 16
//! digits a number, 255 characters a string).

mod token;

use crate::diagnostic::Span;
use token::{DOUBLE, FIRST_KEYWORD, KEYWORDS, SINGLE, SYMBOLS, hex_digit};
pub use token::{Token, hex_bytes, string_bytes};

/// Characters of an identifier that count.
pub const IDENT_CHARS: usize = 31;
const NUMBER_DIGITS: usize = 16;
const STRING_CHARS: usize = 255;
/// Hexadecimal strings hold tables, which are longer.
const HEX_BYTES: usize = 4095;

/// Letters and digits.
const IN_WORDS: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = (at as u8).is_ascii_alphanumeric();
        at += 1;
    }
    table
};

/// Reads one token after the other.
#[derive(Debug)]
pub struct Lexer<'a> {
    source: &'a str,
    text: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { source: text, text: text.as_bytes(), at: 0 }
    }

    /// The next token and where it stands.
    pub fn next_token(&mut self) -> (Token<'a>, Span) {
        if let Err(open) = self.skip_blanks() {
            let span = Span::new(open as u32, open as u32 + 2);
            return (Token::Bad("comment is not closed: \"*)\" is missing"), span);
        }
        let start = self.at;
        let token = self.scan();
        (token, Span::new(start as u32, self.at as u32))
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks and comments; `Err` is the start of a comment without end.
    fn skip_blanks(&mut self) -> Result<(), usize> {
        loop {
            self.take_while(|b| b <= b' ');
            if self.peek(0) != b'(' || self.peek(1) != b'*' {
                return Ok(());
            }
            self.skip_comment()?;
        }
    }

    /// Skips a comment and those in it.
    fn skip_comment(&mut self) -> Result<(), usize> {
        let open = self.at;
        let mut depth = 0;
        while self.at < self.text.len() {
            match (self.text[self.at], self.peek(1)) {
                (b'(', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b')') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => {
                    self.at += 1;
                    self.take_while(|b| b != b'(' && b != b'*');
                }
            }
        }
        Err(open)
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|b| !accept(*b)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn scan(&mut self) -> Token<'a> {
        match self.peek(0) {
            _ if self.at >= self.text.len() => Token::EndOfText,
            b'A'..=b'Z' | b'a'..=b'z' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'$' => self.hex_string(),
            b'}' => {
                self.at += 1;
                Token::RightBrace
            }
            _ => self.symbol(),
        }
    }

    fn word(&mut self) -> Token<'a> {
        let start = self.at;
        let word = self.take_while(|b| IN_WORDS[usize::from(b)]);
        // Keywords are capitals, and have two letters at least.
        if word.len() > 1 && word[0].is_ascii_uppercase() && word[1].is_ascii_uppercase() {
            let letter = usize::from(word[0] - b'A');
            let (from, to) = (FIRST_KEYWORD[letter], FIRST_KEYWORD[letter + 1]);
            let those = &KEYWORDS[usize::from(from)..usize::from(to)];
            if let Some((_, token)) = those.iter().find(|(text, _)| text.as_bytes() == word) {
                return *token;
            }
        }
        let end = start + word.len().min(IDENT_CHARS);
        Token::Ident(self.source.get(start..end).unwrap_or_default())
    }

    fn symbol(&mut self) -> Token<'a> {
        let first = usize::from(self.text[self.at]);
        let double = SYMBOLS.get(usize::from(DOUBLE[first]));
        if let Some((text, token)) = double.filter(|(text, _)| text.as_bytes()[1] == self.peek(1)) {
            self.at += text.len();
            return *token;
        }
        self.at += 1;
        if let Some((_, token)) = SYMBOLS.get(usize::from(SINGLE[first])) {
            return *token;
        }
        self.take_while(|b| b >= 0x80);
        Token::Bad("this character has no meaning here")
    }

    fn number(&mut self) -> Token<'a> {
        let digits = self.take_while(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b));
        let suffix = self.peek(0);
        if matches!(suffix, b'H' | b'R' | b'X') {
            self.at += 1;
            if digits.len() > NUMBER_DIGITS {
                return Token::Bad("number has more than 16 digits");
            }
            let value = digits.iter().fold(0_u32, |v, d| v << 4 | hex_digit(*d));
            return match suffix {
                b'H' => Token::Int(value as i32),
                b'R' => Token::Real(value),
                _ if value <= 0xFF => Token::Char(value as u8),
                _ => Token::Bad("character code is above 0FFX"),
            };
        }
        if suffix == b'.' && self.peek(1) != b'.' {
            return self.real(digits);
        }
        if digits.len() > NUMBER_DIGITS {
            return Token::Bad("number has more than 16 digits");
        }
        if !digits.iter().all(u8::is_ascii_digit) {
            return Token::Bad("hexadecimal number without \"H\", \"R\" or \"X\" at its end");
        }
        let value = digits.iter().fold(0_u64, |v, d| v * 10 + u64::from(hex_digit(*d)));
        i32::try_from(value).map_or(
            Token::Bad("number is above 2147483647; write larger bit patterns in hexadecimal"),
            Token::Int,
        )
    }

    fn real(&mut self, whole: &[u8]) -> Token<'a> {
        self.at += 1;
        let fraction = self.take_while(|b| b.is_ascii_digit());
        let mut exponent = String::new();
        if matches!(self.peek(0), b'E' | b'D') {
            self.at += 1;
            if matches!(self.peek(0), b'+' | b'-') {
                exponent.push(char::from(self.peek(0)));
                self.at += 1;
            }
            let digits = self.take_while(|b| b.is_ascii_digit());
            if digits.is_empty() {
                return Token::Bad("exponent of a real number has no digits");
            }
            exponent.push_str(&String::from_utf8_lossy(digits));
        } else {
            exponent.push('0');
        }
        if !whole.iter().all(u8::is_ascii_digit) {
            return Token::Bad("real number has hexadecimal digits");
        }
        if whole.len() + fraction.len() > 2 * NUMBER_DIGITS {
            return Token::Bad("real number has more than 32 digits");
        }
        let text = format!(
            "{}.{}E{exponent}",
            String::from_utf8_lossy(whole),
            String::from_utf8_lossy(fraction)
        );
        match text.parse::<f32>() {
            Ok(value) if value.is_infinite() => Token::Bad("real number is above 3.4E38"),
            // The machine has no denormal numbers.
            Ok(value) if value < f32::MIN_POSITIVE => Token::Real(0),
            Ok(value) => Token::Real(value.to_bits()),
            Err(_) => Token::Bad("this is no real number"),
        }
    }

    fn string(&mut self) -> Token<'a> {
        self.at += 1;
        let text = self.take_while(|b| b != b'"' && b != b'\n' && b != b'\r');
        if self.peek(0) != b'"' {
            return Token::Bad("string is not closed on its line");
        }
        self.at += 1;
        if text.len() > STRING_CHARS {
            return Token::Bad("string has more than 255 characters");
        }
        Token::String(text)
    }

    fn hex_string(&mut self) -> Token<'a> {
        self.at += 1;
        let start = self.at;
        let mut digits = 0;
        loop {
            let Some(byte) = self.text.get(self.at) else {
                return Token::Bad("hexadecimal string is not closed: \"$\" is missing");
            };
            self.at += 1;
            let within_pair = digits % 2 != 0;
            match byte {
                b'$' if within_pair => return Token::Bad("hexadecimal string has an odd digit"),
                b'$' => break,
                b'0'..=b'9' | b'A'..=b'F' => digits += 1,
                0..=b' ' if !within_pair => {}
                _ => return Token::Bad("hexadecimal string holds something else than digit pairs"),
            }
        }
        if digits == 0 || digits > 2 * HEX_BYTES {
            return Token::Bad("hexadecimal string must have 1 to 4095 bytes");
        }
        Token::HexString(&self.text[start..self.at - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            match lexer.next_token().0 {
                Token::EndOfText => return out,
                token => out.push(token),
            }
        }
    }

    #[test]
    fn numbers_take_their_form_from_their_end() {
        let text = "12 0FFH 1FFFFFFFFH 0FFX 1..3 1.5 2.0D1 3F800000R";
        let expected = [
            Token::Int(12),
            Token::Int(255),
            Token::Int(-1),
            Token::Char(255),
            Token::Int(1),
            Token::DotDot,
            Token::Int(3),
            Token::Real(0x3FC0_0000),
            Token::Real(0x41A0_0000),
            Token::Real(0x3F80_0000),
        ];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn numbers_out_of_range_are_errors() {
        for text in [
            "2147483648",
            "100X",
            "12345678901234567",
            "0A",
            "1.0E39",
            "1.0E",
            "99999999999999999999999999999999999999999",
        ] {
            assert!(matches!(tokens(text)[0], Token::Bad(_)), "{text}");
        }
    }

    #[test]
    fn identifiers_count_in_31_characters() {
        let long = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop";
        assert_eq!(tokens(long), tokens("abcdefghijklmnopqrstuvwxyzabcdeZZZ"));
    }

    #[test]
    fn comments_nest_and_know_no_strings() {
        assert_eq!(tokens("(* a (* \" *) b *) x (**)"), [Token::Ident("x")]);
        assert!(matches!(tokens("x (* (* *)")[1], Token::Bad(_)));
    }

    #[test]
    fn strings_end_on_their_line() {
        assert_eq!(tokens("\"a\tb\""), [Token::String(b"a\tb")]);
        assert_eq!(string_bytes(b"a\tb").collect::<Vec<_>>(), b"ab");
        assert_eq!(tokens("$41 4200$"), [Token::HexString(b"41 4200")]);
        assert_eq!(hex_bytes(b"41 4200").collect::<Vec<_>>(), [0x41, 0x42, 0]);
        for text in ["\"ab\n\"", "$4$", "$4G$", "$41", "_"] {
            assert!(matches!(tokens(text)[0], Token::Bad(_)), "{text}");
        }
    }

    #[test]
    fn every_keyword_and_symbol_is_described_by_its_text() {
        for (text, token) in KEYWORDS.iter().chain(&SYMBOLS) {
            assert_eq!(tokens(text), std::slice::from_ref(token));
            assert_eq!(token.describe(), format!("\"{text}\""));
        }
    }
}
