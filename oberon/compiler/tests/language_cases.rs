//! Runs the language cases: small programs with the outcome that the Project Oberon compiler of
//! 8.3.2020 gives them (tests/cases/oberon-cases.jsonl). Each is compiled, linked with a run-time
//! module of the test's own, and run on the emulator.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

mod running;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use obc::{Source, project};
use serde_json::Value;

use running::{Outcome, execute, ran};

/// Cases where our outcome is another one, on purpose or because the row records chance.
fn exceptions() -> Vec<(&'static str, &'static str, Option<Outcome>)> {
    let rejected = || Some(Outcome::Rejected);
    let many = format!("{};", "y".repeat(240)).repeat(11);
    vec![
        // Defects of the genuine compiler, made right.
        ("staleV1", "the divisor check does not look at a stale overflow flag", Some(ran("2;"))),
        ("staleV3", "a REAL comparison does not look at a stale overflow flag", Some(ran("T;"))),
        ("BA", "globals beyond 64 KB have the right address", Some(ran(""))),
        ("BC", "globals beyond 64 KB are incremented where they are", Some(ran(""))),
        ("passderefext", "p^ passes the type that p points to", Some(ran("T;"))),
        ("odd", "ABS of a REAL constant is its magnitude", Some(ran("T;5; 40200000;"))),
        ("bigglobal", "the recorded trap is an after-effect", Some(ran("120;121;5;"))),
        ("gcstress", "the recorded trap is an after-effect", Some(ran("F;"))),
        // Defects of the genuine compiler, refused.
        ("impstr", "an imported string constant has no text", rejected()),
        ("realbad", "a REAL above 3.4E38 is refused", rejected()),
        ("impopaquenew", "NEW of a hidden record type is refused", rejected()),
        ("digits17", "17 digits are refused", rejected()),
        ("caseexpr", "CASE on an expression is refused", rejected()),
        ("exports256", "256 exports are refused", rejected()),
        ("exports300", "300 exports are refused", rejected()),
        ("useexp", "its import does not compile", rejected()),
        ("imports19", "more than 15 modules in sight are refused", rejected()),
        ("hugeglobal", "globals that no machine has room for are refused", rejected()),
        // Limits of the genuine compiler's tables that ours does not have.
        ("manystr", "strings may take more than 2400 bytes", Some(ran(&many))),
        // Uninitialised memory.
        ("localinit", "prints an uninitialised local", None),
        ("arr3char", "prints an uninitialised local", None),
        ("forbyte", "counts in an uninitialised local", None),
        // Not a question to the compiler, or not in the file.
        ("stackover", "overflows the stack, which nothing checks", None),
        ("gapD", "the long text is not in the file; the chain test of the generator has it", None),
        (
            "toolong",
            "the long text is not in the file; the chain test of the generator has it",
            None,
        ),
    ]
}

struct Case {
    id: String,
    verdict: String,
    out: String,
    name: String,
    sources: Vec<Source>,
    standalone: bool,
}

fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or("")
}

/// The module name of a raw case.
fn module_name(text: &str) -> String {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .nth(1)
        .unwrap_or("")
        .to_string()
}

fn read_cases() -> Vec<Case> {
    let rows: Vec<Value> = include_str!("cases/oberon-cases.jsonl")
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let raw_of = |id: &str| {
        let row = rows.iter().find(|r| r["id"] == id).unwrap();
        let text = field(row, "raw").to_string();
        Source::new(format!("{}.Mod", module_name(&text)), text)
    };
    rows.iter().map(|row| case(row, &raw_of)).collect()
}

