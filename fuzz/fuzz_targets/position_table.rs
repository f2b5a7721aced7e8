//! A position table: it is refused, or written back it is read as the same table; what it says about
//! words and lines can be asked for.

#![no_main]

use libfuzzer_sys::fuzz_target;
use obc::positions::Table;

fuzz_target!(|data: &[u8]| {
    let Ok(table) = Table::parse(&String::from_utf8_lossy(data)) else { return };
    assert_eq!(Table::parse(&table.to_string()).as_ref(), Ok(&table));
    for word in [0, 1, table.words, u32::MAX] {
        let _ = (table.place(word), table.procedure(word));
    }
    for place in table.places.iter().take(100) {
        assert!(!table.words_of_line(place.line).is_empty());
    }
});
