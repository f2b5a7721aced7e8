//! A program's end of a lab's socket: who attaches, to listen, to type or for a card, does it by this.
//!
//! A thread of its own reads what comes, so that a program that thinks for a while does not hold the
//! lab back.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::string::String;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::vec::Vec;

use super::{AttachError, MAX_RECORD_BYTES, Record, TEXT_BYTES};

/// A lab greets and names its machines within this time.
const GREETING: Duration = Duration::from_secs(10);

/// Why there is no talking to a lab.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody is at the socket.
    #[error("no lab runs at {path}: {source}", path = .path.display())]
    Absent {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        source: Error,
    },
    /// The system refused.
    #[error("the lab cannot be talked to: {0}")]
    System(Error),
    /// The other side speaks something else.
    #[error(transparent)]
    Protocol(#[from] AttachError),
    /// It closed the socket without saying that its run is over.
    #[error("the lab has gone without saying so: was it killed?")]
    Gone,
    /// It says nothing.
    #[error("the lab does not answer")]
    Silent,
}

/// A connection to a lab.
#[derive(Debug)]
pub struct Client {
    stream: UnixStream,
    /// What has come.
    news: Receiver<std::io::Result<Vec<u8>>>,
    buffer: Vec<u8>,
    machines: BTreeMap<u8, String>,
    /// Machine time, as the lab told it last.
    now_ns: Option<u64>,
    greeted: bool,
    over: bool,
}

impl Client {
    /// Attaches to a lab and waits until it greets.
    ///
    /// # Errors
    /// [`ClientError`]; [`AttachError::NotALab`] from whoever goes away without a greeting.
    pub fn attach(path: &Path) -> Result<Self, ClientError> {
        let stream = UnixStream::connect(path)
            .map_err(|source| ClientError::Absent { path: path.to_path_buf(), source })?;
        let news = reader(&stream).map_err(ClientError::System)?;
        let mut client = Self {
            stream,
            news,
            buffer: Vec::new(),
            machines: BTreeMap::new(),
            now_ns: None,
            greeted: false,
            over: false,
        };
        client.write(&Record::Hello)?;
        client.until(|client| client.greeted)?;
        Ok(client)
    }

    /// The machines that have been named so far, with their numbers.
    pub fn machines(&self) -> impl Iterator<Item = (u8, &str)> {
        self.machines.iter().map(|(&index, name)| (index, name.as_str()))
    }

    /// The number of the machine of that name, among those that have been named so far.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<u8> {
        self.machines().find(|machine| machine.1 == name).map(|machine| machine.0)
    }

    /// The number of the machine of that name, once all are named.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn machine(&mut self, name: &str) -> Result<Option<u8>, ClientError> {
        // The time of its first step comes behind the names of all machines.
        self.until(|client| client.now_ns.is_some() || client.index(name).is_some())?;
        Ok(self.index(name))
    }

    /// Machine time in nanoseconds, as the lab told it last.
    #[must_use]
    pub const fn now_ns(&self) -> Option<u64> {
        self.now_ns
    }

    /// Whether the lab has said that its run is over, behind all that was handed on.
    #[must_use]
    pub const fn over(&self) -> bool {
        self.over
    }

    /// Sends a record.
    ///
    /// # Errors
    /// [`ClientError::Gone`], [`ClientError::System`].
    pub fn write(&mut self, record: &Record<'_>) -> Result<(), ClientError> {
        let (bytes, len) = record.encode();
        self.write_bytes(&bytes[..len])
    }

    /// Sends records that are encoded already, several at once.
    ///
    /// # Errors
    /// As [`Client::write`].
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        self.stream.write_all(bytes).map_err(|error| self.failed(error))
    }

    /// Types bytes on the serial line of a machine.
    ///
    /// # Errors
    /// As [`Client::write`].
    pub fn type_on(&mut self, index: u8, bytes: &[u8]) -> Result<(), ClientError> {
        bytes.chunks(TEXT_BYTES).try_for_each(|bytes| self.write(&Record::Type { index, bytes }))
    }

    /// Waits so long for something to come, and hands on each record that is whole.
    ///
    /// # Errors
    /// [`ClientError`]. A lab whose run is over may go.
    pub fn read(
        &mut self,
        wait: Duration,
        mut each: impl FnMut(&Record<'_>),
    ) -> Result<(), ClientError> {
        // What came with the greeting is there already.
        if self.buffer.is_empty() {
            self.fill(wait)?;
        }
        let buffer = std::mem::take(&mut self.buffer);
        let mut rest = &buffer[..];
        while let Some((record, len)) = Record::decode(rest)? {
            rest = &rest[len..];
            self.note(&record)?;
            self.over |= record == Record::End;
            each(&record);
        }
        self.buffer = rest.to_vec();
        if !rest.is_empty() && rest.len() == buffer.len() {
            // Nothing of it was whole: more is needed.
            self.fill(wait)?;
        }
        Ok(())
    }

    /// Takes more in, and what it says of machines and time; nothing of it is handed on yet.
    fn until(&mut self, holds: impl Fn(&Self) -> bool) -> Result<(), ClientError> {
        let until = Instant::now() + GREETING;
        let (mut seen, mut ended) = (0, false);
        loop {
            let buffer = std::mem::take(&mut self.buffer);
            while let Some((record, len)) = Record::decode(&buffer[seen..])? {
                seen += len;
                ended |= record == Record::End;
                self.note(&record)?;
            }
            self.buffer = buffer;
            let left = until.saturating_duration_since(Instant::now());
            match holds(self) {
                true => return Ok(()),
                false if ended => return Err(ClientError::Gone),
                false if left.is_zero() => return Err(ClientError::Silent),
                false => self.fill(left)?,
            }
        }
    }

    fn fill(&mut self, wait: Duration) -> Result<(), ClientError> {
        match self.news.recv_timeout(wait.max(Duration::from_millis(1))) {
            Ok(Ok(bytes)) => self.buffer.extend_from_slice(&bytes),
            Ok(Err(error)) => return Err(self.failed(error)),
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) if self.over => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
        }
        while let Ok(Ok(bytes)) = self.news.try_recv() {
            self.buffer.extend_from_slice(&bytes);
        }
        Ok(())
    }

    fn note(&mut self, record: &Record<'_>) -> Result<(), ClientError> {
        if !self.greeted && *record != Record::Hello {
            return Err(AttachError::NotALab.into());
        }
        match *record {
            Record::Hello => self.greeted = true,
            Record::Station { index, name } => {
                self.machines.insert(index, String::from_utf8_lossy(name).into_owned());
            }
            Record::Serial { at_ns, .. } | Record::Time { at_ns } => {
                self.now_ns = Some(self.now_ns.unwrap_or(0).max(at_ns));
            }
            _ => {}
        }
        Ok(())
    }

    /// Somebody who goes without a word was no lab.
    fn gone(&self) -> ClientError {
        if self.greeted { ClientError::Gone } else { AttachError::NotALab.into() }
    }

    fn failed(&self, error: Error) -> ClientError {
        match error.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => self.gone(),
            _ => ClientError::System(error),
        }
    }
}

