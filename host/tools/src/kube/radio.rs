//! Commands over the air: a source that can also be sent to, in place of a serial line.

use std::time::Duration;

use kube_boards::fleet::{Fleet, Role};
use kube_proto::capture::{Captured, Flags};
use kube_proto::frame::{self, Address, CrcMode, Rate};
use kube_serial::air::{Link, Payload, Target};
use kube_sniff::source::sim::Lab;
use kube_sniff::source::udp::{Relayed, payload};
use kube_sniff::source::{Event, Place, Sink, Source, SourceError};

use super::codes;
use crate::boot::codes as line_codes;
use crate::boot::desk::random;
use crate::boot::port::Port;
use crate::failure::{Failure, Outcome};

/// A frame is waited for so long.
const READ: Duration = Duration::from_millis(5);

/// Something that frames come from and can be sent to.
trait Radio: Source + Sink {}
impl<T: Source + Sink> Radio for T {}

/// The air in place of a serial line. Its clock is the source's.
pub struct AirPort {
    radio: Box<dyn Radio>,
    link: Link,
    channel: u8,
    rate: Rate,
    address: Address,
    now_ns: u64,
}

impl AirPort {
    /// Towards a machine of the fleet, with the operator's key.
    ///
    /// # Errors
    /// `kube::air::…`, and those of the source.
    pub fn open(place: &Place, fleet: &Fleet, machine: &str) -> Outcome<Self> {
        let Some(key) = &fleet.operator else {
            return Err(Failure::new(&codes::AIR_KEY, "the fleet has no operator's key")
                .cause("machines take commands over the air only from whoever has it")
                .help("kube key new --operator makes one; then the images are made anew"));
        };
        let plane = fleet.board(machine).is_some_and(|board| board.role == Role::Plane);
        let (tag, key) = (fleet.tag(), key.key());
        let target = match plane {
            true => Some(Target::plane(tag, key)),
            false => Target::node(tag, machine, key),
        };
        let target = target.ok_or_else(|| {
            Failure::new(&codes::OBJECT_NAME, format!("{machine:?} cannot be the name of a node"))
        })?;
        let radio: Box<dyn Radio> = match place {
            Place::Udp(name) => Box::new(Relayed::new(name)?),
            Place::Sim(path) => Box::new(Lab::attach(path)?),
            // Receivers only receive.
            Place::Usb(_) | Place::Serial(_) | Place::Pcap(_) => {
                return Err(SourceError::NoSink { name: place.to_string() }.into());
            }
        };
        let mut low_first = fleet.radio.address;
        low_first.reverse();
        Ok(Self {
            radio,
            link: Link::new(target, random()),
            channel: fleet.radio.channel,
            rate: if fleet.radio.mbit == 2 { Rate::M2 } else { Rate::M1 },
            address: Address::from_low_first(&low_first).unwrap_or(Address::OBERON),
            now_ns: 0,
        })
    }

    /// Sends what is due.
    fn flush(&mut self) -> Outcome {
        let mut payloads = Vec::new();
        self.link.poll(self.now_ns / 1_000, &mut payloads);
        for payload in payloads {
            let frame = self.frame(&payload);
            self.radio.send(&frame)?;
        }
        Ok(())
    }

    fn frame(&self, payload: &Payload) -> Captured {
        // 32 bytes are never too long.
        let bits = frame::encode(&self.address, None, payload, CrcMode::Crc16).unwrap_or_default();
        Captured {
            flags: Flags::CONTROL_KNOWN,
            channel: self.channel,
            rate: self.rate,
            level_dbm: None,
            address_bytes: Some(5),
            bits: Captured::without_preamble(&bits),
        }
    }
}

impl Port for AirPort {
    fn receive(&mut self) -> Outcome<Vec<u8>> {
        let mut wait = READ;
        loop {
            match self.radio.next(wait)? {
                Event::Frame { at_ns, frame, .. } => {
                    self.now_ns = self.now_ns.max(at_ns);
                    if let Some(payload) = payload(&frame) {
                        self.link.hear(self.now_ns / 1_000, &payload);
                    }
                }
                Event::Serial { at_ns, .. } => self.now_ns = self.now_ns.max(at_ns),
                Event::Quiet(at_ns) => {
                    self.now_ns = self.now_ns.max(at_ns.unwrap_or_default());
                    break;
                }
                Event::Trouble(_) => {}
                Event::End => {
                    return Err(Failure::new(&line_codes::PORT_LOST, "the air has gone")
                        .cause("its source has come to an end"));
                }
            }
            wait = Duration::ZERO;
        }
        self.flush()?;
        Ok(self.link.read())
    }

    fn send(&mut self, bytes: &[u8]) -> Outcome {
        self.link.write(bytes);
        self.flush()
    }

    fn now_us(&mut self) -> u64 {
        self.now_ns / 1_000
    }
}
