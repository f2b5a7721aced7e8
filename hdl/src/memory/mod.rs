//! The memory of a board: caches, the way to an SDRAM, and both ports of the core.

mod cache;
mod sdram;
mod system;

pub use cache::Cache;
pub use sdram::{Sdram, SdramTiming};
pub use system::Memory;
