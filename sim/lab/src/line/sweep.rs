//! Every byte on the line lost, doubled or flipped in turn, and power cut at every moment: what the
//! tool says is compared with what the machine did.

use kube_serial::{Job, Outcome};

use super::{Fault, Kind, Rig, Run, Troubles};

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

/// Loads of 64 KB with faults far enough apart to be recovered from one by one, such that over all
/// loads every `stride`th byte of the line in both directions has had every kind.
pub fn load(rig: &mut Rig, stride: usize) -> Tally {
    let mut tally = Tally::default();
    let image = image();
    let Ok(job) = Job::load(&image, false) else { return tally };
    let clean = rig.run(job.clone(), &Troubles::default(), LIMIT_MS);
    // Answers are short: as many on that way as blocks on the other.
    let apart_to_tool = APART * clean.to_tool / clean.to_machine.max(1);
    for (way, len, apart) in
        [(true, clean.to_machine, APART), (false, clean.to_tool, apart_to_tool.max(1))]
    {
        for first in (0..apart).step_by(stride) {
            for kind in [Kind::Lost, Kind::Doubled, Kind::Flipped((first % 8) as u8)] {
                rig.machine.load(risc5_isa::map::FRAMEBUFFER, &[0xA5; IMAGE_BYTES]);
                let faults: Vec<_> =
                    (first..len).step_by(apart).map(|at| Fault { at, kind }).collect();
                let count = faults.len();
                let run = rig.run(job.clone(), &troubles(way, faults), LIMIT_MS);
                let whole = run.outcome == Some(Outcome::Done) && rig.holds(&image);
                tally.judge(&run, count, whole, || format!("load, {way}, {first}, {kind:?}"));
            }
        }
    }
    tally
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
