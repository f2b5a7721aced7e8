//! An FT232H with a radio module on its pins, as its host sees it: USB transfers in and out, MPSSE opcodes in
//! between, and the module's chip on a world's air. It answers `kube_sniff`'s own code transfer by
//! transfer, and machine time goes on with each.
//!
//! The opcodes are read as FTDI's AN_108 gives them, and not as the host's code writes them; what that
//! uses is in the table of `kube_sniff::source::usb::mpsse`.

use std::collections::VecDeque;
use std::time::Duration;

use kube_air::{AirError, Chip, Sighting, StationId, Timing};
use kube_sniff::source::usb::device::{Device, UsbError};

use crate::world::World;

/// What a bulk transfer takes at least: a microframe.
const TURN_NS: u64 = 125_000;
/// What a pin command takes: three bytes at 60 MHz.
const PINS_NS: u64 = 50;
/// Modem status in front of each packet.
const STATUS: [u8; 2] = [0x32, 0x60];

/// What goes wrong with a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The next transfer out fails so, and its bytes are lost.
    Out(UsbError),
    /// The next transfer out fails so although its bytes arrive.
    LateOut(UsbError),
    /// The next transfer in fails so, and what waits goes on waiting.
    In(UsbError),
    /// The next transfer in has no byte, not even a status.
    Empty,
    /// The next transfer out arrives without its first byte.
    Bitten,
}

/// How the adapter and its wires are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wiring {
    /// MISO has this level whatever the chip says.
    pub miso: Option<bool>,
    /// Bytes read lose bit 3 while SCK is faster than this, in Hz.
    pub slow_only_hz: Option<u64>,
    /// It is another chip: opcodes are not answered.
    pub no_mpsse: bool,
    /// Bytes of a packet: 512, or 64 behind a slow hub.
    pub packet_bytes: Option<usize>,
}

/// The adapter, its module, and the world that both are in.
pub struct Ft232h {
    world: World,
    station: StationId,
    now_ns: u64,
    /// How it is wired.
    pub wiring: Wiring,
    /// What will go wrong, in order.
    pub faults: VecDeque<Fault>,
    /// Transfers out, as they came.
    pub written: Vec<Vec<u8>>,
    /// Requests: request, value.
    pub requests: Vec<(u8, u16)>,
    mpsse: bool,
    latency_ns: u64,
    divided: bool,
    divisor: u16,
    pins: u8,
    direction: u8,
    /// Opcodes whose data has not come yet.
    incoming: Vec<u8>,
    answers: VecDeque<u8>,
    seen: Vec<Sighting>,
    fault: Option<AirError>,
}

impl Ft232h {
    /// Puts a module into a world, after its last machine, at the world's time. It has had power for
    /// long.
    #[must_use]
    pub fn new(mut world: World) -> Self {
        let station = world.add_chip(Chip::new(0, Timing::default()));
        let now_ns = world.now_ns();
        Self {
            world,
            station,
            now_ns,
            wiring: Wiring::default(),
            faults: VecDeque::new(),
            written: Vec::new(),
            requests: Vec::new(),
            mpsse: false,
            latency_ns: 16_000_000,
            divided: true,
            divisor: 0,
            pins: 0,
            direction: 0,
            incoming: Vec::new(),
            answers: VecDeque::new(),
            seen: Vec::new(),
            fault: None,
        }
    }

    /// The world.
    pub fn world(&mut self) -> &mut World {
        &mut self.world
    }

    /// Its module's place on the air.
    #[must_use]
    pub const fn station(&self) -> StationId {
        self.station
    }

    /// Its time.
    #[must_use]
    pub const fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// All that was sent on the air since the last call, in the order of its end.
    pub fn take_seen(&mut self) -> Vec<Sighting> {
        std::mem::take(&mut self.seen)
    }

    /// What the simulation did against its own rules.
    #[must_use]
    pub const fn fault(&self) -> Option<&AirError> {
        self.fault.as_ref()
    }

    /// SCK in Hz (AN_108 3.8.2; 12 MHz instead of 60 until the division by 5 is off, 6.1).
    #[must_use]
    pub fn clock_hz(&self) -> u64 {
        let base = if self.divided { 12_000_000 } else { 60_000_000 };
        base / (2 * (1 + u64::from(self.divisor)))
    }

    /// Lets time pass, for all.
    pub fn pass(&mut self, ns: u64) {
        self.now_ns += ns;
        while self.fault.is_none() && self.world.horizon_ns() <= self.now_ns {
            let horizon_ns = self.world.horizon_ns();
            match self.world.run_until(horizon_ns) {
                Ok(seen) => self.seen.extend(seen),
                Err(error) => self.fault = Some(error),
            }
        }
    }

    fn drive(&mut self, value: u8, direction: u8) {
        self.pass(PINS_NS);
        // A pin that is no output keeps the level that the module's resistors give it.
        let level = |pins: u8, direction: u8| pins & direction | 0x08 & !direction;
        let (old, new) = (level(self.pins, self.direction), level(value, direction));
        (self.pins, self.direction) = (value, direction);
        let now_ns = self.now_ns;
        let Some(chip) = self.world.chip() else { return };
        if (old ^ new) & 0x10 != 0 {
            chip.enable(now_ns, new & 0x10 != 0);
        }
        if (old ^ new) & 0x08 != 0 {
            chip.select(now_ns, new & 0x08 == 0);
        }
    }

