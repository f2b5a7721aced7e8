//! Receivers on USB: which there are, what each can hear, and how they are driven. Every receiver here
//! only listens; one that would acknowledge what it hears is refused.
//!
//! | module | holds |
//! |---|---|
//! | [`device`] | transfers, as a trait: a real device, or one in a test |
//! | [`rfstorm`] | Crazyradio PA and Logitech receivers with the firmware of RFStorm |
//! | [`crazyradio`] | a Crazyradio PA with its own firmware |
//! | [`ft232h`] | an FT232H with an nRF24L01+ module, by the driver of the project's own dongle |
//! | [`mpsse`] | SPI and pins of an FT232H |
//!
//! None of this has run on hardware yet: it goes by documents (spec/nrf24.md C).

mod captured;
pub mod crazyradio;
pub mod device;
pub mod ft232h;
pub mod mpsse;
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
    Ft232h,
}

impl Kind {
    /// Our own dongle, which is listened to by its serial port.
    #[must_use]
    pub fn is_dongle(&self) -> bool {
        self.driver == Some(Driver::Dongle)
    }

    /// Its bulk endpoints, out and in. Source: spec/nrf24.md C; of the FT232H its device descriptor as
    /// in FTDI's AN_167 and the driver pyftdi.
    fn endpoints(&self) -> (u8, u8) {
        if self.is_adapter() { (0x02, 0x81) } else { (0x01, 0x81) }
    }

    /// A general adapter, which may serve something else: it is used only where it was named.
    #[must_use]
    pub fn is_adapter(&self) -> bool {
        self.driver == Some(Driver::Ft232h)
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
        kube: "with a module: whole frames, bad ones not, three in a row",
        wirth: "with a module: that there was a frame",
        driver: Some(Driver::Ft232h),
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

    /// As a source is written. An adapter without a serial number goes by its kind.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.serial {
            Some(serial) => format!("usb:{serial}"),
            None if self.kind.is_adapter() => format!("usb:{}", self.kind.name.to_lowercase()),
            None => "usb:".to_owned(),
        }
    }

    fn is_called(&self, name: &str) -> bool {
        let by_kind = self.kind.is_adapter() && self.kind.name.eq_ignore_ascii_case(name);
        by_kind || self.serial.as_deref() == Some(name)
    }
}

/// What there is of it.
///
/// # Errors
/// [`UsbError`] if the system does not tell.
pub fn list() -> Result<Vec<Found>, UsbError> {
    Ok(device::list()?.into_iter().filter_map(|(found, _)| found).collect())
}

/// Which of those found is meant. An adapter is meant only where it is named, by its serial number or as
/// its kind.
///
/// # Errors
/// [`SourceError::UsbNone`], [`SourceError::UsbSeveral`], [`SourceError::UsbTwins`],
/// [`SourceError::UsbUnnamed`].
pub fn choose<'a, T>(
    serial: Option<&str>,
    found: &'a [(Found, T)],
) -> Result<&'a (Found, T), SourceError> {
    let is_meant = |found: &Found| match serial {
        Some(serial) => found.is_called(serial),
        None => found.usable() && !found.kind.is_adapter(),
    };
    let meant: Vec<_> = found.iter().filter(|(found, _)| is_meant(found)).collect();
    match meant.as_slice() {
        [one] if one.0.usable() => Ok(one),
        [one] => Err(SourceError::UsbUseless { name: one.0.kind.name.to_owned() }),
        [] => match found.iter().find(|(found, _)| serial.is_none() && found.usable()) {
            Some((adapter, _)) => Err(SourceError::UsbUnnamed { place: adapter.place() }),
            None => Err(SourceError::UsbNone { serial: serial.map(str::to_owned) }),
        },
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
    let endpoints = found.kind.endpoints();
    let opened = Opened::new(info, endpoints).map_err(|error| SourceError::Usb { name, error })?;
    Ok(Box::new(Listening::new(opened, found, tuning)?))
}

/// How a kind of receiver is driven. It has its device to itself.
trait Receive {
    /// Passes over what an earlier program has left in it.
    fn discard(&mut self) {}
    /// Tunes it; from then on it listens and sends nothing.
    fn tune(&mut self) -> Result<(), UsbError>;
    /// Asks once for a frame.
    fn poll(&mut self) -> Result<Option<Captured>, UsbError>;
    /// There was nothing: waits for that long.
    fn pause(&mut self, time: Duration);
    /// What it cannot hear.
    fn limits(&self) -> &'static str;
}

/// A receiver that listens.
pub struct Listening {
    receive: Box<dyn Receive>,
    name: String,
    troubles: u32,
    dropped: u64,
}

/// Transfers that may fail one after the other before the receiver is tuned again and, if that fails
/// as well, given up.
const PATIENCE: u32 = 3;
/// A pause where there was nothing: a chip holds three frames, which take a millisecond to come.
const PAUSE: Duration = Duration::from_micros(500);

impl Listening {
    /// Tunes an open device.
    ///
    /// # Errors
    /// [`SourceError::UsbActive`] where it would have to send, [`SourceError::Usb`].
    pub fn new(
        device: impl Device + 'static,
        found: &Found,
        tuning: Tuning,
    ) -> Result<Self, SourceError> {
        let receive: Box<dyn Receive> = match found.kind.driver {
            Some(Driver::RfStorm) => Box::new(rfstorm::RfStorm::new(device, tuning)),
            Some(Driver::Crazyradio) if tuning.wirth => {
                return Err(SourceError::UsbActive { name: found.kind.name.to_owned() });
            }
            Some(Driver::Crazyradio) => Box::new(crazyradio::Crazyradio::new(device, tuning)),
            Some(Driver::Ft232h) => Box::new(ft232h::Ft232h::new(device, tuning)),
            Some(Driver::Dongle) | None => {
                return Err(SourceError::UsbUseless { name: found.kind.name.to_owned() });
            }
        };
        let mut listening = Self { receive, name: found.place(), troubles: 0, dropped: 0 };
        listening.receive.discard();
        listening.tune()?;
        Ok(listening)
    }

    fn tune(&mut self) -> Result<(), SourceError> {
        let tuned = self.receive.tune();
        tuned.map_err(|error| SourceError::Usb { name: self.name.clone(), error })
    }
}

impl Source for Listening {
    fn next(&mut self, wait: Duration) -> Result<Event, SourceError> {
        let begun = Instant::now();
        loop {
            match self.receive.poll() {
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
                    self.receive.pause(PAUSE);
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
