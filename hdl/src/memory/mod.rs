//! The memory of a board: caches, the way to an SDRAM, and both ports of the core.

mod cache;
mod lanes;
mod recent;
mod sdram;
mod system;

pub use cache::Cache;
pub use lanes::LanePlace;
pub use recent::RecentLines;
pub use sdram::{Sdram, SdramTiming};
pub use system::Memory;
