//! An SD card in SPI mode, byte by byte.
//!
//! High capacity (block addresses), 512-byte blocks, single-block reads and writes. The card shifts a
//! byte out while one comes in: what it answers to a byte is seen with the next. Delays are real
//! time, so a slow machine polls less often and not for longer.
//!
//! Commands: 0, 8, 13, 16, 17, 24, 55, 58, 59 and application command 41; others are illegal.
//! Not modelled: multi-block transfers, the card's registers (CSD, CID), SD mode.
//!
//! Source: SD Physical Layer Simplified Specification 6.00, chapter 7; image layouts: the project's
//! notes on Oberon's file system.

mod image;

use std::collections::VecDeque;

pub use image::{BlockImage, CardImageError};

const BLOCK_BYTES: usize = image::BLOCK_BYTES;
/// Clocks without select that a card wants after power-on, in bytes.
const WAKE_UP_BYTES: u32 = 10;

const IDLE_STATE: u8 = 0x01;
const ILLEGAL_COMMAND: u8 = 0x04;
const CRC_ERROR: u8 = 0x08;
const PARAMETER_ERROR: u8 = 0x40;

const DATA_TOKEN: u8 = 0xFE;
/// "Card ECC failed", the token of a read that did not succeed.
const READ_ERROR_TOKEN: u8 = 0x04;
const DATA_ACCEPTED: u8 = 0x05;
const DATA_CRC_ERROR: u8 = 0x0B;
const DATA_WRITE_ERROR: u8 = 0x0D;

/// How long the card takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the first initialisation command to "ready".
    pub initialise_ns: u64,
    /// From a read command to its data.
    pub read_ns: u64,
    /// From written data to "not busy".
    pub write_ns: u64,
}

impl Default for Timing {
    /// A middling card: 20 ms, 100 us, 250 us.
    fn default() -> Self {
        Self { initialise_ns: 20_000_000, read_ns: 100_000, write_ns: 250_000 }
    }
}

/// Ways to be broken. All off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Answers nothing, as if no card were there.
    pub absent: bool,
    /// Initialisation never ends.
    pub never_ready: bool,
    /// After the next write the card stays busy for good.
    pub busy_forever: bool,
    /// Reads of this block end in an error token.
    pub read_error: Option<u32>,
    /// Writes of this block are refused.
    pub write_error: Option<u32>,
    /// Data of this block arrive with one bit turned and the checksum of the true data.
    pub flipped_bit: Option<u32>,
}

/// What the card makes of the next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// A command or nothing.
    Command,
    /// The start token of a block to write.
    WriteToken(u32),
    /// Data and checksum of a block to write.
    WriteData(u32),
}

/// A card with its contents.
#[derive(Clone, Debug)]
pub struct SdCard {
    image: BlockImage,
    timing: Timing,
    faults: Faults,
    selected: bool,
    wake_up_bytes: u32,
    /// SPI mode entered by CMD0.
    spi_mode: bool,
    /// Initialisation done.
    ready: bool,
    ready_at_ns: Option<u64>,
    application_command: bool,
    check_crc: bool,
    phase: Phase,
    incoming: Vec<u8>,
    outgoing: VecDeque<u8>,
    /// A read under way: when its data come, and which block.
    reading: Option<(u64, u32)>,
    busy_until_ns: u64,
    reads: u64,
    writes: u64,
}

impl SdCard {
    /// A card with an Oberon image: a full one, or a shortened one that begins with the directory
    /// root, which is put at block 80002H.
    ///
    /// # Errors
    /// If the bytes are neither.
    pub fn new(image: Vec<u8>) -> Result<Self, CardImageError> {
        Ok(Self::with(BlockImage::new(image)?))
    }

    /// A card with any contents.
    #[must_use]
    pub fn with(image: BlockImage) -> Self {
        Self {
            image,
            timing: Timing::default(),
            faults: Faults::default(),
            selected: false,
            wake_up_bytes: 0,
            spi_mode: false,
            ready: false,
            ready_at_ns: None,
            application_command: false,
            check_crc: false,
            phase: Phase::Command,
            incoming: Vec::new(),
            outgoing: VecDeque::new(),
            reading: None,
            busy_until_ns: 0,
            reads: 0,
            writes: 0,
        }
    }

    /// Replaces the delays.
    pub fn set_timing(&mut self, timing: Timing) {
        self.timing = timing;
    }

    /// The faults, to be switched on and off.
    pub fn faults_mut(&mut self) -> &mut Faults {
        &mut self.faults
    }

