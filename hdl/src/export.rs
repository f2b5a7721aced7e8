//! Writes a circuit as readable, stable Verilog: one module a file.
//!
//! rust-hdl prints one text in which every instance has a module of its own and every kernel is one
//! `always` block. This pass keeps the statements and changes their arrangement:
//!
//! - equal modules become one, named after their cell or their instance;
//! - a kernel is cut into the smallest `always` blocks: statements stay together, in order, where they
//!   write the same signal. Simulators then see no false loops through a block. This is the same circuit,
//!   because the export refuses kernels that read what they write later;
//! - clocks are connected without a variable in between;
//! - constant indices and slices are written `[7]` and `[31:16]`;
//! - each file has a header, `default_nettype none` at its start and `wire` at its end.
//!
//! No circuit with a finding of [`crate::lint`] is exported.

use std::collections::BTreeMap;

use risc5_isa::map;
use rust_hdl::prelude::*;

use crate::io::Parameters;
use crate::lint::lint;
use crate::soc::{Caches, Sim, ULX3S_CLOCK_HZ, Ulx3s, Ulx3sHdmi, UnknownCaches, every_size, sized};

/// A circuit that can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Top {
    /// Our machine for the simulator.
    Sim,
    /// The reference machine for the simulator.
    SimCompat,
    /// The ULX3S board, and beside it `ulx3s_hdmi`, the top with a picture.
    Ulx3s,
}

impl Top {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sim, Self::SimCompat, Self::Ulx3s];

    /// Name of the top module and of the folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::SimCompat => "sim_compat",
            Self::Ulx3s => "ulx3s",
        }
    }
}

/// Why a circuit is not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The lint found expressions that mean something else in Verilog.
    #[error("{} expressions change their meaning in Verilog; split them:\n{}", .0.len(), .0.join("\n"))]
    Lint(Vec<String>),
    /// rust-hdl's own checks failed: open or doubly driven signals, loops, latches.
    #[error("the circuit is not sound: {0}; see the named signals")]
    Unsound(String),
    /// The PLL cannot make the clock.
    #[error("the PLL cannot make {hz} Hz out of 25 MHz; take 75, 80, 85, 90, 95 or 100 MHz")]
    Clock {
        /// Clock that was asked for.
        hz: u32,
    },
    /// There is no top with these caches.
    #[error(transparent)]
    Caches(#[from] UnknownCaches),
    /// The PROM's modules do not compile.
    #[error("the PROM has no contents: {0}")]
    Prom(#[from] kube_modules::BuildError),
    /// The boot program does not fit.
    #[error("the boot program has {words} words and the PROM {room}; shorten BootLoad.Mod")]
    PromTooSmall {
        /// Words of the boot program.
        words: usize,
        /// Words of the PROM.
        room: usize,
    },
}

/// One file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogFile {
    /// File name, `module.v`.
    pub name: String,
    /// Contents.
    pub text: String,
}

/// Exports a circuit with the boot program in its PROM.
///
/// # Errors
/// If the circuit is refused or the PROM cannot be filled.
pub fn export(top: Top) -> Result<Vec<VerilogFile>, ExportError> {
    match top {
        Top::Sim => {
            let prom = prom(map::PROM_WORDS)?;
            files(top.name(), Sim::<11>::new(&Parameters::default(), &prom))
        }
        Top::SimCompat => {
            let prom = prom(map::PROM_WORDS_COMPAT)?;
            files(top.name(), Sim::<9>::new(&Parameters::compat(), &prom))
        }
        Top::Ulx3s => {
            let picture = <sized!(Ulx3sHdmi, Caches::BOARD)>::new(
                &board_parameters(),
                &prom(map::PROM_WORDS)?,
            );
            let picture = files("ulx3s_hdmi", picture.ok_or_else(no_clock)?)?;
            beside(export_ulx3s(Caches::BOARD)?, picture)
        }
    }
}

