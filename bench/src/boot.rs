//! The serial line: how much of it a load uses, and whether what a tool says is true when bytes are
//! lost, doubled and flipped and power fails; and the same of commands over the air.

use std::sync::OnceLock;

use anyhow::{Result, bail};
use kube_boards::fleet::Keys;
use kube_lab::desk::{Desk, Weather};
use kube_lab::line::sweep::{self, Tally};
use kube_lab::line::{Rig, Troubles, system};
use kube_serial::{Job, Outcome};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 4] = [
    ("boot.line_share", line_share),
    ("boot.commands_doubled", commands_doubled),
    ("boot.words_untrue", words_untrue),
    ("boot.loads_untrue", loads_untrue),
];

/// Commands over the air; `KUBE_ORDERS` sets another number.
const ORDERS: usize = 2_000;
/// One given up after so long counts as unknown.
const ORDER_MS: u64 = 20_000;
/// Every so many milliseconds a recording is played, and every so manyth command power is cut.
const WEATHER: Weather = Weather { loss: 0.3, replay_ms: 40, cut_every: 20 };

fn rig() -> Result<Rig> {
    Ok(Rig::new(&system()?, &["Counted.Load"])?)
}

fn line_share() -> Result<Option<Figure>> {
    let image = sweep::image();
    let mut rig = rig()?;
    let run = rig.run(Job::load(&image, false)?, &Troubles::default(), 20_000);
    if run.outcome != Some(Outcome::Done) || !rig.holds(&image) {
        bail!("the load failed: {run:?}");
    }
    let bytes_a_second = f64::from(kube_proto::serial::bytes_a_second());
    Ok(Some(Figure {
        name: "boot.line_share",
        value: image.len() as f64 * 1e6 / run.us as f64 / bytes_a_second,
        unit: "of 1",
        reference: Reference::Target(0.9, "of 11520 bytes a second"),
        work: format!(
            "64 KB into memory in {:.2} s, from the first byte to the tool's word",
            run.us as f64 / 1e6
        ),
    }))
}

fn given(variable: &str) -> Option<usize> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// Commands by line and over the air; one sweep serves both figures.
fn swept() -> Result<&'static (Tally, Tally)> {
    static SWEPT: OnceLock<(Tally, Tally)> = OnceLock::new();
    if let Some(swept) = SWEPT.get() {
        return Ok(swept);
    }
    let refused = Outcome::Failed("refused, see the log".to_owned());
    let mut rig = rig()?;
    let mut tally = sweep::command(&mut rig, "Counted.Up", &Outcome::Done, 1);
    tally.add(sweep::command(&mut rig, "Counted.Refused", &refused, 1));
    tally.add(sweep::power(&mut rig, "Counted.Up", 400, 1));
    let mut air = Tally::default();
    for (seed, keys) in [(1, Keys::Shared), (2, Keys::PerNode)] {
        let mut desk = Desk::new(&system()?, keys, true, seed)?;
        desk.set_weather(WEATHER);
        air.add(desk.orders(given("KUBE_ORDERS").unwrap_or(ORDERS) / 2, ORDER_MS)?);
    }
    Ok(SWEPT.get_or_init(|| (tally, air)))
}

fn first(tally: &Tally) -> String {
    tally.first.as_deref().map(|case| format!("; first: {case}")).unwrap_or_default()
}

fn work(line: &Tally, air: &Tally) -> String {
    format!(
        "{} commands by line with {} faults: every byte, power cut at every millisecond, {} words \
         unknown{}; {} over the air at 30 % loss, recordings played, {} power cuts, {} words \
         unknown{}",
        line.jobs,
        line.faults,
        line.unknown,
        first(line),
        air.jobs,
        air.faults,
        air.unknown,
        first(air)
    )
}

fn commands_doubled() -> Result<Option<Figure>> {
    let (line, air) = swept()?;
    Ok(Some(Figure {
        name: "boot.commands_doubled",
        value: (line.doubled + air.doubled) as f64,
        unit: "commands",
        reference: Reference::Target(0.0, "at most once a boot"),
        work: work(line, air),
    }))
}

fn words_untrue() -> Result<Option<Figure>> {
    let (line, air) = swept()?;
    Ok(Some(Figure {
        name: "boot.words_untrue",
        value: (line.untrue + air.untrue) as f64,
        unit: "words",
        reference: Reference::Target(0.0, "done, failed or unknown, and so it is"),
        work: work(line, air),
    }))
}

/// Loads of 64 KB in which every byte of the line, in both directions, is lost, doubled and flipped.
/// `KUBE_LINE_STRIDE` tries every so manyth byte: all of them take a core half an hour.
fn loads_untrue() -> Result<Option<Figure>> {
    let stride = given("KUBE_LINE_STRIDE").unwrap_or(1).max(1);
    let tally = sweep::loads(&system()?, stride)?;
    Ok(Some(Figure {
        name: "boot.loads_untrue",
        value: tally.untrue as f64,
        unit: "loads",
        reference: Reference::Target(0.0, "done, and whole in memory"),
        work: format!(
            "of {} loads of 64 KB with {} faults, every {stride}. byte in both directions lost, \
             doubled and flipped{}",
            tally.jobs,
            tally.faults,
            first(&tally)
        ),
    }))
}
