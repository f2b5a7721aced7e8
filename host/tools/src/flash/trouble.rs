//! What the operating system says, as errors of the tool.

use std::io::{Error, ErrorKind};

use rustix::io::Errno;

use super::codes;
use crate::failure::Failure;

/// The error with the code that fits the operating system's reason.
pub fn of(error: &Error, headline: &str) -> Failure {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    let (code, help) = match (errno, error.kind()) {
        (Some(Errno::NODEV | Errno::NXIO | Errno::NOMEDIUM), _) => {
            (&codes::TARGET_GONE, "put it back and give the same command again")
        }
        (Some(Errno::FBIG), _) | (_, ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
            (&codes::TARGET_FULL, "make room, or choose a file on another file system")
        }
        (_, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => (
            &codes::TARGET_DENIED,
            "kube-flash doctor shows what may be opened and how to change it",
        ),
        (_, ErrorKind::ResourceBusy) => {
            (&codes::TARGET_BUSY, "end the program that uses it; kube-flash doctor names it")
        }
        (_, ErrorKind::NotFound) => (&codes::TARGET_MISSING, "kube-flash list shows what is there"),
        (_, ErrorKind::IsADirectory) => (&codes::TARGET_KIND, "name a file in it"),
        _ => (&codes::TARGET_IO, "try again; try another reader or card"),
    };
    Failure::new(code, headline).cause(error).help(help)
}

/// The same of a lab.
pub fn of_lab(error: &Error, headline: &str) -> Failure {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    let (code, help) = match (errno, error.kind()) {
        (Some(Errno::NODEV), _) => (&codes::TARGET_GONE, "the lab has ended: start it again"),
        (Some(Errno::NOMEDIUM), _) => {
            (&codes::TARGET_GONE, "another program has the card out; wait until it is done")
        }
        (_, ErrorKind::ResourceBusy) => {
            (&codes::TARGET_BUSY, "another program writes this card; wait until it is done")
        }
        (_, ErrorKind::NotFound) => (
            &codes::TARGET_MISSING,
            "name one of its machines, or --to FILE for an image of its own; kube-lab view --fleet FILE \
             runs the boards of a fleet",
        ),
        (_, ErrorKind::InvalidData) => {
            (&codes::TARGET_KIND, "use programs of one build; is it the right socket?")
        }
        _ => (&codes::TARGET_IO, "is the lab still running?"),
    };
    Failure::new(code, headline).cause(error).help(help)
}
