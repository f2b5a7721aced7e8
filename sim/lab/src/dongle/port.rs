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
        if heard.is_empty() { Ok(()) } else { self.wait_for_reader(Duration::ZERO, PATIENCE) }
    }

    /// Waits until there has been nothing to read for `settled`. Bytes reach the other side's buffer a
    /// little after they were written: only a while of nothing says that all was read.
    fn wait_for_reader(&self, settled: Duration, patience: Duration) -> Result<(), DongleError> {
        let begun = Instant::now();
        let mut nothing_since = begun;
        loop {
            if self.terminal.unread()? > 0 {
                nothing_since = Instant::now();
            } else if nothing_since.elapsed() >= settled {
                return Ok(());
            }
            if begun.elapsed() > patience {
                let path = self.path().to_owned();
                return Err(DongleError::Unread { patience_s: patience.as_secs(), path });
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for Port {
    /// What is not read by then is lost with the terminal.
    fn drop(&mut self) {
        let _ = self.wait_for_reader(SETTLED, 4 * SETTLED);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// A program that reads a byte at a time, and not at once, gets everything before the terminal
    /// closes; one that never reads is not waited for without end.
    #[test]
    fn the_terminal_closes_when_all_has_been_read_or_nobody_reads() {
        let mut port = Port::new().unwrap();
        let mut reader = std::fs::File::open(port.path()).unwrap();
        let sent: Vec<u8> = (0..40).collect();
        port.terminal.send(&sent).unwrap();
        let reading = std::thread::spawn(move || {
            let (mut all, mut byte) = (Vec::new(), [0]);
            while all.len() < 40 && reader.read_exact(&mut byte).is_ok() {
                all.push(byte[0]);
                std::thread::sleep(Duration::from_millis(5));
            }
            all
        });
        drop(port);
        assert_eq!(reading.join().unwrap(), sent);

        let mut port = Port::new().unwrap();
        port.terminal.send(b"unread").unwrap();
        let waited = port.wait_for_reader(Duration::from_millis(50), Duration::from_millis(200));
        assert!(matches!(waited, Err(DongleError::Unread { .. })), "{waited:?}");
        // Its own end is not to take its time as well.
        port.terminal = Terminal::new().unwrap();
    }
}
