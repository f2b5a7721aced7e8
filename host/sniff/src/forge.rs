//! Frames for tests: made from a message, given as bytes, or taken from a capture.

use crate::source::udp::of_payload;
use kube_proto::capture::{Captured, Flags};
use kube_proto::key::{Key, Keys, Tag};
use kube_proto::message::{Body, Ids, ImageName, NodeName, NodePods, PodImage};
use kube_proto::packet::FRAME_BYTES;
use kube_proto::session::{self, Numbers};
use kube_proto::signature;

/// A message that is to be sent.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Kind by name.
    pub kind: String,
    /// The node that sends it or is meant.
    pub node: Option<String>,
    /// Pods.
    pub ids: Vec<u8>,
    /// The pod of a spec.
    pub id: Option<u8>,
    /// The image of a spec.
    pub image: Option<String>,
    /// The sender's counter; where each node has a key of its own, all 32 bits of it.
    pub counter: u32,
    /// Where each node has a key of its own: the session of the plane with the node.
    pub session: Option<Numbers>,
    /// The sender's address.
    pub sadr: u8,
    /// Where it goes.
    pub channel: u8,
}

/// Why there is no such frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForgeError {
    /// No message that can be made.
    #[error("cannot make a {kind:?}: choose heartbeat, assignment, spec or query")]
    Kind {
        /// What was asked for.
        kind: String,
    },
    /// Something it needs is not given.
    #[error("a {kind} needs {what}: give {flag}")]
    Missing {
        /// The message.
        kind: String,
        /// What it needs.
        what: &'static str,
        /// The flag.
        flag: &'static str,
    },
    /// A name or a list does not fit.
    #[error("{what} {value:?} does not fit: {most}")]
    Long {
        /// What.
        what: &'static str,
        /// As given.
        value: String,
        /// How much does.
        most: &'static str,
    },
    /// Not the digits of a frame.
    #[error(
        "{digits} hex digits that are no frame: give 64 (a payload) or 66 (channel and payload)"
    )]
    Raw {
        /// Digits given.
        digits: usize,
    },
}

/// Makes the message, signs it and puts it into a frame as profile `kube` sends it. With keys per
/// node machines refuse it: it is signed with the node's key, and no session is known here.
///
/// # Errors
/// [`ForgeError`].
pub fn message(order: &Order, tag: Tag, key: &Key, keys: Keys) -> Result<Captured, ForgeError> {
    let missing = |what, flag| ForgeError::Missing { kind: order.kind.clone(), what, flag };
    let node = || {
        let name = order.node.as_ref().ok_or_else(|| missing("a node", "--node"))?;
        NodeName::new(name.as_bytes()).filter(|_| !name.is_empty()).ok_or_else(|| {
            ForgeError::Long { what: "node", value: name.clone(), most: "1 to 6 characters do" }
        })
    };
    let ids = || {
        Ids::new(&order.ids).ok_or_else(|| ForgeError::Long {
            what: "list of pods",
            value: format!("{:?}", order.ids),
            most: "10 do",
        })
    };
    let body = match order.kind.as_str() {
        "heartbeat" => Body::Heartbeat(NodePods { node: node()?, ids: ids()? }),
        "assignment" => Body::Assignment(NodePods { node: node()?, ids: ids()? }),
        "query" => Body::Query(node()?),
        "spec" => {
            let image = order.image.as_ref().ok_or_else(|| missing("an image", "--image"))?;
            let name = ImageName::new(image.as_bytes()).ok_or_else(|| ForgeError::Long {
                what: "image",
                value: image.clone(),
                most: "15 characters do",
            })?;
            let id = order.id.ok_or_else(|| missing("a pod", "--id"))?;
            Body::Spec(PodImage { id, image: name })
        }
        kind => return Err(ForgeError::Kind { kind: kind.to_owned() }),
    };
    let message = match keys {
        Keys::Shared => signature::sign(tag, body, order.counter as u16, key),
        // A spec is signed for the node that its pod is bound to.
        Keys::PerNode => {
            let own = key.of_node(node()?.as_bytes());
            let numbers = order
                .session
                .ok_or_else(|| missing("the numbers of a session", "--session PLANE:NODE"))?;
            session::sign(tag, body, order.counter, &session::session_key(&own, numbers))
        }
    };
    let packet = message.packet(order.sadr);
    Ok(of_payload(order.channel, &packet.emit(), Flags::CONTROL_KNOWN))
}

