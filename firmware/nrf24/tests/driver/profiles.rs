//! Both profiles: what is written, what goes on the air, and that two stations talk.

use crate::field::{Field, Radio};
use kube_air::Timing;
use kube_proto::frame::{Address, Control, CrcMode, encode};
use nrf24::settings::{Length, Retries};
use nrf24::{Burst, Error, Listener, Settings};

/// A packet of Project Oberon to all, from 42H, type 34H, 8 bytes.
const GOLDEN: &[u8] = b"\x01\xff\x42\x34\x08\0\0\0Oberon\0\0";

/// Two genuine chips that listen.
pub fn pair(settings: &Settings) -> (Field, Radio, Radio) {
    let field = Field::new(2);
    let (a, b) = pair_of(&field, (field.radio(0), field.radio(1)), settings);
    (field, a, b)
}

/// The two drivers, listening.
pub fn pair_of(field: &Field, radios: (Radio, Radio), settings: &Settings) -> (Radio, Radio) {
    let (mut a, mut b) = radios;
    for radio in [&mut a, &mut b] {
        radio.start(settings).expect("a chip");
        radio.listen().expect("a chip");
    }
    field.pass(200_000);
    (a, b)
}

fn padded(bytes: &[u8]) -> [u8; 32] {
    std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(0))
}

#[test]
fn profile_kube_is_the_golden_frame_and_nobody_answers() {
    let (field, mut a, mut b) = pair(&Settings::kube(5));
    assert_eq!(a.send(GOLDEN), Ok(true));
    let heard = b.receive().expect("a chip").expect("a payload");
    assert_eq!(heard.as_slice(), padded(GOLDEN));
    assert_eq!(b.receive(), Ok(None));
    let frames = field.heard();
    assert_eq!(frames.len(), 1, "one frame, no acknowledgement");
    assert_eq!(frames[0].end_ns - frames[0].start_ns, 320_000);
    let golden = encode(&Address::OBERON, None, &padded(GOLDEN), CrcMode::Crc16).expect("32 bytes");
    assert_eq!(golden.as_bytes()[38..], [0xbc, 0x79]);
    field.assert_no_lints();
}

#[test]
fn profile_wirth_is_acknowledged_and_both_ways() {
    let (field, mut a, mut b) = pair(&Settings::wirth(5));
    assert_eq!(a.send(GOLDEN), Ok(true));
    assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), padded(GOLDEN));
    assert_eq!(b.send(b"answer"), Ok(true));
    assert_eq!(a.receive().expect("a chip").expect("a payload").as_slice(), padded(b"answer"));
    assert_eq!((a.statistics().sent, a.statistics().received), (1, 1));
    field.assert_no_lints();
}

#[test]
fn registers_are_those_of_the_profiles() {
    let kube = [(0, 0x7f), (1, 0), (2, 1), (3, 3), (4, 0), (5, 15), (6, 6), (0x11, 32), (0x1c, 0)];
    let wirth = [(0, 0x7f), (1, 0x3f), (2, 1), (3, 3), (4, 3), (5, 15), (6, 7), (0x11, 32)];
    for (settings, rows) in [(Settings::kube(15), &kube[..]), (Settings::wirth(15), &wirth[..])] {
        let field = Field::new(1);
        field.radio(0).start(&settings).expect("a chip");
        for &(register, value) in rows {
            assert_eq!(field.register(0, register), value, "register {register:02X}H");
        }
    }
}

#[test]
fn a_listener_hears_kube_whole_and_never_transmits() {
    let field = Field::new(2);
    let mut sender = field.radio(0);
    sender.start(&Settings::kube(5)).expect("a chip");
    let mut listener = Listener::start(field.radio(1), &Settings::kube(5)).expect("a chip");
    field.pass(200_000);
    for number in 0..20 {
        assert_eq!(sender.send(&[number; 32]), Ok(true));
        let payload = listener.receive().expect("a chip").expect("a payload");
        assert_eq!(payload.as_slice(), [number; 32]);
    }
    assert_eq!(field.heard_from(1), []);
    assert_eq!(listener.statistics().received, 20);
    assert!(field.wire(1).commands.iter().all(|command| command[0] & 0xe0 != 0xa0));
}

