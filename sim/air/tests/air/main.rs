//! Chips and medium together, through the pins and `Air::step` only.

mod acknowledged;
mod medium;
mod pins;
mod rig;
mod sending;
