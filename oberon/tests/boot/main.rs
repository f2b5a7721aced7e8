//! The whole system in the emulator: PROM, card, boot image, modules by name, log, commands,
//! and what happens when any of these is broken.

mod commands;
mod faults;
mod files;
mod heap;
mod loader;
mod power;
mod start;
mod station;
mod traps;
