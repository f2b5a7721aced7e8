//! Whole machines over the same parts.

mod sim;

pub use sim::Sim;
