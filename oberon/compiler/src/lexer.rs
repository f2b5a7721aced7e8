//! Text to tokens.
//!
//! Lexical errors are tokens too: the parser reports them where it meets them, so that whatever
//! follows the module's final period is free text, as in Project Oberon.
//!
//! Source: the report "The Programming Language Oberon" (Revision 1.10.2013/3.5.2016), section 3,
//! with the limits of the Project Oberon compiler (identifiers significant in 31 characters, 16
//! digits a number, 255 characters a string).

use compact_str::CompactString as Name;

use crate::diagnostic::Span;

/// Characters of an identifier that count.
pub const IDENT_CHARS: usize = 31;
const NUMBER_DIGITS: usize = 16;
const STRING_CHARS: usize = 255;
/// Hexadecimal strings hold tables, which are longer.
const HEX_BYTES: usize = 4095;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "keywords and symbols speak for themselves")]
pub enum Token {
    Ident(Name),
    Int(i32),
    Real(u32),
    Char(u8),
    /// Bytes of a string, without the closing 0 unless a hexadecimal string wrote one.
    String(Vec<u8>),
    /// A hexadecimal string: its bytes are all there is, no 0 is added.
    HexString(Vec<u8>),
    Array,
    Begin,
    By,
    Case,
    Const,
    Div,
    Do,
    Else,
    Elsif,
    End,
    False,
    For,
    If,
    Import,
    In,
    Is,
    Mod,
    Module,
    Nil,
    Of,
    Or,
    Pointer,
    Procedure,
    Record,
    Repeat,
    Return,
    Then,
    To,
    True,
    Type,
    Until,
    Var,
    While,
    Plus,
    Minus,
    Times,
    Slash,
    And,
    Not,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Arrow,
    Period,
    DotDot,
    Comma,
    Colon,
    Becomes,
    Semicolon,
    Bar,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    /// A lexical error with its message.
    Bad(&'static str),
    EndOfText,
}

const KEYWORDS: [(&str, Token); 33] = [
    ("ARRAY", Token::Array),
    ("BEGIN", Token::Begin),
    ("BY", Token::By),
    ("CASE", Token::Case),
    ("CONST", Token::Const),
    ("DIV", Token::Div),
    ("DO", Token::Do),
    ("ELSE", Token::Else),
    ("ELSIF", Token::Elsif),
    ("END", Token::End),
    ("FALSE", Token::False),
    ("FOR", Token::For),
    ("IF", Token::If),
    ("IMPORT", Token::Import),
    ("IN", Token::In),
    ("IS", Token::Is),
    ("MOD", Token::Mod),
    ("MODULE", Token::Module),
    ("NIL", Token::Nil),
    ("OF", Token::Of),
    ("OR", Token::Or),
    ("POINTER", Token::Pointer),
    ("PROCEDURE", Token::Procedure),
    ("RECORD", Token::Record),
    ("REPEAT", Token::Repeat),
    ("RETURN", Token::Return),
    ("THEN", Token::Then),
    ("TO", Token::To),
    ("TRUE", Token::True),
    ("TYPE", Token::Type),
    ("UNTIL", Token::Until),
    ("VAR", Token::Var),
    ("WHILE", Token::While),
];

const SYMBOLS: [(&str, Token); 25] = [
    // Longer symbols first: the first that fits is taken.
    ("..", Token::DotDot),
    (":=", Token::Becomes),
    ("<=", Token::LessEqual),
    (">=", Token::GreaterEqual),
    ("+", Token::Plus),
    ("-", Token::Minus),
    ("*", Token::Times),
    ("/", Token::Slash),
    ("&", Token::And),
    ("~", Token::Not),
    ("=", Token::Equal),
    ("#", Token::NotEqual),
    ("<", Token::Less),
    (">", Token::Greater),
    ("^", Token::Arrow),
    (".", Token::Period),
    (",", Token::Comma),
    (":", Token::Colon),
    (";", Token::Semicolon),
    ("|", Token::Bar),
    ("(", Token::LeftParen),
    (")", Token::RightParen),
    ("[", Token::LeftBracket),
    ("]", Token::RightBracket),
    ("{", Token::LeftBrace),
];

/// For each byte the place of the first symbol that begins with it.
const FIRST_SYMBOL: [u8; 256] = {
    let mut table = [SYMBOLS.len() as u8; 256];
    let mut at = SYMBOLS.len();
    while at > 0 {
        at -= 1;
        table[SYMBOLS[at].0.as_bytes()[0] as usize] = at as u8;
    }
    table
};

impl Token {
    /// How the token is written, for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Token::Ident(name) => format!("\"{name}\""),
            Token::Int(_) | Token::Real(_) => "a number".into(),
            Token::Char(_) => "a character".into(),
            Token::String(_) | Token::HexString(_) => "a string".into(),
            Token::RightBrace => "\"}\"".into(),
            Token::Bad(_) => "an unreadable symbol".into(),
            Token::EndOfText => "the end of the text".into(),
            other => KEYWORDS
                .iter()
                .chain(&SYMBOLS)
                .find(|(_, token)| token == other)
                .map_or_else(String::new, |(text, _)| format!("\"{text}\"")),
        }
    }
}