/// A frame from hexadecimal digits: a payload, or a channel and a payload as the published listener
/// prints them (`raw`).
///
/// # Errors
/// [`ForgeError::Raw`].
pub fn raw(digits: &str, channel: u8) -> Result<Captured, ForgeError> {
    let wrong = || ForgeError::Raw { digits: digits.len() };
    let pairs = digits.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> = pairs
        .map(|pair| {
            let text = std::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
            u8::from_str_radix(text, 16).ok()
        })
        .collect();
    let bytes = bytes.ok_or_else(wrong)?;
    let (channel, payload) = match bytes.as_slice() {
        [channel, payload @ ..] if payload.len() == FRAME_BYTES => (*channel, payload),
        payload => (channel, payload),
    };
    let payload: &[u8; FRAME_BYTES] = payload.try_into().map_err(|_| wrong())?;
    Ok(of_payload(channel, payload, Flags::CONTROL_KNOWN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::udp::payload;

    fn key() -> Key {
        Key::parse("00c0ffee00c0ffee").expect("a key")
    }

    #[test]
    fn the_published_example_is_made() {
        let order = Order {
            kind: "heartbeat".to_owned(),
            node: Some("node1".to_owned()),
            ids: vec![1, 3],
            counter: 0x1234,
            sadr: 7,
            channel: 5,
            ..Order::default()
        };
        let frame = message(&order, Tag(20), &key(), Keys::Shared).expect("complete");
        let bytes = payload(&frame).expect("32 bytes");
        assert_eq!(
            bytes[..24],
            *b"\x01\xff\x07\x60\x10\0\0\0\x14node1\0\x02\x01\x03\x34\x12\x99\x8f\x79\x63"
        );
        let no_session = message(&order, Tag(20), &key(), Keys::PerNode);
        assert!(matches!(
            no_session,
            Err(ForgeError::Missing { flag: "--session PLANE:NODE", .. })
        ));
        let order = Order { session: Some(Numbers { plane: 1, node: 2 }), ..order };
        let own = message(&order, Tag(20), &key(), Keys::PerNode).expect("complete");
        assert_ne!(payload(&own), Some(bytes));
    }

    #[test]
    fn what_is_missing_is_named() {
        let make = |order: &Order| message(order, Tag(20), &key(), Keys::Shared);
        let order = |kind: &str| Order { kind: kind.to_owned(), ..Order::default() };
        assert!(matches!(make(&order("status")), Err(ForgeError::Kind { .. })));
        assert!(matches!(make(&order("query")), Err(ForgeError::Missing { flag: "--node", .. })));
        assert!(matches!(make(&order("spec")), Err(ForgeError::Missing { flag: "--image", .. })));
        let long = Order { node: Some("node1234".to_owned()), ..order("heartbeat") };
        assert!(matches!(make(&long), Err(ForgeError::Long { what: "node", .. })));
        let many = Order { node: Some("a".to_owned()), ids: vec![1; 11], ..order("heartbeat") };
        assert!(matches!(make(&many), Err(ForgeError::Long { what: "list of pods", .. })));
    }

    #[test]
    fn recorded_digits_are_taken_with_and_without_channel() {
        let digits = "5a".repeat(32);
        assert_eq!(raw(&digits, 5).expect("a payload").channel, 5);
        assert_eq!(raw(&format!("0f{digits}"), 5).expect("a frame").channel, 15);
        for digits in ["", "5a", "zz", "5", &"5a".repeat(34), "ü"] {
            assert!(matches!(raw(digits, 5), Err(ForgeError::Raw { .. })), "{digits}");
        }
    }
}
