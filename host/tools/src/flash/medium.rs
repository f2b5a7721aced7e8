//! The bytes of a target: a file, a disk, or the card of a machine in a lab. A simulated host can have
//! media that fail at a given block.

use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::fs::FileExt;

use rustix::fs::{Advice, fadvise};
use rustix::io::Errno;

use super::machine::LabCard;
use super::mark::BLOCK_BYTES;

/// How a simulated medium fails. Blocks are counted as they are written, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is pulled out before this block is written.
    Unplug(u64),
    /// Power fails in this block, after so many of its bytes.
    PowerCut(u64, usize),
    /// There is no room for this block.
    Full(u64),
    /// One bit of this block is written wrongly.
    Flip(u64),
}

/// Where the bytes are.
#[derive(Debug)]
enum Bytes {
    File(File),
    Lab(Box<LabCard>),
}

impl Bytes {
    fn write_all_at(&mut self, bytes: &[u8], at: u64) -> Result<()> {
        match self {
            Self::File(file) => file.write_all_at(bytes, at),
            Self::Lab(card) => card.write_at(at, bytes),
        }
    }
}

/// An open target.
#[derive(Debug)]
pub struct Medium {
    bytes: Bytes,
    len: u64,
    fault: Option<Fault>,
    written: u64,
}

impl Medium {
    /// Takes a file or device that is open for what shall be done with it.
    #[must_use]
    pub const fn new(file: File, len: u64) -> Self {
        Self { bytes: Bytes::File(file), len, fault: None, written: 0 }
    }

    /// Takes the card of a machine in a lab.
    #[must_use]
    pub fn of_lab(card: LabCard) -> Self {
        let len = card.state().bytes;
        Self { bytes: Bytes::Lab(Box::new(card)), len, fault: None, written: 0 }
    }

    /// The same, failing.
    #[must_use]
    pub fn failing(self, fault: Option<Fault>) -> Self {
        Self { fault, ..self }
    }

    /// Its length in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether it holds nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Blocks written so far.
    #[must_use]
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// Whether it is the card of a machine that runs.
    #[must_use]
    pub fn powered(&self) -> bool {
        matches!(&self.bytes, Bytes::Lab(card) if card.state().power)
    }

    /// Changes the length of a file; a card keeps its own.
    ///
    /// # Errors
    /// The operating system's.
    pub fn resize(&mut self, len: u64) -> Result<()> {
        if let Bytes::File(file) = &self.bytes {
            file.set_len(len)?;
            self.len = len;
        }
        Ok(())
    }

    /// Reads from a place on; what lies behind the end reads as nothing.
    ///
    /// # Errors
    /// The operating system's.
    pub fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<usize> {
        let file = match &self.bytes {
            Bytes::File(file) => file,
            Bytes::Lab(card) => {
                let there = self.len.saturating_sub(at).min(buffer.len() as u64) as usize;
                return card.read_at(at, &mut buffer[..there]);
            }
        };
        let mut filled = 0;
        while filled < buffer.len() {
            match file.read_at(&mut buffer[filled..], at + filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(filled)
    }

    /// Writes whole blocks at a place.
    ///
    /// # Errors
    /// The operating system's, or the fault's.
    pub fn write_at(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let Some(fault) = self.fault else {
            self.bytes.write_all_at(bytes, at)?;
            self.written += bytes.len().div_ceil(BLOCK_BYTES) as u64;
            return Ok(());
        };
        for (place, block) in (at..).step_by(BLOCK_BYTES).zip(bytes.chunks(BLOCK_BYTES)) {
            self.write_block(place, block, fault)?;
        }
        Ok(())
    }

    fn write_block(&mut self, at: u64, block: &[u8], fault: Fault) -> Result<()> {
        let number = self.written;
        self.written += 1;
        match fault {
            Fault::Unplug(from) if number >= from => Err(errno(Errno::NODEV)),
            Fault::Full(from) if number >= from => Err(errno(Errno::NOSPC)),
            Fault::PowerCut(from, bytes) if number >= from => {
                if number == from {
                    self.bytes.write_all_at(&block[..bytes.min(block.len())], at)?;
                }
                Err(errno(Errno::IO))
            }
            Fault::Flip(which) if number == which => {
                let mut wrong = block.to_vec();
                wrong[0] ^= 1;
                self.bytes.write_all_at(&wrong, at)
            }
            _ => self.bytes.write_all_at(block, at),
        }
    }

    /// Waits until everything is on the medium.
    ///
    /// # Errors
    /// The operating system's.
    pub fn sync(&self) -> Result<()> {
        match &self.bytes {
            Bytes::File(file) => file.sync_all(),
            // Every block was answered.
            Bytes::Lab(_) => Ok(()),
        }
    }

    /// Gives a card back to its machine in the lab; says whether that has power now. Nothing for others.
    ///
    /// # Errors
    /// The lab's.
    pub fn give_back(&mut self) -> Result<Option<bool>> {
        match &mut self.bytes {
            Bytes::File(_) => Ok(None),
            Bytes::Lab(card) => card.give().map(Some),
        }
    }

    /// Forgets what the operating system keeps of it in memory, so that reading comes from the medium.
    pub fn forget(&self) {
        if let Bytes::File(file) = &self.bytes {
            // A file system that cannot forget keeps the bytes; they are then compared from memory.
            let _ = fadvise(file, 0, None, Advice::DontNeed);
        }
    }
}

fn errno(errno: Errno) -> Error {
    Error::from_raw_os_error(errno.raw_os_error())
}
