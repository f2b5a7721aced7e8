//! Where frames come from, behind one trait.
//!
//! | written | is |
//! |---|---|
//! | `udp:[HOST][:PORT]` | a relay that passes datagrams on |
//! | `pcap:FILE`, `pcap:-` | a capture file, or one that comes in on standard input |
//! | `sim:[SOCKET]` | a lab that was started with `--attach` |
//! | `usb:[SERIAL]` | a receiver on USB |
//! | `serial:PORT` | our dongle, by its serial port |

pub mod dongle;
pub mod pcap;
pub mod sim;
pub mod udp;
pub mod usb;

pub use kube_proto::attach::default_socket;

use kube_proto::attach::AttachError;
use kube_proto::capture::Captured;
use kube_proto::datagram::RELAY_PORT;
use kube_proto::pcapng::FileError;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;
use usb::Tuning;
use usb::device::UsbError;

/// What a source has to say.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A frame.
    Frame {
        /// Its first bit: nanoseconds since 1970, or since the beginning of a simulation.
        at_ns: u64,
        /// Where it was captured.
        interface: String,
        /// The frame.
        frame: Captured,
    },
    /// A machine wrote a line on its serial line.
    Serial {
        /// When.
        at_ns: u64,
        /// Which.
        machine: String,
        /// The line.
        text: String,
    },
    /// Nothing came within the time given; the source's clock, where it has one.
    Quiet(Option<u64>),
    /// Something that is no frame was passed over.
    Trouble(String),
    /// Nothing more will come.
    End,
}

/// Something that frames come from.
pub trait Source {
    /// The next event; waits at most about that long.
    ///
    /// # Errors
    /// [`SourceError`]: nothing more will come.
    fn next(&mut self, wait: Duration) -> Result<Event, SourceError>;

    /// Frames that the source knows it has lost.
    fn dropped(&self) -> u64 {
        0
    }

    /// What cannot be heard or known by way of it, for people.
    fn limits(&self) -> &'static str;

    /// Times are those of a calendar and go on by themselves.
    fn live(&self) -> bool;
}

/// Something that frames can be sent by.
pub trait Sink {
    /// Puts a frame on the air.
    ///
    /// # Errors
    /// [`SourceError`].
    fn send(&mut self, frame: &Captured) -> Result<(), SourceError>;
}

/// Why there are no (more) frames.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Not written as a source.
    #[error(
        "{text:?} is no source: write udp:HOST:PORT, pcap:FILE, sim:SOCKET, usb: or serial:PORT"
    )]
    Form {
        /// What was written.
        text: String,
    },
    /// The system refused.
    #[error("{what}: {error}; {remedy}")]
    System {
        /// What was tried.
        what: String,
        /// What the system said.
        error: io::Error,
        /// What helps.
        remedy: &'static str,
    },
    /// The capture.
    #[error("{name}: {error}")]
    Capture {
        /// Which.
        name: String,
        /// What is wrong with it.
        error: FileError,
    },
    /// The other side of a lab's socket.
    #[error("{name}: {error}")]
    Lab {
        /// The socket.
        name: String,
        /// What is wrong with it.
        error: AttachError,
    },
    /// The lab went away in the middle.
    #[error("{name}: the lab has gone without saying so: was it killed?")]
    LabGone {
        /// The socket.
        name: String,
    },
    /// A receiver on USB failed.
    #[error("{name}: {error}")]
    Usb {
        /// The receiver.
        name: String,
        /// How.
        error: UsbError,
    },
    /// Our dongle cannot be listened to (any more).
    #[error("{name}: {error}; {}", .error.remedy())]
    Dongle {
        /// The dongle.
        name: String,
        /// Why.
        error: dongle::DongleError,
    },
    /// Several have one name.
    #[error(
        "{count} receivers are called {place}: open one by its port, such as serial:/dev/ttyACM0"
    )]
    UsbTwins {
        /// As they are written.
        place: String,
        /// How many.
        count: usize,
    },
    /// There is no such receiver.
    #[error("no receiver is plugged in{}", named(.serial))]
    UsbNone {
        /// The name asked for.
        serial: Option<String>,
    },
    /// Only general adapters are there, which may serve something else.
    #[error("no receiver is plugged in but an adapter, which may serve something else")]
    UsbUnnamed {
        /// As it is written.
        place: String,
    },
    /// Several could be meant.
    #[error("several receivers could be meant: name one of {}", .places.join(", "))]
    UsbSeveral {
        /// As they are written.
        places: Vec<String>,
    },
    /// It is known and cannot be used.
    #[error("{name} cannot be used as a receiver: kube-sniff list says what can")]
    UsbUseless {
        /// What it is.
        name: String,
    },
    /// It would have to send.
    #[error("{name} would acknowledge what it hears, and so take part: it is not used for that")]
    UsbActive {
        /// What it is.
        name: String,
    },
    /// Nothing can be sent that way.
    #[error("{name} cannot be sent to: use udp:HOST:PORT or sim:SOCKET")]
    NoSink {
        /// The target.
        name: String,
    },
}

