//! An FT232H with a radio module, heard by the code of `kube-sniff` transfer by transfer. Bytes stand here as
//! FTDI's AN_108 has them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use kube_air::{AirConfig, Chip, Departure, StationId, Timing};
use kube_boards::fleet::Fleet;
use kube_lab::ft232h::{Fault, Ft232h};
use kube_lab::lab::{Lab, Setup};
use kube_lab::world::World;
use kube_proto::bits::Bits;
use kube_proto::capture::Captured;
use kube_proto::frame::{Address, CrcMode, Rate, encode};
use kube_proto::key::Keys;
use kube_sniff::decoder::{Checksum, Decoder, State, What};
use kube_sniff::keyring::Keyring;
use kube_sniff::source::usb::device::UsbError;
use kube_sniff::source::usb::{Found, KINDS, Listening, Tuning};
use kube_sniff::source::{Event, Source, SourceError};

const MS: u64 = 1_000_000;

type Shared = Rc<RefCell<Ft232h>>;

fn found() -> Found {
    let kind = *KINDS.iter().find(|kind| kind.is_adapter()).unwrap();
    Found { kind, serial: Some("FT1".to_owned()), version: 0x0900 }
}

/// An adapter with a module, and somebody who sends.
fn field() -> (Shared, StationId) {
    let world = World::new(AirConfig::default(), 1).unwrap();
    let mut adapter = Ft232h::new(world);
    let sender = adapter.world().add_outsider();
    adapter.pass(200 * MS);
    (Rc::new(RefCell::new(adapter)), sender)
}

fn listen(adapter: &Shared, tuning: Tuning) -> Result<Listening, SourceError> {
    Listening::new(adapter.clone(), &found(), tuning)
}

fn payload(number: u8) -> [u8; 32] {
    std::array::from_fn(|at| (at as u8).wrapping_mul(7) ^ number)
}

/// Frames one behind the other, with so much between them.
fn send(adapter: &Shared, sender: StationId, count: u8, rate: Rate, gap_ns: u64) -> Vec<Bits> {
    let mut adapter = adapter.borrow_mut();
    let mut start_ns = adapter.now_ns() + MS;
    let mut sent = Vec::new();
    for number in 0..count {
        let bits = encode(&Address::OBERON, None, &payload(number), CrcMode::Crc16).unwrap();
        let departure = Departure { start_ns, channel: 5, rate, power_dbm: 0, bits };
        adapter.world().air_mut().inject(sender, departure);
        sent.push(Captured::without_preamble(&bits));
        start_ns = departure.end_ns() + gap_ns;
    }
    sent
}

/// What is heard until so much machine time has gone.
fn hear(listening: &mut Listening, adapter: &Shared, ms: u64) -> Vec<Captured> {
    let until_ns = adapter.borrow().now_ns() + ms * MS;
    let mut heard = Vec::new();
    while adapter.borrow().now_ns() < until_ns {
        match listening.next(Duration::ZERO).unwrap() {
            Event::Frame { frame, .. } => heard.push(frame),
            Event::Quiet(_) => {}
            event => panic!("{event:?}"),
        }
    }
    assert!(adapter.borrow().fault().is_none());
    heard
}

fn bits(heard: &[Captured]) -> Vec<Bits> {
    heard.iter().map(|frame| frame.bits).collect()
}

fn assert_no_lints(adapter: &Shared) {
    let mut adapter = adapter.borrow_mut();
    assert_eq!(adapter.world().chip().unwrap().lints().broken().collect::<Vec<_>>(), []);
}

