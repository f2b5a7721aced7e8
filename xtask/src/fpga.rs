//! `cargo xtask fpga`: the bare core on an FPGA, seed by seed.

use std::process::ExitCode;

use anyhow::Result;
use kube_flow::fit::{Fit, Netlist, SEEDS};
use kube_flow::{Environment, read, verilog_folder};
use serde_json::json;

/// Flags of `cargo xtask fpga`.
#[derive(clap::Args)]
pub struct Options {
    /// Seeds of the placer, half a minute of one core each.
    #[arg(long, value_delimiter = ',', default_values_t = SEEDS)]
    seeds: Vec<u32>,
    /// One JSON object a line, `kube-fpga/v1`.
    #[arg(long)]
    json: bool,
    /// Only read every exported top with yosys: no latches, no loops, no doubly driven wires.
    #[arg(long)]
    check: bool,
}

/// Places and routes the core of the exported machine.
///
/// # Errors
/// If the tools cannot be installed or one of them fails.
pub fn run(options: &Options) -> Result<ExitCode> {
    let tools = Environment::ready(|what| eprintln!("{what}"))?;
    if options.check {
        for top in read::tops()? {
            read::sound(&tools, &verilog_folder().join(&top), &top)?;
            eprintln!("{top}: sound");
        }
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("Synthesising the core");
    let netlist = Netlist::core(&tools)?;
    for seed in &options.seeds {
        eprintln!("Placing and routing, seed {seed}");
        let fit = netlist.fit(&tools, *seed)?;
        if options.json {
            println!("{}", as_json(&fit, netlist.lut4));
        } else {
            print(&fit, netlist.lut4);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print(fit: &Fit, lut4: u64) {
    let path = &fit.critical;
    println!(
        "seed {}: {:.2} MHz; {} logic cells, {lut4} LUT4, {} flip-flops, {} DSP, {} block RAM",
        fit.seed, fit.fmax_mhz, fit.comb, fit.flip_flops, fit.multipliers, fit.block_rams
    );
    println!(
        "  longest path: {} to {}, logic {:.2} ns, wires {:.2} ns, over {}",
        path.from,
        path.to,
        path.logic_ns,
        path.wires_ns,
        path.nets[1.min(path.nets.len())..].join(", ")
    );
}

fn as_json(fit: &Fit, lut4: u64) -> serde_json::Value {
    json!({
        "schema": "kube-fpga/v1",
        "device": "LFE5U-85F, CABGA381, speed 6",
        "seed": fit.seed,
        "fmax_mhz": fit.fmax_mhz,
        "comb": fit.comb,
        "lut4": lut4,
        "flip_flops": fit.flip_flops,
        "dsp": fit.multipliers,
        "block_rams": fit.block_rams,
        "longest_path": {
            "from": fit.critical.from,
            "to": fit.critical.to,
            "logic_ns": fit.critical.logic_ns,
            "wires_ns": fit.critical.wires_ns,
            "nets": fit.critical.nets,
        },
    })
}
