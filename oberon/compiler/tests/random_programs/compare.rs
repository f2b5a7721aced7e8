//! Runs a program on the emulator, and compares what it does as compiled in different ways.

use obc::ir::passes::{Pass, Passes};
use obc::object::ObjectFile;
use obc::{NoSymbols, Options, Source, link, project};

use crate::generator;

#[path = "../running/program.rs"]
mod program;

/// No program needs as many.
const MAX_INSTRUCTIONS: u64 = 30_000_000;

/// The run-time module, whose trap message says the position too.
fn run_time() -> String {
    let text = include_str!("../cases/RT.Mod");
    let number = "WriteDigits(word DIV 10H MOD 10H);";
    assert!(text.contains(number), "the trap handler looks otherwise");
    text.replace(number, &format!("{number} Send(\":\"); WriteDigits(word DIV 100H MOD 10000H);"))
}

/// What the program prints: up to a trap, its number and position, or to the end.
///
/// # Errors
///
/// The first error of the compiler.
pub fn outcome(text: &str, passes: Passes) -> Result<String, String> {
    let sources = [
        Source::new("RT.Mod", run_time()),
        Source::new("A.Mod", generator::LIBRARY),
        Source::new("T.Mod", text),
        Source::new("Main.Mod", "MODULE Main; IMPORT RT, A, T; BEGIN T.Run END Main."),
    ];
    let options = Options { passes, ..Options::default() };
    let built = project::build_with(&sources, &NoSymbols, &options)
        .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
    let objects: Vec<ObjectFile> = built.into_iter().map(|c| c.object).collect();
    let image = link::boot_image(&objects).map_err(|e| e.to_string())?;
    let (mut out, ended) = program::run(&image, &program::bodies(&image), MAX_INSTRUCTIONS);
    if !ended {
        out.push_str(" endless");
    }
    Ok(out)
}

/// How the program of a seed behaves differently with all passes, or with a choice of them, than
/// without any; `Ok(true)` if it traps.
///
/// # Errors
///
/// What differs, or why the program does not compile.
pub fn compare(seed: u64) -> Result<bool, String> {
    let text = generator::program(seed);
    let direct = outcome(&text, Passes::none())?;
    let some = Pass::ALL
        .into_iter()
        .enumerate()
        .filter(|(at, _)| seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (40 + at) & 1 != 0)
        .fold(Passes::none(), |passes, (_, pass)| passes.with(pass));
    for passes in [Passes::all(), some] {
        let improved = outcome(&text, passes)?;
        if improved != direct {
            return Err(format!("without passes {direct:?}\nwith {passes:?} {improved:?}"));
        }
    }
    Ok(direct.contains('!'))
}
