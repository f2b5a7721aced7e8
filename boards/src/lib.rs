//! Boards and fleets. A board has one name everywhere: on its image, its card, its serial line and
//! on the air.
//!
//! | module | holds |
//! |---|---|
//! | [`fleet`] | a cluster: what its machines share, which boards there are, what each does at start |
//! | [`mod@file`] | `fleet.toml` and `fleet.local.toml`: reading them, errors with line and column |
//! | [`model`] | `board.toml`: the models of boards, their parts, pins and how they are loaded |
//! | [`pin`] | ports, pins and connectors of a board |
//! | [`package`] | packages of FPGAs: sites and their banks |
//! | [`constraints`] | the constraint file of a top on a board |
//! | [`image`] | the disk image of one machine |

pub mod constraints;
pub mod diagnostic;
pub mod file;
pub mod fleet;
pub mod image;
pub mod model;
pub mod package;
pub mod pin;
