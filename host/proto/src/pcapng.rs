//! Capture files: captured frames in pcapng, written and read with the `pcap-file` crate. Time
//! stamps are nanoseconds. The only module of this crate that needs `std`.
//!
//! ```
//! use kube_proto::pcapng::{CaptureReader, CaptureWriter};
//! # use kube_proto::{bits::Bits, capture::{Captured, Flags}, frame::Rate};
//! # let captured = Captured { flags: Flags::CRC_OK, channel: 5, rate: Rate::M1, level_dbm: None,
//! #     address_bytes: Some(5), bits: Bits::from_bytes(&[0xe7; 9], 65).unwrap() };
//! let mut file = Vec::new();
//! let mut writer = CaptureWriter::new(&mut file)?;
//! let tap = writer.add_interface("tap")?;
//! writer.write(tap, 1_234_567, &captured)?;
//! let records: Vec<_> = CaptureReader::new(&file)?.collect::<Result<_, _>>()?;
//! assert_eq!((records[0].at_ns, records[0].interface), (1_234_567, 0));
//! # Ok::<(), kube_proto::pcapng::FileError>(())
//! ```

use crate::capture::{CaptureError, Captured, LINK_TYPE, MAX_BYTES};
use pcap_file::pcapng::blocks::Block;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgParser, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::io::{ErrorKind, Read, Write};
use std::string::{String, ToString};
use std::time::Duration;
use std::vec::Vec;

/// Decimal places of a second in our time stamps.
const NANOSECONDS: u8 = 9;
/// The same in a file that does not say: microseconds.
const DEFAULT_RESOLUTION: u8 = 6;

/// Why a capture file cannot be written, or not be read (further).
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file system refused.
    #[error("cannot write the capture: {reason}")]
    Write {
        /// What it said.
        reason: String,
    },
    /// The capture cannot be read on.
    #[error("cannot read the capture: {reason}")]
    Read {
        /// What the system said.
        reason: String,
    },
    /// A record for an interface that was not added.
    #[error("no capture interface {interface}: there are {known}; add it first")]
    Interface {
        /// The one asked for.
        interface: u32,
        /// How many there are.
        known: u32,
    },
    /// Not a pcapng file.
    #[error("not a pcapng file ({reason}): is it an older pcap, or damaged from the start?")]
    NotPcapng {
        /// What is wrong with it.
        reason: String,
    },
    /// The file ends in the middle of a block, as when its writer was killed (or the block's length is
    /// damaged). What is before it has been read.
    #[error(
        "capture cut short after {records} records: {left} bytes at {at_byte} are no whole block; \
         what is before them can be used"
    )]
    CutShort {
        /// Records read.
        records: u64,
        /// Where the incomplete block begins.
        at_byte: usize,
        /// Bytes of it.
        left: usize,
    },
    /// A block that is no block. What is behind it cannot be found.
    #[error("capture damaged at byte {at_byte}, after {records} records: {reason}")]
    Damaged {
        /// Records read.
        records: u64,
        /// Where the block begins.
        at_byte: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A record that is no captured frame. Reading can go on.
    #[error("record {record}: {source}")]
    Record {
        /// Its number, from 0.
        record: u64,
        /// What is wrong with it.
        source: CaptureError,
    },
}

fn write_error(error: PcapError) -> FileError {
    let reason = match error {
        PcapError::IoError(error) => error.to_string(),
        other => other.to_string(),
    };
    FileError::Write { reason }
}

/// Writes a capture file. The bytes depend on nothing but the calls.
pub struct CaptureWriter<W: Write> {
    inner: PcapNgWriter<W>,
    interfaces: u32,
}

