//! What is on the air: frames as bits, packets, KubeNet messages and their authentication.
//!
//! One idea a module, from the outside in:
//!
//! - [`bits`]: a short string of bits, sent most significant bit first;
//! - [`frame`]: the frame an nRF24L01+ puts on the air, with and without packet control field;
//! - [`packet`]: Project Oberon's packet header inside a 32-byte payload;
//! - [`layout`]: the KubeNet messages as a table of fields, the one place where they stand;
//! - [`message`]: the same messages as types, parsed and emitted by way of the table;
//! - [`key`]: cluster tag and key text;
//! - [`siphash`]: HalfSipHash-2-4, the message authentication code;
//! - [`signature`]: signing a message and judging a heard one;
//! - [`replay`]: the counter window against replayed messages, where all share a key;
//! - [`session`]: keys and counters of a plane and a node that agreed upon a session;
//! - [`greeting`]: how they agree, as both sides do it;
//! - [`overheard`]: the same as a listener sees it;
//! - [`attach`]: what a lab and a program attached to it say to each other (with `pcapng` the program's end);
//! - [`capture`]: a captured frame as bytes: our pseudo-header as a table, and its bits;
//! - [`datagram`]: a frame's payload over UDP;
//! - [`pieces`]: lines of the serial line as they go over the air;
//! - [`dongle`]: what a USB dongle that listens and its host say to each other;
//! - [`stuffing`]: frames on a line of bytes, so that a lost byte costs one of them;
//! - [`store`]: the control plane's store, as on its disk and in backups;
//! - [`serial`]: the serial line between a machine and its host: its table, lines and frames;
//! - `pcapng` (feature `pcapng`): capture files.
//!
//! The crate is `no_std` and does not allocate, but for `pcapng`: the same code runs in the tools,
//! in the air model and in a microcontroller. Nothing here panics on bytes from outside.

#![no_std]

#[cfg(any(test, feature = "pcapng"))]
extern crate std;

pub mod attach;
pub mod bits;
pub mod capture;
pub mod datagram;
pub mod dongle;
pub mod frame;
pub mod greeting;
pub mod key;
pub mod layout;
pub mod message;
pub mod overheard;
pub mod packet;
#[cfg(feature = "pcapng")]
pub mod pcapng;
pub mod pieces;
pub mod replay;
pub mod serial;
pub mod session;
pub mod signature;
pub mod siphash;
pub mod store;
pub mod stuffing;
