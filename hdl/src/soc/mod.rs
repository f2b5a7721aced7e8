//! Whole machines over the same parts.

mod board;
mod sim;
mod starter;
mod ulx3s;

pub use board::Board;
pub use sim::Sim;
pub use starter::Starter;
pub use ulx3s::{Ulx3s, Ulx3sHdmi};
