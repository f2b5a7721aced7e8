//! Arbitrary bytes as a capture file: reading never panics, ends, and gives only frames that can be
//! written and read again.

#![no_main]

use kube_proto::pcapng::{CaptureReader, CaptureWriter, FileError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let reader = match CaptureReader::new(data) {
        Ok(reader) => reader,
        Err(error) => {
            assert!(matches!(error, FileError::NotPcapng { .. }), "{error}");
            return;
        }
    };
    let mut writer = CaptureWriter::new(Vec::new()).expect("memory takes it");
    let interface = writer.add_interface("again").expect("memory takes it");
    let mut frames = Vec::new();
    let mut ended = false;
    for record in reader {
        assert!(!ended, "it goes on behind its end");
        match record {
            Ok(record) => {
                writer.write(interface, record.at_ns, &record.frame).expect("memory takes it");
                frames.push((record.at_ns, record.frame));
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                ended = !matches!(error, FileError::Record { .. });
            }
        }
    }
    let file = writer.into_inner();
    let again: Vec<_> = CaptureReader::new(&file)
        .expect("our own file")
        .map(|record| record.map(|r| (r.at_ns, r.frame)).expect("our own record"))
        .collect();
    assert_eq!(again, frames);
});
