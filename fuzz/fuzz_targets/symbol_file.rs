//! Arbitrary bytes as the symbol file of an imported module: the importer compiles or is refused
//! with errors, and never panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use obc::object::ObjectFile;
use obc::{Options, Source, compile};
use std::collections::BTreeMap;

const IMPORTERS: [&str; 2] = [
    "MODULE A; IMPORT M; BEGIN END A.",
    "MODULE B; IMPORT M;\n  TYPE E = RECORD (M.R) z: INTEGER END;\n  VAR r: M.R; p: M.P; a: M.A; e: E; \
     q: PROCEDURE;\n  PROCEDURE Do*(VAR r: M.R);\n  BEGIN M.Set(r, M.c); r.x := M.v; a[1] := M.c; \
     NEW(p); p.x := a[0]; q := M.Run;\n    IF p IS M.P THEN M.Run END\n  END Do;\nBEGIN Do(r); Do(e) \
     END B.",
];

fuzz_target!(|data: &[u8]| {
    let symbols = BTreeMap::from([("M".to_string(), data.to_vec())]);
    for text in IMPORTERS {
        match compile(&Source::new("Importer.Mod", text), &symbols, &Options::default()) {
            Ok(compiled) => {
                let bytes = compiled.object.to_bytes();
                assert_eq!(ObjectFile::parse(&bytes), Ok(compiled.object));
            }
            Err(errors) => assert!(!errors.is_empty(), "refused without an error"),
        }
    }
});
