//! What a driver has counted.

/// Counts since the driver was made. They stop at their largest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Payloads sent, and acknowledged where that was asked for.
    pub sent: u32,
    /// Payloads given up after all retries.
    pub unacknowledged: u32,
    /// Payloads read.
    pub received: u32,
    /// Times the RX FIFO was found full: what came then was lost.
    pub rx_full: u32,
    /// Payloads thrown away because their length was impossible.
    pub bad_lengths: u32,
    /// Sends that neither succeeded nor failed in time.
    pub timeouts: u32,
    /// Times the chip was found with other registers than were written, or silent.
    pub lost: u32,
    /// Times it was brought up again after that.
    pub found: u32,
}

pub(crate) fn count(counter: &mut u32) {
    *counter = counter.saturating_add(1);
}
