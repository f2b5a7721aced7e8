//! USB transfers, as receivers need them: one bulk endpoint each way, and control requests.

use super::{Found, KINDS};
use kube_proto::dongle;
use nusb::transfer::{Buffer, Bulk, ControlOut, ControlType, In, Out, Recipient, TransferError};
use nusb::{DeviceInfo, ErrorKind, MaybeFuture};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// A transfer that should come to its end at once is given up after this.
pub const SOON: Duration = Duration::from_millis(250);

/// Why a transfer failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsbError {
    /// No answer.
    #[error("no answer in time")]
    TimedOut,
    /// The device refused.
    #[error("the device stalled: its firmware does not know the request")]
    Stalled,
    /// It is no longer there.
    #[error("the device is gone: it was pulled out, or its cable is bad")]
    Gone,
    /// The user may not open it.
    #[error("no permission to open the device")]
    Denied,
    /// Another program has it.
    #[error("another program has the device")]
    Busy,
    /// An answer that is none.
    #[error("{bytes} bytes answered to request {request:#04x}: another firmware?")]
    Answer {
        /// The request.
        request: u8,
        /// Bytes of the answer.
        bytes: usize,
    },
    /// An adapter that is none, or out of step.
    #[error("it answers as no MPSSE does ({bytes} bytes to an opcode that there is not)")]
    NoMpsse {
        /// Bytes of the answer.
        bytes: usize,
    },
    /// No radio chip on an adapter's pins.
    #[error("no radio module answers: SETUP_AW reads {read:02X}H, {}", stuck(*.read))]
    NoRadio {
        /// What was read instead of 1 to 3.
        read: u8,
    },
    /// A radio chip that does not hold what is written to it.
    #[error("the radio module's {register} holds {read:02X}H, not {written:02X}H as written")]
    RadioDiffers {
        /// The register.
        register: &'static str,
        /// Written.
        written: u8,
        /// Read.
        read: u8,
    },
    /// A radio chip that had lost what was written to it.
    #[error("the radio module had lost its settings and has them again: its supply dips")]
    RadioRestarted,
    /// Something else.
    #[error("{0}")]
    Other(String),
}

fn stuck(read: u8) -> &'static str {
    match read {
        0x00 => "as if MISO were low all the time",
        0xff => "as if MISO were high all the time",
        _ => "as if the wires were disturbed",
    }
}

impl UsbError {
    /// Trying again may help.
    #[must_use]
    pub fn passes(&self) -> bool {
        !matches!(self, UsbError::Gone | UsbError::Denied | UsbError::Busy | UsbError::Other(_))
    }

    /// What helps.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            UsbError::Denied => {
                "kube-flash doctor --udev prints a rule that gives it to the user at the desk"
            }
            UsbError::Busy => "end the other program that has it open",
            UsbError::NoRadio { .. } => "check its supply and wires: docs/dongle.md shows them",
            UsbError::RadioDiffers { .. } | UsbError::RadioRestarted => {
                "shorter wires, 10 uF at the module's supply; another module"
            }
            _ => "kube-sniff list shows the receivers; plug it in again",
        }
    }
}

/// A device, real or not.
pub trait Device {
    /// One bulk transfer out.
    ///
    /// # Errors
    /// [`UsbError`].
    fn write(&mut self, bytes: &[u8]) -> Result<(), UsbError>;

    /// One packet in, which may be empty.
    ///
    /// # Errors
    /// [`UsbError`].
    fn read(&mut self, wait: Duration) -> Result<Vec<u8>, UsbError>;

    /// A vendor's request without answer.
    ///
    /// # Errors
    /// [`UsbError`].
    fn request(&mut self, request: u8, value: u16, data: &[u8]) -> Result<(), UsbError>;

    /// Waits; a simulated device does so in its own time.
    fn pause(&mut self, time: Duration) {
        std::thread::sleep(time);
    }
}

impl<D: Device + ?Sized> Device for Rc<RefCell<D>> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), UsbError> {
        self.borrow_mut().write(bytes)
    }

    fn read(&mut self, wait: Duration) -> Result<Vec<u8>, UsbError> {
        self.borrow_mut().read(wait)
    }

    fn request(&mut self, request: u8, value: u16, data: &[u8]) -> Result<(), UsbError> {
        self.borrow_mut().request(request, value, data)
    }

    fn pause(&mut self, time: Duration) {
        self.borrow_mut().pause(time);
    }
}

