//! Frames that a relay passes on.

use super::{Event, Sink, Source, SourceError};
use kube_proto::capture::{Captured, Flags};
use kube_proto::frame::{self, Address, CrcMode, Rate};
use kube_proto::packet::FRAME_BYTES;
use kube_udp::listener::Link;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A relay.
#[derive(Debug)]
pub struct Relayed {
    name: String,
    link: Link,
}

impl Relayed {
    /// Towards a relay, host and port.
    ///
    /// # Errors
    /// [`SourceError::System`] if the name is not known.
    pub fn new(name: &str) -> Result<Self, SourceError> {
        let mut link = Link::new(name).map_err(|error| SourceError::System {
            what: format!("cannot reach the relay {name}"),
            error,
            remedy: "start one with `kube-air relay`",
        })?;
        link.greet();
        Ok(Self { name: name.to_owned(), link })
    }
}

impl Source for Relayed {
    fn next(&mut self, wait: Duration) -> Result<Event, SourceError> {
        self.link.greet();
        if let Some(error) = self.link.take_error() {
            return Ok(Event::Trouble(error.to_string()));
        }
        let heard = self.link.receive(wait).map_err(|error| SourceError::System {
            what: format!("cannot listen to the relay {}", self.name),
            error,
            remedy: "is the network up?",
        })?;
        let at_ns = now_ns();
        Ok(match heard {
            None => Event::Quiet(Some(at_ns)),
            Some(heard) => Event::Frame {
                at_ns,
                interface: self.name.clone(),
                frame: of_payload(heard.channel, &heard.payload, Flags::CONTROL_KNOWN),
            },
        })
    }

    fn dropped(&self) -> u64 {
        self.link.counts().malformed
    }

    fn limits(&self) -> &'static str {
        "a relay passes payloads on: no acknowledgements, repetitions, damaged frames, checksums, \
         rates, levels or times of the air"
    }

    fn live(&self) -> bool {
        true
    }
}

impl Sink for Relayed {
    fn send(&mut self, frame: &Captured) -> Result<(), SourceError> {
        let payload = payload(frame).ok_or_else(|| SourceError::System {
            what: "the frame has no payload of 32 bytes".to_owned(),
            error: std::io::ErrorKind::InvalidData.into(),
            remedy: "a datagram carries nothing else: send it to sim:SOCKET",
        })?;
        self.link.greet();
        self.link.send(frame.channel, &payload);
        Ok(())
    }
}

/// The payload of a frame of 32 bytes, with or without control field.
#[must_use]
pub fn payload(frame: &Captured) -> Option<[u8; FRAME_BYTES]> {
    let control = frame.bits.len() % 8 == 1;
    let format = if control { frame::Format::WIRTH } else { frame::Format::KUBE };
    let decoded = frame::decode(&frame.frame_bits(), &format).ok()?;
    decoded.payload().try_into().ok()
}

/// The frame that a payload stands for, as profile `kube` sends it.
#[must_use]
pub fn of_payload(channel: u8, payload: &[u8; FRAME_BYTES], flags: Flags) -> Captured {
    // 32 bytes are never too long.
    let bits = frame::encode(&Address::OBERON, None, payload, CrcMode::Crc16).unwrap_or_default();
    Captured {
        flags,
        channel,
        rate: Rate::M1,
        level_dbm: None,
        address_bytes: Some(5),
        bits: Captured::without_preamble(&bits),
    }
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
