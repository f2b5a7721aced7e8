//! A session of the plane and one node, where each node has a key of its own: its key, made from a
//! number of either side that never comes again, and counters of 32 bits of which the lower half
//! is sent. Layouts stay as published; the code covers, behind the published bytes, the upper half
//! of the counter. Source: docs/decisions/0006, `oberon/kube/Peers.Mod`.

use crate::key::{Key, Tag};
use crate::layout::MAC_BYTES;
use crate::message::{Body, Message};
use crate::siphash::half_sip_hash;

/// What a session's key is made from besides the node's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers {
    /// The plane's.
    pub plane: u32,
    /// The node's.
    pub node: u32,
}

/// Key of a session: its halves are HalfSipHash of 2 and 3, each followed by the plane's number and
/// the node's, under the node's key.
#[must_use]
pub fn session_key(node_key: &Key, numbers: Numbers) -> Key {
    let (plane, node) = (numbers.plane.to_le_bytes(), numbers.node.to_le_bytes());
    let [a, b, c, d] = half_sip_hash(node_key, &[&[2], &plane, &node]);
    let [e, f, g, h] = half_sip_hash(node_key, &[&[3], &plane, &node]);
    Key([a, b, c, d, e, f, g, h])
}

/// The code of a message that is its sender's `count`th of the session, from 1.
#[must_use]
pub fn code(message: &Message, count: u32, key: &Key) -> [u8; MAC_BYTES] {
    let data = message.emit();
    let [_, _, upper @ ..] = count.to_le_bytes();
    half_sip_hash(key, &[&[message.body.layout().typ], data.signed(), &upper])
}

/// A message signed as its sender's `count`th of the session.
#[must_use]
pub fn sign(tag: Tag, body: Body, count: u32, key: &Key) -> Message {
    let message = Message { tag, body, counter: count as u16, mac: [0; MAC_BYTES] };
    Message { mac: code(&message, count, key), ..message }
}

/// The count nearest to the last one whose lower half is `counter`.
///
/// ```
/// use kube_proto::session::nearest;
/// assert_eq!(nearest(0x1_fff0, 3), 0x2_0003);
/// assert_eq!(nearest(0x2_0003, 0xfff0), 0x1_fff0);
/// ```
#[must_use]
pub const fn nearest(last: u32, counter: u16) -> u32 {
    last.wrapping_add_signed(counter.wrapping_sub(last as u16).cast_signed() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Ids, NodeName, NodePods};

    fn assignment() -> Body {
        let node = NodeName::new(b"node1").expect("short");
        Body::Assignment(NodePods { node, ids: Ids::new(&[1]).expect("short") })
    }

    #[test]
    fn numbers_and_the_upper_half_of_the_counter_are_signed() {
        let own = Key([7; 8]);
        let numbers = Numbers { plane: 5, node: 6 };
        let key = session_key(&own, numbers);
        let message = sign(Tag(20), assignment(), 0x1_0002, &key);
        assert_eq!(message.counter, 2);
        assert_eq!(message.mac, code(&message, 0x1_0002, &key));
        assert_ne!(message.mac, code(&message, 2, &key), "one turn earlier");
        for other in [Numbers { plane: 6, node: 5 }, Numbers { plane: 5, node: 7 }] {
            assert_ne!(message.mac, code(&message, 0x1_0002, &session_key(&own, other)));
        }
    }

    #[test]
    fn nearest_is_at_most_half_a_turn_away() {
        for last in [0x8000, 0xffff, 0x1_0000, 0x7_1234u32] {
            for ahead in -0x8000..0x8000i32 {
                let count = last.wrapping_add_signed(ahead);
                assert_eq!(nearest(last, count as u16), count);
            }
        }
    }
}