#[test]
fn a_listener_refuses_to_acknowledge() {
    let field = Field::new(1);
    let refused = Listener::start(field.radio(0), &Settings::wirth(5)).err();
    assert_eq!(refused, Some(Error::WouldAcknowledge));
}

#[test]
fn a_listener_hears_wirth_cut_short_and_the_pair_does_not_notice() {
    let field = Field::new(3);
    let (mut a, mut b) = (field.radio(0), field.radio(1));
    for radio in [&mut a, &mut b] {
        radio.start(&Settings::wirth(5)).expect("a chip");
        radio.listen().expect("a chip");
    }
    let cut_short = Settings::wirth_cut_short(5);
    let mut listener = Listener::start(field.radio(2), &cut_short).expect("a chip");
    field.pass(200_000);
    assert_eq!(a.send(GOLDEN), Ok(true));
    assert!(b.receive().expect("a chip").is_some());
    let payload = listener.receive().expect("a chip").expect("a payload");
    let control = Control { length: 51, pid: payload.as_slice()[0] & 3, no_ack: false };
    let bits = encode(&Address::OBERON, Some(control), &padded(GOLDEN), CrcMode::Crc16);
    let bits = bits.expect("32 bytes");
    assert_eq!(payload.as_slice(), &bits.as_bytes()[6..38]);
    assert_eq!(field.heard_from(2), []);
}

#[test]
fn three_payloads_leave_without_a_gap() {
    let (field, mut a, mut b) = pair(&Settings::kube(5));
    let payloads: [&[u8]; 3] = [&[1; 32], &[2; 32], &[3; 32]];
    assert_eq!(a.send_burst(&payloads), Ok(Burst { sent: 3, given_up: None }));
    let frames = field.heard();
    assert_eq!(frames[2].end_ns - frames[0].start_ns, 3 * 320_000);
    for payload in payloads {
        assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), payload);
    }
    assert_eq!(b.receive(), Ok(None));
    field.assert_no_lints();
}

#[test]
fn dynamic_lengths_arrive_as_sent() {
    let settings = Settings { length: Length::Dynamic, ..Settings::wirth(5) };
    let (_field, mut a, mut b) = pair(&settings);
    for len in [1, 2, 7, 31, 32] {
        let payload: Vec<u8> = (1..=len).collect();
        assert_eq!(a.send(&payload), Ok(true));
        assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), payload);
    }
}

#[test]
fn what_does_not_fit_is_refused_and_named() {
    let (_field, mut a, _b) = pair(&Settings::kube(5));
    assert_eq!(a.send(&[0; 33]), Err(Error::Payload { given: 33, allowed: 32 }));
    assert_eq!(a.send(&[]), Err(Error::Payload { given: 0, allowed: 32 }));
    let four: [&[u8]; 4] = [&[0]; 4];
    assert_eq!(a.send_burst(&four), Err(Error::TooMany { given: 4, allowed: 3 }));
}

#[test]
fn a_cold_chip_is_waited_for() {
    let field = Field::cold(1, 0, Timing::WORST);
    let mut radio = field.radio(0);
    radio.start(&Settings::kube(5)).expect("110 ms are enough");
    assert!(field.now_ns() < 130_000_000, "{} ns", field.now_ns());
}

#[test]
fn retries_are_those_that_were_set() {
    let settings =
        Settings { acknowledged: Some(Retries { delay_us: 500, count: 5 }), ..Settings::wirth(5) };
    let field = Field::new(1);
    let mut alone = field.radio(0);
    alone.start(&settings).expect("a chip");
    assert_eq!(alone.send(&[1; 32]), Ok(false));
    assert_eq!(field.heard().len(), 6);
}
