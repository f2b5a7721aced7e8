//! How a machine is Verilated and compiled, by build.rs for those that every build has, and by
//! [`crate::variant`] for those that are made later.

/// Options of Verilator.
pub(crate) const OPTIONS: [&str; 11] = [
    "--cc",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    // Widths differ on purpose (Rust cuts, Verilog extends); unused ports are the trace's.
    "-Wall",
    "-Wno-WIDTH",
    "-Wno-UNUSEDPARAM",
    "-Wno-UNUSEDSIGNAL",
    "-Wno-DECLFILENAME",
];

/// Flags of the C++ compiler: much of the logic is muxes one of whose sides is seldom wanted, and branches
/// cost a fifth less time than computing both.
pub(crate) const FLAGS: [&str; 2] = ["-fno-if-conversion", "-fno-if-conversion2"];

/// A constant of an exported module, `localparam name = 16'h222;`.
pub(crate) fn constant(module: &str, name: &str) -> Option<u64> {
    module.lines().find_map(|line| {
        let value = line.trim().strip_prefix("localparam ")?.strip_prefix(name)?;
        let (_, digits) = value.strip_prefix(" = ")?.strip_suffix(';')?.split_once("'h")?;
        u64::from_str_radix(digits, 16).ok()
    })
}
