//! SPI and a pin from an FT232H: its MPSSE over USB, and the embedded-hal traits on top of it, so that the
//! radio's own driver (`firmware/nrf24`) runs over it. Not yet run on hardware.
//!
//! | request | meaning | source |
//! |---|---|---|
//! | 00 | 0 resets, 1 and 2 empty a buffer each | AN_135 4.2; number: pyftdi `SIO_REQ_RESET`, Linux `ftdi_sio` |
//! | 09 | latency timer, ms | AN_135 4.2; number: `SIO_REQ_SET_LATENCY_TIMER` |
//! | 0B | mode in the upper byte: 0 none, 2 MPSSE | AN_135 4.2; number: `SIO_REQ_SET_BITMODE` |
//!
//! Requests go to the device, vendor's, index 0: it has one port (Linux `ftdi_sio` counts ports from 1
//! only where there are several).
//!
//! | opcode | meaning | source |
//! |---|---|---|
//! | 11 len-1 (2 bytes) | bytes out on the falling edge, MSB first | AN_108 3.3.2 |
//! | 31 len-1 (2 bytes) | as 11, and in on the rising edge | AN_108 3.3.9 |
//! | 80 value direction | ADBUS0 to 7 | AN_108 3.6.1 |
//! | 85 | no loopback | AN_108 3.7.2 |
//! | 86 divisor (2 bytes) | clock: 60 MHz / (2 (1 + divisor)) | AN_108 3.8.2 |
//! | 87 | what there is goes to the host at once | AN_108 chapter 4, Send Immediate |
//! | 8A | no division by 5 | AN_108 6.1 |
//! | 8D | no 3-phase clock | AN_108 6.4 |
//! | 97 | no adaptive clock | AN_108 6.10 |
//! | AA | there is no such one: answered by FA AA | AN_108 3.1, AN_135 5.3.1 |
//!
//! Each packet that comes in begins with two bytes of modem status, and one with nothing else comes when
//! the latency timer has run (pyftdi; D2XX takes them away). Section numbers of AN_108 are those of
//! version 1.5.
//!
//! What the chip is told without an answer being wanted is held back and goes out with the next command
//! that has one, in one transfer: a command of the radio costs one turn of USB, or none.
//!
//! Pins: ADBUS0 SCK, 1 MOSI, 2 MISO, 3 CSN, 4 CE. The radio's IRQ is not needed.

use super::device::{Device, SOON, UsbError};
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{self, OutputPin};
use embedded_hal::spi::{self, Operation, SpiDevice};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

const RESET: u8 = 0x00;
const LATENCY: u8 = 0x09;
const BIT_MODE: u8 = 0x0b;
const EMPTY_ONE: u16 = 1;
const EMPTY_OTHER: u16 = 2;
const MPSSE: u16 = 0x0200;
const LATENCY_MS: u16 = 1;

const SHIFT_OUT: u8 = 0x11;
const SHIFT: u8 = 0x31;
const PINS: u8 = 0x80;
const NO_LOOPBACK: u8 = 0x85;
const DIVISOR: u8 = 0x86;
const AT_ONCE: u8 = 0x87;
const NO_DIVISION: u8 = 0x8a;
const NO_THREE_PHASES: u8 = 0x8d;
const NOT_ADAPTIVE: u8 = 0x97;
const NO_OPCODE: u8 = 0xaa;
const BAD_OPCODE: u8 = 0xfa;

const CSN: u8 = 1 << 3;
const CE: u8 = 1 << 4;
/// SCK, MOSI, CSN and CE are outputs.
const DIRECTION: u8 = 0b0001_1011;
/// Modem status at the beginning of a packet.
const STATUS_BYTES: usize = 2;
/// The chip takes that long to become an MPSSE (AN_135 5.3.1).
const SETTLE: Duration = Duration::from_millis(50);
/// What is held back at most: the chip's buffer is 1 KB.
const HELD_MAX: usize = 512;
/// Packets without an answer until it is given up: one a millisecond.
const EMPTY_MAX: u32 = 250;

/// Rates of SCK: the radio takes 10 MHz, long wires less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// 7.5 MHz.
    Fast,
    /// 3.75 MHz.
    Half,
    /// 1 MHz.
    Slow,
}

impl Clock {
    /// The fastest first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Half, Self::Slow];

