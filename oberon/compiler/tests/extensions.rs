//! Extensions of the language: what they do when they are asked for, and that texts which need one
//! are refused otherwise, with a hint that names the flag.

#![allow(clippy::unwrap_used, reason = "a test")]

mod running;

use obc::ir::passes::Passes;
use obc::{Diagnostic, Extensions, NoSymbols, Options, Source, project};
use running::{Outcome, execute, ran};

fn with(extensions: Extensions) -> Options {
    Options { extensions, ..Options::default() }
}

fn build(sources: &[Source], options: &Options) -> Result<Vec<obc::Compiled>, Vec<Diagnostic>> {
    let mut all = vec![Source::new("RT.Mod", include_str!("cases/RT.Mod"))];
    all.extend_from_slice(sources);
    all.push(Source::new("Main.Mod", "MODULE Main; IMPORT RT, T; END Main."));
    project::build_with(&all, &NoSymbols, options)
}

fn module(procedures: &str, body: &str) -> Source {
    let text = format!(
        "MODULE T; IMPORT RT; VAR g: INTEGER; {procedures} \
         PROCEDURE Run*; VAR i, n: INTEGER; c: CHAR; BEGIN {body} END Run; END T."
    );
    Source::new("T.Mod", text)
}

/// What a program does, which must be the same with and without the passes of the compiler.
fn run(procedures: &str, body: &str, extensions: Extensions) -> Outcome {
    let outcome = |passes| {
        let options = Options { passes, ..with(extensions) };
        match build(&[module(procedures, body)], &options) {
            Ok(built) => execute(&built, "T"),
            Err(errors) => panic!("{}", errors[0]),
        }
    };
    let direct = outcome(Passes::none());
    assert_eq!(outcome(Passes::all()), direct, "{body}");
    direct
}

/// The first error, and its help.
fn refusal(procedures: &str, body: &str, extensions: Extensions) -> (String, String) {
    let errors = build(&[module(procedures, body)], &with(extensions)).unwrap_err();
    (errors[0].message.clone(), errors[0].help.clone().unwrap_or_default())
}

const CASE: Extensions = Extensions { case: true, strings: false };
const STRINGS: Extensions = Extensions { case: false, strings: true };
const NONE: Extensions = Extensions { case: false, strings: false };

const NAME: &str = "PROCEDURE Kind(x: INTEGER): INTEGER; VAR k: INTEGER; BEGIN \
     CASE x OF 1: k := 10 | 2, 5..7, 9: k := 20 | -3..-1: k := 30 | 80000000H: k := 40 \
     | 7FFFFFFFH: k := 50 ELSE k := 0 END RETURN k END Kind;";

#[test]
fn a_case_on_numbers_takes_the_arm_that_fits() {
    let body = "FOR i := -4 TO 10 DO RT.Int(Kind(i)) END; \
                RT.Int(Kind(80000000H)); RT.Int(Kind(7FFFFFFFH)); RT.Int(Kind(7FFFFFFEH))";
    let expected = "0;30;30;30;0;10;20;0;0;20;20;20;0;20;0;40;50;0;";
    assert_eq!(run(NAME, body, CASE), ran(expected));
}

#[test]
fn a_case_on_characters_and_bytes() {
    let letters = "PROCEDURE C(c: CHAR): INTEGER; VAR k: INTEGER; BEGIN \
         CASE c OF \"a\"..\"z\": k := 1 | \"A\"..\"Z\", \"_\": k := 2 | 0X: k := 3 | 0FFX: k := 4 \
         ELSE k := 0 END RETURN k END C; \
         PROCEDURE B(b: BYTE): INTEGER; VAR k: INTEGER; BEGIN k := 0; \
         CASE b OF 0: k := 1 | 255: k := 2 ELSE END RETURN k END B;";
    let body = "c := \"q\"; RT.Int(C(c)); RT.Int(C(\"Z\")); RT.Int(C(\"_\")); RT.Int(C(0X)); \
                RT.Int(C(0FFX)); RT.Int(C(\" \")); RT.Int(B(0)); RT.Int(B(255)); RT.Int(B(7))";
    assert_eq!(run(letters, body, CASE), ran("1;2;2;3;4;0;1;2;0;"));
}

