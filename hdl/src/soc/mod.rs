//! Whole machines over the same parts.

mod board;
mod caches;
mod sim;
mod starter;
mod ulx3s;

pub use board::Board;
pub use caches::{Caches, UnknownCaches};
pub(crate) use caches::{every_size, sized};
pub use sim::Sim;
pub use starter::Starter;
pub use ulx3s::{CLOCK_HZ as ULX3S_CLOCK_HZ, Ulx3s, Ulx3sHdmi};
