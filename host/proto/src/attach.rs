//! What a running lab and a program attached to it say to each other over a local stream: the air as
//! captured frames, the machines' serial lines and cards, and in the other direction frames, typed
//! bytes and blocks.
//!
//! Each record is a length (2 bytes, of what follows), a kind (1 byte) and a body. Numbers are low
//! byte first. The first record in each direction is a hello with the version.
//!
//! | kind | name | from | body |
//! |---|---|---|---|
//! | 1 | hello | both | the eight bytes `kubelab` and version |
//! | 2 | station | lab | index 1, name 1 to 32: a machine whose serial line has that index |
//! | 3 | frame | lab | time in ns 8, a captured frame ([`crate::capture`]) |
//! | 4 | serial | lab | time in ns 8, index 1, bytes that the machine wrote |
//! | 5 | time | lab | time in ns 8: nothing before it is still to come |
//! | 6 | end | lab | nothing: the run is over |
//! | 7 | block | lab | index 1, block of the card 4, its 512 bytes |
//! | 8 | answer | lab | index 1, word 1 ([`Word`]), power 1, block behind the last one written 4 |
//! | 65 | send | program | a captured frame that is to go on the air |
//! | 66 | type | program | index 1, bytes for the machine's serial line |
//! | 67 | read | program | index 1, first block 4, count 4: those blocks, then an answer |
//! | 68 | take | program | index 1: the card out of the machine, which loses power; an answer |
//! | 69 | write | program | index 1, block 4, its 512 bytes: on a card that it has taken; an answer |
//! | 70 | give | program | index 1: the card back; power as before it was taken; an answer |
//!
//! Blocks are numbered as the card counts them. A card whose program goes away is put back, and its
//! machine stays without power until the card was taken and given again, or somebody switches it on.

#[cfg(feature = "pcapng")]
pub mod client;

use crate::capture::{CaptureError, Captured, MAX_BYTES};

/// Version of the protocol, in the hello.
pub const VERSION: u8 = 2;
/// Name of the socket unless another is given.
pub const SOCKET: &str = "kube-lab.sock";

/// Where a lab's socket is unless another is named: in the folder for such things of this user, or
/// else in that for temporary files. Needs `std`.
#[cfg(feature = "pcapng")]
pub fn default_socket() -> std::path::PathBuf {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").map(std::path::PathBuf::from);
    folder.unwrap_or_else(std::env::temp_dir).join(SOCKET)
}

/// Most bytes of a record with its length.
pub const MAX_RECORD_BYTES: usize = 3 + 9 + TEXT_BYTES;
/// Most bytes of serial text in one record.
pub const TEXT_BYTES: usize = 512;
/// Longest name of a machine.
pub const NAME_BYTES: usize = 32;

/// Bytes of a card's block.
pub const CARD_BLOCK_BYTES: usize = 512;

const MAGIC: &[u8; 7] = b"kubelab";
const HELLO: u8 = 1;
const STATION: u8 = 2;
const FRAME: u8 = 3;
const SERIAL: u8 = 4;
const TIME: u8 = 5;
const END: u8 = 6;
const BLOCK: u8 = 7;
const ANSWER: u8 = 8;
const SEND: u8 = 65;
const TYPE: u8 = 66;
const READ: u8 = 67;
const TAKE: u8 = 68;
const WRITE: u8 = 69;
const GIVE: u8 = 70;

/// What a lab answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It is done.
    Done,
    /// Another program has taken the card.
    Busy,
    /// The machine has no card, or the lab no such machine.
    NoCard,
    /// The card cannot hold the block, or the program has not taken the card.
    Refused,
}

