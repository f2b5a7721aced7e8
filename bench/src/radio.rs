//! The Oberon radio driver: frames a second of one sender, how long it is deaf, and how many frames
//! of a crowd of machines arrive.

use anyhow::Result;
use kube_lab::crowd::{self, Crowd};
use kube_lab::throughput::{Load, Throughput, broadcast};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 4] = [
    ("air.frames_per_s_1m", || frames("air.frames_per_s_1m", 1, "goal; the air's limit is 3,125")),
    ("air.frames_per_s_2m", || frames("air.frames_per_s_2m", 2, "goal; the air's limit is 6,250")),
    ("air.deaf_us_per_frame", deaf),
    ("air.machines_delivered_100", crowd),
];

/// The clock that the goals are set for.
const CLOCK_HZ: u32 = 25_000_000;
/// Data bytes that make packets of one frame, and of a whole burst.
const ONE: u16 = 24;
const THREE: u16 = 88;

fn measure(mbit: u8, data_bytes: u16) -> Result<Throughput> {
    Ok(broadcast(&Load { clock_hz: CLOCK_HZ, mbit, data_bytes })?)
}

/// Packets of one frame: what every message of Kube is.
fn frames(name: &'static str, mbit: u8, source: &'static str) -> Result<Option<Figure>> {
    let (one, three) = (measure(mbit, ONE)?, measure(mbit, THREE)?);
    let goal = if mbit == 2 { 1_500.0 } else { 1_000.0 };
    Ok(Some(Figure {
        name,
        value: one.sent_per_s,
        unit: "frames/s",
        reference: Reference::Target(goal, source),
        work: format!(
            "packets of one frame, machine time at 25 MHz; of three frames {:.0}; received {:.3}",
            three.sent_per_s, one.heard_share
        ),
    }))
}

/// Time in which a receiver that reads a frame could not begin to hear another.
fn deaf() -> Result<Option<Figure>> {
    let (one, three) = (measure(1, ONE)?, measure(1, THREE)?);
    Ok(Some(Figure {
        name: "air.deaf_us_per_frame",
        value: one.receiver_deaf_us_per_frame,
        unit: "us",
        reference: Reference::Published(230.0, "Project Oberon's SCC, computed from its SPI times"),
        work: format!(
            "a receiver, for each frame read; a sender for each frame sent {:.0}, in threes {:.0}",
            one.sender_deaf_us_per_frame, three.sender_deaf_us_per_frame
        ),
    }))
}

/// Share of frames that arrive when 100 machines with this driver send one a second each.
fn crowd() -> Result<Option<Figure>> {
    let crowd = crowd::delivered(&Crowd {
        machines: 100,
        mbit: 1,
        interval_ms: 1_000,
        seconds: 20,
        seed: 1,
    })?;
    Ok(Some(Figure {
        name: "air.machines_delivered_100",
        value: crowd.share,
        unit: "share",
        reference: Reference::SameRun(crowd.pure, "pure ALOHA at this load".to_owned()),
        work: format!(
            "{} frames, load {:.3}; slotted ALOHA {:.3}",
            crowd.sent, crowd.load, crowd.slotted
        ),
    }))
}
