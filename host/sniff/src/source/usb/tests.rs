//! Receivers against a device that expects transfers in order, byte for byte.

use super::device::UsbError::{Gone, Stalled, TimedOut};
use super::*;
use crate::decoder::{Checksum, Decoder, State, What};
use crate::forge::{self, Order};
use crate::keyring::Keyring;
use crate::source::udp::payload;
use kube_proto::key::{Key, Keys, Tag};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A transfer that is expected, and what comes of it.
#[derive(Debug)]
enum Step {
    Write(Vec<u8>, Result<(), UsbError>),
    Read(Result<Vec<u8>, UsbError>),
    Request(u8, u16, Vec<u8>, Result<(), UsbError>),
}

/// A device that goes by a script. Outside it there is no answer.
struct Script(VecDeque<Step>);

impl Device for Script {
    fn write(&mut self, bytes: &[u8]) -> Result<(), UsbError> {
        match self.0.pop_front() {
            Some(Step::Write(expected, result)) => {
                assert_eq!(bytes, expected);
                result
            }
            step => panic!("{bytes:02x?} written, expected {step:?}"),
        }
    }

    fn read(&mut self, _wait: Duration) -> Result<Vec<u8>, UsbError> {
        match self.0.front() {
            Some(Step::Read(_)) => match self.0.pop_front() {
                Some(Step::Read(result)) => result,
                _ => Err(TimedOut),
            },
            _ => Err(TimedOut),
        }
    }

    fn request(&mut self, request: u8, value: u16, data: &[u8]) -> Result<(), UsbError> {
        match self.0.pop_front() {
            Some(Step::Request(r, v, expected, result)) => {
                assert_eq!((request, value, data), (r, v, expected.as_slice()));
                result
            }
            step => panic!("request {request:02x}, expected {step:?}"),
        }
    }
}

fn found(product: u16, serial: Option<&str>, version: u16) -> Found {
    let kind = *KINDS.iter().find(|kind| kind.product == product).expect("a known one");
    Found { kind, serial: serial.map(str::to_owned), version }
}

fn heartbeat() -> Captured {
    let order = Order {
        kind: "heartbeat".to_owned(),
        node: Some("node1".to_owned()),
        ids: vec![1, 3],
        counter: 9,
        sadr: 7,
        channel: 5,
        ..Order::default()
    };
    forge::message(&order, Tag(20), &Key([7; 8]), Keys::Shared).expect("complete")
}

fn answered(command: &[u8], answer: &[u8]) -> [Step; 2] {
    [Step::Write(command.to_vec(), Ok(())), Step::Read(Ok(answer.to_vec()))]
}

/// What is written and answered when RFStorm is tuned; one answer is empty, as it may be.
fn rfstorm_tuned() -> Vec<Step> {
    let mut steps = Vec::from(answered(&[0x09, 5], &[5]));
    steps.extend(answered(&[0x0d, 5, 1, 0x20, 0xe7, 0xe7, 0xe7, 0xe7, 0xe7], &[]));
    steps
}

fn judged(frame: &Captured) -> (State, Checksum) {
    let mut decoder = Decoder::new(Keyring::new(Some(Tag(20)), Some(Key([7; 8])), Keys::Shared));
    let heard = decoder.decode(0, "usb", frame);
    (heard.state, heard.checksum)
}

fn frame(event: Event) -> Captured {
    match event {
        Event::Frame { frame, .. } => frame,
        event => panic!("{event:?}"),
    }
}

#[test]
fn rfstorm_is_tuned_polled_and_outlives_stalls() {
    let on_air = [&[0xe7; 5][..], &payload(&heartbeat()).expect("32 bytes")].concat();
    // Left over by an earlier program.
    let mut steps = vec![Step::Read(Ok(vec![0xff]))];
    steps.extend(rfstorm_tuned());
    steps.extend(answered(&[0x12], &[0xff]));
    steps.extend(answered(&[0x12], &[]));
    steps.extend(answered(&[0x12], &on_air));
    steps.push(Step::Write(vec![0x12], Err(Stalled)));
    steps.extend(answered(&[0x12], &on_air[..20]));
    steps.push(Step::Write(vec![0x12], Err(TimedOut)));
    // Three in a row: it is tuned again.
    steps.extend(rfstorm_tuned());
    steps.extend(answered(&[0x12], &on_air));
    steps.push(Step::Write(vec![0x12], Err(Gone)));
    let tuning = Tuning::default();
    let receiver = found(0x0102, None, 0x0100);
    let script = Rc::new(RefCell::new(Script(steps.into())));
    let mut listening = Listening::new(script.clone(), &receiver, tuning).expect("it is tuned");
    let wait = Duration::from_secs(5);
    let heard = frame(listening.next(wait).expect("a frame"));
    assert_eq!(heard.bits, heartbeat().bits);
    assert_eq!(judged(&heard), (State::Good, Checksum::Unchecked));
    for _ in 0..3 {
        assert!(matches!(listening.next(wait), Ok(Event::Trouble(_))));
    }
    assert_eq!(frame(listening.next(wait).expect("a frame")).bits, heartbeat().bits);
    assert_eq!(listening.dropped(), 3);
    let error = listening.next(wait).expect_err("it is gone");
    assert!(matches!(error, SourceError::Usb { error: Gone, .. }), "{error}");
    assert!(script.borrow().0.is_empty(), "nothing else was sent to it");
}