/// Devices on this computer, with what is known of them.
///
/// # Errors
/// [`UsbError`] if the system does not tell.
pub fn list() -> Result<Vec<(Option<Found>, DeviceInfo)>, UsbError> {
    // A Linux without USB has not even the folder.
    if cfg!(target_os = "linux") && !std::path::Path::new("/sys/bus/usb/devices").exists() {
        return Ok(Vec::new());
    }
    let devices = nusb::list_devices().wait().map_err(|error| refused(&error))?;
    let known = |info: &DeviceInfo| {
        let is = |kind: &&super::Kind| {
            (kind.vendor, kind.product) == (info.vendor_id(), info.product_id())
        };
        let kind = *KINDS.iter().find(is)?;
        // Its numbers are shared by many devices that tell themselves apart by their names.
        if kind.is_dongle()
            && (info.manufacturer_string() != Some(dongle::USB_MAKER)
                || info.product_string() != Some(dongle::USB_NAME))
        {
            return None;
        }
        let serial = info.serial_number().map(str::to_owned);
        Some(Found { kind, serial, version: info.device_version() })
    };
    Ok(devices.map(|info| (known(&info), info)).collect())
}

fn refused(error: &nusb::Error) -> UsbError {
    match error.kind() {
        ErrorKind::Disconnected => UsbError::Gone,
        ErrorKind::PermissionDenied => UsbError::Denied,
        ErrorKind::Busy => UsbError::Busy,
        _ => UsbError::Other(error.to_string()),
    }
}

fn failed(error: &TransferError) -> UsbError {
    match error {
        TransferError::Cancelled => UsbError::TimedOut,
        TransferError::Stall => UsbError::Stalled,
        TransferError::Disconnected => UsbError::Gone,
        other => UsbError::Other(other.to_string()),
    }
}

/// A real device.
pub struct Opened {
    interface: nusb::Interface,
    out: nusb::Endpoint<Bulk, Out>,
    incoming: nusb::Endpoint<Bulk, In>,
}

impl Opened {
    /// Opens it: interface 0, and the endpoints given, out and in.
    ///
    /// # Errors
    /// [`UsbError`].
    pub fn new(info: &DeviceInfo, (out, incoming): (u8, u8)) -> Result<Self, UsbError> {
        let device = info.open().wait().map_err(|error| refused(&error))?;
        let claimed = device.detach_and_claim_interface(0).wait();
        let interface = claimed.map_err(|error| refused(&error))?;
        let out = interface.endpoint::<Bulk, Out>(out).map_err(|error| refused(&error))?;
        let incoming = interface.endpoint::<Bulk, In>(incoming).map_err(|error| refused(&error))?;
        Ok(Self { interface, out, incoming })
    }
}

impl Device for Opened {
    fn write(&mut self, bytes: &[u8]) -> Result<(), UsbError> {
        let done = self.out.transfer_blocking(bytes.to_vec().into(), SOON);
        let status = done.status.map_err(|error| failed(&error));
        if status == Err(UsbError::Stalled) {
            let _ = self.out.clear_halt().wait();
        }
        status
    }

    fn read(&mut self, wait: Duration) -> Result<Vec<u8>, UsbError> {
        // One packet: what a receiver says at once fits into one.
        let packet = Buffer::new(self.incoming.max_packet_size());
        let done = self.incoming.transfer_blocking(packet, wait);
        let status = done.status.map_err(|error| failed(&error));
        if status == Err(UsbError::Stalled) {
            let _ = self.incoming.clear_halt().wait();
        }
        status.map(|()| done.buffer.into_vec())
    }

    fn request(&mut self, request: u8, value: u16, data: &[u8]) -> Result<(), UsbError> {
        let (control_type, recipient) = (ControlType::Vendor, Recipient::Device);
        let out = ControlOut { control_type, recipient, request, value, index: 0, data };
        self.interface.control_out(out, SOON).wait().map_err(|error| failed(&error))
    }
}
