//! The host's side against a dongle that goes by the table, with a line that can be bad.

use super::*;
use crate::decoder::{Checksum, Decoder, State as Judged};
use crate::forge::{self, Order};
use crate::keyring::Keyring;
use crate::source::udp::payload;
use kube_proto::frame::Rate;
use kube_proto::key::{Key, Keys, Tag};

/// A dongle at the other end.
struct Fake {
    identity: Identity,
    collector: Collector,
    out: VecDeque<u8>,
    /// What it says after it was tuned.
    after: Vec<u8>,
    gone: bool,
}

impl Fake {
    fn new(after: Vec<u8>) -> Self {
        let settings = Settings { channel: 0, rate: Rate::K250, wirth: false, address: [0; 5] };
        let identity = Identity {
            protocol: PROTOCOL,
            firmware: [0, 1, 0],
            time_us: 5_000_000,
            state: State::Idle,
            settings,
        };
        Self { identity, collector: Collector::new(), out: VecDeque::new(), after, gone: false }
    }

    fn say(&mut self, message: &FromDongle) {
        let (line, len) = message.line();
        self.out.extend(&line[..len]);
    }
}

impl Line for Fake {
    fn receive(&mut self, _wait: Duration) -> Result<Vec<u8>, DongleError> {
        if self.gone && self.out.is_empty() {
            return Err(DongleError::Gone);
        }
        // In pieces that are no lines.
        Ok(self.out.drain(..self.out.len().min(37)).collect())
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), DongleError> {
        for &byte in bytes {
            let message = self.collector.push(byte).ok().flatten().and_then(FromHost::parse);
            match message {
                Some(FromHost::Tune(settings)) if settings.channel <= 125 => {
                    if self.identity.state == State::Idle {
                        self.identity.state = State::Listens;
                    }
                    self.identity.settings = settings;
                    self.say(&FromDongle::Identity(self.identity));
                    let after = std::mem::take(&mut self.after);
                    self.out.extend(after);
                    self.gone = true;
                }
                Some(FromHost::Tune(_)) => self.say(&FromDongle::Refused(2)),
                Some(FromHost::Identify) => self.say(&FromDongle::Identity(self.identity)),
                Some(_) | None => {}
            }
        }
        Ok(())
    }
}

fn heard(number: u32, dropped: u32) -> Frame {
    let order = Order {
        kind: "heartbeat".to_owned(),
        node: Some("node1".to_owned()),
        ids: vec![1, 3],
        counter: 9 + number,
        sadr: 7,
        channel: 5,
        ..Order::default()
    };
    let frame = forge::message(&order, Tag(20), &Key([7; 8]), Keys::Shared).expect("complete");
    Frame {
        number,
        time_us: 6_000_000 + u64::from(number) * 1_000,
        channel: 5,
        rate: Rate::M1,
        flags: Frame::CRC_GOOD,
        dropped,
        payload: payload(&frame).expect("32 bytes"),
        len: 32,
    }
}

fn line(frame: Frame) -> Vec<u8> {
    let (line, len) = FromDongle::Frame(frame).line();
    line[..len].to_vec()
}

fn open(fake: Fake) -> Result<Dongle<Fake>, SourceError> {
    Dongle::new(fake, "usb:kube".to_owned(), Tuning::default())
}

fn why(opened: Result<Dongle<Fake>, SourceError>) -> DongleError {
    match opened.err() {
        Some(SourceError::Dongle { error, .. }) => error,
        other => panic!("{other:?}"),
    }
}

/// All events up to its end, and why it ended.
fn all(dongle: &mut Dongle<Fake>) -> (Vec<Event>, SourceError) {
    let mut events = Vec::new();
    loop {
        match dongle.next(Duration::from_millis(100)) {
            Ok(event) => events.push(event),
            Err(error) => return (events, error),
        }
    }
}