#[test]
fn the_value_of_a_case_is_computed_once() {
    let next = "PROCEDURE Next(): INTEGER; BEGIN INC(g) RETURN g END Next;";
    let body = "g := 0; CASE Next() OF 2: RT.Int(2) | 1: RT.Int(1) ELSE RT.Int(0) END; RT.Int(g); \
                CASE Next() + Next() OF 5: RT.Int(5) ELSE RT.Int(0) END; RT.Int(g)";
    assert_eq!(run(next, body, CASE), ran("1;1;5;3;"));
}

#[test]
fn a_case_without_a_fitting_label_and_without_else_traps() {
    let body = "i := 3; RT.Int(i); CASE i OF 1: RT.Int(1) | 2: END; RT.Int(9)";
    assert_eq!(run("", body, CASE), Outcome::Trapped(7, "3;".into()));
    assert_eq!(run("", "CASE 2 OF 1: RT.Int(1) | 2: END; RT.Int(9)", CASE), ran("9;"));
}

#[test]
fn cases_nest_and_stand_in_module_bodies() {
    let body = "FOR i := 0 TO 3 DO CASE i MOD 2 OF 0: CASE i DIV 2 OF 0: RT.Int(0) | 1: RT.Int(2) END \
                | 1: n := i * 10; CASE n + 1 OF 11: RT.Int(n) | 31: RT.Int(n) END END END";
    assert_eq!(run("", body, CASE), ran("0;10;2;30;"));
    let text = "MODULE T; IMPORT RT; VAR a: ARRAY 2 OF INTEGER; PROCEDURE Run*; END Run; \
                BEGIN a[1] := 4; CASE a[1] + 1 OF 5: RT.Int(a[1]) END END T.";
    let built = build(&[Source::new("T.Mod", text)], &with(CASE)).unwrap();
    assert_eq!(execute(&built, "T"), ran("4;"));
}

#[test]
fn an_else_of_a_case_on_types() {
    let types = "TYPE P = POINTER TO R; R = RECORD END; P1 = POINTER TO R1; R1 = RECORD (R) x: INTEGER END; \
                 P2 = POINTER TO R2; R2 = RECORD (R) END;";
    let text = format!(
        "MODULE T; IMPORT RT; {types} PROCEDURE Show(p: P); BEGIN CASE p OF P1: RT.Int(p.x) \
         ELSE RT.Int(0) END END Show; PROCEDURE Run*; VAR p: P1; q: P2; BEGIN NEW(p); NEW(q); p.x := 8; \
         Show(p); Show(q) END Run; END T."
    );
    let source = [Source::new("T.Mod", text)];
    assert_eq!(execute(&build(&source, &with(CASE)).unwrap(), "T"), ran("8;0;"));
    let errors = build(&source, &with(NONE)).unwrap_err();
    assert_eq!(errors[0].message, "CASE has no ELSE");
    assert!(errors[0].help.as_ref().unwrap().contains("--ext case"));
}

#[test]
fn labels_must_be_constants_of_the_type_and_differ() {
    for (body, message) in [
        ("CASE i OF n: END", "a label of this CASE is a constant of type INTEGER"),
        ("CASE i OF \"a\": END", "a label of this CASE is a constant of type INTEGER"),
        ("CASE c OF 1: END", "a label of this CASE is a constant of type CHAR"),
        ("CASE i OF 1.5: END", "a label of this CASE is a constant of type INTEGER"),
        ("CASE i OF 5..3: END", "the range of this label is empty: its first value is larger"),
        ("CASE i OF 1..4: | 3: END", "a value of this label stands in an earlier one already"),
        ("CASE i OF 2, 2: END", "a value of this label stands in an earlier one already"),
        ("CASE i = 1 OF 1: END", "CASE distinguishes types only: pointers and record parameters"),
    ] {
        assert_eq!(refusal("", body, CASE).0, message, "{body}");
    }
}

