//! Frames of data: consistent overhead byte stuffing with LF as the byte that cannot occur.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 4 | session, low byte first |
//! | 4 | 4 | index: of the block in an image, or sector of the card |
//! | 8 | 1024 | data, zeros behind the end of an image |
//! | 1032 | 4 | CRC-32 of all before |
//!
//! On the line: [`FRAME_MARK`], the stuffed bytes each XOR LF, LF. So 1,043 bytes carry 1,024.

use super::{BLOCK_BYTES, FRAME_BYTES, FRAME_MARK, FRAME_MAX, LINE_END, sum};
use crate::stuffing::{stuff, unstuff};

/// A block of data with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Session of the tool.
    pub session: u32,
    /// Which block of an image, or which sector of the card.
    pub index: u32,
    /// The data.
    pub data: [u8; BLOCK_BYTES],
}

impl Block {
    /// Writes the frame with its mark and its end; the length.
    pub fn emit(&self, out: &mut [u8; FRAME_MAX]) -> usize {
        let mut plain = [0; FRAME_BYTES];
        plain[..4].copy_from_slice(&self.session.to_le_bytes());
        plain[4..8].copy_from_slice(&self.index.to_le_bytes());
        plain[8..8 + BLOCK_BYTES].copy_from_slice(&self.data);
        let check = sum(&plain[..FRAME_BYTES - 4]);
        plain[FRAME_BYTES - 4..].copy_from_slice(&check.to_le_bytes());
        out[0] = FRAME_MARK;
        let len = 1 + stuff(&plain, &mut out[1..]);
        out[len] = LINE_END;
        len + 1
    }

    /// Reads a frame, from its mark to before its end; `None` unless it is whole.
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let stuffed = line.strip_prefix(&[FRAME_MARK])?;
        let mut plain = [0; FRAME_BYTES];
        if unstuff(stuffed, &mut plain)? != FRAME_BYTES {
            return None;
        }
        let word = |at: usize| {
            plain.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes)
        };
        if word(FRAME_BYTES - 4)? != sum(&plain[..FRAME_BYTES - 4]) {
            return None;
        }
        let data = plain.get(8..8 + BLOCK_BYTES)?.try_into().ok()?;
        Some(Self { session: word(0)?, index: word(4)?, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(fill: impl Fn(usize) -> u8) -> Block {
        let mut data = [0; BLOCK_BYTES];
        for (i, byte) in data.iter_mut().enumerate() {
            *byte = fill(i);
        }
        Block { session: 0x5F3A_91C2, index: 63, data }
    }

    #[test]
    fn whatever_the_data_a_frame_comes_back_and_holds_no_line_end() {
        let fills: [fn(usize) -> u8; 6] = [
            |_| 0,
            |_| 10,
            |_| 255,
            |i| i as u8,
            |i| (i % 255) as u8 + 1,
            |i| ((i * i) >> 3) as u8,
        ];
        for fill in fills {
            let block = block(fill);
            let mut frame = [0; FRAME_MAX];
            let len = block.emit(&mut frame);
            assert!((1039..=1043).contains(&len), "{len}");
            assert_eq!(frame[len - 1], LINE_END);
            assert!(!frame[..len - 1].contains(&LINE_END));
            assert_eq!(Block::parse(&frame[..len - 1]), Some(block));
        }
    }

    #[test]
    fn one_byte_lost_doubled_or_flipped_is_always_noticed() {
        let block = block(|i| (i * 7 % 251) as u8);
        let mut frame = [0; FRAME_MAX];
        let len = block.emit(&mut frame) - 1;
        for at in 0..len {
            let mut lost = frame[..len].to_vec();
            lost.remove(at);
            assert_eq!(Block::parse(&lost), None, "lost {at}");
            let mut doubled = frame[..len].to_vec();
            doubled.insert(at, frame[at]);
            assert_eq!(Block::parse(&doubled), None, "doubled {at}");
            for bit in 0..8 {
                let mut flipped = frame;
                flipped[at] ^= 1 << bit;
                assert_eq!(Block::parse(&flipped[..len]), None, "flipped {at}.{bit}");
            }
        }
    }
}
