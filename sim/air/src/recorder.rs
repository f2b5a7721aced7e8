//! What a station or a tap got, as records for a capture file.
//!
//! ```
//! use kube_air::{Air, AirConfig, Chip, Recorder, Timing};
//! use kube_proto::pcapng::CaptureWriter;
//! let mut air = Air::new(AirConfig { keep_log: true, ..AirConfig::default() });
//! let (station, tap) = (air.add_station(), air.add_tap());
//! let mut recorder = Recorder::new(Vec::new())?;
//! recorder.add_station(station, "node1")?;
//! recorder.add_tap("tap")?;
//! # let mut chip = Chip::new(0, Timing::TYPICAL);
//! air.step(100_000, &mut [Some(&mut chip)])?;
//! recorder.record(&air.take_log())?;
//! recorder.see(0, &air.take_seen(tap))?;
//! let file: Vec<u8> = recorder.finish();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::flight::{Flight, Outcome, StationId};
use crate::listener::Sighting;
use crate::log::Record;
use kube_proto::bits::Bits;
use kube_proto::capture::{Captured, Flags};
use kube_proto::frame::{CrcMode, checksum_fits};
use kube_proto::pcapng::{CaptureWriter, FileError};
use std::io::Write;

/// Writes one capture file: an interface for each station and tap that was added.
pub struct Recorder<W: Write> {
    writer: CaptureWriter<W>,
    stations: Vec<(StationId, u32)>,
    taps: Vec<u32>,
}

impl<W: Write> Recorder<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn new(writer: W) -> Result<Self, FileError> {
        let writer = CaptureWriter::new(writer)?;
        Ok(Self { writer, stations: Vec::new(), taps: Vec::new() })
    }

    /// Writes what this station sends and receives.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add_station(&mut self, station: StationId, name: &str) -> Result<(), FileError> {
        let interface = self.writer.add_interface(name)?;
        self.stations.push((station, interface));
        Ok(())
    }

    /// Writes what a tap sees. Returns its number for [`Recorder::see`].
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add_tap(&mut self, name: &str) -> Result<usize, FileError> {
        let interface = self.writer.add_interface(name)?;
        self.taps.push(interface);
        Ok(self.taps.len() - 1)
    }

    /// Appends finished frames of the air's log, for all stations added.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn record(&mut self, records: &[Record]) -> Result<(), FileError> {
        for record in records {
            for &(station, interface) in &self.stations {
                if let Some(frame) = station_capture(record, station) {
                    self.writer.write(interface, record.flight.start_ns, &frame)?;
                }
            }
        }
        Ok(())
    }

    /// Appends what a tap saw. Taps that were not added are passed over.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn see(&mut self, tap: usize, sightings: &[Sighting]) -> Result<(), FileError> {
        let Some(&interface) = self.taps.get(tap) else { return Ok(()) };
        for sighting in sightings {
            let frame = tap_capture(sighting);
            self.writer.write(interface, sighting.flight.start_ns, &frame)?;
        }
        Ok(())
    }

    /// Ends the file and gives the writer back.
    pub fn finish(self) -> W {
        self.writer.into_inner()
    }
}

/// What a station got of a frame; `None` if it did not notice it. Sent frames have the flag for it,
/// bad ones theirs.
pub fn station_capture(record: &Record, station: StationId) -> Option<Captured> {
    let outcome = *record.outcomes.get(station.index())?;
    let flight = &record.flight;
    if outcome == Outcome::Sender {
        let flags = Flags::SENT.and_if(record.cut_short, Flags::TRUNCATED);
        return Some(captured(flight, &flight.bits, flags, flight.power_dbm));
    }
    let (_, reception) = record.receptions.iter().find(|(at, _)| *at == station)?;
    let flags = match outcome {
        Outcome::Collision => Flags::CRC_BAD.and(Flags::COLLISION),
        Outcome::Crc => Flags::CRC_BAD,
        outcome if outcome.received() => Flags::CRC_OK,
        _ => return None,
    };
    Some(captured(flight, &reception.bits, flags, reception.level_dbm))
}

/// What a tap saw of a frame.
pub fn tap_capture(sighting: &Sighting) -> Captured {
    let (flight, bits) = (&sighting.flight, &sighting.bits);
    let intact = checksum_fits(bits, CrcMode::Crc16)
        // One frame in 256 passes for one with the short checksum: only where no bit is wrong.
        || *bits == flight.bits && checksum_fits(bits, CrcMode::Crc8);
    let collided = sighting.outcome == Outcome::Collision;
    let flags = if intact && !collided { Flags::CRC_OK } else { Flags::CRC_BAD };
    let flags = flags
        .and_if(collided, Flags::COLLISION)
        .and_if(sighting.outcome == Outcome::TooWeak, Flags::WEAK)
        .and_if(sighting.outcome == Outcome::Truncated, Flags::TRUNCATED);
    captured(flight, bits, flags, sighting.level_dbm)
}

fn captured(flight: &Flight, bits: &Bits, flags: Flags, level_dbm: i16) -> Captured {
    // Whole bytes have no control field, one bit more has.
    let flags = flags.and(Flags::CONTROL_KNOWN).and_if(bits.len() % 8 == 1, Flags::CONTROL);
    Captured {
        flags,
        channel: flight.channel,
        rate: flight.rate,
        level_dbm: Some(level_dbm.clamp(-127, 127) as i8),
        address_bytes: None,
        bits: Captured::without_preamble(bits),
    }
}
