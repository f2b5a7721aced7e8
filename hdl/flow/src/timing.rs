//! What nextpnr's report says: clocks, the longest paths, cells used, delays at the pads.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::tool::ToolError;

/// Clock that nextpnr assumes where nothing is said, in MHz.
const ASSUMED_MHZ: f64 = 12.0;

/// A clock of the circuit.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// Name of its net.
    pub name: String,
    /// Highest frequency in MHz.
    pub fmax_mhz: f64,
    /// Frequency that it will have, in MHz; `None` where nobody has said it.
    pub wanted_mhz: Option<f64>,
}

/// The longest path between two registers.
#[derive(Clone, Debug, PartialEq)]
pub struct LongestPath {
    /// Name of the register's output that it begins with.
    pub from: String,
    /// Cell that it ends in.
    pub to: String,
    /// Time in logic, clock-to-output and setup included, in ns.
    pub logic_ns: f64,
    /// Time in wires, in ns.
    pub wires_ns: f64,
    /// Nets on the way, from the first to the last; those of one origin in a row stand once.
    pub nets: Vec<String>,
}

/// Cells of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// Taken by the circuit.
    pub used: u64,
    /// On the die.
    pub available: u64,
}

/// Delays between a pad and the registers behind it, in ns; `None` where there is no such path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pad {
    /// From the pad to a register, the longest.
    pub input_ns: Option<f64>,
    /// From the edge of the clock to the pad, the longest.
    pub output_ns: Option<f64>,
}

/// A report of nextpnr.
#[derive(Clone, Debug)]
pub struct Timing<'a> {
    report: &'a Value,
    path: &'a Path,
}

impl<'a> Timing<'a> {
    /// A report that was read from `path`.
    #[must_use]
    pub const fn new(report: &'a Value, path: &'a Path) -> Self {
        Self { report, path }
    }

    fn missing(&self, what: &str) -> ToolError {
        ToolError::Report { path: self.path.into(), what: what.into() }
    }

    /// The clocks, by name.
    ///
    /// # Errors
    /// If the report names none.
    pub fn clocks(&self) -> Result<Vec<Clock>, ToolError> {
        let clocks = self.report["fmax"].as_object().ok_or_else(|| self.missing("fmax"))?;
        let clock = |(name, values): (&String, &Value)| {
            let fmax_mhz = values["achieved"].as_f64()?;
            let said = values["constraint"].as_f64();
            let wanted_mhz = said.filter(|mhz| (mhz - ASSUMED_MHZ).abs() > 1e-3);
            Some(Clock { name: name.clone(), fmax_mhz, wanted_mhz })
        };
        let found: Vec<Clock> = clocks.iter().filter_map(clock).collect();
        if found.is_empty() { Err(self.missing("an achieved clock")) } else { Ok(found) }
    }

    /// The longest path between registers of one clock, or of any.
    ///
    /// # Errors
    /// If there is none.
    pub fn longest(&self, clock: Option<&str>) -> Result<LongestPath, ToolError> {
        let paths = self.report["critical_paths"].as_array().map(Vec::as_slice).unwrap_or_default();
        let inside = |path: &&Value| {
            ["from", "to"].iter().all(|end| {
                let edge = path[*end].as_str().unwrap_or_default();
                let name = edge.strip_prefix("posedge ");
                match clock {
                    Some(clock) => name == Some(clock),
                    None => edge.starts_with("posedge"),
                }
            })
        };
        let longest = paths.iter().find(inside).ok_or_else(|| self.missing("a critical path"))?;
        Ok(LongestPath::new(longest))
    }

    /// Cells of a kind, such as `TRELLIS_FF`.
    ///
    /// # Errors
    /// If the report does not know the kind.
    pub fn cells(&self, kind: &str) -> Result<Cells, ToolError> {
        let entry = &self.report["utilization"][kind];
        let number = |key: &str| {
            entry[key].as_u64().ok_or_else(|| self.missing(&format!("utilization.{kind}.{key}")))
        };
        Ok(Cells { used: number("used")?, available: number("available")? })
    }

