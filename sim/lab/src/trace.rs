//! The digest of everything that was sent: equal traces, equal runs.

use kube_air::Sighting;
use sha2::{Digest, Sha256};

/// SHA-256 over the frames in the order in which they ended.
#[derive(Clone, Default)]
pub struct Trace(Sha256);

impl Trace {
    /// Takes a frame in: start and end in nanoseconds, little-endian, channel, what became of it,
    /// and its bits.
    pub fn add(&mut self, sighting: &Sighting) {
        let Sighting { flight, outcome, bits, .. } = sighting;
        self.0.update(flight.start_ns.to_le_bytes());
        self.0.update(flight.end_ns.to_le_bytes());
        self.0.update([flight.channel, *outcome as u8]);
        self.0.update(bits.as_bytes());
    }

    /// The digest so far, in hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        self.0.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
