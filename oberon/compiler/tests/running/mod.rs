//! Runs compiled modules in the emulator, with the run-time module of the language cases.

use obc::object::ObjectFile;
use obc::{Compiled, link};

mod program;

/// A program that has not stopped by then never will.
const MAX_INSTRUCTIONS: u64 = 20_000_000;

/// What a program did.
#[derive(Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "not every test knows all")]
pub enum Outcome {
    Rejected,
    Accepted,
    Ran(String),
    Trapped(u8, String),
    Endless,
}

/// An outcome with output.
pub fn ran(out: &str) -> Outcome {
    Outcome::Ran(out.trim().to_string())
}

/// Links modules, runs their bodies and then the command Run of one of them.
pub fn execute(built: &[Compiled], name: &str) -> Outcome {
    let objects: Vec<ObjectFile> = built.iter().map(|c| c.object.clone()).collect();
    let image = link::boot_image(&objects).unwrap();
    let word = |at: u32| program::word(&image, at);
    let mut calls = program::bodies(&image);
    let module = built.iter().find(|c| c.module == name).unwrap();
    if let Some((_, offset)) = module.object.commands.iter().find(|(n, _)| n == "Run") {
        let mut descriptor = word(20);
        let text = |at: u32| {
            let bytes = &image[at as usize..at as usize + 32];
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(32);
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        while text(descriptor) != name {
            descriptor = word(descriptor + 32);
        }
        calls.push(word(descriptor + 56) + offset);
    }
    let (out, ended) = program::run(&image, &calls, MAX_INSTRUCTIONS);
    if !ended {
        return Outcome::Endless;
    }
    match out.split_once('!') {
        Some((before, number)) => {
            let number = number.trim().parse().unwrap_or(u8::MAX);
            Outcome::Trapped(number, before.trim().to_string())
        }
        None => ran(&out),
    }
}
