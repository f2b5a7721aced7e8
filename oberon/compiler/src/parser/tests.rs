//! What the parser accepts, what it reports, and that it always comes to an end.

use super::*;
use crate::Source;

fn errors(text: &str) -> Vec<(u32, String)> {
    let source = Source::new("T.Mod", text);
    let mut report = Report::new(&source);
    parse(&source.text, &Arena::new(), &mut report);
    report.finish().into_iter().map(|d| (d.span.start, d.message)).collect()
}

#[test]
fn a_module_with_everything_parses_without_errors() {
    let text = "MODULE* T; IMPORT SYSTEM, A := B; CONST c* = -1; TYPE P* = POINTER TO R; \
        R* = RECORD (A.R) a*, b: ARRAY 3, c OF CHAR; f: PROCEDURE (VAR x: ARRAY OF R): INTEGER END; \
        VAR x*, y: P; PROCEDURE* Int; BEGIN END Int; PROCEDURE F*(x: INTEGER): INTEGER; \
        PROCEDURE G; END G; BEGIN IF x > 1 THEN G ELSIF ~(x IN {1, 2..3}) THEN ELSE END; \
        WHILE x < 1 DO ELSIF x = 2 DO END; REPEAT UNTIL TRUE; FOR i := 0 TO 3 BY -1 DO END; \
        CASE p OF A.P: x | P: END; p(P).a[1, 2]^.z := $41$ RETURN x END F; BEGIN END T. trailing _";
    assert_eq!(errors(text), []);
}

#[test]
fn every_error_of_a_text_is_reported() {
    let text = "MODULE T; VAR a b: INTEGER; PROCEDURE P; BEGIN a := ; b := 1 + ; IF a THEN b END P; \
        PROCEDURE Q; BEGIN a = 1 END X; END U.";
    let found = errors(text);
    assert!(found.len() >= 6, "{found:?}");
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    for (open, close) in [("(", ")"), ("~", ""), ("{", "}"), ("a[", "]"), ("f(", ")")] {
        let body = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let found = errors(&format!("MODULE T; BEGIN x := {body} END T."));
        assert!(found[0].1.contains("nested"), "{open}: {found:?}");
    }
    for part in ["ARRAY 1 OF ", "POINTER TO ", "RECORD a: ", "PROCEDURE(a: ARRAY OF "] {
        let found = errors(&format!("MODULE T; TYPE T = {}", part.repeat(100_000)));
        assert!(!found.is_empty());
    }
    for part in ["PROCEDURE P; ", "BEGIN IF x THEN "] {
        assert!(!errors(&format!("MODULE T; {}", part.repeat(100_000))).is_empty());
    }
    for part in ["+ a ", "& a ", "OR a ", "DIV a "] {
        let found =
            errors(&format!("MODULE T; BEGIN x := a {} END T.", format!("{part} ").repeat(10_000)));
        assert!(found[0].1.contains("in a row"), "{part}");
    }
    for part in [".a", "^", "(T)", "[1]", "[1, 1]"] {
        let found = errors(&format!("MODULE T; BEGIN x{} := 1 END T.", part.repeat(10_000)));
        assert!(found[0].1.contains("in a row"), "{part}");
    }
}

#[test]
fn any_token_soup_comes_to_an_end() {
    let words = [
        "MODULE",
        "T",
        ";",
        "IMPORT",
        ",",
        "CONST",
        "=",
        "1",
        "TYPE",
        "RECORD",
        "END",
        "VAR",
        ":",
        "PROCEDURE",
        "(",
        ")",
        "BEGIN",
        "IF",
        "THEN",
        "ELSE",
        "CASE",
        "OF",
        "|",
        "RETURN",
        ".",
        "^",
        "[",
        "]",
        "{",
        "}",
        "..",
        "WHILE",
        "DO",
        "REPEAT",
        "UNTIL",
        "FOR",
        ":=",
        "TO",
        "_",
        "\"",
        "(*",
        "*)",
        "ARRAY",
        "POINTER",
        "+",
        "~",
        "*",
    ];
    let mut seed: u32 = 12345;
    for _ in 0..2000 {
        let mut text = String::from("MODULE T; ");
        for _ in 0..60 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(words[(seed >> 16) as usize % words.len()]);
            text.push(' ');
        }
        errors(&text);
    }
}
