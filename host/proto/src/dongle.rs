//! What a USB dongle that listens to the air and its host say to each other: the table of messages, and
//! each of them as bytes. The firmware (`firmware/dongle`) and `kube-sniff` both go by it.
//!
//! A message on the line is its kind, its fields and a CRC-32/ISO-HDLC of both, stuffed
//! ([`crate::stuffing`]) and ended by LF. All numbers are low byte first. An empty line means nothing: a
//! host sends one first, so that what an earlier program left half said is over.
//!
//! - The dongle is silent until it was tuned. Tuning empties its queue and sets its counts to 0, so that
//!   a capture begins with frame 0.
//! - A frame has a number: frames that the dongle had no room for have none and are counted in
//!   `dropped`; a number that is missing was lost on the way.
//! - Times are microseconds since the dongle started, of the end of the frame: its chip tells of a frame
//!   that is whole.

mod collector;
mod message;

pub use collector::{Collector, Damage};
pub use message::{Frame, FromDongle, FromHost, Identity, Settings, State, Statistics, parse};

/// Version of this table: the first field of an identity. It changes when a message changes.
pub const PROTOCOL: u8 = 1;
/// USB vendor: V-USB's, whose numbers may be shared by devices that tell their name.
pub const USB_VENDOR: u16 = 0x16c0;
/// USB product: a serial port.
pub const USB_PRODUCT: u16 = 0x27dd;
/// Name of the maker, as USB gives it: tells dongles from other devices with these numbers.
pub const USB_MAKER: &str = "Kubestation";
/// Name of the product, as USB gives it.
pub const USB_NAME: &str = "Kube dongle";

/// Payload bytes of a frame.
pub const PAYLOAD_BYTES: usize = 32;
/// Most bytes of a message with its kind, without its check.
pub const MESSAGE_MAX: usize = 1 + 22 + PAYLOAD_BYTES;
/// Most bytes of a message on the line, with its end.
pub const LINE_MAX: usize = MESSAGE_MAX + CHECK_BYTES + 2;
/// Bytes of the check.
pub const CHECK_BYTES: usize = 4;

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The program on the computer.
    Host,
    /// The dongle.
    Dongle,
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Bytes; of the last field of a frame, at most.
    pub bytes: usize,
    /// What it means.
    pub note: &'static str,
}

const fn field(name: &'static str, bytes: usize, note: &'static str) -> Field {
    Field { name, bytes, note }
}

/// One row of [`MESSAGES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// First byte.
    pub kind: u8,
    /// Name.
    pub name: &'static str,
    /// Who says it.
    pub from: Speaker,
    /// What follows the kind, in order.
    pub fields: &'static [Field],
    /// What it means.
    pub note: &'static str,
}

impl Message {
    /// Bytes of kind and fields, at most.
    #[must_use]
    pub fn bytes(&self) -> usize {
        1 + self.fields.iter().map(|field| field.bytes).sum::<usize>()
    }
}

pub(crate) const IDENTIFY: u8 = 0x01;
/// Kind of the message that tunes the dongle, as a refusal names it.
pub const TUNE: u8 = 0x02;
pub(crate) const STATISTICS: u8 = 0x03;
/// Kind of the message that makes a drive of it.
pub const BOOTLOADER: u8 = 0x04;
pub(crate) const IDENTITY: u8 = 0x81;
pub(crate) const COUNTS: u8 = 0x82;
pub(crate) const FRAME: u8 = 0x83;
pub(crate) const REFUSED: u8 = 0x84;

const TIME: Field = field("time", 8, "microseconds since the dongle started");
const CHANNEL: Field = field("channel", 1, "2400 MHz and so many, 0 to 125");
const RATE: Field = field("rate", 2, "250, 1000 or 2000 kbit/s");
const PROFILE: Field = field("profile", 1, "0: kube; 1: wirth, heard cut short");
const ADDRESS: Field = field("address", 5, "low byte first, as in the chip's registers");

/// Every message.
pub const MESSAGES: [Message; 8] = [
    Message {
        kind: IDENTIFY,
        name: "identify",
        from: Speaker::Host,
        fields: &[],
        note: "answered by an identity",
    },
    Message {
        kind: TUNE,
        name: "tune",
        from: Speaker::Host,
        fields: &[CHANNEL, RATE, PROFILE, ADDRESS],
        note: "listen like that from now on, with an empty queue; answered by an identity",
    },
    Message {
        kind: STATISTICS,
        name: "count",
        from: Speaker::Host,
        fields: &[],
        note: "answered by statistics",
    },
    Message {
        kind: BOOTLOADER,
        name: "bootloader",
        from: Speaker::Host,
        fields: &[],
        note: "be a drive that takes another firmware; not answered",
    },
    Message {
        kind: IDENTITY,
        name: "identity",
        from: Speaker::Dongle,
        fields: &[
            field("protocol", 1, "version of this table"),
            field("firmware", 3, "version: major, minor, patch"),
            TIME,
            field("state", 1, "0: not tuned; 1: listens; 2: no chip answers; 3: registers differ"),
            CHANNEL,
            RATE,
            PROFILE,
            ADDRESS,
        ],
        note: "what it is and does",
    },
    Message {
        kind: COUNTS,
        name: "statistics",
        from: Speaker::Dongle,
        fields: &[
            TIME,
            field("received", 4, "frames read from the chip since it was tuned"),
            field("dropped", 4, "of them, frames for which the queue had no room"),
            field("chip full", 4, "times that the chip's own queue was found full"),
            field("restarts", 4, "times that the chip had lost its registers and was set up again"),
            field("damaged", 4, "lines from the host that were none"),
        ],
        note: "what it has counted",
    },
    Message {
        kind: FRAME,
        name: "frame",
        from: Speaker::Dongle,
        fields: &[
            field("number", 4, "counts frames that were sent to the host"),
            TIME,
            CHANNEL,
            RATE,
            field("flags", 1, "1: checksum good; 2: cut short; 4: time of reading, not of arrival"),
            field("dropped", 4, "frames dropped so far for want of room"),
            field("payload", PAYLOAD_BYTES, "as many bytes as there are"),
        ],
        note: "something was heard",
    },
    Message {
        kind: REFUSED,
        name: "refused",
        from: Speaker::Dongle,
        fields: &[field("kind", 1, "of the message that cannot be done; 0: not readable")],
        note: "unknown, damaged or impossible",
    },
];

#[cfg(test)]
mod tests;