    /// All pins are inputs until they are told otherwise.
    fn leave_mode(&mut self) {
        (self.mpsse, self.divided) = (false, true);
        self.incoming.clear();
        self.answers.clear();
        self.drive(self.pins, 0);
    }

    fn shift(&mut self, byte: u8) -> u8 {
        self.pass(8_000_000_000 / self.clock_hz());
        let now_ns = self.now_ns;
        // Without SCK and MOSI as outputs nothing arrives.
        let reaches = self.direction & 0x03 == 0x03;
        let back = match self.world.chip() {
            Some(chip) if reaches => chip.transfer(now_ns, byte),
            _ => 0xff,
        };
        match (self.wiring.miso, self.wiring.slow_only_hz) {
            (Some(true), _) => 0xff,
            (Some(false), _) => 0x00,
            (None, Some(limit)) if self.clock_hz() > limit => back & !0x08,
            _ => back,
        }
    }

    /// Does what stands first, if it is complete; how many bytes that was.
    fn execute(&mut self) -> Option<usize> {
        let bytes = std::mem::take(&mut self.incoming);
        let used = match *bytes.as_slice() {
            [0x80, value, direction, ..] => {
                self.drive(value, direction);
                Some(3)
            }
            [opcode @ (0x11 | 0x31), low, high, ref data @ ..] => {
                let count = usize::from(u16::from_le_bytes([low, high])) + 1;
                data.get(..count).map(|data| {
                    for &byte in data {
                        let back = self.shift(byte);
                        self.answers.extend((opcode == 0x31).then_some(back));
                    }
                    3 + count
                })
            }
            [0x86, low, high, ..] => {
                self.divisor = u16::from_le_bytes([low, high]);
                Some(3)
            }
            [0x8a, ..] => {
                self.divided = false;
                Some(1)
            }
            [0x85 | 0x87 | 0x8d | 0x97, ..] => Some(1),
            [0x11 | 0x31 | 0x80 | 0x86, ..] | [] => None,
            [unknown, ..] => {
                self.answers.extend([0xfa, unknown]);
                Some(1)
            }
        };
        self.incoming = bytes;
        used
    }
}

impl Device for Ft232h {
    fn write(&mut self, bytes: &[u8]) -> Result<(), UsbError> {
        self.pass(TURN_NS);
        let (mut bytes, mut result) = (bytes, Ok(()));
        match self.faults.front() {
            Some(Fault::Out(error)) => {
                let error = error.clone();
                // What was pulled out stays out.
                if error != UsbError::Gone {
                    self.faults.pop_front();
                }
                return Err(error);
            }
            Some(Fault::LateOut(error)) => {
                result = Err(error.clone());
                self.faults.pop_front();
            }
            Some(Fault::Bitten) => {
                bytes = bytes.get(1..).unwrap_or_default();
                self.faults.pop_front();
            }
            _ => {}
        }
        self.written.push(bytes.to_vec());
        if self.mpsse && !self.wiring.no_mpsse {
            self.incoming.extend_from_slice(bytes);
            while let Some(used) = self.execute() {
                self.incoming.drain(..used);
            }
        }
        result
    }

    fn read(&mut self, wait: Duration) -> Result<Vec<u8>, UsbError> {
        match self.faults.front() {
            Some(Fault::In(error)) => {
                let error = error.clone();
                if error != UsbError::Gone {
                    self.faults.pop_front();
                }
                self.pass(TURN_NS);
                return Err(error);
            }
            Some(Fault::Empty) => {
                self.faults.pop_front();
                self.pass(TURN_NS);
                return Ok(Vec::new());
            }
            _ => {}
        }
        if self.answers.is_empty() {
            let wait_ns = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
            self.pass(self.latency_ns.min(wait_ns));
            return if wait_ns < self.latency_ns {
                Err(UsbError::TimedOut)
            } else {
                Ok(STATUS.to_vec())
            };
        }
        self.pass(TURN_NS);
        let room = self.wiring.packet_bytes.unwrap_or(512) - STATUS.len();
        let count = self.answers.len().min(room);
        let mut packet = STATUS.to_vec();
        packet.extend(self.answers.drain(..count));
        Ok(packet)
    }

    fn request(&mut self, request: u8, value: u16, _data: &[u8]) -> Result<(), UsbError> {
        self.pass(3 * TURN_NS);
        if let Some(Fault::Out(UsbError::Gone)) = self.faults.front() {
            return Err(UsbError::Gone);
        }
        self.requests.push((request, value));
        match (request, value) {
            (0x00, 0) => self.leave_mode(),
            (0x00, 1) => self.incoming.clear(),
            (0x00, 2) => self.answers.clear(),
            (0x09, ms) => self.latency_ns = u64::from(ms) * 1_000_000,
            (0x0b, mode) => {
                self.leave_mode();
                self.mpsse = mode >> 8 == 2;
            }
            _ => return Err(UsbError::Stalled),
        }
        Ok(())
    }

    fn pause(&mut self, time: Duration) {
        self.pass(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }
}
