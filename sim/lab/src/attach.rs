//! Serves a running lab to other programs: its air, serial lines and cards by a socket, and in the
//! other direction frames, typed bytes and blocks ([`kube_proto::attach`]).
//!
//! Who only listens or reads cards changes nothing in a run. What is sent, typed or written comes by
//! wall time: such a run does not repeat.

use std::io::{Error, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kube_air::{Departure, StationId, TapId, tap_capture};
use kube_proto::attach::{AttachError, MAX_RECORD_BYTES, Record, TEXT_BYTES};
use kube_proto::capture::Captured;

use crate::cards::{CardWish, Cards};
use crate::world::World;

/// A program that does not keep up by so many bytes holds the lab back: nothing is lost on its way.
const BEHIND_BYTES: usize = 4 << 20;
/// One that then does not read for so long is let go.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks for somebody who attaches.
const PAUSE: Duration = Duration::from_millis(5);
/// Channel up to which a frame is believed: the chip goes no further.
const LAST_CHANNEL: u8 = 125;
/// Long enough for a frame to be announced.
const SOON_NS: u64 = 300_000;
/// Between two frames from outside: a chip's way back to sending.
const TURN_NS: u64 = 130_000;
/// What is sent from outside leaves with that power.
const POWER_DBM: i16 = 0;

/// Why a lab cannot be attached to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another lab has the socket.
    #[error("another lab serves {path}: give --attach another file, or end that lab")]
    InUse {
        /// The socket.
        path: PathBuf,
    },
    /// Something else has the name.
    #[error("{path} is there already and is no socket: give --attach another file")]
    Occupied {
        /// What is there.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot serve at {path}: {source}; choose a file in a folder that you may write")]
    System {
        /// The socket.
        path: PathBuf,
        /// What it said.
        source: Error,
    },
}

/// The socket and those who are attached.
pub struct Attach {
    path: PathBuf,
    listener: UnixListener,
    programs: Vec<Attached>,
    tap: Option<TapId>,
    /// Stands for everybody outside, once somebody sends.
    outside: Option<StationId>,
    /// It has sent what it was given by then: a station sends one frame after the other.
    outside_free_ns: u64,
    /// Bytes of each machine's log that were passed on.
    told: Vec<usize>,
    cards: Cards,
    /// Programs so far: each has a number of its own.
    attached: u64,
}

struct Attached {
    number: u64,
    stream: UnixStream,
    buffer: Vec<u8>,
    /// What it has not taken yet.
    unsent: Vec<u8>,
    greeted: bool,
    alive: bool,
}

/// What a program asks for.
enum Asked {
    Send(Captured),
    Type(u8, Vec<u8>),
    Card(CardWish),
}

impl Attach {
    /// Makes the socket; a file that a dead lab has left is replaced. Only this user can attach.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn new(path: &Path) -> Result<Self, ServeError> {
        let system = |source| ServeError::System { path: path.to_owned(), source };
        if UnixStream::connect(path).is_ok() {
            return Err(ServeError::InUse { path: path.to_owned() });
        }
        match std::fs::symlink_metadata(path) {
            Ok(found) if std::os::unix::fs::FileTypeExt::is_socket(&found.file_type()) => {
                std::fs::remove_file(path).map_err(system)?;
            }
            Ok(_) => return Err(ServeError::Occupied { path: path.to_owned() }),
            Err(_) => {}
        }
        let listener = UnixListener::bind(path).map_err(system)?;
        let owner = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, owner).map_err(system)?;
        Ok(Self {
            path: path.to_owned(),
            listener,
            programs: Vec::new(),
            tap: None,
            outside: None,
            outside_free_ns: 0,
            told: Vec::new(),
            cards: Cards::default(),
            attached: 0,
        })
    }

    /// Waits until somebody is attached, so that nothing is missed, or nobody wants to wait any longer.
    ///
    /// # Errors
    /// [`ServeError::System`].
    pub fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<(), ServeError> {
        self.listener
            .set_nonblocking(true)
            .map_err(|source| ServeError::System { path: self.path.clone(), source })?;
        while self.programs.is_empty() && !stop() {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    let program = self.number(stream);
                    self.programs.push(program);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
                Err(source) => return Err(ServeError::System { path: self.path.clone(), source }),
            }
        }
        Ok(())
    }

    /// Passes on what has happened since the last call, and does what programs ask for. Call it before
    /// the first step, and then after each.
    pub fn serve(&mut self, world: &mut World) {
        let tap = *self.tap.get_or_insert_with(|| world.air_mut().add_tap());
        let now_ns = world.now_ns();
        let fresh: Vec<_> = std::iter::from_fn(|| self.accept()).collect();
        self.programs.extend(fresh);
        for program in self.programs.iter_mut().filter(|program| !program.greeted) {
            program.greeted = true;
            program.tell(&Record::Hello);
            for (index, station) in (0..).zip(world.stations().iter()) {
                program.tell(&Record::Station { index, name: station.spec.name.as_bytes() });
            }
        }
        for sighting in world.air_mut().take_seen(tap) {
            let (at_ns, frame) = (sighting.flight.start_ns, tap_capture(&sighting));
            self.tell(&Record::Frame { at_ns, frame });
        }
        self.told.resize(world.stations().len(), 0);
        for (index, station) in (0..).zip(world.stations().iter_mut()) {
            let told = &mut self.told[usize::from(index)];
            let news = station.log().as_bytes().get(*told..).unwrap_or_default().to_vec();
            *told += news.len();
            for bytes in news.chunks(TEXT_BYTES) {
                self.tell(&Record::Serial { at_ns: now_ns, index, bytes });
            }
        }
        self.tell(&Record::Time { at_ns: now_ns });
        let mut programs = std::mem::take(&mut self.programs);
        for program in &mut programs {
            for asked in program.asked() {
                self.obey(asked, world, program);
            }
        }
        programs.iter_mut().for_each(Attached::send);
        programs.retain(|program| program.alive);
        self.cards.look(world, |number| programs.iter().any(|program| program.number == number));
        self.programs = programs;
    }

    /// Says that the run is over.
    pub fn end(&mut self) {
        self.tell(&Record::End);
        self.programs.iter_mut().for_each(Attached::send_all);
    }

    fn accept(&mut self) -> Option<Attached> {
        self.listener.set_nonblocking(true).ok()?;
        let (stream, _) = self.listener.accept().ok()?;
        Some(self.number(stream))
    }

    fn number(&mut self, stream: UnixStream) -> Attached {
        self.attached += 1;
        Attached::new(self.attached, stream)
    }

    fn tell(&mut self, record: &Record<'_>) {
        self.programs.iter_mut().for_each(|program| program.tell(record));
    }

    fn obey(&mut self, asked: Asked, world: &mut World, program: &mut Attached) {
        match asked {
            Asked::Send(frame) if frame.channel <= LAST_CHANNEL => {
                world.air_mut().set_bridged();
                let outside = *self.outside.get_or_insert_with(|| world.add_outsider());
                let bits = frame.frame_bits();
                let start_ns = self.outside_free_ns.max(world.now_ns() + SOON_NS);
                self.outside_free_ns = start_ns + frame.rate.air_time_ns(bits.len()) + TURN_NS;
                let departure = Departure {
                    start_ns,
                    channel: frame.channel,
                    rate: frame.rate,
                    power_dbm: POWER_DBM,
                    bits,
                };
                world.air_mut().inject(outside, departure);
            }
            Asked::Send(_) => {}
            Asked::Type(index, bytes) => {
                world.air_mut().set_bridged();
                if let Some(station) = world.stations().get_mut(usize::from(index)) {
                    station.type_bytes(&bytes);
                }
            }
            Asked::Card(wish) => {
                let number = program.number;
                self.cards.obey(&wish, world, number, |record| program.tell(record));
            }
        }
    }
}

