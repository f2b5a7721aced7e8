//! Prints the compiler's figures: lines a second, and with `KUBE_GENUINE_IMAGE` set what our
//! object files of the genuine system need beside its own.
//!
//! `cargo run --release -p obc-measure --example figures [-- NAME...]`: each pass named is left out of
//! the comparison, `none` leaves all out.

#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;

use obc::Options;
use obc::ir::passes::{Pass, Passes};
use obc_measure::{genuine, speed};

fn main() -> Result<(), Box<dyn Error>> {
    let own = speed::measure(&kube_modules::sources(), 3.0)?;
    println!(
        "our system: {} lines in {:.2} ms, {:.0} lines/s",
        own.lines,
        own.seconds * 1e3,
        own.lines_per_s
    );
    let Some(image) = genuine::from_environment()? else {
        println!("skipped: KUBE_GENUINE_IMAGE is not set");
        return Ok(());
    };
    let modules = genuine::modules(&image)?;
    let sources: Vec<_> = modules.iter().map(|m| m.source.clone()).collect();
    let speed = speed::measure(&sources, 3.0)?;
    println!(
        "genuine system: {} lines in {:.2} ms, {:.0} lines/s",
        speed.lines,
        speed.seconds * 1e3,
        speed.lines_per_s
    );
    let mut options = Options::default();
    for name in std::env::args().skip(1) {
        options.passes = match name.as_str() {
            "none" => Passes::none(),
            name => options.passes.without(Pass::from_name(name).ok_or("no pass of that name")?),
        };
    }
    let ours = genuine::compile_with(&modules, &options)?;
    let differing = genuine::differing_symbols(&modules, &ours);
    println!("symbol files identical: {} of {}", modules.len() - differing.len(), modules.len());
    println!("{}", genuine::compare(&image, &modules, &ours)?);
    Ok(())
}
