//! How many frames a second the dongle takes: frames in a row from a station that is nothing else, into a
//! dongle whose host may stop reading for a while. All of it in machine time.
//!
//! ```no_run
//! use kube_lab::dongle::{Burst, burst};
//! use kube_proto::frame::Rate;
//!
//! let load = Burst { frames: 1_000, rate: Rate::M2, gap_ns: 0, stall_ms: 100 };
//! let heard = burst(std::path::Path::new("kube-dongle.uf2"), &load)?;
//! assert_eq!(heard.lost(), 0);
//! # Ok::<(), kube_lab::dongle::DongleError>(())
//! ```

use std::path::Path;

use kube_air::{Air, AirConfig, Chip, Departure, QUANTUM_NS, StationId, TapId};
use kube_proto::dongle::{Collector, Frame, FromDongle, FromHost, Settings, Statistics, parse};
use kube_proto::frame::{Address, CrcMode, Rate, encode};

use super::{Dongle, DongleError};

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Frames.
    pub frames: u32,
    /// Data rate.
    pub rate: Rate,
    /// From the end of one frame to the beginning of the next, in nanoseconds.
    pub gap_ns: u64,
    /// From the hundredth frame on the host does not read for so long.
    pub stall_ms: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overheard {
    /// Frames sent.
    pub sent: u32,
    /// Frames that arrived at the host as they were sent, in order.
    pub whole: u32,
    /// Frames that arrived otherwise.
    pub wrong: u32,
    /// Of those that arrived, frames whose time was that of their reading.
    pub late: u32,
    /// Largest difference between a frame's time and the air's, in nanoseconds.
    pub time_error_ns: u64,
    /// Most frames a second while they were sent.
    pub frames_per_s: u32,
    /// The dongle's own counts.
    pub counts: Statistics,
    /// Frames that its chip has sent.
    pub transmissions: u64,
}

impl Overheard {
    /// Frames that did not arrive as they were sent.
    #[must_use]
    pub const fn lost(&self) -> u32 {
        self.sent - self.whole
    }
}

const MS: u64 = 1_000_000;
const CHANNEL: u8 = 5;
/// Frames are announced to the air that long before they start.
const AHEAD_NS: u64 = MS;
/// Frame with which the host stops reading.
const STALL_AT: u32 = 100;
/// What may still be in the dongle when the last frame has ended: its queue, at USB's pace.
const REST_MS: u64 = 500;

struct Field {
    air: Air,
    dongle: Dongle,
    sender: StationId,
    place: StationId,
    tap: TapId,
    now_ns: u64,
    collector: Collector,
    heard: Vec<FromDongle>,
}

impl Field {
    fn run_until(&mut self, until_ns: u64) -> Result<(), DongleError> {
        while self.now_ns < until_ns {
            let end_ns = (self.now_ns + QUANTUM_NS).min(until_ns);
            if self.dongle.next_wake_ns() < end_ns {
                self.dongle.run_until(end_ns);
            }
            let mut chips: [Option<&mut Chip>; 2] = [Some(self.dongle.chip()), None];
            self.air.step(end_ns, &mut chips)?;
            self.now_ns = end_ns;
        }
        for byte in self.dongle.usb_received() {
            if let Ok(Some(body)) = self.collector.push(byte) {
                self.heard.extend(parse(body));
            }
        }
        self.dongle.fault().map_or(Ok(()), Err)
    }

    fn say(&mut self, message: &FromHost) -> Result<(), DongleError> {
        let (line, len) = message.line();
        self.dongle.run_until(self.now_ns);
        self.dongle.usb_send(&line[..len]);
        self.run_until(self.now_ns + 200 * MS)
    }
}

/// The payload of a frame, all of them different.
fn payload(number: u32) -> [u8; 32] {
    let mut payload = [0; 32];
    for (at, byte) in payload.iter_mut().enumerate() {
        *byte = (number.wrapping_mul(0x9e37_79b9) >> (at % 4 * 8)) as u8 ^ at as u8;
    }
    payload[..4].copy_from_slice(&number.to_le_bytes());
    payload
}

/// Sends a burst and hears it by way of the dongle.
///
/// # Errors
/// [`DongleError`].
pub fn burst(firmware: &Path, load: &Burst) -> Result<Overheard, DongleError> {
    let mut air = Air::new(AirConfig::default());
    let (place, sender) = (air.add_station(), air.add_station());
    let tap = air.add_tap();
    let dongle = Dongle::new(firmware)?;
    let now_ns = 0;
    let (collector, heard) = (Collector::new(), Vec::new());
    let mut field = Field { air, dongle, sender, place, tap, now_ns, collector, heard };
    let started_ns = field.dongle.now_ns();
    field.run_until(started_ns)?;
    let address = Address::OBERON;
    let low_first = [0xe7; 5];
    let settings = Settings { channel: CHANNEL, rate: load.rate, wirth: false, address: low_first };
    field.say(&FromHost::Tune(settings))?;

    let mut start_ns = field.now_ns + 2 * AHEAD_NS;
    let (first_ns, mut ends) = (start_ns, Vec::new());
    let (mut stalled_ns, mut stalled) = (None, false);
    for number in 0..load.frames {
        let bits = encode(&address, None, &payload(number), CrcMode::Crc16).unwrap_or_default();
        let departure =
            Departure { start_ns, channel: CHANNEL, rate: load.rate, power_dbm: 0, bits };
        field.run_until(start_ns - AHEAD_NS)?;
        field.air.inject(field.sender, departure);
        ends.push(departure.end_ns());
        start_ns = departure.end_ns() + load.gap_ns;
        if number == STALL_AT && load.stall_ms > 0 {
            field.dongle.usb_read(false);
            stalled_ns = Some(field.now_ns);
        }
        if !stalled && stalled_ns.is_some_and(|at| field.now_ns >= at + load.stall_ms * MS) {
            field.dongle.usb_read(true);
            stalled = true;
        }
    }
    field.dongle.usb_read(true);
    field.run_until(start_ns + REST_MS * MS)?;
    let before_count = field.heard.len();
    field.say(&FromHost::Count)?;

    let mut result = Overheard { sent: load.frames, ..Overheard::default() };
    let span_ns = (start_ns - first_ns).max(1);
    result.frames_per_s = (u64::from(load.frames) * 1_000_000_000 / span_ns) as u32;
    for (at, message) in field.heard.iter().enumerate() {
        match message {
            // Frames come by themselves, and not because something was asked.
            FromDongle::Frame(frame) if at < before_count => judge(frame, &ends, &mut result),
            FromDongle::Statistics(counts) => result.counts = *counts,
            _ => {}
        }
    }
    for sighting in field.air.take_seen(field.tap) {
        result.transmissions += u64::from(sighting.flight.sender == field.place);
    }
    Ok(result)
}

fn judge(frame: &Frame, ends: &[u64], result: &mut Overheard) {
    let number = frame.payload().first_chunk().map_or(u32::MAX, |bytes| u32::from_le_bytes(*bytes));
    let due = result.whole + result.wrong;
    match ends.get(number as usize) {
        Some(&end_ns) if *frame.payload() == payload(number) && number >= due => {
            result.whole += 1;
            result.late += u32::from(frame.flags & Frame::LATE != 0);
            let error_ns = (frame.time_us * 1_000).abs_diff(end_ns);
            result.time_error_ns = result.time_error_ns.max(error_ns);
        }
        _ => result.wrong += 1,
    }
}
