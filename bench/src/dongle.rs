//! The USB dongle that listens: its firmware in the emulator of its processor, on an air without a gap.

use std::path::PathBuf;

use anyhow::{Context, Result};
use kube_lab::dongle::{Burst, Overheard, burst};
use kube_proto::frame::Rate;

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 4] = [
    ("dongle.frames_lost", lost),
    ("dongle.max_frames_per_s_1m", || most("dongle.max_frames_per_s_1m", Rate::M1, 3_125.0)),
    ("dongle.max_frames_per_s", || most("dongle.max_frames_per_s", Rate::M2, 6_250.0)),
    ("dongle.transmissions", transmissions),
];

/// Frames of a burst: more than twice what the dongle can hold.
const FRAMES: u32 = 5_000;
/// The host does not read for so long.
const STALL_MS: u64 = 100;

fn heard(rate: Rate, stall_ms: u64) -> Result<Overheard> {
    let firmware = std::env::var_os("KUBE_DONGLE_FIRMWARE").map(PathBuf::from);
    let firmware = firmware.context(
        "KUBE_DONGLE_FIRMWARE names no file: `cargo xtask bench dongle` builds and sets it",
    )?;
    Ok(burst(&firmware, &Burst { frames: FRAMES, rate, gap_ns: 0, stall_ms })?)
}

fn work(heard: &Overheard, mbit: u8) -> String {
    format!(
        "{} frames without a gap at {mbit} Mbit/s, machine time; {} lost, {} wrong, times within {:.0} us",
        heard.sent,
        heard.lost(),
        heard.wrong,
        heard.time_error_ns as f64 / 1_000.0
    )
}

/// Frames that did not arrive, at the air's full rate and while the host was away.
fn lost() -> Result<Option<Figure>> {
    let heard = heard(Rate::M2, STALL_MS)?;
    Ok(Some(Figure {
        name: "dongle.frames_lost",
        value: f64::from(heard.lost()),
        unit: "frames",
        reference: Reference::Target(0.0, "the host does not read for 100 ms"),
        work: work(&heard, 2),
    }))
}

/// Frames a second that arrived whole; the air carries no more.
fn most(name: &'static str, rate: Rate, limit: f64) -> Result<Option<Figure>> {
    let heard = heard(rate, 0)?;
    let share = f64::from(heard.whole) / f64::from(heard.sent.max(1));
    let mbit = if rate == Rate::M2 { 2 } else { 1 };
    Ok(Some(Figure {
        name,
        value: f64::from(heard.frames_per_s) * share,
        unit: "frames/s",
        reference: Reference::Target(limit, "what the air carries: 320 bits a frame"),
        work: work(&heard, mbit),
    }))
}

/// Frames that the dongle's chip has sent, as the medium has seen.
fn transmissions() -> Result<Option<Figure>> {
    let heard = heard(Rate::M1, STALL_MS)?;
    Ok(Some(Figure {
        name: "dongle.transmissions",
        value: heard.transmissions as f64,
        unit: "frames",
        reference: Reference::Target(0.0, "a listener never sends"),
        work: work(&heard, 1),
    }))
}
