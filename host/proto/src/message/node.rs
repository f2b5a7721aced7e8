//! What a node says of its pods and of itself, beside which pods run.

use super::NodeName;
use crate::layout::{FRAMES_BYTES, REPORT_BYTES, USE_BYTES};

/// Why a pod does not run. The numbers are those on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// 1: no object file of that name on the node's disk.
    NoModule,
    /// 2: the module was compiled against another version of a module that it imports.
    KeyMismatch,
    /// 3: the module has no command `Start`.
    NoStart,
    /// 4: a trap in Start, in a probe, or in a task of the module.
    Trap,
    /// 5: it did not return within its time.
    Looped,
    /// 6: it was refused memory.
    OutOfMemory,
    /// 7: it is up and says that it is not ready.
    NotReady,
    /// 8: it said several times that it is not alive.
    NotAlive,
    /// 9: its object file cannot be loaded for another reason.
    BadModule,
    /// A number of a newer protocol.
    Other(u8),
}

/// The reasons, by their number less one, with the words that the control plane uses.
pub const REASONS: [(Reason, &str); 9] = [
    (Reason::NoModule, "no module"),
    (Reason::KeyMismatch, "key mismatch"),
    (Reason::NoStart, "no Start"),
    (Reason::Trap, "trap"),
    (Reason::Looped, "did not return"),
    (Reason::OutOfMemory, "out of memory"),
    (Reason::NotReady, "not ready"),
    (Reason::NotAlive, "not alive"),
    (Reason::BadModule, "bad module"),
];

impl Reason {
    /// From the number on the air.
    pub fn of(code: u8) -> Self {
        let known = REASONS.get(usize::from(code).wrapping_sub(1));
        known.map_or(Reason::Other(code), |&(reason, _)| reason)
    }

    /// The number on the air.
    pub fn code(self) -> u8 {
        match self {
            Reason::Other(code) => code,
            _ => {
                REASONS.iter().position(|&(reason, _)| reason == self).map_or(0, |at| at as u8 + 1)
            }
        }
    }
}

impl core::fmt::Display for Reason {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match REASONS.iter().find(|(reason, _)| reason == self) {
            Some((_, words)) => f.write_str(words),
            None => write!(f, "reason {}", self.code()),
        }
    }
}

/// What a status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodStatus {
    /// The sender.
    pub node: NodeName,
    /// Pod identity, 1..255.
    pub id: u8,
    /// Why it does not run.
    pub reason: Reason,
    /// Number of the trap, or the loader's result.
    pub detail: u8,
    /// Starts after the first.
    pub restarts: u8,
    /// For how long the reason holds, in seconds.
    pub seconds: u16,
    /// Of the trap in the module's text.
    pub position: u16,
}

impl PodStatus {
    pub(super) fn parse(node: NodeName, report: &[u8; REPORT_BYTES]) -> Self {
        let [id, reason, detail, restarts, s0, s1, p0, p1] = *report;
        let (seconds, position) = (u16::from_le_bytes([s0, s1]), u16::from_le_bytes([p0, p1]));
        Self { node, id, reason: Reason::of(reason), detail, restarts, seconds, position }
    }

    pub(super) fn report(&self) -> [u8; REPORT_BYTES] {
        let [s0, s1] = self.seconds.to_le_bytes();
        let [p0, p1] = self.position.to_le_bytes();
        [self.id, self.reason.code(), self.detail, self.restarts, s0, s1, p0, p1]
    }
}

/// What a usage says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodUsage {
    /// The sender.
    pub node: NodeName,
    /// Pod identity, 1..255.
    pub id: u8,
    /// Time that it has taken since it was started, in milliseconds.
    pub ms: u32,
    /// Bytes of heap that it holds; `None` where nobody counts them.
    pub heap: Option<u32>,
}

impl PodUsage {
    pub(super) fn parse(node: NodeName, usage: &[u8; USE_BYTES]) -> Self {
        let [id, a, b, c, d, e, f, g, h] = *usage;
        let heap = u32::from_le_bytes([e, f, g, h]);
        let heap = (heap != u32::MAX).then_some(heap);
        Self { node, id, ms: u32::from_le_bytes([a, b, c, d]), heap }
    }

    pub(super) fn bytes(&self) -> [u8; USE_BYTES] {
        let ([a, b, c, d], heap) = (self.ms.to_le_bytes(), self.heap.unwrap_or(u32::MAX));
        let [e, f, g, h] = heap.to_le_bytes();
        [self.id, a, b, c, d, e, f, g, h]
    }
}

/// What a traffic says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeTraffic {
    /// The sender.
    pub node: NodeName,
    /// Frames sent since its start.
    pub sent: u32,
    /// Frames heard since its start.
    pub heard: u32,
    /// Times that its chip's queue was full, that a packet did not come whole, and that it had no
    /// room for one of its own; at most 65535.
    pub dropped: u16,
}

impl NodeTraffic {
    pub(super) fn parse(node: NodeName, frames: &[u8; FRAMES_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j] = *frames;
        let (sent, heard) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        Self { node, sent, heard, dropped: u16::from_le_bytes([i, j]) }
    }

    pub(super) fn bytes(&self) -> [u8; FRAMES_BYTES] {
        let ([a, b, c, d], [e, f, g, h]) = (self.sent.to_le_bytes(), self.heard.to_le_bytes());
        let [i, j] = self.dropped.to_le_bytes();
        [a, b, c, d, e, f, g, h, i, j]
    }
}
