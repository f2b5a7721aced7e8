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

const CHANNEL: u8 = 0x09;
const PROMISCUOUS: u8 = 0x0d;
const RECEIVE: u8 = 0x12;
const NOTHING: u8 = 0xff;
/// What a chip holds of a frame.
const PAYLOAD_BYTES: usize = 32;

/// Such a receiver.
#[derive(Debug)]
pub struct RfStorm {
    tuning: Tuning,
}

impl RfStorm {
    /// For stations that use the radio like that.
    #[must_use]
    pub fn new(tuning: Tuning) -> Self {
        Self { tuning }
    }

    fn command(device: &mut dyn Device, bytes: &[u8]) -> Result<Vec<u8>, UsbError> {
        device.write(bytes)?;
        device.read(SOON)
    }
}

impl Receive for RfStorm {
    fn tune(&mut self, device: &mut dyn Device, tuning: &Tuning) -> Result<(), UsbError> {
        Self::command(device, &[CHANNEL, tuning.channel])?;
        let rate = match tuning.rate {
            Rate::K250 => 0,
            Rate::M1 => 1,
            Rate::M2 => 2,
        };
        let about = [PROMISCUOUS, ADDRESS_BYTES as u8, rate, PAYLOAD_BYTES as u8];
        Self::command(device, &[&about[..], &tuning.address].concat())?;
        Ok(())
    }

    fn poll(&mut self, device: &mut dyn Device) -> Result<Option<Captured>, UsbError> {
        let answer = Self::command(device, &[RECEIVE])?;
        match answer.as_slice() {
            [] | [NOTHING] => Ok(None),
            bytes if bytes.len() == ADDRESS_BYTES + PAYLOAD_BYTES => {
                // The checksum was not received.
                Ok(Some(self.tuning.captured(&bytes[ADDRESS_BYTES..], false)))
            }
            bytes => Err(UsbError::Answer { request: RECEIVE, bytes: bytes.len() }),
        }
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
