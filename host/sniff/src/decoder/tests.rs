use super::*;
use crate::forge::{self, Order};
use crate::source::udp::of_payload;
use kube_proto::frame::{Rate, STATIC_LENGTH};
use kube_proto::greeting::Endpoint;
use kube_proto::key::{Key, Keys, Tag};
use kube_proto::message::{Body, Ids, ImageName, NodePods, PodImage};

const SECOND: u64 = 1_000_000_000;

fn key() -> Key {
    Key::parse("00c0ffee00c0ffee").expect("a key")
}

fn decoder(keys: Keys) -> Decoder {
    Decoder::new(Keyring::new(Some(Tag(20)), Some(key()), keys))
}

fn order(kind: &str, counter: u32) -> Order {
    Order {
        kind: kind.to_owned(),
        node: Some("node1".to_owned()),
        ids: vec![1, 3],
        id: Some(1),
        image: Some("Ticker".to_owned()),
        counter,
        session: None,
        sadr: 7,
        channel: 5,
    }
}

fn made(kind: &str, counter: u32) -> Captured {
    forge::message(&order(kind, counter), Tag(20), &key(), Keys::Shared).expect("complete")
}

/// A frame with control field, as Project Oberon's SCC sends it.
fn wirth(payload: &[u8], pid: u8) -> Captured {
    let control = Control { length: STATIC_LENGTH, pid, no_ack: false };
    let bits = frame::encode(&Address::OBERON, Some(control), payload, CrcMode::Crc16);
    Captured {
        flags: Flags::CRC_OK.and(Flags::CONTROL).and(Flags::CONTROL_KNOWN),
        channel: 5,
        rate: Rate::M1,
        level_dbm: None,
        address_bytes: Some(5),
        bits: Captured::without_preamble(&bits.expect("32 bytes at most")),
    }
}

fn packet(typ: u8, len: u32, data: &[u8]) -> [u8; 32] {
    let mut payload = [0; 32];
    payload[..4].copy_from_slice(&[1, 0xff, 0x42, typ]);
    payload[4..8].copy_from_slice(&len.to_le_bytes());
    payload[8..8 + data.len()].copy_from_slice(data);
    payload
}

#[test]
fn messages_are_judged_and_their_senders_named() {
    let mut decoder = decoder(Keys::Shared);
    for (at, (kind, from)) in
        [("heartbeat", "node1"), ("assignment", "plane"), ("spec", "plane"), ("query", "plane")]
            .into_iter()
            .enumerate()
    {
        let heard = decoder.decode(at as u64 * SECOND, "air", &made(kind, at as u32));
        assert_eq!((heard.kind(), heard.state), (kind, State::Good));
        assert_eq!(heard.from.as_deref(), Some(from));
    }
    let with = |tag, key| {
        let mut decoder = Decoder::new(Keyring::new(tag, key, Keys::Shared));
        decoder.decode(0, "air", &made("heartbeat", 1)).state
    };
    assert_eq!(with(Some(Tag(20)), Some(Key([1; 8]))), State::Bad);
    assert_eq!(with(Some(Tag(21)), Some(key())), State::Foreign);
    assert_eq!(with(None, None), State::Unchecked);
}

/// A message as it is sent under a session.
fn sealed(message: &Message) -> Captured {
    of_payload(5, &message.packet(7).emit(), Flags::CONTROL_KNOWN.and(Flags::CRC_OK))
}

#[test]
fn with_a_key_for_each_node_a_greeting_opens_what_follows() {
    let node = NodeName::new(b"node1").expect("short");
    let side = |role| Endpoint::new(role, Tag(20), node, key().of_node(b"node1"), 0);
    let (mut plane, mut kubelet) = (side(Sender::Plane), side(Sender::Node));
    let mut greetings = Vec::new();
    let mut said = kubelet.greet(0);
    while let Some(message) = said {
        greetings.push(message);
        let to = if greetings.len() % 2 == 1 { &mut plane } else { &mut kubelet };
        said = to.hear(&message, 0).1;
    }
    let pods = || NodePods { node, ids: Ids::new(&[1]).expect("short") };
    let beat = kubelet.seal(Body::Heartbeat(pods())).expect("a session");
    kubelet.skip(3);
    let later = kubelet.seal(Body::Heartbeat(pods())).expect("a session");
    let image = ImageName::new(b"Ticker").expect("short");
    let spec = plane.seal(Body::Spec(PodImage { id: 1, image })).expect("a session");
    let mut decoder = decoder(Keys::PerNode);
    let mut hear = |message: &Message| {
        let heard = decoder.decode(0, "air", &sealed(message));
        (heard.state, heard.window, heard.lost)
    };
    assert_eq!(hear(&beat), (State::Unchecked, None, 0), "no session was heard of");
    for greeting in &greetings {
        assert_eq!(hear(greeting), (State::Good, None, 0));
    }
    assert_eq!(hear(&beat), (State::Good, Some(Verdict::Newer), 0));
    assert_eq!(hear(&later), (State::Good, Some(Verdict::Newer), 3));
    assert_eq!(hear(&beat), (State::Good, Some(Verdict::Replayed), 0));
    assert_eq!(hear(&spec), (State::Good, Some(Verdict::Newer), 0));
    let forged = Message { mac: [0; 4], ..spec };
    assert_eq!(hear(&forged), (State::Bad, None, 0));
    let forged = Message { mac: [0; 4], ..later };
    assert_eq!(hear(&forged), (State::Bad, None, 0));
}

