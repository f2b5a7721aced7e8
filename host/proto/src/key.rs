//! Cluster tag and key text, as `KubeNet.Serve` and `KubeNet.Join` take them. Source: spec/kube.md
//! 3.2 and 3.3.

use crate::siphash::half_sip_hash;

/// Longest cluster name, in characters.
pub const CLUSTER_NAME_BYTES: usize = 8;
/// Most hex digits of a key.
pub const KEY_DIGITS: usize = 16;

/// Tells clusters on one air apart; proves nothing. 1..255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(pub u8);

impl Tag {
    /// Tag of a cluster name: sum of position (from 1) times character, modulo 255, plus 1.
    ///
    /// # Errors
    /// [`KeyError::Cluster`] if the name is empty or longer than 8 characters.
    ///
    /// ```
    /// use kube_proto::key::Tag;
    /// assert_eq!(Tag::of("kube"), Ok(Tag(20)));
    /// ```
    pub fn of(cluster: &str) -> Result<Self, KeyError> {
        if !(1..=CLUSTER_NAME_BYTES).contains(&cluster.len()) {
            return Err(KeyError::Cluster { chars: cluster.len() });
        }
        let sum: u32 = (1u32..).zip(cluster.bytes()).map(|(at, ch)| at * u32::from(ch)).sum();
        Ok(Tag((sum % 255 + 1) as u8))
    }
}

/// Who has which key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Keys {
    /// All have the cluster's, as published: every listener understands.
    #[default]
    Shared,
    /// Each node has one of its own, made from the cluster's, and with the plane a session: no node
    /// can speak for the plane or for another.
    PerNode,
}

impl Keys {
    /// All, with the words for them in fleet files, flags and scenarios.
    pub const ALL: [(Self, &str); 2] = [(Self::Shared, "shared"), (Self::PerNode, "per-node")];

    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("?", |entry| entry.1)
    }
}

/// A cluster's (or node's) key: 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Key(pub [u8; 8]);

impl Key {
    /// Reads key text: up to 16 hex digits in either case, pairs are bytes in order, missing
    /// digits are zeros on the right (an odd last digit is a high nibble), empty is all zeros.
    ///
    /// # Errors
    /// [`KeyError`] for a character that is no hex digit and for more than 16 digits.
    ///
    /// ```
    /// use kube_proto::key::Key;
    /// assert_eq!(Key::parse("00C0ffee0"), Ok(Key([0, 0xc0, 0xff, 0xee, 0, 0, 0, 0])));
    /// ```
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let mut key = [0; 8];
        for (at, ch) in text.chars().enumerate() {
            let digit = ch.to_digit(16).ok_or(KeyError::Digit { ch, at: at + 1 })?;
            let byte = key.get_mut(at / 2).ok_or(KeyError::Long { digits: text.len() })?;
            *byte |= (digit << (if at % 2 == 0 { 4 } else { 0 })) as u8;
        }
        Ok(Key(key))
    }

    /// The key of one node in a fleet with keys per node, made from the cluster's: its halves are
    /// HalfSipHash of 0 and 1, each followed by the node's name, under the cluster's key.
    #[must_use]
    pub fn of_node(&self, node: &[u8]) -> Self {
        let [a, b, c, d] = half_sip_hash(self, &[&[0], node]);
        let [e, f, g, h] = half_sip_hash(self, &[&[1], node]);
        Key([a, b, c, d, e, f, g, h])
    }
}

impl core::fmt::Debug for Key {
    /// Never shows the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Why a cluster name or a key text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Cluster name of a wrong length.
    #[error("cluster name of {chars} characters: give 1 to 8")]
    Cluster {
        /// Characters given.
        chars: usize,
    },
    /// Not a hex digit.
    #[error("character {ch:?} at place {at} of the key is no hex digit: use 0-9 and a-f")]
    Digit {
        /// The character.
        ch: char,
        /// Its place, from 1.
        at: usize,
    },
    /// Too many digits.
    #[error("key of {digits} digits: give at most 16")]
    Long {
        /// Digits given.
        digits: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags() {
        assert_eq!(Tag::of("kube"), Ok(Tag(20)));
        assert_eq!(Tag::of(""), Err(KeyError::Cluster { chars: 0 }));
        assert_eq!(Tag::of("ninechars"), Err(KeyError::Cluster { chars: 9 }));
        // "a" = 97, "b" = 98: 97 + 2 * 98 = 293 = 38 modulo 255.
        assert_eq!(Tag::of("ab"), Ok(Tag(39)));
    }

    #[test]
    fn key_text() {
        assert_eq!(Key::parse(""), Ok(Key([0; 8])));
        assert_eq!(
            Key::parse("00c0FFee00C0ffEE"),
            Ok(Key([0x00, 0xc0, 0xff, 0xee, 0x00, 0xc0, 0xff, 0xee]))
        );
        assert_eq!(Key::parse("abc"), Ok(Key([0xab, 0xc0, 0, 0, 0, 0, 0, 0])));
        assert_eq!(Key::parse("0x12"), Err(KeyError::Digit { ch: 'x', at: 2 }));
        assert_eq!(Key::parse("00c0ffee00c0ffee0"), Err(KeyError::Long { digits: 17 }));
        assert_eq!(std::format!("{:?}", Key([1; 8])), "Key(..)");
    }
}