#[test]
fn transfers_are_those_of_the_documents() {
    let (adapter, _) = field();
    let mut listening = listen(&adapter, Tuning::default()).unwrap();
    {
        let adapter = adapter.borrow();
        // Reset, latency of 1 ms, mode none, mode MPSSE, both buffers emptied (AN_135 4.2).
        let requests = [(0, 0), (9, 1), (0x0b, 0), (0x0b, 0x0200), (0, 1), (0, 2)];
        assert_eq!(adapter.requests, requests);
        let first: [&[u8]; 4] = [
            // An opcode that there is not, and its answer at once.
            &[0xaa, 0x87],
            // 60 MHz, not adaptive, two phases, no loopback, 7.5 MHz; CSN high, the rest low.
            &[0x8a, 0x97, 0x8d, 0x85, 0x86, 0x03, 0x00, 0x80, 0x08, 0x1b],
            // CE low; CSN low, STATUS is read by a NOP, CSN high, at once.
            &[
                0x80, 0x08, 0x1b, 0x80, 0x00, 0x1b, 0x31, 0x00, 0x00, 0xff, 0x80, 0x08, 0x1b, 0x80,
                0x08, 0x1b, 0x87,
            ],
            // The same with SETUP_AW and its value.
            &[
                0x80, 0x00, 0x1b, 0x31, 0x01, 0x00, 0x03, 0xff, 0x80, 0x08, 0x1b, 0x80, 0x08, 0x1b,
                0x87,
            ],
        ];
        assert_eq!(adapter.written[..4], first);
        assert_eq!(adapter.clock_hz(), 7_500_000);
        // The last before it listens: CE high.
        assert_eq!(*adapter.written.last().unwrap(), [0x80, 0x18, 0x1b]);
    }
    let count = adapter.borrow().written.len();
    assert!(matches!(listening.next(Duration::ZERO), Ok(Event::Quiet(_))));
    // A look: FIFO_STATUS is read, with CE high.
    let look =
        [0x80, 0x10, 0x1b, 0x31, 0x01, 0x00, 0x17, 0xff, 0x80, 0x18, 0x1b, 0x80, 0x18, 0x1b, 0x87];
    assert_eq!(adapter.borrow().written[count..], [look.to_vec()]);
}

#[test]
fn a_frame_costs_two_transfers_and_nothing_is_sent() {
    let (adapter, sender) = field();
    let mut listening = listen(&adapter, Tuning::default()).unwrap();
    let sent = send(&adapter, sender, 1, Rate::M1, 0);
    adapter.borrow_mut().pass(5 * MS);
    let count = adapter.borrow().written.len();
    let Ok(Event::Frame { frame, interface, .. }) = listening.next(Duration::ZERO) else {
        panic!("a frame")
    };
    assert_eq!((frame.bits, interface.as_str()), (sent[0], "usb:FT1"));
    // FIFO_STATUS, R_RX_PAYLOAD; the flag is cleared with the next.
    assert_eq!(adapter.borrow().written.len() - count, 2);
    let mut decoder = Decoder::new(Keyring::new(None, None, Keys::Shared));
    assert_eq!(decoder.decode(0, "usb", &frame).checksum, Checksum::Good);
    assert!(matches!(listening.next(Duration::ZERO), Ok(Event::Quiet(_))));
    let mut clear = vec![0x80, 0x10, 0x1b, 0x11, 0x01, 0x00, 0x27, 0x40];
    clear.extend([0x80, 0x18, 0x1b].repeat(2));
    assert!(adapter.borrow().written.last().unwrap().starts_with(&clear));
    let station = adapter.borrow().station();
    let seen = adapter.borrow_mut().take_seen();
    assert!(seen.len() == 1 && seen[0].flight.sender != station);
    assert_no_lints(&adapter);
}

#[test]
fn three_in_a_row_are_heard_and_of_more_what_there_is_room_for() {
    for (rate, all) in [(Rate::M1, 90), (Rate::M2, 60)] {
        let (adapter, sender) = field();
        let tuning = Tuning { rate, ..Tuning::default() };
        let mut listening = listen(&adapter, tuning).unwrap();
        for _ in 0..20 {
            let sent = send(&adapter, sender, 3, rate, 0);
            assert_eq!(bits(&hear(&mut listening, &adapter, 10)), sent);
        }
        // One every millisecond, without end.
        let sent = send(&adapter, sender, 200, rate, MS);
        assert_eq!(bits(&hear(&mut listening, &adapter, 300)), sent);
        // Without a gap what is lost is lost whole, and the rest comes in order.
        let sent = send(&adapter, sender, 200, rate, 0);
        let heard = bits(&hear(&mut listening, &adapter, 100));
        let mut rest = sent.iter();
        assert!(heard.iter().all(|frame| rest.any(|sent| sent == frame)));
        assert!(heard.len() >= all && heard.len() < 200, "{rate:?}: {}", heard.len());
        assert_no_lints(&adapter);
    }
}

