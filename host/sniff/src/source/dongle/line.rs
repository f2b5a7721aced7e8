//! The serial port of a dongle, or one in a test.

use super::DongleError;
use serialport::{SerialPort, SerialPortType};
use std::io::ErrorKind;
use std::time::{Duration, Instant};

/// Any: a USB serial port has no rate of its own.
const BAUD: u32 = 115_200;
/// A dongle that takes nothing for so long is stuck.
const SOON: Duration = Duration::from_secs(2);

/// Bytes to a dongle and from it.
pub trait Line {
    /// What has come; waits at most that long for the first byte.
    ///
    /// # Errors
    /// [`DongleError::Gone`] and those of the system.
    fn receive(&mut self, wait: Duration) -> Result<Vec<u8>, DongleError>;

    /// Sends all of it.
    ///
    /// # Errors
    /// As above.
    fn send(&mut self, bytes: &[u8]) -> Result<(), DongleError>;
}

/// A real port, or a pseudo-terminal.
pub struct Serial(Box<dyn SerialPort>);

impl Serial {
    /// Opens it for this program alone.
    ///
    /// # Errors
    /// [`DongleError::Port`].
    pub fn open(path: &str) -> Result<Self, DongleError> {
        let opened = serialport::new(path, BAUD).timeout(Duration::from_millis(20)).open();
        opened.map(Self).map_err(|error| {
            let kind = match error.kind() {
                // The port is locked by whoever has it open, and says so with a word only.
                serialport::ErrorKind::NoDevice
                    if ["lock", "busy"].iter().any(|word| error.description.contains(word)) =>
                {
                    ErrorKind::ResourceBusy
                }
                serialport::ErrorKind::NoDevice => ErrorKind::NotFound,
                serialport::ErrorKind::Io(kind) => kind,
                _ => ErrorKind::Other,
            };
            // What the system says of a file that is no terminal is from the days of typewriters.
            let what = match error.description.contains("typewriter") {
                true => "it is no serial port".to_owned(),
                false => error.description,
            };
            DongleError::Port { kind, what }
        })
    }
}

const fn waits(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl Line for Serial {
    fn receive(&mut self, wait: Duration) -> Result<Vec<u8>, DongleError> {
        let wait = wait.max(Duration::from_millis(1));
        self.0.set_timeout(wait).map_err(|_| DongleError::Gone)?;
        let mut bytes = vec![0; 16_384];
        match self.0.read(&mut bytes) {
            Ok(0) => Err(DongleError::Gone),
            Ok(len) => {
                bytes.truncate(len);
                Ok(bytes)
            }
            Err(error) if waits(error.kind()) => Ok(Vec::new()),
            Err(_) => Err(DongleError::Gone),
        }
    }

    fn send(&mut self, mut bytes: &[u8]) -> Result<(), DongleError> {
        let begun = Instant::now();
        while !bytes.is_empty() {
            match self.0.write(bytes) {
                Ok(len) => bytes = bytes.get(len..).unwrap_or_default(),
                Err(error) if waits(error.kind()) && begun.elapsed() < SOON => {}
                Err(error) if waits(error.kind()) => {
                    return Err(DongleError::Silent { waited_s: SOON.as_secs() });
                }
                Err(_) => return Err(DongleError::Gone),
            }
        }
        Ok(())
    }
}

/// Ports of USB devices: path, USB vendor and product, serial number.
#[must_use]
pub fn ports() -> Vec<(String, (u16, u16), Option<String>)> {
    let ports = serialport::available_ports().unwrap_or_default();
    let of_usb = |port: serialport::SerialPortInfo| match port.port_type {
        SerialPortType::UsbPort(usb) => {
            Some((port.port_name, (usb.vid, usb.pid), usb.serial_number))
        }
        _ => None,
    };
    ports.into_iter().filter_map(of_usb).collect()
}
