//! `board.toml`: the models of boards, their parts, pins and how they are loaded. The files stand in
//! folders beside this crate's sources and are embedded.

mod raw;

use std::path::Path;

use serde::Deserialize;

use crate::diagnostic::Diagnostic;
use crate::pin::{Connector, Delay, Port};

/// The embedded files.
const FILES: [(&str, &str); 1] = [("boards/ulx3s/board.toml", include_str!("../ulx3s/board.toml"))];

/// A family of boards that differ in their FPGA only.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardFamily {
    /// Name.
    pub name: String,
    /// Revisions of the circuit board that are known, the oldest first.
    pub revisions: Vec<String>,
    /// Clock that reaches the FPGA, in Hz.
    pub clock_hz: u32,
    /// Port that it comes in by.
    pub clock: String,
    /// Name of the board to openFPGALoader.
    pub loader: String,
    /// USB vendor and product of its serial line and JTAG adapter, as `0403:6015`.
    pub usb: Vec<String>,
    /// Package of the FPGA, a file of `boards/packages`.
    pub package: String,
    /// Speed grade of the FPGA: 6, 7 or 8.
    pub speed_grade: u8,
    /// How the FPGA is configured, in the words of the constraint file.
    pub sysconfig: String,
    /// Its memory.
    pub memory: Memory,
    /// The models.
    pub models: Vec<Model>,
    /// Ports that tops may have.
    pub ports: Vec<Port>,
    /// Headers.
    pub connectors: Vec<Connector>,
    /// What may pass between registers and pads.
    pub delays: Vec<Delay>,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Name in a fleet file.
    pub name: String,
    /// Part.
    pub part: String,
    /// What the part answers to the question who it is.
    pub idcode: u32,
    /// Name of the die to nextpnr, as `85k`.
    pub device: String,
}

/// Memory chip beside the FPGA.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Memory {
    /// Kind: `sdr`.
    pub kind: String,
    /// Size in MB.
    pub megabytes: u32,
    /// Data lines.
    pub width: u32,
    /// Banks.
    pub banks: u32,
    /// Address bits of a row.
    pub row_bits: u32,
    /// Address bits of a column.
    pub column_bits: u32,
}

impl BoardFamily {
    /// The newest revision.
    #[must_use]
    pub fn newest(&self) -> &str {
        self.revisions.last().map_or("", String::as_str)
    }

    /// The port of that name on a revision.
    #[must_use]
    pub fn port(&self, name: &str, revision: &str) -> Option<&Port> {
        self.ports.iter().find(|port| port.name == name && port.is_on(revision))
    }

    /// What may pass between registers and the pads of a port.
    #[must_use]
    pub fn delay(&self, port: &str) -> Option<&Delay> {
        self.delays.iter().find(|delay| delay.is_for(port))
    }
}

/// Reads a `board.toml`.
///
/// # Errors
/// A [`Diagnostic`] at the line and column.
pub fn parse(path: &Path, text: &str) -> Result<BoardFamily, Box<Diagnostic>> {
    raw::parse(path, text)
}

/// All families.
#[must_use]
pub fn families() -> Vec<BoardFamily> {
    FILES.iter().filter_map(|(path, text)| parse(Path::new(path), text).ok()).collect()
}

/// The model of that name, and its family.
#[must_use]
pub fn find(name: &str) -> Option<(BoardFamily, Model)> {
    families().into_iter().find_map(|family| {
        let model = family.models.iter().find(|model| model.name == name)?.clone();
        Some((family, model))
    })
}

/// Names of all models.
#[must_use]
pub fn names() -> Vec<String> {
    families().into_iter().flat_map(|family| family.models).map(|model| model.name).collect()
}

#[cfg(test)]
mod tests;
