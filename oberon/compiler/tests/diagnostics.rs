//! What the compiler says about wrong programs. Each `tests/diagnostics/X.Mod` has its messages
//! in `X.expect`; `UPDATE_EXPECT=1 cargo test -p obc --test diagnostics` writes them anew.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use obc::{Source, project};

#[test]
fn messages_are_the_expected_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "Mod"))
        .collect();
    files.sort();
    assert!(files.len() >= 3);
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let source = Source::new(name, fs::read_to_string(&file).unwrap());
        let errors = project::build(&[source]).unwrap_err();
        let found: String = errors.iter().map(|e| format!("{e}\n\n")).collect();
        let expected = file.with_extension("expect");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&expected, found).unwrap();
        } else {
            let wanted = fs::read_to_string(&expected).unwrap_or_default();
            assert_eq!(found, wanted, "{}", file.display());
        }
    }
}
