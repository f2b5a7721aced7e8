//! Object files: round trip, and one fault of each kind.

use super::{ObjectError, ObjectFile};

fn sample() -> ObjectFile {
    ObjectFile {
        name: "Sample".to_string(),
        key: 0xDEAD_BEEF,
        version: 1,
        imports: vec![("Kernel".to_string(), 7), ("Files".to_string(), 0xFFFF_FFFF)],
        type_descriptors: vec![32, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 8, 0xFFFF_FFFF],
        variable_bytes: 12,
        strings: b"Hello\0\0\0".to_vec(),
        code: vec![0x4EE9_0004, 0xAFE0_0000, 0x8FE0_0000, 0x4EE8_0004, 0xC700_000F],
        commands: vec![("Run".to_string(), 0), ("Stop".to_string(), 4)],
        entries: vec![8, 0, 24],
        pointers: vec![24, 28],
        fix_p: 3,
        fix_d: 2,
        fix_t: 1,
        body: 8,
    }
}

#[test]
fn round_trip() {
    let bytes = sample().to_bytes();
    assert_eq!(ObjectFile::parse(&bytes), Ok(sample()));
}

#[test]
fn size_counts_what_the_loader_places() {
    // Descriptors 24, variables 12, strings 8, code 20, imports 8, entries 12, pointers 8 + 4,
    // commands (4 + 4) + (4 + 8) + 4.
    assert_eq!(sample().size(), 24 + 12 + 8 + 20 + 8 + 12 + 12 + 24);
}

#[test]
fn every_shorter_file_is_reported_as_truncated() {
    let bytes = sample().to_bytes();
    for length in 0..bytes.len() {
        let error = ObjectFile::parse(&bytes[..length]).unwrap_err();
        assert!(matches!(error, ObjectError::Truncated { .. }), "{length}: {error}");
    }
}

#[test]
fn unknown_version() {
    let mut bytes = sample().to_bytes();
    bytes[11] = 2;
    assert_eq!(ObjectFile::parse(&bytes), Err(ObjectError::Version { found: 2, offset: 11 }));
}

#[test]
fn wrong_marker_and_trailing_bytes() {
    let mut bytes = sample().to_bytes();
    let last = bytes.len() - 1;
    bytes[last] = b'X';
    let found = ObjectFile::parse(&bytes);
    assert_eq!(found, Err(ObjectError::Marker { found: b'X', offset: last }));
    bytes[last] = b'O';
    bytes.push(0);
    let found = ObjectFile::parse(&bytes);
    assert_eq!(found, Err(ObjectError::Trailing { offset: last + 1, extra: 1 }));
}

#[test]
fn absurd_counts_are_refused_before_anything_is_allocated() {
    let object = ObjectFile { name: "M".to_string(), ..ObjectFile::default() };
    let good = object.to_bytes();
    assert!(ObjectFile::parse(&good).is_ok());
    // name 2, key 4, version 1, size 4, import end 1
    for (at, part) in [(12, "type descriptors"), (16, "variables"), (20, "strings"), (24, "code")] {
        for value in [i32::MIN, -4, i32::MAX] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            match ObjectFile::parse(&bytes) {
                Err(ObjectError::Count { part: p, offset, value: v, .. }) => {
                    assert_eq!((p, offset, v), (part, at, value));
                }
                other => panic!("{part} {value}: {other:?}"),
            }
        }
    }
}

#[test]
fn size_that_contradicts_the_parts() {
    let mut bytes = sample().to_bytes();
    bytes[12] ^= 4;
    assert!(matches!(ObjectFile::parse(&bytes), Err(ObjectError::Size { offset: 12, .. })));
}

#[test]
fn names_must_be_identifiers() {
    for name in ["", "9P", "A B", "Ä", "A.B", "N2345678901234567890123456789012"] {
        let object = ObjectFile { name: name.to_string(), ..ObjectFile::default() };
        let found = ObjectFile::parse(&object.to_bytes());
        assert_eq!(found, Err(ObjectError::Name { part: "module", offset: 0 }), "{name}");
    }
    let longest = "N234567890123456789012345678901";
    let object = ObjectFile { name: longest.to_string(), ..ObjectFile::default() };
    assert_eq!(ObjectFile::parse(&object.to_bytes()), Ok(object));
}

#[test]
fn messages_say_cause_place_and_remedy() {
    let text = ObjectFile::parse(&[]).unwrap_err().to_string();
    assert_eq!(
        text,
        "object file ends in its module at byte 0: 1 more bytes were expected; the copy is \
         incomplete, compile or copy the module again"
    );
}
