//! Compiles damaged texts: whatever the compiler says about them, it says it.
//!
//! The seed is printed; `OBC_SEED=n` repeats a run, `OBC_ROUNDS=n` makes it longer.

#![allow(clippy::print_stdout, reason = "a test")]

use obc::{Source, project};

const TEXTS: [&str; 5] = [
    include_str!("cases/RT.Mod"),
    include_str!("cases/MA.Mod"),
    include_str!("diagnostics/names.Mod"),
    include_str!("diagnostics/types.Mod"),
    include_str!("diagnostics/syntax.Mod"),
];

/// Pieces that are worth trying anywhere.
const PIECES: [&str; 40] = [
    "END",
    "BEGIN",
    "IF",
    ";",
    "(",
    ")",
    "[",
    "]",
    "^",
    ".",
    ":=",
    "*",
    "RECORD",
    "POINTER TO",
    "ARRAY",
    "OF",
    "80000000H",
    "2147483647",
    "-1",
    "0",
    "NIL",
    "\"x\"",
    "\"abc\"",
    "$41$",
    "{0..31}",
    "x",
    "p",
    "DIV",
    "MOD",
    "IS",
    "IN",
    "&",
    "OR",
    "~",
    "CASE",
    "RETURN",
    "VAR",
    "PROCEDURE",
    "SYSTEM.VAL(",
    "LEN(",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut words: Vec<String> =
        text.split_inclusive([' ', ';', '(', ')']).map(str::to_string).collect();
    for _ in 0..=random.below(4) {
        let at = random.below(words.len());
        match random.below(5) {
            0 => {
                words.remove(at);
            }
            1 => words[at] = format!("{} ", PIECES[random.below(PIECES.len())]),
            2 => words.insert(at, format!("{} ", PIECES[random.below(PIECES.len())])),
            3 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            _ => {
                let copy = words[random.below(words.len())].clone();
                words.insert(at, copy);
            }
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

#[test]
fn damaged_texts_never_stop_the_compiler() {
    let seed = setting("OBC_SEED", 1);
    println!("OBC_SEED={seed}");
    let mut random = Random(seed);
    for _ in 0..setting("OBC_ROUNDS", 3000) {
        let text = mutate(TEXTS[random.below(TEXTS.len())], &mut random);
        if let Err(errors) = project::build(&[Source::new("M.Mod", text)]) {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}
