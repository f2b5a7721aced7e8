//! `cargo xtask bitstream`: the bitstream of a board.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use kube_flow::Environment;
use kube_flow::bitstream::{BitstreamError, Order, report};
use kube_flow::environment::target_folder;
use kube_flow::tool::ToolError;

/// Flags of `bitstream`.
#[derive(clap::Args)]
pub struct Options {
    /// Model of the board: ulx3s-12f, -25f, -45f or -85f.
    #[arg(long, value_name = "MODEL")]
    board: String,
    /// Revision of the circuit board, as printed on it; without it the newest.
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
    /// The top that shows the framebuffer on the board's HDMI connector.
    #[arg(long, conflicts_with_all = ["top", "record", "check"])]
    hdmi: bool,
    /// Seed of the placer.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Folder for bitstream, report.json and summary.txt; without it one in cargo's target folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Another top than the board's own.
    #[arg(long, value_name = "MODULE", requires = "verilog")]
    top: Option<String>,
    /// Folder of the top's Verilog.
    #[arg(long, value_name = "FOLDER", requires = "top")]
    verilog: Option<PathBuf>,
    /// Keep the report in the source tree, where the tests compare it with the sources.
    #[arg(long, conflicts_with = "top")]
    record: bool,
    /// Only say whether the kept report is of these sources.
    #[arg(long, conflicts_with_all = ["record", "out", "top", "seed"])]
    check: bool,
    /// The report on stdout, schema `kube-bitstream/v1`, instead of the summary.
    #[arg(long)]
    json: bool,
}

/// Makes the bitstream.
pub fn run(options: &Options) -> ExitCode {
    match made(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(cause) = error.cause() {
                eprintln!("  cause: {cause}");
            }
            eprintln!("  help: {}", error.remedy());
            if error.is_usage() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

fn made(options: &Options) -> Result<(), BitstreamError> {
    let mut order = Order::new(&options.board, options.revision.as_deref())?;
    if let (Some(top), Some(verilog)) = (&options.top, &options.verilog) {
        (order.top, order.verilog) = (top.clone(), verilog.clone());
    }
    if options.hdmi {
        order.top.push_str("_hdmi");
    }
    let board = order.model.name.clone();
    if options.check {
        let report = report::check_kept(&order, &report::kept(&board))?;
        print!("{}", if options.json { report.to_json() } else { report.summary() });
        return Ok(());
    }
    let picture = if options.hdmi { "-hdmi" } else { "" };
    let name = format!("{board}-{}{picture}", order.revision);
    let start = Instant::now();
    let mut say = |line: &str| eprintln!("{:>5} s  {line}", start.elapsed().as_secs());
    // What cannot be is said before anything is installed or synthesised.
    order.inputs()?;
    let tools = Environment::ready(|what| eprintln!("{what}"))?;
    let synthesised = order.synthesise(&tools, &mut say)?;
    let made = synthesised.place(&tools, options.seed, &mut say)?;
    let folder =
        options.out.clone().unwrap_or_else(|| target_folder().join("bitstream").join(&name));
    let path = made.write(&folder)?;
    say(&format!("Bitstream done: {}, {} bytes", path.display(), made.bits.len()));
    if options.record {
        let kept = report::kept(&board);
        write_whole(&kept, &made.report.to_json())?;
        say(&format!("Record done: {}", kept.display()));
    }
    let report = &made.report;
    print!("{}", if options.json { report.to_json() } else { report.summary() });
    Ok(())
}

/// Writes a file under another name, then renames it.
fn write_whole(path: &std::path::Path, text: &str) -> Result<(), ToolError> {
    let failed = |cause| ToolError::File { path: path.to_owned(), cause };
    let beside = path.with_extension("new");
    std::fs::write(&beside, text).map_err(failed)?;
    std::fs::rename(&beside, path).map_err(failed)
}
