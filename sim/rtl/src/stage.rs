//! How far the start of a machine has come, by its LEDs and its serial line.
//!
//! The boot loader shows each step on the LEDs. What fails is shown there by the first letter of a word,
//! said on the serial line as "boot: word failed", and tried again after a pause. [`boot`] runs a machine
//! until its system shows life or a stage has failed, so that nobody waits for a machine that will
//! never come up.

use crate::machine::Machine;
use crate::radio::RadioPins;

/// A row of [`STAGES`].
#[derive(Debug, PartialEq, Eq)]
pub struct StageRow {
    /// The LEDs.
    pub leds: u8,
    /// The word on the serial line, if it is a failure.
    pub word: Option<&'static str>,
    /// What the machine does, or what has failed.
    pub meaning: &'static str,
    /// What to look at.
    pub remedy: &'static str,
}

const fn step(leds: u8, meaning: &'static str, remedy: &'static str) -> StageRow {
    StageRow { leds, word: None, meaning, remedy }
}

const fn failure(
    leds: u8,
    word: &'static str,
    meaning: &'static str,
    remedy: &'static str,
) -> StageRow {
    StageRow { leds, word: Some(word), meaning, remedy }
}

/// All stages, in the order in which a start goes through them; failures behind them.
///
/// Source: oberon/boot/BootLoad.Mod.
pub const STAGES: [StageRow; 10] = [
    step(0x00, "the boot loader has not begun", "the PROM is empty or the clock stands"),
    step(0x80, "the boot loader runs", "it got no further: the PROM is damaged"),
    step(0x81, "it waits for an image on the serial line", "switch 0 is set; send one or clear it"),
    step(0x82, "it reads the image from the card", "the card takes longer than was waited"),
    step(
        0x84,
        "the image was started",
        "it shows no life: the image is damaged or not for this machine",
    ),
    failure(b'c', "card", "no card answers", "put a card in, look at its wires"),
    failure(
        b'w',
        "wake",
        "the card answers and never gets ready",
        "the card is damaged: try another",
    ),
    failure(
        b'r',
        "read",
        "a block of the boot area cannot be read",
        "write the image again or try another card",
    ),
    failure(b'a', "area", "the boot area holds no image", "write an image to the card"),
    failure(
        b'l',
        "line",
        "the serial line fell silent or sent an absurd address",
        "rate and wires of the line; send again",
    ),
];

/// The stage that a pattern of the LEDs stands for; `None` once a system uses them.
#[must_use]
pub fn stage(leds: u8) -> Option<&'static StageRow> {
    STAGES.iter().find(|row| row.leds == leds)
}

/// A machine that did not come up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the machine did not come up in {waited_ms} ms: {}; {}{}\nits line said: {log:?}",
    .stage.meaning, .stage.remedy, framing(.framing_errors)
)]
pub struct BootFailure {
    /// How far it came.
    pub stage: &'static StageRow,
    /// Machine time waited.
    pub waited_ms: u64,
    /// Characters from it that had no stop bit.
    pub framing_errors: u64,
    /// What its serial line said.
    pub log: String,
}

fn framing(errors: &u64) -> String {
    match errors {
        0 => String::new(),
        _ => format!("; {errors} characters had no stop bit: it sends at another rate"),
    }
}

/// Runs a machine until its system shows life: it says something, draws, or waits in the idle word.
/// Returns what its serial line has said.
///
/// # Errors
/// The stage that failed, or the last one reached within `limit_ms` of machine time.
pub fn boot<R: RadioPins>(machine: &mut Machine<R>, limit_ms: u64) -> Result<String, BootFailure> {
    const MS: u64 = 1_000_000;
    let mut log = String::new();
    let mut last = &STAGES[0];
    for waited_ms in 1..=limit_ms {
        machine.run_until(machine.now_ns() + MS);
        log.push_str(&String::from_utf8_lossy(&machine.serial_received()));
        last = stage(machine.leds()).unwrap_or(last);
        // The word is said after the LEDs show it.
        let said = last.word.is_some_and(|word| log.contains(&format!("boot: {word} failed")));
        if said {
            let framing_errors = machine.framing_errors();
            return Err(BootFailure { stage: last, waited_ms, framing_errors, log });
        }
        let drawn = || machine.framebuffer().iter().any(|&word| word != 0);
        if last.leds == 0x84 && (!log.is_empty() || machine.idle() || drawn()) {
            return Ok(log);
        }
    }
    let framing_errors = machine.framing_errors();
    Err(BootFailure { stage: last, waited_ms: limit_ms, framing_errors, log })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the document is this one.
    #[test]
    fn the_document_lists_every_stage() {
        let text = include_str!("../../../docs/co-simulation.md");
        for row in &STAGES {
            let leds = match row.word {
                Some(_) => format!("| {:02X} \"{}\" |", row.leds, row.leds as char),
                None => format!("| {:02X} | |", row.leds),
            };
            assert!(text.contains(&leds), "{leds}");
            if let Some(word) = row.word {
                assert_eq!(row.leds, word.as_bytes()[0]);
                assert!(text.contains(&format!("boot: {word} failed")), "{word}");
            }
        }
    }
}