impl Word {
    const ALL: [Self; 4] = [Self::Done, Self::Busy, Self::NoCard, Self::Refused];
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// Both: the first word.
    Hello,
    /// Lab: a machine.
    Station {
        /// Its number in other records.
        index: u8,
        /// Its name.
        name: &'a [u8],
    },
    /// Lab: a frame was on the air.
    Frame {
        /// Its first bit, in nanoseconds of machine time.
        at_ns: u64,
        /// The frame.
        frame: Captured,
    },
    /// Lab: a machine wrote on its serial line.
    Serial {
        /// When it was seen, in nanoseconds of machine time.
        at_ns: u64,
        /// The machine.
        index: u8,
        /// What it wrote.
        bytes: &'a [u8],
    },
    /// Lab: machine time has come so far.
    Time {
        /// In nanoseconds.
        at_ns: u64,
    },
    /// Lab: it is over.
    End,
    /// Lab: a block of a machine's card.
    Block {
        /// The machine.
        index: u8,
        /// Its number on the card.
        block: u32,
        /// What it holds.
        bytes: &'a [u8; CARD_BLOCK_BYTES],
    },
    /// Lab: what came of something asked for.
    Answer {
        /// The machine.
        index: u8,
        /// What.
        word: Word,
        /// Whether the machine has power.
        power: bool,
        /// The block behind the last one of the card that was ever written.
        end: u32,
    },
    /// Program: put this on the air.
    Send {
        /// The frame; of its facts only channel, rate and bits count.
        frame: Captured,
    },
    /// Program: type this.
    Type {
        /// The machine.
        index: u8,
        /// What to type.
        bytes: &'a [u8],
    },
    /// Program: say what these blocks hold.
    Read {
        /// The machine.
        index: u8,
        /// The first.
        first: u32,
        /// How many; none asks for the answer alone.
        count: u32,
    },
    /// Program: take the card out.
    Take {
        /// The machine.
        index: u8,
    },
    /// Program: write a block of a card that it has taken.
    Write {
        /// The machine.
        index: u8,
        /// Its number on the card.
        block: u32,
        /// What it is to hold.
        bytes: &'a [u8; CARD_BLOCK_BYTES],
    },
    /// Program: put the card back.
    Give {
        /// The machine.
        index: u8,
    },
}

/// Why bytes are not of this protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    /// The first record is none of ours.
    #[error("the other side speaks something else than a lab does: is it the right socket?")]
    NotALab,
    /// Another version.
    #[error(
        "the other side speaks version {version}, known is {VERSION}: use programs of one build"
    )]
    Version {
        /// Its version.
        version: u8,
    },
    /// Longer than any record.
    #[error("a record of {bytes} bytes: the longest has {MAX_RECORD_BYTES}; the stream is damaged")]
    Long {
        /// Announced length.
        bytes: usize,
    },
    /// A body that does not belong to its kind.
    #[error("a record of kind {kind} with {bytes} bytes is none of ours: the stream is damaged")]
    Body {
        /// The kind.
        kind: u8,
        /// Bytes of the body.
        bytes: usize,
    },
    /// A frame that is none.
    #[error(transparent)]
    Frame(#[from] CaptureError),
}

impl<'a> Record<'a> {
    /// The record as bytes, and how many of them count. Names and texts that are too long are cut.
    pub fn encode(&self) -> ([u8; MAX_RECORD_BYTES], usize) {
        let mut out = Out { bytes: [0; MAX_RECORD_BYTES], len: 2 };
        match *self {
            Record::Hello => out.put(&[HELLO]).put(MAGIC).put(&[VERSION]),
            Record::Station { index, name } => {
                out.put(&[STATION, index]).put(&name[..name.len().min(NAME_BYTES)])
            }
            Record::Frame { at_ns, frame } => {
                let (bytes, len) = frame.encode();
                out.put(&[FRAME]).put(&at_ns.to_le_bytes()).put(&bytes[..len])
            }
            Record::Serial { at_ns, index, bytes } => out
                .put(&[SERIAL])
                .put(&at_ns.to_le_bytes())
                .put(&[index])
                .put(&bytes[..bytes.len().min(TEXT_BYTES)]),
            Record::Time { at_ns } => out.put(&[TIME]).put(&at_ns.to_le_bytes()),
            Record::End => out.put(&[END]),
            Record::Send { frame } => {
                let (bytes, len) = frame.encode();
                out.put(&[SEND]).put(&bytes[..len])
            }
            Record::Type { index, bytes } => {
                out.put(&[TYPE, index]).put(&bytes[..bytes.len().min(TEXT_BYTES)])
            }
            Record::Block { index, block, bytes } => {
                out.put(&[BLOCK, index]).put(&block.to_le_bytes()).put(bytes)
            }
            Record::Answer { index, word, power, end } => {
                let head = [ANSWER, index, word as u8, u8::from(power)];
                out.put(&head).put(&end.to_le_bytes())
            }
            Record::Read { index, first, count } => {
                out.put(&[READ, index]).put(&first.to_le_bytes()).put(&count.to_le_bytes())
            }
            Record::Take { index } => out.put(&[TAKE, index]),
            Record::Write { index, block, bytes } => {
                out.put(&[WRITE, index]).put(&block.to_le_bytes()).put(bytes)
            }
            Record::Give { index } => out.put(&[GIVE, index]),
        };
        let [low, high] = ((out.len - 2) as u16).to_le_bytes();
        (out.bytes[0], out.bytes[1]) = (low, high);
        (out.bytes, out.len)
    }