    /// The contents.
    #[must_use]
    pub fn image(&self) -> &BlockImage {
        &self.image
    }

    /// The contents, without the card.
    #[must_use]
    pub fn into_image(self) -> BlockImage {
        self.image
    }

    /// Blocks read and blocks written so far.
    #[must_use]
    pub fn transfers(&self) -> (u64, u64) {
        (self.reads, self.writes)
    }

    /// Takes the power away and gives it back: the contents stay, the protocol starts over.
    pub fn power_cycle(&mut self) {
        let fresh = Self::with(BlockImage::empty());
        let old = std::mem::replace(self, fresh);
        self.image = old.image;
        self.timing = old.timing;
        self.faults = old.faults;
        self.selected = old.selected;
    }

    /// The select line changes; `selected` means low.
    pub fn select(&mut self, selected: bool) {
        self.selected = selected;
        // Letting go ends whatever was under way; programming goes on.
        self.phase = Phase::Command;
        self.incoming.clear();
        self.outgoing.clear();
        self.reading = None;
    }

    /// Whether a block is being written, which holds the data line low.
    #[must_use]
    pub fn busy(&self, now_ns: u64) -> bool {
        now_ns < self.busy_until_ns
    }

    /// When programming ends, if it ever does; in the past while none is under way.
    #[must_use]
    pub fn busy_until_ns(&self) -> Option<u64> {
        (self.busy_until_ns != u64::MAX).then_some(self.busy_until_ns)
    }

    /// Eight clocks.
    pub(crate) fn transfer(&mut self, now_ns: u64, byte: u8) -> u8 {
        let answer = self.begin_byte(now_ns);
        self.end_byte(now_ns, byte);
        answer
    }

    /// Before the first of eight clocks: the byte that will be shifted out.
    pub fn begin_byte(&mut self, now_ns: u64) -> u8 {
        if self.faults.absent || !self.selected { 0xFF } else { self.shift_out(now_ns) }
    }

    /// After the last of eight clocks: the byte that was shifted in.
    pub fn end_byte(&mut self, now_ns: u64, byte: u8) {
        if self.faults.absent {
            return;
        }
        if !self.selected {
            self.wake_up_bytes = self.wake_up_bytes.saturating_add(1);
        } else if !self.busy(now_ns) {
            self.shift_in(now_ns, byte);
        }
    }

    fn shift_out(&mut self, now_ns: u64) -> u8 {
        if let Some(byte) = self.outgoing.pop_front() {
            return byte;
        }
        if let Some((at_ns, block)) = self.reading
            && at_ns <= now_ns
        {
            self.reading = None;
            return self.deliver(block);
        }
        if self.busy(now_ns) { 0 } else { 0xFF }
    }

    /// Queues a block's data behind the token that is returned.
    fn deliver(&mut self, block: u32) -> u8 {
        if self.faults.read_error == Some(block) {
            return READ_ERROR_TOKEN;
        }
        let mut data = self.image.read(block);
        let crc = crc16(&data);
        if self.faults.flipped_bit == Some(block) {
            data[0] ^= 1;
        }
        self.reads += 1;
        self.outgoing.extend(data);
        self.outgoing.extend(crc.to_be_bytes());
        DATA_TOKEN
    }

    fn shift_in(&mut self, now_ns: u64, byte: u8) {
        match self.phase {
            Phase::Command => {
                // A command starts with bits 01.
                if self.incoming.is_empty() && byte & 0xC0 != 0x40 {
                    return;
                }
                self.incoming.push(byte);
                if let [command, a, b, c, d, crc] = self.incoming[..] {
                    let argument = u32::from_be_bytes([a, b, c, d]);
                    let crc_holds = crc7(&self.incoming[..5]) << 1 | 1 == crc;
                    self.incoming.clear();
                    self.command(now_ns, command & 0x3F, argument, crc_holds);
                }
            }
            Phase::WriteToken(block) => {
                if byte == DATA_TOKEN {
                    self.incoming.clear();
                    self.phase = Phase::WriteData(block);
                }
            }
            Phase::WriteData(block) => {
                self.incoming.push(byte);
                if self.incoming.len() == BLOCK_BYTES + 2 {
                    self.write(now_ns, block);
                }
            }
        }
    }

