//! The serial line of a machine in a running lab, by the lab's socket.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use kube_proto::attach::{MAX_RECORD_BYTES, Record, TEXT_BYTES};

use super::codes;
use super::port::Port;
use crate::failure::{Failure, Outcome};

/// The lab greets and names its machines within this time.
const GREETING: Duration = Duration::from_secs(10);
/// A read waits so long.
const READ: Duration = Duration::from_millis(5);

/// A machine of a lab. Its clock is the lab's, which may run faster or slower than ours.
pub struct LabPort {
    stream: UnixStream,
    /// What has come; a thread reads: who does not keep up holds the lab back.
    news: Receiver<std::io::Result<Vec<u8>>>,
    buffer: Vec<u8>,
    machine: String,
    index: Option<u8>,
    now_ns: u64,
    written: Vec<u8>,
    over: bool,
}

impl LabPort {
    /// Attaches to the lab.
    ///
    /// # Errors
    /// `kube::port::missing`, `kube::port::lost`.
    pub fn attach(socket: &Path, machine: &str) -> Outcome<Self> {
        let stream = UnixStream::connect(socket).map_err(|error| {
            let headline = format!("no lab runs at {}", socket.display());
            Failure::new(&codes::PORT_MISSING, headline)
                .cause(error)
                .help("kube-lab lines starts one")
        })?;
        let mut port = Self {
            news: reader(&stream).map_err(|error| {
                Failure::new(&codes::PORT_LOST, "the lab cannot be read").cause(error)
            })?,
            stream,
            buffer: Vec::new(),
            machine: machine.to_owned(),
            index: None,
            now_ns: 0,
            written: Vec::new(),
            over: false,
        };
        port.write(&Record::Hello)?;
        let until = Instant::now() + GREETING;
        // The time of its first step comes behind the names of all machines.
        while port.now_ns == 0 && port.index.is_none() && Instant::now() < until {
            port.read()?;
        }
        match port.index {
            Some(_) => Ok(port),
            None => {
                Err(Failure::new(&codes::PORT_MISSING, format!("the lab has no machine {machine}"))
                    .help("name one of its machines with --board sim:NAME"))
            }
        }
    }

    fn lost(&self, cause: impl std::fmt::Display) -> Failure {
        Failure::new(&codes::PORT_LOST, format!("the lab of {} has gone", self.machine))
            .cause(cause)
            .help("start it again: kube-lab lines")
    }

    fn write(&mut self, record: &Record<'_>) -> Outcome {
        let (bytes, len) = record.encode();
        self.stream.write_all(&bytes[..len]).map_err(|error| self.lost(error))
    }

    /// Reads once and takes in what is whole.
    fn read(&mut self) -> Outcome {
        match self.news.recv_timeout(READ) {
            Ok(Ok(bytes)) => self.buffer.extend_from_slice(&bytes),
            Ok(Err(error)) => return Err(self.lost(error)),
            Err(RecvTimeoutError::Disconnected) => return Err(self.lost("it closed the socket")),
            Err(RecvTimeoutError::Timeout) => return Ok(()),
        }
        while let Ok(Ok(bytes)) = self.news.try_recv() {
            self.buffer.extend_from_slice(&bytes);
        }
        let buffer = std::mem::take(&mut self.buffer);
        let mut rest = &buffer[..];
        while let Some((record, len)) = Record::decode(rest).map_err(|error| self.lost(error))? {
            rest = &rest[len..];
            self.take(&record);
        }
        self.buffer = rest.to_vec();
        Ok(())
    }

    fn take(&mut self, record: &Record<'_>) {
        match *record {
            Record::Station { index, name } if name == self.machine.as_bytes() => {
                self.index = Some(index);
            }
            Record::Serial { at_ns, index, bytes } => {
                self.now_ns = self.now_ns.max(at_ns);
                if self.index == Some(index) {
                    self.written.extend_from_slice(bytes);
                }
            }
            Record::Time { at_ns } => self.now_ns = self.now_ns.max(at_ns),
            Record::End => self.over = true,
            _ => {}
        }
    }
}

impl Drop for LabPort {
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

impl Port for LabPort {
    fn receive(&mut self) -> Outcome<Vec<u8>> {
        if self.over {
            return Err(self.lost("its run is over"));
        }
        self.read()?;
        Ok(std::mem::take(&mut self.written))
    }

    fn send(&mut self, bytes: &[u8]) -> Outcome {
        let Some(index) = self.index else { return Ok(()) };
        bytes.chunks(TEXT_BYTES).try_for_each(|bytes| self.write(&Record::Type { index, bytes }))
    }

    fn now_us(&mut self) -> u64 {
        self.now_ns / 1_000
    }
}
