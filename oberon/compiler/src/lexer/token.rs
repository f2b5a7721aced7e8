//! Tokens, and how keywords and symbols are written.

/// What a token is. Names and strings are parts of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "keywords and symbols speak for themselves")]
pub enum Token<'a> {
    /// A name, cut to the characters that count.
    Ident(&'a str),
    Int(i32),
    Real(u32),
    Char(u8),
    /// What stands between the quotes; [`string_bytes`] are the string's bytes, without the closing 0.
    String(&'a [u8]),
    /// What stands between the dollar signs; [`hex_bytes`] are all there is, no 0 is added.
    HexString(&'a [u8]),
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

pub(super) const KEYWORDS: [(&str, Token<'_>); 33] = [
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

pub(super) const SYMBOLS: [(&str, Token<'_>); 25] = [
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

/// For each byte the place of the symbol of so many characters that begins with it.
const fn symbols_by_first(length: usize) -> [u8; 256] {
    let mut table = [SYMBOLS.len() as u8; 256];
    let mut at = 0;
    while at < SYMBOLS.len() {
        let text = SYMBOLS[at].0.as_bytes();
        if text.len() == length {
            table[text[0] as usize] = at as u8;
        }
        at += 1;
    }
    table
}

pub(super) const SINGLE: [u8; 256] = symbols_by_first(1);
/// No two symbols of two characters begin with the same.
pub(super) const DOUBLE: [u8; 256] = symbols_by_first(2);

/// For each letter the place of the first keyword that begins with it or a later one.
pub(super) const FIRST_KEYWORD: [u8; 27] = {
    let mut table = [KEYWORDS.len() as u8; 27];
    let mut at = KEYWORDS.len();
    let mut letter = 26;
    while letter > 0 {
        letter -= 1;
        while at > 0 && KEYWORDS[at - 1].0.as_bytes()[0] >= b'A' + letter as u8 {
            at -= 1;
        }
        table[letter] = at as u8;
    }
    table
};

/// The bytes of a [`Token::String`]: control characters do not count.
pub fn string_bytes(written: &[u8]) -> impl Iterator<Item = u8> {
    written.iter().copied().filter(|b| *b >= b' ')
}

/// The bytes of a [`Token::HexString`].
pub fn hex_bytes(written: &[u8]) -> impl Iterator<Item = u8> {
    let mut digits = written.iter().filter(|b| **b > b' ').map(|b| hex_digit(*b));
    std::iter::from_fn(move || Some((digits.next()? << 4 | digits.next()?) as u8))
}

pub(super) fn hex_digit(byte: u8) -> u32 {
    char::from(byte).to_digit(16).unwrap_or(0)
}

impl Token<'_> {
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
