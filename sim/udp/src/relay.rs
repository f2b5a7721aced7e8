//! The relay: whoever sends it a datagram is a peer, and a frame goes to every other peer. It looks at
//! no channel; receivers do. Peers silent for a minute are forgotten. Source: spec/kube.md 2.3.

use crate::BUFFER_BYTES;
use kube_proto::datagram::{Datagram, DatagramError, SILENCE_MS};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// Most peers: a stranger who forges addresses must not fill the memory.
pub const MAX_PEERS: usize = 1_024;

/// What a relay did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames that came in.
    pub frames: u64,
    /// Hellos that came in.
    pub hellos: u64,
    /// Frames handed to a peer.
    pub delivered: u64,
    /// Deliveries dropped by the loss that was asked for.
    pub lost: u64,
    /// Datagrams that were neither frame nor hello.
    pub malformed: u64,
    /// Datagrams of new peers beyond [`MAX_PEERS`].
    pub refused: u64,
    /// Deliveries that the system refused.
    pub failed: u64,
}

/// Something to tell the operator.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A new peer.
    Joined(SocketAddr),
    /// A peer was silent for too long.
    Left(SocketAddr),
    /// A frame went to that many peers.
    Relayed {
        /// Its sender.
        from: SocketAddr,
        /// RF_CH of the frame.
        channel: u8,
        /// Peers that got it.
        to: usize,
    },
    /// A datagram was dropped.
    Malformed {
        /// Its sender.
        from: SocketAddr,
        /// Why.
        error: DatagramError,
    },
    /// A new peer was refused, there are too many.
    Refused(SocketAddr),
    /// A frame could not be sent to a peer; it stays one until it is silent for too long.
    Failed {
        /// The peer.
        to: SocketAddr,
        /// What the system said.
        reason: ErrorKind,
    },
}

/// The relay's decisions, without a socket: who gets what.
#[derive(Debug)]
pub struct Exchange {
    peers: BTreeMap<SocketAddr, Instant>,
    loss: f64,
    chance: Pcg64,
    counts: Counts,
}

impl Exchange {
    /// Without peers. `loss` is the probability, 0 to 1, that a delivery is dropped, drawn for each
    /// receiver from `seed`.
    pub fn new(loss: f64, seed: u64) -> Self {
        let loss = if loss.is_nan() { 0.0 } else { loss.clamp(0.0, 1.0) };
        let (peers, counts) = (BTreeMap::new(), Counts::default());
        Self { peers, loss, chance: Pcg64::seed_from_u64(seed), counts }
    }

    /// Takes a datagram and returns who is to get it. Silent peers are forgotten first.
    pub fn take(
        &mut self,
        now: Instant,
        from: SocketAddr,
        bytes: &[u8],
        tell: &mut dyn FnMut(Event),
    ) -> Vec<SocketAddr> {
        let silence = Duration::from_millis(SILENCE_MS);
        self.peers.retain(|&peer, &mut heard| {
            let stays = peer == from || now.saturating_duration_since(heard) <= silence;
            if !stays {
                tell(Event::Left(peer));
            }
            stays
        });
        if !self.peers.contains_key(&from) {
            if self.peers.len() >= MAX_PEERS {
                self.counts.refused += 1;
                tell(Event::Refused(from));
                return Vec::new();
            }
            tell(Event::Joined(from));
        }
        self.peers.insert(from, now);
        match Datagram::parse(bytes) {
            Ok(Datagram::Hello) => {
                self.counts.hellos += 1;
                Vec::new()
            }
            Ok(Datagram::Frame { channel, .. }) => {
                self.counts.frames += 1;
                let mut to: Vec<_> = self.peers.keys().copied().filter(|&p| p != from).collect();
                let before = to.len();
                to.retain(|_| !self.chance.random_bool(self.loss));
                self.counts.lost += (before - to.len()) as u64;
                tell(Event::Relayed { from, channel, to: to.len() });
                to
            }
            Err(error) => {
                self.counts.malformed += 1;
                tell(Event::Malformed { from, error });
                Vec::new()
            }
        }
    }

    /// Peers now.
    pub fn peers(&self) -> usize {
        self.peers.len()
    }
}

/// An exchange on a socket.
#[derive(Debug)]
pub struct Relay {
    socket: UdpSocket,
    exchange: Exchange,
}

impl Relay {
    /// On a socket of its own.
    ///
    /// # Errors
    /// What the system says, for instance that the port is in use.
    pub fn bind(address: SocketAddr, loss: f64, seed: u64) -> Result<Self, Error> {
        let socket = UdpSocket::bind(address)?;
        Ok(Self { socket, exchange: Exchange::new(loss, seed) })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        self.socket.local_addr()
    }

    /// What it did so far.
    pub fn counts(&self) -> Counts {
        self.exchange.counts
    }

    /// Peers now.
    pub fn peers(&self) -> usize {
        self.exchange.peers()
    }