#[test]
fn frames_come_whole_with_the_air_s_times() {
    let after = [line(heard(0, 0)), line(heard(1, 0))].concat();
    let mut dongle = open(Fake::new(after)).expect("a dongle");
    let (events, end) = all(&mut dongle);
    assert!(matches!(end, SourceError::Dongle { error: DongleError::Gone, .. }));
    let mut decoder = Decoder::new(Keyring::new(Some(Tag(20)), Some(Key([7; 8])), Keys::Shared));
    let mut times = Vec::new();
    for event in &events {
        let Event::Frame { at_ns, frame, .. } = event else { panic!("{event:?}") };
        let judged = decoder.decode(*at_ns, "usb:kube", frame);
        assert_eq!((judged.state, judged.checksum), (Judged::Good, Checksum::Good));
        times.push(*at_ns);
    }
    assert_eq!(times.len(), 2);
    assert_eq!(times[1] - times[0], 1_000_000);
    // Tuned at 5 s by its clock; the frame's end at 6 s, its first bit 320 us before.
    let (then_us, then_ns) = dongle.clock;
    assert_eq!((then_us, times[0] - then_ns), (5_000_000, 999_680_000));
    assert_eq!(dongle.dropped(), 0);
}

#[test]
fn what_is_lost_on_the_way_or_for_want_of_room_is_told_and_counted() {
    let mut bitten = line(heard(1, 0));
    bitten[20] ^= 4;
    let after = [
        line(heard(0, 0)),
        bitten,
        line(heard(2, 0)),
        line(heard(6, 0)),
        line(heard(7, 100)),
        b"\n\n".to_vec(),
    ];
    let mut dongle = open(Fake::new(after.concat())).expect("a dongle");
    let (events, _) = all(&mut dongle);
    let troubles: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Trouble(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(events.len() - troubles.len(), 4, "what came whole is there");
    assert!(troubles[0].contains("check does not fit"), "{troubles:?}");
    assert!(troubles[1].contains("3 frames were lost between"), "{troubles:?}");
    assert!(troubles[2].contains("100 frames were dropped in the dongle"), "{troubles:?}");
    assert_eq!(troubles.len(), 3);
    // With one for each trouble: 1 + 3 + 100.
    assert_eq!(dongle.dropped() + 3, 104);
}

#[test]
fn what_is_no_dongle_of_ours_is_told_by_what_it_is() {
    let mut newer = Fake::new(Vec::new());
    newer.identity.protocol = PROTOCOL + 1;
    newer.identity.firmware = [3, 2, 1];
    let error = why(open(newer));
    assert_eq!(error, DongleError::Version { protocol: PROTOCOL + 1, firmware: [3, 2, 1] });
    assert!(error.to_string().contains("3.2.1"), "{error}");

    let mut modem = Fake::new(Vec::new());
    modem.out.extend(b"OK\r\n".repeat(100));
    assert!(matches!(why(open(modem)), DongleError::Garbage { damaged: DAMAGED_MAX, .. }));

    for (state, error) in
        [(State::Absent, DongleError::NoChip), (State::Differs, DongleError::ChipDiffers)]
    {
        let mut lame = Fake::new(Vec::new());
        lame.identity.state = state;
        assert_eq!(why(open(lame)), error);
    }
    let tuning = Tuning { channel: 130, ..Tuning::default() };
    let refused = Dongle::new(Fake::new(Vec::new()), "usb:kube".to_owned(), tuning);
    assert_eq!(why(refused), DongleError::Refused { channel: 130 });
}

#[test]
fn frames_of_before_are_passed_over() {
    let mut fake = Fake::new(line(heard(0, 0)));
    // The end of one, whole ones, and an identity that was asked for by an earlier program.
    fake.out.extend(&line(heard(7, 0))[30..]);
    fake.out.extend(line(heard(8, 3)));
    fake.say(&FromDongle::Identity(fake.identity));
    fake.out.extend(line(heard(9, 3)));
    let mut dongle = open(fake).expect("a dongle");
    let (events, _) = all(&mut dongle);
    assert!(matches!(events.as_slice(), [Event::Frame { .. }]), "{events:?}");
}