#[test]
fn a_lab_is_heard_frame_by_frame() {
    let fleet = Fleet::new(4, "kube", "00c0ffee00c0ffee").unwrap();
    let system = kube_modules::build().unwrap();
    let mut lab = Lab::new(&system, &Setup::new(&fleet, 11)).unwrap();
    lab.run_ms(2_000).unwrap();
    lab.command("plane", "Kube.Ensure web 8 Ticker");
    let adapter = Rc::new(RefCell::new(Ft232h::new(lab.into_world())));
    let mut listening = listen(&adapter, Tuning::default()).unwrap();
    adapter.borrow_mut().take_seen();
    let heard = hear(&mut listening, &adapter, 20_000);
    let station = adapter.borrow().station();
    let seen = adapter.borrow_mut().take_seen();
    assert!(seen.iter().all(|sighting| sighting.flight.sender != station), "passive stays passive");
    // Those that collided are not handed on by a chip.
    let whole = seen.iter().filter(|seen| seen.outcome == kube_air::Outcome::Delivered);
    let whole: Vec<_> = whole.map(|seen| Captured::without_preamble(&seen.bits)).collect();
    assert!(heard.len() > 150, "{}", heard.len());
    assert_eq!(bits(&heard), whole);
    let keyring = Keyring::new(Some(fleet.tag()), Some(fleet.key()), fleet.keys);
    let mut decoder = Decoder::new(keyring);
    for frame in &heard {
        assert_eq!(decoder.decode(0, "usb", frame).state, State::Good);
    }
    assert_no_lints(&adapter);
}

#[test]
fn of_acknowledged_frames_it_hears_that_they_were_there() {
    let (adapter, sender) = field();
    let tuning = Tuning { wirth: true, ..Tuning::default() };
    let mut listening = listen(&adapter, tuning).unwrap();
    send(&adapter, sender, 1, Rate::M1, 0);
    let heard = hear(&mut listening, &adapter, 10);
    let mut decoder = Decoder::new(Keyring::new(None, None, Keys::Shared));
    assert_eq!(decoder.decode(0, "usb", &heard[0]).what, What::Cut);
    let station = adapter.borrow().station();
    let seen = adapter.borrow_mut().take_seen();
    assert!(seen.iter().all(|seen| seen.flight.sender != station), "no acknowledgement");
}

/// The frames that are heard after some trouble, and how often there was trouble.
fn troubled(faults: &[Fault]) -> (usize, usize) {
    let (adapter, sender) = field();
    let mut listening = listen(&adapter, Tuning::default()).unwrap();
    adapter.borrow_mut().faults.extend(faults.iter().cloned());
    let (mut troubles, mut quiet) = (0, 0);
    while quiet < 3 {
        match listening.next(Duration::ZERO).unwrap() {
            Event::Trouble(text) => {
                assert!(text.starts_with("usb:FT1: "), "{text}");
                troubles += 1;
            }
            Event::Quiet(_) => quiet += 1,
            event => panic!("{event:?}"),
        }
    }
    let sent = send(&adapter, sender, 3, Rate::M1, 0);
    let heard = hear(&mut listening, &adapter, 10);
    assert_eq!(bits(&heard), sent, "{faults:?}");
    assert_eq!(listening.dropped(), troubles as u64);
    assert_no_lints(&adapter);
    (heard.len(), troubles)
}

#[test]
fn stalls_empty_packets_and_bytes_lost_are_outlived() {
    use UsbError::{Stalled, TimedOut};
    assert_eq!(troubled(&[Fault::Out(Stalled)]), (3, 1));
    assert_eq!(troubled(&[Fault::Out(TimedOut)]), (3, 1));
    assert_eq!(troubled(&[Fault::In(Stalled)]), (3, 1));
    assert_eq!(troubled(&[Fault::Empty, Fault::Empty]), (3, 0), "it comes with the next packet");
    // Its answer comes although nobody waits for it any more: it must not be taken for the next.
    assert_eq!(troubled(&[Fault::LateOut(TimedOut)]), (3, 1));
    assert_eq!(troubled(&[Fault::In(TimedOut)]), (3, 1));
    // Opcodes without their beginning: the rest is nonsense, answered by FA.
    assert_eq!(troubled(&[Fault::Bitten]), (3, 1));
    // Three in a row: it is set up from the beginning.
    let (heard, troubles) = troubled(&vec![Fault::Out(Stalled); 3]);
    assert_eq!((heard, troubles), (3, 3));
}

