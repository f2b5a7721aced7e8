//! Receivers on USB: which there are, what each can hear, and how they are driven. Every receiver here
//! only listens; one that would acknowledge what it hears is refused.
//!
//! | module | holds |
//! |---|---|
//! | [`device`] | transfers, as a trait: a real device, or one in a test |
//! | [`rfstorm`] | Crazyradio PA and Logitech receivers with the firmware of RFStorm |
//! | [`crazyradio`] | a Crazyradio PA with its own firmware |
//!
//! None of this has run on hardware yet: it goes by documents (spec/nrf24.md C).

mod captured;
pub mod crazyradio;
pub mod device;
pub mod rfstorm;

use super::{Event, Source, SourceError, dongle};
use device::{Device, Opened, UsbError};
use kube_proto::capture::Captured;
use kube_proto::frame::Rate;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How the stations to be heard use the radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// RF_CH: 2400 MHz + channel.
    pub channel: u8,
    /// Data rate.
    pub rate: Rate,
    /// Address as it goes over the air.
    pub address: [u8; 5],
    /// Frames have a control field and are acknowledged, as genuine stations have it.
    pub wirth: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { channel: 5, rate: Rate::M1, address: [0xe7; 5], wirth: false }
    }
}

/// A kind of receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// USB vendor.
    pub vendor: u16,
    /// USB product.
    pub product: u16,
    /// What it is.
    pub name: &'static str,
    /// What it hears of frames without control field.
    pub kube: &'static str,
    /// What it hears of acknowledged frames.
    pub wirth: &'static str,
    driver: Option<Driver>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Driver {
    Dongle,
    RfStorm,
    Crazyradio,
}

impl Kind {
    /// Our own dongle, which is listened to by its serial port.
    #[must_use]
    pub fn is_dongle(&self) -> bool {
        self.driver == Some(Driver::Dongle)
    }
}

/// The kinds that are known. Source: spec/nrf24.md C.
pub const KINDS: &[Kind] = &[
    Kind {
        vendor: kube_proto::dongle::USB_VENDOR,
        product: kube_proto::dongle::USB_PRODUCT,
        name: kube_proto::dongle::USB_NAME,
        kube: "whole frames, bad ones not",
        wirth: "that there was a frame",
        driver: Some(Driver::Dongle),
    },
    Kind {
        vendor: 0x1915,
        product: 0x0102,
        name: "RFStorm",
        kube: "whole payloads, checksum not checked",
        wirth: "that there was a frame",
        driver: Some(Driver::RfStorm),
    },
    Kind {
        vendor: 0x1915,
        product: 0x7777,
        name: "Crazyradio PA",
        kube: "whole frames, bad ones not",
        wirth: "nothing: it would acknowledge",
        driver: Some(Driver::Crazyradio),
    },
    Kind {
        vendor: 0x1915,
        product: 0x0101,
        name: "Crazyradio in its bootloader",
        kube: "nothing",
        wirth: "nothing",
        driver: None,
    },
    Kind {
        vendor: 0x0403,
        product: 0x6014,
        name: "FT232H",
        kube: "nothing: not supported yet",
        wirth: "nothing: not supported yet",
        driver: None,
    },
];

/// Crazyradios from this version of their firmware on are another device: Crazyradio 2.0.
const CRAZYRADIO_2: u16 = 0x0400;

/// A receiver that is plugged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Its serial number, if it has one.
    pub serial: Option<String>,
    /// Version of its firmware, as USB gives it.
    pub version: u16,
}

impl Found {
    /// Whether it can be listened to.
    #[must_use]
    pub fn usable(&self) -> bool {
        let second = self.kind.driver == Some(Driver::Crazyradio) && self.version >= CRAZYRADIO_2;
        self.kind.driver.is_some() && !second
    }

    /// As a source is written.
    #[must_use]
    pub fn place(&self) -> String {
        format!("usb:{}", self.serial.as_deref().unwrap_or_default())
    }
}

/// What there is of it.
///
/// # Errors
/// [`UsbError`] if the system does not tell.
pub fn list() -> Result<Vec<Found>, UsbError> {
    Ok(device::list()?.into_iter().filter_map(|(found, _)| found).collect())
}

/// Which of those found is meant.
///
/// # Errors
/// [`SourceError::UsbNone`], [`SourceError::UsbSeveral`], [`SourceError::UsbTwins`].
pub fn choose<'a, T>(
    serial: Option<&str>,
    found: &'a [(Found, T)],
) -> Result<&'a (Found, T), SourceError> {
    let is_meant = |found: &Found| match serial {
        Some(serial) => found.serial.as_deref() == Some(serial),
        None => found.usable(),
    };
    let meant: Vec<_> = found.iter().filter(|(found, _)| is_meant(found)).collect();
    match meant.as_slice() {
        [one] if one.0.usable() => Ok(one),
        [one] => Err(SourceError::UsbUseless { name: one.0.kind.name.to_owned() }),
        [] => Err(SourceError::UsbNone { serial: serial.map(str::to_owned) }),
        [first, rest @ ..] if rest.iter().all(|(found, _)| found.place() == first.0.place()) => {
            Err(SourceError::UsbTwins { place: first.0.place(), count: meant.len() })
        }
        several => {
            let places = several.iter().map(|(found, _)| found.place()).collect();
            Err(SourceError::UsbSeveral { places })
        }
    }
}

