//! Frames and serial lines of a running lab, by its socket.

use super::{Event, Sink, Source, SourceError};
use kube_proto::attach::{AttachError, MAX_RECORD_BYTES, Record};
use kube_proto::capture::Captured;
use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Interface name of what a lab sends: all of its air.
const INTERFACE: &str = "air";
/// The greeting is awaited that long.
const GREETING: Duration = Duration::from_secs(10);

/// A serial line that does not end is given up after that many bytes.
const LINE_BYTES: usize = 4_096;

/// A lab.
#[derive(Debug)]
pub struct Lab {
    name: String,
    stream: UnixStream,
    /// What has come; a thread reads: who does not keep up holds the lab back.
    news: Receiver<std::io::Result<Vec<u8>>>,
    buffer: Vec<u8>,
    machines: BTreeMap<u8, String>,
    /// Serial lines that are not whole yet.
    lines: BTreeMap<u8, Vec<u8>>,
    waiting: VecDeque<Event>,
    now_ns: Option<u64>,
    greeted: bool,
    over: bool,
}

impl Lab {
    /// Attaches to a lab that was started with `--attach`.
    ///
    /// # Errors
    /// [`SourceError`] if there is none or it speaks something else.
    pub fn attach(path: &Path) -> Result<Self, SourceError> {
        let name = path.display().to_string();
        let stream = UnixStream::connect(path).map_err(|error| SourceError::System {
            what: format!("no lab at {name}"),
            error,
            remedy: "start one with `kube-lab run --attach`",
        })?;
        let news = reader(&stream).map_err(|error| SourceError::System {
            what: format!("cannot read from the lab at {name}"),
            error,
            remedy: "end other programs",
        })?;
        let mut lab = Self {
            name,
            stream,
            news,
            buffer: Vec::new(),
            machines: BTreeMap::new(),
            lines: BTreeMap::new(),
            waiting: VecDeque::new(),
            now_ns: None,
            greeted: false,
            over: false,
        };
        lab.write(&Record::Hello)?;
        lab.read(GREETING)?;
        if !lab.greeted {
            return Err(lab.wrong(AttachError::NotALab));
        }
        Ok(lab)
    }

    /// The machines of the lab that have been named so far.
    pub fn machines(&self) -> impl Iterator<Item = &str> {
        self.machines.values().map(String::as_str)
    }

    /// Types bytes on the serial line of a machine; false if there is none of that name.
    ///
    /// # Errors
    /// [`SourceError`] if the lab has gone.
    pub fn type_on(&mut self, machine: &str, bytes: &[u8]) -> Result<bool, SourceError> {
        let index =
            self.machines.iter().find(|(_, name)| *name == machine).map(|(&index, _)| index);
        let Some(index) = index else { return Ok(false) };
        for bytes in bytes.chunks(kube_proto::attach::TEXT_BYTES) {
            self.write(&Record::Type { index, bytes })?;
        }
        Ok(true)
    }

    fn wrong(&self, error: AttachError) -> SourceError {
        SourceError::Lab { name: self.name.clone(), error }
    }

    fn system(&self, error: std::io::Error) -> SourceError {
        match error.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset if !self.greeted => {
                self.wrong(AttachError::NotALab)
            }
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => {
                SourceError::LabGone { name: self.name.clone() }
            }
            _ => SourceError::System {
                what: format!("cannot talk to the lab at {}", self.name),
                error,
                remedy: "is it still running?",
            },
        }
    }

    fn write(&mut self, record: &Record<'_>) -> Result<(), SourceError> {
        let (bytes, len) = record.encode();
        self.stream.write_all(&bytes[..len]).map_err(|error| self.system(error))
    }

    /// Reads once and takes in what is whole.
    fn read(&mut self, wait: Duration) -> Result<(), SourceError> {
        let wait = wait.max(Duration::from_millis(1));
        match self.news.recv_timeout(wait) {
            Ok(Ok(bytes)) => self.buffer.extend_from_slice(&bytes),
            Ok(Err(error)) => return Err(self.system(error)),
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) if self.over => return Ok(()),
            Err(RecvTimeoutError::Disconnected) if !self.greeted => {
                return Err(self.wrong(AttachError::NotALab));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(SourceError::LabGone { name: self.name.clone() });
            }
        }
        let buffer = std::mem::take(&mut self.buffer);
        let mut rest = &buffer[..];
        while let Some((record, len)) = Record::decode(rest).map_err(|error| self.wrong(error))? {
            rest = &rest[len..];
            if !self.greeted && record != Record::Hello {
                return Err(self.wrong(AttachError::NotALab));
            }
            self.take(&record);
        }
        self.buffer = rest.to_vec();
        Ok(())
    }

    fn take(&mut self, record: &Record<'_>) {
        match *record {
            Record::Hello => self.greeted = true,
            Record::Station { index, name } => {
                self.machines.insert(index, String::from_utf8_lossy(name).into_owned());
            }
            Record::Frame { at_ns, frame } => {
                let interface = INTERFACE.to_owned();
                self.waiting.push_back(Event::Frame { at_ns, interface, frame });
            }
            Record::Serial { at_ns, index, bytes } => self.serial(at_ns, index, bytes),
            Record::Time { at_ns } => self.now_ns = Some(at_ns),
            Record::End => {
                self.over = true;
                self.waiting.push_back(Event::End);
            }
            // Nothing that a listener has asked for.
            _ => {}
        }
    }

    fn serial(&mut self, at_ns: u64, index: u8, bytes: &[u8]) {
        let machine = self.machines.get(&index).cloned().unwrap_or_else(|| index.to_string());
        let line = self.lines.entry(index).or_default();
        for &byte in bytes {
            match byte {
                b'\r' | b'\n' => {
                    if !line.is_empty() {
                        let text = crate::mask::printable(line);
                        let machine = machine.clone();
                        self.waiting.push_back(Event::Serial { at_ns, machine, text });
                        line.clear();
                    }
                }
                byte => line.push(byte),
            }
            if line.len() >= LINE_BYTES {
                line.clear();
            }
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Passes on what comes, until the stream ends.
fn reader(stream: &UnixStream) -> std::io::Result<Receiver<std::io::Result<Vec<u8>>>> {
    let mut stream = stream.try_clone()?;
    let (tell, news) = channel();
    std::thread::spawn(move || {
        let mut chunk = [0; 16 * MAX_RECORD_BYTES];
        loop {
            let read = match stream.read(&mut chunk) {
                Ok(0) => return,
                Ok(len) => Ok(chunk[..len].to_vec()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let over = read.is_err();
            if tell.send(read).is_err() || over {
                return;
            }
        }
    });
    Ok(news)
}

impl Source for Lab {
    fn next(&mut self, wait: Duration) -> Result<Event, SourceError> {
        if self.waiting.is_empty() && !self.over {
            self.read(wait)?;
        }
        Ok(match self.waiting.pop_front() {
            Some(event) => event,
            None if self.over => Event::End,
            None => Event::Quiet(self.now_ns),
        })
    }

    fn limits(&self) -> &'static str {
        "a lab's air is heard whole: good and bad frames, on all channels and at all rates"
    }

    fn live(&self) -> bool {
        false
    }
}

impl Sink for Lab {
    fn send(&mut self, frame: &Captured) -> Result<(), SourceError> {
        self.write(&Record::Send { frame: *frame })
    }
}
