//! Arbitrary payloads as packets and KubeNet messages: nothing panics, and what parses is written back
//! the same.

#![no_main]

use kube_proto::key::{Key, Tag};
use kube_proto::message::Message;
use kube_proto::packet::Packet;
use kube_proto::signature::{self, Signature};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Short inputs are padded like a frame, so that mutations fall on the message.
    let mut payload = [0; 32];
    let payload = if data.len() > payload.len() {
        data
    } else {
        payload[..data.len()].copy_from_slice(data);
        &payload[..]
    };
    let Ok(packet) = Packet::parse(payload) else { return };
    assert_eq!(packet.emit()[..], *payload);
    assert!((1..=17).contains(&packet.frames()) && packet.data().len() <= 24);
    let Ok(message) = Message::parse(&packet) else { return };
    assert!(!format!("{message:?}").is_empty());
    let again = Message::parse(&message.packet(packet.sadr)).expect("it was a message");
    assert_eq!(again, message);
    let key = Key([7; 8]);
    let signed = signature::sign(message.tag, message.body, message.counter, &key);
    assert_eq!(signature::judge(&signed, message.tag, Some(&key)), Signature::Ok);
    assert_eq!(signature::judge(&signed, Tag(message.tag.0 ^ 1), None), Signature::ForeignTag);
});
