//! Every byte on the line lost, doubled or flipped in turn, and power cut at every moment: what the
//! tool says is compared with what the machine did.

use kube_modules::System;
use kube_serial::{Job, Outcome};
use rayon::prelude::*;

use super::{Fault, Kind, LineError, Rig, Run, Troubles};

/// Long enough for any job here, in machine time.
const LIMIT_MS: u64 = 60_000;
/// Faults in one load are so many bytes apart: each has been recovered from before the next.
const APART: usize = 4 * 1_045;
/// Bytes of the image that is loaded.
pub const IMAGE_BYTES: usize = 65_536;

/// What a sweep found.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Jobs.
    pub jobs: usize,
    /// Faults in them.
    pub faults: usize,
    /// Jobs that ran more than once.
    pub doubled: usize,
    /// Words that were not true, or none at all.
    pub untrue: usize,
    /// Jobs of which the tool said that it does not know.
    pub unknown: usize,
    /// The first case that was not as it should be.
    pub first: Option<String>,
}

impl Tally {
    pub(crate) fn judge(
        &mut self,
        run: &Run,
        faults: usize,
        is_true: bool,
        case: impl FnOnce() -> String,
    ) {
        self.jobs += 1;
        self.faults += faults;
        self.doubled += usize::from(run.counted > 1);
        self.untrue += usize::from(!is_true);
        self.unknown += usize::from(matches!(run.outcome, Some(Outcome::Unknown(_))));
        if (run.counted > 1 || !is_true) && self.first.is_none() {
            self.first = Some(format!("{}: {run:?}", case()));
        }
    }

    /// Adds another sweep's.
    pub fn add(&mut self, other: Tally) {
        self.jobs += other.jobs;
        self.faults += other.faults;
        self.doubled += other.doubled;
        self.untrue += other.untrue;
        self.unknown += other.unknown;
        self.first = self.first.take().or(other.first);
    }
}

/// Which way, as troubles.
fn troubles(to_machine: bool, faults: Vec<Fault>) -> Troubles {
    if to_machine {
        Troubles { to_machine: faults, ..Troubles::default() }
    } else {
        Troubles { to_tool: faults, ..Troubles::default() }
    }
}

/// A command with one fault, at every `stride`th byte in both directions, of every kind.
pub fn command(rig: &mut Rig, text: &str, expected: &Outcome, stride: usize) -> Tally {
    let mut tally = Tally::default();
    let Ok(job) = Job::command(text) else { return tally };
    let clean = rig.run(job.clone(), &Troubles::default(), LIMIT_MS);
    let lines = clean.log.len();
    let mut kinds = vec![Kind::Lost, Kind::Doubled];
    kinds.extend((0..8).map(Kind::Flipped));
    let places = |len: usize, way: bool| (0..len).step_by(stride).map(move |at| (way, at));
    for (way, at) in places(clean.to_machine, true).chain(places(clean.to_tool, false)) {
        for &kind in &kinds {
            let run = rig.run(job.clone(), &troubles(way, vec![Fault { at, kind }]), LIMIT_MS);
            // No power was lost: the tool has no excuse not to know.
            let word = run.outcome.as_ref() == Some(expected) && run.counted == 1;
            let whole = run.log.len() == lines;
            tally.judge(&run, 1, word && whole, || {
                format!("{text}, to machine {way}, {at}, {kind:?}")
            });
        }
    }
    tally
}

/// An image that is as bad as data can be: every value, runs of zeros, line ends and marks.
#[must_use]
pub fn image() -> Vec<u8> {
    let byte = |i: usize| match i / 512 % 8 {
        0 => 0,
        1 => b'\n',
        2 => (i % 3) as u8,
        3 => b"\n#1 run A.B *\r;"[i % 14],
        _ => (i.wrapping_mul(2_654_435_761) >> 11) as u8,
    };
    (0..IMAGE_BYTES).map(byte).collect()
}

