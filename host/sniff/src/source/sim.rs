//! Frames and serial lines of a running lab, by its socket.

use super::{Event, Sink, Source, SourceError};
use kube_proto::attach::client::{Client, ClientError};
use kube_proto::attach::{AttachError, Record};
use kube_proto::capture::Captured;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

/// Interface name of what a lab sends: all of its air.
const INTERFACE: &str = "air";

/// A serial line that does not end is given up after that many bytes.
const LINE_BYTES: usize = 4_096;

/// A lab.
#[derive(Debug)]
pub struct Lab {
    name: String,
    client: Client,
    heard: Heard,
}

/// What was heard and not asked for yet.
#[derive(Debug, Default)]
struct Heard {
    machines: BTreeMap<u8, String>,
    /// Serial lines that are not whole yet.
    lines: BTreeMap<u8, Vec<u8>>,
    waiting: VecDeque<Event>,
}

impl Lab {
    /// Attaches to a lab that was started with `--attach`.
    ///
    /// # Errors
    /// [`SourceError`] if there is none or it speaks something else.
    pub fn attach(path: &Path) -> Result<Self, SourceError> {
        let name = path.display().to_string();
        let client = Client::attach(path).map_err(|error| failed(&name, error))?;
        let mut lab = Self { name, client, heard: Heard::default() };
        // Its machines are named with the greeting.
        lab.read(Duration::ZERO)?;
        Ok(lab)
    }

    /// The machines of the lab that have been named so far.
    pub fn machines(&self) -> impl Iterator<Item = &str> {
        self.client.machines().map(|machine| machine.1)
    }

    /// Types bytes on the serial line of a machine; false if there is none of that name.
    ///
    /// # Errors
    /// [`SourceError`] if the lab has gone.
    pub fn type_on(&mut self, machine: &str, bytes: &[u8]) -> Result<bool, SourceError> {
        let Some(index) = self.client.index(machine) else { return Ok(false) };
        self.client.type_on(index, bytes).map_err(|error| failed(&self.name, error))?;
        Ok(true)
    }

    /// Reads once and takes in what is whole.
    fn read(&mut self, wait: Duration) -> Result<(), SourceError> {
        let Self { name, client, heard } = self;
        client.read(wait, |record| heard.take(record)).map_err(|error| failed(name, error))
    }
}

fn failed(name: &str, error: ClientError) -> SourceError {
    let name = name.to_owned();
    match error {
        ClientError::Absent { source, .. } => SourceError::System {
            what: format!("no lab at {name}"),
            error: source,
            remedy: "start one with `kube-lab run --attach`",
        },
        ClientError::Protocol(error) => SourceError::Lab { name, error },
        ClientError::Silent => SourceError::Lab { name, error: AttachError::NotALab },
        ClientError::Gone => SourceError::LabGone { name },
        ClientError::System(error) => SourceError::System {
            what: format!("cannot talk to the lab at {name}"),
            error,
            remedy: "is it still running?",
        },
    }
}

impl Heard {
    fn take(&mut self, record: &Record<'_>) {
        match *record {
            Record::Station { index, name } => {
                self.machines.insert(index, String::from_utf8_lossy(name).into_owned());
            }
            Record::Frame { at_ns, frame } => {
                let interface = INTERFACE.to_owned();
                self.waiting.push_back(Event::Frame { at_ns, interface, frame });
            }
            Record::Serial { at_ns, index, bytes } => self.serial(at_ns, index, bytes),
            Record::End => self.waiting.push_back(Event::End),
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

impl Source for Lab {
    fn next(&mut self, wait: Duration) -> Result<Event, SourceError> {
        if self.heard.waiting.is_empty() && !self.client.over() {
            self.read(wait)?;
        }
        Ok(match self.heard.waiting.pop_front() {
            Some(event) => event,
            None if self.client.over() => Event::End,
            None => Event::Quiet(self.client.now_ns()),
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
        let sent = self.client.write(&Record::Send { frame: *frame });
        sent.map_err(|error| failed(&self.name, error))
    }
}
