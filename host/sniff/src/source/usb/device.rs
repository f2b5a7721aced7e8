//! USB transfers, as receivers need them: one bulk endpoint each way, and control requests.

use super::{Found, KINDS};
use kube_proto::dongle;
use nusb::transfer::{Buffer, Bulk, ControlOut, ControlType, In, Out, Recipient, TransferError};
use nusb::{DeviceInfo, ErrorKind, MaybeFuture};
use std::time::Duration;

/// Longest bulk transfer of these receivers.
pub const BULK_BYTES: usize = 64;
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
    #[error("no permission to open the device: a udev rule gives it, see the page on listening")]
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
    /// Something else.
    #[error("{0}")]
    Other(String),
}

impl UsbError {
    /// Trying again may help.
    #[must_use]
    pub fn passes(&self) -> bool {
        matches!(self, UsbError::TimedOut | UsbError::Stalled | UsbError::Answer { .. })
    }
}

/// A device, real or not.
pub trait Device {
    /// One bulk transfer out.
    ///
    /// # Errors
    /// [`UsbError`].
    fn write(&mut self, bytes: &[u8]) -> Result<(), UsbError>;

    /// One bulk transfer in, which may be empty.
    ///
    /// # Errors
    /// [`UsbError`].
    fn read(&mut self, wait: Duration) -> Result<Vec<u8>, UsbError>;

    /// A vendor's request without answer.
    ///
    /// # Errors
    /// [`UsbError`].
    fn request(&mut self, request: u8, value: u16, data: &[u8]) -> Result<(), UsbError>;
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
    /// Opens it: interface 0, endpoints 01H and 81H.
    ///
    /// # Errors
    /// [`UsbError`].
    pub fn new(info: &DeviceInfo) -> Result<Self, UsbError> {
        let device = info.open().wait().map_err(|error| refused(&error))?;
        let claimed = device.detach_and_claim_interface(0).wait();
        let interface = claimed.map_err(|error| refused(&error))?;
        let out = interface.endpoint::<Bulk, Out>(0x01).map_err(|error| refused(&error))?;
        let incoming = interface.endpoint::<Bulk, In>(0x81).map_err(|error| refused(&error))?;
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
        let done = self.incoming.transfer_blocking(Buffer::new(BULK_BYTES), wait);
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
