//! A small top goes the whole way to a bitstream, and what cannot be is refused in its own words.
#![allow(clippy::print_stdout, reason = "a test that says what it skips")]

use std::fs;
use std::path::{Path, PathBuf};

use kube_flow::Environment;
use kube_flow::bitstream::{BitstreamError, Made, Order, report};

/// The tools, or a word why the test is left out.
fn tools() -> Option<Environment> {
    Environment::ready(|_| {})
        .inspect_err(|error| println!("skipped: yosys is not to be had: {error}"))
        .ok()
}

/// A top of its own folder: a clock, LEDs, and `body`.
fn order(name: &str, ports: &str, body: &str) -> Order {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tops").join(name);
    fs::create_dir_all(&folder).expect("folder");
    let names: Vec<&str> = ports
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(';').split_whitespace().last())
        .collect();
    let text = format!(
        "module {name}({});\n{ports}\n  localparam build = 32'h0;\n{body}\nendmodule\n",
        names.join(", ")
    );
    fs::write(folder.join(format!("{name}.v")), text).expect("write");
    let order = Order::new("ulx3s-25f", Some("3.0")).expect("a board");
    Order { top: name.to_owned(), verilog: folder, ..order }
}

const PORTS: &str = "  input wire clk_25mhz;\n  output reg [7:0] led;\n  output reg sd_clk;";

fn make(order: Order, tools: &Environment) -> Result<Made, BitstreamError> {
    order.synthesise(tools, &mut |_| ())?.place(tools, 1, &mut |_| ())
}

fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("clear");
    }
    folder
}

#[test]
fn a_top_becomes_a_bitstream_with_its_report() {
    let Some(tools) = tools() else { return };
    let body = "reg [31:0] count = 0;\n\
        always @(posedge clk_25mhz) begin count <= count + 1; led <= build >> count[28:24];\n\
        sd_clk <= count[3]; end";
    let order = order("blinker", PORTS, body);
    let identity = order.inputs().expect("inputs").identity();
    let made = make(order, &tools).expect("a bitstream");
    let report = &made.report;
    assert_eq!((report.board.as_str(), report.revision.as_str()), ("ulx3s-25f", "3.0"));
    assert_eq!(report.build, format!("{identity:08x}"));
    assert_eq!((report.cells("pads"), report.cells("dsp")[0]), ([10, 197], 0));
    assert!(report.cells("flip_flops")[0] >= 32 && report.lut4 > 0, "{report:?}");
    let clock = report.slowest().expect("a clock");
    assert!(clock.wanted_mhz == 25.0 && clock.fmax_mhz > 50.0, "{clock:?}");
    assert_eq!(report.unconstrained.pads.len(), 8, "the LEDs have no limit");
    assert_eq!(report.pads.keys().collect::<Vec<_>>(), ["sd_*"]);
    let texts = format!("Board: ulx3s-25f 3.0\0Build: {:08x}\0Seed: 1\0", identity);
    let start = String::from_utf8_lossy(&made.bits[..256]).into_owned();
    assert!(start.contains("Design: blinker\0Version: ") && start.contains(&texts), "{start}");
    // The command that sets USERCODE, with a check behind it.
    let usercode = [&[0xC2, 0x80, 0, 0], &identity.to_be_bytes()[..]].concat();
    let found = made.bits.windows(8).any(|bytes| bytes == usercode);
    assert!(found, "the USERCODE is not the build identity");

    let folder = fresh("blinker-out");
    let path = made.write(&folder).expect("written");
    assert_eq!(fs::read(&path).expect("bits"), made.bits);
    let kept = folder.join("report.json");
    assert_eq!(report::Report::read(&kept).expect("report"), made.report);
    let names = fs::read_dir(&folder).expect("folder").count();
    assert_eq!(names, 3, "something else was left");
    // A changed source is noticed, and named.
    let other = self::order("blinker", PORTS, &body.replace("count[3]", "count[4]"));
    let Err(BitstreamError::Stale { differ, .. }) = report::check_kept(&other, &kept) else {
        panic!("a stale report counts");
    };
    assert_eq!(differ, ["blinker.v"]);
}

