//! The bridge: a station of a simulated air that stands for everybody outside. What our stations send
//! goes out as datagrams; what comes in is sent on the air, one frame after the other, and may
//! collide there like any other.
//!
//! Datagrams carry no acknowledgement. Where stations want one (profile `wirth`) the bridge has a
//! chip that acknowledges everything on its channel, as emulators of the published kind do: a frame
//! counts as sent when it has left for the outside.

use crate::listener::{Counts as LinkCounts, Link};
use kube_air::{Air, Chip, Departure, Outcome, QUANTUM_NS, StationId, TapId, Timing};
use kube_proto::frame::{
    self, Address, Control, Format, PayloadLength, Rate, STATIC_LENGTH, checksum_fits,
};
use kube_proto::packet::FRAME_BYTES;
use std::collections::{BTreeMap, VecDeque};
use std::io::Error;
use std::time::Duration;

/// Frames from outside that may wait for the air; more are dropped and counted.
pub const MAX_WAITING: usize = 64;
/// Settling of a sender before its first bit.
const SETTLE_NS: u64 = 130_000;
/// Channel up to which a datagram is believed: the chip goes no further.
const LAST_CHANNEL: u8 = 125;

/// How stations on this air drive their radios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// No acknowledgement, no control field.
    Kube,
    /// As Project Oberon's SCC, on this channel.
    Wirth {
        /// RF_CH: 2400 MHz + channel.
        channel: u8,
    },
}

/// What a bridge did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Datagrams in and out.
    pub link: LinkCounts,
    /// Frames from outside that went on the air.
    pub sent_on_air: u64,
    /// Frames from outside that were dropped: [`MAX_WAITING`] waited already.
    pub overflow: u64,
    /// Frames from outside with a channel that no chip has.
    pub bad_channel: u64,
    /// Frames on the air that a datagram cannot carry: damaged, another address, rate or length.
    pub not_carried: u64,
    /// Frames on the air that were a repetition of the one before.
    pub repeated: u64,
}

/// A bridge between an air and a relay.
pub struct Bridge {
    link: Link,
    station: StationId,
    tap: TapId,
    chip: Option<Chip>,
    profile: Profile,
    rate: Rate,
    waiting: VecDeque<(u8, [u8; FRAME_BYTES])>,
    busy_until_ns: u64,
    pid: u8,
    /// Identity and checksum of the last frame of each station.
    last: BTreeMap<StationId, (u8, u16)>,
    counts: Counts,
}

impl Bridge {
    /// A new station on `air` that stands for everybody behind `relay` (name or address, with a
    /// port). From now on the air is not deterministic, and says so.
    ///
    /// # Errors
    /// What the system says if the relay's name is not known or there is no socket.
    pub fn new(air: &mut Air, relay: &str, profile: Profile, rate: Rate) -> Result<Self, Error> {
        let link = Link::new(relay)?;
        air.set_bridged();
        let chip = match profile {
            Profile::Kube => None,
            Profile::Wirth { channel } => Some(answering_chip(air.now_ns(), channel, rate)),
        };
        Ok(Self {
            link,
            station: air.add_station(),
            tap: air.add_tap(),
            chip,
            profile,
            rate,
            waiting: VecDeque::new(),
            busy_until_ns: 0,
            pid: 0,
            last: BTreeMap::new(),
            counts: Counts::default(),
        })
    }

    /// Its place on the air.
    pub fn station(&self) -> StationId {
        self.station
    }

    /// What to give [`Air::step`] at its place.
    pub fn chip_mut(&mut self) -> Option<&mut Chip> {
        self.chip.as_mut()
    }

    /// What it did so far.
    pub fn counts(&self) -> Counts {
        Counts { link: self.link.counts(), ..self.counts }
    }