/// Exports the ULX3S's top, without its picture, with caches of one of [`Caches::ALL`].
///
/// # Errors
/// As [`export`], and if there is no top of these sizes.
pub fn export_ulx3s(caches: Caches) -> Result<Vec<VerilogFile>, ExportError> {
    let prom = prom(map::PROM_WORDS)?;
    macro_rules! choose {
        ($(($instructions:literal, $data:literal))*) => {
            match (caches.instructions_kb, caches.data_kb) {
                $(($instructions, $data) => {
                    const SIZE: Caches = Caches::new($instructions, $data);
                    let top = <sized!(Ulx3s, SIZE)>::new(&board_parameters(), &prom);
                    files(Top::Ulx3s.name(), top.ok_or_else(no_clock)?)?
                })*
                _ => return Err(UnknownCaches(caches.to_string()).into()),
            }
        };
    }
    let mut files = every_size! { choose };
    if caches != Caches::BOARD {
        for file in &mut files {
            let again = format!("--top ulx3s --caches {caches}\n");
            file.text = file.text.replacen("--top ulx3s\n", &again, 1);
        }
    }
    Ok(files)
}

/// The boot program, if it fits.
fn prom(room: usize) -> Result<Vec<u32>, ExportError> {
    let prom = kube_modules::build()?.prom;
    let words = prom.len();
    if words > room { Err(ExportError::PromTooSmall { words, room }) } else { Ok(prom) }
}

fn board_parameters() -> Parameters {
    Parameters { clock_hz: ULX3S_CLOCK_HZ, ..Parameters::default() }
}

fn no_clock() -> ExportError {
    ExportError::Clock { hz: ULX3S_CLOCK_HZ }
}

/// Adds what a second top needs beyond the modules of the first.
fn beside(
    mut first: Vec<VerilogFile>,
    second: Vec<VerilogFile>,
) -> Result<Vec<VerilogFile>, ExportError> {
    fn body(file: &VerilogFile) -> Option<&str> {
        file.text.split_once("`default_nettype").map(|(_, body)| body)
    }
    for mut file in second {
        match first.iter().find(|other| other.name == file.name) {
            Some(other) if body(other) == body(&file) => {}
            Some(other) => {
                let what = format!("two modules want to be {}", other.name);
                return Err(ExportError::Unsound(what));
            }
            None => {
                file.text = file.text.replace("--top ulx3s-hdmi", "--top ulx3s");
                first.push(file);
            }
        }
    }
    first.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(first)
}

/// Exports any circuit under a name.
///
/// # Errors
/// If the circuit is refused.
pub fn files<B: Block>(name: &str, mut circuit: B) -> Result<Vec<VerilogFile>, ExportError> {
    circuit.connect_all();
    let findings = lint(&circuit);
    if !findings.is_empty() {
        return Err(ExportError::Lint(findings));
    }
    check_all(&circuit).map_err(|error| ExportError::Unsound(format!("{error:?}")))?;
    let modules = parse(&generate_verilog_unchecked(&circuit));
    Ok(arrange(name, modules))
}

/// A module as rust-hdl printed it.
struct Module {
    /// `top`, `top$core`, `top$core$alu` ...
    path: String,
    ports: String,
    body: Vec<String>,
}

fn parse(text: &str) -> Vec<Module> {
    let mut modules = Vec::new();
    let mut open: Option<Module> = None;
    for line in text.lines() {
        let line = line.trim_end();
        if let Some(head) = line.trim_start().strip_prefix("module ") {
            let (path, ports) = head.split_once('(').unwrap_or((head, ""));
            let ports = ports.trim_end_matches(");").replace(',', ", ");
            open = Some(Module { path: path.trim().into(), ports, body: Vec::new() });
        } else if line.trim_start().starts_with("endmodule") {
            modules.extend(open.take());
        } else if let Some(module) = &mut open {
            module.body.push(line.strip_prefix("    ").unwrap_or(line).replace("    ", "  "));
        }
    }
    modules
}

/// Names, merges and prints the modules, innermost first.
fn arrange(top: &str, mut modules: Vec<Module>) -> Vec<VerilogFile> {
    modules.sort_by_key(|module| std::cmp::Reverse(module.path.matches('$').count()));
    // Path in rust-hdl's text to name in ours, and name to text.
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for module in &modules {
        let body = body(module, &names);
        let name = if module.path == "top" {
            top.to_owned()
        } else {
            choose(&module.path, &module.body, &module.ports, &body, &texts)
        };
        texts.entry(name.clone()).or_insert_with(|| content(&module.ports, &body));
        names.insert(module.path.clone(), name);
    }
    let file = |(name, text): (String, String)| VerilogFile {
        text: format!(
            "// {name}: made from the Rust HDL sources in hdl/src (kube-hdl {}) by\n\
             //   cargo run -p kube-hdl -- export --top {}\n\
             // Do not edit.\n`default_nettype none\n\nmodule {name}({text}endmodule\n\n\
             `default_nettype wire\n",
            env!("CARGO_PKG_VERSION"),
            top.replace('_', "-"),
        ),
        name: format!("{name}.v"),
    };
    texts.into_iter().map(file).collect()
}