#[test]
fn rfstorm_hears_of_an_acknowledged_frame_that_it_was_there() {
    let mut steps = rfstorm_tuned();
    steps.extend(answered(&[0x12], &[&[0xe7; 5][..], &[0x5a; 32]].concat()));
    let tuning = Tuning { wirth: true, ..Tuning::default() };
    let receiver = found(0x0102, None, 0x0100);
    let mut listening =
        Listening::new(Script(steps.into()), &receiver, tuning).expect("it is tuned");
    let heard = frame(listening.next(Duration::ZERO).expect("a frame"));
    let mut decoder = Decoder::new(Keyring::new(None, None, Keys::Shared));
    assert_eq!(decoder.decode(0, "usb", &heard).what, What::Cut);
}

fn crazyradio_tuned() -> Vec<Step> {
    vec![
        Step::Request(0x30, 0, vec![], Ok(())),
        Step::Request(0x36, 32, vec![], Ok(())),
        Step::Request(0x01, 85, vec![], Ok(())),
        Step::Request(0x02, 0, vec![0xe7; 5], Ok(())),
        Step::Request(0x03, 2, vec![], Ok(())),
        Step::Request(0x22, 2, vec![], Ok(())),
    ]
}

#[test]
fn a_crazyradio_acknowledges_nothing_before_it_listens() {
    let bytes = payload(&heartbeat()).expect("32 bytes").to_vec();
    let mut steps = crazyradio_tuned();
    steps.extend([
        Step::Read(Ok(vec![])),
        Step::Read(Err(TimedOut)),
        Step::Read(Ok(bytes)),
        Step::Read(Ok(vec![1, 2, 3])),
        Step::Read(Err(Gone)),
    ]);
    let tuning = Tuning { channel: 85, rate: Rate::M2, ..Tuning::default() };
    let receiver = found(0x7777, Some("A1"), 0x0053);
    let mut listening =
        Listening::new(Script(steps.into()), &receiver, tuning).expect("it is tuned");
    let wait = Duration::from_secs(5);
    let heard = frame(listening.next(wait).expect("a frame"));
    assert_eq!((heard.channel, heard.rate), (85, Rate::M2));
    assert_eq!(judged(&heard), (State::Good, Checksum::Good));
    assert!(matches!(listening.next(wait), Ok(Event::Trouble(_))));
    assert!(matches!(listening.next(wait), Err(SourceError::Usb { error: Gone, .. })));
    // Where it would have to acknowledge it is not even tuned.
    let tuning = Tuning { wirth: true, ..tuning };
    let refused = Listening::new(Script(VecDeque::new()), &receiver, tuning);
    assert!(matches!(refused.err(), Some(SourceError::UsbActive { .. })));
    // A firmware that does not know how to be silent is not listened with.
    let steps = [Step::Request(0x30, 0, vec![], Err(Stalled))];
    let tuning = Tuning { wirth: false, ..tuning };
    let refused = Listening::new(Script(steps.into()), &receiver, tuning);
    assert!(matches!(refused.err(), Some(SourceError::Usb { error: Stalled, .. })));
}

#[test]
fn the_receiver_meant_is_the_only_one_or_the_one_named() {
    let ours = (found(0x27dd, Some("desk"), 0x0010), 9);
    assert!(matches!(choose(None, &[ours]), Ok((_, 9))));
    let one = (found(0x0102, None, 0x0100), 1);
    let two = (found(0x7777, Some("A1"), 0x0053), 2);
    let second = (found(0x7777, Some("B2"), 0x0504), 3);
    let boot = (found(0x0101, None, 0x0100), 4);
    let chosen = |serial, list: &[(Found, i32)]| choose(serial, list).map(|(_, at)| *at);
    assert!(matches!(chosen(None, &[]), Err(SourceError::UsbNone { serial: None })));
    assert!(matches!(chosen(None, &[boot.clone(), one.clone()]), Ok(1)));
    let all = [one, two, second, boot];
    assert!(matches!(chosen(None, &all), Err(SourceError::UsbSeveral { .. })));
    assert!(matches!(chosen(Some("A1"), &all), Ok(2)));
    assert!(matches!(chosen(Some("B2"), &all), Err(SourceError::UsbUseless { .. })));
    assert!(matches!(chosen(Some("C3"), &all), Err(SourceError::UsbNone { .. })));
    let twins = [(found(0x7777, Some("A1"), 0x0053), 1), (found(0x7777, Some("A1"), 0x0053), 2)];
    assert!(matches!(chosen(Some("A1"), &twins), Err(SourceError::UsbTwins { count: 2, .. })));
}

#[test]
fn an_adapter_is_meant_only_where_it_is_named() {
    let adapter = (found(0x6014, None, 0x0900), 1);
    let named = (found(0x6014, Some("FT1"), 0x0900), 2);
    let receiver = (found(0x0102, None, 0x0100), 3);
    assert_eq!(adapter.0.place(), "usb:ft232h");
    let chosen = |serial, list: &[(Found, i32)]| choose(serial, list).map(|(_, at)| *at);
    assert!(matches!(chosen(Some("ft232h"), &[adapter.clone(), receiver.clone()]), Ok(1)));
    assert!(matches!(chosen(None, &[adapter.clone(), receiver]), Ok(3)));
    let error = chosen(None, std::slice::from_ref(&adapter)).expect_err("it was not named");
    assert!(matches!(error, SourceError::UsbUnnamed { place } if place == "usb:ft232h"));
    assert!(matches!(chosen(Some("FT1"), &[adapter.clone(), named.clone()]), Ok(2)));
    // By its kind there are two.
    let error = chosen(Some("FT232H"), &[adapter, named]).expect_err("two of a kind");
    assert!(matches!(error, SourceError::UsbSeveral { .. }), "{error}");
}
