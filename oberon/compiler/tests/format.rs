//! The layout of every module of the repository: formatting twice is formatting once, and tokens
//! and comments stay what they are.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::{Path, PathBuf};

use obc::lexer::{Lexer, Token};
use obc::{Source, format};

fn modules(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            modules(&path, out);
        } else if path.extension().is_some_and(|e| e == "Mod") {
            out.push(path);
        }
    }
}

/// The tokens, and every character of the comments.
fn substance(text: &str) -> (Vec<Token<'_>>, String) {
    let mut lexer = Lexer::new(text);
    let mut tokens = Vec::new();
    let (mut comments, mut at) = (String::new(), 0);
    loop {
        let (token, span) = lexer.next_token();
        comments.extend(text[at..span.start as usize].split_whitespace());
        at = span.end as usize;
        if token == Token::EndOfText {
            return (tokens, comments);
        }
        tokens.push(token);
    }
}

#[test]
fn every_module_keeps_its_tokens_and_its_second_layout_is_its_first() {
    let mut paths = Vec::new();
    modules(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")), &mut paths);
    assert!(paths.len() > 20, "{} modules", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        let Ok(once) = format::format(&Source::new(&name, &text)) else {
            // Cases of errors have no layout.
            assert!(name.contains("compiler/tests"), "{name} has syntax errors");
            continue;
        };
        assert_eq!(substance(&once), substance(&text), "{name}");
        let twice = format::format(&Source::new(&name, &once)).unwrap();
        assert_eq!(twice, once, "{name}");
    }
}
