//! Pins of a board: which site of the FPGA a port has, in which bank, and how it is driven.

use serde::Deserialize;

/// Direction of a port, seen from the FPGA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The board drives it.
    In,
    /// The FPGA drives it.
    Out,
    /// Either.
    Inout,
}

impl std::fmt::Display for Direction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::In => "input",
            Self::Out => "output",
            Self::Inout => "inout",
        })
    }
}

/// What holds a pin that nobody drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pull {
    /// Nothing.
    None,
    /// A resistor to the bank's supply.
    Up,
    /// A resistor to ground.
    Down,
}

/// How fast an output changes its level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Slew {
    /// With little noise.
    #[default]
    Slow,
    /// As fast as it can.
    Fast,
}

/// One pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Site of the package, as `B11`.
    pub site: String,
    /// Bank of that site.
    pub bank: u8,
    /// What holds it.
    pub pull: Pull,
    /// Connector and pin number, where it ends on one.
    pub place: Option<(String, usize)>,
}

/// A port that a top may have: one pin, or a vector of pins from bit 0 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name, the same in the top.
    pub name: String,
    /// Direction.
    pub direction: Direction,
    /// The only revision of the board that has it so; `None` for all.
    pub revision: Option<String>,
    /// Its pins.
    pub pins: Vec<Pin>,
    /// Current of an output in mA; `None` for inputs.
    pub drive_ma: Option<u8>,
    /// Slew rate of an output.
    pub slew: Slew,
    /// Electrical standard, as `LVCMOS33`.
    pub io_type: String,
}

impl Port {
    /// Whether a revision of the board has it.
    #[must_use]
    pub fn is_on(&self, revision: &str) -> bool {
        self.revision.as_ref().is_none_or(|only| only == revision)
    }
}

/// A header. Pin 1 is the first of the first row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connector {
    /// Name on the board.
    pub name: String,
    /// Rows of two pins: odd number, even number. Each a site, or a supply such as `3V3`.
    pub rows: Vec<[String; 2]>,
}

impl Connector {
    /// What a pin number, from 1, leads to.
    #[must_use]
    pub fn pin(&self, number: usize) -> Option<&str> {
        let index = number.checked_sub(1)?;
        self.rows.get(index / 2).map(|row| row[index % 2].as_str())
    }
}

/// Delays outside the FPGA's registers that a set of ports can bear.
#[derive(Clone, Debug, PartialEq)]
pub struct Delay {
    /// Names of ports; `*` at the end stands for any rest.
    pub ports: Vec<String>,
    /// From the clock's edge to the pad, at most, in ns.
    pub output_ns: f64,
    /// From the pad to a register, at most, in ns.
    pub input_ns: f64,
}

impl Delay {
    /// Whether it is said for a port.
    #[must_use]
    pub fn is_for(&self, port: &str) -> bool {
        self.ports.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => port.starts_with(start),
            None => pattern == port,
        })
    }
}
