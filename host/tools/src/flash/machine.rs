//! The card of a machine in a running lab, by the lab's socket. Reading disturbs nobody. To be written
//! the card is taken out of the machine, which costs it its power, as a real card is pulled.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kube_proto::attach::client::{Client, ClientError};
use kube_proto::attach::{CARD_BLOCK_BYTES, Record, Word};
use rustix::io::Errno;

/// A lab that says nothing for so long has stopped.
const PATIENCE: Duration = Duration::from_secs(10);
/// Blocks that are asked for at once.
const READ_AT_ONCE: usize = 2_048;
/// Blocks that are sent before their answers are awaited: they fit into the socket, and so do the
/// answers, or both sides would wait for the other to read.
const WRITE_AT_ONCE: usize = 128;
const BLOCK: u64 = CARD_BLOCK_BYTES as u64;

/// A machine of a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The lab's socket.
    pub socket: PathBuf,
    /// The machine's name.
    pub name: String,
}

/// What a lab says of a machine's card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Whether the machine has power.
    pub power: bool,
    /// Bytes from the card's start to the end of what was ever written there.
    pub bytes: u64,
}

impl Machine {
    /// The machine of that name, if a lab runs at the socket.
    ///
    /// # Errors
    /// Those of a lab that has no such machine, or does not speak as one.
    pub fn find(socket: &Path, name: &str) -> Result<Option<Self>> {
        let machine = Self { socket: socket.to_owned(), name: name.to_owned() };
        match Client::attach(socket) {
            // What a lab that was killed has left refuses.
            Err(ClientError::Absent { source, .. })
                if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) =>
            {
                Ok(None)
            }
            Err(error) => Err(failed(error)),
            Ok(client) => LabCard::on(client, &machine).map(|_| Some(machine)),
        }
    }
}

/// A connection to a machine's card.
#[derive(Debug)]
pub struct LabCard {
    line: RefCell<Line>,
    state: State,
}

#[derive(Debug)]
struct Line {
    client: Client,
    index: u8,
    blocks: VecDeque<(u32, [u8; CARD_BLOCK_BYTES])>,
    answers: VecDeque<(Word, State)>,
}

impl LabCard {
    /// Attaches to the lab. The machine keeps its card.
    ///
    /// # Errors
    /// `NotFound` if no lab is there or it has no such machine; those of the socket.
    pub fn open(machine: &Machine) -> Result<Self> {
        Self::on(Client::attach(&machine.socket).map_err(failed)?, machine)
    }

    fn on(mut client: Client, machine: &Machine) -> Result<Self> {
        let index = client.machine(&machine.name).map_err(failed)?.ok_or_else(|| {
            let text = format!("the lab has no machine {}", machine.name);
            Error::new(ErrorKind::NotFound, text)
        })?;
        let (blocks, answers) = (VecDeque::new(), VecDeque::new());
        let mut line = Line { client, index, blocks, answers };
        line.send(&Record::Read { index, first: 0, count: 0 })?;
        let state = line.answer()?;
        Ok(Self { line: RefCell::new(line), state })
    }

    /// What was said of the card when it was opened, or taken.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Takes the card out: the machine loses power, and nobody else can write the card.
    ///
    /// # Errors
    /// `ResourceBusy` if somebody else has it.
    pub fn take(&mut self) -> Result<()> {
        let mut line = self.line.borrow_mut();
        let index = line.index;
        line.send(&Record::Take { index })?;
        self.state = line.answer()?;
        Ok(())
    }

    /// Puts the card back. The machine has power again if it had; says whether.
    ///
    /// # Errors
    /// Those of the lab.
    pub fn give(&mut self) -> Result<bool> {
        let mut line = self.line.borrow_mut();
        let index = line.index;
        line.send(&Record::Give { index })?;
        line.answer().map(|state| state.power)
    }

    /// Reads from a place on, whole blocks; behind the end there are zeros.
    ///
    /// # Errors
    /// Those of the lab.
    pub fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<usize> {
        let mut line = self.line.borrow_mut();
        let index = line.index;
        let step = READ_AT_ONCE * CARD_BLOCK_BYTES;
        for (place, part) in (at..).step_by(step).zip(buffer.chunks_mut(step)) {
            let first = u32::try_from(place / BLOCK).map_err(|_| Errno::INVAL)?;
            let count = part.len().div_ceil(CARD_BLOCK_BYTES) as u32;
            line.send(&Record::Read { index, first, count })?;
            line.answer()?;
            for (number, bytes) in (first..).zip(part.chunks_mut(CARD_BLOCK_BYTES)) {
                match line.blocks.pop_front() {
                    Some((block, data)) if block == number => {
                        bytes.copy_from_slice(&data[..bytes.len()]);
                    }
                    _ => return Err(Error::new(ErrorKind::InvalidData, "another block came")),
                }
            }
        }
        Ok(buffer.len())
    }

    /// Writes whole blocks at a place of a card that was taken.
    ///
    /// # Errors
    /// Those of the lab.
    pub fn write_at(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let mut line = self.line.borrow_mut();
        let index = line.index;
        let step = WRITE_AT_ONCE * CARD_BLOCK_BYTES;
        for (place, part) in (at..).step_by(step).zip(bytes.chunks(step)) {
            let first = u32::try_from(place / BLOCK).map_err(|_| Errno::INVAL)?;
            let mut all = Vec::new();
            for (block, data) in (first..).zip(part.chunks(CARD_BLOCK_BYTES)) {
                let mut bytes = [0; CARD_BLOCK_BYTES];
                bytes[..data.len()].copy_from_slice(data);
                let (record, len) = Record::Write { index, block, bytes: &bytes }.encode();
                all.extend_from_slice(&record[..len]);
            }
            line.client.write_bytes(&all).map_err(failed)?;
            for _ in part.chunks(CARD_BLOCK_BYTES) {
                line.answer()?;
            }
        }
        Ok(())
    }
}

impl Line {
    fn send(&mut self, record: &Record<'_>) -> Result<()> {
        self.client.write(record).map_err(failed)
    }

    /// Reads once and takes in what is about our machine.
    fn read(&mut self, wait: Duration) -> Result<()> {
        let Self { client, index: ours, blocks, answers } = self;
        let read = client.read(wait, |record| match *record {
            Record::Block { index, block, bytes } if index == *ours => {
                blocks.push_back((block, *bytes));
            }
            Record::Answer { index, word, power, end } if index == *ours => {
                let state = State { power, bytes: u64::from(end) * BLOCK };
                answers.push_back((word, state));
            }
            _ => {}
        });
        read.map_err(failed)?;
        if client.over() { Err(Errno::NODEV.into()) } else { Ok(()) }
    }

    /// The next answer.
    fn answer(&mut self) -> Result<State> {
        let until = Instant::now() + PATIENCE;
        while self.answers.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(failed(ClientError::Silent));
            }
            self.read(left)?;
        }
        match self.answers.pop_front() {
            Some((Word::Done, state)) => Ok(state),
            Some((Word::Busy, _)) => Err(Errno::BUSY.into()),
            Some((Word::NoCard, _)) => Err(Errno::NOMEDIUM.into()),
            _ => Err(Errno::INVAL.into()),
        }
    }
}

/// As a failing card says it.
fn failed(error: ClientError) -> Error {
    match error {
        ClientError::Absent { source, .. } | ClientError::System(source) => source,
        ClientError::Gone => Errno::NODEV.into(),
        ClientError::Silent => Error::new(ErrorKind::TimedOut, error),
        ClientError::Protocol(error) => Error::new(ErrorKind::InvalidData, error),
    }
}
