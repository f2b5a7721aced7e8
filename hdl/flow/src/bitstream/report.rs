//! `report.json`, schema `kube-bitstream/v1`, its readable summary, and whether a kept one is of these
//! sources.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kube_boards::model::BoardFamily;
use serde::{Deserialize, Serialize};

use super::{BitstreamError, Inputs, Order};
use crate::environment::PACKAGES;
use crate::timing::Timing;
use crate::tool::ToolError;
use crate::verilog_folder;

/// Name of the form of a report.
pub const SCHEMA: &str = "kube-bitstream/v1";

/// Kinds of cells that are reported, and what they are called.
const CELLS: [(&str, &str); 7] = [
    ("TRELLIS_COMB", "logic_cells"),
    ("TRELLIS_FF", "flip_flops"),
    ("MULT18X18D", "dsp"),
    ("DP16KD", "block_rams"),
    ("TRELLIS_RAMW", "lut_rams"),
    ("EHXPLLL", "plls"),
    ("TRELLIS_IO", "pads"),
];

/// What is known of a bitstream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: String,
    /// Model of the board.
    pub board: String,
    /// Revision of the circuit board.
    pub revision: String,
    /// Part, package and speed grade.
    pub device: String,
    /// Name of the design.
    pub design: String,
    /// `git describe` of the sources.
    pub version: String,
    /// Build identity, eight hexadecimal digits.
    pub build: String,
    /// SHA-256 over all inputs.
    pub inputs_sha256: String,
    /// SHA-256 of each input.
    pub inputs: BTreeMap<String, String>,
    /// Versions of the tools.
    pub tools: BTreeMap<String, String>,
    /// Seed of the placer.
    pub seed: u32,
    /// Clocks by name.
    pub clocks: BTreeMap<String, ClockReport>,
    /// Look-up tables before packing.
    pub lut4: u64,
    /// Cells by kind: used and available.
    pub cells: BTreeMap<String, [u64; 2]>,
    /// What no constraint holds.
    pub unconstrained: Unconstrained,
    /// The longest delays at pads that have a limit.
    pub pads: BTreeMap<String, PadReport>,
    /// The longest path of the slowest clock, relative to what it has to be.
    pub critical_path: PathReport,
    /// SHA-256 of the bitstream.
    pub bitstream_sha256: String,
}

/// A clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockReport {
    /// Highest frequency in MHz.
    pub fmax_mhz: f64,
    /// What it has to be in MHz.
    pub wanted_mhz: f64,
}

/// What no constraint holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unconstrained {
    /// Clocks.
    pub clocks: Vec<String>,
    /// Pads without a delay in board.toml: LEDs, switches, the serial line.
    pub pads: Vec<String>,
}

/// The longest delays of a group of pads, in ns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PadReport {
    /// From the clock's edge to the pad, and the limit.
    pub output_ns: Option<[f64; 2]>,
    /// From the pad to a register, and the limit.
    pub input_ns: Option<[f64; 2]>,
}

/// The longest path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathReport {
    /// Clock of both registers.
    pub clock: String,
    /// Name of the register's output that it begins with.
    pub from: String,
    /// Cell that it ends in.
    pub to: String,
    /// Time in logic, in ns.
    pub logic_ns: f64,
    /// Time in wires, in ns.
    pub wires_ns: f64,
    /// Nets on the way.
    pub nets: Vec<String>,
}

impl Report {
    /// A report of what is known before place and route.
    #[must_use]
    pub(super) fn new(order: &Order, inputs: &Inputs, seed: u32, lut4: u64) -> Self {
        let tools = PACKAGES.iter().filter(|(name, ..)| name.starts_with("yowasp-"));
        Self {
            schema: SCHEMA.to_owned(),
            board: order.model.name.clone(),
            revision: order.revision.clone(),
            device: format!(
                "{}, {}, speed {}",
                order.model.part, order.family.package, order.family.speed_grade
            ),
            design: order.top.clone(),
            version: version(),
            build: format!("{:08x}", inputs.identity()),
            inputs_sha256: inputs.sha256(),
            inputs: inputs.sums(),
            tools: tools.map(|(name, version, _)| ((*name).into(), (*version).into())).collect(),
            seed,
            clocks: BTreeMap::new(),
            lut4,
            cells: BTreeMap::new(),
            unconstrained: Unconstrained::default(),
            pads: BTreeMap::new(),
            critical_path: PathReport::default(),
            bitstream_sha256: String::new(),
        }
    }

