//! An FT232H with an nRF24L01+ on its pins, as a receiver: the radio's own driver over [`super::mpsse`], the
//! same that runs in the dongle. Not yet run on hardware.
//!
//! A look at the chip's queue is a turn of USB, and a frame costs one more: the three frames that the
//! chip holds are heard in a row, of longer bursts at full rate some are lost. Which ones, nobody
//! can tell: the chip does not count them.

use super::device::{Device, UsbError};
use super::mpsse::{Adapter, BusError, Clock, Enable, Shared, Spi, Wait};
use super::{Receive, Tuning};
use kube_proto::capture::Captured;
use kube_proto::frame::Rate;
use nrf24::{Error, Health, Listener, Settings};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// After so many looks in a row that found nothing, about a second, the chip's registers are compared.
const LOOKS: u32 = 1_000;

type Radio<D> = Listener<Spi<D>, Enable<D>, Wait<D>>;
type RadioError = Error<BusError, BusError>;

/// An adapter that listens.
pub struct Ft232h<D: Device> {
    adapter: Shared<D>,
    radio: Radio<D>,
    tuning: Tuning,
    looks: u32,
}

impl<D: Device> Ft232h<D> {
    /// For stations that use the radio like that.
    #[must_use]
    pub fn new(device: D, tuning: Tuning) -> Self {
        let adapter = Rc::new(RefCell::new(Adapter::new(device)));
        let parts = (Spi(adapter.clone()), Enable(adapter.clone()), Wait(adapter.clone()));
        let radio = Listener::new(parts.0, parts.1, parts.2);
        Self { adapter, radio, tuning, looks: 0 }
    }
}

/// The driver's settings.
fn settings(tuning: &Tuning) -> Settings {
    let base = if tuning.wirth {
        Settings::wirth_cut_short(tuning.channel)
    } else {
        Settings::kube(tuning.channel)
    };
    let rate = match tuning.rate {
        Rate::K250 => nrf24::settings::Rate::K250,
        Rate::M1 => nrf24::settings::Rate::M1,
        Rate::M2 => nrf24::settings::Rate::M2,
    };
    let mut own = tuning.address;
    own.reverse();
    Settings { rate, own, ..base }
}

/// What USB said, or what the driver says of the chip.
fn cause(error: RadioError) -> UsbError {
    match error {
        Error::Spi(BusError(error)) | Error::Pin(BusError(error)) => error,
        Error::Absent { read } => UsbError::NoRadio { read },
        Error::Differs { register, written, read } => {
            UsbError::RadioDiffers { register: register.entry().name, written, read }
        }
        Error::Restarted => UsbError::RadioRestarted,
        other => UsbError::Other(format!("the radio: {other:?}")),
    }
}

impl<D: Device> Receive for Ft232h<D> {
    /// As fast as the wires allow.
    fn tune(&mut self) -> Result<(), UsbError> {
        self.looks = 0;
        let mut result = Ok(());
        for clock in Clock::ALL {
            self.adapter.borrow_mut().start(clock)?;
            result = self.radio.tune(&settings(&self.tuning)).map_err(cause);
            let disturbed = match &result {
                Err(UsbError::NoRadio { read }) => !matches!(read, 0x00 | 0xff),
                Err(UsbError::RadioDiffers { .. }) => true,
                _ => false,
            };
            if !disturbed {
                break;
            }
        }
        result
    }

    fn poll(&mut self) -> Result<Option<Captured>, UsbError> {
        if let Some(payload) = self.radio.receive().map_err(cause)? {
            self.looks = 0;
            return Ok(Some(self.tuning.captured(payload.as_slice(), !self.tuning.wirth)));
        }
        self.looks += 1;
        if self.looks >= LOOKS {
            self.looks = 0;
            if self.radio.maintain().map_err(cause)? == Health::Restarted {
                return Err(UsbError::RadioRestarted);
            }
        }
        Ok(None)
    }

    fn pause(&mut self, time: Duration) {
        self.adapter.borrow_mut().pause(time);
    }

    fn limits(&self) -> &'static str {
        if self.tuning.wirth {
            "of acknowledged frames it hears that they were there: the end is cut off; one channel, \
             polled: of more than three in a row some are lost; times of their arrival here, never sends"
        } else {
            "whole frames whose checksum its chip found good, bad ones not; one channel, polled: of more \
             than three in a row some are lost; times of their arrival here, never sends"
        }
    }
}
