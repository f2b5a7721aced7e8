//! A serial port or a pseudo-terminal: which one is the board's, and opening it.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kube_proto::attach::default_socket;
use kube_proto::serial::BAUD;

use super::LineFlags;
use super::codes;
use super::lab::LabPort;
use crate::code;
use crate::discovery::Chosen;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// Between two tries to open a port that is in use.
const RETRY: Duration = Duration::from_millis(100);
/// A read waits so long for the first byte.
const READ: Duration = Duration::from_millis(5);

/// A line to a board.
pub trait Port {
    /// What has come, nothing after a few milliseconds without any.
    ///
    /// # Errors
    /// `kube::port::lost`.
    fn receive(&mut self) -> Outcome<Vec<u8>>;
    /// Sends all of it.
    ///
    /// # Errors
    /// `kube::port::lost`.
    fn send(&mut self, bytes: &[u8]) -> Outcome;
    /// Microseconds, from any beginning; a simulated board has a clock of its own.
    fn now_us(&mut self) -> u64;
}

/// Which port is meant.
#[derive(Clone, Debug)]
pub struct Place {
    /// Name of the board, as it was given, or of the port.
    pub label: String,
    /// The port, or the socket of a lab.
    pub path: PathBuf,
    /// Which machine of the lab.
    pub machine: Option<String>,
}

/// The port of the board that the flags name.
///
/// # Errors
/// `kube::port::unknown`, `kube::port::missing`, and those of the fleet.
pub fn place(session: &Session, flags: &LineFlags) -> Outcome<Place> {
    if let Some(path) = &flags.port {
        let label = session.flags.board.clone().unwrap_or_else(|| path.display().to_string());
        return Ok(Place { label, path: path.clone(), machine: None });
    }
    of_board(session, session.board()?)
}

/// The port of a board.
///
/// # Errors
/// `kube::port::unknown`, `kube::port::missing`.
pub fn of_board(session: &Session, chosen: Chosen) -> Outcome<Place> {
    let label = chosen.label();
    let local = chosen.file.path.with_file_name("fleet.local.toml");
    if chosen.simulated {
        let (path, machine) = (default_socket(), Some(chosen.board.name));
        return Ok(Place { label, path, machine });
    }
    let Some(uart) = chosen.board.hardware.uart else {
        let help = format!(
            "write uart = \"...\" below [boards.{}] in {}, or give --port",
            chosen.board.name,
            local.display()
        );
        let headline = format!("{label} has no serial port");
        return Err(Failure::new(&codes::PORT_UNKNOWN, headline).help(help));
    };
    let path = if uart.starts_with('/') { Some(PathBuf::from(&uart)) } else { by_serial(&uart) };
    let path = path.ok_or_else(|| {
        Failure::new(&codes::PORT_MISSING, format!("the adapter of {label} is not here"))
            .cause(format!("no port has the USB serial number {uart}"))
            .help("plug it in, or give --port")
    })?;
    session.talk.detail(format!("port {}", path.display()));
    Ok(Place { label, path, machine: None })
}

fn by_serial(wanted: &str) -> Option<PathBuf> {
    let ports = serialport::available_ports().unwrap_or_default();
    let is_wanted = |port: &serialport::SerialPortInfo| match &port.port_type {
        serialport::SerialPortType::UsbPort(usb) => usb.serial_number.as_deref() == Some(wanted),
        _ => false,
    };
    ports.into_iter().find(is_wanted).map(|port| PathBuf::from(port.port_name))
}

/// Opens the port; waits for another program as long as `--wait` says.
///
/// # Errors
/// `kube::port::…`.
pub fn open(session: &Session, place: &Place) -> Outcome<Box<dyn Port>> {
    if let Some(machine) = &place.machine {
        return Ok(Box::new(LabPort::attach(&place.path, machine)?));
    }
    let until = Instant::now() + Duration::from_secs(session.flags.wait);
    loop {
        match Serial::open(&place.path) {
            Err(failure) if failure.code == &codes::PORT_BUSY && Instant::now() < until => {
                std::thread::sleep(RETRY);
            }
            opened => return opened.map(|port| Box::new(port) as Box<dyn Port>),
        }
    }
}

struct Serial {
    port: Box<dyn serialport::SerialPort>,
    path: PathBuf,
    opened: Instant,
}

impl Serial {
    fn open(path: &Path) -> Outcome<Self> {
        let name = path.display().to_string();
        let refused = |kind: ErrorKind, why: String| {
            let (code, headline) = match kind {
                ErrorKind::NotFound => (&codes::PORT_MISSING, format!("there is no port {name}")),
                ErrorKind::PermissionDenied => {
                    (&codes::PORT_DENIED, format!("{name} may not be opened"))
                }
                ErrorKind::ResourceBusy | ErrorKind::WouldBlock => {
                    (&codes::PORT_BUSY, format!("{name} is in use"))
                }
                _ => (&code::IO, format!("{name} cannot be used as a serial port")),
            };
            // What the system says of a file that is no terminal is from the days of typewriters.
            let why = match why.contains("typewriter") {
                true => "it is no serial port".to_owned(),
                false => why,
            };
            let failure = Failure::new(code, headline).cause(why);
            match kind {
                ErrorKind::PermissionDenied => failure.help(
                    "sudo adduser $USER dialout, then log in again; or kube-flash doctor --udev prints a \
                     rule",
                ),
                ErrorKind::ResourceBusy | ErrorKind::WouldBlock => {
                    failure.help("end the other program, or --wait 30")
                }
                _ => failure.help("--port names another"),
            }
        };
        let port = serialport::new(&name, BAUD).timeout(READ).open().map_err(|error| {
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
            refused(kind, error.description)
        })?;
        Ok(Self { port, path: path.to_owned(), opened: Instant::now() })
    }

    fn lost(&self, error: &std::io::Error) -> Failure {
        Failure::new(&codes::PORT_LOST, format!("{} went away", self.path.display()))
            .cause(error)
            .help("plug the adapter in again")
    }
}

impl Port for Serial {
    fn receive(&mut self) -> Outcome<Vec<u8>> {
        let mut bytes = vec![0; 4096];
        match self.port.read(&mut bytes) {
            Ok(0) => Err(self.lost(&ErrorKind::UnexpectedEof.into())),
            Ok(len) => {
                bytes.truncate(len);
                Ok(bytes)
            }
            Err(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted => {
                    Ok(Vec::new())
                }
                _ => Err(self.lost(&error)),
            },
        }
    }

    fn send(&mut self, mut bytes: &[u8]) -> Outcome {
        // The port's own timeout is for reading; a line that takes nothing for this long is dead.
        let patience = Instant::now() + Duration::from_secs(10);
        while !bytes.is_empty() {
            match self.port.write(bytes) {
                Ok(len) => bytes = &bytes[len..],
                Err(error) => match error.kind() {
                    ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted
                        if Instant::now() < patience => {}
                    _ => return Err(self.lost(&error)),
                },
            }
        }
        Ok(())
    }

    fn now_us(&mut self) -> u64 {
        self.opened.elapsed().as_micros() as u64
    }
}
