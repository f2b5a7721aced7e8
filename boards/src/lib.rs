//! Boards and fleets. A board has one name everywhere: on its image, its card, its serial line and
//! on the air.
//!
//! | module | holds |
//! |---|---|
//! | [`fleet`] | a cluster: what its machines share, which boards there are, what each does at start |
//! | [`mod@file`] | `fleet.toml` and `fleet.local.toml`: reading them, errors with line and column |
//! | [`model`] | `board.toml`: the models of boards, their parts and how they are loaded |
//! | [`image`] | the disk image of one machine |

pub mod diagnostic;
pub mod file;
pub mod fleet;
pub mod image;
pub mod model;
