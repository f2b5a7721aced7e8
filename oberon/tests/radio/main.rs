//! The radio driver on whole machines: several on one air, in both profiles; without a radio, with a
//! bad one, on the reference machine; and beside a genuine Project Oberon system.

mod counts;
mod exchange;
mod genuine;
mod rig;
mod trouble;