    /// Call it after each step: passes on what was sent, in both directions. A relay that is gone
    /// costs frames, which are counted, and is looked for again.
    ///
    /// # Errors
    /// What the system says if the socket itself is broken.
    pub fn exchange(&mut self, air: &mut Air) -> Result<(), Error> {
        self.link.greet();
        for sighting in air.take_seen(self.tap) {
            let flight = &sighting.flight;
            if flight.sender == self.station || flight.acknowledgement {
                continue;
            }
            let format = self.format();
            let good = sighting.outcome == Outcome::Delivered
                && flight.rate == self.rate
                && checksum_fits(&sighting.bits, format.crc);
            let whole = |bits: &_| frame::decode(bits, &format).ok();
            match whole(&sighting.bits).filter(|f| good && f.crc_ok && f.address == Address::OBERON)
            {
                Some(frame) => {
                    let identity = frame.control.map(|control| (control.pid, frame.crc));
                    if identity.is_some() && self.last.get(&flight.sender).copied() == identity {
                        self.counts.repeated += 1;
                        continue;
                    }
                    if let Some(identity) = identity {
                        self.last.insert(flight.sender, identity);
                    }
                    let mut payload = [0; FRAME_BYTES];
                    payload.copy_from_slice(frame.payload());
                    self.link.send(flight.channel, &payload);
                }
                None => self.counts.not_carried += 1,
            }
        }
        while let Some(heard) = self.link.receive(Duration::ZERO)? {
            if heard.channel > LAST_CHANNEL {
                self.counts.bad_channel += 1;
            } else if self.waiting.len() == MAX_WAITING {
                self.counts.overflow += 1;
            } else {
                self.waiting.push_back((heard.channel, heard.payload));
            }
        }
        self.send_next(air);
        self.empty_chip(air.now_ns());
        Ok(())
    }

    fn format(&self) -> Format {
        let format = if self.profile == Profile::Kube { Format::KUBE } else { Format::WIRTH };
        Format { payload: PayloadLength::Static(FRAME_BYTES), ..format }
    }

    fn send_next(&mut self, air: &mut Air) {
        if air.now_ns() < self.busy_until_ns {
            return;
        }
        let Some((channel, payload)) = self.waiting.pop_front() else { return };
        let control = (self.profile != Profile::Kube).then(|| {
            self.pid = (self.pid + 1) & 3;
            Control { length: STATIC_LENGTH, pid: self.pid, no_ack: true }
        });
        let crc = self.format().crc;
        // 32 bytes are never too long.
        let bits = frame::encode(&Address::OBERON, control, &payload, crc).unwrap_or_default();
        let departure = Departure { start_ns: 0, channel, rate: self.rate, power_dbm: 0, bits };
        let begins_ns = air.now_ns() + QUANTUM_NS + SETTLE_NS;
        self.busy_until_ns = begins_ns + self.rate.air_time_ns(bits.len());
        air.inject(self.station, departure);
        self.counts.sent_on_air += 1;
    }

    /// The chip only acknowledges: what it stores has gone out by way of the tap.
    fn empty_chip(&mut self, now_ns: u64) {
        if let Some(chip) = &mut self.chip {
            command(chip, now_ns, &[0xe2]);
        }
    }
}

fn command(chip: &mut Chip, now_ns: u64, bytes: &[u8]) {
    chip.select(now_ns, true);
    for &byte in bytes {
        chip.transfer(now_ns, byte);
    }
    chip.select(now_ns, false);
}

/// A chip as SCC sets one up, receiving; reset values do the rest.
fn answering_chip(now_ns: u64, channel: u8, rate: Rate) -> Chip {
    let timing = Timing { power_on_reset_ns: 0, power_up_ns: 0, ..Timing::TYPICAL };
    let mut chip = Chip::new(now_ns, timing);
    let setup = match rate {
        Rate::K250 => 0x27,
        Rate::M1 => 0x07,
        Rate::M2 => 0x0f,
    };
    for (register, value) in [(0x05, channel), (0x06, setup), (0x11, 32), (0x00, 0x7f)] {
        command(&mut chip, now_ns, &[0x20 | register, value]);
    }
    chip.enable(now_ns, true);
    chip
}
