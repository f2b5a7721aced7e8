//! A listener: says hello to a relay and takes what it passes on.

use crate::BUFFER_BYTES;
use crate::relay::passing;
use kube_proto::datagram::{Datagram, DatagramError, HELLO, HELLO_PERIOD_MS};
use kube_proto::packet::FRAME_BYTES;
use std::io::{Error, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::time::{Duration, Instant};

/// The relay's name is looked up again after a send that failed, this often at most.
const RESOLVE_PERIOD: Duration = Duration::from_secs(1);

/// A frame that a relay passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeardDatagram {
    /// RF_CH: 2400 MHz + channel.
    pub channel: u8,
    /// The payload.
    pub payload: [u8; FRAME_BYTES],
}

/// What a link to a relay did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames received.
    pub received: u64,
    /// Frames sent.
    pub sent: u64,
    /// Datagrams that were neither frame nor hello, or came from somebody else than the relay.
    pub malformed: u64,
    /// Sends that the system refused: the relay is gone or its name unknown.
    pub failed: u64,
}

/// A socket that keeps in touch with a relay, also with one that vanishes and comes back elsewhere.
#[derive(Debug)]
pub struct Link {
    name: String,
    socket: UdpSocket,
    relay: SocketAddr,
    resolved: Instant,
    greeted: Option<Instant>,
    counts: Counts,
    last_error: Option<DatagramError>,
}

impl Link {
    /// Towards `relay`, a name or address with a port.
    ///
    /// # Errors
    /// What the system says if the name is not known or there is no socket.
    pub fn new(relay: &str) -> Result<Self, Error> {
        let address = resolve(relay)?;
        let any = match address {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        Ok(Self {
            name: relay.to_owned(),
            // Not connected: a relay that is replaced would leave a connected socket without a
            // destination.
            socket: UdpSocket::bind(any)?,
            relay: address,
            resolved: Instant::now(),
            greeted: None,
            counts: Counts::default(),
            last_error: None,
        })
    }

    /// What it did so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The last datagram that was dropped, since the last call.
    pub fn take_error(&mut self) -> Option<DatagramError> {
        self.last_error.take()
    }

    /// Says hello if it is time to.
    pub fn greet(&mut self) {
        let period = Duration::from_millis(HELLO_PERIOD_MS);
        if self.greeted.is_none_or(|at| at.elapsed() >= period) {
            self.greeted = Some(Instant::now());
            self.send_bytes(&HELLO);
        }
    }

    /// Sends a frame. A relay that is gone costs the frame and is counted.
    pub fn send(&mut self, channel: u8, payload: &[u8; FRAME_BYTES]) {
        if self.send_bytes(&Datagram::frame(channel, payload)) {
            self.counts.sent += 1;
        }
    }

    fn send_bytes(&mut self, bytes: &[u8]) -> bool {
        if self.socket.send_to(bytes, self.relay).is_ok() {
            return true;
        }
        self.counts.failed += 1;
        if self.resolved.elapsed() >= RESOLVE_PERIOD {
            self.resolved = Instant::now();
            if let Ok(relay) = resolve(&self.name) {
                self.relay = relay;
            }
        }
        false
    }

    /// The next frame, if one comes within `wait` (zero: if one is there). Anything else is counted.
    ///
    /// # Errors
    /// What the system says if the socket itself is broken.
    pub fn receive(&mut self, wait: Duration) -> Result<Option<HeardDatagram>, Error> {
        let until = Instant::now() + wait;
        let mut buffer = [0; BUFFER_BYTES];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            self.socket.set_nonblocking(left.is_zero())?;
            if !left.is_zero() {
                self.socket.set_read_timeout(Some(left))?;
            }
            let (bytes, from) = match self.socket.recv_from(&mut buffer) {
                Ok(received) => received,
                // A relay that is gone shows here as a refused connection: go on waiting for it.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => continue,
                Err(error) if passing(error.kind()) => return Ok(None),
                Err(error) => return Err(error),
            };
            match Datagram::parse(&buffer[..bytes]) {
                Ok(Datagram::Frame { channel, payload }) if from == self.relay => {
                    self.counts.received += 1;
                    return Ok(Some(HeardDatagram { channel, payload }));
                }
                Ok(_) => self.counts.malformed += 1,
                Err(error) => {
                    self.counts.malformed += 1;
                    self.last_error = Some(error);
                }
            }
        }
    }
}

fn resolve(name: &str) -> Result<SocketAddr, Error> {
    let unknown = || Error::new(ErrorKind::NotFound, format!("{name} has no address"));
    name.to_socket_addrs()?.next().ok_or_else(unknown)
}
