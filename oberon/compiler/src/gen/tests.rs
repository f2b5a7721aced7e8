//! The code itself: chains, spilling, frames, and that its cost stays what it is.

use risc5_isa::Instruction;

use crate::ir::passes::Passes;
use crate::object::ObjectFile;
use crate::{Compiled, Options, Source, compile, project};

/// The code as it comes straight from the typed tree.
fn direct() -> Options {
    Options { passes: Passes::none(), ..Options::default() }
}

fn compiled(text: &str) -> Compiled {
    let source = Source::new("T.Mod", text);
    match compile(&source, &crate::NoSymbols, &direct()) {
        Ok(compiled) => compiled,
        Err(errors) => panic!("{}", errors[0]),
    }
}

fn rejected(text: &str) -> String {
    let source = Source::new("T.Mod", text);
    let errors = compile(&source, &crate::NoSymbols, &direct()).unwrap_err();
    errors[0].message.clone()
}

/// Follows a chain from its last word to word 0 and checks each distance.
fn chain_length(object: &ObjectFile, start: u32) -> usize {
    let mut at = start as usize;
    let mut length = 0;
    while at != 0 {
        let distance = (object.code[at] & 0xFFF) as usize;
        assert!(distance > 0 && distance <= at, "at {at}");
        at -= distance;
        length += 1;
    }
    length
}

#[test]
fn chains_reach_over_code_without_references() {
    // Locals only: thousands of words that refer to no data and call nothing.
    let filler = "k := k * 3 + 1; ".repeat(3000);
    let sources = [
        Source::new("A.Mod", "MODULE A; VAR x*: INTEGER; PROCEDURE P*; END P; END A."),
        Source::new(
            "T.Mod",
            format!(
                "MODULE T; IMPORT A; VAR n: INTEGER; PROCEDURE Q; VAR k: INTEGER; \
                 BEGIN k := 0; {filler} n := k; A.P; {filler} A.P; n := k END Q; END T."
            ),
        ),
    ];
    let object = &project::build(&sources).unwrap()[1].object;
    assert!(object.code.len() > 24_000);
    assert!(chain_length(object, object.fix_d) > 4);
    assert!(chain_length(object, object.fix_p) > 4);
}

#[test]
fn word_0_is_never_a_link_of_a_chain() {
    let sources = [
        Source::new("A.Mod", "MODULE A; VAR x*: INTEGER; END A."),
        Source::new("B.Mod", "MODULE B; IMPORT A; BEGIN LED(A.x) END B."),
        Source::new("C.Mod", "MODULE C; VAR x: INTEGER; BEGIN INC(x) END C."),
    ];
    let built = project::build(&sources).unwrap();
    for module in &built[1..] {
        assert_eq!(module.object.code[0], 0xE700_0000);
        assert_eq!(chain_length(&module.object, module.object.fix_d), 1);
    }
}

#[test]
fn deep_expressions_spill_and_do_not_fail() {
    let mut sum = String::from("a");
    for _ in 0..60 {
        sum = format!("a + ({sum} - b * (a DIV (c + {sum_inner})))", sum_inner = "b");
    }
    let text = format!(
        "MODULE T; VAR a, b, c: INTEGER; PROCEDURE F(x: INTEGER): INTEGER; RETURN x END F; \
         BEGIN a := {sum} + F({sum} + F(b)) END T."
    );
    compiled(&text);
}

#[test]
fn a_procedure_without_calls_keeps_its_return_address() {
    let leaf = compiled("MODULE T; PROCEDURE P(x: INTEGER): INTEGER; RETURN x + 1 END P; END T.");
    // Frame, parameter in and out, sum, frame, return; then the empty body.
    assert_eq!(leaf.object.code.len(), 7);
}

#[test]
fn small_things_cost_little() {
    let cost = |body: &str| {
        let text = format!(
            "MODULE T; IMPORT SYSTEM; VAR g: INTEGER; PROCEDURE P; VAR i, j: INTEGER; b: BOOLEAN; \
             a: ARRAY 8 OF INTEGER; BEGIN {body} END P; END T."
        );
        // Without frame and return of P and the body.
        compiled(&text).object.code.len() - 4
    };
    for (body, words) in [
        ("i := 1", 2),
        ("i := i + 1", 3),
        ("INC(g)", 4),
        ("i := j * 8", 3),
        ("i := j MOD 16", 3),
        ("IF i = 0 THEN j := 1 END", 4),
        ("IF i < 0 THEN j := 1 END", 4),
        ("IF (i > 3) & (j < 4) THEN i := 0 END", 8),
        ("a[3] := 5", 2),
        ("a[i] := 5", 7),
        ("SYSTEM.GET(i + 8, j)", 3),
        ("b := i = j", 8),
        ("WHILE i > 0 DO DEC(i) END", 7),
    ] {
        assert_eq!(cost(body), words, "{body}");
    }
}

/// The value was read with the width of the type it is seen as: three bytes behind it came along.
#[test]
fn a_character_seen_as_a_set_is_read_as_a_byte() {
    let text = "MODULE T; IMPORT SYSTEM; VAR s: ARRAY 4 OF CHAR; PROCEDURE P(i: INTEGER): SET; \
        RETURN SYSTEM.VAL(SET, ORD(s[i])) END P; END T.";
    let code = compiled(text).object.code;
    let loads: Vec<bool> = code
        .iter()
        .filter_map(|word| match Instruction::decode(*word) {
            Instruction::Memory { store: false, byte, b, .. } if b != 14 => Some(byte),
            _ => None,
        })
        .collect();
    assert_eq!(loads.last(), Some(&true), "{code:08X?}");
}

