//! What runs on a board, as it says itself.

use kube_serial::Job;
use risc5_isa::extension::feature;
use serde_json::json;

use super::LineFlags;
use super::codes;
use super::desk::Desk;
use super::run::judge;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// The board's command that says it.
const COMMAND: &str = "System.Machine";
/// What it says where the circuit has no additions: `compat`, or another's.
const PLAIN: &str = "no extension registers";

/// The extension registers that tell machines apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Circuit {
    version: u32,
    build: u32,
    features: u32,
    clock_hz: u32,
}

impl Circuit {
    /// From the line `machine 1, build 0000002AH, features 0000001FH, 25000000 Hz`.
    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.strip_prefix("machine ")?.split(", ");
        let mut part = |before: &str, behind: &str| {
            parts.next()?.strip_prefix(before)?.strip_suffix(behind).map(str::trim)
        };
        let hex = |text: &str| u32::from_str_radix(text, 16).ok();
        Some(Self {
            version: part("", "")?.parse().ok()?,
            build: hex(part("build", "H")?)?,
            features: hex(part("features", "H")?)?,
            clock_hz: part("", " Hz")?.parse().ok()?,
        })
    }

    fn features(self) -> Vec<&'static str> {
        let named = feature::NAMES.iter().filter(|(bit, _)| self.features & bit != 0);
        named.map(|(_, name)| *name).collect()
    }
}

/// Asks a board what it is.
pub fn run(session: &Session, flags: &LineFlags) -> Outcome {
    let job =
        Job::command(COMMAND).map_err(|error| Failure::new(&codes::COMMAND, error.to_string()))?;
    let mut desk = Desk::open(session, flags)?;
    let ended = desk.job(job, |_| ());
    desk.free();
    let ended = ended?;
    judge(session, &desk, COMMAND, &ended)?;
    let circuit = ended.lines.iter().find_map(|line| Circuit::parse(line));
    if circuit.is_none() && !ended.lines.iter().any(|line| line == PLAIN) {
        let label = &desk.place.label;
        return Err(Failure::new(&codes::ANSWER, format!("{label} did not say what it is"))
            .cause(ended.lines.join(" / "))
            .help(
                "its system and this tool are of different versions: kube-flash writes this one",
            ));
    }
    let boot = desk.boot();
    if session.output.structured() {
        let fields = json!({
            "board": desk.place.label,
            "boot": boot,
            "circuit": circuit.map(|circuit| json!({
                "version": circuit.version,
                "build": format!("{:08X}H", circuit.build),
                "clock_hz": circuit.clock_hz,
                "features": circuit.features(),
            })),
        });
        return session.output.object("info", fields);
    }
    let line = |name: &str, value: String| session.output.line(&format!("{name:<12} {value}"));
    line("board", desk.place.label.clone())?;
    line("boot number", boot.map_or_else(|| "unknown".to_owned(), |boot| boot.to_string()))?;
    let Some(circuit) = circuit else {
        return line("circuit", "compatible: without extension registers".to_owned());
    };
    line("circuit", format!("Kubestation, extension registers version {}", circuit.version))?;
    line("build", format!("{:08X}H", circuit.build))?;
    line("clock", format!("{} Hz", circuit.clock_hz))?;
    line("features", circuit.features().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_machine_is_read_whole_or_not_at_all() {
        let line = "machine 1, build 0B01D0AFH, features 0000001FH, 25000000 Hz";
        let build = 0x0B01_D0AF;
        let circuit = Circuit { version: 1, build, features: 31, clock_hz: 25_000_000 };
        assert_eq!(Circuit::parse(line), Some(circuit));
        let spaced = "machine 1, build 0B01D0AFH, features  0000001FH, 25000000 Hz";
        assert_eq!(Circuit::parse(spaced), Some(circuit));
        for end in 0..line.len() {
            assert_eq!(Circuit::parse(&line[..end]), None, "{}", &line[..end]);
        }
    }
}