    /// Adds what place and route says.
    ///
    /// # Errors
    /// If a clock has no frequency, or a pad is too far from its register.
    pub(super) fn measure(
        &mut self,
        timing: &Timing<'_>,
        family: &BoardFamily,
    ) -> Result<(), BitstreamError> {
        let mut slowest = (f64::INFINITY, String::new());
        for clock in timing.clocks()? {
            let Some(wanted_mhz) = clock.wanted_mhz else {
                self.unconstrained.clocks.push(clock.name);
                continue;
            };
            let ratio = clock.fmax_mhz / wanted_mhz;
            // The board's own clock may drive a PLL and nothing else: then it has no path.
            if ratio < slowest.0 && timing.longest(Some(&clock.name)).is_ok() {
                slowest = (ratio, clock.name.clone());
            }
            let fmax_mhz = hundredths(clock.fmax_mhz);
            self.clocks.insert(clock.name, ClockReport { fmax_mhz, wanted_mhz });
        }
        if !self.unconstrained.clocks.is_empty() {
            let clocks = self.unconstrained.clocks.join(", ");
            return Err(BitstreamError::Unconstrained { clocks });
        }
        let path = timing.longest(Some(&slowest.1))?;
        self.critical_path = PathReport {
            clock: slowest.1,
            from: path.from,
            to: path.to,
            logic_ns: hundredths(path.logic_ns),
            wires_ns: hundredths(path.wires_ns),
            nets: path.nets,
        };
        for (kind, name) in CELLS {
            let cells = timing.cells(kind)?;
            self.cells.insert(name.to_owned(), [cells.used, cells.available]);
        }
        self.measure_pads(timing, family)
    }

    fn measure_pads(
        &mut self,
        timing: &Timing<'_>,
        family: &BoardFamily,
    ) -> Result<(), BitstreamError> {
        let mut late: Vec<(f64, String)> = Vec::new();
        for (name, pad) in timing.pads() {
            let port = name.split('[').next().unwrap_or(&name);
            let Some(limit) = family.delay(port) else {
                if port != family.clock {
                    self.unconstrained.pads.push(name);
                }
                continue;
            };
            let sides = [
                ("output", pad.output_ns, limit.output_ns),
                ("input", pad.input_ns, limit.input_ns),
            ];
            for (side, delay, most) in sides {
                if let Some(delay) = delay.filter(|delay| *delay > most) {
                    late.push((
                        delay - most,
                        format!("{name} as {side}: {delay:.2} ns, at most {most} ns"),
                    ));
                }
            }
            let group = limit.ports.join(" ");
            let entry =
                self.pads.entry(group).or_insert(PadReport { output_ns: None, input_ns: None });
            let longer = |place: &mut Option<[f64; 2]>, delay: Option<f64>, most: f64| {
                if let Some(delay) = delay {
                    let before = place.map_or(0.0, |[before, _]| before);
                    *place = Some([hundredths(before.max(delay)), most]);
                }
            };
            longer(&mut entry.output_ns, pad.output_ns, limit.output_ns);
            longer(&mut entry.input_ns, pad.input_ns, limit.input_ns);
        }
        late.sort_by(|a, b| b.0.total_cmp(&a.0));
        match late.first() {
            None => Ok(()),
            Some((_, worst)) => {
                Err(BitstreamError::Pads { count: late.len(), worst: worst.clone() })
            }
        }
    }

    /// The clock of the longest path: its frequency in MHz, and the one wanted.
    #[must_use]
    pub fn slowest(&self) -> Option<&ClockReport> {
        self.clocks.get(&self.critical_path.clock)
    }

    /// Cells of a kind, used and available.
    #[must_use]
    pub fn cells(&self, name: &str) -> [u64; 2] {
        self.cells.get(name).copied().unwrap_or_default()
    }

    /// Speed and size in a line.
    #[must_use]
    pub fn headline(&self) -> String {
        let clock = self.slowest().map_or(String::new(), |clock| {
            format!("{:.1} MHz ({:.1} wanted), ", clock.fmax_mhz, clock.wanted_mhz)
        });
        let [used, available] = self.cells("logic_cells");
        format!("{clock}{used} of {available} logic cells")
    }