#[test]
fn interrupt_procedures_save_what_they_use_and_call_nothing() {
    let text = "MODULE T; VAR a, b, c: INTEGER; PROCEDURE* Tick; BEGIN a := b + (c + (a - b)) \
        END Tick; END T.";
    let code = compiled(text).object.code;
    let stores = code
        .iter()
        .map(|w| Instruction::decode(*w))
        .filter(|i| matches!(i, Instruction::Memory { store: true, b: 14, .. }))
        .count();
    assert_eq!(stores, 4);
    assert!(code.contains(&0xC700_0010));
    let call = rejected("MODULE T; PROCEDURE P; END P; PROCEDURE* Q; BEGIN P END Q; END T.");
    assert!(call.contains("call"), "{call}");
    let divide =
        rejected("MODULE T; VAR a: INTEGER; PROCEDURE* Q; BEGIN a := a DIV 3 END Q; END T.");
    assert!(divide.contains("multiply or divide"), "{divide}");
}

#[test]
fn a_standalone_module_starts_with_a_branch_to_its_body() {
    let built =
        compiled("MODULE* T; VAR x: INTEGER; PROCEDURE P; BEGIN x := 1 END P; BEGIN P END T.");
    let words = crate::standalone_words(&built);
    assert_eq!(built.object.version, 0);
    assert!(built.symbol_file.is_empty());
    assert_eq!(words[0], 0xE700_0000 | (built.object.body / 4 - 1));
    assert_eq!(words[1..8], [0; 7]);
    // The stack starts below the I/O words, and the end is a jump to address 0.
    assert_eq!(words[built.object.body as usize / 4], 0x5E00_FFC0);
    assert_eq!(words[words.len() - 2..], [0x4000_0000, 0xC700_0000]);
    let text = rejected("MODULE* T; VAR s: ARRAY 4 OF CHAR; BEGIN s := \"abc\" END T.");
    assert!(text.contains("string"), "{text}");
}

#[test]
fn without_checks_there_are_no_traps() {
    let text = "MODULE T; TYPE P = POINTER TO R; R = RECORD x: INTEGER END; VAR p: P; \
        a: ARRAY 3 OF INTEGER; BEGIN a[p.x] := a[p.x DIV p.x]; ASSERT(p # NIL) END T.";
    let traps = |checks| {
        let source = Source::new("T.Mod", text);
        let built = compile(&source, &crate::NoSymbols, &Options { checks, ..direct() }).unwrap();
        let is_trap = |w: &&u32| **w >> 28 == 0xD;
        built.object.code.iter().filter(is_trap).count()
    };
    assert_eq!(traps(false), 0);
    assert_eq!(traps(true), 7);
}

#[test]
fn tables_hold_commands_entries_and_pointers() {
    let built = compiled(
        "MODULE T; TYPE P = POINTER TO R; R* = RECORD (B) p, q: P END; VAR x: INTEGER; \
         v*: ARRAY 2 OF R; PROCEDURE C*; END C; PROCEDURE D*(x: INTEGER); END D; END T."
            .replace("TYPE P", "TYPE B = RECORD b: INTEGER END; P")
            .as_str(),
    );
    let o = &built.object;
    // Descriptors of B (no pointers) and R (two).
    assert_eq!(o.type_descriptors.len(), 5 + 7);
    assert_eq!(o.type_descriptors[5..], [32, 20 << 12 | 6, u32::MAX, u32::MAX, 4, 8, u32::MAX]);
    assert_eq!(o.fix_t, 6);
    assert_eq!(o.variable_bytes, 4 + 2 * 12);
    assert_eq!(o.pointers, [48 + 4 + 4, 48 + 4 + 8, 48 + 16 + 4, 48 + 16 + 8]);
    assert_eq!(o.commands.len(), 1);
    assert_eq!(o.entries[1..3], [20, 52]);
    assert_eq!(ObjectFile::parse(&o.to_bytes()).unwrap(), *o);
}

#[test]
fn each_instruction_knows_the_text_it_comes_from() {
    let text = "MODULE T; VAR a: ARRAY 3 OF INTEGER; PROCEDURE P(i: INTEGER); \
        BEGIN IF i > 1 THEN a[i] := 7 END END P; END T.";
    let built = compiled(text);
    assert!(built.positions.is_sorted_by(|a, b| a.0 < b.0));
    let texts: Vec<&str> = (0..built.object.code.len())
        .map(|word| built.position(word).unwrap())
        .map(|span| &text[span.start as usize..span.end as usize])
        .collect();
    let trap = built.object.code.iter().position(|w| w >> 28 == 0xD).unwrap();
    assert_eq!(texts[trap], "i");
    assert!(texts.contains(&"i > 1"), "{texts:?}");
    assert!(texts.iter().any(|t| t.starts_with("a[i] :=")), "{texts:?}");
    assert_eq!(built.position(built.object.code.len()), None);
}
