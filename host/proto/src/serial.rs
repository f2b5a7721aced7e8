//! The serial line between a machine and its host: the table of its words and sizes.
//!
//! Two kinds of lines share it. A person types a command and reads what it logs, and a last line
//! `done: ...` or `failed: ...`. A tool's lines carry a session, a sequence number and a CRC, and end
//! with LF; they are text as well:
//!
//! ```text
//! #5f3a91c2 0 hold 0 *…                 host: the line is mine
//! #5f3a91c2 0 held 17 0 12 40 *…        machine: boot 17, last number 0, log lines 12 to 39 are kept
//! #5f3a91c2 1 run System.Watch *…       host: number 1, run this
//! #5f3a91c2 1 begun *…                  machine: it has begun
//! |40 boot: System.Watch *…             machine: line 40 of its log
//! |41 89184 bytes of modules, … *…
//! #5f3a91c2 1 done 40 42 *…             machine: it is done; lines 40 and 41 are what it wrote
//! ```
//!
//! - A number is done at most once per boot. Who sends it again gets its answer again.
//! - A machine that has restarted knows no session: it answers `lost` and its new boot number, and
//!   what became of the command before is unknown.
//! - A tool holds the line until [`HOLD_MS`] after its last line; meanwhile other tools are told
//!   `busy` and what a person types is refused.
//! - Lines of the log have numbers, so that one that got lost is missed and asked for.
//! - Data travels in frames ([`mod@block`]) that hold neither LF nor anything else that could be taken
//!   for a command. Each is answered by `got` or `bad`.
//!
//! The machine's side is `oberon/system/Console.Mod` and `Serial.Mod`; a test compares the numbers.
//!
//! The check is CRC-32/ISO-HDLC, eight lower-case hexadecimal digits behind ` *`, over everything
//! before that blank. A line torn in two leaves a part that begins with `#` or one that ends with a
//! check: neither is taken for a command.

pub mod block;
pub mod line;

use crc::{CRC_32_ISO_HDLC, Crc};

/// Rate of the line, 8 data bits, no parity, 1 stop bit.
pub const BAUD: u32 = 115_200;
/// Bit times of a character.
pub const BITS_A_CHARACTER: u32 = 10;
/// First character of a tool's line and of its answer.
pub const TOOL_MARK: u8 = b'#';
/// First character of a marked line of the log.
pub const LOG_MARK: u8 = b'|';
/// Stands before the check at a line's end, behind a blank.
pub const CHECK_MARK: u8 = b'*';
/// First byte of a frame.
pub const FRAME_MARK: u8 = 1;
/// Ends tool lines and frames.
pub const LINE_END: u8 = b'\n';
/// Longest command, in characters.
pub const COMMAND_MAX: usize = 255;
/// Longest line of a tool, with its check, without its end.
pub const TOOL_LINE_MAX: usize = 320;
/// Longest marked line of the log; the machine breaks longer ones.
pub const LOG_LINE_MAX: usize = 240;
/// Data bytes of a frame: a sector of the disk.
pub const BLOCK_BYTES: usize = 1024;
/// Bytes of a frame before it is stuffed: session, index, data, CRC.
pub const FRAME_BYTES: usize = 4 + 4 + BLOCK_BYTES + 4;
/// Most bytes of a frame on the line, with its mark, without its end.
pub const FRAME_MAX: usize = 1060;
/// A tool holds the line for so long after its last line.
pub const HOLD_MS: u32 = 3_000;
/// After its start a machine with start commands listens for so long.
pub const LISTEN_MS: u32 = 200;
/// Bytes that the machine keeps while a command of it runs.
pub const RECEIVE_BYTES: usize = 4096;
/// Longest image in memory.
pub const IMAGE_MAX: usize = 98_304;
/// Most sectors in one `sums`.
pub const SUMS_MAX: usize = 8;

/// Who says a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The tool.
    Host,
    /// The machine.
    Machine,
}

/// One row of [`WORDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it stands on the line, behind session and sequence number.
    pub word: &'static str,
    /// Who says it.
    pub from: Speaker,
    /// Whether the sequence number counts: it is done at most once.
    pub numbered: bool,
    /// What follows.
    pub parameters: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn host(
    word: &'static str,
    numbered: bool,
    parameters: &'static str,
    meaning: &'static str,
) -> Word {
    Word { word, from: Speaker::Host, numbered, parameters, meaning }
}

const fn machine(
    word: &'static str,
    numbered: bool,
    parameters: &'static str,
    meaning: &'static str,
) -> Word {
    Word { word, from: Speaker::Machine, numbered, parameters, meaning }
}

/// Every word of the protocol.
pub const WORDS: [Word; 20] = [
    host("hold", false, "boot", "0: the line is mine; a boot number: it still is, in that boot"),
    host("free", false, "", "the line is free again"),
    host("log", false, "first", "send the lines of the log from that number on once more"),
    host("sums", false, "first count", "the CRCs of so many sectors of the card"),
    host("run", true, "command", "run this command line"),
    host("load", true, "bytes", "blocks of an image in memory follow"),
    host("start", true, "bytes crc", "the image takes the machine over, if it is whole"),
    host("write", true, "sectors", "blocks for sectors of the card follow"),
    host("skip", true, "", "do not run Boot.Cmd at this start"),
    machine("held", false, "boot last first next", "boot number; last number done; log lines kept"),
    machine(
        "busy",
        false,
        "session ms",
        "another tool holds the line, for so long if it is silent",
    ),
    machine("freed", false, "", "nobody holds the line"),
    machine("lost", false, "boot", "this boot has not heard of that session"),
    machine("order", false, "last", "that number is neither the last nor the next"),
    machine("sums", false, "first crc ...", "CRCs of sectors"),
    machine("got", false, "index", "that block is in its place, read back"),
    machine("bad", false, "index", "that block cannot be put there"),
    machine("begun", true, "", "the command runs"),
    machine("done", true, "first next", "done; what it wrote are these lines of the log"),
    machine("failed", true, "first next reason", "it could not be done"),
];

static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// The CRC of lines, frames and sectors.
#[must_use]
pub fn sum(bytes: &[u8]) -> u32 {
    CRC.checksum(bytes)
}

/// What the line carries in a second, in bytes.
#[must_use]
pub const fn bytes_a_second() -> u32 {
    BAUD / BITS_A_CHARACTER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinct_for_each_speaker() {
        for (i, word) in WORDS.iter().enumerate() {
            assert!(word.word.len() < 8 && word.word.bytes().all(|b| b.is_ascii_lowercase()));
            let same = |other: &Word| (other.word, other.from) == (word.word, word.from);
            assert_eq!(WORDS.iter().position(same), Some(i), "{}", word.word);
        }
    }

    #[test]
    fn the_check_is_the_one_of_zip_and_png() {
        assert_eq!(sum(b"123456789"), 0xCBF4_3926);
    }
}