fn case(row: &Value, raw_of: &dyn Fn(&str) -> Source) -> Case {
    let id = field(row, "id").to_string();
    let mut sources = vec![Source::new("RT.Mod", include_str!("cases/RT.Mod"))];
    let imports = field(row, "imp");
    for import in imports.split(',').map(str::trim).filter(|i| !i.is_empty()) {
        let name = import.split(":=").last().unwrap().trim();
        if sources.iter().any(|s| s.name == format!("{name}.Mod")) {
            continue;
        }
        match name {
            "MA" => sources.push(Source::new("MA.Mod", include_str!("cases/MA.Mod"))),
            "XQA" => sources.push(many_exports("XQA", 254)),
            "XQB" => sources.push(raw_of("exports255")),
            "XP" => sources.push(raw_of("exports300")),
            name if name.starts_with("Ma") => sources.push(function_module(name)),
            _ => {}
        }
    }
    let raw = field(row, "raw");
    let (name, text) = if raw.is_empty() {
        let name = format!("T{id}");
        (name.clone(), framed(row, &name))
    } else {
        (module_name(raw), raw.to_string())
    };
    let standalone = raw.starts_with("MODULE*");
    sources.push(Source::new(format!("{name}.Mod"), text));
    if !standalone {
        let main = format!("MODULE Main; IMPORT RT, {name}; END Main.");
        sources.push(Source::new("Main.Mod", main));
    }
    Case {
        id,
        verdict: field(row, "verdict").to_string(),
        out: field(row, "out").to_string(),
        name,
        sources,
        standalone,
    }
}

fn framed(row: &Value, name: &str) -> String {
    let [imp, decl, procs, loc, body] =
        ["imp", "decl", "procs", "loc", "body"].map(|n| field(row, n));
    format!(
        "MODULE {name}; IMPORT SYSTEM, RT{imp};\n{decl}\n\
         PROCEDURE I(x: INTEGER); BEGIN RT.Int(x) END I;\n\
         PROCEDURE B(x: BOOLEAN); BEGIN RT.Bool(x) END B;\n\
         PROCEDURE R(x: REAL); BEGIN RT.Real(x) END R;\n\
         PROCEDURE S(x: ARRAY OF CHAR); BEGIN RT.Str(x) END S;\n\
         {procs}\nPROCEDURE Run*; {loc}\nBEGIN {body} END Run;\nEND {name}.\n"
    )
}

fn many_exports(name: &str, count: usize) -> Source {
    let names: Vec<String> = (0..count).map(|n| format!("v{n}*")).collect();
    let text =
        format!("MODULE {name}; VAR {}: INTEGER; BEGIN v3 := 7 END {name}.", names.join(", "));
    Source::new(format!("{name}.Mod"), text)
}

fn function_module(name: &str) -> Source {
    let text = format!("MODULE {name}; PROCEDURE F*(): INTEGER; RETURN 1 END F; END {name}.");
    Source::new(format!("{name}.Mod"), text)
}

fn run(case: &Case) -> Outcome {
    let built = match project::build(&case.sources) {
        Ok(built) => built,
        Err(errors) => {
            let other = errors
                .iter()
                .find(|e| e.file == "RT.Mod" || e.file == "MA.Mod" || e.file == "Main.Mod");
            assert!(other.is_none(), "{}: {}", case.id, other.unwrap());
            return Outcome::Rejected;
        }
    };
    if case.standalone || case.verdict == "accept" {
        return Outcome::Accepted;
    }
    execute(&built, &case.name)
}

/// The two rows whose long texts are not in the file: thousands of words without a reference to
/// data, and more code than the genuine compiler has room for.
#[test]
fn long_procedures_run() {
    let filler = "k := k * 3 + 1; ".repeat(3000);
    let text = format!(
        "MODULE T; IMPORT RT; VAR n: INTEGER; PROCEDURE Run*; VAR k: INTEGER; \
         BEGIN k := 0; {filler} n := k; RT.Int(n); {filler} RT.Int(k); n := n + k; RT.Int(n) \
         END Run; END T."
    );
    let sources = [
        Source::new("RT.Mod", include_str!("cases/RT.Mod")),
        Source::new("T.Mod", text),
        Source::new("Main.Mod", "MODULE Main; IMPORT RT, T; END Main."),
    ];
    let built = project::build(&sources).unwrap();
    let turn = |k: i32| (0..3000).fold(k, |k, _| k.wrapping_mul(3).wrapping_add(1));
    let (first, second) = (turn(0), turn(turn(0)));
    let sum = first.wrapping_add(second);
    assert_eq!(execute(&built, "T"), ran(&format!("{first};{second};{sum};")));
}