impl Drop for Attach {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

impl Attached {
    fn new(number: u64, stream: UnixStream) -> Self {
        let alive = stream.set_nonblocking(true).is_ok()
            && stream.set_write_timeout(Some(PATIENCE)).is_ok();
        let (buffer, unsent) = (Vec::new(), Vec::new());
        Self { number, stream, buffer, unsent, greeted: false, alive }
    }

    fn tell(&mut self, record: &Record<'_>) {
        let (bytes, len) = record.encode();
        self.unsent.extend_from_slice(&bytes[..len]);
    }

    /// Sends what it takes at once, and all of it if it is too far behind.
    fn send(&mut self) {
        while self.alive && !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(len) => drop(self.unsent.drain(..len)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => self.alive = false,
            }
        }
        if self.unsent.len() > BEHIND_BYTES {
            self.send_all();
        }
    }

    fn send_all(&mut self) {
        self.alive = self.alive
            && self.stream.set_nonblocking(false).is_ok()
            && self.stream.write_all(&self.unsent).is_ok()
            && self.stream.set_nonblocking(true).is_ok();
        self.unsent.clear();
    }

    /// What it asks for. One that says something else is let go.
    fn asked(&mut self) -> Vec<Asked> {
        let mut chunk = [0; 4 * MAX_RECORD_BYTES];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => self.alive = false,
                Ok(bytes) => {
                    self.buffer.extend_from_slice(&chunk[..bytes]);
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => self.alive = false,
            }
            break;
        }
        let mut asked = Vec::new();
        let taken = self.take(&mut asked).unwrap_or_else(|_| {
            self.alive = false;
            self.buffer.len()
        });
        self.buffer.drain(..taken);
        asked
    }

    /// Takes whole records; returns their bytes.
    fn take(&self, asked: &mut Vec<Asked>) -> Result<usize, AttachError> {
        let mut taken = 0;
        while let Some((record, len)) = Record::decode(&self.buffer[taken..])? {
            taken += len;
            match record {
                Record::Send { frame } => asked.push(Asked::Send(frame)),
                Record::Type { index, bytes } => asked.push(Asked::Type(index, bytes.to_vec())),
                record => asked.extend(CardWish::of(&record).map(Asked::Card)),
            }
        }
        Ok(taken)
    }
}
