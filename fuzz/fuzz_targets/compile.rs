//! Arbitrary text as a module: it compiles or is refused with errors. What compiles has an object
//! file that parses and a symbol file that can be imported.

#![no_main]

use libfuzzer_sys::fuzz_target;
use obc::object::ObjectFile;
use obc::{Options, Source, compile};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Something to import: module M, with one export of each kind.
const LIBRARY: &str = include_str!("../corpus/compile/library.Mod");

fn library() -> &'static BTreeMap<String, Vec<u8>> {
    static LIBRARY_SYMBOLS: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    LIBRARY_SYMBOLS.get_or_init(|| {
        let source = Source::new("M.Mod", LIBRARY);
        let compiled = compile(&source, &BTreeMap::new(), &Options::default()).expect("compiles");
        BTreeMap::from([("M".to_string(), compiled.symbol_file)])
    })
}

fuzz_target!(|data: &[u8]| {
    let source = Source::new("Fuzz.Mod", String::from_utf8_lossy(data));
    let compiled = match compile(&source, library(), &Options::default()) {
        Ok(compiled) => compiled,
        Err(errors) => return assert!(!errors.is_empty(), "refused without an error"),
    };
    assert_eq!(ObjectFile::parse(&compiled.object.to_bytes()).as_ref(), Ok(&compiled.object));
    let again = compile(&source, library(), &Options::default());
    assert_eq!(again.as_ref(), Ok(&compiled), "same text, same bytes");
    if !compiled.standalone && compiled.module != "Importer" {
        let mut symbols = library().clone();
        symbols.insert(compiled.module.clone(), compiled.symbol_file);
        let text = format!("MODULE Importer; IMPORT {}; BEGIN END Importer.", compiled.module);
        let imported = compile(&Source::new("Importer.Mod", text), &symbols, &Options::default());
        assert!(imported.is_ok(), "its symbol file cannot be imported: {imported:?}");
    }
});
