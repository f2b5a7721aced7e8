//! Symbol files with damaged names and sizes: found by fuzzing, they led to object files that the
//! loader cannot hold.

#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use obc::{NoSymbols, Options, Source, compile};
use std::collections::BTreeMap;

/// Compiles an importer of M, in whose symbol file the bytes `from` are replaced by `to`.
fn import(from: &[u8], to: &[u8]) -> Result<(), String> {
    import_of("MODULE M; VAR value*: INTEGER; END M.", from, to)
}

fn import_of(text: &str, from: &[u8], to: &[u8]) -> Result<(), String> {
    let library = Source::new("M.Mod", text);
    let mut file = compile(&library, &NoSymbols, &Options::default()).unwrap().symbol_file;
    let at = file.windows(from.len()).position(|w| w == from).unwrap();
    file.splice(at..at + from.len(), to.iter().copied());
    let symbols = BTreeMap::from([("M".to_string(), file)]);
    let importer = Source::new("T.Mod", "MODULE T; IMPORT M; END T.");
    match compile(&importer, &symbols, &Options::default()) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors.iter().map(|e| e.message.clone()).collect()),
    }
}

#[test]
fn names_that_are_no_identifiers_are_refused() {
    assert_eq!(import(b"value\0", b"value\0"), Ok(()));
    for damaged in [&b"val\x80e\0"[..], b"val e\0", b"1alue\0", b"\x01alue\0"] {
        let error = import(b"value\0", damaged).unwrap_err();
        assert!(error.contains("not an identifier"), "{error}");
    }
}

#[test]
fn names_longer_than_31_characters_are_refused() {
    assert_eq!(import(b"value\0", &[&[b'v'; 31][..], b"\0"].concat()), Ok(()));
    let error = import(b"value\0", &[&[b'v'; 32][..], b"\0"].concat()).unwrap_err();
    assert!(error.contains("too long"), "{error}");
}

#[test]
fn fields_that_lie_where_no_field_can_are_refused() {
    let text = "MODULE M; TYPE P* = POINTER TO R; R* = RECORD x*: INTEGER; p: P END; END M.";
    // A hidden pointer: class, no name, offset.
    let import = |offset: u8| import_of(text, &[4, 0, 4], &[4, 0, offset]);
    assert_eq!(import(4), Ok(()));
    for (offset, rule) in [(3, "multiple of 4"), (8, "outside of its record")] {
        let error = import(offset).unwrap_err();
        assert!(error.contains(rule), "{error}");
    }
}
