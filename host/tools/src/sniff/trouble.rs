//! Errors of the library as failures.

use kube_sniff::source::SourceError;
use kube_sniff::source::dongle::DongleError;
use kube_sniff::source::usb::device::UsbError;

use super::codes;
use crate::code;
use crate::failure::Failure;
use std::io::ErrorKind;

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match &error {
            SourceError::Form { .. } => Self::new(&code::USAGE, error.to_string()),
            SourceError::System { what, error: cause, remedy } => {
                let code = match cause.kind() {
                    ErrorKind::PermissionDenied => &codes::SOURCE_DENIED,
                    ErrorKind::NotFound | ErrorKind::ConnectionRefused => &codes::SOURCE_NONE,
                    _ => &codes::SOURCE_IO,
                };
                Self::new(code, what).cause(cause).help(*remedy)
            }
            SourceError::Capture { name, error: cause } => {
                Self::new(&codes::SOURCE_DAMAGED, format!("{name} cannot be read (on)"))
                    .cause(cause)
                    .help("kube-sniff reads pcapng; editcap of Wireshark makes one of a pcap file")
            }
            SourceError::Lab { name, error: cause } => {
                Self::new(&codes::SOURCE_DAMAGED, format!("{name} does not speak as a lab does"))
                    .cause(cause)
                    .help("kube-lab run --attach SOCKET, of the same build")
            }
            SourceError::LabGone { name } => {
                Self::new(&codes::SOURCE_IO, format!("the lab at {name} has gone"))
                    .cause("its socket was closed in the middle of a run")
                    .help("look at what kube-lab said at its end")
            }
            SourceError::Usb { name, error: cause } => {
                let code = match cause {
                    UsbError::Denied | UsbError::Busy => &codes::SOURCE_DENIED,
                    UsbError::Gone | UsbError::NoRadio { .. } => &codes::SOURCE_NONE,
                    _ => &codes::SOURCE_IO,
                };
                Self::new(code, format!("the receiver {name} cannot be listened to (any more)"))
                    .cause(cause)
                    .help(cause.remedy())
            }
            SourceError::Dongle { name, error: cause } => {
                let code = match cause {
                    DongleError::Port { kind, .. } => match kind {
                        ErrorKind::PermissionDenied | ErrorKind::ResourceBusy => {
                            &codes::SOURCE_DENIED
                        }
                        _ => &codes::SOURCE_NONE,
                    },
                    DongleError::Gone | DongleError::Silent { .. } => &codes::SOURCE_NONE,
                    DongleError::Garbage { .. } | DongleError::Version { .. } => {
                        &codes::SOURCE_DAMAGED
                    }
                    _ => &codes::SOURCE_IO,
                };
                let headline = format!("the dongle {name} cannot be listened to (any more)");
                Self::new(code, headline).cause(cause).help(cause.remedy())
            }
            SourceError::UsbTwins { .. } => Self::new(&codes::SOURCE_USB, error.to_string())
                .help("cargo xtask dongle --name NAME gives one of them another name"),
            SourceError::UsbUnnamed { place } => Self::new(&codes::SOURCE_USB, error.to_string())
                .help(format!("kube-sniff {place} if a radio module is wired to it")),
            SourceError::UsbNone { .. } | SourceError::UsbSeveral { .. } => {
                Self::new(&codes::SOURCE_USB, error.to_string()).help("kube-sniff list shows them")
            }
            SourceError::UsbUseless { .. } => Self::new(&codes::SOURCE_USB, error.to_string())
                .help("kube-sniff list says what each can hear"),
            SourceError::UsbActive { .. } => Self::new(&codes::SOURCE_ACTIVE, error.to_string())
                .help("--profile kube listens to stations that want no acknowledgement"),
            SourceError::NoSink { name } => {
                Self::new(&crate::inject::codes::AIR_PASSIVE, format!("{name} cannot be sent to"))
                    .help("send to udp:HOST:PORT or sim:SOCKET")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device on USB cannot be made up here: what the system says of it, and what becomes of that.
    #[test]
    fn a_receiver_that_may_not_be_opened_is_told_with_what_helps() {
        let error = SourceError::Usb { name: "usb:ft232h".into(), error: UsbError::Denied };
        let failure = Failure::from(error);
        assert_eq!(failure.code.exit as u8, 6);
        let text = failure.text(false);
        assert!(text.contains("  cause: no permission to open the device"), "{text}");
        assert!(text.contains("  help: kube-flash doctor --udev"), "{text}");
    }
}