    /// Takes the first record off `stream`: the record and the bytes it took, or `None` while it is
    /// not whole.
    ///
    /// # Errors
    /// [`AttachError`]; after it the rest of the stream means nothing.
    pub fn decode(stream: &'a [u8]) -> Result<Option<(Self, usize)>, AttachError> {
        let [low, high, ..] = *stream else { return Ok(None) };
        let len = usize::from(u16::from_le_bytes([low, high]));
        if 2 + len > MAX_RECORD_BYTES {
            return Err(AttachError::Long { bytes: 2 + len });
        }
        let Some(record) = stream.get(2..2 + len) else { return Ok(None) };
        let [kind, ref body @ ..] = *record else {
            return Err(AttachError::Body { kind: 0, bytes: 0 });
        };
        let wrong = AttachError::Body { kind, bytes: body.len() };
        let timed = || {
            let (time, rest) = body.split_first_chunk::<8>().ok_or(wrong)?;
            Ok::<_, AttachError>((u64::from_le_bytes(*time), rest))
        };
        let record = match (kind, body) {
            (HELLO, [magic @ .., version]) if magic == MAGIC => match *version {
                VERSION => Record::Hello,
                version => return Err(AttachError::Version { version }),
            },
            (HELLO, _) => return Err(AttachError::NotALab),
            (STATION, [index, name @ ..]) if (1..=NAME_BYTES).contains(&name.len()) => {
                Record::Station { index: *index, name }
            }
            (FRAME, _) => {
                let (at_ns, rest) = timed()?;
                Record::Frame { at_ns, frame: Captured::decode(rest)? }
            }
            (SERIAL, _) => {
                let (at_ns, rest) = timed()?;
                let [index, bytes @ ..] = rest else { return Err(wrong) };
                Record::Serial { at_ns, index: *index, bytes }
            }
            (TIME, _) => match timed()? {
                (at_ns, []) => Record::Time { at_ns },
                _ => return Err(wrong),
            },
            (END, []) => Record::End,
            (SEND, _) => Record::Send { frame: Captured::decode(body)? },
            (TYPE, [index, bytes @ ..]) => Record::Type { index: *index, bytes },
            (BLOCK | WRITE, [index, rest @ ..]) => {
                let (block, bytes) = rest.split_first_chunk().ok_or(wrong)?;
                let (block, index) = (u32::from_le_bytes(*block), *index);
                let bytes = bytes.try_into().map_err(|_| wrong)?;
                match kind {
                    BLOCK => Record::Block { index, block, bytes },
                    _ => Record::Write { index, block, bytes },
                }
            }
            (ANSWER, [index, word, power @ (0 | 1), end @ ..]) => {
                let word = *Word::ALL.get(usize::from(*word)).ok_or(wrong)?;
                let end = u32::from_le_bytes(end.try_into().map_err(|_| wrong)?);
                Record::Answer { index: *index, word, power: *power == 1, end }
            }
            (READ, [index, rest @ ..]) => {
                let (first, count) = rest.split_first_chunk().ok_or(wrong)?;
                let count = u32::from_le_bytes(count.try_into().map_err(|_| wrong)?);
                Record::Read { index: *index, first: u32::from_le_bytes(*first), count }
            }
            (TAKE, [index]) => Record::Take { index: *index },
            (GIVE, [index]) => Record::Give { index: *index },
            _ => return Err(wrong),
        };
        Ok(Some((record, 2 + len)))
    }
}

struct Out {
    bytes: [u8; MAX_RECORD_BYTES],
    len: usize,
}

impl Out {
    /// Everything fits: texts were cut, and a captured frame is shorter than a text.
    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        for (to, &from) in self.bytes[self.len..].iter_mut().zip(bytes) {
            *to = from;
            self.len += 1;
        }
        self
    }
}

