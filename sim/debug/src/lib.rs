//! Looks into a machine that runs Oberon modules: which modules are loaded, which line an address
//! belongs to, who called whom, what variables hold.
//!
//! | module | holds |
//! |---|---|
//! | [`tables`] | position tables (`.pos`) by module, and the sources they name |
//! | [`memory`] | the machine as this crate sees it: words, registers, loaded modules |
//! | [`chain`] | the call chain, from link words in the frames |
//! | [`trap`] | which trap a machine ran into, and a report of it |
//! | [`value`] | names with selectors, and values as text |
//! | [`session`] | breakpoints, steps, running on |
//! | [`commands`] | the debugger's command language |
//!
//! Nothing here needs help from the machine's software: module descriptors, frames and traps are
//! those of Project Oberon, and a genuine system can be looked into as well as ours.

pub mod chain;
pub mod commands;
pub mod memory;
pub mod session;
pub mod tables;
pub mod trap;
pub mod value;