    const fn divisor(self) -> u16 {
        match self {
            Self::Fast => 3,
            Self::Half => 7,
            Self::Slow => 29,
        }
    }
}

/// The adapter.
pub struct Adapter<D: Device> {
    device: D,
    ce: u8,
    clock: Clock,
    held: Vec<u8>,
    /// Answers are those to what was asked.
    in_step: bool,
    /// What failed where nobody could be told.
    failed: Option<UsbError>,
}

impl<D: Device> Adapter<D> {
    /// Nothing is done with the device yet.
    #[must_use]
    pub fn new(device: D) -> Self {
        let (ce, clock, held) = (0, Clock::Fast, Vec::new());
        Self { device, ce, clock, held, in_step: false, failed: None }
    }

    /// Brings the MPSSE up; CSN high, CE low.
    ///
    /// # Errors
    /// [`UsbError`]: with [`UsbError::NoMpsse`] it is another chip.
    pub fn start(&mut self, clock: Clock) -> Result<(), UsbError> {
        (self.ce, self.clock, self.failed) = (0, clock, None);
        self.device.request(RESET, 0, &[])?;
        self.device.request(LATENCY, LATENCY_MS, &[])?;
        self.device.request(BIT_MODE, 0, &[])?;
        self.device.request(BIT_MODE, MPSSE, &[])?;
        self.device.pause(SETTLE);
        self.synchronise()
    }

    /// Whatever was under way is forgotten on both sides.
    fn synchronise(&mut self) -> Result<(), UsbError> {
        self.held.clear();
        self.device.request(RESET, EMPTY_ONE, &[])?;
        self.device.request(RESET, EMPTY_OTHER, &[])?;
        // An opcode that was cut off takes some of these for its data, and answers them.
        self.device.write(&[NO_OPCODE, AT_ONCE])?;
        let (mut begun, mut answer) = (None, Vec::new());
        while !answer.ends_with(&[BAD_OPCODE, NO_OPCODE]) {
            match self.packet(&mut begun) {
                Ok(bytes) => answer.extend_from_slice(&bytes),
                Err(UsbError::TimedOut) => return Err(UsbError::NoMpsse { bytes: answer.len() }),
                Err(error) => return Err(error),
            }
        }
        let [low, high] = self.clock.divisor().to_le_bytes();
        self.device.write(&[
            NO_DIVISION,
            NOT_ADAPTIVE,
            NO_THREE_PHASES,
            NO_LOOPBACK,
            DIVISOR,
            low,
            high,
            PINS,
            self.ce | CSN,
            DIRECTION,
        ])?;
        self.in_step = true;
        Ok(())
    }

    /// What is in the next packet, if it comes in time after the first call.
    fn packet(&mut self, begun: &mut Option<(Instant, u32)>) -> Result<Vec<u8>, UsbError> {
        let (since, packets) = begun.get_or_insert((Instant::now(), 0));
        if *packets >= EMPTY_MAX || since.elapsed() > SOON {
            return Err(UsbError::TimedOut);
        }
        *packets += 1;
        let packet = self.device.read(SOON)?;
        Ok(packet.get(STATUS_BYTES..).unwrap_or_default().to_vec())
    }

    fn read(&mut self, wanted: usize) -> Result<Vec<u8>, UsbError> {
        let (mut begun, mut answer) = (None, Vec::with_capacity(wanted));
        while answer.len() < wanted {
            answer.extend_from_slice(&self.packet(&mut begun)?);
        }
        if answer.len() > wanted {
            return Err(UsbError::Answer { request: SHIFT, bytes: answer.len() });
        }
        Ok(answer)
    }

    /// Whether all went well; after a failure nothing is believed before the next synchronisation.
    fn done<T>(&mut self, result: Result<T, UsbError>) -> Result<T, UsbError> {
        if result.is_err() {
            self.in_step = false;
            self.held.clear();
        }
        result
    }

