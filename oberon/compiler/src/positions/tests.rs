use super::*;
use crate::ir::passes::Passes;
use crate::{NoSymbols, Options, compile_with_table};

const TEXT: &str = "MODULE T;
  TYPE P = POINTER TO R;
    R = RECORD next: P; n: INTEGER; a: ARRAY 3 OF CHAR END;
  VAR x, y: INTEGER; head: P;

  PROCEDURE Sum(VAR r: R; k: INTEGER): INTEGER;
    VAR s: INTEGER;
    PROCEDURE Twice(n: INTEGER): INTEGER;
      RETURN n + n
    END Twice;
  BEGIN s := Twice(k);
    s := s + r.n
    RETURN s
  END Sum;

BEGIN NEW(head); head.n := 3;
  x := Sum(head^, 4)
END T.
";

fn table() -> Table {
    let source = Source::new("T.Mod", TEXT);
    let options = Options { passes: Passes::none(), ..Options::default() };
    compile_with_table(&source, &NoSymbols, &options).unwrap().1
}

#[test]
fn variables_in_registers_are_known_as_such() {
    let source = Source::new("T.Mod", TEXT);
    let table = compile_with_table(&source, &NoSymbols, &Options::default()).unwrap().1;
    let sum = table.procedures.iter().find(|p| p.name == "Sum").unwrap();
    assert!(sum.variables.iter().any(|v| v.kept == Kept::Registers), "{table}");
    assert!(table.globals.iter().all(|v| v.kept == Kept::Global));
    assert_eq!(Table::parse(&table.to_string()).unwrap(), table);
}

#[test]
fn a_table_survives_its_file() {
    let table = table();
    assert_eq!(Table::parse(&table.to_string()).unwrap(), table);
}

#[test]
fn procedures_cover_the_code() {
    let table = table();
    let names: Vec<&str> = table.procedures.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["Sum.Twice", "Sum", "T"]);
    let mut at = 0;
    for procedure in &table.procedures {
        assert_eq!(procedure.start, at, "{}", procedure.name);
        at += procedure.words;
    }
    assert_eq!(at, table.words);
}

#[test]
fn lines_lead_to_code_and_back() {
    let table = table();
    for line in [11, 12, 14, 17] {
        let words = table.words_of_line(line);
        assert!(!words.is_empty(), "line {line}");
        assert!(words.iter().all(|w| table.place(*w).unwrap().line == line), "line {line}");
    }
    // The next line with code.
    assert_eq!(table.words_of_line(1).len(), 1);
    assert!(table.words_of_line(99).is_empty());
    assert_eq!(table.place(table.words), None);
}

#[test]
fn variables_have_places_and_types() {
    let table = table();
    let names: Vec<&str> = table.globals.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "head"]);
    let Shape::Pointer(base) = table.shapes[table.globals[2].ty] else { panic!("head") };
    let Shape::Record { name, fields, size } = &table.shapes[base] else { panic!("head^") };
    assert_eq!((name.as_str(), fields.len(), *size), ("R", 3, 12));
    let sum = table.procedures.iter().find(|p| p.name == "Sum").unwrap();
    let kept: Vec<Kept> = sum.variables.iter().map(|v| v.kept).collect();
    assert_eq!(kept, [Kept::Reference, Kept::Local, Kept::Local]);
}

#[test]
fn damaged_tables_are_refused_by_line() {
    let text = table().to_string();
    assert_eq!(Table::parse("x"), Err(TableError::NoTable));
    let other = text.replacen("positions 1", "positions 9", 1);
    assert!(matches!(Table::parse(&other), Err(TableError::Version { .. })));
    for (from, to) in
        [("key ", "keys "), ("at 0 ", "at x "), (" g 0", " q 0"), ("type 0", "type 5")]
    {
        let damaged = text.replacen(from, to, 1);
        assert!(
            matches!(Table::parse(&damaged), Err(TableError::Line { line: 1.., .. })),
            "{from}"
        );
    }
    let headless = "obc-positions 1\n";
    assert!(matches!(Table::parse(headless), Err(TableError::Line { line: 2, .. })));
    for cut in 0..text.len() {
        let _ = Table::parse(&text[..cut]);
    }
}
