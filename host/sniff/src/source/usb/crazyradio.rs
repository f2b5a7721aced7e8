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
pub struct Crazyradio {
    tuning: Tuning,
}

impl Crazyradio {
    /// For stations that use the radio like that.
    #[must_use]
    pub fn new(tuning: Tuning) -> Self {
        Self { tuning }
    }
}

impl Receive for Crazyradio {
    fn tune(&mut self, device: &mut dyn Device, tuning: &Tuning) -> Result<(), UsbError> {
        let rate = match tuning.rate {
            Rate::K250 => 0,
            Rate::M1 => 1,
            Rate::M2 => 2,
        };
        // First that it acknowledges nothing, last that it listens.
        device.request(ACKNOWLEDGING, 0, &[])?;
        device.request(PAYLOAD_LENGTH, FRAME_BYTES as u16, &[])?;
        device.request(CHANNEL, tuning.channel.into(), &[])?;
        device.request(ADDRESS, 0, &tuning.address)?;
        device.request(RATE, rate, &[])?;
        device.request(MODE, RECEIVER, &[])
    }

    fn poll(&mut self, device: &mut dyn Device) -> Result<Option<Captured>, UsbError> {
        match device.read(TURN) {
            Ok(bytes) if bytes.is_empty() => Ok(None),
            Err(UsbError::TimedOut) => Ok(None),
            Ok(bytes) if bytes.len() == FRAME_BYTES => Ok(Some(self.tuning.captured(&bytes, true))),
            Ok(bytes) => Err(UsbError::Answer { request: MODE, bytes: bytes.len() }),
            Err(error) => Err(error),
        }
    }

    fn limits(&self) -> &'static str {
        "frames whose checksum its chip found good; what it loses when this computer is slow it does not \
         tell; one channel, times of their arrival here"
    }
}