    /// In step, or an error.
    fn ready(&mut self) -> Result<(), UsbError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.in_step { Ok(()) } else { self.synchronise() }
    }

    /// Sends all that is held back; so many bytes are answered.
    fn exchange(&mut self, wanted: usize) -> Result<Vec<u8>, UsbError> {
        if self.held.is_empty() {
            return Ok(Vec::new());
        }
        if wanted > 0 {
            self.held.push(AT_ONCE);
        }
        let bytes = std::mem::take(&mut self.held);
        let written = self.device.write(&bytes);
        let answer = written.and_then(|()| self.read(wanted));
        self.done(answer)
    }

    fn pins(&mut self, selected: bool) {
        let csn = if selected { 0 } else { CSN };
        self.held.extend([PINS, self.ce | csn, DIRECTION]);
    }

    /// All of it under one CSN.
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), UsbError> {
        self.ready()?;
        self.pins(true);
        let mut wanted = 0;
        for operation in operations.iter() {
            let (opcode, bytes) = match operation {
                Operation::Write(bytes) => (SHIFT_OUT, bytes.to_vec()),
                Operation::Read(bytes) => (SHIFT, vec![0xff; bytes.len()]),
                Operation::TransferInPlace(bytes) => (SHIFT, bytes.to_vec()),
                Operation::Transfer(into, from) => {
                    let mut bytes = from.to_vec();
                    bytes.resize(into.len().max(from.len()), 0xff);
                    (SHIFT, bytes)
                }
                // The radio's driver asks for none, and any turn of USB is longer.
                Operation::DelayNs(_) => continue,
            };
            let Ok(last) = u16::try_from(bytes.len().wrapping_sub(1)) else { continue };
            self.held.push(opcode);
            self.held.extend(last.to_le_bytes());
            wanted += if opcode == SHIFT { bytes.len() } else { 0 };
            self.held.extend(bytes);
        }
        // Twice: the first takes at least 50 ns to come, as long as CSN must be high.
        self.pins(false);
        self.pins(false);
        if wanted == 0 && self.held.len() < HELD_MAX {
            return Ok(());
        }
        let answer = self.exchange(wanted)?;
        let mut answer = answer.as_slice();
        for operation in operations {
            let (into, len): (&mut [u8], usize) = match operation {
                Operation::Read(into) | Operation::TransferInPlace(into) => {
                    let len = into.len();
                    (into, len)
                }
                Operation::Transfer(into, from) => {
                    let len = into.len().max(from.len());
                    (into, len)
                }
                Operation::Write(_) | Operation::DelayNs(_) => continue,
            };
            let (bytes, rest) = answer.split_at_checked(len).unwrap_or_default();
            into.iter_mut().zip(bytes).for_each(|(into, &byte)| *into = byte);
            answer = rest;
        }
        Ok(())
    }

    fn enable(&mut self, level: bool) -> Result<(), UsbError> {
        self.ready()?;
        self.ce = if level { CE } else { 0 };
        self.pins(false);
        Ok(())
    }

    /// Sends what was held back, and waits.
    pub fn pause(&mut self, time: Duration) {
        if let Err(error) = self.exchange(0) {
            self.failed = Some(error);
        }
        self.device.pause(time);
    }
}

/// A transfer that failed, as embedded-hal has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusError(pub UsbError);

impl spi::Error for BusError {
    fn kind(&self) -> spi::ErrorKind {
        spi::ErrorKind::Other
    }
}

impl digital::Error for BusError {
    fn kind(&self) -> digital::ErrorKind {
        digital::ErrorKind::Other
    }
}

/// An adapter of which several have a part.
pub type Shared<D> = Rc<RefCell<Adapter<D>>>;

/// The SPI with CSN.
pub struct Spi<D: Device>(pub Shared<D>);

impl<D: Device> spi::ErrorType for Spi<D> {
    type Error = BusError;
}

impl<D: Device> SpiDevice for Spi<D> {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), BusError> {
        self.0.borrow_mut().transaction(operations).map_err(BusError)
    }
}

/// CE.
pub struct Enable<D: Device>(pub Shared<D>);

impl<D: Device> digital::ErrorType for Enable<D> {
    type Error = BusError;
}

impl<D: Device> OutputPin for Enable<D> {
    fn set_low(&mut self) -> Result<(), BusError> {
        self.0.borrow_mut().enable(false).map_err(BusError)
    }

    fn set_high(&mut self) -> Result<(), BusError> {
        self.0.borrow_mut().enable(true).map_err(BusError)
    }
}

/// The clock that the driver waits by.
pub struct Wait<D: Device>(pub Shared<D>);

impl<D: Device> DelayNs for Wait<D> {
    fn delay_ns(&mut self, ns: u32) {
        self.0.borrow_mut().pause(Duration::from_nanos(ns.into()));
    }
}
