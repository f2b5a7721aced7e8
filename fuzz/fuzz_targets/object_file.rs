//! Arbitrary bytes as an object file: what parses is written back byte for byte, and linking it
//! never panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use obc::link::boot_image;
use obc::object::ObjectFile;

fuzz_target!(|data: &[u8]| {
    match ObjectFile::parse(data) {
        Ok(object) => {
            assert_eq!(object.to_bytes(), data);
            let _ = boot_image(std::slice::from_ref(&object));
            if let Some((name, key)) = object.imports.first() {
                let low = ObjectFile {
                    name: name.clone(),
                    key: *key,
                    code: vec![0xC700_000F; 4],
                    entries: vec![0; 4],
                    ..ObjectFile::default()
                };
                let _ = boot_image(&[object, low]);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