#[test]
fn answers_may_come_in_packets_of_64_bytes() {
    let (adapter, sender) = field();
    adapter.borrow_mut().wiring.packet_bytes = Some(16);
    let mut listening = listen(&adapter, Tuning::default()).unwrap();
    let sent = send(&adapter, sender, 3, Rate::M1, 0);
    assert_eq!(bits(&hear(&mut listening, &adapter, 20)), sent);
}

#[test]
fn pulled_out_it_is_told_at_once() {
    for fault in [Fault::Out(UsbError::Gone), Fault::In(UsbError::Gone)] {
        let (adapter, _) = field();
        let mut listening = listen(&adapter, Tuning::default()).unwrap();
        adapter.borrow_mut().faults.push_back(fault);
        let error = listening.next(Duration::from_secs(5)).expect_err("it is gone");
        assert!(matches!(&error, SourceError::Usb { error: UsbError::Gone, .. }), "{error}");
    }
}

fn refused(adapter: &Shared) -> UsbError {
    match listen(adapter, Tuning::default()).err() {
        Some(SourceError::Usb { error, .. }) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn another_chip_a_missing_module_and_a_stuck_wire_are_told_apart() {
    let (adapter, _) = field();
    adapter.borrow_mut().wiring.no_mpsse = true;
    assert_eq!(refused(&adapter), UsbError::NoMpsse { bytes: 0 });
    for (level, read) in [(true, 0xff), (false, 0x00)] {
        let (adapter, _) = field();
        adapter.borrow_mut().wiring.miso = Some(level);
        let error = refused(&adapter);
        assert_eq!(error, UsbError::NoRadio { read });
        assert!(error.remedy().contains("docs/dongle.md"));
        // Once, and not at each clock.
        assert_eq!(adapter.borrow().requests.iter().filter(|r| **r == (0, 0)).count(), 1);
    }
    // A module that has no power yet drives nothing low, and comes up a moment later.
    let (adapter, _) = field();
    let now_ns = adapter.borrow().now_ns();
    *adapter.borrow_mut().world().chip().unwrap() = Chip::new(now_ns, Timing::default());
    assert!(listen(&adapter, Tuning::default()).is_ok());
}

#[test]
fn long_wires_make_it_slower() {
    let (adapter, sender) = field();
    adapter.borrow_mut().wiring.slow_only_hz = Some(4_000_000);
    let mut listening = listen(&adapter, Tuning::default()).unwrap();
    assert_eq!(adapter.borrow().clock_hz(), 3_750_000);
    let sent = send(&adapter, sender, 3, Rate::M1, 0);
    assert_eq!(bits(&hear(&mut listening, &adapter, 10)), sent);
    let (adapter, _) = field();
    adapter.borrow_mut().wiring.slow_only_hz = Some(500_000);
    assert!(matches!(refused(&adapter), UsbError::RadioDiffers { .. }));
}

#[test]
fn a_supply_that_dips_is_found_and_the_module_hears_again() {
    // The chip's reset takes 100 ms. Found after it the registers are lost, in it nothing answers.
    for (later_ms, cause, most) in [(200, "its supply dips", 1), (0, "no radio module answers", 3)]
    {
        let (adapter, sender) = field();
        let mut listening = listen(&adapter, Tuning::default()).unwrap();
        {
            let adapter = &mut *adapter.borrow_mut();
            let now_ns = adapter.now_ns();
            adapter.world().chip().unwrap().brown_out(now_ns);
            adapter.pass(later_ms * MS);
        }
        let (begun_ns, mut told) = (adapter.borrow().now_ns(), Vec::new());
        while adapter.borrow().now_ns() < begun_ns + 3_000 * MS {
            if let Event::Trouble(text) = listening.next(Duration::ZERO).unwrap() {
                told.push(text);
            }
        }
        assert!((1..=most).contains(&told.len()) && told[0].contains(cause), "{told:?}");
        let sent = send(&adapter, sender, 3, Rate::M1, 0);
        assert_eq!(bits(&hear(&mut listening, &adapter, 10)), sent);
    }
}
