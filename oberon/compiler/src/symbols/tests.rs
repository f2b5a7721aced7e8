//! Symbol files byte by byte, and files that lie.

use std::collections::BTreeMap;

use super::*;
use crate::{Options, Source, compile};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn build(texts: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let mut built = BTreeMap::new();
    for text in texts {
        let source = Source::new("T.Mod", *text);
        let compiled = compile(&source, &built, &Options::default()).unwrap();
        built.insert(compiled.module, compiled.symbol_file);
    }
    built
}

/// Sources and the files that the Project Oberon compiler of 8.3.2020 makes of them.
#[test]
fn files_are_those_of_the_genuine_compiler() {
    let built = build(&[
        "MODULE Y; CONST k* = 5; r* = 1.5; s* = \"hello\"; st* = {1,2}; ch* = \"x\"; n = 2;
           TYPE P* = POINTER TO R; R* = RECORD x*: INTEGER; h: P; c: CHAR; y*: REAL END;
             F* = PROCEDURE (VAR a: ARRAY OF CHAR; b: R; c: INTEGER): INTEGER;
           VAR v*: P; arr*: ARRAY 3 OF RECORD q: INTEGER; w*: CHAR END; f*: F;
             m*: ARRAY 3, 4 OF INTEGER;
           PROCEDURE Go*; BEGIN END Go; END Y.",
        "MODULE B; TYPE P* = POINTER TO R; H = RECORD q*: INTEGER END;
           R* = RECORD a*: INTEGER; b: P; c*: CHAR; h*: H END; E* = RECORD (R) d*: P END;
           VAR hh*: H; PROCEDURE Do*(VAR r: R); END Do; END B.",
        "MODULE C; IMPORT B; CONST s* = \"abc\"; TYPE X* = RECORD (B.R) y*: INTEGER END;
           XP* = POINTER TO X; VAR e*: B.E; f*: PROCEDURE (p: B.P); hx*: INTEGER;
           PROCEDURE Q*(VAR x: X); BEGIN B.Do(x) END Q; END C.",
        "MODULE D; IMPORT SYSTEM, C; TYPE Y* = RECORD (C.X) END; VAR y*: Y; b*: BYTE; END D.",
    ]);
    for (module, bytes) in [
        (
            "Y",
            "00000000d79528e6590001016b00fc05017200fb0000c03f017300f50001737400fa0601636800fd\
            f8000550000e070f0df7010010047900fb0c040004047800fc0000000000055200f10e0005460010\
            0afc0200fc0301f10300000cfd7f0800000000027600f2020261727200000c000df7000008047700\
            fd04000003180003026600f004026d00000c000cfc0410000330000501476f00000af70000060000",
        ),
        (
            "B",
            "00000000c10078194200010550000e070f0df7010010046800100df7000004047100fc0000000c04\
            6300fd08040004046100fc0000000000055200f10e00054500110df1020114046400f21000000002\
            686800f00301446f00000af70300f10000040000",
        ),
        (
            "C",
            "00000000c78070f9430001017300f5000558000e0d0f0df7000010046800000df7000004047100fc\
            0000000c046300fd08040004046100fc00004200c10078195200010114047900fc10000000055850\
            001007f20000026500110df10001140464001207f14200c1007819500010004200c1007819450002\
            026600000af70200ee00000302687800fc04015100000af70300f20000050000",
        ),
        (
            "D",
            "00000000ed95a7634400010559000e0d0f0d100df7000010046800000df7000004047100fc000000\
            0c046300fd08040004046100fc00004200c10078195200000114047900fc10004300c78070f95800\
            010214000000027900f202026200ff0300000000",
        ),
    ] {
        assert_eq!(hex(&built[module]), bytes, "{module}");
    }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let texts = [
        "MODULE A; TYPE P* = POINTER TO T; T* = RECORD x*: INTEGER; n*: P END; VAR v*: P; END A.",
        "MODULE B; IMPORT A; VAR w*: A.P; r*: A.T; END B.",
        // Directly or through another module, before or after: the types are the same.
        "MODULE C; IMPORT B, A; VAR p: A.P; BEGIN p := B.w; p := B.w.n; p := A.v.n END C.",
        "MODULE D; IMPORT A, B; VAR p: A.P; BEGIN p := B.w; p := B.r.n; p^ := B.r END D.",
    ];
    assert_eq!(build(&texts).len(), 4);
}