const _: () = assert!(MAX_BYTES <= TEXT_BYTES && CARD_BLOCK_BYTES <= TEXT_BYTES);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Flags;
    use crate::frame::{self, Address, CrcMode, Rate};
    use std::vec::Vec;

    fn frame() -> Captured {
        let bits = frame::encode(&Address::OBERON, None, &[0x5a; 32], CrcMode::Crc16);
        Captured {
            flags: Flags::CRC_OK,
            channel: 5,
            rate: Rate::M1,
            level_dbm: Some(-50),
            address_bytes: None,
            bits: Captured::without_preamble(&bits.expect("32 bytes")),
        }
    }

    fn all() -> Vec<Record<'static>> {
        std::vec![
            Record::Hello,
            Record::Station { index: 2, name: b"node2" },
            Record::Frame { at_ns: 1 << 40, frame: frame() },
            Record::Serial { at_ns: 7, index: 1, bytes: b"kubenet: joined" },
            Record::Serial { at_ns: 7, index: 1, bytes: &[b'x'; TEXT_BYTES] },
            Record::Time { at_ns: 9 },
            Record::End,
            Record::Send { frame: frame() },
            Record::Type { index: 0, bytes: b"Kube.Get\n" },
            Record::Block { index: 1, block: 0x8_0002, bytes: &[7; CARD_BLOCK_BYTES] },
            Record::Answer { index: 1, word: Word::Refused, power: true, end: 0x8_4002 },
            Record::Read { index: 1, first: 0x8_0002, count: 128 },
            Record::Take { index: 2 },
            Record::Write { index: 2, block: u32::MAX, bytes: &[9; CARD_BLOCK_BYTES] },
            Record::Give { index: 2 },
        ]
    }

    #[test]
    fn a_stream_gives_the_records_that_made_it_wherever_it_is_cut() {
        let mut stream = Vec::new();
        for record in all() {
            let (bytes, len) = record.encode();
            for cut in 0..len {
                assert_eq!(Record::decode(&bytes[..cut]), Ok(None), "{record:?} at {cut}");
            }
            stream.extend_from_slice(&bytes[..len]);
        }
        let (mut rest, mut found) = (&stream[..], Vec::new());
        while let Some((record, len)) = Record::decode(rest).expect("ours") {
            found.push(record);
            rest = &rest[len..];
        }
        assert_eq!(found, all());
        assert!(rest.is_empty());
    }

    #[test]
    fn the_hello_is_published() {
        let (bytes, len) = Record::Hello.encode();
        assert_eq!(bytes[..len], *b"\x09\x00\x01kubelab\x02");
    }

    #[test]
    fn strangers_and_damage_are_named() {
        let decode = |bytes: &[u8]| Record::decode(bytes).map(|found| found.is_some());
        assert_eq!(decode(b"\x09\x00\x01kubelab\x01"), Err(AttachError::Version { version: 1 }));
        assert_eq!(decode(b"\x02\x00\x01x"), Err(AttachError::NotALab));
        assert_eq!(decode(b"GET / HTTP/1.1\r\n"), Err(AttachError::Long { bytes: 0x4549 }));
        assert_eq!(decode(b"\x00\x00"), Err(AttachError::Body { kind: 0, bytes: 0 }));
        assert_eq!(decode(b"\x01\x00\x09"), Err(AttachError::Body { kind: 9, bytes: 0 }));
        assert_eq!(decode(b"\x02\x00\x05\x01"), Err(AttachError::Body { kind: 5, bytes: 1 }));
        assert_eq!(decode(b"\x02\x00\x02\x01"), Err(AttachError::Body { kind: 2, bytes: 1 }));
        assert_eq!(decode(b"\x03\x00\x45\x01\x01"), Err(AttachError::Body { kind: 69, bytes: 2 }));
        let answer = b"\x08\x00\x08\x01\x04\x00\x00\x00\x00\x00";
        assert_eq!(decode(answer), Err(AttachError::Body { kind: 8, bytes: 7 }));
        let (mut bytes, len) = Record::Send { frame: frame() }.encode();
        bytes[3] = 9;
        assert!(matches!(Record::decode(&bytes[..len]), Err(AttachError::Frame(_))));
    }
}
