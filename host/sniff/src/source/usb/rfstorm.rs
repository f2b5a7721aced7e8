//! The research firmware of RFStorm (USB 1915:0102), in its generic promiscuous mode: the chip matches the
//! address and hands on 32 bytes as they are, with acknowledgement and checksum off. Not yet run on
//! hardware.
//!
//! | opcode | meaning | source |
//! |---|---|---|
//! | 09 | channel | spec/nrf24.md C1 |
//! | 0D | generic promiscuous mode: prefix bytes, rate 0 to 2, payload bytes, prefix with its first byte on the air first | C1 |
//! | 12 | a frame, if there is one: FF alone is none; else prefix and payload | C1 |
//!
//! Every command is answered, also by an empty transfer.

use super::captured::ADDRESS_BYTES;
use super::device::{Device, SOON, UsbError};
use super::{Receive, Tuning};
use kube_proto::capture::Captured;
use kube_proto::frame::Rate;
use std::time::Duration;

const CHANNEL: u8 = 0x09;
const PROMISCUOUS: u8 = 0x0d;
const RECEIVE: u8 = 0x12;
const NOTHING: u8 = 0xff;
/// What a chip holds of a frame.
const PAYLOAD_BYTES: usize = 32;

/// Such a receiver.
#[derive(Debug)]
pub struct RfStorm<D> {
    device: D,
    tuning: Tuning,
}

impl<D: Device> RfStorm<D> {
    /// For stations that use the radio like that.
    #[must_use]
    pub fn new(device: D, tuning: Tuning) -> Self {
        Self { device, tuning }
    }

    fn command(&mut self, bytes: &[u8]) -> Result<Vec<u8>, UsbError> {
        self.device.write(bytes)?;
        self.device.read(SOON)
    }
}

impl<D: Device> Receive for RfStorm<D> {
    fn discard(&mut self) {
        while self.device.read(Duration::from_millis(20)).is_ok() {}
    }

    fn tune(&mut self) -> Result<(), UsbError> {
        let Tuning { channel, rate, address, .. } = self.tuning;
        self.command(&[CHANNEL, channel])?;
        let rate = match rate {
            Rate::K250 => 0,
            Rate::M1 => 1,
            Rate::M2 => 2,
        };
        let about = [PROMISCUOUS, ADDRESS_BYTES as u8, rate, PAYLOAD_BYTES as u8];
        self.command(&[&about[..], &address].concat())?;
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Captured>, UsbError> {
        let answer = self.command(&[RECEIVE])?;
        match answer.as_slice() {
            [] | [NOTHING] => Ok(None),
            bytes if bytes.len() == ADDRESS_BYTES + PAYLOAD_BYTES => {
                // The checksum was not received.
                Ok(Some(self.tuning.captured(&bytes[ADDRESS_BYTES..], false)))
            }
            bytes => Err(UsbError::Answer { request: RECEIVE, bytes: bytes.len() }),
        }
    }

    fn pause(&mut self, time: Duration) {
        self.device.pause(time);
    }

    fn limits(&self) -> &'static str {
        if self.tuning.wirth {
            "of acknowledged frames it hears that they were there: the end is cut off; one channel, \
             polled, times of their arrival here"
        } else {
            "payloads without their checksum: bit errors are heard as well; one channel, polled, times \
             of their arrival here"
        }
    }
}
