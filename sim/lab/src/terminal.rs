//! A serial line on a pseudo-terminal: whoever opens its path talks to the machine as over a port.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Our end of a pseudo-terminal.
#[derive(Debug)]
pub struct Terminal {
    ours: File,
    path: PathBuf,
    /// While somebody has the other end, ours does not report that everybody has gone.
    theirs: File,
}

impl Terminal {
    /// Makes one, without echo and without conversion of characters.
    ///
    /// # Errors
    /// Those of the system, which has a bound on the number of pseudo-terminals.
    pub fn new() -> Result<Self, Error> {
        // A program started meanwhile must not keep the line open when the machine has gone.
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let name = ptsname(&ours, Vec::new())?;
        let path = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let theirs = rustix::fs::open(&path, flags, Mode::empty())?;
        let mut settings = tcgetattr(&theirs)?;
        settings.make_raw();
        tcsetattr(&theirs, OptionalActions::Now, &settings)?;
        rustix::fs::fcntl_setfl(&ours, OFlags::RDWR | OFlags::NONBLOCK)?;
        Ok(Self { ours: File::from(ours), path, theirs: File::from(theirs) })
    }

    /// What the other side opens.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the other side has sent since the last call.
    ///
    /// # Errors
    /// Those of the system.
    pub fn receive(&mut self) -> Result<Vec<u8>, Error> {
        let mut all = Vec::new();
        let mut bytes = [0; 4096];
        loop {
            match self.ours.read(&mut bytes) {
                Ok(0) => return Ok(all),
                Ok(len) => all.extend_from_slice(&bytes[..len]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(all),
                Err(error) => return Err(error),
            }
        }
    }

    /// Bytes that the other side has not read yet.
    ///
    /// # Errors
    /// Those of the system.
    pub fn unread(&self) -> Result<u64, Error> {
        Ok(rustix::io::ioctl_fionread(&self.theirs)?)
    }

    /// Sends to the other side. What nobody reads is lost when the terminal is full, as on a line to
    /// which nothing is connected.
    ///
    /// # Errors
    /// Those of the system.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.offer(bytes).map(drop)
    }

    /// Sends as much as there is room for, and says how many bytes that were.
    ///
    /// # Errors
    /// Those of the system.
    pub fn offer(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let mut sent = 0;
        while sent < bytes.len() {
            match self.ours.write(&bytes[sent..]) {
                Ok(len) => sent += len,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(sent)
    }
}