/// Reads one token after the other.
#[derive(Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
    }

    /// The next token and where it stands.
    pub fn next_token(&mut self) -> (Token, Span) {
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

    /// Skips blanks and comments, which nest; `Err` is the start of a comment without end.
    fn skip_blanks(&mut self) -> Result<(), usize> {
        let mut depth = 0;
        let mut open = 0;
        while self.at < self.text.len() {
            match (self.peek(0), self.peek(1)) {
                (b'(', b'*') => {
                    if depth == 0 {
                        open = self.at;
                    }
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b')') if depth > 0 => {
                    depth -= 1;
                    self.at += 2;
                }
                (0..=b' ', _) => self.at += 1,
                _ if depth > 0 => self.at += 1,
                _ => break,
            }
        }
        if depth > 0 { Err(open) } else { Ok(()) }
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'a [u8] {
        let start = self.at;
        while self.at < self.text.len() && accept(self.text[self.at]) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn scan(&mut self) -> Token {
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

    fn word(&mut self) -> Token {
        let word = self.take_while(|b| b.is_ascii_alphanumeric());
        // Keywords are capitals; the table is in the order of the alphabet.
        if word.len() > 1
            && word[1].is_ascii_uppercase()
            && let Ok(at) = KEYWORDS.binary_search_by(|(text, _)| text.as_bytes().cmp(word))
        {
            return KEYWORDS[at].1.clone();
        }
        let counts = &word[..word.len().min(IDENT_CHARS)];
        Token::Ident(Name::from_utf8_lossy(counts))
    }

    fn symbol(&mut self) -> Token {
        let rest = &self.text[self.at..];
        let first = usize::from(FIRST_SYMBOL[usize::from(rest[0])]);
        for (text, token) in SYMBOLS.iter().skip(first) {
            if rest.starts_with(text.as_bytes()) {
                self.at += text.len();
                return token.clone();
            }
        }
        self.at += 1;
        self.take_while(|b| b >= 0x80);
        Token::Bad("this character has no meaning here")
    }

    fn number(&mut self) -> Token {
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

    fn real(&mut self, whole: &[u8]) -> Token {
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

    fn string(&mut self) -> Token {
        self.at += 1;
        let text = self.take_while(|b| b != b'"' && b != b'\n' && b != b'\r');
        if self.peek(0) != b'"' {
            return Token::Bad("string is not closed on its line");
        }
        self.at += 1;
        if text.len() > STRING_CHARS {
            return Token::Bad("string has more than 255 characters");
        }
        Token::String(text.iter().copied().filter(|b| *b >= b' ').collect())
    }

    fn hex_string(&mut self) -> Token {
        self.at += 1;
        let mut bytes = Vec::new();
        let mut high = None;
        loop {
            let byte = self.peek(0);
            if self.at >= self.text.len() {
                return Token::Bad("hexadecimal string is not closed: \"$\" is missing");
            }
            self.at += 1;
            match (byte, high) {
                (b'$', None) => break,
                (b'$', Some(_)) => return Token::Bad("hexadecimal string has an odd digit"),
                (b'0'..=b'9' | b'A'..=b'F', None) => high = Some(hex_digit(byte)),
                (b'0'..=b'9' | b'A'..=b'F', Some(h)) => {
                    bytes.push((h << 4 | hex_digit(byte)) as u8);
                    high = None;
                }
                (0..=b' ', None) => {}
                _ => return Token::Bad("hexadecimal string holds something else than digit pairs"),
            }
        }
        if bytes.is_empty() || bytes.len() > HEX_BYTES {
            return Token::Bad("hexadecimal string must have 1 to 4095 bytes");
        }
        Token::HexString(bytes)
    }
}

fn hex_digit(byte: u8) -> u32 {
    char::from(byte).to_digit(16).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
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
        assert_eq!(tokens("(* a (* \" *) b *) x (**)"), [Token::Ident("x".into())]);
        assert!(matches!(tokens("x (* (* *)")[1], Token::Bad(_)));
    }

    #[test]
    fn strings_end_on_their_line() {
        assert_eq!(tokens("\"ab\""), [Token::String(b"ab".to_vec())]);
        assert_eq!(tokens("$41 4200$"), [Token::HexString(vec![0x41, 0x42, 0])]);
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
