//! Chips and medium together, through the pins and `Air::step` only.

mod acknowledged;
mod capture;
mod files;
mod list;
mod medium;
mod mixture;
mod payloads;
mod pins;
mod registers;
mod reports;
mod rig;
mod sending;
mod signals;
