//! Two captures without their times: the same frames in the same order?

use crate::decoder::{Heard, What};
use crate::reading::Value;
use kube_proto::bits::Bits;
use kube_proto::frame::Rate;
use kube_proto::layout::Kind;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::time::{Duration, Instant};

/// Past this time a difference is given that is right and not the shortest.
const SHORTEST_WITHIN: Duration = Duration::from_secs(5);

/// When two frames are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sameness {
    /// Channel, rate and every bit.
    #[default]
    Bits,
    /// Kind and values: not counter, signature and the sender's address, which differ from run to
    /// run. What is no message must have the same payload.
    Content,
}

/// What is compared of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Bits(u8, Rate, Bits),
    Message(&'static str, Vec<String>),
    Payload(&'static str, Vec<u8>),
}

fn key(heard: &Heard, sameness: Sameness) -> Key {
    match (sameness, &heard.what) {
        (Sameness::Bits, _) => Key::Bits(heard.frame.channel, heard.frame.rate, heard.frame.bits),
        (Sameness::Content, What::Message(_, reading)) => {
            let values = reading.values.iter();
            let kept = values.filter(|(field, _)| !matches!(field.kind, Kind::Counter | Kind::Mac));
            let shown = kept.map(|(field, value): &(_, Value)| {
                format!("{}={}", field.name, crate::line::show(value))
            });
            Key::Message(reading.layout.name, shown.collect())
        }
        (Sameness::Content, _) => Key::Payload(heard.kind(), heard.payload.clone()),
    }
}

/// A run of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// In both; places in the first and second capture, and how many.
    Same(usize, usize, usize),
    /// Only in the first; place and how many.
    First(usize, usize),
    /// Only in the second; place and how many.
    Second(usize, usize),
}

/// Compares two captures.
#[must_use]
pub fn compare(first: &[Heard], second: &[Heard], sameness: Sameness) -> Vec<Part> {
    let keys = |heard: &[Heard]| heard.iter().map(|h| key(h, sameness)).collect::<Vec<_>>();
    let (a, b) = (keys(first), keys(second));
    let deadline = Instant::now().checked_add(SHORTEST_WITHIN);
    let mut parts = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, &a, &b, deadline) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                parts.push(Part::Same(old_index, new_index, len));
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                parts.push(Part::First(old_index, old_len));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                parts.push(Part::Second(new_index, new_len));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                parts.push(Part::First(old_index, old_len));
                parts.push(Part::Second(new_index, new_len));
            }
        }
    }
    parts
}

/// Frames only in the first, only in the second, and in both.
#[must_use]
pub fn counts(parts: &[Part]) -> (usize, usize, usize) {
    parts.iter().fold((0, 0, 0), |(first, second, same), part| match part {
        Part::First(_, len) => (first + len, second, same),
        Part::Second(_, len) => (first, second + len, same),
        Part::Same(_, _, len) => (first, second, same + len),
    })
}