#[test]
fn an_extension_of_a_type_shown_by_another_module_names_its_own_module() {
    let texts = [
        "MODULE A; TYPE T0* = RECORD END; T* = RECORD (T0) x*: INTEGER END; END A.",
        "MODULE B; IMPORT A; TYPE U* = RECORD (A.T) END; END B.",
    ];
    let built = build(&texts);
    let source = Source::new(
        "C.Mod",
        "MODULE C; IMPORT B; TYPE V = RECORD (B.U) END; P = POINTER TO V; VAR p: P; \
         BEGIN NEW(p) END C.",
    );
    let compiled = compile(&source, &built, &Options::default()).unwrap();
    let levels: Vec<u32> = compiled.object.type_descriptors[1..4].iter().map(|w| w >> 12).collect();
    // Module 2 is A, entry 2 there is T; the file of B does not hold that number.
    assert_eq!(levels, [2 << 12 | 2, 1 << 12 | 1, 0]);
}

fn read_error(module: &str, bytes: &[u8]) -> SymbolError {
    let (mut types, mut modules) = (Types::default(), Vec::new());
    read(module, bytes, &mut types, &mut modules, &crate::NoSymbols).unwrap_err()
}

#[test]
fn damaged_files_are_errors_and_never_more() {
    let built = build(&[
        "MODULE A; CONST r* = 1.5; TYPE P* = POINTER TO R; R* = RECORD x*: ARRAY 3 OF P; q: P END; \
           F* = PROCEDURE (VAR a: ARRAY OF CHAR; b: R): INTEGER; VAR v*: F; END A.",
    ]);
    let good = &built["A"];
    for length in 0..good.len() - 4 {
        assert!(matches!(
            read_error("A", &good[..length]),
            SymbolError::Truncated { .. } | SymbolError::Damaged { .. }
        ));
    }
    let mut seed: u32 = 1;
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (seed >> 8) as usize % bytes.len();
            bytes[at] = (seed >> 24) as u8;
        }
        let symbols = BTreeMap::from([("A".to_string(), bytes)]);
        let source = Source::new(
            "B.Mod",
            "MODULE B; IMPORT A; VAR p: A.P; r: A.R; BEGIN NEW(p); p^ := r; r.x[1] := p END B.",
        );
        // Whatever comes out, it comes out.
        let _ = compile(&source, &symbols, &Options::default());
    }
}

#[test]
fn a_type_that_contains_itself_is_refused() {
    // Object T: type 14 = record without base, one field of type 14.
    let file = [&[0; 8][..], b"A\0\x01\x05T\0\x0E\x0D\xF7\x01\0\x04\x04f\0\xF2\0\0\0\0\0"].concat();
    assert!(matches!(read_error("A", &file), SymbolError::Damaged { .. }));
}

#[test]
fn modules_that_disagree_about_a_third_are_refused() {
    let old = build(&[
        "MODULE A; TYPE T* = RECORD END; END A.",
        "MODULE B; IMPORT A; VAR r*: A.T; END B.",
    ]);
    let mut mixed = build(&["MODULE A; TYPE T* = RECORD x*: INTEGER END; END A."]);
    mixed.insert("B".into(), old["B"].clone());
    let source = Source::new("C.Mod", "MODULE C; IMPORT A, B; END C.");
    let errors = compile(&source, &mixed, &Options::default()).unwrap_err();
    assert!(errors[0].message.contains("compile B again"), "{}", errors[0]);
}

#[test]
fn more_than_fifty_named_types_are_refused() {
    let text = |count: usize| {
        let types: String = (0..count).map(|n| format!("T{n}* = RECORD END; ")).collect();
        format!("MODULE A; TYPE {types}END A.")
    };
    build(&[&text(50)]);
    let source = Source::new("A.Mod", text(51));
    let errors = compile(&source, &crate::NoSymbols, &Options::default()).unwrap_err();
    assert!(errors[0].message.contains("more than 50 named types"));
}