    fn write(&mut self, now_ns: u64, block: u32) {
        self.phase = Phase::Command;
        let data = std::mem::take(&mut self.incoming);
        let (data, crc) = data.split_at(BLOCK_BYTES);
        let answer = if self.check_crc && crc != crc16(data).to_be_bytes() {
            DATA_CRC_ERROR
        } else if self.faults.write_error == Some(block) || !self.image.write(block, data) {
            DATA_WRITE_ERROR
        } else {
            self.writes += 1;
            self.busy_until_ns = if self.faults.busy_forever {
                u64::MAX
            } else {
                now_ns.saturating_add(self.timing.write_ns)
            };
            DATA_ACCEPTED
        };
        self.outgoing.push_back(answer);
    }

    fn command(&mut self, now_ns: u64, command: u8, argument: u32, crc_holds: bool) {
        let application = std::mem::take(&mut self.application_command);
        if !self.spi_mode {
            // Before SPI mode the card takes nothing but a correct CMD0, and needs clocks first.
            if command != 0 || !crc_holds || self.wake_up_bytes < WAKE_UP_BYTES {
                return;
            }
            self.spi_mode = true;
        }
        self.outgoing.clear();
        self.reading = None;
        if !crc_holds && (self.check_crc || command == 0 || command == 8) {
            let state = self.state();
            return self.answer(&[state | CRC_ERROR]);
        }
        match (command, application) {
            (0, _) => {
                self.ready = false;
                self.ready_at_ns = None;
                self.check_crc = false;
                self.answer(&[IDLE_STATE]);
            }
            (8, _) => {
                let voltage_and_pattern = argument & 0xFFF;
                let [_, _, voltage, pattern] = voltage_and_pattern.to_be_bytes();
                let state = self.state();
                self.answer(&[state, 0, 0, voltage, pattern]);
            }
            (41, true) => {
                let timing = self.timing.initialise_ns;
                let at = *self.ready_at_ns.get_or_insert_with(|| now_ns.saturating_add(timing));
                // A high capacity card waits for a host that says it knows such cards (bit 30).
                let host_capable = argument & 0x4000_0000 != 0;
                self.ready |= at <= now_ns && host_capable && !self.faults.never_ready;
                let state = self.state();
                self.answer(&[state]);
            }
            (55, _) => {
                self.application_command = true;
                let state = self.state();
                self.answer(&[state]);
            }
            (58, _) => {
                // Operating conditions: powered up, high capacity, 2.7 to 3.6 V.
                let powered = if self.ready { 0xC0 } else { 0 };
                let state = self.state();
                self.answer(&[state, powered, 0xFF, 0x80, 0]);
            }
            (59, _) => {
                self.check_crc = argument & 1 != 0;
                let state = self.state();
                self.answer(&[state]);
            }
            _ if !self.ready => self.answer(&[IDLE_STATE | ILLEGAL_COMMAND]),
            (13, _) => self.answer(&[0, 0]),
            (16, _) if argument as usize == BLOCK_BYTES => self.answer(&[0]),
            (16, _) => self.answer(&[PARAMETER_ERROR]),
            (17, _) if self.image.holds(argument) => {
                self.answer(&[0]);
                let at_ns = now_ns.saturating_add(self.timing.read_ns);
                self.reading = Some((at_ns, argument));
            }
            (24, _) if self.image.holds(argument) => {
                self.answer(&[0]);
                self.phase = Phase::WriteToken(argument);
            }
            (17 | 24, _) => self.answer(&[PARAMETER_ERROR]),
            _ => self.answer(&[ILLEGAL_COMMAND]),
        }
    }

    fn state(&self) -> u8 {
        if self.ready { 0 } else { IDLE_STATE }
    }

    /// One byte of delay, then the response.
    fn answer(&mut self, response: &[u8]) {
        self.outgoing.push_back(0xFF);
        self.outgoing.extend(response);
    }
}

/// Checksum of a command's first five bytes: x^7 + x^3 + 1.
fn crc7(bytes: &[u8]) -> u8 {
    let mut crc: u8 = 0;
    for byte in bytes {
        crc ^= byte;
        for _ in 0..8 {
            crc = crc << 1 ^ if crc & 0x80 != 0 { 0x09 << 1 } else { 0 };
        }
    }
    crc >> 1
}

/// Checksum of a block: CCITT, x^16 + x^12 + x^5 + 1, from 0.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, byte| {
        let index = (crc >> 8) as u8 ^ byte;
        crc << 8 ^ CRC16[usize::from(index)]
    })
}

/// Effect of a byte on [`crc16`].
const CRC16: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = crc << 1 ^ if crc & 0x8000 != 0 { 0x1021 } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests;