fn content(ports: &str, body: &str) -> String {
    format!("{ports});\n{body}")
}

/// The shortest name that is free or stands for the same text already.
fn choose(
    path: &str,
    raw: &[String],
    ports: &str,
    body: &str,
    texts: &BTreeMap<String, String>,
) -> String {
    let wanted = content(ports, body);
    let fits = |name: &str| texts.get(name).is_none_or(|text| *text == wanted);
    let cell = raw.iter().find_map(|line| line.trim().strip_prefix("// cell: "));
    let parts: Vec<&str> = path.split('$').skip(1).collect();
    let by_path = (1..=parts.len()).map(|count| parts[parts.len() - count..].join("_"));
    cell.map(str::to_owned).into_iter().chain(by_path).find(|name| fits(name)).unwrap_or_else(
        || {
            // Different circuits under one full path cannot be; keep the text's own name.
            path.to_owned()
        },
    )
}

fn body(module: &Module, names: &BTreeMap<String, String>) -> String {
    let mut lines = Vec::new();
    let mut kernel: Option<Vec<String>> = None;
    for line in &module.body {
        let text = line.trim();
        if let Some(statements) = &mut kernel {
            // The kernel's own end stands at the margin.
            if line.trim_end() == "end" {
                lines.extend(split(statements));
                kernel = None;
            } else {
                statements.push(line.clone());
            }
        } else if text == "always @(*) begin" {
            kernel = Some(Vec::new());
        } else if !(text.is_empty() || text.starts_with("// Update code")) {
            lines.push(instance(line, names));
        }
    }
    wire_clocks(&mut lines);
    assigned_outputs(&mut lines);
    let mut out = String::new();
    for line in lines {
        if line.trim_start().starts_with("// ") && !line.trim_start().starts_with("// cell") {
            out.push('\n');
        }
        if !line.trim_start().starts_with("// cell") {
            out.push_str("  ");
            out.push_str(indices(&line).trim_end());
            out.push('\n');
        }
    }
    out
}

/// Connects clocks straight to where they come from; through a variable they would be gated clocks to a
/// simulator.
fn wire_clocks(lines: &mut Vec<String>) {
    const PORTS: [&str; 5] = ["clock", "clock_in", "shifted", "pixel_clock", "bit_clock"];
    let wired = |line: &String| -> Option<(String, String)> {
        let (name, source) = line.strip_prefix("always @(*) ")?.split_once(" = ")?;
        let (_, port) = name.rsplit_once('$')?;
        PORTS.contains(&port).then(|| (name.to_owned(), source.trim_end_matches(';').to_owned()))
    };
    let stubs: Vec<(String, String)> = lines.iter().filter_map(wired).collect();
    let declares = |line: &String| {
        let rest = line.strip_prefix("reg ").and_then(|rest| rest.strip_suffix(';'));
        rest.is_some_and(|rest| stubs.iter().any(|(stub, _)| rest == stub))
    };
    lines.retain(|line| wired(line).is_none() && !declares(line));
    for line in lines {
        for (stub, source) in &stubs {
            let port = stub.rsplit('$').next().unwrap_or(stub);
            if line.trim_start().starts_with(&format!(".{port}({stub})")) {
                *line = line.replace(stub, source);
            }
        }
    }
}

/// An output that a cell drives by `assign` is a wire.
fn assigned_outputs(lines: &mut [String]) {
    let name = |line: &String| -> Option<String> {
        Some(line.trim().strip_prefix("assign ")?.split_once(" = ")?.0.to_owned())
    };
    let names: Vec<String> = lines.iter().filter_map(name).collect();
    for line in lines {
        let declared = line.strip_prefix("output reg ").and_then(|rest| rest.strip_suffix(';'));
        let is_assigned =
            |rest: &str| names.iter().any(|name| rest.split(' ').next_back() == Some(name));
        if declared.is_some_and(is_assigned) {
            *line = line.replacen("output reg ", "output wire ", 1);
        }
    }
}

