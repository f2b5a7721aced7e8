//! The serial line of a machine in a running lab, by the lab's socket.

use std::path::Path;
use std::time::Duration;

use kube_proto::attach::Record;
use kube_proto::attach::client::{Client, ClientError};

use super::codes;
use super::port::Port;
use crate::failure::{Failure, Outcome};

/// A read waits so long.
const READ: Duration = Duration::from_millis(5);

/// A machine of a lab. Its clock is the lab's, which may run faster or slower than ours.
pub struct LabPort {
    client: Client,
    machine: String,
    index: u8,
}

impl LabPort {
    /// Attaches to the lab.
    ///
    /// # Errors
    /// `kube::port::missing`, `kube::port::lost`.
    pub fn attach(socket: &Path, machine: &str) -> Outcome<Self> {
        let mut client = Client::attach(socket).map_err(|error| match error {
            ClientError::Absent { path, source } => {
                let headline = format!("no lab runs at {}", path.display());
                Failure::new(&codes::PORT_MISSING, headline)
                    .cause(source)
                    .help("kube-lab lines starts one")
            }
            error => lost(machine, error),
        })?;
        let index = client.machine(machine).map_err(|error| lost(machine, error))?;
        let index = index.ok_or_else(|| {
            Failure::new(&codes::PORT_MISSING, format!("the lab has no machine {machine}"))
                .help("name one of its machines with --board sim:NAME")
        })?;
        Ok(Self { client, machine: machine.to_owned(), index })
    }
}

fn lost(machine: &str, cause: impl std::fmt::Display) -> Failure {
    Failure::new(&codes::PORT_LOST, format!("the lab of {machine} has gone"))
        .cause(cause)
        .help("start it again: kube-lab lines")
}

impl Port for LabPort {
    fn receive(&mut self) -> Outcome<Vec<u8>> {
        if self.client.over() {
            return Err(lost(&self.machine, "its run is over"));
        }
        let (mut written, ours) = (Vec::new(), self.index);
        let read = self.client.read(READ, |record| match *record {
            Record::Serial { index, bytes, .. } if index == ours => {
                written.extend_from_slice(bytes);
            }
            _ => {}
        });
        read.map_err(|error| lost(&self.machine, error))?;
        Ok(written)
    }

    fn send(&mut self, bytes: &[u8]) -> Outcome {
        let sent = self.client.type_on(self.index, bytes);
        sent.map_err(|error| lost(&self.machine, error))
    }

    fn now_us(&mut self) -> u64 {
        self.client.now_ns().unwrap_or(0) / 1_000
    }
}
