//! HalfSipHash-2-4 with a 64-bit key and a 32-bit result: SipHash on 32-bit words, small enough
//! for a machine without 64-bit arithmetic. Written here because no maintained crate offers it
//! (`siphasher` has only the 64-bit algorithm). Source: spec/kube.md 3.3.

use crate::key::Key;

struct State {
    v0: u32,
    v1: u32,
    v2: u32,
    v3: u32,
}

impl State {
    fn round(&mut self) {
        self.v0 = self.v0.wrapping_add(self.v1);
        self.v1 = self.v1.rotate_left(5) ^ self.v0;
        self.v0 = self.v0.rotate_left(16);
        self.v2 = self.v2.wrapping_add(self.v3);
        self.v3 = self.v3.rotate_left(8) ^ self.v2;
        self.v0 = self.v0.wrapping_add(self.v3);
        self.v3 = self.v3.rotate_left(7) ^ self.v0;
        self.v2 = self.v2.wrapping_add(self.v1);
        self.v1 = self.v1.rotate_left(13) ^ self.v2;
        self.v2 = self.v2.rotate_left(16);
    }

    fn absorb(&mut self, word: u32) {
        self.v3 ^= word;
        (0..2).for_each(|_| self.round());
        self.v0 ^= word;
    }
}

/// The code over `parts`, one after the other, in the order it is sent.
pub fn half_sip_hash(key: &Key, parts: &[&[u8]]) -> [u8; 4] {
    let [a, b, c, d, e, f, g, h] = key.0;
    let (k0, k1) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    let mut state = State { v0: k0, v1: k1, v2: k0 ^ 0x6c79_6765, v3: k1 ^ 0x7465_6462 };
    let (mut word, mut len) = (0, 0u32);
    for &byte in parts.iter().copied().flatten() {
        word |= u32::from(byte) << (len % 4 * 8);
        len = len.wrapping_add(1);
        if len.is_multiple_of(4) {
            state.absorb(word);
            word = 0;
        }
    }
    state.absorb(word | len << 24);
    state.v2 ^= 0xff;
    (0..4).for_each(|_| state.round());
    (state.v1 ^ state.v3).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTING: Key = Key([0, 1, 2, 3, 4, 5, 6, 7]);

    #[test]
    fn published_vectors() {
        assert_eq!(half_sip_hash(&COUNTING, &[]), [0xa9, 0x35, 0x9f, 0x5b]);
        let message: [u8; 15] = core::array::from_fn(|i| i as u8);
        assert_eq!(half_sip_hash(&COUNTING, &[&message]), [0x74, 0xfe, 0x2b, 0x97]);
    }

    #[test]
    fn parts_count_as_one_message() {
        let message: [u8; 15] = core::array::from_fn(|i| i as u8);
        for cut in 0..15 {
            let (a, b) = message.split_at(cut);
            assert_eq!(half_sip_hash(&COUNTING, &[a, b]), [0x74, 0xfe, 0x2b, 0x97]);
        }
    }
}