#[test]
fn counters_tell_what_was_lost_and_what_is_old() {
    let mut decoder = decoder(Keys::Shared);
    let mut hear = |counter, at_ms: u64| {
        let heard = decoder.decode(at_ms * 1_000_000, "air", &made("heartbeat", counter));
        (heard.lost, heard.window)
    };
    assert_eq!(hear(10, 0), (0, Some(Verdict::New)));
    assert_eq!(hear(11, 1_000), (0, Some(Verdict::Newer)));
    assert_eq!(hear(14, 2_000), (2, Some(Verdict::Newer)));
    assert_eq!(hear(14, 2_100), (0, Some(Verdict::Replayed)));
    assert_eq!(hear(3, 9_000), (0, Some(Verdict::Relearned)));
    assert_eq!(hear(4, 9_100), (0, Some(Verdict::Newer)));
}

#[test]
fn a_message_with_a_wrong_form_is_named() {
    let mut decoder = decoder(Keys::Shared);
    let payload = packet(0x60, 5, b"\x14node");
    let heard = decoder.decode(0, "air", &wirth(&payload, 0));
    assert_eq!((heard.kind(), heard.state), ("heartbeat", State::Malformed));
    assert!(matches!(heard.what, What::Malformed(..)));
}

#[test]
fn frames_of_one_packet_are_counted_and_what_the_chip_repeats_is_not() {
    let mut decoder = decoder(Keys::Shared);
    let first = wirth(&packet(0x44, 60, b"hello"), 0);
    let (second, third) = (wirth(&[9; 32], 1), wirth(&[8; 32], 2));
    let mut what = |at_ms: u64, frame: &Captured| {
        let heard = decoder.decode(at_ms * 1_000_000, "air", frame);
        (heard.kind(), heard.what, heard.repeated)
    };
    assert_eq!(what(0, &first).0, "message");
    assert_eq!(what(10, &second).1, What::Continuation { part: 2, of: 3 });
    assert_eq!(what(11, &second), ("continued", What::Continuation { part: 2, of: 3 }, true));
    assert_eq!(what(20, &third).1, What::Continuation { part: 3, of: 3 });
    assert_eq!(what(30, &wirth(&[7; 32], 3)).1, What::Unknown, "the packet is over");
    // One that does not go on in time is given up.
    assert_eq!(what(40, &wirth(&packet(0x44, 60, b"hello"), 0)).0, "message");
    assert_eq!(what(4_000, &second).1, What::Unknown);
}

#[test]
fn passwords_are_found_also_where_the_name_before_them_has_no_end() {
    let mut decoder = decoder(Keys::Shared);
    let payload = packet(0x41, 19, b"Wirth\0\x11\x22\x33\x44Test.Mod\0");
    let heard = decoder.decode(0, "air", &wirth(&payload, 0));
    assert_eq!((heard.kind(), heard.secret), ("send file", 14..18));
    let endless = packet(0x41, 40, &[b'a'; 24]);
    assert_eq!(decoder.decode(1, "air", &wirth(&endless, 1)).secret, 8..32);
    let heard = decoder.decode(2, "air", &wirth(&[0x33; 32], 2));
    assert_eq!((heard.kind(), heard.secret), ("continued", 0..32));
}

#[test]
fn an_acknowledgement_a_bad_and_a_cut_frame_are_what_they_are() {
    let mut decoder = decoder(Keys::Shared);
    assert_eq!(decoder.decode(0, "air", &wirth(&[], 0)).what, What::Acknowledgement);
    let frame = made("heartbeat", 1);
    let bad = Captured { flags: Flags::CRC_BAD.and(Flags::COLLISION), ..frame };
    let heard = decoder.decode(1, "air", &bad);
    assert_eq!((heard.kind(), heard.state), ("heartbeat", State::Damaged));
    assert_eq!((heard.window, heard.from), (None, None), "nothing is learnt from it");
    for flags in [Flags::TRUNCATED, Flags::CRC_OK] {
        for bits in [0, 1, 39, 47, 100] {
            let bits = kube_proto::bits::Bits::from_bytes(&[0x5a; 40], bits).expect("they fit");
            let cut = Captured { flags, bits, address_bytes: None, ..frame };
            let heard = decoder.decode(2, "air", &cut);
            assert!(matches!(heard.what, What::Cut | What::Unknown), "{heard:?}");
        }
    }
}

#[test]
fn no_frame_makes_the_decoder_panic() {
    let seed = 0x2545_f491u32;
    println!("seed {seed}");
    let (mut state, mut decoder) = (seed, decoder(Keys::PerNode));
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    for at in 0..20_000 {
        let mut payload: [u8; 32] = std::array::from_fn(|_| random() as u8);
        if random() % 4 > 0 {
            payload[..8]
                .copy_from_slice(&packet(0x5f + (random() % 8) as u8, random() % 30, &[])[..8]);
        }
        let mut frame = wirth(&payload[..(random() % 33) as usize], (random() % 4) as u8);
        frame.flags = Flags(random() as u16);
        frame.address_bytes = [None, Some(2), Some(3), Some(5)][(random() % 4) as usize];
        let heard = decoder.decode(at * 1_000_000, "air", &frame);
        crate::line::Printer::default().frame(&heard);
        assert!(crate::object::frame(&heard, false).is_object());
    }
}