#[test]
fn what_is_too_slow_or_too_large_is_no_bitstream() {
    let Some(tools) = tools() else { return };
    let slow = "reg [17:0] a = 1, b = 3;\n\
        always @(posedge clk_25mhz) begin\n\
        a <= a + 5; b <= ((((((a * b + 1) * a + 2) * b + 3) * a + 4) * b + 5) * a + 6) * b;\n\
        led <= b >> 10; sd_clk <= a; end";
    let error = make(order("slow", PORTS, slow), &tools).expect_err("7 products in 40 ns");
    let BitstreamError::Timing { clocks, seed: 1, .. } = &error else { panic!("{error}") };
    assert!(clocks.len() == 1 && clocks[0].wanted_mhz == 25.0, "{clocks:?}");
    assert!(clocks[0].fmax_mhz < 25.0 && clocks[0].fmax_mhz > 5.0, "{clocks:?}");
    assert_eq!(error.to_string(), "ulx3s-25f misses its timing with seed 1");

    let large = "integer i; reg [17:0] x [0:39]; reg [35:0] y;\n\
        always @(posedge clk_25mhz) begin y = 0;\n\
        for (i = 0; i < 40; i = i + 1) begin x[i] <= {x[i], ^y} + i; y = y ^ x[i] * x[(i + 7) % 40]; end\n\
        led <= y; sd_clk <= y[9]; end";
    let error = make(order("large", PORTS, large), &tools).expect_err("40 multipliers of 28");
    let BitstreamError::Size { short, .. } = &error else { panic!("{error}") };
    let [(kind, wanted, 28)] = &short[..] else { panic!("{short:?}") };
    assert!(kind == "MULT18X18D" && *wanted > 28, "{short:?}");
    let cause = format!("MULT18X18D: {wanted} wanted, 28 there");
    assert_eq!(error.cause(), Some(cause));
}

#[test]
fn a_top_that_is_not_for_the_board_is_refused_before_synthesis() {
    let said = |ports: &str| order("odd", ports, "").inputs().expect_err("refused").to_string();
    let words = said("  input wire clk_25mhz;\n  output reg lamp;");
    assert!(words.contains("port lamp has no pin on ulx3s 3.0"), "{words}");
    let words = said("  input wire clk;");
    assert!(words.contains("port clk") || words.contains("no input clk_25mhz"), "{words}");
    let mut nameless = order("nameless", PORTS, "");
    let path = nameless.verilog.join("nameless.v");
    let text = fs::read_to_string(&path).expect("text").replace("localparam build", "localparam b");
    fs::write(&path, text).expect("write");
    let error = nameless.inputs().expect_err("no identity");
    assert!(matches!(error, BitstreamError::Identity { places: 0, .. }), "{error}");
    nameless.verilog = "/nowhere".into();
    assert!(matches!(nameless.inputs(), Err(BitstreamError::Top { .. })));
    let error = Order::new("ulx3s-86f", None).expect_err("no such board");
    assert!(error.is_usage() && error.remedy().starts_with("did you mean ulx3s-85f?"));
    let order = Order::new("ulx3s-85f", None).expect("a board");
    let error = report::check_kept(&order, &report::kept("nothing")).expect_err("no report");
    assert!(matches!(error, BitstreamError::Unkept { .. }), "{error}");
    assert_eq!(error.remedy(), "cargo xtask bitstream --board ulx3s-85f --record");
    assert!(matches!(Order::new("ulx3s-85f", Some("1.7")), Err(BitstreamError::Revision { .. })));
}

/// Whoever changes a source makes the reports again; place and route takes too long for a test.
#[test]
fn kept_reports_are_of_these_sources() {
    let folder = report::kept("x");
    let folder = folder.parent().expect("a folder");
    for entry in fs::read_dir(folder).expect("hdl/flow/reports") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let kept = report::Report::read(&path).expect("a report");
            let order = Order::new(&kept.board, Some(&kept.revision)).expect("a board");
            let said = |error: BitstreamError| {
                format!("{error}; {}; {}", error.cause().unwrap_or_default(), error.remedy())
            };
            report::check_kept(&order, &path).map_err(said).expect("fresh");
            for (name, clock) in &kept.clocks {
                assert!(clock.fmax_mhz >= clock.wanted_mhz, "{name} of {}", path.display());
            }
        }
    }
}