/// A load with faults so far apart, from one byte on.
#[derive(Clone, Copy)]
struct Load {
    to_machine: bool,
    first: usize,
    apart: usize,
    len: usize,
    kind: Kind,
}

impl Load {
    /// All that try every `stride`th byte of a load in both directions with every kind of fault.
    fn all(rig: &mut Rig, job: &Job, stride: usize) -> Vec<Self> {
        let clean = rig.run(job.clone(), &Troubles::default(), LIMIT_MS);
        // Answers are short: as many on that way as blocks on the other.
        let to_tool = (APART * clean.to_tool / clean.to_machine.max(1)).max(1);
        let ways = [(true, clean.to_machine, APART), (false, clean.to_tool, to_tool)];
        let mut all = Vec::new();
        for (to_machine, len, apart) in ways {
            for first in (0..apart).step_by(stride) {
                for kind in [Kind::Lost, Kind::Doubled, Kind::Flipped((first % 8) as u8)] {
                    all.push(Self { to_machine, first, apart, len, kind });
                }
            }
        }
        all
    }

    fn run(&self, rig: &mut Rig, job: &Job, image: &[u8], tally: &mut Tally) {
        rig.machine.load(risc5_isa::map::FRAMEBUFFER, &[0xA5; IMAGE_BYTES]);
        let Self { to_machine, first, apart, len, kind } = *self;
        let faults: Vec<_> = (first..len).step_by(apart).map(|at| Fault { at, kind }).collect();
        let count = faults.len();
        let run = rig.run(job.clone(), &troubles(to_machine, faults), LIMIT_MS);
        let whole = run.outcome == Some(Outcome::Done) && rig.holds(image);
        tally.judge(&run, count, whole, || format!("load, {to_machine}, {first}, {kind:?}"));
    }
}

/// Loads of 64 KB with faults far enough apart to be recovered from one by one, such that over all
/// loads every `stride`th byte of the line in both directions has had every kind.
pub fn load(rig: &mut Rig, stride: usize) -> Tally {
    let (mut tally, image) = (Tally::default(), image());
    let Ok(job) = Job::load(&image, false) else { return tally };
    for load in Load::all(rig, &job, stride) {
        load.run(rig, &job, &image, &mut tally);
    }
    tally
}

/// The same on all cores, each with a machine of its own.
///
/// # Errors
/// [`LineError`] if there is no machine.
pub fn loads(system: &System, stride: usize) -> Result<Tally, LineError> {
    let image = image();
    let Ok(job) = Job::load(&image, false) else { return Ok(Tally::default()) };
    let rig = || Rig::new(system, &["Counted.Load"]);
    let all = Load::all(&mut rig()?, &job, stride);
    let share = all.len().div_ceil(rayon::current_num_threads().max(1)).max(1);
    let tallies: Result<Vec<Tally>, LineError> = all
        .par_chunks(share)
        .map(|loads| {
            let (mut rig, mut tally) = (rig()?, Tally::default());
            loads.iter().for_each(|load| load.run(&mut rig, &job, &image, &mut tally));
            Ok(tally)
        })
        .collect();
    let mut sum = Tally::default();
    tallies?.into_iter().for_each(|tally| sum.add(tally));
    Ok(sum)
}

/// A command during which power is cut, once at every `stride_ms`th moment of `until_ms`.
pub fn power(rig: &mut Rig, text: &str, until_ms: u64, stride_ms: usize) -> Tally {
    let mut tally = Tally::default();
    let Ok(job) = Job::command(text) else { return tally };
    for at in (0..until_ms).step_by(stride_ms) {
        let cut = Troubles { power_cut_ms: Some(at), ..Troubles::default() };
        let run = rig.run(job.clone(), &cut, LIMIT_MS);
        let is_true = match &run.outcome {
            Some(Outcome::Done) => run.counted == 1,
            Some(Outcome::Failed(_)) => run.counted == 0,
            Some(Outcome::Unknown(_)) => true,
            None => false,
        };
        tally.judge(&run, 1, is_true, || format!("{text}, power cut at {at} ms"));
    }
    tally
}