    /// Delays at the pads, by port; only in a report with detailed timing.
    #[must_use]
    pub fn pads(&self) -> BTreeMap<String, Pad> {
        const PAD: &str = "$tr_io";
        let mut pads: BTreeMap<String, Pad> = BTreeMap::new();
        let nets = self.report["detailed_net_timings"].as_array();
        for net in nets.map(Vec::as_slice).unwrap_or_default() {
            let driver = net["driver"].as_str().and_then(|cell| cell.strip_suffix(PAD));
            for end in net["endpoints"].as_array().map(Vec::as_slice).unwrap_or_default() {
                let delays = end["delay"].as_array().map(Vec::as_slice).unwrap_or_default();
                let Some(delay) = delays.iter().filter_map(Value::as_f64).reduce(f64::max) else {
                    continue;
                };
                let longer = |place: &mut Option<f64>| {
                    *place = Some(place.map_or(delay, |before| before.max(delay)));
                };
                let cell = end["cell"].as_str().and_then(|cell| cell.strip_suffix(PAD));
                // From one pad to another there is no register, so no edge to count from.
                match (driver, cell) {
                    (Some(port), None) => {
                        longer(&mut pads.entry(port.into()).or_default().input_ns)
                    }
                    (None, Some(port)) if net["event"] != "<async>" => {
                        longer(&mut pads.entry(port.into()).or_default().output_ns);
                    }
                    _ => {}
                }
            }
        }
        pads
    }
}

impl LongestPath {
    fn new(path: &Value) -> Self {
        let steps = path["path"].as_array().map(Vec::as_slice).unwrap_or_default();
        let sum = |wire: bool| {
            let of_kind = steps.iter().filter(|step| (step["type"] == "routing") == wire);
            of_kind.filter_map(|step| step["delay"].as_f64()).sum()
        };
        let mut nets: Vec<String> = steps
            .iter()
            .filter_map(|step| step["net"].as_str())
            .map(|net| net.split("_LUT4").next().unwrap_or(net).to_owned())
            .collect();
        nets.dedup();
        let last = steps.last().and_then(|step| step["to"]["cell"].as_str());
        Self {
            from: nets.first().cloned().unwrap_or_default(),
            to: last.unwrap_or_default().to_owned(),
            logic_ns: sum(false),
            wires_ns: sum(true),
            nets,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn clocks_without_a_frequency_are_known() {
        let report = json!({ "fmax": {
            "cpu": { "achieved": 81.5, "constraint": 75.0 },
            "loose": { "achieved": 300.0, "constraint": 12.0 },
        }});
        let clocks = Timing::new(&report, Path::new("r")).clocks().expect("clocks");
        assert_eq!(clocks[0].wanted_mhz, Some(75.0));
        assert_eq!((clocks[1].name.as_str(), clocks[1].wanted_mhz), ("loose", None));
    }

    #[test]
    fn pads_have_their_longest_delay() {
        let net = |driver: &str, event: &str, cell: &str, delay: f64| {
            json!({ "driver": driver, "event": event, "endpoints": [
                { "cell": cell, "delay": [delay - 0.5, delay], "event": "posedge c" } ] })
        };
        let report = json!({ "detailed_net_timings": [
            net("d[0]$tr_io", "<async>", "x", 1.5),
            net("d[0]$tr_io", "<async>", "y", 2.5),
            net("q", "posedge c", "d[0]$tr_io", 6.0),
            net("a$tr_io", "<async>", "b$tr_io", 3.0),
        ]});
        let pads = Timing::new(&report, Path::new("r")).pads();
        let want = Pad { input_ns: Some(2.5), output_ns: Some(6.0) };
        assert_eq!(pads, BTreeMap::from([("d[0]".to_owned(), want)]));
    }
}
