//! What the tools promise, and the tests that hold them to it. A test is named by the file in
//! `tests` that it stands in and by its function.

use std::path::Path;

/// One promise.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Number.
    pub number: u8,
    /// What is promised.
    pub promise: &'static str,
    /// Tests, as `file::function`.
    pub tests: &'static [&'static str],
}

/// Declares the table.
macro_rules! features {
    ($($number:literal $promise:literal [$($test:literal),*];)*) => {
        /// All promises.
        pub const FEATURES: &[Feature] = &[$(
            Feature { number: $number, promise: $promise, tests: &[$($test),*] },
        )*];
    };
}

features! {
    1 "one name for image, card, serial line, JTAG and air" [];
    2 "the order in which a setting is found is fixed, and -v says who won" [];
    3 "one match is used, several give a menu or an error; an unknown port is never opened" [];
    4 "list shows cards, serial lines, adapters and radios in one table, in every format" [];
    5 "doctor says what cannot be opened, by whom it is held and what helps" [];
    6 "a dry run and diff say what would change and end with 0 or 1" [];
    7 "what is right already is skipped; only changed blocks are written" [];
    8 "what was written is read back from the medium" [];
    9 "disks that are no cards, or in use, are refused" [];
    10 "the tool knows the Oberon image in both forms and refuses everything else" [];
    11 "info says what an image, card or bitstream holds" [];
    12 "a bitstream for another part is refused" [];
    13 "boot over the serial line calibrates, retries, resumes and never hangs silently" [];
    14 "monitor after every write; it reconnects, logs and ends when asked" [];
    15 "the same verbs on sim:NAME" [];
    16 "a module is built, put on a board or the simulator and run in one command" [];
    17 "progress: one line a step with the same words; plain lines off a terminal; -q" [];
    18 "stdout is data, stderr is talk; JSON has a schema" [];
    19 "exit codes stand in the help and mean the same everywhere" [];
    20 "errors have code, headline, cause and help; --explain works offline" [];
    21 "completions know the boards; man pages come from the same table" [];
    22 "--host runs on another machine; a board is locked while it is worked on" [];
    23 "sniff prints a line a frame, decoded, with names and filters" [];
    24 "sniff writes and reads pcapng; extcap and a generated dissector for Wireshark" [];
    25 "sniff top shows the cluster; rules end it with an exit code" [];
    26 "captures of simulated and live air have one format; diff ignores time" [];
    27 "sniff says which frames it cannot see" [];
    28 "nothing transmits unless told to twice" [];
}

/// Features whose tests all stand in the folder, and at least one does.
///
/// # Errors
/// Names a test of the table that does not stand there.
pub fn tested(tests: &Path) -> Result<usize, String> {
    let mut count = 0;
    for feature in FEATURES {
        for test in feature.tests {
            let (file, function) = test.split_once("::").ok_or_else(|| format!("{test}: no ::"))?;
            let path = tests.join(format!("{file}.rs"));
            let text =
                std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let body = format!("#[test]\nfn {function}(");
            if !text.contains(&body) {
                return Err(format!("feature {}: there is no test {test}", feature.number));
            }
        }
        count += usize::from(!feature.tests.is_empty());
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole_and_its_tests_exist() {
        let numbers: Vec<_> = FEATURES.iter().map(|feature| feature.number).collect();
        assert_eq!(numbers, (1..=28).collect::<Vec<u8>>());
        tested(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")).unwrap();
    }
}
