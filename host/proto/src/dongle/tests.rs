use super::*;
use crate::frame::Rate;
use std::vec::Vec;

fn settings() -> Settings {
    Settings { channel: 75, rate: Rate::M2, wirth: false, address: [1, 2, 3, 10, 0xe7] }
}

fn from_host() -> [FromHost; 4] {
    [FromHost::Identify, FromHost::Tune(settings()), FromHost::Count, FromHost::Bootloader]
}

fn from_dongle() -> [FromDongle; 4] {
    let identity = Identity {
        protocol: PROTOCOL,
        firmware: [0, 10, 255],
        time_us: 0x0a0a_0a0a_0102_0304,
        state: State::Listens,
        settings: settings(),
    };
    let statistics = Statistics {
        time_us: 7,
        received: 10,
        dropped: 2,
        chip_full: 0,
        restarts: 1,
        damaged: u32::MAX,
    };
    let frame = Frame {
        number: 9,
        time_us: 1_000_000,
        channel: 5,
        rate: Rate::K250,
        flags: Frame::CRC_GOOD,
        dropped: 0,
        payload: [10; PAYLOAD_BYTES],
        len: PAYLOAD_BYTES as u8,
    };
    [
        FromDongle::Identity(identity),
        FromDongle::Statistics(statistics),
        FromDongle::Frame(frame),
        FromDongle::Refused(2),
    ]
}

/// Messages and damaged lines among bytes.
fn collect(bytes: &[u8]) -> Vec<Result<Vec<u8>, Damage>> {
    let mut collector = Collector::new();
    let mut all = Vec::new();
    for &byte in bytes {
        match collector.push(byte) {
            Ok(Some(body)) => all.push(Ok(body.to_vec())),
            Ok(None) => {}
            Err(damage) => all.push(Err(damage)),
        }
    }
    all
}

#[test]
fn each_message_is_as_long_as_its_row_says_and_comes_back() {
    let (mut host, mut dongle) = (from_host().into_iter(), from_dongle().into_iter());
    for row in &MESSAGES {
        assert!(row.bytes() <= MESSAGE_MAX, "{}", row.name);
        let (line, len) = match row.from {
            Speaker::Host => host.next().expect("a message for each row").line(),
            Speaker::Dongle => dongle.next().expect("a message for each row").line(),
        };
        let all = collect(&line[..len]);
        let [Ok(body)] = all.as_slice() else { panic!("{}: {all:?}", row.name) };
        assert_eq!((body[0], body.len()), (row.kind, row.bytes()), "{}", row.name);
        match row.from {
            Speaker::Host => {
                assert!(from_host().contains(&FromHost::parse(body).expect(row.name)));
            }
            Speaker::Dongle => assert!(from_dongle().contains(&parse(body).expect(row.name))),
        }
        for cut in 1..body.len() {
            assert_eq!(FromHost::parse(&body[..cut]), None, "{} {cut}", row.name);
            let frame = row.name == "frame" && cut + PAYLOAD_BYTES >= row.bytes();
            // Of an empty line nothing is known, of a frame the payload may be short.
            assert_eq!(parse(&body[..cut]).is_some(), frame, "{} {cut}", row.name);
        }
    }
    assert_eq!((host.next(), dongle.next()), (None, None));
}

#[test]
fn the_layout_on_the_line_is_published() {
    let (line, len) = FromHost::Tune(settings()).line();
    let unstuffed: Vec<u8> = line[..len].iter().map(|byte| byte ^ 10).collect();
    // Four bytes and a zero are a run of code 5, the nine behind them one of code 10.
    assert_eq!(
        unstuffed[..11],
        [5, 2, 75, 0xd0, 7, 10, 1, 2, 3, 10, 0xe7],
        "kind 2, channel 75, 2000 kbit/s, profile 0, address"
    );
    assert_eq!((len, unstuffed[len - 1]), (16, 0));
}

#[test]
fn whatever_is_lost_or_changed_costs_one_message_and_is_noticed() {
    let lines: Vec<_> = from_dongle().iter().map(FromDongle::line).collect();
    let (bitten, len) = (lines[2].0, lines[2].1);
    let (after, after_len) = (lines[1].0, lines[1].1);
    let survives = |bytes: &[u8], what: &str, at: usize| {
        let mut all = bytes.to_vec();
        all.extend_from_slice(&after[..after_len]);
        let all = collect(&all);
        let good: Vec<_> = all.iter().filter_map(|m| m.as_ref().ok()).collect();
        assert_eq!(good.len(), 1, "{what} {at}");
        assert!(matches!(parse(good[0]), Some(FromDongle::Statistics(_))));
        assert!(all.iter().any(Result::is_err), "{what} {at}");
    };
    for at in 0..len - 1 {
        let mut lost = bitten[..len].to_vec();
        lost.remove(at);
        survives(&lost, "lost", at);
        for bit in 0..8 {
            let mut flipped = bitten[..len].to_vec();
            flipped[at] ^= 1 << bit;
            survives(&flipped, "flipped", at);
        }
    }
}

#[test]
fn garbage_is_told_once_a_line() {
    let mut bytes = std::vec![b'x'; 1000];
    bytes.push(b'\n');
    bytes.extend_from_slice(b"hello\n\n\n");
    let (line, len) = FromHost::Identify.line();
    bytes.extend_from_slice(&line[..len]);
    let all = collect(&bytes);
    assert_eq!(all[..2], [Err(Damage::Long), Err(Damage::Check { bytes: 5 })]);
    assert_eq!(all[2..], [Ok(std::vec![IDENTIFY])]);
}

#[test]
fn of_another_version_the_versions_are_read() {
    let body = [IDENTITY, PROTOCOL + 1, 3, 2, 1, 99];
    let Some(FromDongle::Identity(identity)) = parse(&body) else { panic!("an identity") };
    assert_eq!((identity.protocol, identity.firmware), (PROTOCOL + 1, [3, 2, 1]));
}
