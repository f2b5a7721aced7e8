//! The serial line: how much of it a load uses, and whether what a tool says is true when bytes are
//! lost, doubled and flipped and power fails.

use std::sync::OnceLock;

use anyhow::{Result, bail};
use kube_lab::line::sweep::{self, Tally};
use kube_lab::line::{Rig, Troubles, system};
use kube_serial::{Job, Outcome};

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 3] = [
    ("boot.line_share", line_share),
    ("boot.commands_doubled", commands_doubled),
    ("boot.words_untrue", words_untrue),
];

/// Of loads every so many bytes are tried; 1 tries all and takes half an hour. Commands: always all.
const LOAD_STRIDE: usize = 13;

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

/// One sweep serves both figures.
fn swept() -> Result<&'static (Tally, usize)> {
    static SWEPT: OnceLock<(Tally, usize)> = OnceLock::new();
    if let Some(swept) = SWEPT.get() {
        return Ok(swept);
    }
    let given = std::env::var("KUBE_LINE_STRIDE").ok().and_then(|text| text.parse().ok());
    let stride = given.unwrap_or(LOAD_STRIDE).max(1);
    let refused = Outcome::Failed("refused, see the log".to_owned());
    let mut rig = rig()?;
    let mut tally = sweep::command(&mut rig, "Counted.Up", &Outcome::Done, 1);
    tally.add(sweep::command(&mut rig, "Counted.Refused", &refused, 1));
    tally.add(sweep::load(&mut rig, stride));
    tally.add(sweep::power(&mut rig, "Counted.Up", 400, 1));
    Ok(SWEPT.get_or_init(|| (tally, stride)))
}

fn work(tally: &Tally, stride: usize) -> String {
    let first = tally.first.as_deref().map(|case| format!("; first: {case}")).unwrap_or_default();
    format!(
        "{} commands and loads with {} faults: every byte of commands, every {stride}th of 64 KB \
         loads, power cut at every millisecond; {} words unknown{first}",
        tally.jobs, tally.faults, tally.unknown
    )
}

fn commands_doubled() -> Result<Option<Figure>> {
    let (tally, stride) = swept()?;
    Ok(Some(Figure {
        name: "boot.commands_doubled",
        value: tally.doubled as f64,
        unit: "commands",
        reference: Reference::Target(0.0, "at most once a boot"),
        work: work(tally, *stride),
    }))
}

fn words_untrue() -> Result<Option<Figure>> {
    let (tally, stride) = swept()?;
    Ok(Some(Figure {
        name: "boot.words_untrue",
        value: tally.untrue as f64,
        unit: "words",
        reference: Reference::Target(0.0, "done, failed or unknown, and so it is"),
        work: work(tally, *stride),
    }))
}