/// Puts the module's final name into the head of an instance, and tidies declarations.
fn instance(line: &str, names: &BTreeMap<String, String>) -> String {
    let text = line.trim_start();
    if let Some((kind, rest)) = text.split_once(' ')
        && let Some(name) = names.get(kind)
    {
        return format!("{name} u_{rest}");
    }
    let declaration = ["input wire", "output reg", "output wire", "localparam", "reg", "wire"];
    match declaration.iter().find(|word| text.starts_with(&format!("{word}  "))) {
        Some(word) => format!("{word} {}", text[word.len()..].trim_start()),
        None => line.to_owned(),
    }
}

/// Cuts a kernel into blocks that share no written signal.
fn split(lines: &[String]) -> Vec<String> {
    let mut chunks: Vec<Vec<&str>> = Vec::new();
    let mut depth = 0_usize;
    for line in lines {
        let text = line.trim();
        let goes_on = depth > 0 || text.starts_with("else");
        match chunks.last_mut() {
            Some(chunk) if goes_on => chunk.push(line),
            _ => chunks.push(vec![line]),
        }
        if text.ends_with("begin") {
            depth += 1;
        } else if text == "end" {
            depth = depth.saturating_sub(1);
        }
    }
    // Groups of chunks, by what they write; a chunk that writes into several groups joins them.
    let mut groups: Vec<(Vec<usize>, Vec<&str>)> = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let writes: Vec<&str> = chunk.iter().filter_map(|line| target(line)).collect();
        let mut joined = (vec![index], writes);
        let mut rest = Vec::new();
        for group in groups {
            if group.1.iter().any(|name| joined.1.contains(name)) {
                joined.0.splice(0..0, group.0);
                joined.1.extend(group.1);
            } else {
                rest.push(group);
            }
        }
        joined.0.sort_unstable();
        groups = rest;
        groups.push(joined);
    }
    groups.sort_by_key(|group| group.0[0]);
    let mut out = vec!["// Logic".to_owned()];
    for (members, _) in groups {
        if let [only] = members[..]
            && let [line] = chunks[only][..]
        {
            out.push(format!("always @(*) {}", line.trim()));
            continue;
        }
        out.push("always @(*) begin".into());
        out.extend(members.iter().flat_map(|index| &chunks[*index]).map(|line| (*line).to_owned()));
        out.push("end".into());
    }
    out
}

/// The signal that a line assigns to.
fn target(line: &str) -> Option<&str> {
    let (left, _) = line.trim().strip_suffix(';')?.split_once(" = ")?;
    Some(left.split('[').next().unwrap_or(left))
}

/// `x[32'h7]` to `x[7]`, `x[(32'h10)+:(16)]` to `x[31:16]`.
fn indices(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('[') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let Some(end) = from.find(']') else { break };
        let inside = &from[1..end];
        let number = |text: &str| {
            let digits = text.strip_prefix("32'h").or_else(|| text.strip_prefix("64'h"))?;
            usize::from_str_radix(digits, 16).ok()
        };
        let slice =
            inside.strip_prefix('(').and_then(|text| text.strip_suffix(')')).and_then(|text| {
                let (low, width) = text.split_once(")+:(")?;
                Some((number(low)?, width.parse::<usize>().ok()?))
            });
        match (number(inside), slice) {
            (Some(bit), _) => out.push_str(&format!("[{bit}]")),
            (_, Some((low, 1))) => out.push_str(&format!("[{low}]")),
            (_, Some((low, width))) => out.push_str(&format!("[{}:{low}]", low + width - 1)),
            _ => out.push_str(&from[..=end]),
        }
        rest = &from[end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_fall_into_blocks_by_what_they_write() {
        let kernel: Vec<String> = [
            "  a = x;",
            "  b = y;",
            "  if (a) begin",
            "    b = z;",
            "  end",
            "  else begin",
            "    c = z;",
            "  end",
            "  c = w;",
        ]
        .map(String::from)
        .to_vec();
        let want = [
            "// Logic",
            "always @(*) a = x;",
            "always @(*) begin",
            "  b = y;",
            "  if (a) begin",
            "    b = z;",
            "  end",
            "  else begin",
            "    c = z;",
            "  end",
            "  c = w;",
            "end",
        ];
        assert_eq!(split(&kernel), want);
    }

    #[test]
    fn constant_indices_are_plain() {
        assert_eq!(indices("a[32'h7] | b[(32'h10)+:(16)]"), "a[7] | b[31:16]");
        assert_eq!(indices("q[(32'h1f)+:(1)] = mem[addr];"), "q[31] = mem[addr];");
    }
}