#[test]
fn many_labels_make_no_deep_tree() {
    let labels: Vec<String> = (0..4000).map(|n| (3 * n).to_string()).collect();
    let body = format!("i := 11997; CASE i OF {}: RT.Int(1) ELSE RT.Int(0) END", labels.join(", "));
    assert_eq!(run("", &body, CASE), ran("1;"));
}

#[test]
fn without_the_flag_a_case_on_numbers_is_refused_with_a_hint() {
    let (message, help) = refusal("", "CASE i OF 1: END", NONE);
    assert_eq!(message, "CASE distinguishes types only: pointers and record parameters");
    assert!(help.contains("--ext case"), "{help}");
}

const TEXTS: &str = "MODULE A; CONST hello* = \"hello\"; bytes* = $41 42 00 43$; mine = \"mine\"; \
                     one* = \"x\"; VAR v*: INTEGER; END A.";
const USER: &str = "MODULE T; IMPORT RT, A; VAR a: ARRAY 8 OF CHAR; \
     PROCEDURE Run*; VAR i: INTEGER; BEGIN RT.Str(A.hello); a := A.hello; RT.Str(a); RT.Bool(a = A.hello); \
     a := A.bytes; RT.Int(ORD(a[1])); RT.Int(ORD(a[3])); RT.Int(ORD(A.one)) END Run; END T.";

#[test]
fn imported_string_constants_have_their_text() {
    let sources = [Source::new("A.Mod", TEXTS), Source::new("T.Mod", USER)];
    let built = build(&sources, &with(STRINGS)).unwrap();
    assert_eq!(execute(&built, "T"), ran("hello;hello;T;66;67;120;"));
    let a = built.iter().find(|c| c.module == "A").unwrap();
    let shown = obc::interface::text("A", &a.symbol_file).unwrap();
    assert!(shown.contains("hello = \"hello\";"), "{shown}");
    // The importer needs no flag: it is the file that holds the text.
    let mut files = std::collections::BTreeMap::new();
    for compiled in &built {
        files.insert(compiled.module.clone(), compiled.symbol_file.clone());
    }
    assert!(obc::compile(&sources[1], &files, &Options::default()).is_ok());
}

#[test]
fn without_the_flag_an_imported_string_is_refused_with_a_hint() {
    let sources = [Source::new("A.Mod", TEXTS), Source::new("T.Mod", USER)];
    let errors = build(&sources, &with(NONE)).unwrap_err();
    assert!(errors[0].message.starts_with("hello is a string constant of another module"));
    assert!(errors[0].help.as_ref().unwrap().contains("--ext strings"));
}

#[test]
fn modules_without_string_constants_have_the_same_symbol_file_either_way() {
    let source =
        Source::new("A.Mod", "MODULE A; CONST mine = \"mine\"; n* = 3; c* = \"c\"; END A.");
    let plain = obc::compile(&source, &NoSymbols, &with(NONE)).unwrap();
    let flagged = obc::compile(&source, &NoSymbols, &with(STRINGS)).unwrap();
    assert_eq!(plain.symbol_file, flagged.symbol_file);
}

#[test]
fn damaged_texts_are_refused() {
    let built = obc::compile(&Source::new("A.Mod", TEXTS), &NoSymbols, &with(STRINGS)).unwrap();
    let file = built.symbol_file;
    for at in 8..file.len() {
        for value in [0, 1, 0x7F, 0x80, 0xFF] {
            let mut damaged = file.clone();
            damaged[at] = value;
            let files = std::collections::BTreeMap::from([("A".to_string(), damaged)]);
            let user = Source::new(
                "U.Mod",
                "MODULE U; IMPORT A; VAR c: ARRAY 9 OF CHAR; BEGIN c := A.hello END U.",
            );
            let _ = obc::compile(&user, &files, &Options::default());
        }
    }
}
