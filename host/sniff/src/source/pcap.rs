//! Frames from a capture: a file, or what comes in on standard input.

use super::{Event, Source, SourceError};
use kube_proto::pcapng::{CaptureStream, FileError, FileRecord};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Interface that sees everything once, in captures of a lab.
pub const WHOLE_AIR: &str = "air";
/// Interface of what was sent in a lab and nobody could hear: its air was off, or they were cut off.
pub const UNHEARD: &str = "unheard";
/// Name that stands for all interfaces.
pub const EVERY: &str = "all";
/// Records that may wait between the reading thread and the listener.
const WAITING: usize = 1_024;

/// A capture, read by a thread of its own: standard input may fall silent for as long as it likes.
#[derive(Debug)]
pub struct CaptureFile {
    name: String,
    records: Receiver<Result<FileRecord, FileError>>,
    over: bool,
}

impl CaptureFile {
    /// Opens a file; `-` is standard input. Frames of the named interface are taken, `all` of all;
    /// without a name those of [`WHOLE_AIR`] if there is one, else all.
    ///
    /// # Errors
    /// [`SourceError::System`] if there is none.
    pub fn open(path: &Path, interface: Option<&str>) -> Result<Self, SourceError> {
        if path.as_os_str() == "-" {
            return Ok(Self::of("standard input", std::io::stdin(), interface));
        }
        let name = path.display().to_string();
        // A folder can be opened, and says what it is when it is read.
        let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
            true => Err(ErrorKind::IsADirectory.into()),
            false => Ok(file),
        });
        let file = opened.map_err(|error| SourceError::System {
            what: format!("cannot read the capture {name}"),
            error,
            remedy: "is the name right, and may you read it?",
        })?;
        Ok(Self::of(&name, file, interface))
    }

    fn of(name: &str, reader: impl Read + Send + 'static, interface: Option<&str>) -> Self {
        let (sender, records) = sync_channel(WAITING);
        let wanted = interface.map(str::to_owned);
        std::thread::spawn(move || match CaptureStream::read(reader) {
            Ok(mut stream) => {
                while let Some(record) = stream.next() {
                    let takes = |name: &str| match &wanted {
                        Some(wanted) => wanted == EVERY || wanted == name,
                        None => name == WHOLE_AIR || !stream.has_interface(WHOLE_AIR),
                    };
                    let passed_over = record.as_ref().is_ok_and(|record| !takes(&record.name));
                    if !passed_over && sender.send(record).is_err() {
                        return;
                    }
                }
            }
            Err(error) => drop(sender.send(Err(error))),
        });
        Self { name: name.to_owned(), records, over: false }
    }
}

impl Source for CaptureFile {
    fn next(&mut self, wait: Duration) -> Result<Event, SourceError> {
        if self.over {
            return Ok(Event::End);
        }
        match self.records.recv_timeout(wait) {
            Ok(Ok(record)) => {
                let FileRecord { at_ns, name, frame, .. } = record;
                Ok(Event::Frame { at_ns, interface: name, frame })
            }
            Ok(Err(error @ FileError::Record { .. })) => {
                Ok(Event::Trouble(format!("{}: {error}", self.name)))
            }
            // What is before the cut is good: its writer was killed.
            Ok(Err(error @ FileError::CutShort { .. })) => {
                Ok(Event::Trouble(format!("{}: {error}", self.name)))
            }
            Ok(Err(error)) => Err(SourceError::Capture { name: self.name.clone(), error }),
            Err(RecvTimeoutError::Timeout) => Ok(Event::Quiet(None)),
            Err(RecvTimeoutError::Disconnected) => {
                self.over = true;
                Ok(Event::End)
            }
        }
    }

    fn limits(&self) -> &'static str {
        "a capture has what its writer heard"
    }

    fn live(&self) -> bool {
        false
    }
}

/// Reads a whole capture; `interface` as for [`CaptureFile::open`]. Damage at its end is told and
/// not an error.
///
/// # Errors
/// [`SourceError`].
pub fn read_all(
    path: &Path,
    interface: Option<&str>,
) -> Result<(Vec<FileRecord>, Vec<String>), SourceError> {
    let mut file = CaptureFile::open(path, interface)?;
    let (mut records, mut troubles) = (Vec::new(), Vec::new());
    loop {
        match file.next(Duration::from_secs(1))? {
            Event::Frame { at_ns, interface, frame } => {
                records.push(FileRecord { at_ns, interface: 0, name: interface, frame });
            }
            Event::Trouble(trouble) => troubles.push(trouble),
            Event::End => return Ok((records, troubles)),
            Event::Quiet(_) | Event::Serial { .. } => {}
        }
    }
}
