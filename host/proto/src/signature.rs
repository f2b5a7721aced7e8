//! Signing a message and judging a heard one. The code covers the type byte, which is not among
//! the data, and then every data byte before the code; of the packet header nothing else.

use crate::key::{Key, Tag};
use crate::layout::MAC_BYTES;
use crate::message::{Body, Message};
use crate::siphash::half_sip_hash;

/// What can be said about a heard message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signature {
    /// Our cluster, and the code fits.
    Ok,
    /// Our cluster's tag, but the code does not fit.
    BadMac,
    /// Another cluster's tag; nothing more can be said.
    ForeignTag,
    /// Our cluster's tag, and no key to judge the code with.
    NoKey,
}

/// The code that belongs to a message under `key`; the one it carries is not looked at.
pub fn code(message: &Message, key: &Key) -> [u8; MAC_BYTES] {
    let data = message.emit();
    half_sip_hash(key, &[&[message.body.layout().typ], data.signed()])
}

/// A signed message.
pub fn sign(tag: Tag, body: Body, counter: u16, key: &Key) -> Message {
    let message = Message { tag, body, counter, mac: [0; MAC_BYTES] };
    Message { mac: code(&message, key), ..message }
}

/// Judges a heard message.
pub fn judge(message: &Message, tag: Tag, key: Option<&Key>) -> Signature {
    match key {
        _ if message.tag != tag => Signature::ForeignTag,
        None => Signature::NoKey,
        Some(key) if code(message, key) == message.mac => Signature::Ok,
        Some(_) => Signature::BadMac,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Ids, ImageName, NodeName, NodePods, PodImage};

    fn key() -> Key {
        Key::parse("00c0ffee00c0ffee").expect("a key")
    }

    fn heartbeat() -> Body {
        Body::Heartbeat(NodePods {
            node: NodeName::new(b"node1").expect("short"),
            ids: Ids::new(&[1, 3]).expect("short"),
        })
    }

    #[test]
    fn published_examples() {
        let message = sign(Tag(20), heartbeat(), 0x1234, &key());
        assert_eq!(message.mac, [0x99, 0x8f, 0x79, 0x63]);
        let spec = PodImage { id: 1, image: ImageName::new(b"Ticker").expect("short") };
        let message = sign(Tag(20), Body::Spec(spec), 0x1235, &key());
        assert_eq!(message.mac, [0x1f, 0x3b, 0x3d, 0x01]);
    }

    #[test]
    fn each_state_has_its_cause() {
        let message = sign(Tag(20), heartbeat(), 1, &key());
        assert_eq!(judge(&message, Tag(20), Some(&key())), Signature::Ok);
        assert_eq!(judge(&message, Tag(20), None), Signature::NoKey);
        assert_eq!(judge(&message, Tag(21), Some(&key())), Signature::ForeignTag);
        assert_eq!(judge(&message, Tag(20), Some(&Key([0; 8]))), Signature::BadMac);
        let replay = Message { counter: 2, ..message };
        assert_eq!(judge(&replay, Tag(20), Some(&key())), Signature::BadMac);
        // A heartbeat's code does not make an assignment: the type is signed.
        let Body::Heartbeat(pods) = message.body else { unreachable!() };
        let posed = Message { body: Body::Assignment(pods), ..message };
        assert_eq!(judge(&posed, Tag(20), Some(&key())), Signature::BadMac);
    }
}
