//! Frames over UDP, so that machines and listeners on other hosts take part in an air.
//!
//! | module | holds |
//! |---|---|
//! | [`relay`] | passes each frame to everybody else |
//! | [`bridge`] | a station of a simulated air that stands for all that is outside |
//! | [`listener`] | hears a relay and says nothing but hello |
//! | [`report`] | a heard frame as text and as JSON |
//!
//! Datagrams are the published ones ([`kube_proto::datagram`]): channel and payload, nothing of times,
//! rates, addresses or acknowledgements. What comes from outside comes by wall time: an air with a
//! bridge is not deterministic, and [`kube_air::Air::is_deterministic`] says so.

pub mod bridge;
pub mod listener;
pub mod relay;
pub mod report;

/// Longer than any datagram of ours, so that a wrong size is seen.
const BUFFER_BYTES: usize = 2_048;
