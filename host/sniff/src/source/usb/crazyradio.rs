//! A Crazyradio PA with its own firmware (USB 1915:7777), as a receiver of static payloads with
//! acknowledgement off. It would acknowledge in any other mode. Not yet run on hardware; which released
//! versions know requests 30 to 40 is not known, and one that does not stalls.
//!
//! | request | meaning | source |
//! |---|---|---|
//! | 01 | channel | spec/nrf24.md C2 |
//! | 02 | address, 5 bytes | C2; their order is not told and does not matter to E7E7E7E7E7 |
//! | 03 | rate: 0, 1, 2 for 250 kbit/s, 1 and 2 Mbit/s | C2 |
//! | 22 | mode: 2 receives | C2 |
//! | 30 | pipes that acknowledge: 0 is none | C2 (hex 30, as all here) |
//! | 36 | static payload bytes | C2 |
//!
//! In this mode frames come on the bulk endpoint by themselves; a host that is slow loses some without
//! being told (C2).

use super::device::{Device, UsbError};
use super::{Receive, Tuning};
use kube_proto::capture::Captured;
use kube_proto::frame::Rate;
use kube_proto::packet::FRAME_BYTES;
use std::time::Duration;

const CHANNEL: u8 = 0x01;
const ADDRESS: u8 = 0x02;
const RATE: u8 = 0x03;
const MODE: u8 = 0x22;
const ACKNOWLEDGING: u8 = 0x30;
const PAYLOAD_LENGTH: u8 = 0x36;
const RECEIVER: u16 = 2;
/// How long one transfer waits for a frame.
const TURN: Duration = Duration::from_millis(20);

/// Such a receiver.
#[derive(Debug)]
pub struct Crazyradio<D> {
    device: D,
    tuning: Tuning,
}

impl<D: Device> Crazyradio<D> {
    /// For stations that use the radio like that.
    #[must_use]
    pub fn new(device: D, tuning: Tuning) -> Self {
        Self { device, tuning }
    }
}

impl<D: Device> Receive for Crazyradio<D> {
    fn discard(&mut self) {
        while self.device.read(TURN).is_ok() {}
    }

    fn tune(&mut self) -> Result<(), UsbError> {
        let Tuning { channel, rate, address, .. } = self.tuning;
        let rate = match rate {
            Rate::K250 => 0,
            Rate::M1 => 1,
            Rate::M2 => 2,
        };
        // First that it acknowledges nothing, last that it listens.
        self.device.request(ACKNOWLEDGING, 0, &[])?;
        self.device.request(PAYLOAD_LENGTH, FRAME_BYTES as u16, &[])?;
        self.device.request(CHANNEL, channel.into(), &[])?;
        self.device.request(ADDRESS, 0, &address)?;
        self.device.request(RATE, rate, &[])?;
        self.device.request(MODE, RECEIVER, &[])
    }

    fn poll(&mut self) -> Result<Option<Captured>, UsbError> {
        match self.device.read(TURN) {
            Ok(bytes) if bytes.is_empty() => Ok(None),
            Err(UsbError::TimedOut) => Ok(None),
            Ok(bytes) if bytes.len() == FRAME_BYTES => Ok(Some(self.tuning.captured(&bytes, true))),
            Ok(bytes) => Err(UsbError::Answer { request: MODE, bytes: bytes.len() }),
            Err(error) => Err(error),
        }
    }

    fn pause(&mut self, time: Duration) {
        self.device.pause(time);
    }

    fn limits(&self) -> &'static str {
        "frames whose checksum its chip found good; what it loses when this computer is slow it does not \
         tell; one channel, times of their arrival here"
    }
}