    /// The texts at the start of the bitstream.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        vec![
            format!("Design: {}", self.design),
            format!("Version: {}", self.version),
            format!("Board: {} {}", self.board, self.revision),
            format!("Build: {}", self.build),
            format!("Seed: {}", self.seed),
        ]
    }

    /// The report as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The report for people.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = format!(
            "{} {} ({}), design {}, version {}, build {}, seed {}\n",
            self.board,
            self.revision,
            self.device,
            self.design,
            self.version,
            self.build,
            self.seed
        );
        for (name, clock) in &self.clocks {
            let margin = 100.0 * (clock.fmax_mhz / clock.wanted_mhz - 1.0);
            let _ = writeln!(
                text,
                "clock   {name}: {:.2} MHz reached, {:.2} wanted, margin {margin:.1} %",
                clock.fmax_mhz, clock.wanted_mhz
            );
        }
        let _ = writeln!(text, "cells   {} LUT4 before packing", self.lut4);
        for (name, [used, available]) in &self.cells {
            let share = 100.0 * *used as f64 / (*available).max(1) as f64;
            let name = name.replace('_', " ");
            let _ = writeln!(text, "        {name:<12} {used:>6} of {available:>6}, {share:.0} %");
        }
        for (group, pad) in &self.pads {
            let side = |name: &str, delay: Option<[f64; 2]>| {
                delay.map_or(String::new(), |[delay, most]| {
                    format!(" {name} {delay:.2} ns of {most} ns;")
                })
            };
            let sides = side("out", pad.output_ns) + &side("in", pad.input_ns);
            let _ = writeln!(text, "pads    {group}:{}", sides.trim_end_matches(';'));
        }
        let loose = &self.unconstrained.pads;
        let _ = writeln!(text, "        {} without a limit: {}", loose.len(), loose.join(" "));
        let path = &self.critical_path;
        let _ = writeln!(
            text,
            "longest path: {} to {}, logic {:.2} ns, wires {:.2} ns\n  over {}",
            path.from,
            path.to,
            path.logic_ns,
            path.wires_ns,
            path.nets[1.min(path.nets.len())..].join("\n       ")
        );
        text
    }

    /// Reads a report.
    ///
    /// # Errors
    /// If it cannot be read or is none.
    pub fn read(path: &Path) -> Result<Self, ToolError> {
        let text = fs::read_to_string(path).map_err(ToolError::file(path))?;
        let strange = |what: String| ToolError::Report { path: path.into(), what };
        let report: Self =
            serde_json::from_str(&text).map_err(|error| strange(format!("a report: {error}")))?;
        if report.schema == SCHEMA { Ok(report) } else { Err(strange(SCHEMA.to_owned())) }
    }
}

/// Where the report of a board is kept in the source tree.
#[must_use]
pub fn kept(board: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("reports").join(format!("{board}.json"))
}

/// Whether the kept report of an order is of these sources.
///
/// # Errors
/// If there is none; else names the inputs that have changed since.
pub fn check_kept(order: &Order, path: &Path) -> Result<Report, BitstreamError> {
    if !path.exists() {
        let board = order.model.name.clone();
        return Err(BitstreamError::Unkept { path: path.to_owned(), board });
    }
    let report = Report::read(path)?;
    let inputs = order.inputs()?;
    if report.inputs_sha256 == inputs.sha256() {
        return Ok(report);
    }
    let now = inputs.sums();
    let changed = now.iter().filter(|(name, sum)| report.inputs.get(*name) != Some(*sum));
    let gone = report.inputs.keys().filter(|name| !now.contains_key(*name));
    let differ = changed.map(|(name, _)| name.clone()).chain(gone.cloned()).collect();
    let board = order.model.name.clone();
    Err(BitstreamError::Stale { path: path.to_owned(), differ, board })
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// What git calls these sources.
fn version() -> String {
    let describe = Command::new("git")
        .args(["describe", "--always", "--dirty", "--tags"])
        .current_dir(verilog_folder())
        .output();
    match describe {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => format!("{}, no repository", env!("CARGO_PKG_VERSION")),
    }
}