    /// Waits for one datagram, at most `wait`, and passes it on. Peers that vanished are no error.
    ///
    /// # Errors
    /// What the system says if the socket itself is broken.
    pub fn serve(&mut self, wait: Duration, tell: &mut dyn FnMut(Event)) -> Result<(), Error> {
        self.socket.set_read_timeout(Some(wait.max(Duration::from_millis(1))))?;
        let mut buffer = [0; BUFFER_BYTES];
        let (bytes, from) = match self.socket.recv_from(&mut buffer) {
            Ok(received) => received,
            Err(error) if passing(error.kind()) => return Ok(()),
            Err(error) => return Err(error),
        };
        let datagram = &buffer[..bytes];
        for to in self.exchange.take(Instant::now(), from, datagram, tell) {
            match self.socket.send_to(datagram, to) {
                Ok(_) => self.exchange.counts.delivered += 1,
                Err(error) => {
                    self.exchange.counts.failed += 1;
                    tell(Event::Failed { to, reason: error.kind() });
                }
            }
        }
        Ok(())
    }
}

/// Errors of a read that say nothing about the socket: no datagram in time, or that a peer to which
/// something was sent is no longer there.
pub(crate) fn passing(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionRefused, ConnectionReset, HostUnreachable, Interrupted};
    use ErrorKind::{NetworkUnreachable, TimedOut, WouldBlock};
    matches!(
        kind,
        ConnectionRefused
            | ConnectionReset
            | HostUnreachable
            | Interrupted
            | NetworkUnreachable
            | TimedOut
            | WouldBlock
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_proto::datagram::HELLO;

    fn peer(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    fn frame() -> [u8; 33] {
        Datagram::frame(5, &[7; 32])
    }

    #[test]
    fn a_frame_goes_to_everybody_else_and_a_hello_to_nobody() {
        let (mut exchange, now) = (Exchange::new(0.0, 1), Instant::now());
        let mut events = Vec::new();
        for port in 1..=3 {
            let to = exchange.take(now, peer(port), &HELLO, &mut |event| events.push(event));
            assert_eq!(to, []);
        }
        assert_eq!(events, [1, 2, 3].map(|port| Event::Joined(peer(port))));
        let to = exchange.take(now, peer(2), &frame(), &mut |_| {});
        assert_eq!(to, [peer(1), peer(3)]);
        // A frame makes a peer, too.
        let to = exchange.take(now, peer(4), &frame(), &mut |_| {});
        assert_eq!(to.len(), 3);
        assert_eq!((exchange.counts.hellos, exchange.counts.frames), (3, 2));
    }

    #[test]
    fn a_peer_silent_for_more_than_60_s_is_forgotten() {
        let (mut exchange, start) = (Exchange::new(0.0, 1), Instant::now());
        exchange.take(start, peer(1), &HELLO, &mut |_| {});
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(exchange.take(at(60), peer(2), &frame(), &mut |_| {}), [peer(1)]);
        let mut events = Vec::new();
        let to = exchange.take(at(61), peer(2), &frame(), &mut |event| events.push(event));
        assert_eq!(to, []);
        assert_eq!(events[0], Event::Left(peer(1)));
        assert_eq!(exchange.peers(), 1);
    }

    #[test]
    fn wrong_sizes_are_counted_named_and_relayed_to_nobody() {
        let (mut exchange, now) = (Exchange::new(0.0, 1), Instant::now());
        exchange.take(now, peer(1), &HELLO, &mut |_| {});
        let mut malformed = Vec::new();
        for bytes in [0, 2, 32, 34, 1_400] {
            let to = exchange.take(now, peer(2), &vec![1; bytes], &mut |event| {
                if let Event::Malformed { error, .. } = event {
                    malformed.push(error);
                }
            });
            assert_eq!(to, []);
        }
        assert_eq!((malformed.len(), exchange.counts.malformed), (5, 5));
        assert_eq!(malformed[1], DatagramError::Size { bytes: 2 });
    }

    #[test]
    fn loss_is_drawn_for_each_receiver() {
        let (mut exchange, now) = (Exchange::new(0.25, 7), Instant::now());
        (1..=11).for_each(|port| drop(exchange.take(now, peer(port), &HELLO, &mut |_| {})));
        let delivered: usize =
            (0..1_000).map(|_| exchange.take(now, peer(1), &frame(), &mut |_| {}).len()).sum();
        // Standard deviation 43.
        assert!(7_500usize.abs_diff(delivered) < 220, "{delivered} of 10000, seed 7");
        assert_eq!(exchange.counts.lost, 10_000 - delivered as u64);
    }

    #[test]
    fn strangers_cannot_fill_the_memory() {
        let (mut exchange, now) = (Exchange::new(0.0, 1), Instant::now());
        (1..=2_000).for_each(|port| drop(exchange.take(now, peer(port), &HELLO, &mut |_| {})));
        assert_eq!(exchange.peers(), MAX_PEERS);
        assert_eq!(exchange.counts.refused, 2_000 - MAX_PEERS as u64);
    }
}
