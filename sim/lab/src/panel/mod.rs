//! A control panel on a terminal: a running cluster with its switches, as people operate it.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | machines and air, and what a person can do to them; no terminal |
//! | [`state`] | all that is shown |
//! | [`keys`] | which key does what: the one table, for footer, help and loop |
//! | [`intrusion`] | somebody else who sends, when, and what came of it |
//! | [`pace`] | how fast machine time goes, and when it stands |
//! | [`frames`] | frames with what became of them |
//! | [`log`](mod@log) | what a machine says on its serial line |
//! | [`input`] | the line being typed, and those typed before |
//! | [`draw`](mod@draw) | from the state to a buffer, at any size |
//! | [`screen`] | the terminal: taken, drawn on, given back |

pub mod draw;
pub mod frames;
pub mod input;
pub mod intrusion;
pub mod keys;
pub mod log;
pub mod model;
pub mod pace;
pub mod screen;
pub mod state;