impl Drop for Client {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::thread::JoinHandle;

    const WAIT: Duration = Duration::from_secs(10);

    /// Somebody at a socket who says these bytes in parts, and then goes when the other has gone.
    fn lab(name: &str, said: Vec<u8>, part: usize, stays: bool) -> (PathBuf, JoinHandle<Vec<u8>>) {
        let folder = std::env::temp_dir().join(std::format!("kube-proto-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(name);
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).expect("a socket");
        let other = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a program");
            for part in said.chunks(part) {
                stream.write_all(part).expect("it reads");
            }
            let mut asked = Vec::new();
            match stays {
                true => stream.read_to_end(&mut asked).expect("it goes"),
                false => stream.read(&mut [0; 64]).expect("a greeting"),
            };
            asked
        });
        (path, other)
    }

    fn bytes(records: &[Record<'_>]) -> Vec<u8> {
        let of = |record: &Record<'_>| {
            let (bytes, len) = record.encode();
            bytes[..len].to_vec()
        };
        records.iter().flat_map(of).collect()
    }

    #[test]
    fn nothing_of_what_a_lab_says_is_lost_however_it_is_cut() {
        let said = [
            Record::Hello,
            Record::Station { index: 0, name: b"plane" },
            Record::Station { index: 1, name: b"node1" },
            Record::Serial { at_ns: 3, index: 1, bytes: b"hello" },
            Record::Time { at_ns: 5 },
            Record::End,
        ];
        for part in [1, 7, 4_096] {
            let (path, other) = lab(&std::format!("cut-{part}"), bytes(&said), part, true);
            let mut client = Client::attach(&path).expect("a lab");
            assert_eq!(client.machine("node1").expect("named"), Some(1));
            assert_eq!(client.machine("node2").expect("all are named"), None);
            let mut heard = Vec::new();
            while !client.over() {
                client
                    .read(WAIT, |record| {
                        if let Record::Serial { bytes, .. } = record {
                            heard.extend_from_slice(bytes);
                        }
                    })
                    .expect("it goes on");
            }
            assert_eq!((&heard[..], client.now_ns()), (&b"hello"[..], Some(5)), "parts of {part}");
            client.type_on(1, b"Kube.Get").expect("it listens");
            drop(client);
            let typed = Record::Type { index: 1, bytes: b"Kube.Get" };
            assert_eq!(other.join().expect("asked"), bytes(&[Record::Hello, typed]));
        }
    }

    #[test]
    fn strangers_and_those_who_go_are_told_apart() {
        let (path, _) = lab("stranger", b"\x05\x00hello".to_vec(), 99, true);
        let stranger = Client::attach(&path).expect_err("no lab");
        assert!(matches!(stranger, ClientError::Protocol(_)), "{stranger}");
        let (path, _) = lab("mute", Vec::new(), 99, false);
        let mute = Client::attach(&path).expect_err("no lab");
        assert!(matches!(mute, ClientError::Protocol(AttachError::NotALab)), "{mute}");
        let (path, other) = lab("killed", bytes(&[Record::Hello]), 99, false);
        let mut client = Client::attach(&path).expect("a lab");
        other.join().expect("it goes");
        // The greeting is handed on first.
        let gone = (0..2).find_map(|_| client.read(WAIT, |_| {}).err());
        assert!(matches!(gone, Some(ClientError::Gone)), "{gone:?}");
        let absent = Client::attach(Path::new("/nowhere/lab.sock")).expect_err("nobody");
        assert!(matches!(absent, ClientError::Absent { .. }), "{absent}");
    }
}