impl SourceError {
    /// What the system said, if it said something.
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            SourceError::System { error, .. } => Some(error.kind()),
            _ => None,
        }
    }
}

fn named(serial: &Option<String>) -> String {
    serial.as_ref().map_or(String::new(), |serial| format!(" that is called {serial}"))
}

/// A source or a target as written on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A relay: host and port.
    Udp(String),
    /// A capture file; `-` is standard input.
    Pcap(PathBuf),
    /// A lab's socket.
    Sim(PathBuf),
    /// A receiver on USB, by its serial number.
    Usb(Option<String>),
    /// Our dongle, by its serial port.
    Serial(String),
}

impl Place {
    /// A relay on this computer, at its usual port.
    #[must_use]
    pub fn relay_here() -> Self {
        Place::Udp(format!("127.0.0.1:{RELAY_PORT}"))
    }
}

impl std::str::FromStr for Place {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        let form = || SourceError::Form { text: text.to_owned() };
        let (scheme, rest) = text.split_once(':').ok_or_else(form)?;
        match scheme {
            "udp" => {
                let host = if rest.is_empty() { "127.0.0.1" } else { rest };
                // An address of version 6 has colons of its own and stands in brackets.
                let has_port = host.rsplit_once(':').is_some_and(|(before, port)| {
                    port.parse::<u16>().is_ok() && (!before.contains(':') || before.ends_with(']'))
                });
                let is_host = !host.contains(':') || (host.starts_with('[') && host.ends_with(']'));
                match (has_port, is_host) {
                    (true, _) => Ok(Place::Udp(host.to_owned())),
                    (false, true) => Ok(Place::Udp(format!("{host}:{RELAY_PORT}"))),
                    (false, false) => Err(form()),
                }
            }
            "pcap" if !rest.is_empty() => Ok(Place::Pcap(rest.into())),
            "sim" if rest.is_empty() => Ok(Place::Sim(default_socket())),
            "sim" => Ok(Place::Sim(rest.into())),
            "serial" if !rest.is_empty() => Ok(Place::Serial(rest.to_owned())),
            "usb" => Ok(Place::Usb((!rest.is_empty()).then(|| rest.to_owned()))),
            _ => Err(form()),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Udp(name) => write!(f, "udp:{name}"),
            Place::Pcap(path) => write!(f, "pcap:{}", path.display()),
            Place::Sim(path) => write!(f, "sim:{}", path.display()),
            Place::Serial(port) => write!(f, "serial:{port}"),
            Place::Usb(serial) => write!(f, "usb:{}", serial.as_deref().unwrap_or_default()),
        }
    }
}

/// Opens a source. Of a capture, frames of the named interface are taken, `all` of all; without a
/// name those of [`pcap::WHOLE_AIR`], if it has that. A receiver on USB is tuned as given.
///
/// # Errors
/// [`SourceError`].
pub fn open(
    place: &Place,
    interface: Option<&str>,
    tuning: Tuning,
) -> Result<Box<dyn Source>, SourceError> {
    Ok(match place {
        Place::Udp(name) => Box::new(udp::Relayed::new(name)?),
        Place::Pcap(path) => Box::new(pcap::CaptureFile::open(path, interface)?),
        Place::Sim(path) => Box::new(sim::Lab::attach(path)?),
        Place::Usb(serial) => usb::open(serial.as_deref(), tuning)?,
        Place::Serial(port) => Box::new(dongle::Dongle::open(port, place.to_string(), tuning)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_are_shown() {
        for (text, shown) in [
            ("udp:", "udp:127.0.0.1:7524"),
            ("udp:relay", "udp:relay:7524"),
            ("udp:relay:99", "udp:relay:99"),
            ("udp:[::1]:99", "udp:[::1]:99"),
            ("udp:[::1]", "udp:[::1]:7524"),
            ("pcap:a:b.pcapng", "pcap:a:b.pcapng"),
            ("sim:/tmp/s", "sim:/tmp/s"),
            ("usb:E66", "usb:E66"),
            ("serial:/dev/ttyACM0", "serial:/dev/ttyACM0"),
        ] {
            let place: Place = text.parse().expect(text);
            assert_eq!(place.to_string(), shown);
            assert_eq!(shown.parse::<Place>().ok(), Some(place));
        }
        for text in ["", "relay", "tcp:x", "pcap:", "serial:", "udp:relay:99999", "udp:::1"] {
            assert!(matches!(text.parse::<Place>(), Err(SourceError::Form { .. })), "{text}");
        }
    }
}
