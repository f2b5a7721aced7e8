//! The air of a run as a pcapng file: an interface for each station, one for all that can be heard,
//! and one for what is sent and nobody can hear.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use kube_air::{Record, Recorder, Sighting, StationId};
use kube_proto::pcapng::FileError;

use crate::world::{AIR, UNHEARD, interface};

/// Writes what stations and taps get of an air.
pub struct Capture {
    recorder: Recorder<BufWriter<File>>,
    air: usize,
    unheard: usize,
    path: PathBuf,
}

/// Why a capture cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("capture {path}: {source}; choose a file in a folder that exists and has room")]
pub struct CaptureError {
    path: String,
    source: FileError,
}

impl Capture {
    /// Begins a file; an existing one is replaced. The air must keep its log.
    ///
    /// # Errors
    /// [`CaptureError`] if the file cannot be made.
    pub fn new<'a>(
        path: &Path,
        stations: impl Iterator<Item = (StationId, &'a str)>,
    ) -> Result<Self, CaptureError> {
        let failed = |source| CaptureError { path: path.display().to_string(), source };
        let file = File::create(path).map_err(|error| failed(refused(&error)))?;
        let mut recorder = Recorder::new(BufWriter::new(file)).map_err(failed)?;
        for (station, name) in stations {
            recorder.add_station(station, name).map_err(failed)?;
        }
        let air = recorder.add_tap(AIR).map_err(failed)?;
        let unheard = recorder.add_tap(UNHEARD).map_err(failed)?;
        Ok(Self { recorder, air, unheard, path: path.to_owned() })
    }

    /// Writes what became of frames at each station, and what was sent.
    ///
    /// # Errors
    /// [`CaptureError`], for instance when the disk is full.
    pub fn write(&mut self, records: &[Record], sent: &[Sighting]) -> Result<(), CaptureError> {
        let mut written = self.recorder.record(records);
        for sighting in sent {
            let place = if interface(sighting) == AIR { self.air } else { self.unheard };
            let seen = self.recorder.see(place, std::slice::from_ref(sighting));
            written = written.and(seen);
        }
        written.map_err(|source| self.failed(source))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`CaptureError`] if the last bytes cannot be written.
    pub fn finish(self) -> Result<(), CaptureError> {
        let path = self.path.display().to_string();
        let written = self.recorder.finish().into_inner().map(drop);
        written.map_err(|error| CaptureError { path, source: refused(error.error()) })
    }

    fn failed(&self, source: FileError) -> CaptureError {
        CaptureError { path: self.path.display().to_string(), source }
    }
}

fn refused(error: &std::io::Error) -> FileError {
    FileError::Write { reason: error.to_string() }
}