impl<W: Write> CaptureWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn new(writer: W) -> Result<Self, FileError> {
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: std::vec![SectionHeaderOption::UserApplication(Cow::Borrowed("Kubestation"))],
            ..SectionHeaderBlock::default()
        };
        let inner = PcapNgWriter::with_section_header(writer, section).map_err(write_error)?;
        Ok(Self { inner, interfaces: 0 })
    }

    /// A source of frames: a station, a tap, a dongle. Returns its number.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add_interface(&mut self, name: &str) -> Result<u32, FileError> {
        let block = InterfaceDescriptionBlock {
            linktype: DataLink::from(u32::from(LINK_TYPE)),
            snaplen: MAX_BYTES as u32,
            options: std::vec![
                InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ],
        };
        self.inner.write_block(&block.into_block()).map_err(write_error)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Appends a frame whose first bit was at `at_ns`: nanoseconds since 1970, or since the beginning
    /// of a simulation.
    ///
    /// # Errors
    /// [`FileError::Write`], and [`FileError::Interface`] for an unknown interface.
    pub fn write(&mut self, interface: u32, at_ns: u64, frame: &Captured) -> Result<(), FileError> {
        if interface >= self.interfaces {
            return Err(FileError::Interface { interface, known: self.interfaces });
        }
        let (bytes, len) = frame.encode();
        let block = EnhancedPacketBlock {
            interface_id: interface,
            timestamp: Duration::from_nanos(at_ns),
            original_len: len as u32,
            data: Cow::Borrowed(&bytes[..len]),
            options: Vec::new(),
        };
        self.inner.write_block(&block.into_block()).map_err(write_error)?;
        Ok(())
    }

    /// Hands on what the writer holds back, so that a reader sees whole records.
    ///
    /// # Errors
    /// What the writer says.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.inner.get_mut().flush()
    }

    /// Ends the file and gives the writer back.
    pub fn into_inner(self) -> W {
        self.inner.into_inner()
    }
}

/// A frame from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// Time of its first bit, in nanoseconds.
    pub at_ns: u64,
    /// Number of the interface in its section.
    pub interface: u32,
    /// The interface's name, empty if it has none.
    pub name: String,
    /// The frame.
    pub frame: Captured,
}

/// Reads a capture as it comes: a file, a pipe, or bytes in memory ([`CaptureReader`]). After
/// [`FileError::CutShort`], [`FileError::Damaged`] and [`FileError::Read`] the iterator ends; after
/// [`FileError::Record`] it goes on.
pub struct CaptureStream<R: Read> {
    parser: PcapNgParser,
    reader: R,
    /// What was read and not yet taken begins at `start`.
    buffer: Vec<u8>,
    start: usize,
    /// Bytes taken and thrown away.
    gone: usize,
    over: bool,
    records: u64,
    foreign: u64,
}

/// Reads a capture file that is in memory.
pub type CaptureReader<'a> = CaptureStream<&'a [u8]>;

/// Bytes asked for at a time.
const CHUNK_BYTES: usize = 1 << 16;

impl<'a> CaptureReader<'a> {
    /// Begins to read.
    ///
    /// # Errors
    /// [`FileError::NotPcapng`].
    pub fn new(whole: &'a [u8]) -> Result<Self, FileError> {
        Self::read(whole)
    }
}

impl<R: Read> CaptureStream<R> {
    /// Begins to read; waits for the first block.
    ///
    /// # Errors
    /// [`FileError::NotPcapng`], [`FileError::Read`].
    pub fn read(mut reader: R) -> Result<Self, FileError> {
        let mut buffer = Vec::new();
        loop {
            let more = more(&mut reader, &mut buffer)?;
            match PcapNgParser::new(&buffer) {
                Ok((rest, parser)) => {
                    let start = buffer.len() - rest.len();
                    let (gone, over, records, foreign) = (0, false, 0, 0);
                    return Ok(Self {
                        parser,
                        reader,
                        buffer,
                        start,
                        gone,
                        over,
                        records,
                        foreign,
                    });
                }
                Err(PcapError::IncompleteBuffer) if more => {}
                Err(error) => return Err(FileError::NotPcapng { reason: error.to_string() }),
            }
        }
    }

    /// Packets that were passed over: of interfaces with another link type.
    pub fn foreign(&self) -> u64 {
        self.foreign
    }

    /// Whether an interface of that name was described so far, in the section at hand.
    pub fn has_interface(&self, name: &str) -> bool {
        let named = |option: &InterfaceDescriptionOption<'_>| matches!(option, InterfaceDescriptionOption::IfName(text) if text == name);
        self.parser.interfaces().iter().any(|interface| interface.options.iter().any(named))
    }

    /// Gives up on what is left.
    fn stop(&mut self, reason: Option<String>) -> FileError {
        self.over = true;
        let (at_byte, left) = (self.gone + self.start, self.buffer.len() - self.start);
        let records = self.records;
        match reason {
            None => FileError::CutShort { records, at_byte, left },
            Some(reason) => FileError::Damaged { records, at_byte, reason },
        }
    }

