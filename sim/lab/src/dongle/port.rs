//! The dongle's serial port on a pseudo-terminal.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Dongle, DongleError};
use crate::terminal::Terminal;

/// A program that has tuned the dongle and does not read for so long is given up.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(1);
/// For how long there is nothing to read before the terminal is closed.
const SETTLED: Duration = Duration::from_millis(500);

/// Both ends of the line.
pub struct Port {
    terminal: Terminal,
}

impl Port {
    /// Makes one.
    ///
    /// # Errors
    /// [`DongleError::Terminal`].
    pub fn new() -> Result<Self, DongleError> {
        Ok(Self { terminal: Terminal::new()? })
    }

    /// What a program opens.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.terminal.path()
    }

    /// Passes on what was said on either side since the last call, `now_ns` on the air's clock. Machine time stands while the
    /// program does not read, so that nothing is lost by its being slow.
    ///
    /// # Errors
    /// [`DongleError::Unread`], those of the emulator and the system.
    pub fn serve(&mut self, dongle: &mut Dongle, now_ns: u64) -> Result<(), DongleError> {
        if let Some(fault) = dongle.fault() {
            return Err(fault);
        }
        let asked = self.terminal.receive()?;
        if !asked.is_empty() {
            dongle.run_until(now_ns);
            dongle.usb_send(&asked);
        }
        let heard = dongle.usb_received();
        let (mut rest, begun) = (heard.as_slice(), Instant::now());
        while !rest.is_empty() {
            let taken = self.terminal.offer(rest)?;
            rest = rest.get(taken..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            if begun.elapsed() > PATIENCE {
                let path = self.path().to_owned();
                return Err(DongleError::Unread { patience_s: PATIENCE.as_secs(), path });
            }
            std::thread::sleep(PAUSE);
        }
        if heard.is_empty() { Ok(()) } else { self.drain() }
    }

    /// Waits until the program has read everything: what is left would be lost with the terminal.
    ///
    /// # Errors
    /// [`DongleError::Unread`], and those of the system.
    pub fn drain(&mut self) -> Result<(), DongleError> {
        let begun = Instant::now();
        while self.terminal.unread()? > 0 {
            if begun.elapsed() > PATIENCE {
                let path = self.path().to_owned();
                return Err(DongleError::Unread { patience_s: PATIENCE.as_secs(), path });
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

impl Drop for Port {
    /// Bytes reach the other side's buffer a little after they were written: only when there has been
    /// nothing to read for a while has everything been read.
    fn drop(&mut self) {
        let begun = Instant::now();
        let mut nothing_since = begun;
        while nothing_since.elapsed() < SETTLED && begun.elapsed() < 4 * SETTLED {
            match self.terminal.unread() {
                Ok(0) => {}
                Ok(_) => nothing_since = Instant::now(),
                Err(_) => break,
            }
            std::thread::sleep(PAUSE);
        }
    }
}
