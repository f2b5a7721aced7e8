//! Capture files of stations and taps.

use crate::rig::*;
use kube_air::{AirConfig, Outcome, Recorder};
use kube_proto::capture::{Captured, Flags};
use kube_proto::frame::{self, Format};
use kube_proto::pcapng::{CaptureReader, CaptureWriter, FileError, FileRecord};

fn read_all(file: &[u8]) -> Vec<FileRecord> {
    let reader = CaptureReader::new(file).expect("it is pcapng");
    reader.collect::<Result<_, _>>().expect("it is whole")
}

/// Three frames from 0 and one from 1 that collides with the third, seen by 0, 2 and a tap.
fn sample() -> (Vec<u8>, Vec<FileRecord>) {
    let mut rig = Rig::with(3, AirConfig { keep_log: true, ..AirConfig::default() });
    let tap = rig.air.add_tap();
    rig.listen(2);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + 2 * MS);
    let (zero, two) = (rig.stations[0], rig.stations[2]);
    rig.air.link_mut(zero, two).bit_error_rate = Some(0.01);
    rig.send(0, 2);
    rig.run_to(START + 3 * MS);
    rig.air.link_mut(zero, two).bit_error_rate = None;
    rig.send(0, 3);
    rig.run_to(START + 3 * MS + 50 * US);
    rig.send(1, 4);
    rig.run_to(START + 4 * MS);
    let mut recorder = Recorder::new(Vec::new()).expect("memory takes it");
    recorder.add_station(zero, "zero").expect("memory takes it");
    recorder.add_station(two, "two").expect("memory takes it");
    let at = recorder.add_tap("tap").expect("memory takes it");
    let log = rig.log();
    assert!(matches!(log[1].outcomes[2], Outcome::Crc | Outcome::Garbled), "{:?}", log[1].outcomes);
    recorder.record(&log).expect("memory takes it");
    recorder.see(at, &rig.air.take_seen(tap)).expect("memory takes it");
    let file = recorder.finish();
    let records = read_all(&file);
    (file, records)
}

#[test]
fn stations_and_tap_write_what_they_got_and_bad_frames_are_flagged() {
    let (_, records) = sample();
    let facts = |name: &str| {
        let own = records.iter().filter(|r| r.name == name);
        own.map(|r| (r.at_ns, r.frame.flags)).collect::<Vec<_>>()
    };
    let known = |flags: Flags| flags.and(Flags::CONTROL_KNOWN);
    let at = |ms: u64, us: u64| START + ms * MS + us * US;
    let sent = known(Flags::SENT);
    assert_eq!(facts("zero"), [(at(1, 130), sent), (at(2, 130), sent), (at(3, 130), sent)]);
    let (ok, bad) = (known(Flags::CRC_OK), known(Flags::CRC_BAD));
    let collided = bad.and(Flags::COLLISION);
    let two = facts("two");
    assert_eq!(two, [(at(1, 130), ok), (at(2, 130), bad), (at(3, 130), collided)]);
    // The bit errors are on the way to station 2 alone.
    let tap = [(at(1, 130), ok), (at(2, 130), ok), (at(3, 130), collided), (at(3, 180), collided)];
    assert_eq!(facts("tap"), tap);
    let first: Captured = records[0].frame;
    let decoded = frame::decode(&first.frame_bits(), &Format::KUBE).expect("whole");
    assert_eq!((decoded.payload()[0], decoded.crc_ok, first.channel), (1, true, 5));
    for record in records.iter().filter(|r| r.frame.flags.has(Flags::CRC_BAD)) {
        let decoded = frame::decode(&record.frame.frame_bits(), &Format::KUBE).expect("whole");
        assert!(!decoded.crc_ok);
    }
}

#[test]
fn a_file_cut_short_anywhere_is_named_and_what_is_before_the_cut_is_read() {
    let (file, records) = sample();
    let mut whole = 0;
    for cut in 0..file.len() {
        let reader = match CaptureReader::new(&file[..cut]) {
            Ok(reader) => reader,
            Err(FileError::NotPcapng { reason }) => {
                assert!(cut < 48, "{cut}: {reason}");
                continue;
            }
            Err(other) => panic!("{cut}: {other}"),
        };
        let read: Vec<_> = reader.collect();
        let (good, bad): (Vec<_>, Vec<_>) = read.into_iter().partition(Result::is_ok);
        let good: Vec<_> = good.into_iter().flatten().collect();
        assert_eq!(good[..], records[..good.len()], "cut at {cut}");
        match &bad[..] {
            [] => whole += 1,
            [Err(FileError::CutShort { records, at_byte, left })] => {
                assert_eq!(*records, good.len() as u64);
                assert_eq!(at_byte + left, cut);
            }
            other => panic!("{cut}: {other:?}"),
        }
    }
    // Between blocks nothing tells that more was to come: section, 3 interfaces, 9 records before
    // the last.
    assert_eq!(whole, 13);
}

#[test]
fn damage_is_named_and_never_fatal() {
    let (file, records) = sample();
    assert!(matches!(CaptureReader::new(b""), Err(FileError::NotPcapng { .. })));
    assert!(matches!(
        CaptureReader::new(&[0xd4, 0xc3, 0xb2, 0xa1]),
        Err(FileError::NotPcapng { .. })
    ));
    for at in 0..file.len() {
        for value in [0x00, 0xff, file[at] ^ 1, file[at] ^ 0x80] {
            let mut damaged = file.clone();
            damaged[at] = value;
            if let Ok(reader) = CaptureReader::new(&damaged) {
                assert!(reader.count() <= records.len() + 1, "byte {at} = {value:02x}");
            }
        }
    }
}

#[test]
fn a_record_that_is_no_frame_is_named_and_the_next_is_read() {
    let (file, records) = sample();
    let mut damaged = file.clone();
    // The version of the first record's pseudo-header.
    let at = file.windows(5).position(|w| w[..2] == [1, 12] && w[4] == 5).expect("a header");
    damaged[at] = 9;
    let read: Vec<_> = CaptureReader::new(&damaged).expect("pcapng").collect();
    assert!(matches!(read[0], Err(FileError::Record { record: 0, .. })), "{:?}", read[0]);
    let rest: Vec<_> = read.into_iter().skip(1).map(|r| r.expect("whole")).collect();
    assert_eq!(rest, records[1..]);
}

#[test]
fn a_writer_without_the_interface_refuses() {
    let mut writer = CaptureWriter::new(Vec::new()).expect("memory takes it");
    let (_, records) = sample();
    let refused = writer.write(0, 1, &records[0].frame);
    assert!(matches!(refused, Err(FileError::Interface { interface: 0, known: 0 })));
}
