//! The emulator as a program: what is said to it and what it says, byte by byte. The table stands in
//! `firmware/dongle/emulator/dongle.mjs`.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{DongleError, Enumerated};

/// What is said to the emulator.
pub(super) enum Said<'a> {
    /// Run up to a moment, and at most up to the IRQ pin's next change.
    Run { until_ns: u64, event_ns: u64, asserted: bool },
    /// After a command: the IRQ pin.
    Pins { event_ns: u64, asserted: bool },
    /// The byte on MISO.
    Byte(u8),
    /// From the host.
    Send(&'a [u8]),
    /// The host reads.
    Read(bool),
}

/// What it says.
pub(super) enum Heard {
    Select { at_ns: u64, selected: bool },
    Transfer { at_ns: u64, byte: u8 },
    Enable { at_ns: u64, level: bool },
    Usb(Vec<u8>),
    Enumerated(Enumerated),
    Done { at_ns: u64, wake_ns: u64, rebooted: bool },
}

/// The emulator.
pub(super) struct Process {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
}

/// Where the emulator is in the repository.
fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/dongle/emulator/dongle.mjs")
}

impl Process {
    pub fn start(firmware: &Path) -> Result<Self, DongleError> {
        let program = program();
        let failed = |source| DongleError::Start { program: program.clone(), source };
        let mut child = Command::new("node")
            .arg(&program)
            .arg(firmware)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        };
        Ok(Self { child, to: BufWriter::new(to), from: BufReader::new(from) })
    }

    /// Why it has gone: the end of what it wrote for people.
    fn gone(&mut self) -> DongleError {
        let mut said = String::new();
        let _ = self.child.kill();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut said);
        }
        let line = said.lines().find(|line| line.starts_with("Error: "));
        let what = line.unwrap_or("it ended without a word").replacen("Error: ", "", 1);
        DongleError::Emulator { what }
    }

    pub fn say(&mut self, said: &Said<'_>) -> Result<(), DongleError> {
        let mut bytes = Vec::with_capacity(24);
        let time = |bytes: &mut Vec<u8>, at_ns: u64| {
            let at = if at_ns == u64::MAX { f64::INFINITY } else { at_ns as f64 };
            bytes.extend_from_slice(&at.to_le_bytes());
        };
        match *said {
            Said::Run { until_ns, event_ns, asserted } => {
                bytes.push(b'R');
                time(&mut bytes, until_ns);
                time(&mut bytes, event_ns);
                bytes.push(u8::from(asserted));
            }
            Said::Pins { event_ns, asserted } => {
                bytes.push(b'A');
                time(&mut bytes, event_ns);
                bytes.push(u8::from(asserted));
            }
            Said::Byte(byte) => bytes.extend_from_slice(&[b'B', byte]),
            Said::Send(data) => {
                bytes.push(b'O');
                bytes.extend_from_slice(&(data.len() as u16).to_le_bytes());
                bytes.extend_from_slice(data);
            }
            Said::Read(reads) => bytes.extend_from_slice(&[b'H', u8::from(reads)]),
        }
        let written = self.to.write_all(&bytes).and_then(|()| self.to.flush());
        written.map_err(|_| self.gone())
    }

    pub fn hear(&mut self) -> Result<Heard, DongleError> {
        self.try_hear().map_err(|_| self.gone())
    }

    fn try_hear(&mut self) -> std::io::Result<Heard> {
        let [kind] = self.take()?;
        Ok(match kind {
            b'S' => Heard::Select { at_ns: self.time()?, selected: self.flag()? },
            b'T' => {
                let at_ns = self.time()?;
                let [byte] = self.take()?;
                Heard::Transfer { at_ns, byte }
            }
            b'C' => Heard::Enable { at_ns: self.time()?, level: self.flag()? },
            b'U' => Heard::Usb(self.bytes()?),
            b'I' => Heard::Enumerated(serde_json::from_slice(&self.bytes()?)?),
            b'D' => {
                Heard::Done { at_ns: self.time()?, wake_ns: self.time()?, rebooted: self.flag()? }
            }
            _ => return Err(std::io::ErrorKind::InvalidData.into()),
        })
    }

    fn take<const N: usize>(&mut self) -> std::io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn time(&mut self) -> std::io::Result<u64> {
        // An infinite one becomes the largest.
        Ok(f64::from_le_bytes(self.take()?) as u64)
    }

    fn flag(&mut self) -> std::io::Result<bool> {
        self.take().map(|[flag]| flag != 0)
    }

    fn bytes(&mut self) -> std::io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::from(u16::from_le_bytes(self.take()?))];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
