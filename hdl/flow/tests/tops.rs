//! yosys reads every exported top, and finds what is planted.
#![allow(clippy::print_stdout, reason = "a test that says what it skips")]

use std::fs;

use kube_flow::{Environment, read, verilog_folder};

/// The tools, or a word why the test is left out.
fn tools() -> Option<Environment> {
    Environment::ready(|_| {})
        .inspect_err(|error| println!("skipped: yosys is not to be had: {error}"))
        .ok()
}

#[test]
fn every_top_is_sound() {
    let Some(tools) = tools() else { return };
    let tops = read::tops().expect("hdl/verilog");
    assert!(tops.len() >= 2, "{tops:?}");
    for top in tops {
        read::sound(&tools, &verilog_folder().join(&top), &top).expect("sound");
    }
    read::sound(&tools, &verilog_folder().join("ulx3s"), "ulx3s_hdmi").expect("sound");
}

#[test]
fn a_latch_and_a_missing_module_are_found() {
    let Some(tools) = tools() else { return };
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("latch");
    fs::create_dir_all(&folder).expect("folder");
    let text = "module t(input a, input b, output reg q); always @(*) if (a) q = b; endmodule";
    fs::write(folder.join("t.v"), text).expect("write");
    let error = read::sound(&tools, &folder, "t").expect_err("a latch").to_string();
    assert!(error.contains("$dlatch"), "{error}");
    fs::write(folder.join("t.v"), "module t(input a); u v(.a(a)); endmodule").expect("write");
    let error = read::sound(&tools, &folder, "t").expect_err("no module u").to_string();
    assert!(error.contains('u'), "{error}");
}