/// Opens a receiver, by its serial number or the only one, and tunes it.
///
/// # Errors
/// [`SourceError`].
pub fn open(serial: Option<&str>, tuning: Tuning) -> Result<Box<dyn Source>, SourceError> {
    let listed =
        device::list().map_err(|error| SourceError::Usb { name: "usb:".to_owned(), error })?;
    let known: Vec<_> =
        listed.into_iter().filter_map(|(found, info)| Some((found?, info))).collect();
    let (found, info) = choose(serial, &known)?;
    let name = found.place();
    if found.kind.is_dongle() {
        let is_it = |port: &&(String, (u16, u16), Option<String>)| {
            port.1 == (found.kind.vendor, found.kind.product) && port.2 == found.serial
        };
        let ports = dongle::ports();
        let Some((path, ..)) = ports.iter().find(is_it) else {
            return Err(SourceError::Dongle { name, error: dongle::DongleError::Gone });
        };
        return Ok(Box::new(dongle::Dongle::open(path, name, tuning)?));
    }
    let opened = Opened::new(info).map_err(|error| SourceError::Usb { name, error })?;
    Ok(Box::new(Listening::new(opened, found, tuning)?))
}

/// How a kind of receiver is driven.
trait Receive {
    /// Tunes it; from then on it listens and sends nothing.
    fn tune(&mut self, device: &mut dyn Device, tuning: &Tuning) -> Result<(), UsbError>;
    /// Asks once for a frame.
    fn poll(&mut self, device: &mut dyn Device) -> Result<Option<Captured>, UsbError>;
    /// What it cannot hear.
    fn limits(&self) -> &'static str;
}

/// A receiver that listens.
pub struct Listening<D: Device> {
    device: D,
    receive: Box<dyn Receive>,
    name: String,
    tuning: Tuning,
    troubles: u32,
    dropped: u64,
}

/// Transfers that may fail one after the other before the receiver is tuned again and, if that fails
/// as well, given up.
const PATIENCE: u32 = 3;
/// A pause where there was nothing: a chip holds three frames, which take a millisecond to come.
const PAUSE: Duration = Duration::from_micros(500);

impl<D: Device> Listening<D> {
    /// Tunes an open device.
    ///
    /// # Errors
    /// [`SourceError::UsbActive`] where it would have to send, [`SourceError::Usb`].
    pub fn new(device: D, found: &Found, tuning: Tuning) -> Result<Self, SourceError> {
        let name = found.place();
        let receive: Box<dyn Receive> = match found.kind.driver {
            Some(Driver::RfStorm) => Box::new(rfstorm::RfStorm::new(tuning)),
            Some(Driver::Crazyradio) if tuning.wirth => {
                return Err(SourceError::UsbActive { name: found.kind.name.to_owned() });
            }
            Some(Driver::Crazyradio) => Box::new(crazyradio::Crazyradio::new(tuning)),
            Some(Driver::Dongle) | None => {
                return Err(SourceError::UsbUseless { name: found.kind.name.to_owned() });
            }
        };
        let mut listening = Self { device, receive, name, tuning, troubles: 0, dropped: 0 };
        // What an earlier program has left in it.
        while listening.device.read(Duration::from_millis(20)).is_ok() {}
        listening.tune()?;
        Ok(listening)
    }

    fn tune(&mut self) -> Result<(), SourceError> {
        let tuned = self.receive.tune(&mut self.device, &self.tuning);
        tuned.map_err(|error| SourceError::Usb { name: self.name.clone(), error })
    }

    /// The device, to look at it in tests.
    #[must_use]
    pub fn device(&self) -> &D {
        &self.device
    }
}

impl<D: Device> Source for Listening<D> {
    fn next(&mut self, wait: Duration) -> Result<Event, SourceError> {
        let begun = Instant::now();
        loop {
            match self.receive.poll(&mut self.device) {
                Ok(Some(frame)) => {
                    self.troubles = 0;
                    let interface = self.name.clone();
                    return Ok(Event::Frame { at_ns: now_ns(), interface, frame });
                }
                Ok(None) => {
                    self.troubles = 0;
                    if begun.elapsed() >= wait {
                        return Ok(Event::Quiet(Some(now_ns())));
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(error) if error.passes() && self.troubles < PATIENCE => {
                    self.troubles += 1;
                    self.dropped += 1;
                    if self.troubles == PATIENCE {
                        self.tune()?;
                    }
                    return Ok(Event::Trouble(format!("{}: {error}", self.name)));
                }
                Err(error) => return Err(SourceError::Usb { name: self.name.clone(), error }),
            }
        }
    }

    fn dropped(&self) -> u64 {
        self.dropped
    }

    fn limits(&self) -> &'static str {
        self.receive.limits()
    }

    fn live(&self) -> bool {
        true
    }
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
