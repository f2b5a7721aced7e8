//! Lines of the serial line in pieces of one frame each, as they go over the air between a machine
//! and an operator's tool.
//!
//! What is cut is a line without its check (` *` and eight digits), and behind it the check as four
//! bytes. Each piece says which line it belongs to, by the lowest byte of the check, and its place in
//! it. So the pieces of several copies of a line complete each other, whichever of them arrive, and
//! pieces of different lines never make one that passes. The machine's side is
//! `oberon/kube/Operator.Mod`.

use crate::layout::PIECE_BYTES;
use crate::message::Short;
use crate::serial::line::without_check;
use crate::serial::sum;

/// Most pieces of a line.
pub const PIECES_MAX: usize = 24;
/// Added to the place of the last piece.
pub const LAST: u8 = 0x80;
const CHECK_BYTES: usize = 4;
const LINE_BYTES: usize = PIECES_MAX * PIECE_BYTES;

/// A piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The line: lowest byte of its check.
    pub line: u8,
    /// Place in the line, from 0.
    pub place: u8,
    /// None follows.
    pub last: bool,
    /// What it holds; all but the last are full.
    pub bytes: Short<PIECE_BYTES>,
}

/// The pieces of a line, one after the other.
#[derive(Clone, Debug)]
pub struct Pieces {
    bytes: [u8; LINE_BYTES],
    len: usize,
    next: usize,
}

impl Pieces {
    /// Of a tool's line or its answer, with its check and without its end. `None` if the check does
    /// not fit or the line is longer than any of the serial line's.
    #[must_use]
    pub fn of(line: &[u8]) -> Option<Self> {
        let text = without_check(line)?.as_bytes();
        let len = text.len() + CHECK_BYTES;
        let mut bytes = [0; LINE_BYTES];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        bytes.get_mut(text.len()..len)?.copy_from_slice(&sum(text).to_le_bytes());
        Some(Self { bytes, len, next: 0 })
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let place = self.next;
        let bytes = self.bytes[..self.len].chunks(PIECE_BYTES).nth(place)?;
        self.next += 1;
        Some(Piece {
            line: self.bytes[self.len - CHECK_BYTES],
            place: place as u8,
            last: self.next * PIECE_BYTES >= self.len,
            bytes: Short::new(bytes)?,
        })
    }
}

/// A line that is being put together.
#[derive(Clone, Debug)]
pub struct Joint {
    bytes: [u8; LINE_BYTES],
    len: usize,
    have: u32,
    count: Option<u8>,
}

impl Default for Joint {
    fn default() -> Self {
        Self { bytes: [0; LINE_BYTES], len: 0, have: 0, count: None }
    }
}

impl Joint {
    /// Takes a piece; the line without its check, if it is whole now. Then it begins anew.
    pub fn take(&mut self, piece: &Piece) -> Option<&str> {
        let (place, bytes) = (usize::from(piece.place), piece.bytes.as_bytes());
        if place >= PIECES_MAX || !piece.last && bytes.len() != PIECE_BYTES {
            return None;
        }
        let at = place * PIECE_BYTES;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.have |= 1 << place;
        if piece.last {
            self.count = Some(piece.place + 1);
            self.len = at + bytes.len();
        }
        let all = (1 << self.count?) - 1;
        if self.have & all != all {
            return None;
        }
        (self.have, self.count) = (0, None);
        let (text, check) = self.bytes[..self.len].split_last_chunk::<CHECK_BYTES>()?;
        let whole = sum(text) == u32::from_le_bytes(*check);
        core::str::from_utf8(text).ok().filter(|_| whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serial::line::ToolLine;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn pieces(text: &str) -> Vec<Piece> {
        let line = ToolLine::new(0x5F3A_91C2, 7, format_args!("{text}")).expect("short");
        let line = line.bytes().strip_suffix(b"\n").expect("its end");
        Pieces::of(line).expect("a right check").collect()
    }

    fn joined(joint: &mut Joint, pieces: &[Piece]) -> Option<String> {
        pieces.iter().find_map(|piece| joint.take(piece).map(ToString::to_string))
    }

    #[test]
    fn a_line_of_any_length_comes_out_as_it_went_in_whatever_the_order() {
        for len in 0..=255 {
            let text = "x".repeat(len);
            let mut cut = pieces(&text);
            assert!(cut.len() <= PIECES_MAX && cut.last().is_some_and(|piece| piece.last));
            let wanted = std::format!("#5f3a91c2 7 {text}");
            assert_eq!(joined(&mut Joint::default(), &cut).as_deref(), Some(&*wanted));
            cut.reverse();
            assert_eq!(joined(&mut Joint::default(), &cut).as_deref(), Some(&*wanted));
        }
    }

    #[test]
    fn copies_complete_each_other() {
        let cut = pieces("run Kube.Apply web 4 Ticker");
        let mut joint = Joint::default();
        let (odd, even): (Vec<_>, Vec<_>) = cut.iter().partition(|piece| piece.place % 2 == 1);
        assert_eq!(joined(&mut joint, &odd), None);
        assert!(joined(&mut joint, &even).is_some_and(|line| line.ends_with("4 Ticker")));
        assert_eq!(joined(&mut joint, &odd), None, "it begins anew");
    }

    #[test]
    fn pieces_of_two_lines_do_not_make_one() {
        let (one, other) = (pieces("run Kube.Scale web 4"), pieces("run Kube.Drain node1"));
        let mut joint = Joint::default();
        let mut mixed = one.clone();
        mixed[1] = other[1];
        assert_ne!(one[1].bytes, other[1].bytes);
        assert_eq!(joined(&mut joint, &mixed), None);
        assert!(joined(&mut joint, &other).is_some(), "and the next copy is taken");
    }

    #[test]
    fn no_piece_makes_the_joint_panic() {
        let mut joint = Joint::default();
        let mut state = 1u32;
        for _ in 0..200_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [a, b, c, d] = state.to_be_bytes();
            let bytes = Short::new(&[d; PIECE_BYTES][..usize::from(c) % (PIECE_BYTES + 1)]);
            let (place, last) = (b & 0x7f, b & LAST != 0);
            joint.take(&Piece { line: a, place, last, bytes: bytes.expect("short") });
        }
    }

    #[test]
    fn a_line_without_its_check_is_not_cut() {
        assert!(Pieces::of(b"#5f3a91c2 7 run *00000000").is_none());
        assert!(Pieces::of(b"").is_none());
    }
}
