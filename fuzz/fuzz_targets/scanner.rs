//! Arbitrary text, token by token: every token takes some text, none reaches beyond it, and what
//! one says about the number of its bytes is true.

#![no_main]

use libfuzzer_sys::fuzz_target;
use obc::lexer::{IDENT_CHARS, Lexer, Token, hex_bytes, string_bytes};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut lexer = Lexer::new(&text);
    let mut at = 0;
    loop {
        let (token, span) = lexer.next_token();
        let (start, end) = (span.start as usize, span.end as usize);
        if token == Token::EndOfText {
            break;
        }
        if let Token::Bad("comment is not closed: \"*)\" is missing") = token {
            // It has taken the rest of the text.
            assert_eq!(lexer.next_token().0, Token::EndOfText);
            break;
        }
        assert!(at <= start && start < end && end <= text.len(), "{token:?} at {start}..{end}");
        let written = &text.as_bytes()[start..end];
        match &token {
            Token::Ident(name) => {
                assert_eq!(name.as_bytes(), &written[..written.len().min(IDENT_CHARS)]);
            }
            Token::String(text) => {
                assert_eq!(text.len() + 2, written.len());
                assert!(string_bytes(text).count() <= text.len());
            }
            Token::HexString(text) => {
                assert_eq!(text.len() + 2, written.len());
                let digits = text.iter().filter(|b| **b > b' ').count();
                assert_eq!(2 * hex_bytes(text).count(), digits);
            }
            _ => {}
        }
        at = end;
    }
});