/// Expressions that need more registers than there are, with and without calls in them.
#[test]
fn spilled_values_come_back() {
    let mut text = String::from("a");
    let mut value: i32 = 3;
    for n in 1..25 {
        let operation = if n % 7 == 0 { "F(a + b)" } else { "(b * 5 - a)" };
        let operand: i32 = if n % 7 == 0 { 3 + 8 } else { 8 * 5 - 3 };
        text = format!("{operation} - (a + (b + ({text})))");
        value = operand.wrapping_sub(3 + 8 + value);
    }
    let module = format!(
        "MODULE T; IMPORT RT; VAR x: INTEGER; d: ARRAY 4 OF INTEGER; \
         PROCEDURE F(x: INTEGER): INTEGER; RETURN x END F; \
         PROCEDURE Run*; VAR a, b: INTEGER; BEGIN a := 3; b := 8; x := {text}; RT.Int(x); \
         d[F(1) + F(F(1))] := F(a) * (b + F(a) * ({text})); RT.Int(d[2]); \
         RT.Bool((F(a) = 3) & ((b > {text}) OR (F(b) = 8))) END Run; END T."
    );
    let sources = [
        Source::new("RT.Mod", include_str!("cases/RT.Mod")),
        Source::new("T.Mod", module),
        Source::new("Main.Mod", "MODULE Main; IMPORT RT, T; END Main."),
    ];
    let built = project::build(&sources).unwrap();
    let element = 3_i32.wrapping_mul(8_i32.wrapping_add(3_i32.wrapping_mul(value)));
    assert_eq!(execute(&built, "T"), ran(&format!("{value};{element};T;")));
}

fn expected(case: &Case) -> Option<Outcome> {
    match case.verdict.as_str() {
        "run" => Some(ran(&case.out)),
        "accept" => Some(Outcome::Accepted),
        "reject" => Some(Outcome::Rejected),
        other => {
            let number = other.strip_prefix("trap")?.parse().ok()?;
            Some(Outcome::Trapped(number, case.out.trim().to_string()))
        }
    }
}

#[test]
fn language_cases_have_the_recorded_outcome() {
    let exceptions = exceptions();
    let (mut agree, mut ours, mut left_out) = (0, 0, 0);
    let mut wrong = String::new();
    let cases = read_cases();
    for case in &cases {
        let exception = exceptions.iter().find(|(id, ..)| *id == case.id);
        let wanted = match exception {
            Some((_, _, None)) => {
                left_out += 1;
                continue;
            }
            Some((_, _, Some(outcome))) => outcome,
            None => &expected(case).unwrap_or_else(|| panic!("{}: {}", case.id, case.verdict)),
        };
        let found = run(case);
        if found == *wanted {
            match exception {
                Some(_) => ours += 1,
                None => agree += 1,
            }
        } else {
            writeln!(wrong, "{}: {found:?}, expected {wanted:?}", case.id).unwrap();
        }
    }
    println!(
        "{} cases: {agree} as recorded, {ours} better on purpose, {left_out} left out",
        cases.len()
    );
    for (id, reason, _) in &exceptions {
        println!("  {id}: {reason}");
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(agree >= 190, "only {agree} cases agree");
}

/// Every row that must be refused: where the first error stands, and which rule it names. After a
/// change of wording run with `UPDATE_EXPECT=1` and read the difference.
#[test]
fn refused_rows_name_the_rule_at_its_place() {
    let exceptions = exceptions();
    let mut text = String::new();
    for case in read_cases() {
        let refused = match exceptions.iter().find(|(id, ..)| *id == case.id) {
            Some((_, _, outcome)) => *outcome == Some(Outcome::Rejected),
            None => case.verdict == "reject",
        };
        if !refused {
            continue;
        }
        let errors = project::build(&case.sources).expect_err(&case.id);
        let first = &errors[0];
        let line: String = first.source_line.chars().take(80).collect();
        let caret = " ".repeat((first.column as usize).saturating_sub(1).min(80));
        text.push_str(&format!("{}: {}\n  {line}\n  {caret}^\n", case.id, first.message));
    }
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/refused.expect");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&expected, text).unwrap();
    } else {
        assert_eq!(text, fs::read_to_string(&expected).unwrap_or_default());
    }
}
