//! The digest of everything that was heard: equal traces, equal runs.

use kube_air::HeardFrame;
use sha2::{Digest, Sha256};

/// SHA-256 over the frames in the order in which they were heard.
#[derive(Clone, Default)]
pub struct Trace(Sha256);

impl Trace {
    /// Takes a frame in: start and end in nanoseconds, channel, and the 32 bytes of payload, all
    /// little-endian.
    pub fn add(&mut self, frame: &HeardFrame) {
        self.0.update(frame.start_ns.to_le_bytes());
        self.0.update(frame.end_ns.to_le_bytes());
        self.0.update([frame.channel]);
        self.0.update(frame.payload);
    }

    /// The digest so far, in hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        self.0.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
