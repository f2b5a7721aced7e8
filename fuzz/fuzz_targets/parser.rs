//! Arbitrary text as a module's syntax: it is a module, or there is an error at a place within the
//! text. What is a module has a layout; that keeps its tokens, and its own layout is itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use obc::diagnostic::Report;
use obc::lexer::{Lexer, Token};
use obc::syntax::Arena;
use obc::{Source, format, parser};

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer::new(text);
    let next = || Some(lexer.next_token().0);
    std::iter::from_fn(next).take_while(|t| *t != Token::EndOfText).collect()
}

/// Tokens up to the end of the module; what follows is no part of it.
fn module(text: &str) -> Vec<Token<'_>> {
    let all = tokens(text);
    let end = all.windows(3).position(|w| {
        matches!(w, [Token::End, Token::Ident(_), Token::Period])
    });
    all[..end.map_or(all.len(), |at| at + 3)].to_vec()
}

fuzz_target!(|data: &[u8]| {
    let source = Source::new("Fuzz.Mod", String::from_utf8_lossy(data));
    let mut report = Report::new(&source);
    let arena = Arena::new();
    let parsed = parser::parse(&source.text, &arena, &mut report);
    let sound = parsed.is_some() && !report.has_errors();
    let errors = report.finish();
    assert!(parsed.is_some() || !errors.is_empty(), "refused without an error");
    for error in &errors {
        assert!(error.span.start as usize <= source.text.len(), "{error}");
        assert!(error.line >= 1 && error.column >= 1 && !error.to_string().is_empty());
    }
    let layout = format::format(&source);
    assert_eq!(layout.is_ok(), sound);
    if let Ok(once) = layout {
        assert_eq!(module(&once), module(&source.text));
        let again = Source::new("Fuzz.Mod", once.as_str());
        assert_eq!(format::format(&again).as_ref(), Ok(&once), "a layout of a layout");
    }
});
