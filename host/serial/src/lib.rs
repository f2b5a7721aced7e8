//! The host's side of a machine's serial line: commands that run at most once, blocks that arrive
//! whole, and a word about each that is true. Without input, output or clock of its own: whoever
//! has a port, a pseudo-terminal or a simulated machine calls [`Session::poll`] with what came and
//! the time, and sends what it gives back.
//!
//! - [`session`]: taking the line, jobs, what becomes of them;
//! - [`backup`]: the control plane's store, as commands and their answers;
//! - [`job`]: what a tool can ask for, as steps;
//! - [`blocks`]: the window over the blocks of an image or the sectors of a card;
//! - [`receiver`]: bytes into lines;
//! - [`air`]: the same line over the air, as frames;
//! - [`log`]: the numbered lines of the log, in order, each once.
//!
//! The line itself, its words and sizes: [`kube_proto::serial`].
//!
//! ```
//! use kube_serial::{Event, Job, Session};
//!
//! let mut session = Session::new(0x5F3A_91C2);
//! session.begin(Job::command("System.Watch")?)?;
//! let mut out = Vec::new();
//! session.poll(0, &[], &mut out);
//! assert!(out.starts_with(b"\n#5f3a91c2 0 hold 0 *"));
//! assert_eq!(session.next_event(), None::<Event>);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod air;
pub mod backup;
pub mod blocks;
pub mod job;
pub mod log;
pub mod receiver;
pub mod session;

pub use job::{Job, JobError};
pub use session::{Busy, Event, Outcome, Session, Unknown};

/// Microseconds that bytes take on the line.
#[must_use]
pub fn line_us(bytes: usize) -> u64 {
    bytes as u64 * 1_000_000 / u64::from(kube_proto::serial::bytes_a_second())
}