    /// Reads on; false at the end.
    fn more(&mut self) -> Result<bool, FileError> {
        self.gone += self.start;
        self.buffer.drain(..self.start);
        self.start = 0;
        more(&mut self.reader, &mut self.buffer)
    }
}

/// Appends what there is; false at the end.
fn more(reader: &mut impl Read, buffer: &mut Vec<u8>) -> Result<bool, FileError> {
    let len = buffer.len();
    buffer.resize(len + CHUNK_BYTES, 0);
    let read = loop {
        match reader.read(&mut buffer[len..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    buffer.truncate(len + read.as_ref().copied().unwrap_or(0));
    read.map(|bytes| bytes > 0).map_err(|error| FileError::Read { reason: error.to_string() })
}

/// What a packet block holds.
enum Found {
    Record(FileRecord),
    Foreign,
    NoFrame(CaptureError),
    NoInterface,
}

fn find(parser: &PcapNgParser, packet: &EnhancedPacketBlock<'_>) -> Found {
    let Some(interface) = parser.packet_interface(packet) else { return Found::NoInterface };
    if u32::from(interface.linktype) != u32::from(LINK_TYPE) {
        return Found::Foreign;
    }
    let frame = match Captured::decode(&packet.data) {
        Ok(frame) => frame,
        Err(source) => return Found::NoFrame(source),
    };
    let (mut name, mut resolution) = (String::new(), DEFAULT_RESOLUTION);
    for option in &interface.options {
        match option {
            InterfaceDescriptionOption::IfName(text) => name = text.to_string(),
            InterfaceDescriptionOption::IfTsResol(value) => resolution = *value,
            _ => {}
        }
    }
    // The crate gives the number in the file as nanoseconds, whatever its unit.
    let at_ns = nanoseconds(packet.timestamp.as_nanos(), resolution);
    Found::Record(FileRecord { at_ns, interface: packet.interface_id, name, frame })
}

/// A time stamp in nanoseconds; its unit is a power of 10, or with bit 7 one of 2.
fn nanoseconds(stamp: u128, resolution: u8) -> u64 {
    let places = u32::from(resolution & 0x7f);
    let second =
        if resolution & 0x80 == 0 { 10u128.checked_pow(places) } else { 1u128.checked_shl(places) };
    let scaled = second.map(|second| stamp.saturating_mul(1_000_000_000) / second.max(1));
    scaled.map_or(0, |at_ns| u64::try_from(at_ns).unwrap_or(u64::MAX))
}

impl<R: Read> Iterator for CaptureStream<R> {
    type Item = Result<FileRecord, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.over {
            if self.start == self.buffer.len() {
                match self.more() {
                    Ok(true) => {}
                    Ok(false) => self.over = true,
                    Err(error) => {
                        self.over = true;
                        return Some(Err(error));
                    }
                }
                continue;
            }
            let (left, found) = match self.parser.next_block(&self.buffer[self.start..]) {
                Ok((rest, Block::EnhancedPacket(packet))) => {
                    (rest.len(), Some((packet.interface_id, find(&self.parser, &packet))))
                }
                Ok((rest, _)) => (rest.len(), None),
                Err(PcapError::IncompleteBuffer) => match self.more() {
                    Ok(true) => continue,
                    Ok(false) => return Some(Err(self.stop(None))),
                    Err(error) => {
                        self.over = true;
                        return Some(Err(error));
                    }
                },
                Err(error) => return Some(Err(self.stop(Some(error.to_string())))),
            };
            if let Some((interface, Found::NoInterface)) = found {
                let reason = std::format!("it names interface {interface} and there is none");
                return Some(Err(self.stop(Some(reason))));
            }
            self.start = self.buffer.len() - left;
            let record = self.records;
            match found {
                Some((_, Found::Record(found))) => {
                    self.records += 1;
                    return Some(Ok(found));
                }
                Some((_, Found::NoFrame(source))) => {
                    self.records += 1;
                    return Some(Err(FileError::Record { record, source }));
                }
                Some((_, Found::Foreign)) => self.foreign += 1,
                _ => {}
            }
        }
        None
    }
}
